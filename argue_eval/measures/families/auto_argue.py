"""The measures that Auto-ARGUE publishes for TREC NeuCLIR and RAGTIME, under the same names.

They are always computed its way, whatever the options say: nuggets in the reading `argue`, and
a sentence is supported only if every document that it cites supports it.

Empty: undefined where the denominator is 0
Source: Auto-ARGUE, as used by the TREC NeuCLIR 2024 and RAGTIME 2025 report tasks; its published
averages are over answered topics only, which are those of --only-answered
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from argue_eval.measures import Measure, count
from argue_eval.measures.averages import harmonic_mean, ratio
from argue_eval.measures.counting import Case, NuggetCounts, bounds_of
from argue_eval.measures.protocols.argue import (
    NEED_ANSWERS,
    NEED_SUPPORT,
    NEED_UNCITED,
    ArgueOutcomes,
    SentenceOutcome,
)
from argue_eval.records import Average, Bounds, Report, TopicEvidence, Verdict
from argue_eval.text import lengths

PROTOCOL = "argue"


class Stats(NamedTuple):
    """Counts of one topic.

    Attributes:
        character_count: of the sentences in NFKC, without spaces between them. (A track's limit
            counts these.)
        sentences_with_citations_or_requiring_citations: cited ones, and those with outcome 5.
        correctly_cited_sentences: cited ones that all their citations support.
        first_instance_sentences_missing_citation: those with outcome 5.
        judged_relevance: the denominator of `relevant_citations`, judged ones; so the other
            `judged_` fields.
    """

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
    judged_nuggets: float = 0
    correct_nuggets_weighted: float = 0
    judged_nuggets_weighted: float = 0


class _Counts:
    """The sentences and citations of a report, counted once for all cases."""

    def __init__(self, outcomes: Sequence[SentenceOutcome]) -> None:
        self.citations = self.relevant = self.judged_relevance = 0
        self.supporting = self.open_citations = 0
        self.cited = self.correct = self.open_cited = self.lacking = self.open_uncited = 0
        yes = Verdict.YES
        for outcome in outcomes:
            if not outcome.citations:
                if outcome.outcome == 5:
                    self.lacking += 1
                elif outcome.outcome is None and 5 in outcome.possible:
                    self.open_uncited += 1
                continue
            num_supporting = num_open = 0
            for _, _, _, is_relevant, support, _, _ in outcome.citations:
                if support is yes:
                    num_supporting += 1
                elif support is None:
                    num_open += 1
                if is_relevant is not None:
                    self.judged_relevance += 1
                    self.relevant += is_relevant
            number = len(outcome.citations)
            self.cited += 1
            self.citations += number
            self.supporting += num_supporting
            self.open_citations += num_open
            if num_supporting == number:
                self.correct += 1
            elif num_supporting + num_open == number:
                self.open_cited += 1

    def in_case(self, case: Case) -> tuple[float, ...]:
        """The fields of `Stats` from the third to `judged_sentences`."""
        lacking, correct, supporting = self.lacking, self.correct, self.supporting
        judged_support, judged = self.citations, self.cited
        if case == "judged":
            judged_support -= self.open_citations
            judged -= self.open_cited
        elif case == "worst":
            lacking += self.open_uncited
        else:
            correct += self.open_cited
            supporting += self.open_citations
        return (
            self.cited + lacking,
            correct,
            lacking,
            self.citations,
            self.relevant,
            supporting,
            self.judged_relevance,
            judged_support,
            judged + lacking,
        )


def tally(evidence: TopicEvidence) -> Bounds:
    """A topic's counts."""
    found: ArgueOutcomes = evidence.outcomes[PROTOCOL]
    counts = _Counts(found.sentences)
    nuggets = NuggetCounts(found.nuggets_argue)
    num_characters = _num_characters(evidence.report)
    _, _, _, weight = of_all = nuggets.in_case("worst")

    def stats(case: Case) -> Stats:
        counted = nuggets.in_case(case) if nuggets.num_open else of_all
        return Stats._make(  # in the order of the fields: keywords take as long as the counting
            (
                len(found.sentences),
                num_characters,
                *counts.in_case(case),
                len(found.nuggets_argue),
                weight,
                *counted,
            )
        )

    return bounds_of(
        stats,
        {
            "sentence": len(found.sentences),
            "citation": counts.citations,
            "nugget": len(found.nuggets_argue),
            "report": int(evidence.report is not None),
        },
        {
            "citation": counts.open_citations,
            "sentence": counts.open_cited + counts.open_uncited,
            "nugget": nuggets.num_open,
        },
    )


def _num_characters(report: Report | None) -> int:
    if report is None:
        return 0
    texts = [each.text for each in report.sentences]
    if all(map(str.isascii, texts)):
        return sum(map(len, texts))
    return sum([lengths.measure(text, "characters") for text in texts])


def citation_relevance(stats: Stats) -> float | None:
    """Citations of documents that attest some answer of the topic.

    Numerator: relevant_citations; with --attestation any-document, those of documents that the
        collection has, the run brings or the nuggets name
    Denominator: citations
    Empty: undefined where the denominator is 0, or any document counts and none is known
    Example: 8 citations, 6 of documents named in the nuggets: 6 / 8 = 0.75

    >>> citation_relevance(Stats(relevant_citations=1, judged_relevance=4))
    0.25
    """
    return ratio(stats.relevant_citations, stats.judged_relevance)


def citation_support(stats: Stats) -> float | None:
    """Citations of documents that support their sentence.

    Numerator: supporting_citations
    Denominator: citations
    Example: 377 citations, 163 supporting: 163 / 377 = 0.4324

    >>> citation_support(Stats(supporting_citations=163, judged_support=377))
    0.4323607427055703
    """
    return ratio(stats.supporting_citations, stats.judged_support)


def sentence_support(stats: Stats) -> float | None:
    """Sentences whose citations all support them.

    Numerator: correctly_cited_sentences
    Denominator: sentences_with_citations_or_requiring_citations
    Example: 129 sentences with citations or in need of them, 45 correctly cited: 45 / 129 = 0.3488

    >>> sentence_support(Stats(correctly_cited_sentences=45, judged_sentences=129))
    0.3488372093023256
    """
    return ratio(stats.correctly_cited_sentences, stats.judged_sentences)


def nugget_coverage(stats: Stats) -> float | None:
    """Nuggets that the report answers, citing a document that attests the answer.

    Numerator: correct_nuggets
    Denominator: nuggets
    Example: 815 nuggets, 114 correct: 114 / 815 = 0.1399

    >>> nugget_coverage(Stats(correct_nuggets=114, judged_nuggets=815))
    0.13987730061349693
    """
    return ratio(stats.correct_nuggets, stats.judged_nuggets)


def nugget_coverage_weighted(stats: Stats) -> float | None:
    """The same, where vital nuggets count more (--weights).

    Numerator: correct_nuggets_weighted
    Denominator: nuggets_weighted
    Example: 2 vital nuggets, 1 of them correct, 2 okay, both correct: 4 / 6 = 0.6667

    >>> nugget_coverage_weighted(Stats(correct_nuggets_weighted=3, judged_nuggets_weighted=6))
    0.5
    """
    return ratio(stats.correct_nuggets_weighted, stats.judged_nuggets_weighted)


def f1(stats: Stats) -> float | None:
    """Support and coverage together.

    Numerator: 2 x sentence_support x nugget_coverage
    Denominator: sentence_support + nugget_coverage
    Example: support 45 / 129, coverage 114 / 815: 0.1997

    >>> f1(Stats(correctly_cited_sentences=45, judged_sentences=129,
    ...          correct_nuggets=114, judged_nuggets=815))
    0.19968470835522856
    """
    return harmonic_mean(sentence_support(stats), nugget_coverage(stats))


def f1_weighted(stats: Stats) -> float | None:
    """Support and weighted coverage together.

    Numerator: 2 x sentence_support x nugget_coverage_weighted
    Denominator: sentence_support + nugget_coverage_weighted
    Example: support 0.5, weighted coverage 0.5: 0.5

    >>> f1_weighted(Stats(correctly_cited_sentences=1, judged_sentences=2,
    ...                   correct_nuggets_weighted=3, judged_nuggets_weighted=6))
    0.5
    """
    return harmonic_mean(sentence_support(stats), nugget_coverage_weighted(stats))


_NONE: frozenset[str] = frozenset()
_ANSWERS = frozenset({NEED_ANSWERS})
_SUPPORT = frozenset({NEED_SUPPORT})
_UNCITED = frozenset({NEED_UNCITED})
_SENTENCES = _SUPPORT | _UNCITED
_ALL = _SENTENCES | _ANSWERS
_BOTH = Average.MICRO_AND_MACRO
_RELEVANT = ("relevant_citations", "judged_relevance")
_SUPPORTING = ("supporting_citations", "judged_support")
_SUPPORTED = ("correctly_cited_sentences", "judged_sentences")
_COVERED = ("correct_nuggets", "judged_nuggets")
_COVERED_WEIGHTED = ("correct_nuggets_weighted", "judged_nuggets_weighted")

MEASURES = (
    Measure(citation_relevance, unit="citation", needs=_ANSWERS, average=_BOTH, parts=_RELEVANT),
    Measure(citation_support, unit="citation", needs=_SUPPORT, average=_BOTH, parts=_SUPPORTING),
    Measure(sentence_support, unit="sentence", needs=_SENTENCES, average=_BOTH, parts=_SUPPORTED),
    Measure(nugget_coverage, unit="nugget", needs=_ANSWERS, average=_BOTH, parts=_COVERED),
    Measure(
        nugget_coverage_weighted,
        unit="nugget", needs=_ANSWERS, average=_BOTH, parts=_COVERED_WEIGHTED,
    ),
    Measure(f1, unit="sentence", needs=_ALL, average=_BOTH, parts=_SUPPORTED + _COVERED),
    Measure(
        f1_weighted,
        unit="sentence", needs=_ALL, average=_BOTH, parts=_SUPPORTED + _COVERED_WEIGHTED,
    ),
    *(
        count(
            name,
            f"""{meaning}

            Numerator: {meaning}
            Example: summed over topics: {name} of all
            Source: Auto-ARGUE, as used by the TREC NeuCLIR 2024 and RAGTIME 2025 report tasks; its
            published averages are over answered topics only, which are those of --only-answered
            """,
            unit=unit,
            needs=needs,
            average=Average.MEDIAN_AND_MAX if name == "character_count" else Average.SUM,
        )
        for name, unit, needs, meaning in (
            ("sentences", "sentence", _ANSWERS, "sentences of the report"),
            ("character_count", "report", _NONE, "characters of all sentences (NFKC)"),
            ("sentences_with_citations_or_requiring_citations", "sentence", _SENTENCES,
             "sentences that cite, and those with outcome 5"),
            ("correctly_cited_sentences", "sentence", _SENTENCES,
             "sentences whose citations all support them"),
            ("first_instance_sentences_missing_citation", "sentence", _UNCITED,
             "sentences with outcome 5"),
            ("citations", "citation", _ANSWERS, "citations, each document once per sentence"),
            ("relevant_citations", "citation", _ANSWERS, "citations of relevant documents"),
            ("supporting_citations", "citation", _SUPPORT, "citations of supporting documents"),
            ("nuggets", "nugget", _NONE, "nuggets of the topic"),
            ("nuggets_weighted", "nugget", _NONE, "their weights"),
            ("correct_nuggets", "nugget", _ANSWERS, "nuggets that are answered"),
            ("correct_nuggets_weighted", "nugget", _ANSWERS, "their weights"),
        )
    ),
)  # fmt: skip
