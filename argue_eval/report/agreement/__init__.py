"""Views of a comparison of judges with assessors: one file per layout, each with

* ``render(comparison) -> Iterator[str]``: the lines.

What people read is the same in all layouts: headings, lines and tables, which `parts` yields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from argue_eval.analysis.results import (
    Agreement,
    Bin,
    Comparison,
    Figure,
    Pairs,
    Ranking,
    SystemBias,
)
from argue_eval.records import GRADED_KINDS, Verdict


class Heading(NamedTuple):
    """A heading; level 1 is the highest."""

    level: int
    text: str


class Line(NamedTuple):
    """A line of text."""

    text: str


class Table(NamedTuple):
    """A table. Texts stand in the first column, numbers in the others."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Part = Heading | Line | Table

_GRADED_SUMMARY = (
    "pearson", "linking", "accuracy", "macro_f1", "kappa", "alpha_ordinal", "roc_auc", "system_bias"
)  # fmt: skip
_SUMMARY = (
    "kappa", "accuracy", "balanced_accuracy", "precision", "recall", "f1", "roc_auc", "bias"
)  # fmt: skip
_UNDEFINED = "-"


def parts(comparison: Comparison) -> Iterator[Part]:
    """Yields everything that people are told, in order."""
    if comparison.truth:
        yield Line(f"truth: {', '.join(comparison.truth)}")
    for note in comparison.notes:
        yield Line(f"note: {note}")
    if comparison.num_resamples:
        yield Line(
            "brackets: 95 percent intervals, from "
            f"{comparison.num_resamples} bootstrap resamples of the topics"
        )
    for kind in dict.fromkeys(each.kind for each in comparison.agreements):
        yield from _kind([each for each in comparison.agreements if each.kind is kind])
    if comparison.rankings:
        yield Heading(1, "systems by score files")
        yield _rankings(comparison.rankings)
        for ranking in comparison.rankings:
            yield Heading(2, f"systems by {ranking.measure}")
            yield from _ranking(ranking)


def _kind(agreements: Sequence[Agreement]) -> Iterator[Part]:
    kind = agreements[0].kind
    units = "nuggets in reports" if agreements[0].by_report else "sentence by sentence"
    yield Heading(1, f"{kind.value}: {units}" if kind.value == "covers" else kind.value)
    yield _summary(agreements)
    for each in agreements:
        yield Heading(2, f"{each.judge} on {kind.value}")
        yield from _agreement(each)


def _summary(agreements: Sequence[Agreement]) -> Table:
    """Returns the table of judges, best first, with the figures that some of them has."""
    names = _GRADED_SUMMARY if agreements[0].kind in GRADED_KINDS else _SUMMARY
    found = [{figure.name: figure for figure in each.figures} for each in agreements]
    shown = [
        name
        for name in names
        if any(each[name].value is not None for each in found if name in each)
    ]
    rows = tuple(
        (
            each.judge,
            str(each.counts.matched),
            *(_number(figures[name].value, 3) if figures else _UNDEFINED for name in shown),
        )
        for each, figures in zip(agreements, found, strict=True)
    )
    return Table(("judge", "n", *shown), rows)


def _agreement(each: Agreement) -> Iterator[Part]:
    counts = each.counts
    failed = f" ({counts.failed} of them failed)" if counts.failed else ""
    incomplete = f", {counts.incomplete} not judged to the end" if counts.incomplete else ""
    topics = f" in {each.num_topics} {'topic' if each.num_topics == 1 else 'topics'}"
    yield Line(
        f"{counts.matched} questions judged by both{topics if each.num_topics else ''}, "
        f"{counts.only_truth} by the truth alone{failed}, {counts.only_judge} by the judge alone"
        f"{incomplete}"
    )
    if not each.figures:
        return
    yield Table(("figure", "value", "interval", "n"), tuple(map(_figure, each.figures)))
    yield from _undefined(each.figures)
    yield _confusion(each)
    if each.reliability:
        yield Table(
            ("probability of yes", "n", "mean", "truth says yes"),
            tuple(map(_bin, each.reliability)),
        )
    if each.systems:
        yield Table(
            ("system", "reports", "truth", "judge", "bias", "interval"),
            tuple(map(_system, each.systems)),
        )
    if each.ranking:
        yield Line(
            f"{each.ranking.num_systems} systems by their {each.ranking.measure} over "
            f"{each.ranking.num_topics} topics"
        )
        yield from _ranking(each.ranking)


def _figure(figure: Figure) -> tuple[str, ...]:
    return figure.name, _number(figure.value), _interval(figure), str(figure.num)


def _undefined(figures: Sequence[Figure]) -> Iterator[Line]:
    """Yields why figures are undefined, those with the same reason together."""
    reasons: dict[str, list[str]] = {}
    for figure in figures:
        if figure.value is None:
            reasons.setdefault(figure.reason, []).append(figure.name)
    for reason, names in reasons.items():
        yield Line(f"undefined: {', '.join(names)}: {reason}")


def _confusion(each: Agreement) -> Table:
    verdicts = list(dict.fromkeys(cell.truth for cell in each.confusion))
    numbers = {(cell.truth, cell.judge): cell.num for cell in each.confusion}

    def row(truth: Verdict) -> tuple[str, ...]:
        return f"truth: {truth.value}", *(str(numbers[truth, judge]) for judge in verdicts)

    return Table(
        ("", *(f"judge: {verdict.value}" for verdict in verdicts)), tuple(map(row, verdicts))
    )


def _bin(each: Bin) -> tuple[str, ...]:
    bracket = "[" if each.lower == 0 else "("
    return (
        f"{bracket}{each.lower:.1f}, {each.upper:.1f}]",
        str(each.num),
        _number(each.mean_prob),
        _number(each.share_yes),
    )


def _system(each: SystemBias) -> tuple[str, ...]:
    means = _number(each.truth), _number(each.judge), _number(each.bias.value)
    return each.system, str(each.num_reports), *means, _interval(each.bias)


def _rankings(rankings: Sequence[Ranking]) -> Table:
    names = [figure.name for figure in rankings[0].figures]
    rows = tuple(
        (
            each.measure,
            str(each.num_systems),
            str(each.num_topics),
            *(_number(figure.value, 3) for figure in each.figures),
        )
        for each in rankings
    )
    return Table(("measure", "systems", "topics", *names), rows)


def _ranking(ranking: Ranking) -> Iterator[Part]:
    yield Table(("figure", "value", "interval", "n"), tuple(map(_figure, ranking.figures)))
    yield from _undefined(ranking.figures)
    if ranking.pairs is None:
        yield Line("pairs of systems: not tested, since there are no values by topic")
    else:
        yield Table(("pairs of systems that differ significantly", "n"), _pairs(ranking.pairs))


def _pairs(pairs: Pairs) -> tuple[tuple[str, ...], ...]:
    return (
        ("by truth and judge, in the same direction", str(pairs.both)),
        ("by the truth alone", str(pairs.only_truth)),
        ("by the judge alone", str(pairs.only_judge)),
        ("by both, in opposite directions", str(pairs.opposite)),
        ("by neither", str(pairs.neither)),
        ("not tested: fewer than two topics in common", str(pairs.untested)),
    )


def _number(value: float | None, digits: int = 4) -> str:
    if value is None:
        return _UNDEFINED
    shown = f"{value:.{digits}f}"
    return shown.removeprefix("-") if not float(shown) else shown


def _interval(figure: Figure) -> str:
    if figure.lower is None:
        return ""
    return f"[{_number(figure.lower)}, {_number(figure.upper)}]"
