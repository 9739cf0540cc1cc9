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
        yield from _rendered(_groups(findings, counts), room)
    for run in runs:
        yield f"{plain(str(run))}\n"


def grouped(findings: Sequence[Finding], room: int | None) -> Iterator[str]:
    """Yield findings that belong to no run, by code; those that so many lines have room for."""
    counts = Counter((finding.severity, finding.code) for finding in findings)
    yield from _rendered(_groups(findings, counts), room)


def _groups(
    findings: Sequence[Finding], counts: Mapping[tuple[Severity, str], int]
) -> list[_Group]:
    """Group findings by code: errors first, then what explains the most, then the frequent."""
    by_code: dict[tuple[Severity, str], list[Finding]] = {}
    for finding in findings:
        by_code.setdefault((finding.severity, finding.code), []).append(finding)
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


def listed(findings: Sequence[Finding], room: int | None) -> Iterator[str]:
    """Yield findings one by one, in their order; those that so many lines have room for.

    Where there is no room for all, the first of each code are shown, in the order of the groups.
    """
    shown, hidden = list(findings), ""
    if room is not None and sum(_rows(str(each)) for each in findings) > room:
        counts = Counter((finding.severity, finding.code) for finding in findings)
        groups = _groups(findings, counts)
        shares = _shares(groups, room, str)
        shown = [each for group, share in zip(groups, shares, strict=True)
                 for each in group.findings[:share]]  # fmt: skip
        left = {group.code: group.number - share
                for group, share in zip(groups, shares, strict=True)}  # fmt: skip
        more = ", ".join(f"{number:,} {code}" for code, number in left.items() if number)
        hidden = f"… and {sum(left.values()):,} more: {more} (--all lists them)\n"
    for finding in shown:
        yield f"{finding}\n"
    yield hidden


def _rendered(groups: list[_Group], room: int | None) -> Iterator[str]:
    shares = [len(group.findings) for group in groups]
    if room is not None:
        room = max(_MIN_LINES, room)
        shares = _shares(groups, room, _finding)
    num_hidden = 0
    for group, share in zip(groups, shares, strict=True):
        if share == 0:
            num_hidden += 1
            continue
        yield f"{group.severity.value} {group.code}: {group.number:,} found\n"
        for finding in group.findings[:share]:
            yield from _finding(finding).splitlines(keepends=True)
        if group.number > share:
            yield f"  … and {group.number - share:,} more{' (--all)' if room else ''}\n"
    if num_hidden:
        codes = ", ".join(f"{group.number:,} {group.code}"
                          for group, share in zip(groups, shares, strict=True)
                          if share == 0)  # fmt: skip
        yield f"… and {codes} (--all shows them)\n"
    if groups:
        yield "\n"


def _shares(groups: list[_Group], room: int, shown: Callable[[Finding], str]) -> list[int]:
    """Choose how many findings of each group fit on the screen: first one each, then more."""
    shares = [0] * len(groups)
    left = room - 1
    for place, group in enumerate(groups):
        if group.findings:
            cost = 1 + _rows(shown(group.findings[0])) + (group.number > 1)
            if cost > left and place:
                break
            shares[place] = 1
            left -= cost
    is_growing = True
    while is_growing:
        is_growing = False
        for place, group in enumerate(groups):
            share = shares[place]
            if 0 < share < len(group.findings):
                cost = _rows(shown(group.findings[share]))
                if cost <= left:
                    left -= cost
                    shares[place] += 1
                    is_growing = True
    return shares


def _rows(text: str) -> int:
    """How many rows of the terminal a text takes; outside of one, its lines."""
    is_terminal = sys.stdout.isatty() or sys.stderr.isatty()
    width = get_terminal_size().columns if is_terminal else sys.maxsize
    return sum(max(1, -(-len(line) // width)) for line in text.rstrip("\n").split("\n"))


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
