"""Scores corrected by people's assessments, as text, Markdown, JSON and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from argue_eval.analysis.results import CorrectedScore, Correction, Figure
from argue_eval.errors import some
from argue_eval.report.table_text import Page, fixed, formats, interval, separated


def _document(correction: Correction) -> dict[str, Any]:
    return {
        "format": "argue-eval/assessed/1",
        "assessors": list(correction.assessors),
        "level": correction.level,
        "notes": list(correction.notes),
        "machine": [
            {**each._asdict(), "kind": each.kind.value} for each in correction.calibrations
        ],
        "scores": list(correction.rows()),
    }


def as_table(correction: Correction, separator: str) -> Iterator[str]:
    """Yield a table for machines, a line for each run and measure."""
    rows = list(correction.rows())
    head = list(rows[0]) if rows else []
    return separated(head, [list(row.values()) for row in rows], separator)


# --- pages for people -----------------------------------------------------------------------------


def _page(correction: Correction, page: Page) -> Iterator[str]:
    percent = 100 * (1 - correction.level)
    yield page.line(f"corrected by the assessments of {', '.join(correction.assessors)}")
    yield page.line(
        f"brackets: {percent:g} percent intervals; topics are the independent units. ppi: by "
        f"people and machine (prediction-powered)"
    )
    for note in correction.notes:
        yield page.line(f"note: {note}")
    refused: dict[tuple[str, str], list[str]] = {}
    for measure in dict.fromkeys(each.measure for each in correction.scores):
        scores = [each for each in correction.scores if each.measure == measure]
        is_share = scores[0].unit == "question"
        if any(
            each.ppi.value is not None or (each.people.lower is not None and not is_share)
            for each in scores
        ):
            yield from _measure(measure, scores, page)
        without = [each for each in scores if each.ppi.value is None]
        if len(without) == len(scores):
            runs_by_reason: dict[str, list[str]] = {}
            for each in scores:
                runs_by_reason.setdefault(each.ppi.reason, []).append(each.run_id)
            reasons = "; ".join(f"{why} ({some(runs)})" for why, runs in runs_by_reason.items())
            if len(runs_by_reason) == 1:
                (reasons,) = runs_by_reason
            refused.setdefault((scores[0].unit, reasons), []).append(measure)
            continue
        for reason in dict.fromkeys(each.ppi.reason for each in without):
            runs = [each.run_id for each in without if each.ppi.reason == reason]
            refused.setdefault((measure, reason), []).append(f"{measure} of {some(runs)}")
    yield from _machine(correction, page)
    for (_, reasons), measures in refused.items():
        yield page.line(f"not corrected: {', '.join(measures)}: {reasons}")


FORMATS: dict[str, Callable[[Correction], Iterator[str]]] = {
    "csv": partial(as_table, separator=","),
    **formats(_page, lambda _: "Scores corrected by assessments", _document),
    "tsv": partial(as_table, separator="\t"),
}


def _measure(measure: str, scores: Sequence[CorrectedScore], page: Page) -> Iterator[str]:
    """Yield the table of one measure, the runs in their order."""
    is_share = scores[0].unit == "question"
    yield page.heading(2, f"{measure}, over {scores[0].unit}s")
    head = ["run", "machine", "ppi", "people alone", "lambda", "assessed"]
    rows = [
        [
            each.run_id,
            each.machine,
            _shown(each.ppi),
            _shown(each.people),
            fixed(each.weight, 2),
            f"{each.people.num:,}/{each.num_units:,}",
            *([_shown(each.rogan_gladen)] if is_share else []),
        ]
        for each in scores
    ]
    yield from page.table([*head, "rogan_gladen"] if is_share else head, rows)


def _machine(correction: Correction, page: Page) -> Iterator[str]:
    """Yield how often the machine is right, on which the corrections of shares rest."""
    if not correction.calibrations:
        return
    yield page.heading(2, "the machine, by the assessed questions of all runs")
    rows = [
        (each.kind.value, each.sensitivity, each.num_yes, each.specificity, each.num_no)
        for each in correction.calibrations
    ]
    yield from page.table(["kind", "sensitivity", "yes", "specificity", "no"], rows)


def _shown(figure: Figure | None) -> str:
    if figure is None or (figure.value is None and figure.lower is None):
        return "-"
    return f"{fixed(figure.value)} {interval(figure)}".rstrip()
