"""What the advice of ingest says is done: then it has nothing left to say."""

from __future__ import annotations

import pytest

from tests.ingest.taking import Json, Taking, nugget, only, request

LUND, VELL = ("Lund", ["d1"]), ("Vell", ["d2"])
ASKED = {"question": "Who built the mill?"}

NUGGETS: dict[str, tuple[str, list[Json], str, list[Json]]] = {
    "duplicate_question": (
        "keep one of them",
        [nugget("n1", LUND, **ASKED), nugget("n2", LUND, VELL, **ASKED)],
        "question and an answer: 'Who built the mill?'",
        [nugget("n2", LUND, VELL, **ASKED)],
    ),
    "shared_question": (
        "put the answers of all into one",
        [nugget("n1", LUND, **ASKED), nugget("n2", VELL, **ASKED)],
        "2 nuggets (n1, n2) share a question",
        [nugget("n1", LUND, VELL, **ASKED)],
    ),
    "near_duplicate_question": (
        "keep one",
        [
            nugget("n1", LUND, question="Who rebuilt the old bridge at Harrow?"),
            nugget("n2", VELL, question="Who rebuilt the old bridge, Harow?"),
        ],
        "is nearly",
        [nugget("n1", LUND, question="Who rebuilt the old bridge at Harrow?")],
    ),
    "and_with_one_answer": (
        "write OR, or add the answers",
        [nugget("n1", LUND, aggregator="AND")],
        "requires all answers (AND)",
        [nugget("n1", LUND, aggregator="OR")],
    ),
    "no_information": (
        "drop it",
        [nugget("n1", LUND, ("unknown", ["d2"]))],
        "the answer 'unknown', which says nothing",
        [nugget("n1", LUND)],
    ),
    "same_answer": (
        "write one of them, with the documents of all",
        [nugget("n1", ("No fee", ["d1"]), ("no fee.", ["d2"]))],
        "differ only in case",
        [nugget("n1", ("No fee", ["d1", "d2"]))],
    ),
    "duplicate_answer": (
        "keep one of the two",
        [nugget("n1", LUND, LUND)],
        "the answer 'Lund' occurs again",
        [nugget("n1", LUND)],
    ),
    "part_of_answer": (
        "list these documents for both",
        [nugget("n1", ("June", ["d1"]), ("26 June", ["d2"]))],
        "only the longer one lists 1 document: d2",
        [nugget("n1", ("June", ["d1", "d2"]), ("26 June", ["d2"]))],
    ),
    "answer_in_question": (
        "ask without giving the answer, or drop the answer",
        [nugget("n1", LUND, VELL, question="Who, if not Lund, built it?")],
        "contains the answer Lund",
        [nugget("n1", VELL, question="Who, if not Lund, built it?")],
    ),
    "answer_without_documents": (
        "add the ids of documents",
        [nugget("n1", LUND, ("Marsh", []))],
        "has 1 answer without documents: Marsh",
        [nugget("n1", LUND, ("Marsh", ["d3"]))],
    ),
    "missing_importance": (
        "write vital or okay",
        [nugget("n1", LUND, importance="vital"), nugget("n2", VELL)],
        "1 nugget of 2 without importance; the first is nugget 'n2'",
        [nugget("n1", LUND, importance="vital"), nugget("n2", VELL, importance="okay")],
    ),
    "empty_topic": ("add its nuggets", [], "has no nuggets", [nugget("n1", LUND)]),
    "unusual_id": (
        "without white space",
        [nugget("n 1", LUND)],
        "'n 1'",
        [nugget("n1", LUND)],
    ),
}
"""By code: a part of the hint, the nuggets, a part of the message, and the nuggets mended."""


@pytest.mark.parametrize("code", NUGGETS)
def test_nuggets_are_mended_as_advised(code: str, taking: Taking) -> None:
    advises, before, says, after = NUGGETS[code]
    found = only(taking.nuggets(*before), code)
    assert says in found.message
    assert advises in found.hint
    assert taking.nuggets(*after).findings == ()


def test_a_document_that_was_meant_is_written(taking: Taking) -> None:
    known = taking.path("ids.txt", "doc-12345", "doc-99999")
    found = only(taking.nuggets(nugget("n1", ("Lund", ["doc-12346"])), collections=[known]),
                 "unknown_document")  # fmt: skip
    assert found.hint.startswith("is doc-12345 meant?")
    mended = taking.nuggets(nugget("n1", ("Lund", ["doc-12345"])), collections=[known])
    assert mended.findings == ()


REQUESTS: dict[str, tuple[str, list[Json], list[Json]]] = {
    "missing_problem_statement": (
        "write what the report must contain",
        [request("t1", problem_statement=" ")],
        [request("t1")],
    ),
    "missing_title": ("add it", [request("t1"), request("t2", title="")],
                      [request("t1"), request("t2")]),
    "missing_limit": ("add it", [request("t1", limit=500), request("t2")],
                      [request("t1", limit=500), request("t2", limit=500)]),
    "duplicate_request": (
        "keep one of them",
        [request("t1"), request("t2", problem_statement="Who built the bridge t1?")],
        [request("t1")],
    ),
    "unusual_id": ("without white space", [request("t 1")], [request("t1")]),
}  # fmt: skip


@pytest.mark.parametrize("code", REQUESTS)
def test_requests_are_mended_as_advised(code: str, taking: Taking) -> None:
    advises, before, after = REQUESTS[code]
    assert advises in only(taking.requests(*before), code).hint
    assert taking.requests(*after).findings == ()
