"""For people: grouped by code and counted, the worst first, a screenful unless all is asked for."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, NamedTuple

from argue_eval.errors import Finding, Severity, plain

if TYPE_CHECKING:
    from argue_eval.validation.runs import Checked

_MIN_LINES = 12

_EXPLAINS = {
    "other_collection": ("unknown_document",),
    "no_common_topic": ("missing_topics", "new_topics", "extra_topics", "topic_not_requested",
                        "topic_without_nuggets"),
    "unread_key": ("no_document_ids", "answer_without_documents", "missing_problem_statement",
                   "missing_importance"),
    "no_document_ids": ("answer_without_documents",),
    "unread_citation": ("no_citations",),
    "encoding": ("json_syntax", "json_truncated", "unknown_format"),
}  # fmt: skip
"""Codes whose findings are the cause of others, which need no look until it is gone."""


class _Group(NamedTuple):
    """The findings of one code. Groups sort by their rank, which no two of them share."""

    rank: tuple[bool, int, int, str]
    severity: Severity
    code: str
    number: int
    findings: list[Finding]


def render(runs: Sequence[Checked], height: int | None) -> Iterator[str]:
    """Yield the groups of findings, then a line for each run."""
    counts: Counter[tuple[Severity, str]] = Counter()
    for run in runs:
        counts.update(run.counts)
    if counts:
        findings = [finding for run in runs for finding in run.findings]
        room = None if height is None else height - len(runs) - 2
        yield from grouped(findings, room, counts)
    for run in runs:
        yield f"{plain(str(run))}\n"


def grouped(
    findings: Sequence[Finding],
    room: int | None,
    counts: Mapping[tuple[Severity, str], int] | None = None,
) -> Iterator[str]:
    """Yield findings by code; those that so many lines have room for.

    Args:
        counts: how often each code was found, if `findings` has not all of them.
    """
    groups = _groups(findings, counts)
    lists = [(1 + (group.number > 1), group.findings) for group in groups]
    left = None if room is None else max(_MIN_LINES, room) - 1
    hidden = []
    for group, texts in zip(groups, _fitting(lists, left, _finding), strict=True):
        if not texts:
            hidden.append(f"{group.number:,} {group.code}")
            continue
        yield f"{group.severity.value} {group.code}: {group.number:,} found\n"
        for text in texts:
            yield from text.splitlines(keepends=True)
        if group.number > len(texts):
            more = group.number - len(texts)
            yield f"  … and {more:,} more{'' if room is None else ' (--all)'}\n"
    if hidden:
        yield f"… and {', '.join(hidden)} (--all shows them)\n"
    if groups:
        yield "\n"


def listed(findings: Sequence[Finding], room: int | None) -> Iterator[str]:
    """Yield findings one by one, in their order; those that so many lines have room for.

    Where there is no room for all, the first of each code are shown, in the order of the groups.
    """
    (texts,) = _fitting([(0, findings)], room, str)
    hidden = ""
    if room is not None and len(texts) < len(findings):
        groups = _groups(findings)
        lists = [(1 + (group.number > 1), group.findings) for group in groups]
        fitting = _fitting(lists, room - 1, str)
        texts = [text for of_group in fitting for text in of_group]
        more = ", ".join(
            f"{group.number - len(of_group):,} {group.code}"
            for group, of_group in zip(groups, fitting, strict=True)
            if group.number > len(of_group)
        )
        hidden = f"… and {len(findings) - len(texts):,} more: {more} (--all lists them)\n"
    for text in texts:
        yield f"{text}\n"
    yield hidden


def _groups(
    findings: Sequence[Finding], counts: Mapping[tuple[Severity, str], int] | None = None
) -> list[_Group]:
    """Group findings by code: errors first, then what explains the most, then the frequent."""
    by_code: dict[tuple[Severity, str], list[Finding]] = {}
    for finding in findings:
        by_code.setdefault((finding.severity, finding.code), []).append(finding)
    counts = counts or {key: len(found) for key, found in by_code.items()}
    numbers: Counter[str] = Counter()
    for (_, code), number in counts.items():
        numbers[code] += number
    groups = []
    for (severity, code), number in counts.items():
        explained = sum(numbers[each] for each in _EXPLAINS.get(code, ()))
        rank = severity is not Severity.ERROR, -explained, -number, code
        of_code = by_code.get((severity, code), [])
        groups.append(_Group(rank, severity, code, number, of_code))
    return sorted(groups)


def _fitting(
    lists: Sequence[tuple[int, Sequence[Finding]]],
    left: int | None,
    shown: Callable[[Finding], str],
) -> list[list[str]]:
    """Choose what fits on the screen: the first finding of each list, then more of each.

    Args:
        lists: each with the number of rows that it takes besides its findings.
        left: so many rows are free; None to choose everything.
    """
    if left is None:
        return [[shown(each) for each in findings] for _, findings in lists]
    is_terminal = sys.stdout.isatty() or sys.stderr.isatty()
    width = get_terminal_size().columns if is_terminal else sys.maxsize
    texts: list[list[str]] = [[] for _ in lists]
    growing = [place for place, (_, findings) in enumerate(lists) if findings]
    while growing:
        still = []
        for place in growing:
            (num_rows, findings), fitting = lists[place], texts[place]
            text = shown(findings[len(fitting)])
            num_rows = 0 if fitting else num_rows
            for line in text.rstrip("\n").split("\n"):
                num_rows += max(1, -(-len(line) // width))
            if num_rows <= left or place == len(fitting) == 0:
                left -= num_rows
                fitting.append(text)
                still += [place] if len(fitting) < len(findings) else []
            elif not fitting:
                break  # nor is there room for the first of the next list
        growing = still
    return texts


def _finding(finding: Finding) -> str:
    place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
    parts = [place]
    if finding.path and finding.path != "$":
        parts.append(finding.path)
    if finding.topic_id:
        parts.append(f"topic {plain(finding.topic_id[:60])}")
    if finding.sentence is not None:
        parts.append(f"sentence {finding.sentence}")
    text = f"  {plain(', '.join(parts))}: {plain(finding.message)}\n"
    if finding.expected and finding.expected not in finding.message + finding.hint:
        text += f"    expected: {plain(finding.expected)}\n"
    return text + (f"    fix: {plain(finding.hint)}\n" if finding.hint else "")
