"""The page of a run: its scores beside those of the track, and what would raise them most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, NamedTuple

from argue_eval.analysis.leaderboard import TopicSpread, by_topic
from argue_eval.analysis.systems import topic_measure
from argue_eval.report.pages import figures
from argue_eval.report.pages.model import ShownReport, ShownSentence, Track, TrackRun, report_of
from argue_eval.report.pages.rendering import score
from argue_eval.report.pages.track import cell_of, scale, strip
from argue_eval.text.lengths import measure

MAX_LISTED = 25
"""Sentences and nuggets named one by one, of each sort."""

_PENALTIES = {
    1: "is not supported by what it cites",
    5: "needs a citation and has none",
    7: "says that something is absent, and no absence nugget agrees",
}


class Gap(NamedTuple):
    """A vital nugget that a report misses."""

    topic_id: str
    question: str


class Flaw(NamedTuple):
    """A sentence that is penalised."""

    topic_id: str
    sentence: ShownSentence
    what: str


def values(track: Track, run: TrackRun) -> dict[str, Any]:
    """What is on the page of a run, which names no other."""
    main = topic_measure(track.board.systems, track.main)
    reached = by_topic(replace(track.board, measures=[main]), run.run_id)
    spreads = {each.topic_id: each for each in reached}
    rows, gains = [], []
    gaps: list[Gap] = []
    flaws: list[Flaw] = []
    for topic_id in track.topic_ids:
        report = report_of(run, topic_id)
        rows.append(_row(track, run, topic_id, report, spreads.get(topic_id)))
        if report is not None:
            missed = _gaps(track, report)
            gaps += missed
            flaws += _flaws(report)
            gains.append(len(missed) / len(track.nuggets[topic_id]) if missed else 0.0)
    entries = track.board.entries[run.run_id]
    cells = [
        (name, cell_of(entries[name], scale(track, name), run.run_id))
        for name in track.board.measures
        if name in entries
    ]
    return {
        "track": track,
        "run": run,
        "cells": cells,
        "num_runs": len(track.runs),
        "rows": rows,
        "tally": figures.stacked(run.tally, width=900) if run.tally else "",
        "gaps": gaps,
        "flaws": flaws,
        "gain": score(fmean(gains)) if gains and gaps else "",
        "max_listed": MAX_LISTED,
    }


def _row(
    track: Track,
    run: TrackRun,
    topic_id: str,
    report: ShownReport | None,
    spread: TopicSpread | None,
) -> dict[str, Any]:
    value = track.value(run, topic_id)
    found: dict[str, Any] = {
        "topic_id": topic_id,
        "request": track.requests.get(topic_id),
        "has_report": report is not None,
        "value": track.shown(run, topic_id) if report is not None else score(value),
        "key": -1 if value is None else value,
        "spread": spread,
        "figure": "",
        "tally": "",
        "length": None,
        "nuggets": "",
    }
    if spread is not None and spread.median is not None:
        label = (
            f"{topic_id}: {score(spread.own)}; best {score(spread.best)}, "
            f"median {score(spread.median)}, worst {score(spread.worst)}"
        )
        found["figure"] = strip(spread, scale(track, track.main), label)
    if report is not None:
        found["tally"] = figures.stacked(run.tallies.get(topic_id, {}), 200) if run.tallies else ""
        found["nuggets"] = _answered(report, len(track.nuggets[topic_id]))
        found["length"] = length_of(track, report)
    return found


def length_of(track: Track, report: ShownReport) -> dict[str, Any] | None:
    """The length of a report against the limit of its request; None without a limit."""
    request = track.requests.get(report.topic_id)
    if request is None or not request.limit:
        return None
    value = measure(report.text, request.limit_unit)
    label = f"{value:,} of {request.limit:,} {request.limit_unit}"
    return {
        "label": label,
        "value": value,
        "is_over": value > request.limit,
        "figure": figures.meter(value, request.limit, label),
    }


def _answered(report: ShownReport, total: int) -> str:
    if report.nuggets:
        number = sum(each.is_correct is True for each in report.nuggets.values())
    elif report.claims:
        number = sum(each.coverage == "yes" or bool(each.is_covered) for each in report.claims)
    else:
        return ""
    return f"{number:,} of {total:,}"


def _gaps(track: Track, report: ShownReport) -> list[Gap]:
    missed = {each.nugget_id for each in report.nuggets.values() if each.is_correct is False}
    missed |= {
        each.nugget_id
        for each in report.claims
        if each.coverage in ("no", "contradicts") or each.is_covered is False
    }
    nuggets = track.nuggets[report.topic_id]
    is_rated = any(each.importance for each in nuggets)
    return [
        Gap(report.topic_id, each.question or each.answers[0].answer)
        for each in nuggets
        if each.nugget_id in missed and (each.importance == "vital" or not is_rated)
    ]


def _flaws(report: ShownReport) -> Sequence[Flaw]:
    return [
        Flaw(report.topic_id, each, _PENALTIES[each.unit.outcome])
        for each in report.sentences
        if each.unit and each.unit.outcome in _PENALTIES
    ]
