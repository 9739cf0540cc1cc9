"""What a protocol looks up is found again, wherever it looks."""

from __future__ import annotations

from typing import Any

from argue_eval.evaluation.explaining import Explained
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.measures.protocols import Known, ReportProtocol, Wanted
from argue_eval.records import Kind, Report, ScoringOptions, Topic
from tests import making


class Anywhere(ReportProtocol[int, Any]):
    """Takes what is said of a sentence, or failing that of its report."""

    counts_sentences = True

    def units(self, report: Report) -> range:
        return range(len(report.sentences))

    def step(self, unit: int, known: Known) -> Any:
        question = (Kind.SUPPORT, "d1")
        return known.sentence(unit).get(question) or known.whole().get(question)


def test_an_answer_at_one_place_counts_though_there_is_none_at_another() -> None:
    report = making.report(("s1", ["d1"]), ("s2", ["d1"]))
    known = JudgmentIndex.of(making.judgments([("support", "s1", "yes", "d1")])).about(report)
    protocol = Anywhere(Topic(making.TOPIC), Wanted(ScoringOptions(), frozenset()))
    evidence = making.evidence([], report)
    first, second = Explained(evidence, report, {"anywhere": protocol}, known).compared(known)
    assert [each.judge for each in first.said] == ["assessor:A1"]
    assert not second.said
    assert second.kinds == frozenset({Kind.SUPPORT})
