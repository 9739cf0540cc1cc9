"""Clauses: a sentence makes a claim in each clause, and its documents must support each of them."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from argue_eval.measures import Measure
from argue_eval.measures.averages import ratio
from argue_eval.measures.counting import Case, bounds_of
from argue_eval.measures.protocols import Asking, Known, ReportProtocol, verdict_of
from argue_eval.records import Bounds, Kind, Question, Report, TopicEvidence, Verdict

PROTOCOL = "clauses"


class Clause(NamedTuple):
    """A part of a sentence that makes a claim of its own."""

    text: str
    sentence_index: int
    doc_ids: tuple[str, ...]
    asking: Asking


class ClauseOutcome(NamedTuple):
    """Whether a cited document supports a clause; None if that is not yet known."""

    clause: Clause
    is_supported: bool | None
    needs: tuple[Question, ...] = ()


class Clauses(ReportProtocol[Clause, ClauseOutcome]):
    """The clauses of the reports of one topic, separated by semicolons."""

    def units(self, report: Report) -> list[Clause]:
        """The clauses of every sentence."""
        asking = Asking(self.topic, report)
        return [
            Clause(
                text=part.strip(),
                sentence_index=index,
                doc_ids=tuple([each.doc_id for each in sentence.citations]),
                asking=asking,
            )
            for index, sentence in enumerate(report.sentences)
            for part in sentence.text.split(";")
            if part.strip()
        ]

    def step(self, unit: Clause, known: Known) -> ClauseOutcome:
        """Whether any cited document supports the clause."""
        view = known.text(unit.text)
        verdicts = {each: verdict_of(view, Kind.SUPPORT, each) for each in unit.doc_ids}
        if Verdict.YES in verdicts.values():
            return ClauseOutcome(clause=unit, is_supported=True)
        needs = tuple(
            [
                unit.asking.question(Kind.SUPPORT, doc_id=doc_id, answer=unit.text)
                for doc_id, verdict in verdicts.items()
                if verdict is None
            ]
        )
        return ClauseOutcome(clause=unit, is_supported=None if needs else False, needs=needs)

    def records(
        self, report: Report, concluded: Sequence[ClauseOutcome], known: Known
    ) -> Iterator[dict[str, Any]]:
        """Yields an object per clause."""
        for outcome in concluded:
            yield {
                "run_id": report.run_id,
                "topic_id": report.topic_id,
                "sentence_index": outcome.clause.sentence_index,
                "clause": outcome.clause.text,
                "is_supported": outcome.is_supported,
            }


PROTOCOL_CLASS = Clauses


class Stats(NamedTuple):
    """Counts of one topic."""

    supported: float = 0
    clauses: float = 0


def tally(evidence: TopicEvidence) -> Bounds:
    """Counts the clauses of one topic."""
    found: Sequence[ClauseOutcome] = evidence.outcomes[PROTOCOL]
    num_open = sum(each.is_supported is None for each in found)

    def stats(case: Case) -> Stats:
        num_best = num_open if case == "best" else 0
        num_left_out = num_open if case == "judged" else 0
        supported = sum(each.is_supported is True for each in found) + num_best
        return Stats(supported=supported, clauses=len(found) - num_left_out)

    return bounds_of(stats, {"clause": len(found)}, {"clause": num_open})


def clause_support(stats: Stats) -> float | None:
    """Clauses that a cited document supports.

    Numerator: clauses that a cited document supports
    Denominator: clauses of the report
    Empty: undefined where the report has no clauses
    Example: 3 of 4 clauses are supported: 0.75
    Source: an example
    """
    return ratio(stats.supported, stats.clauses)


MEASURES = (Measure(clause_support, unit="clause"),)
