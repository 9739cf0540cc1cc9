"""Where a key point ends: covered or not, entailed by a retrieved document or not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from argue_eval.judgments.index import Stored
from argue_eval.measures.protocols import Target, key_points
from argue_eval.records import KeyPointOutcome, Kind, Question, Verdict
from tests.making import nugget, report

CLAIM = "The ferry ran aground."
POINT = nugget("k1", (CLAIM, ["D1", "D2"]), question=None)

Facts = Mapping[tuple[Kind, Target], Stored]


def covers(verdict: str) -> Facts:
    return {(Kind.COVERS, "k1"): Stored(Verdict(verdict), "assessor:A1")}


def supports(**verdicts: str) -> Facts:
    return {
        (Kind.SUPPORT, doc_id): Stored(Verdict(verdict), "assessor:A1")
        for doc_id, verdict in verdicts.items()
    }


def step(
    sentences: list[Facts],
    whole: Facts | None = None,
    sought_in: str = "sentence",
    point: Facts | None = None,
    doc_ids: tuple[str, ...] | None = None,
) -> KeyPointOutcome:
    return key_points.step(POINT, sentences, whole or {}, sought_in, point or {}, doc_ids)


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
    asked = tuple(Question(Kind.COVERS, index, nugget_id="k1") for index in (0, 2))
    assert step([{}, covers("partial"), {}]) == KeyPointOutcome("k1", None, None, asked)
    assert step([{}, covers("yes"), {}]) == KeyPointOutcome("k1", True)


def test_the_report_is_asked_about_at_once_where_claims_are_sought_in_reports() -> None:
    asked = (Question(Kind.COVERS, -1, nugget_id="k1"),)
    found = step([{}, covers("no"), {}], sought_in="report")
    assert found == KeyPointOutcome("k1", None, None, asked)


def test_a_document_that_the_nuggets_name_needs_no_judgment() -> None:
    assert step([covers("yes")], doc_ids=("D9", "D2")) == KeyPointOutcome("k1", True, True)


def test_other_documents_are_asked_about_and_one_yes_is_enough() -> None:
    asked = tuple(Question(Kind.SUPPORT, -1, doc_id, "k1", CLAIM) for doc_id in ("D8", "D9"))
    yes = [covers("yes")]
    assert step(yes, doc_ids=("D8", "D9")) == KeyPointOutcome("k1", True, None, asked)
    found = step(yes, point=supports(D8="no"), doc_ids=("D8", "D9"))
    assert found == KeyPointOutcome("k1", True, None, asked[1:])
    found = step(yes, point=supports(D9="yes"), doc_ids=("D8", "D9"))
    assert found == KeyPointOutcome("k1", True, True)
    found = step(yes, point=supports(D8="partial", D9="no"), doc_ids=("D8", "D9"))
    assert found == KeyPointOutcome("k1", True, False)


def test_without_any_document_nobody_can_tell_whether_one_entails() -> None:
    asked = (Question(Kind.SUPPORT, -1, "", "k1", CLAIM),)
    assert step([covers("yes")], doc_ids=()) == KeyPointOutcome("k1", True, None, asked)


@pytest.mark.parametrize("verdict", ["no", "partial"])
def test_documents_are_not_asked_about_what_the_report_does_not_cover(verdict: str) -> None:
    assert step([covers(verdict)], doc_ids=("D9",)) == KeyPointOutcome("k1", False, None)
    open_ = step([{}], doc_ids=("D9",))
    assert (open_.is_covered, {question.kind for question in open_.needs}) == (None, {Kind.COVERS})


def test_a_key_point_of_the_response_itself_is_covered_and_needs_a_document() -> None:
    asked = (Question(Kind.SUPPORT, -1, "D9", CLAIM, CLAIM),)
    own = key_points.own_step(CLAIM, {}, ("D9",))
    assert own == KeyPointOutcome(CLAIM, True, None, asked)
    own = key_points.own_step(CLAIM, supports(D9="yes"), ("D8", "D9"))
    assert own == KeyPointOutcome(CLAIM, True, True)
    assert key_points.own_step(CLAIM, {}, None).needs == ()


def test_a_claim_has_no_question() -> None:
    assert key_points.units([nugget("n1", ("a", ["D1"])), POINT, nugget("n2")]) == [POINT]


def test_retrieved_documents_are_listed_or_cited_or_those_of_the_key_points() -> None:
    cited = report(("s", ["D7", "D8"]), ("t", ["D7"]))
    listed = cited._replace(references=("D5", "D6", "D5"))
    assert key_points.retrieved(listed, [POINT]) == ("D5", "D6")
    assert key_points.retrieved(cited, [POINT]) == ("D7", "D8")
    assert key_points.retrieved(cited._replace(references=()), [POINT]) == ("D7", "D8")
    assert key_points.retrieved(report(("s", [])), [POINT, POINT]) == ("D1", "D2")
    assert key_points.retrieved(report(("s", [])), []) == ()
