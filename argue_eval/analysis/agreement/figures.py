"""All figures of one judge on one kind of question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from argue_eval.analysis.agreement import bias, probabilities
from argue_eval.analysis.agreement import verdicts as _verdicts
from argue_eval.analysis.agreement.bootstrap import Draws, Floats, by_topic, figure, ratio
from argue_eval.analysis.agreement.matching import Matched, num_verdicts
from argue_eval.analysis.agreement.probabilities import NUM_BINS, Tick
from argue_eval.analysis.agreement.reading import Reports
from argue_eval.analysis.agreement.results import Agreement, Bin, Cell, Figure
from argue_eval.analysis.agreement.systems import rank
from argue_eval.records import Kind, Verdict

_VERDICTS = {
    2: (Verdict.NO, Verdict.YES),
    3: (Verdict.NO, Verdict.PARTIAL, Verdict.YES),
}
_ONE_VERDICT = "both give one and the same verdict throughout"
_FIGURES = (
    ("accuracy", _verdicts.accuracy, ""),
    ("balanced_accuracy", _verdicts.balanced_accuracy, "the truth has one verdict only"),
    ("precision", _verdicts.precision, "the judge never says yes"),
    ("recall", _verdicts.recall, "the truth never says yes"),
    ("f1", _verdicts.f1, "nobody says yes"),
)
_GRADED_FIGURES = (("macro_f1", _verdicts.macro_f1, ""),)
_CHANCE_FIGURES = (
    ("kappa", _verdicts.kappa, _ONE_VERDICT),
    ("alpha", _verdicts.alpha, _ONE_VERDICT),
)
_GRADED_CHANCE_FIGURES = (
    ("kappa_linear", _verdicts.kappa_linear, _ONE_VERDICT),
    ("alpha_ordinal", _verdicts.alpha_ordinal, _ONE_VERDICT),
    ("pearson", _verdicts.pearson, "one side gives one verdict throughout"),
)


def agreement(
    matched: Matched, reports: Reports, num_resamples: int, tick: Tick | None = None
) -> Agreement:
    """Returns all figures of one judge on one kind of question."""
    kind, pairs = matched.kind, matched.pairs
    if not pairs:
        return Agreement(kind, matched.judge, matched.by_report, 0, matched.counts, (), ())
    topic_ids = {name: place for place, name in enumerate(sorted({p.topic_id for p in pairs}))}
    topics = np.array([topic_ids[pair.topic_id] for pair in pairs], dtype=np.int64)
    drawn = Draws(len(topic_ids), num_resamples if len(topic_ids) > 1 else 0)
    verdicts = _VERDICTS[num_verdicts(kind)]
    counts = _counts(matched, topics, drawn, verdicts)
    is_graded = len(verdicts) > 2
    figures = [
        figure(name, compute(counts), topics, reason)
        for name, compute, reason in (
            *_FIGURES,
            *(_GRADED_FIGURES if is_graded else ()),
            *_CHANCE_FIGURES,
            *(_GRADED_CHANCE_FIGURES if is_graded else ()),
        )
    ]
    if kind is Kind.COVERS:
        figures.append(_linking(matched, topics, drawn))
    probs, reliability = _probability_figures(matched, topics, drawn, tick)
    figures += probs
    by_run = bias.report_means(matched, topic_ids)
    systems = bias.systems_of(by_run, reports)
    figures.append(_bias_overall(matched, topics, drawn))
    mean, biases = bias.by_system(by_run, systems, drawn)
    units = by_run if matched.by_report else bias.sentence_means(matched, topic_ids)
    figures += [mean, *bias.by_length(matched, units, reports, drawn)]
    return Agreement(
        kind,
        matched.judge,
        matched.by_report,
        len(topic_ids),
        matched.counts,
        tuple(figures),
        _confusion(counts[0], verdicts),
        reliability,
        biases,
        rank(by_run, systems, drawn),
    )


def _counts(matched: Matched, topics: Floats, drawn: Draws, verdicts: Sequence[Verdict]) -> Floats:
    """Returns the confusion counts for every weighting: (weightings, truth, judge)."""
    code = {verdict: place for place, verdict in enumerate(verdicts)}
    size = len(verdicts)
    cells = np.array([code[pair.truth] * size + code[pair.judge] for pair in matched.pairs])
    num_topics = drawn.num_topics
    by_cell = np.bincount(topics * size**2 + cells, minlength=num_topics * size**2)
    return drawn.sums(by_cell.reshape(num_topics, size**2)).reshape(-1, size, size)


def _confusion(counts: Floats, verdicts: Sequence[Verdict]) -> tuple[Cell, ...]:
    return tuple(
        Cell(truth, judge, int(counts[row, column]))
        for row, truth in enumerate(verdicts)
        for column, judge in enumerate(verdicts)
    )


def _linking(matched: Matched, topics: Floats, drawn: Draws) -> Figure:
    """Returns how often both name the same bullet, where both cover and each names exactly one."""
    linked = np.array([None not in pair.links for pair in matched.pairs])
    same = np.array([pair.links[0] == pair.links[1] for pair in matched.pairs]) & linked
    sums = drawn.sums(by_topic(topics, np.stack([same, linked], axis=1), drawn.num_topics))
    reason = "there is no nugget that both cover with one bullet"
    if not matched.by_report:
        reason = "sentences were judged one by one, so that none is chosen"
    return figure("linking", ratio(sums[:, 0], sums[:, 1]), topics[linked], reason)


def _probability_figures(
    matched: Matched, topics: Floats, drawn: Draws, tick: Tick | None
) -> tuple[list[Figure], tuple[Bin, ...]]:
    names = ("roc_auc", "calibration_error", "brier")
    has_prob = np.array([pair.prob is not None for pair in matched.pairs])
    if not has_prob.any():
        reason = "the judge gives no probabilities"
        return [Figure(name, None, reason=reason) for name in names], ()
    probs = np.array([pair.prob for pair in matched.pairs if pair.prob is not None])
    is_yes = np.array([pair.truth is Verdict.YES for pair in matched.pairs])[has_prob]
    topics, num_topics = topics[has_prob], drawn.num_topics
    auc = probabilities.roc_auc(probs, is_yes, topics, drawn, tick)
    table = probabilities.reliability(probs, is_yes, topics, num_topics)
    by_bin = drawn.sums(table.reshape(num_topics, -1)).reshape(-1, 3, NUM_BINS)
    reason = f"the truth {'says yes throughout' if is_yes.all() else 'never says yes'}"
    figures = [
        figure("roc_auc", auc, topics, reason),
        figure("calibration_error", probabilities.calibration_error(by_bin), topics),
        figure("brier", probabilities.brier(probs, is_yes, topics, drawn), topics),
    ]
    return figures, _bins(by_bin[0])


def _bins(by_bin: Floats) -> tuple[Bin, ...]:
    edges = [place / NUM_BINS for place in range(NUM_BINS + 1)]
    return tuple(
        Bin(
            edges[place],
            edges[place + 1],
            int(num),
            float(total / num) if num else None,
            float(yes / num) if num else None,
        )
        for place, (num, total, yes) in enumerate(by_bin.T)
    )


def _bias_overall(matched: Matched, topics: Floats, drawn: Draws) -> Figure:
    """Returns the mean, over all questions, of the judge's score minus the truth's."""
    apart = np.array([bias.SCORES[pair.judge] - bias.SCORES[pair.truth] for pair in matched.pairs])
    table = np.stack([apart, np.ones(len(apart))], axis=1)
    sums = drawn.sums(by_topic(topics, table, drawn.num_topics))
    return figure("bias", ratio(sums[:, 0], sums[:, 1]), topics)
