"""Length against score: the correlation over topics, and means from the shortest to the longest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum

from argue_eval.records import ScoreTable
from argue_eval.report.tables import column

HEADER = "run_id\tmeasure\tlength\ttopics\tmean\tpearson\n"
SEPARATOR = FOOTER = ""
BOUNDS = "this format has no bounds"

LENGTHS = ("response_words", "character_count", "words_per_bullet")
"""The measures that are a length; the first that the table has is used."""

_NUM_CLASSES = 3

Points = list[tuple[float, float]]
"""The length of each report with its score."""


def render(table: ScoreTable, per_topic: bool) -> Iterator[str]:
    """Yield a line for every ratio, and one for each third of the topics by length.

    The correlation is empty where all lengths or all scores are equal. A topic in which a measure
    is undefined counts 0, as in the mean; one of which nothing was judged is left out.
    """
    topics = [row for row in table.rows if row.topic_id != "all"]
    names = dict.fromkeys(row.measure for row in topics)
    length = next((name for name in LENGTHS if name in names), None)
    if length is None:
        if topics:
            wanted = f"name one beside the others, -m MEASURE -m {LENGTHS[0]}"
            yield f"# no measure of length: {wanted}\n"
        return
    lengths = {row.topic_id: row.value or 0.0 for row in topics if row.measure == length}
    for name in names:
        rows = [row for row in topics if row.measure == name]
        if not rows[0].is_count:
            points = [
                (lengths[row.topic_id], row.value or 0.0)
                for row in rows
                if row.value is not None or row.is_undefined
            ]
            yield from _lines(f"{column(table.run_id)}\t{name}", sorted(points))


def _lines(start: str, points: Points) -> Iterator[str]:
    if not points:
        return
    pearson = _pearson(points)
    yield f"{start}\t{_mean(points)}\t{'' if pearson is None else f'{pearson:.4f}'}\n"
    if len(points) > _NUM_CLASSES:
        for place in range(_NUM_CLASSES):
            first, last = (len(points) * each // _NUM_CLASSES for each in (place, place + 1))
            yield f"{start}\t{_mean(points[first:last])}\t\n"


def _mean(points: Points) -> str:
    """Write the range of lengths, the number of topics and the mean score."""
    shortest, longest = points[0][0], points[-1][0]
    mean = fsum(score for _, score in points) / len(points)
    return f"{_length(shortest)}-{_length(longest)}\t{len(points)}\t{mean:.4f}"


def _length(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def _pearson(points: Sequence[tuple[float, float]]) -> float | None:
    from statistics import StatisticsError, correlation

    try:
        return correlation(*zip(*points, strict=True))
    except StatisticsError:
        return None
