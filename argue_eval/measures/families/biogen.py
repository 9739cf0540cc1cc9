"""The BioGen measures: citations that support or contradict their sentences, grades of sentences.

Source: TREC 2024 BioGen track, as in the organizers' evaluation of MedAESQA
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from argue_eval.formats.assessments import GRADES
from argue_eval.measures import Measure
from argue_eval.measures.averages import ratio
from argue_eval.measures.counting import Case, bounds_of
from argue_eval.measures.protocols.biogen import AnswerOutcome, SentenceOutcome
from argue_eval.records import Bounds, TopicEvidence, Verdict

PROTOCOL = "biogen"


class Stats(NamedTuple):
    """Counts of one answer, over what is judged.

    Attributes:
        covered: sentences that some cited document supports, of `sentences`.
        supporting: citations of documents that support their sentence, of `citations`; so
            `contradicting`. A document counts once for a sentence.
        graded: sentences of an answer that was assessed.
        accurate: 1 or 0, of `answers`.
    """

    sentences: float = 0
    covered: float = 0
    citations: float = 0
    supporting: float = 0
    contradicting: float = 0
    graded: float = 0
    required: float = 0
    borderline: float = 0
    unnecessary: float = 0
    inappropriate: float = 0
    answers: float = 0
    accurate: float = 0


def tally(evidence: TopicEvidence) -> Bounds:
    """An answer's counts. What no assessor graded is unjudged; a missing answer is not accurate."""
    found: AnswerOutcome = evidence.outcomes[PROTOCOL]
    cited = Counter(verdict for each in found.sentences for _, verdict in each.citations)
    covered = Counter(map(_is_covered, found.sentences))
    grades = Counter(each.grade for each in found.sentences)
    is_ungraded = found.is_accurate is None

    def stats(case: Case) -> Stats:
        # The ends of every measure are found on their own, so each count may be an end.
        left_out, more = case == "judged", case == "best"
        return Stats(
            sentences=covered.total() - covered[None] * left_out,
            covered=covered[True] + covered[None] * more,
            citations=cited.total() - cited[None] * left_out,
            supporting=cited[Verdict.YES] + cited[None] * more,
            contradicting=cited[Verdict.CONTRADICTS] + cited[None] * more,
            graded=grades.total() - grades[None] * left_out,
            **{grade: grades[grade] + grades[None] * more for grade in GRADES},
            answers=not (is_ungraded and left_out),
            accurate=found.is_accurate or (is_ungraded and more),
        )

    num_units = {
        "sentence": covered.total(),
        "citation": cited.total(),
        "graded sentence": grades.total(),
        "report": 1,
    }
    num_unjudged = {
        "sentence": covered[None],
        "citation": cited[None],
        "graded sentence": grades[None],
        "report": int(is_ungraded),
    }
    return bounds_of(stats, num_units, num_unjudged)


def _is_covered(sentence: SentenceOutcome) -> bool | None:
    """Whether some cited document supports a sentence; None if that is open."""
    verdicts = [verdict for _, verdict in sentence.citations]
    if Verdict.YES in verdicts:
        return True
    return None if None in verdicts else False


def citation_coverage(stats: Stats) -> float | None:
    """Sentences that some cited document supports.

    Numerator: sentences with a citation that supports them
    Denominator: sentences of the answer
    Empty: undefined where the answer has no sentences
    Example: 4 sentences; two are supported by a document, one only contradicted: 2 / 4 = 0.5

    >>> citation_coverage(Stats(sentences=4, covered=2))
    0.5
    """
    return ratio(stats.covered, stats.sentences)


def citation_support_rate(stats: Stats) -> float | None:
    """Citations of documents that support their sentence.

    Numerator: citations whose document supports the sentence
    Denominator: citations; a document counts once for a sentence
    Empty: undefined where the answer cites nothing
    Example: 5 citations, 3 supporting, 1 contradicting: 3 / 5 = 0.6

    >>> citation_support_rate(Stats(citations=5, supporting=3))
    0.6
    """
    return ratio(stats.supporting, stats.citations)


def citation_contradict_rate(stats: Stats) -> float | None:
    """Nothing: citations of documents that contradict their sentence; 0 is best.

    Numerator: citations whose document contradicts the sentence
    Denominator: citations; a document counts once for a sentence
    Empty: undefined where the answer cites nothing
    Example: 5 citations, 3 supporting, 1 contradicting: 1 / 5 = 0.2

    >>> citation_contradict_rate(Stats(citations=5, contradicting=1))
    0.2
    """
    return ratio(stats.contradicting, stats.citations)


def answer_accuracy(stats: Stats) -> float | None:
    """An answer that the assessor accepts.

    Numerator: 1 if the answer is accurate
    Denominator: 1; an answer that no assessor graded is unjudged
    Empty: 0 where there is no answer
    Example: 65 questions, 52 answers accurate: 52 / 65 = 0.8 over all questions

    >>> answer_accuracy(Stats(answers=1, accurate=1))
    1.0
    """
    return ratio(stats.accurate, stats.answers)


def answer_precision(stats: Stats) -> float | None:
    """Sentences that the answer needs.

    Numerator: sentences graded required
    Denominator: sentences that were assessed, those without a grade (null) included
    Empty: undefined where the answer has no sentences
    Example: 5 sentences, 2 required, 1 borderline, 1 unnecessary, 1 inappropriate: 2 / 5 = 0.4

    >>> answer_precision(Stats(graded=5, required=2))
    0.4
    """
    return ratio(stats.required, stats.graded)


def answer_borderline(stats: Stats) -> float | None:
    """Sentences that the answer may have, or not.

    Numerator: sentences graded borderline
    Denominator: sentences that were assessed, those without a grade (null) included
    Empty: undefined where the answer has no sentences
    Example: 5 sentences, 2 required, 1 borderline, 1 unnecessary, 1 inappropriate: 1 / 5 = 0.2

    >>> answer_borderline(Stats(graded=5, borderline=1))
    0.2
    """
    return ratio(stats.borderline, stats.graded)


def answer_redundancy(stats: Stats) -> float | None:
    """Nothing: sentences that the answer does not need; 0 is best.

    Numerator: sentences graded unnecessary
    Denominator: sentences that were assessed, those without a grade (null) included
    Empty: undefined where the answer has no sentences
    Example: 5 sentences, 2 required, 1 borderline, 1 unnecessary, 1 inappropriate: 1 / 5 = 0.2

    >>> answer_redundancy(Stats(graded=5, unnecessary=1))
    0.2
    """
    return ratio(stats.unnecessary, stats.graded)


def answer_harmfulness(stats: Stats) -> float | None:
    """Nothing: sentences that the answer must not have; 0 is best.

    Numerator: sentences graded inappropriate
    Denominator: sentences that were assessed, those without a grade (null) included
    Empty: undefined where the answer has no sentences
    Example: 5 sentences, 2 required, 1 borderline, 1 unnecessary, 1 inappropriate: 1 / 5 = 0.2

    >>> answer_harmfulness(Stats(graded=5, inappropriate=1))
    0.2
    """
    return ratio(stats.inappropriate, stats.graded)


MEASURES = (
    Measure(citation_coverage, unit="sentence"),
    Measure(citation_support_rate, unit="citation"),
    Measure(citation_contradict_rate, unit="citation", is_loss=True),
    Measure(answer_accuracy, unit="report", is_graded=True),
    Measure(answer_precision, unit="graded sentence", is_graded=True),
    Measure(answer_borderline, unit="graded sentence", is_graded=True),
    Measure(answer_redundancy, unit="graded sentence", is_graded=True, is_loss=True),
    Measure(answer_harmfulness, unit="graded sentence", is_graded=True, is_loss=True),
)
