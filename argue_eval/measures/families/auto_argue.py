"""The measures that Auto-ARGUE publishes for TREC NeuCLIR and RAGTIME, under the same names.

They are always computed its way, whatever the options say: nuggets in the reading `argue`, and
a sentence is supported only if every document that it cites supports it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from argue_eval.measures import Measure, count_of
from argue_eval.measures.averages import Case, bounds_of, harmonic_mean, ratio
from argue_eval.measures.counting import count_nuggets
from argue_eval.measures.protocols.argue import (
    NEED_ANSWERS,
    NEED_SUPPORT,
    NEED_UNCITED,
    ArgueOutcomes,
    SentenceOutcome,
)
from argue_eval.records import Average, Bounds, TopicEvidence, Verdict
from argue_eval.text.lengths import measure

if TYPE_CHECKING:
    from argue_eval.records import Report

PROTOCOL = "argue"

SOURCE = "Auto-ARGUE, as used by the TREC NeuCLIR 2024 and RAGTIME 2025 report tasks"


class Stats(NamedTuple):
    """Counts of one topic; the `judged_` fields are denominators, over judged units only."""

    sentences: float = 0
    character_count: float = 0
    sentences_with_citations_or_requiring_citations: float = 0
    correctly_cited_sentences: float = 0
    first_instance_sentences_missing_citation: float = 0
    citations: float = 0
    relevant_citations: float = 0
    supporting_citations: float = 0
    judged_relevance: float = 0
    judged_support: float = 0
    judged_sentences: float = 0
    nuggets: float = 0
    nuggets_weighted: float = 0
    correct_nuggets: float = 0
    correct_nuggets_weighted: float = 0
    judged_nuggets: float = 0
    judged_nuggets_weighted: float = 0


def tally(evidence: TopicEvidence) -> Bounds:
    """A topic's counts."""
    found: ArgueOutcomes = evidence.outcomes[PROTOCOL]
    open_citations = open_sentences = 0
    for outcome in found.sentences:
        missing = sum(citation.support is None for citation in outcome.citations)
        open_citations += missing
        if outcome.citations:
            open_sentences += missing > 0 and _is_supported(outcome, "judged") is None
        else:
            open_sentences += 5 in outcome.possible and outcome.outcome is None
    return bounds_of(
        lambda case: _stats(evidence, found, case),
        {
            "sentence": len(found.sentences),
            "citation": sum(len(outcome.citations) for outcome in found.sentences),
            "nugget": len(found.nuggets_argue),
            "report": int(evidence.report is not None),
        },
        {
            "citation": open_citations,
            "sentence": open_sentences,
            "nugget": sum(each.is_correct is None for each in found.nuggets_argue),
        },
    )


def _is_supported(outcome: SentenceOutcome, case: Case) -> bool | None:
    """Returns whether all citations support a sentence; None if that is open and left out."""
    verdicts = [citation.support for citation in outcome.citations]
    if any(verdict is not None and verdict is not Verdict.YES for verdict in verdicts):
        return False
    if None in verdicts:
        return None if case == "judged" else case == "best"
    return True


def _stats(evidence: TopicEvidence, found: ArgueOutcomes, case: Case) -> Stats:
    correct, judged, correct_weighted, judged_weighted = count_nuggets(
        found.nuggets_argue, evidence.options, case
    )
    weights = [evidence.options.weight(nugget) for nugget in evidence.nuggets]
    return Stats._make(
        (
            len(found.sentences),
            _num_characters(evidence.report),
            *_sentence_counts(found.sentences, case),
            len(evidence.nuggets),
            fsum(weights),
            correct,
            correct_weighted,
            judged,
            judged_weighted,
        )
    )


def _sentence_counts(outcomes: Sequence[SentenceOutcome], case: Case) -> tuple[float, ...]:
    """Returns the fields of `Stats` from the third to `judged_sentences`."""
    counted = correct = missing = citations = relevant = supporting = 0
    judged_relevance = judged_support = judged_sentences = 0
    for outcome in outcomes:
        if not outcome.citations:
            # An open sentence may be a first instance that lacks a citation: the worst case.
            lacks = outcome.outcome == 5 or (case == "worst" and 5 in outcome.possible)
            missing += lacks
            counted += lacks
            judged_sentences += lacks
            continue
        counted += 1
        is_supported = _is_supported(outcome, case)
        correct += is_supported is True
        judged_sentences += is_supported is not None
        for citation in outcome.citations:
            citations += 1
            relevant += citation.is_relevant is True
            judged_relevance += citation.is_relevant is not None
            supporting += citation.support is Verdict.YES or (
                citation.support is None and case == "best"
            )
            judged_support += citation.support is not None or case != "judged"
    return (
        counted,
        correct,
        missing,
        citations,
        relevant,
        supporting,
        judged_relevance,
        judged_support,
        judged_sentences,
    )


def _num_characters(report: Report | None) -> int:
    """Returns a report's length: sentences joined by one space, NFKC, as the tracks count."""
    if report is None:
        return 0
    text = " ".join(sentence.text for sentence in report.sentences)
    return measure(text, "characters")


def citation_relevance(stats: Stats) -> float | None:
    """Returns relevant / all citations.

    >>> citation_relevance(Stats(relevant_citations=1, judged_relevance=4))
    0.25
    """
    return ratio(stats.relevant_citations, stats.judged_relevance)


def citation_support(stats: Stats) -> float | None:
    """Returns supporting / all citations.

    >>> citation_support(Stats(supporting_citations=163, judged_support=377))
    0.4323607427055703
    """
    return ratio(stats.supporting_citations, stats.judged_support)


def sentence_support(stats: Stats) -> float | None:
    """Returns correctly cited / sentences with or requiring citations.

    >>> sentence_support(Stats(correctly_cited_sentences=45, judged_sentences=129))
    0.3488372093023256
    """
    return ratio(stats.correctly_cited_sentences, stats.judged_sentences)


def nugget_coverage(stats: Stats) -> float | None:
    """Returns correct / all nuggets.

    >>> nugget_coverage(Stats(correct_nuggets=114, judged_nuggets=815))
    0.13987730061349693
    """
    return ratio(stats.correct_nuggets, stats.judged_nuggets)


def nugget_coverage_weighted(stats: Stats) -> float | None:
    """Returns the weight of the correct nuggets / the weight of all."""
    return ratio(stats.correct_nuggets_weighted, stats.judged_nuggets_weighted)


def f1(stats: Stats) -> float | None:
    """Returns the harmonic mean of sentence support and nugget coverage.

    >>> f1(Stats(correctly_cited_sentences=45, judged_sentences=129,
    ...          correct_nuggets=114, judged_nuggets=815))
    0.19968470835522856
    """
    return harmonic_mean(sentence_support(stats), nugget_coverage(stats))


def f1_weighted(stats: Stats) -> float | None:
    """Returns the harmonic mean of sentence support and weighted coverage."""
    return harmonic_mean(sentence_support(stats), nugget_coverage_weighted(stats))


_SENTENCES = frozenset({NEED_SUPPORT, NEED_UNCITED})
_ANSWERS = frozenset({NEED_ANSWERS})
_UNDEFINED = "undefined where the denominator is 0"

_RATIOS = (
    (
        "citation_relevance",
        "citations of documents that attest some answer of the topic",
        "relevant_citations",
        "citations",
        "citation",
        frozenset({NEED_ANSWERS}),
        "8 citations, 6 of documents named in the nuggets: 6 / 8 = 0.75",
        citation_relevance,
    ),
    (
        "citation_support",
        "citations of documents that support their sentence",
        "supporting_citations",
        "citations",
        "citation",
        frozenset({NEED_SUPPORT}),
        "377 citations, 163 supporting: 163 / 377 = 0.4324",
        citation_support,
    ),
    (
        "sentence_support",
        "sentences whose citations all support them",
        "correctly_cited_sentences",
        "sentences_with_citations_or_requiring_citations",
        "sentence",
        _SENTENCES,
        "129 sentences with citations or in need of them, 45 correctly cited: 45 / 129 = 0.3488",
        sentence_support,
    ),
    (
        "nugget_coverage",
        "nuggets that the report answers, citing a document that attests the answer",
        "correct_nuggets",
        "nuggets",
        "nugget",
        _ANSWERS,
        "815 nuggets, 114 correct: 114 / 815 = 0.1399",
        nugget_coverage,
    ),
    (
        "nugget_coverage_weighted",
        "the same, where vital nuggets count more (--weights)",
        "correct_nuggets_weighted",
        "nuggets_weighted",
        "nugget",
        _ANSWERS,
        "2 vital nuggets, 1 of them correct, 2 okay, both correct: 4 / 6 = 0.6667",
        nugget_coverage_weighted,
    ),
    (
        "f1",
        "support and coverage together",
        "2 x sentence_support x nugget_coverage",
        "sentence_support + nugget_coverage",
        "sentence",
        _SENTENCES | _ANSWERS,
        "support 45 / 129, coverage 114 / 815: 0.1997",
        f1,
    ),
    (
        "f1_weighted",
        "support and weighted coverage together",
        "2 x sentence_support x nugget_coverage_weighted",
        "sentence_support + nugget_coverage_weighted",
        "sentence",
        _SENTENCES | _ANSWERS,
        "support 0.5, weighted coverage 0.5: 0.5",
        f1_weighted,
    ),
)

_COUNTS = (
    ("sentences", "sentences of the report", "sentence", frozenset({NEED_ANSWERS})),
    ("character_count", "characters of the report (NFKC)", "report", frozenset[str]()),
    (
        "sentences_with_citations_or_requiring_citations",
        "sentences that cite, and those with outcome 5",
        "sentence",
        _SENTENCES,
    ),
    (
        "correctly_cited_sentences",
        "sentences whose citations all support them",
        "sentence",
        _SENTENCES,
    ),
    (
        "first_instance_sentences_missing_citation",
        "sentences with outcome 5",
        "sentence",
        frozenset({NEED_UNCITED}),
    ),
    (
        "citations",
        "citations, each document once per sentence",
        "citation",
        frozenset({NEED_ANSWERS}),
    ),
    (
        "relevant_citations",
        "citations of relevant documents",
        "citation",
        frozenset({NEED_ANSWERS}),
    ),
    (
        "supporting_citations",
        "citations of supporting documents",
        "citation",
        frozenset({NEED_SUPPORT}),
    ),
    ("nuggets", "nuggets of the topic", "nugget", frozenset[str]()),
    ("nuggets_weighted", "their weights", "nugget", frozenset[str]()),
    ("correct_nuggets", "nuggets that are answered", "nugget", _ANSWERS),
    ("correct_nuggets_weighted", "their weights", "nugget", _ANSWERS),
)

MEASURES = (
    *(
        Measure(
            name,
            rewards,
            numerator,
            denominator,
            _UNDEFINED,
            SOURCE,
            example,
            value,
            unit,
            needs,
            Average.MICRO_AND_MACRO,
        )
        for name, rewards, numerator, denominator, unit, needs, example, value in _RATIOS
    ),
    *(
        Measure(
            name,
            meaning,
            meaning,
            "none: a count",
            "0",
            SOURCE,
            f"summed over topics: {name} of all",
            count_of(name),
            unit,
            needs,
            Average.MEDIAN_AND_MAX if name == "character_count" else Average.SUM,
            is_count=True,
        )
        for name, meaning, unit, needs in _COUNTS
    ),
)
