"""What the advice of ingest says is done: then it has nothing left to say."""

from __future__ import annotations

import pytest

from tests.ingest.taking import Json, Taking, nugget, only, request

LUND, VELL, MARSH = ("Lund", ["d1"]), ("Vell", ["d2"]), ("Marsh", ["d3"])
ASKED = {"question": "Who built the mill?"}
DATES = ("26 June", ["d1", "d2"]), ("on 3 June", ["d3"])
REQUIRING = [nugget("n2", LUND, VELL, aggregator="AND"), nugget("n3", aggregator="AND")]

NUGGETS: dict[str, tuple[str, list[Json], str, list[Json]]] = {
    "duplicate_question": (
        "keep one of them",
        [
            nugget("n1", LUND, **ASKED),
            nugget("n2", ("lund.", ["d2"]), VELL, **ASKED),
            nugget("n3", MARSH, **ASKED),
        ],
        "2 nuggets (n1, n2) have the same question and an answer: 'Who built the mill?'",
        [nugget("n2", LUND, VELL, MARSH, **ASKED)],
    ),
    "shared_question": (
        "put the answers of all into one",
        [nugget("n1", LUND, **ASKED), nugget("n2", VELL, question="who built the mill")],
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
        [nugget("n1", LUND, aggregator="AND"), *REQUIRING],
        "nugget 'n1' requires all answers (AND)",
        [nugget("n1", LUND, aggregator="OR"), *REQUIRING],
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
        "differ only in case or punctuation: 'No fee', 'no fee.'",
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
        [nugget("n1", ("June", ["d1"]), *DATES)],
        "'June' of nugget 'n1' is part of '26 June', 'on 3 June'; only the longer one lists "
        "2 documents: d2, d3",
        [nugget("n1", ("June", ["d1", "d2", "d3"]), *DATES)],
    ),
    "answer_in_question": (
        "ask without giving the answer, or drop the answer",
        [nugget("n1", LUND, VELL, question="Who, if not Lund, built it?")],
        "contains the answer Lund:",
        [nugget("n1", VELL, question="Who, if not Lund, built it?")],
    ),
    "answer_without_documents": (
        "add the ids of documents",
        [nugget("n1", LUND, ("Marsh", []))],
        "nugget 'n1' has 1 answer without documents: Marsh",
        [nugget("n1", LUND, MARSH)],
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
    assert found.topic_id == ("" if code == "duplicate_answer" else "t1")  # which a reader finds
    assert taking.nuggets(*after).findings == ()


def test_a_document_that_was_meant_is_written(taking: Taking) -> None:
    known = taking.path("ids.txt", "doc-12345", "doc-99999")
    found = only(taking.nuggets(nugget("n1", ("Lund", ["doc-12346"])), collections=[known]),
                 "unknown_document")  # fmt: skip
    assert found.hint.startswith("is doc-12345 meant?")
    mended = taking.nuggets(nugget("n1", ("Lund", ["doc-12345"])), collections=[known])
    assert mended.findings == ()


FULL = {"limit": 100, "language": "en"}
REQUESTS: dict[str, tuple[str, list[Json], str, list[Json]]] = {
    "missing_problem_statement": (
        "write what the report must contain",
        [request("t1"), request("t2", problem_statement=" ")],
        "the problem statement is missing or blank",
        [request("t1"), request("t2")],
    ),
    **{
        f"missing_{key}": (
            "add it",
            [request("t1", **FULL), {**request("t2", **FULL), key: None}],
            "",
            [request("t1", **FULL), request("t2", **FULL)],
        )
        for key in ("title", "background", "limit", "language")
    },
    "duplicate_request": (
        "keep one of them",
        [request("t1"), request("t2", problem_statement="Who built the bridge t1?"), request("3")],
        "2 topics have the same problem statement and background: t1, t2",
        [request("t1"), request("3")],
    ),
    "unusual_id": (
        "without white space",
        [request("t1"), request("t 2")],
        "'t 2'",
        [request("t1"), request("t2")],
    ),
}


@pytest.mark.parametrize("code", REQUESTS)
def test_requests_are_mended_as_advised(code: str, taking: Taking) -> None:
    advises, before, says, after = REQUESTS[code]
    found = only(taking.requests(*before), code)
    assert says in found.message
    assert advises in found.hint
    assert (found.topic_id, found.line) == (before[1]["topic_id"], 2)
    assert taking.requests(*after).findings == ()
