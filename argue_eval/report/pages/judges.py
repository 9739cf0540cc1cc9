"""The page of the judges: how far they agree with the assessors, and where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from argue_eval.analysis import agreement
from argue_eval.analysis.agreement import Job
from argue_eval.analysis.agreement.matching import by_question
from argue_eval.analysis.agreement.reading import Judge, Key, Material, Said
from argue_eval.analysis.agreement.reading import read as read_material
from argue_eval.analysis.results import Agreement, Figure
from argue_eval.errors import Finding
from argue_eval.formats.processes import Progress
from argue_eval.records import GRADED_KINDS, Kind, nfc
from argue_eval.report.pages import figures
from argue_eval.report.pages.model import Track, TrackRun

MAX_LISTED = 200
"""Disagreements that are listed for a judge and kind: those of which it was surest."""

_Differing = tuple[Key, Said, Said]
"""A question, and what truth and judge say to it."""

_SHOWN = (
    "kappa", "accuracy", "precision", "recall", "f1", "roc_auc", "bias", "pearson", "macro_f1"
)  # fmt: skip


def values(
    track: Track,
    runs: Sequence[TrackRun],
    truth: Sequence[str],
    warnings: list[Finding],
    progress: Progress | None = None,
) -> dict[str, Any]:
    """What is on the page of the judges.

    Args:
        runs: those whose sentences the judges judged.
        truth: files of the assessors' judgments.

    Raises:
        InputError: a file has errors, or both sides have nothing in common.
    """
    job = Job(
        judgments=[str(run.judgments.path) for run in runs],
        truth=truth,
        runs=[str(run.reports.path) for run in runs],
    )
    found = agreement.compare(job, warnings, progress)
    material = read_material(job, [])
    judges = {each.name: each for each in material.judges}
    kinds: dict[str, list[dict[str, Any]]] = {}
    for each in found.agreements:
        if each.figures:
            told = _told_apart(material, judges[each.judge], each.kind)
            shown = [_disagreement(track, material, each.kind, one) for one in told[:MAX_LISTED]]
            kinds.setdefault(each.kind.value, []).append(_of_judge(each, shown, len(told)))
    return {
        "track": track,
        "truth": found.truth,
        "notes": found.notes,
        "kinds": kinds,
        "num_resamples": found.num_resamples,
        "max_listed": MAX_LISTED,
    }


def _of_judge(each: Agreement, shown: list[dict[str, Any]], num: int) -> dict[str, Any]:
    named = {figure.name: figure for figure in each.figures}
    wanted = ("pearson", "macro_f1", "accuracy", "kappa") if each.kind in GRADED_KINDS else _SHOWN
    verdicts = list(dict.fromkeys(cell.truth.value for cell in each.confusion))
    cells = {(cell.truth.value, cell.judge.value): cell.num for cell in each.confusion}
    return {
        "judge": each.judge,
        "num": each.counts.matched,
        "figures": [_shown(named[name]) for name in wanted if name in named],
        "verdicts": verdicts,
        "cells": cells,
        "most": max(cells.values(), default=1) or 1,
        "curve": figures.reliability(each.reliability, f"{each.judge} on {each.kind.value}"),
        "disagreements": shown,
        "num_disagreements": num,
    }


def _shown(figure: Figure) -> tuple[str, str, str]:
    value = "-" if figure.value is None else f"{figure.value:.3f}"
    has_interval = figure.lower is not None and figure.upper is not None
    return figure.name, value, f"{figure.lower:.2f} to {figure.upper:.2f}" if has_interval else ""


def _told_apart(material: Material, judge: Judge, kind: Kind) -> list[_Differing]:
    """What truth and judge answer differently, with both answers; what it is surest of first."""
    right, own = (by_question(kind, each, material.reports) for each in (material.truth, judge))
    found = [
        (key, right[key], said)
        for key, said in own.items()
        if key in right and right[key][0] is not said[0]
    ]
    return sorted(found, key=lambda each: _sureness(each[2][1]), reverse=True)


def _sureness(prob: float | None) -> float:
    return 0.0 if prob is None else abs(prob - 0.5)


def _disagreement(
    track: Track, material: Material, kind: Kind, differing: _Differing
) -> dict[str, Any]:
    """A question that judge and truth answer differently, with a run that has the sentence."""
    key, (truth, _), (verdict, prob) = differing
    topic_id, place, target = key
    reports = material.reports
    text = place if isinstance(place, str) else reports.text(topic_id, place) or ""
    places = reports.places(topic_id, place) if isinstance(place, str) else [place]
    run_id, index = next(iter(places), ("", None))
    run = next((each for each in track.runs if each.run_id == run_id), None)
    return {
        "topic_id": topic_id,
        "text": text,
        "about": _about(track, topic_id, kind, target),
        "truth": truth.value,
        "judge": verdict.value,
        "prob": prob,
        "rationale": _rationale(run, key, kind, text) if run else "",
        "run": run,
        "index": -1 if index is None else index,
    }


def _about(track: Track, topic_id: str, kind: Kind, target: str | tuple[str, str]) -> str:
    if kind in (Kind.SUPPORT, Kind.RELEVANT):
        return str(target)
    nugget_id, answer = (target, "") if isinstance(target, str) else target
    nuggets = {each.nugget_id: each for each in track.nuggets.get(topic_id, ())}
    if nugget_id not in nuggets:
        return f"{nugget_id} {answer}".strip()
    question = nuggets[nugget_id].question
    if question is None:
        return answer or nuggets[nugget_id].answers[0].answer
    return f"{question} {answer}".strip()


def _rationale(run: TrackRun, key: Key, kind: Kind, text: str) -> str:
    topic_id, _, target = key
    for each in run.judgments.of(topic_id):
        about: str | tuple[str, str] = each.doc_id or each.nugget_id
        if each.answer:
            about = (each.nugget_id, each.answer)
        is_same = each.kind == kind.value and about == target
        if is_same and nfc((each.sentence or "").strip()) == text:
            return each.rationale
    return ""
