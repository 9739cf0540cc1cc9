"""A comparison of judges with assessors, as text, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from argue_eval.analysis.results import (
    Agreement,
    Figure,
    LabelAgreement,
    MetaEvaluation,
    Panel,
    Ranking,
)
from argue_eval.errors import count
from argue_eval.records import Verdict
from argue_eval.report.table_text import Cells, Page, fixed, formats, interval

if TYPE_CHECKING:
    from argue_eval.formats.calibrations import JudgeCalibration

_GRADED_SUMMARY = (
    "pearson", "linking", "accuracy", "macro_f1", "kappa", "alpha_ordinal", "roc_auc", "system_bias"
)  # fmt: skip
_SUMMARY = (
    "kappa", "accuracy", "balanced_accuracy", "precision", "recall", "f1", "roc_auc", "bias"
)  # fmt: skip
_STEP = 0.08
"""Of the share answered, between the points of a curve that are shown."""


def _document(comparison: MetaEvaluation) -> dict[str, Any]:
    import msgspec

    return {
        "format": "argue-eval/agreement/1",
        "truth": list(comparison.truth),
        "num_resamples": comparison.num_resamples,
        "notes": list(comparison.notes),
        "agreements": [_as_object(each) for each in comparison.agreements],
        "rankings": [_as_object(each) for each in comparison.rankings],
        "panels": [_as_object(each) for each in comparison.panels],
        "labels": _as_object(comparison.labels),
        "calibrations": msgspec.to_builtins(comparison.calibrations),
    }


def _page(comparison: MetaEvaluation, page: Page) -> Iterator[str]:
    """Yield a table of judges for each kind of question, the best first, then their figures."""
    if comparison.truth:
        yield page.line(f"truth: {', '.join(comparison.truth)}")
    for note in comparison.notes:
        yield page.line(f"note: {note}")
    if comparison.num_resamples:
        yield page.line(
            "brackets: 95 percent intervals, from "
            f"{comparison.num_resamples:,} bootstrap resamples of the topics"
        )
    for kind in dict.fromkeys(each.kind for each in comparison.agreements):
        yield from _kind(page, [each for each in comparison.agreements if each.kind is kind])
    for panel in comparison.panels:
        yield from _panel(page, panel)
    for calibration in comparison.calibrations:
        yield from _calibration(page, calibration)
    if comparison.labels:
        yield page.heading(1, "relevance labels")
        yield from _labels(page, comparison.labels)
    if comparison.rankings:
        yield page.heading(1, "systems by score files")
        yield from _rankings(page, comparison.rankings)
        for ranking in comparison.rankings:
            yield page.heading(2, f"systems by {ranking.measure}")
            yield from _ranking(page, ranking)


FORMATS = formats(_page, lambda _: "Agreement of judges with assessors", _document)


def _kind(page: Page, agreements: Sequence[Agreement]) -> Iterator[str]:
    kind = agreements[0].kind
    units = "nuggets in reports" if agreements[0].by_report else "sentence by sentence"
    yield page.heading(1, f"{kind.value}: {units}" if kind.value == "covers" else kind.value)
    yield from _summary(page, agreements)
    for each in agreements:
        yield page.heading(2, f"{each.judge} on {kind.value}")
        yield from _agreement(page, each)


def _summary(page: Page, agreements: Sequence[Agreement]) -> Iterator[str]:
    """Yield the table of judges, best first, with the figures that at least one of them has."""
    is_graded = any(
        cell.num for each in agreements for cell in each.confusion
        if Verdict.PARTIAL in (cell.truth, cell.judge)
    )  # fmt: skip
    names = _GRADED_SUMMARY if is_graded else _SUMMARY
    found = [{figure.name: figure for figure in each.figures} for each in agreements]
    has_value = {
        name for figures in found for name, each in figures.items() if each.value is not None
    }
    shown = [name for name in names if name in has_value]
    rows: list[Cells] = [
        [
            each.judge,
            each.counts.matched,
            *(fixed(figures[name].value, 3) if figures else "-" for name in shown),
        ]
        for each, figures in zip(agreements, found, strict=True)
    ]
    yield from page.table(("judge", "n", *shown), rows)


def _agreement(page: Page, each: Agreement) -> Iterator[str]:
    counts = each.counts
    failed = f" ({counts.failed:,} of them failed)" if counts.failed else ""
    incomplete = f", {counts.incomplete:,} not fully judged" if counts.incomplete else ""
    topics = f" in {count(each.num_topics, 'topic')}"
    yield page.line(
        f"{counts.matched:,} questions judged by both{topics if each.num_topics else ''}, "
        f"{counts.only_truth:,} by the truth alone{failed}, "
        f"{counts.only_judge:,} by the judge alone{incomplete}"
    )
    if not each.figures:
        return
    yield from _figures(page, each.figures)
    yield from _confusion(page, each)
    if each.reliability:
        bins: list[Cells] = [
            (
                f"{'[' if row.lower == 0 else '('}{row.lower:.1f}, {row.upper:.1f}]",
                *(row.num, row.mean_prob, row.share_yes),
            )
            for row in each.reliability
        ]
        yield from page.table(("probability of yes", "n", "mean", "truth says yes"), bins)
    if each.systems:
        systems = [
            (row.system, row.num_reports, row.truth, row.judge, row.bias.value, interval(row.bias))
            for row in each.systems
        ]
        head = ("system", "reports", "truth", "judge", "bias", "interval")
        yield from page.table(head, systems)
    if each.ranking:
        yield page.line(
            f"{each.ranking.num_systems:,} systems by their {each.ranking.measure} over "
            f"{count(each.ranking.num_topics, 'topic')}"
        )
        yield from _ranking(page, each.ranking)


def _figures(page: Page, figures: Sequence[Figure]) -> Iterator[str]:
    """Yield figures, and why some are undefined, those with the same reason together."""
    rows = [(each.name, each.value, interval(each), each.num) for each in figures]
    yield from page.table(("figure", "value", "interval", "n"), rows)
    reasons: dict[str, list[str]] = {}
    for figure in figures:
        if figure.value is None:
            reasons.setdefault(figure.reason, []).append(figure.name)
    for reason, names in reasons.items():
        yield page.line(f"undefined: {', '.join(names)}: {reason}")


def _confusion(page: Page, each: Agreement) -> Iterator[str]:
    verdicts = list(dict.fromkeys(cell.truth for cell in each.confusion))
    numbers = {(cell.truth, cell.judge): cell.num for cell in each.confusion}
    head = ("", *(f"judge: {verdict.value}" for verdict in verdicts))
    rows: list[Cells] = [
        (f"truth: {truth.value}", *(numbers[truth, judge] for judge in verdicts))
        for truth in verdicts
    ]
    yield from page.table(head, rows)


def _rankings(page: Page, rankings: Sequence[Ranking]) -> Iterator[str]:
    names = [figure.name for figure in rankings[0].figures]
    rows: list[Cells] = [
        [
            *(each.measure, each.num_systems, each.num_topics),
            *(fixed(figure.value, 3) for figure in each.figures),
        ]
        for each in rankings
    ]
    yield from page.table(("measure", "systems", "topics", *names), rows)


def _ranking(page: Page, ranking: Ranking) -> Iterator[str]:
    yield from _figures(page, ranking.figures)
    pairs = ranking.pairs
    if pairs is None:
        yield page.line("pairs of systems: not tested, since there are no values by topic")
        return
    rows = [
        ("by truth and judge, in the same direction", pairs.both),
        ("by the truth alone", pairs.only_truth),
        ("by the judge alone", pairs.only_judge),
        ("by both, in opposite directions", pairs.opposite),
        ("by neither", pairs.neither),
        ("not tested: fewer than two topics in common", pairs.untested),
    ]
    yield from page.table(("pairs of systems that differ significantly", "n"), rows)


def _panel(page: Page, panel: Panel) -> Iterator[str]:
    yield page.heading(1, f"{panel.kind.value}: {len(panel.judges)} judges among themselves")
    yield page.line(
        f"{panel.num:,} questions answered by two or more, in {count(panel.num_topics, 'topic')}; "
        "accuracy and kappa are means over the pairs of judges, alpha is over all judges"
    )
    yield from _figures(page, panel.figures)
    head = ["pair", "n"]
    for name in (figure.name for figure in panel.pairs[0].figures):
        head += [name, "interval"]
    rows: list[Cells] = [
        (
            *(f"{pair.first} - {pair.second}", pair.num),
            *(cell for each in pair.figures for cell in (each.value, interval(each))),
        )
        for pair in panel.pairs
    ]
    yield from page.table(head, rows)


def _calibration(page: Page, found: JudgeCalibration) -> Iterator[str]:
    yield page.heading(1, f"calibration of {found.judge} on {found.kind.value}")
    yield page.line(
        f"{count(found.num, 'question')}, {found.num_yes:,} of them yes; probabilities are the "
        f"calibrated ones, with slope {fixed(found.slope)} and intercept {fixed(found.intercept)}"
    )
    accuracy, thresholds = found.balanced_accuracy, found.thresholds
    rows = [
        ("balanced accuracy of the judge's verdicts", accuracy.before),
        ("balanced accuracy of calibrated ones, cross-validated", accuracy.after),
        ("yes from this probability on", thresholds.yes),
    ]
    if thresholds.partial is not None:
        rows.append(("partial from this probability on", thresholds.partial))
    yield from page.table(("yes against the rest", "value"), rows)
    shares: list[Cells] = []
    last = 2.0
    for point in found.curve:
        is_sure = point.sure == found.sure
        if is_sure or last - point.share >= _STEP:
            last = point.share
            figures = (*point.sure, point.agreement, point.balanced_accuracy)
            shares.append((f"{point.share:.2f}", *figures, "--sure" if is_sure else ""))
    head = ("answered", "no up to", "yes from", "agreement", "balanced accuracy", "")
    yield from page.table(head, shares)
    if found.sure is None:
        yield page.line("no limits for --sure: the judge is not sure of enough questions")


def _labels(page: Page, labels: LabelAgreement) -> Iterator[str]:
    yield page.line(
        f"{count(labels.num, 'document')} compared in {count(len(labels.topics), 'topic')}; "
        f"{labels.only_truth:,} labelled by the truth alone, {labels.only_judge:,} by the judge "
        "alone; figures are means over the n topics in which they are defined"
    )
    yield from _figures(page, labels.figures)


def _as_object(value: Any) -> Any:
    """Turn records into objects: figures by name, each with a reason only if it is undefined."""
    if isinstance(value, Figure):
        has_value = value.value is not None
        left_out = ("name", "reason") if has_value else ("name",)
        return {key: each for key, each in value._asdict().items() if key not in left_out}
    if hasattr(value, "_asdict"):
        table = {key: _as_object(each) for key, each in value._asdict().items()}
        if isinstance(table.get("figures"), list):
            table["figures"] = {each.name: _as_object(each) for each in value.figures}
        return table
    return [_as_object(each) for each in value] if isinstance(value, tuple) else value
