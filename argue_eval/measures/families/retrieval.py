"""The cited documents as a ranking, the nuggets as qrels: any ir_measures measure by its name.

Empty: 0 where the report cites nothing, undefined where no document attests any nugget
Numerator: see the documentation of ir_measures
Denominator: see the documentation of ir_measures
Example: argue-eval score RUN QRELS -o DIR writes the run and the qrels for it
Source: ir_measures; documents in the order of --citation-order, nuggets as subtopics
"""

from __future__ import annotations

import ast
import contextlib
import io
from difflib import get_close_matches
from functools import lru_cache
from math import isnan
from typing import Any, NamedTuple

from argue_eval.errors import MissingResourceError, UsageError, shorten
from argue_eval.measures import Measure
from argue_eval.measures.counting import bounds_of
from argue_eval.measures.rankings import ranking, scores, subtopics, trec_id
from argue_eval.records import Average, Bounds, TopicEvidence

PROTOCOL = None

Pairs = tuple[tuple[str, str], ...]


class Stats(NamedTuple):
    """One topic's ranking and its relevant documents, by ids that fit into TREC files.

    Attributes:
        doc_ids: what the report cites, in the order of the option `citation_order`.
        relevant: (nugget_id, doc_id) for every document that attests an answer.
    """

    doc_ids: tuple[str, ...] = ()
    relevant: Pairs = ()


def tally(evidence: TopicEvidence) -> Bounds:
    """A topic's ranking and qrels. Nothing of it needs a judgment."""
    doc_ids = tuple(map(trec_id, ranking(evidence.report, evidence.options.citation_order)))
    pairs = subtopics(evidence.nuggets)
    relevant = tuple((trec_id(nugget_id), trec_id(doc_id)) for nugget_id, doc_id in pairs)
    stats = Stats(doc_ids=doc_ids, relevant=relevant)
    return bounds_of(lambda _: stats, {"citation": len(doc_ids)}, {})


def compute(name: str, stats: Stats) -> float | None:
    """What ir_measures computes for a topic; None if no document is relevant.

    >>> cited, attested = ("D9", "D1", "D2"), (("n1", "D1"), ("n2", "D1"), ("n3", "D2"))
    >>> compute("P@5", Stats(doc_ids=cited, relevant=attested))
    0.4
    """
    if not stats.relevant:
        return None
    from ir_measures import ScoredDoc

    run = [ScoredDoc(_TOPIC, doc_id, float(score)) for doc_id, score in scores(stats.doc_ids)]
    with contextlib.suppress(ZeroDivisionError):  # Accuracy of a report without a citation
        for metric in _evaluator(name, stats.relevant).iter_calc(run):
            return None if isnan(metric.value) else float(metric.value)
    return None


_TOPIC = "topic"


@lru_cache(maxsize=2048)
def _evaluator(name: str, relevant: Pairs) -> Any:
    """What computes a measure for a topic; used for every run."""
    from ir_measures import Qrel

    measure = _parse(name)
    qrels = [Qrel(_TOPIC, doc_id, 1, nugget_id) for nugget_id, doc_id in relevant]
    # A topic with one nugget makes a provider warn that the qrels have no subtopics.
    with contextlib.redirect_stderr(io.StringIO()):
        return _provider(measure).evaluator([measure], qrels)


def _provider(measure: Any) -> Any:
    """The part of ir_measures that computes a measure.

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
    """Make sure that a measure can be computed, by doing so for a small example.

    Raises:
        MissingResourceError: it needs a package that is not installed.
        UsageError: ir_measures cannot compute it with these parameters.
    """
    try:
        measure.value(Stats(doc_ids=("D9", "D1"), relevant=(("n1", "D1"), ("n2", "D2"))))
    except (AssertionError, ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as e:
        reason = "" if not str(e) or " object at " in str(e) else f": {e}"
        base = measure.name.partition("@")[0].partition("(")[0]
        raise UsageError(
            f"ir_measures cannot compute {measure.name!r}{reason}. Another cutoff may help, such "
            f"as {base}@10"
        ) from None


def make(name: str) -> Measure | None:
    """The measure that ir_measures knows by a name, also trec_eval's; None if it knows none.

    Raises:
        UsageError: it knows the measure, but not with these parameters.
    """
    parsed = _parse(name) or _of_trec_eval(name)
    if parsed is None:
        return None
    from ir_measures import SumAgg

    docstring = EXPLAINED.get(parsed.NAME, f"what ir_measures defines as {parsed}")
    return _measure(str(parsed), docstring, is_count=isinstance(parsed.aggregator(), SumAgg))


def _measure(name: str, docstring: str, *, is_count: bool = False) -> Measure:
    def value(stats: Stats) -> float | None:
        return compute(name, stats)

    value.__name__, value.__doc__ = name, docstring
    average = Average.SUM if is_count else Average.MEAN
    return Measure(value, unit="citation", average=average, is_count=is_count)


# --- names ---------------------------------------------------------------------------------------


def _parse(name: str) -> Any:
    """The ir_measures measure of a name; None if there is none.

    Raises:
        UsageError: the measure exists but does not take these parameters.
    """
    from ir_measures.measures import registry

    try:
        base, parameters, cutoff = _parts(name)
        if base not in registry:
            _suggest(name, list(registry))
            return None
        if cutoff is not None:
            parameters[registry[base].AT_PARAM] = cutoff
        measure = registry[base](**parameters)
    except (MemoryError, RecursionError, SyntaxError, TypeError, ValueError):
        if "@" in name or "(" in name:
            raise UsageError(
                f"cannot read the measure {shorten(name)}. Expected NAME@CUTOFF or "
                "NAME(PARAMETER=VALUE)@CUTOFF, such as nDCG@10 or P(rel=1)@5"
            ) from None
        return None
    _check_parameters(name, measure)
    return measure


def _parts(name: str) -> tuple[str, dict[Any, Any], Any]:
    """A measure's base name, its parameters, and what follows an @.

    (The parser of ir_measures 0.4.3 needs parts of `ast` that Python 3.14 no longer has.)

    >>> _parts("P(rel=1)@5"), _parts("AP")
    (('P', {'rel': 1}, 5), ('AP', {}, None))

    Raises:
        SyntaxError, ValueError: it is no name of a measure.
    """
    node: ast.expr = ast.parse(name, mode="eval").body
    cutoff, parameters = None, {}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        cutoff, node = ast.literal_eval(node.right), node.left
    if isinstance(node, ast.Call) and not node.args:
        parameters = {each.arg: ast.literal_eval(each.value) for each in node.keywords}
        node = node.func
    if not isinstance(node, ast.Name):
        raise ValueError(name)
    return node.id, parameters, cutoff


def _of_trec_eval(name: str) -> Any:
    """The measure that trec_eval calls so, such as P_10; None if there is none, or several."""
    import ir_measures

    with contextlib.redirect_stdout(io.StringIO()):  # it names those that it does not know
        try:
            found = ir_measures.parse_trec_measure(name)
        except ValueError:
            return None
    return found[0] if len(found) == 1 else None


def _suggest(name: str, known: list[str]) -> None:
    """Raise a UsageError for a name with a cutoff, as only those of ir_measures have."""
    base, at, cutoff = name.partition("@")
    if not at:
        return
    # Of NDCG and nDCG, the name that ir_measures itself prints: aliases come later.
    lowered = {each.lower(): each for each in reversed(known)}
    near = get_close_matches(base.lower(), lowered, n=1)
    guess = f" Did you mean {lowered[near[0]] + at + cutoff!r}?" if near else ""
    raise UsageError(
        f"unknown measure {name!r}.{guess} ir_measures has: {', '.join(sorted(known))}"
    )


def _check_parameters(name: str, measure: Any) -> None:
    """Raise a UsageError for parameters that a measure does not take.

    A cutoff or relevance level below 1 would crash the compiled code below ir_measures.
    """
    allowed = measure.SUPPORTED_PARAMS
    unknown = sorted(measure.params.keys() - allowed.keys())
    if unknown:
        raise UsageError(
            f"measure {name!r}: no parameter {unknown[0]!r}. It takes: "
            f"{', '.join(sorted(allowed)) or 'none'}"
        )
    for key, info in allowed.items():
        if key not in measure.params:
            if info.required:
                example = f"{measure.NAME}@10" if key == "cutoff" else f"{measure.NAME}({key}=…)"
                raise UsageError(f"measure {name!r} needs a {key}, such as {example}")
            continue
        value = measure.params[key]
        is_whole = key in ("cutoff", "rel")
        if is_whole and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise UsageError(f"measure {name!r}: expected a {key} of 1 or more, found {value!r}")
        if not info.validate(value):
            raise UsageError(f"measure {name!r}: {key} can't be {value!r}; {info.desc or ''}")


_CASE = "cited D9, D1, D2; D1 attests nuggets n1 and n2, D2 and D3 attest n3:"

EXPLAINED = {
    "P": f"""relevant documents among the first k that are cited
    Numerator: relevant documents among the first k cited
    Denominator: k, the cutoff, even if fewer are cited
    Example: {_CASE} P@5 = 2 / 5 = 0.4
    """,
    "R": f"""the part of the relevant documents that is among the first k cited
    Numerator: relevant documents among the first k cited
    Denominator: relevant documents of the topic
    Example: {_CASE} R@10 = 2 / 3 = 0.6667
    """,
    "nDCG": f"""relevant documents, the more the earlier they are cited
    Numerator: sum of 1 / log2(rank + 1) over the relevant documents among the first k cited
    Denominator: the same sum for the best possible ranking
    Example: {_CASE} nDCG@10 = (0.6309 + 0.5) / (1 + 0.6309 + 0.5) = 0.5307
    """,
    "AP": f"""relevant documents, the more the fewer others are cited before them
    Numerator: sum of the precision at the rank of every relevant document that is cited
    Denominator: relevant documents of the topic
    Example: {_CASE} AP = (1 / 2 + 2 / 3) / 3 = 0.3889
    """,
    "RR": f"""an early first relevant document
    Numerator: 1
    Denominator: rank of the first relevant document
    Example: {_CASE} RR = 1 / 2 = 0.5
    """,
    "Success": f"""a relevant document among the first k cited
    Numerator: 1 if a relevant document is among the first k cited, else 0
    Denominator: 1
    Example: {_CASE} Success@5 = 1
    """,
    "SetP": f"""citing relevant documents only
    Numerator: relevant documents cited
    Denominator: documents cited
    Example: {_CASE} SetP = 2 / 3 = 0.6667
    """,
    "SetR": f"""citing all relevant documents
    Numerator: relevant documents cited
    Denominator: relevant documents of the topic
    Example: {_CASE} SetR = 2 / 3 = 0.6667
    """,
    "StRecall": f"""nuggets for which a document is among the first k cited
    Numerator: nuggets that one of the first k documents attests
    Denominator: nuggets of the topic that some document attests
    Example: {_CASE} StRecall@2 = 2 / 3 = 0.6667
    """,
    "alpha_nDCG": f"""documents for nuggets that those cited before do not attest
    Numerator: discounted gain; a nugget's n-th document counts (1 - alpha) ** (n - 1)
    Denominator: the same for the best ranking that a greedy search finds
    Example: {_CASE} alpha_nDCG@10 = (2 x 0.6309 + 0.5) / (2 + 0.6309 + 0.5 x 0.5) = 0.6116
    """,
}
"""Docstrings of measures by their base name, for any cutoff."""

MEASURES = tuple(
    _measure(name, EXPLAINED[name.partition("@")[0]])
    for name in ("P@5", "P@10", "R@10", "nDCG@10", "AP", "RR")
)
