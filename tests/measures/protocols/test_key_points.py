"""Where a key point ends: covered or not, entailed by a retrieved document or not."""

from __future__ import annotations

import pytest

from argue_eval.judgments.index import Stored
from argue_eval.measures.protocols import Wanted
from argue_eval.measures.protocols.key_points import (
    NEED_ENTAILED,
    KeyPointOutcome,
    KeyPoints,
    retrieved,
)
from argue_eval.records import Kind, Question, ScoringOptions, Topic, Verdict
from tests.making import RUN, TOPIC, Facts, KnownFacts, nugget, report

CLAIM = "The ferry ran aground."
POINT = nugget("k1", (CLAIM, ["D1", "D2"]), question=None)


def covers(verdict: str) -> Facts:
    return {(Kind.COVERS, "k1"): Stored(Verdict(verdict), "assessor:A1")}


def supports(**verdicts: str) -> Facts:
    return {
        (Kind.SUPPORT, doc_id): Stored(Verdict(verdict), "assessor:A1")
        for doc_id, verdict in verdicts.items()
    }


def asked(
    kind: Kind, index: int = -1, *, doc_id: str = "", nugget_id: str = "", answer: str = ""
) -> Question:
    return Question(
        kind=kind,
        topic_id=TOPIC,
        run_id=RUN,
        sentence_index=index,
        doc_id=doc_id,
        nugget_id=nugget_id,
        answer=answer,
    )


def step(
    sentences: list[Facts],
    whole: Facts | None = None,
    sought_in: str = "sentence",
    point: Facts | None = None,
    doc_ids: tuple[str, ...] | None = None,
    *,
    is_own: bool = False,
) -> KeyPointOutcome:
    """What becomes of the key point, or of one that was extracted from the report itself."""
    written = report(*((f"s{place}", []) for place in range(len(sentences))))
    own = {RUN: (CLAIM,)} if is_own else {}
    topic = Topic(TOPIC, () if is_own else (POINT,), response_points=own)
    needs = frozenset() if doc_ids is None else frozenset({NEED_ENTAILED})
    protocol = KeyPoints(topic, Wanted(ScoringOptions(covers=sought_in), needs))
    (unit,) = protocol.units(written)
    if doc_ids is not None:
        unit = unit._replace(doc_ids=doc_ids)
    return protocol.step(unit, KnownFacts(sentences, whole or {}, point or {}))


@pytest.mark.parametrize(
    ("sentences", "whole", "is_covered"),
    [
        ([covers("no"), covers("yes")], None, True),
        ([covers("no"), covers("no")], None, False),
        ([covers("partial"), covers("partial")], None, False),
        ([], None, False),
        ([covers("no")], covers("yes"), True),
        ([covers("yes")], covers("no"), False),
        ([covers("yes")], covers("partial"), False),
    ],
)
def test_a_key_point_is_covered_by_a_yes_and_the_report_as_a_whole_decides(
    sentences: list[Facts], whole: Facts | None, is_covered: bool
) -> None:
    for sought_in in ("sentence", "report"):
        assert step(sentences, whole, sought_in) == KeyPointOutcome("k1", is_covered, None)


def test_sentences_that_nobody_judged_are_asked_about_until_one_says_yes() -> None:
    needs = tuple(asked(Kind.COVERS, index, nugget_id="k1") for index in (0, 2))
    assert step([{}, covers("partial"), {}]) == KeyPointOutcome("k1", None, None, needs)
    assert step([{}, covers("yes"), {}]) == KeyPointOutcome("k1", True)


def test_the_report_is_asked_about_at_once_where_claims_are_sought_in_reports() -> None:
    needs = (asked(Kind.COVERS, nugget_id="k1"),)
    found = step([{}, covers("no"), {}], sought_in="report")
    assert found == KeyPointOutcome("k1", None, None, needs)


def test_a_document_that_the_nuggets_name_needs_no_judgment() -> None:
    assert step([covers("yes")], doc_ids=("D9", "D2")) == KeyPointOutcome("k1", True, True)


def test_other_documents_are_asked_about_and_one_yes_is_enough() -> None:
    needs = tuple(
        asked(Kind.SUPPORT, doc_id=doc_id, nugget_id="k1", answer=CLAIM) for doc_id in ("D8", "D9")
    )
    yes = [covers("yes")]
    assert step(yes, doc_ids=("D8", "D9")) == KeyPointOutcome("k1", True, None, needs)
    found = step(yes, point=supports(D8="no"), doc_ids=("D8", "D9"))
    assert found == KeyPointOutcome("k1", True, None, needs[1:])
    found = step(yes, point=supports(D9="yes"), doc_ids=("D8", "D9"))
    assert found == KeyPointOutcome("k1", True, True)
    found = step(yes, point=supports(D8="partial", D9="no"), doc_ids=("D8", "D9"))
    assert found == KeyPointOutcome("k1", True, False)


def test_without_any_document_nobody_can_tell_whether_one_entails() -> None:
    needs = (asked(Kind.SUPPORT, nugget_id="k1", answer=CLAIM),)
    assert step([covers("yes")], doc_ids=()) == KeyPointOutcome("k1", True, None, needs)


@pytest.mark.parametrize("verdict", ["no", "partial"])
def test_documents_are_not_asked_about_what_the_report_does_not_cover(verdict: str) -> None:
    assert step([covers(verdict)], doc_ids=("D9",)) == KeyPointOutcome("k1", False, None)
    open_ = step([{}], doc_ids=("D9",))
    assert (open_.is_covered, {question.kind for question in open_.needs}) == (None, {Kind.COVERS})


def test_a_key_point_of_the_response_itself_is_covered_and_needs_a_document() -> None:
    needs = (asked(Kind.SUPPORT, doc_id="D9", nugget_id=CLAIM, answer=CLAIM),)
    assert step([], doc_ids=("D9",), is_own=True) == KeyPointOutcome(CLAIM, True, None, needs)
    own = step([], point=supports(D9="yes"), doc_ids=("D8", "D9"), is_own=True)
    assert own == KeyPointOutcome(CLAIM, True, True)
    assert step([], is_own=True).needs == ()


def test_a_claim_has_no_question() -> None:
    topic = Topic(TOPIC, (nugget("n1", ("a", ["D1"])), POINT, nugget("n2")))
    (unit,) = KeyPoints(topic, Wanted()).units(report(("s", [])))
    assert unit.nugget == POINT


def test_retrieved_documents_are_listed_or_cited_or_those_of_the_key_points() -> None:
    cited = report(("s", ["D7", "D8"]), ("t", ["D7"]))
    listed = cited._replace(references=("D5", "D6", "D5"))
    assert retrieved(listed, [POINT]) == ("D5", "D6")
    assert retrieved(cited, [POINT]) == ("D7", "D8")
    assert retrieved(cited._replace(references=()), [POINT]) == ("D7", "D8")
    assert retrieved(report(("s", [])), [POINT, POINT]) == ("D1", "D2")
    assert retrieved(report(("s", [])), []) == ()
