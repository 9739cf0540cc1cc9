"""A comparison of systems, as text, as Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from argue_eval.errors import count
from argue_eval.report.table_text import Page, fixed, formats, interval

if TYPE_CHECKING:
    from argue_eval.analysis.comparing import ComparisonOptions, SystemComparison

MAX_PAIRS = 45
"""The pages for people list no more pairs: those of ten systems."""
MAX_MATRIX = 40

_INTERVALS = {"bca": "BCa bootstrap", "studentized": "bootstrap-t", "normal": "Student's"}
_TESTS = {
    "t": "paired t-test",
    "randomization": "paired randomisation test",
    "wilcoxon": "Wilcoxon's signed-rank test",
}
_CORRECTIONS = {
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction",
    "none": "no correction",
}


def as_json(comparison: SystemComparison) -> Iterator[str]:
    """Yield one JSON document with all pairs, at full precision."""
    options = comparison.options
    head = {
        "format": "argue-eval/comparison/1",
        "measure": comparison.measure,
        "num_topics": len(comparison.topic_ids),
        "test": options.test,
        "correction": options.correction,
        "interval": options.interval,
        "num_resamples": options.num_resamples,
        "seed": options.seed,
        "level": options.level,
        "power": options.power,
        "population": options.population,
        "baseline": comparison.baseline or None,
        "notes": list(comparison.notes),
    }
    yield json.dumps(head, indent=1)[:-2] + ',\n "systems": '
    yield from _listed(comparison.rows())
    yield ',\n "pairs": '
    yield from _listed(comparison.rows(of_pairs=True))
    yield "\n}\n"


def in_words(options: ComparisonOptions) -> tuple[str, str]:
    """Say what the intervals of systems are, and which tests decide."""
    percent = 100 * (1 - options.level)
    return (
        f"{percent:g} percent intervals over topics ({_INTERVALS[options.interval]})",
        f"{_TESTS[options.test]} over topics, {_CORRECTIONS[options.correction]}, "
        f"level {options.level:g}",
    )


def _listed(objects: Iterator[dict[str, Any]]) -> Iterator[str]:
    """Yield a JSON list, an object on each line."""
    start = "["
    for each in objects:
        yield f"{start}\n  {json.dumps(each, allow_nan=False)}"
        start = ","
    yield "[]" if start == "[" else "\n ]"


# --- pages for people -----------------------------------------------------------------------------


def _page(comparison: SystemComparison, page: Page) -> Iterator[str]:
    options = comparison.options
    what = "ratio of the sums" if comparison.is_of_sums else "mean"
    yield page.line(
        f"{comparison.measure}: {what} over {count(len(comparison.topic_ids), 'topic')}, "
        f"{len(comparison.run_ids):,} runs"
    )
    of_runs, tests = in_words(options)
    yield page.line(f"brackets: {of_runs}")
    yield page.line(f"pairs: {tests}, {comparison.num_pairs:,} in all")
    for note in comparison.notes:
        yield page.line(f"note: {note}")
    yield from _systems(comparison, page)
    if comparison.baseline or comparison.num_pairs <= MAX_PAIRS:
        yield from _pairs(comparison, page)
    elif len(comparison.run_ids) <= MAX_MATRIX:
        yield from _matrix(comparison, page)
    if comparison.num_pairs > MAX_PAIRS:
        yield page.line(f"all {comparison.num_pairs:,} pairs: --json, or --baseline RUN")


FORMATS = {
    "json": as_json,
    **formats(_page, lambda comparison: f"Systems by {comparison.measure}"),
}


def _systems(comparison: SystemComparison, page: Page) -> Iterator[str]:
    rows = []
    for place in comparison.systems():
        row = [place.run_id, place.mean.value, interval(place.mean), place.rank]
        if place.ranks and place.groups:
            row += [_range(place.ranks), _range(place.groups)]
        rows.append(row)
    name = "ratio" if comparison.is_of_sums else "mean"
    head = ["run", name, "interval", "rank", *(() if comparison.baseline else ("ranks", "group"))]
    yield from page.table(head, rows)
    if not comparison.baseline:
        yield page.line("group: no two runs of a group differ. ranks: those that the tests allow.")


def _pairs(comparison: SystemComparison, page: Page) -> Iterator[str]:
    rows = [
        [
            f"{pair.first} - {pair.second}",
            pair.difference.value,
            interval(pair.difference),
            fixed(pair.effect.value, 2),
            f"{pair.won}/{pair.tied}/{pair.lost}",
            _p_value(pair.p_value),
            _p_value(pair.adjusted),
            pair.topics_needed,
        ]
        for pair in islice(comparison.pairs(), MAX_PAIRS)
    ]
    head = ["pair", "difference", "interval", "effect", "won/tied/lost", "p", "adjusted", "needed"]
    yield from page.table(head, rows)
    power = comparison.options.power
    yield page.line("effect: the difference in standard deviations of the differences")
    yield page.line(f"needed: topics that would show it with a power of {power:g}, uncorrected")


def _matrix(comparison: SystemComparison, page: Page) -> Iterator[str]:
    run_ids = comparison.run_ids
    numbers = [str(place + 1) for place in range(len(run_ids))]
    rows = []
    for place, run_id in enumerate(run_ids):
        signs = [
            "" if other == place
            else "." if not comparison.differs(run_id, run_ids[other])
            else ">" if place < other else "<"
            for other in range(len(run_ids))
        ]  # fmt: skip
        rows.append([f"{numbers[place]} {run_id}", *signs])
    yield from page.table(["", *numbers], rows)
    yield page.line("> is significantly better, < worse; . cannot be told apart.")


def _range(ends: tuple[int, int]) -> str:
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}-{ends[1]}"


def _p_value(value: float | None) -> str:
    if value is None:
        return "-"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
