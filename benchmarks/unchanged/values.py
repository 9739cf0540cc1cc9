"""Scores, whatever the layout: for outputs whose form has changed, and to count them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

Key = tuple[str, str, str]
"""A run, a topic and a measure."""

_ROUNDING = 0.5001e-4
"""Tables for people have four decimals."""

_BOUNDS = re.compile(r"\[?(\d+(?:\.\d+)?)(?:-|, )(\d+(?:\.\d+)?)\]?")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def agree(old: str, new: str) -> bool:
    """Returns whether the scores that both texts have are equal, and there are some."""
    counted = compare_scores(old, new)
    return set(counted) == {"equal"}


def compare_scores(old: str, new: str) -> Counter[str]:
    """Returns how many scores are equal, as `equal`, and how many of each measure are not."""
    before, now = dict(_scores(old)), dict(_scores(new))
    return Counter(
        "equal" if abs(before[key] - now[key]) < _ROUNDING else re.sub(r"\[.*", "", key[2])
        for key in before.keys() & now.keys()
    )


def _scores(text: str) -> Iterator[tuple[Key, float]]:
    """Yields scores: of trec_eval's lines, or, over all topics, of a table of runs."""
    rows = [[cell.strip() for cell in line.split("\t")] for line in text.splitlines()]
    if any(row[:2] == ["runid", "all"] for row in rows):
        yield from _trec_eval_scores(rows)
        return
    if rows and len(rows[0]) == 1:
        rows = [[cell.strip() for cell in re.split(r"\s{2,}", row[0])] for row in rows]
    head, *others = rows or [[]]
    for run, *cells in (row for row in others if len(row) == len(head) > 1):
        for measure, cell in zip(head[1:], cells, strict=True):
            for end, value in _numbers(cell.rstrip("*")):
                yield (run, "all", f"{measure}{end}"), value


def _trec_eval_scores(rows: list[list[str]]) -> Iterator[tuple[Key, float]]:
    """Yields the scores of lines; those of topics precede the name of their run."""
    run, num_runs = "", 0
    for measure, topic, value in (row for row in rows if len(row) == 3):
        if measure == "runid":
            run, num_runs = value, num_runs + 1
        elif _NUMBER.fullmatch(value):
            is_all = topic == "all"
            yield (run if is_all else f"run {num_runs}", topic, measure), float(value)


def _numbers(cell: str) -> Iterator[tuple[str, float]]:
    """Yields the value of a cell, or its bounds, by what they add to the measure's name."""
    if bounds := _BOUNDS.fullmatch(cell):
        yield from zip(("_lower", "_upper"), map(float, bounds.groups()), strict=True)
    elif _NUMBER.fullmatch(cell):
        yield "", float(cell)
