"""The page of the track: leaderboard, topics, outcomes, judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from math import ceil, floor
from typing import Any

from markupsafe import Markup

from argue_eval.analysis.leaderboard import Entry, TopicSpread, by_topic
from argue_eval.errors import count
from argue_eval.report.pages import figures
from argue_eval.report.pages.model import Track, TrackRun
from argue_eval.report.pages.rendering import score

_PLANES = (
    ("sentence_precision", "nugget_recall"),
    ("sentence_support", "nugget_coverage"),
    ("sentence_support_macro", "nugget_coverage_macro"),
    ("kpp", "kpr"),
    ("citation_score", "coverage"),
)
"""Pairs of measures of which the first that is there is drawn."""
_WITH_F1 = _PLANES[:-1]
"""Those which are precision and recall."""

_MAX_IN_PLANE = 200


def values(track: Track, *, has_judges: bool) -> dict[str, Any]:
    """What is on the page of the track.

    Args:
        has_judges: there is a page that compares the judges with assessors.
    """
    return {
        "track": track,
        "tiles": _tiles(track),
        "rows": [_row(track, run) for run in track.runs],
        "measures": track.board.measures,
        "axes": [figures.axis(*window(track, name)) for name in track.board.measures],
        "plane": _plane(track),
        "outcomes": [
            (run, figures.stacked(run.tally, width=480)) for run in track.runs if run.tally
        ],
        "heat": heat_rows(track),
        "topics": _difficulty(track),
        "judges": _judges(track),
        "has_judges": has_judges,
        "data": _cells(track),
    }


def _tiles(track: Track) -> list[tuple[str, str]]:
    reports = sum(len(run.reports.keys) for run in track.runs)
    sentences = sum(sum(run.tally.values()) for run in track.runs)
    unjudged = sum(run.about.num_unjudged for run in track.runs)
    counted = {"run": len(track.runs), "topic": len(track.topic_ids), "report": reports}
    if sentences:
        counted["sentence"] = sentences
    found = [tuple(count(number, noun).split()) for noun, number in counted.items()]
    number, noun = count(unjudged, "unit").split()
    return [*((number, noun) for number, noun in found), (number, f"{noun} unjudged")]


def scale(track: Track, measure: str) -> tuple[float, float]:
    """The ends of the figures of a measure: 0 and 1 where all values are shares."""
    if measure not in track.scales:
        track.scales[measure] = _ends(track, measure)
    return track.scales[measure]


def _ends(track: Track, measure: str) -> tuple[float, float]:
    entries = (each[measure] for each in track.board.entries.values() if measure in each)
    ends = [end for each in entries for end in (each.average.lower, each.average.upper)]
    ends += [value for topics in track.values(measure).values() for value in topics.values()]
    least, most = min(ends, default=0.0), max(ends, default=1.0)
    return (0.0, 1.0) if least >= 0 and most <= 1 else (min(0.0, least), max(0.0, most))


def window(track: Track, measure: str) -> tuple[float, float]:
    """The ends of the leaderboard's figures: narrower than the scale where the runs are alike."""
    ends = []
    for entries in track.board.entries.values():
        if entry := entries.get(measure):
            ends += [entry.average.lower, entry.average.upper, *(entry.interval or ())]
    low, high = scale(track, measure)
    step = (high - low) / 20
    if not ends or max(ends) - min(ends) > (high - low) / 2:
        return low, high
    return (
        max(low, low + (floor((min(ends) - low) / step) - 1) * step),
        min(high, low + (ceil((max(ends) - low) / step) + 1) * step),
    )


def share(value: float | None, ends: tuple[float, float]) -> float | None:
    """Where a value stands between the ends of a scale."""
    return None if value is None else (value - ends[0]) / ((ends[1] - ends[0]) or 1.0)


def strip(
    spread: TopicSpread, ends: tuple[float, float], label: str, others: Iterable[float] = ()
) -> Markup:
    """What the runs reach on a topic, and what the run does that the spread is about."""
    reached = (spread.worst, spread.median, spread.best)
    low, middle, high, *dots = (share(each, ends) or 0.0 for each in (*reached, *others))
    return figures.strip(low, middle, high, label, others=dots, own=share(spread.own, ends))


def _row(track: Track, run: TrackRun) -> dict[str, Any]:
    entries = track.board.entries[run.run_id]
    cells = []
    for measure in track.board.measures:
        entry = entries.get(measure)
        cells.append(None if entry is None else cell_of(entry, window(track, measure), run.run_id))
    return {"run": run, "cells": cells}


def cell_of(entry: Entry, ends: tuple[float, float], run_id: str) -> dict[str, Any]:
    """A value with its interval as it is shown, and its figure."""
    row = entry.average
    is_open = row.value is None and row.is_bounded
    bar = (row.lower, row.upper) if row.is_bounded else entry.interval or (None, None)
    value = None if is_open else row.value or 0.0
    lower, upper = (share(each, ends) for each in bar)
    shown = score(value) if not is_open else f"{score(row.lower)} to {score(row.upper)}"
    kind = "bounds" if row.is_bounded else "interval"
    around = "" if bar[0] is None or is_open else f"{score(bar[0])} to {score(bar[1])}"
    label = f"{run_id}: {shown}" + (f", {kind} {around}" if around else "")
    return {
        "shown": shown,
        "key": row.lower if is_open else value,
        "is_open": is_open,
        "around": around,
        "rank": entry.rank,
        "ranks": entry.ranks,
        "figure": figures.interval(share(value, ends), lower, upper, label, is_open=row.is_bounded),
    }


def _plane(track: Track) -> dict[str, Any] | None:
    for x_name, y_name in _PLANES:
        points = []
        for run in track.runs[:_MAX_IN_PLANE]:
            entries = track.board.entries[run.run_id]
            x, y = (entries.get(name) for name in (x_name, y_name))
            if x and y and x.average.value is not None and y.average.value is not None:
                points.append(figures.Point(x.average.value, y.average.value, run.run_id))
        if points:
            left_out = len(track.runs) - len(points)
            has_f1 = (x_name, y_name) in _WITH_F1
            return {
                "title": "Precision against recall" if has_f1 else f"{y_name} against {x_name}",
                "figure": figures.scatter(points, x_name, y_name, has_f1=has_f1),
                "left_out": left_out,
            }
    return None


def _difficulty(track: Track) -> list[dict[str, Any]]:
    """The topics from the hardest to the easiest, by the median of the runs.

    Those in which missing judgments leave the value of any run open are left out.
    """
    values_of = track.values(track.main)
    ends = scale(track, track.main)
    found = []
    for each in by_topic(replace(track.board, measures=[track.main])):
        if each.median is None:
            continue
        reached = {
            run_id: topics[each.topic_id]
            for run_id, topics in values_of.items()
            if each.topic_id in topics
        }
        label = (
            f"{each.topic_id}: from {score(each.worst)} to {score(each.best)}, "
            f"median {score(each.median)}"
        )
        found.append(
            {
                **each._asdict(),
                "best_run": track.run(next(run for run in reached if reached[run] == each.best)),
                "figure": strip(each, ends, label, islice(reached.values(), 100)),
            }
        )
    return sorted(found, key=lambda each: each["median"])


def _cells(track: Track) -> dict[str, Any]:
    """The values of all measures, by run and topic, for the heat map."""
    values = {}
    for measure in track.board.measures:
        found = track.values(measure)
        values[measure] = [
            [_rounded(found[run.run_id].get(topic_id)) for topic_id in track.topic_ids]
            for run in track.runs
        ]
    return {
        "values": values,
        "ends": {measure: scale(track, measure) for measure in track.board.measures},
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _judges(track: Track) -> dict[str, Any]:
    judged = sum((run.judged for run in track.runs), Counter[tuple[str, str]]())
    reasons: Counter[tuple[str, str, str]] = Counter()
    for run in track.runs:
        for each in run.about.unjudged:
            key = (str(each.get("kind")), str(each.get("judge")), str(each.get("reason")))
            reasons[key] += int(each.get("questions", 0))
    return {
        "judged": sorted(judged.items(), key=lambda each: (each[0][0], -each[1])),
        "reasons": reasons.most_common(20),
        "num_unjudged": sum(run.about.num_unjudged for run in track.runs),
    }


def heat(share_: float | None) -> str:
    """The class of a cell's colour."""
    return "qx" if share_ is None else f"q{min(9, max(0, int(share_ * 10)))}"


def heat_rows(track: Track) -> Sequence[tuple[TrackRun, list[tuple[str, str, str]]]]:
    """The cells of the heat map by the main measure: topic, class and text."""
    ends = scale(track, track.main)
    found = []
    for run in track.runs:
        cells = []
        for topic_id in track.topic_ids:
            value = _rounded(track.value(run, topic_id))
            cells.append((topic_id, heat(share(value, ends)), score(value)))
        found.append((run, cells))
    return found
