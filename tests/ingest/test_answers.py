"""Answers: several of one kind, parts of each other, parts of the question, none at all."""

from __future__ import annotations

import pytest

from tests.ingest.taking import Taking, codes, nugget, only

TOLD: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    "a part, by characters": ("part_of_answer", "", [("六月", "d1"), ("六月二十六日", "d2")]),
    "twice": ("duplicate_answer", "", [("Lund", "d1"), ("Lund", "d2")]),
    "long": ("long_answer", "", [("word " * 61, "d1")]),
    "several sentences": ("long_answer", "", [(
        f"{'The old mill was rebuilt after the great fire ' * 2} by Lund. It has since been "
        "a museum that many people visit.", "d1")]),
    **{word: ("no_information", "", [(word, "d1")]) for word in (
        "unknown", "Not specified", "not stated in the corpus", "No specific data found", "N/A")},
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_answers_that_should_be_others_are_told(taking: Taking, name: str) -> None:
    code, part, answers = TOLD[name]
    taken = taking.nuggets(nugget("n1", *((text, [doc_id]) for text, doc_id in answers)))
    assert part in only(taken, code).message
    assert name != "twice" or '[{"answer":"Lund","doc_ids":["d1","d2"]}]' in taken.text


@pytest.mark.parametrize(
    "answers",
    [
        # The specific answer does not say the general one.
        [("June", "d1"), ("Juneau", "d2")],
        [("5", "d1"), ("1.5 million", "d2")],
        [("1", "d1"), ("1,200", "d2")],
        [("12", "d1"), ("12%", "d2")],
        [("allowed", "d1"), ("not allowed", "d2")],
        [("10 percent", "d1"), ("less than 10 percent", "d2")],
        [("Yes", "d1"), ("Yes, it was rebuilt", "d2")],
        # It may have fewer documents.
        [("June", "d1 d2"), ("26 June", "d2")],
        # An answer may deny, and a sentence may have abbreviations.
        *([(text, "d1")] for text in ("No", "no fee", "the unknown soldier", "not allowed")),
        [(f"Dr. Lund of St. Vell {'rebuilt the old mill ' * 5}in the U.S. state of Maine", "d1")],
    ],
)
def test_good_answers_are_left_alone(taking: Taking, answers: list[tuple[str, str]]) -> None:
    made = nugget("n1", *((text, doc_ids.split()) for text, doc_ids in answers))
    assert codes(taking.nuggets(made)) == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was it built of stone or of wood?", "stone"),
        ("Is it known whether Lund or Vell built it?", "Lund"),
        ("Was there no fee?", "no"),
        ("Did it cost 5 a month?", "5"),
        ("Who built the Lundgren mill?", "Lund"),
    ],
)
def test_a_question_may_offer_a_choice(taking: Taking, question: str, answer: str) -> None:
    assert codes(taking.nuggets(nugget("n1", (answer, ["d1"]), question=question))) == []


def test_thousands_of_long_answers_are_compared_in_bounded_time(taking: Taking) -> None:
    answers = [(f"k{n} " + "mill " * 300, ["d1"]) for n in range(500)]
    parts = [(f"mill k{n}", ["d2"]) for n in range(1_500)]
    assert set(codes(taking.nuggets(nugget("n1", *answers, *parts)))) == {"long_answer"}


@pytest.mark.parametrize("end", ["x" * 300_000, "。" * 300_000])
def test_an_answer_that_never_ends_takes_bounded_time(taking: Taking, end: str) -> None:
    assert codes(taking.nuggets(nugget("n1", ("word " * 26 + end, ["d1"])))) == []
