"""The cited documents as a ranking, the nuggets as qrels: any ir_measures measure by its name."""

from __future__ import annotations

import contextlib
import io
from functools import lru_cache, partial
from math import isnan
from typing import Any, NamedTuple

from argue_eval.errors import MissingResourceError, UsageError
from argue_eval.measures import Measure
from argue_eval.measures.averages import bounds_of
from argue_eval.measures.ir_names import EXPLAINED, Explained, parse
from argue_eval.measures.rankings import ranking, scores, subtopics, trec_id
from argue_eval.records import Average, Bounds, TopicEvidence

PROTOCOL = None

SOURCE = "ir_measures; documents in order of first citation, nuggets as subtopics"

_EMPTY = "0 where the report cites nothing, undefined where no document attests any nugget"

Pairs = tuple[tuple[str, str], ...]


class Stats(NamedTuple):
    """One topic's ranking and its relevant documents, by ids that fit into TREC files.

    Attributes:
        doc_ids: what the report cites, first cited first.
        relevant: (nugget_id, doc_id) for every document that attests an answer.
    """

    doc_ids: tuple[str, ...] = ()
    relevant: Pairs = ()


def tally(evidence: TopicEvidence) -> Bounds:
    """Returns a topic's ranking and qrels. Nothing of it needs a judgment."""
    doc_ids = tuple(map(trec_id, ranking(evidence.report)))
    pairs = subtopics(evidence.nuggets)
    relevant = tuple((trec_id(nugget_id), trec_id(doc_id)) for nugget_id, doc_id in pairs)
    stats = Stats(doc_ids, relevant)
    return bounds_of(lambda _: stats, {"citation": len(doc_ids)}, {})


def compute(name: str, stats: Stats) -> float | None:
    """Returns what ir_measures makes of a topic; None if no document is relevant.

    >>> compute("P@5", Stats(("D9", "D1", "D2"), (("n1", "D1"), ("n2", "D1"), ("n3", "D2"))))
    0.4
    """
    if not stats.relevant:
        return None
    from ir_measures import ScoredDoc

    run = [ScoredDoc(_TOPIC, doc_id, float(score)) for doc_id, score in scores(stats.doc_ids)]
    for metric in _evaluator(name, stats.relevant).iter_calc(run):
        return None if isnan(metric.value) else float(metric.value)
    return None


_TOPIC = "topic"


@lru_cache(maxsize=2048)
def _evaluator(name: str, relevant: Pairs) -> Any:
    """Returns what computes a measure for a topic, to be used for every run."""
    from ir_measures import Qrel

    measure = parse(name)
    qrels = [Qrel(_TOPIC, doc_id, 1, nugget_id) for nugget_id, doc_id in relevant]
    # A topic with one nugget makes a provider warn that the qrels have no subtopics.
    with contextlib.redirect_stderr(io.StringIO()):
        return _provider(measure).evaluator([measure], qrels)


def _provider(measure: Any) -> Any:
    """Returns the part of ir_measures that computes a measure.

    Raises:
        MissingResourceError: it would, but needs a package that is not installed.
        UsageError: none does.
    """
    import ir_measures

    missing = []
    for provider in ir_measures.DefaultPipeline.providers:
        # gdeval runs a Perl script over temporary files, and fails on most systems.
        if provider.NAME != "gdeval" and provider.supports(measure):
            if provider.is_available():
                return provider
            missing.append(provider)
    if not missing:
        raise UsageError(
            f"ir_measures has nothing that computes {str(measure)!r} without an external program"
        )
    package = f"ir-measures[{missing[0].NAME}]"
    raise MissingResourceError(
        f"{measure} needs a package that is not installed: pip install '{package}'"
    )


def require(measure: Measure) -> None:
    """Makes sure that a measure can be computed, by doing so for a small example.

    Raises:
        MissingResourceError: it needs a package that is not installed.
        UsageError: ir_measures cannot compute it with these parameters.
    """
    example = Stats(("D9", "D1"), (("n1", "D1"), ("n2", "D2")))
    try:
        compute(measure.name, example)
    except (AssertionError, ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as e:
        reason = "" if not str(e) or " object at " in str(e) else f": {e}"
        base = measure.name.partition("@")[0].partition("(")[0]
        raise UsageError(
            f"ir_measures cannot compute {measure.name!r}{reason}. Another cutoff may help, such "
            f"as {base}@10"
        ) from None


def make(name: str) -> Measure | None:
    """Returns the measure that ir_measures knows by a name; None if it knows none.

    Raises:
        UsageError: it knows the measure, but not with these parameters.
    """
    parsed = parse(name)
    if parsed is None:
        return None
    from ir_measures import SumAgg

    unknown = Explained(f"what ir_measures defines as {parsed}", "", "", "")
    known = EXPLAINED.get(parsed.NAME, unknown)
    return _measure(str(parsed), known, isinstance(parsed.aggregator(), SumAgg))


def _measure(name: str, known: Explained, is_count: bool = False) -> Measure:
    elsewhere = "see the documentation of ir_measures"
    return Measure(
        name,
        known.rewards,
        known.numerator or elsewhere,
        known.denominator or elsewhere,
        _EMPTY,
        SOURCE,
        known.example or "argue-eval score RUN QRELS -o DIR writes the run and the qrels for it",
        partial(compute, name),
        "citation",
        average=Average.SUM if is_count else Average.MEAN,
        is_count=is_count,
    )


MEASURES = tuple(
    _measure(name, EXPLAINED[name.partition("@")[0]])
    for name in ("P@5", "P@10", "R@10", "nDCG@10", "AP", "RR")
)
