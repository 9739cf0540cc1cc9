"""For people: grouped by code and counted, the worst first, a screenful unless all is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from argue_eval.errors import Finding, Severity
from argue_eval.report.findings import verdict
from argue_eval.report.table_text import plain
from argue_eval.validation import Checked

_MIN_LINES = 12


class _Group(NamedTuple):
    severity: Severity
    code: str
    number: int
    findings: list[Finding]


def render(runs: Sequence[Checked], height: int | None) -> Iterator[str]:
    """Yield the groups of findings, then a line for each run."""
    counts: Counter[tuple[Severity, str]] = Counter()
    for run in runs:
        counts.update(run.counts)
    findings = [finding for run in runs for finding in run.findings]
    room = None if height is None else height - len(runs) - 2
    yield from _rendered(_groups(findings, counts), room)
    for run in runs:
        yield f"{plain(verdict(run))}\n"


def grouped(findings: Sequence[Finding], room: int | None) -> Iterator[str]:
    """Yield findings that belong to no run, by code; those that so many lines have room for."""
    counts = Counter((finding.severity, finding.code) for finding in findings)
    yield from _rendered(_groups(findings, counts), room)


def _groups(
    findings: Sequence[Finding], counts: Mapping[tuple[Severity, str], int]
) -> list[_Group]:
    """Group findings by code: errors before warnings, the frequent before the rare."""
    by_code: dict[tuple[Severity, str], list[Finding]] = {}
    for finding in findings:
        by_code.setdefault((finding.severity, finding.code), []).append(finding)
    groups = [
        _Group(severity=key[0], code=key[1], number=number, findings=by_code.get(key, []))
        for key, number in counts.items()
    ]
    return sorted(
        groups, key=lambda each: (each.severity is not Severity.ERROR, -each.number, each.code)
    )


def _rendered(groups: list[_Group], room: int | None) -> Iterator[str]:
    shares = [len(group.findings) for group in groups]
    if room is not None:
        room = max(_MIN_LINES, room)
        shares = _shares(groups, room)
    num_hidden = 0
    for group, share in zip(groups, shares, strict=True):
        if share == 0:
            num_hidden += 1
            continue
        yield f"{group.severity.value} {group.code}: {group.number:,} found\n"
        for finding in group.findings[:share]:
            yield from _finding(finding)
        if group.number > share:
            yield f"  … and {group.number - share:,} more{' (--all)' if room else ''}\n"
    if num_hidden:
        codes = ", ".join(f"{group.number:,} {group.code}"
                          for group, share in zip(groups, shares, strict=True)
                          if share == 0)  # fmt: skip
        yield f"… and {codes} (--all shows them)\n"
    if groups:
        yield "\n"


def _shares(groups: list[_Group], room: int) -> list[int]:
    """Choose how many findings of each group fit on the screen: first one each, then more."""
    shares = [0] * len(groups)
    left = room - 1
    for place, group in enumerate(groups):
        if group.findings:
            cost = 1 + _height(group.findings[0]) + (group.number > 1)
            if cost > left and place:
                break
            shares[place] = 1
            left -= cost
    is_growing = True
    while is_growing:
        is_growing = False
        for place, group in enumerate(groups):
            share = shares[place]
            if 0 < share < len(group.findings) and _height(group.findings[share]) <= left:
                left -= _height(group.findings[share])
                shares[place] += 1
                is_growing = True
    return shares


def _height(finding: Finding) -> int:
    return sum(1 for _ in _finding(finding))


def _finding(finding: Finding) -> Iterator[str]:
    place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
    parts = [place]
    if finding.path and finding.path != "$":
        parts.append(finding.path)
    if finding.topic_id:
        parts.append(f"topic {plain(finding.topic_id[:60])}")
    if finding.sentence is not None:
        parts.append(f"sentence {finding.sentence}")
    yield f"  {plain(', '.join(parts))}: {plain(finding.message)}\n"
    if finding.expected and finding.expected not in finding.message + finding.hint:
        yield f"    expected: {plain(finding.expected)}\n"
    if finding.hint:
        yield f"    fix: {plain(finding.hint)}\n"
