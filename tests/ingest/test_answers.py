"""Answers: several of one kind, parts of each other, parts of the question, none at all."""

from __future__ import annotations

import pytest

from tests.ingest.taking import Taking, codes, nugget, only


def test_and_with_one_answer_is_told(taking: Taking) -> None:
    one = nugget("n1", ("Lund", ["d1"]), aggregator="AND")
    two = nugget("n2", ("Lund", ["d1"]), ("Vell", ["d2"]), aggregator="AND")
    message = only(taking.nuggets(one, two, nugget("n3", aggregator="AND")), "and_with_one_answer")
    assert "'n1'" in message.message


def test_the_general_answer_should_list_the_documents_of_the_specific_one(taking: Taking) -> None:
    dated = nugget("n1", ("June", ["d1"]), ("26 June", ["d1", "d2"]), ("on 3 June", ["d3"]))
    message = only(taking.nuggets(dated), "part_of_answer").message
    assert "'June'" in message
    assert "'26 June', 'on 3 June'" in message
    assert message.endswith("lists 2 documents: d2, d3")


@pytest.mark.parametrize(
    ("general", "specific"),
    [
        ("June", "Juneau"),
        ("5", "1.5 million"),
        ("1", "1,200"),
        ("12", "12%"),
        ("allowed", "not allowed"),
        ("10 percent", "less than 10 percent"),
        ("Yes", "Yes, it was rebuilt"),
    ],
)
def test_what_the_specific_answer_does_not_say_is_no_part_of_it(
    taking: Taking, general: str, specific: str
) -> None:
    assert codes(taking.nuggets(nugget("n1", (general, ["d1"]), (specific, ["d2"])))) == []


def test_the_specific_answer_may_have_fewer_documents(taking: Taking) -> None:
    assert codes(taking.nuggets(nugget("n1", ("June", ["d1", "d2"]), ("26 June", ["d2"])))) == []


def test_answers_in_chinese_are_compared_by_character(taking: Taking) -> None:
    taken = taking.nuggets(nugget("n1", ("六月", ["d1"]), ("六月二十六日", ["d2"])))
    only(taken, "part_of_answer")


def test_answers_that_differ_in_case_alone_are_told(taking: Taking) -> None:
    taken = taking.nuggets(nugget("n1", ("No fee", ["d1"]), ("no fee.", ["d2"])))
    assert "'No fee', 'no fee.'" in only(taken, "same_answer").message


def test_an_answer_that_comes_twice_is_told_and_merged(taking: Taking) -> None:
    taken = taking.nuggets(nugget("n1", ("Lund", ["d1"]), ("Lund", ["d2"])))
    only(taken, "duplicate_answer")
    assert '[{"answer":"Lund","doc_ids":["d1","d2"]}]' in taken.text


def test_a_question_that_gives_its_answer_is_told(taking: Taking) -> None:
    asked = nugget("n1", ("Lund", ["d1"]), question="Who, if not Lund, built the mill?")
    assert "the answer Lund:" in only(taking.nuggets(asked), "answer_in_question").message


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


@pytest.mark.parametrize(
    "answer",
    ["unknown", "Not specified", "not stated in the corpus", "No specific data found", "N/A"],
)
def test_an_answer_that_tells_nothing_should_be_an_absence_nugget(
    taking: Taking, answer: str
) -> None:
    only(taking.nuggets(nugget("n1", (answer, ["d1"]))), "no_information")


@pytest.mark.parametrize("answer", ["No", "no fee", "the unknown soldier", "not allowed"])
def test_an_answer_may_deny(taking: Taking, answer: str) -> None:
    assert codes(taking.nuggets(nugget("n1", (answer, ["d1"])))) == []


@pytest.mark.parametrize(
    "answer",
    [
        "word " * 61,
        f"{'The old mill was rebuilt after the great fire ' * 2} by Lund. It has since been "
        "a museum that many people visit.",
    ],
    ids=["long", "several sentences"],
)
def test_a_long_answer_is_told(taking: Taking, answer: str) -> None:
    only(taking.nuggets(nugget("n1", (answer, ["d1"]))), "long_answer")


def test_a_sentence_with_an_abbreviation_is_not_long(taking: Taking) -> None:
    answer = f"Dr. Lund of St. Vell {'rebuilt the old mill ' * 5}in the U.S. state of Maine"
    assert codes(taking.nuggets(nugget("n1", (answer, ["d1"])))) == []


def test_thousands_of_long_answers_are_compared_in_bounded_time(taking: Taking) -> None:
    answers = [(f"k{n} " + "mill " * 300, ["d1"]) for n in range(500)]
    parts = [(f"mill k{n}", ["d2"]) for n in range(1_500)]
    assert set(codes(taking.nuggets(nugget("n1", *answers, *parts)))) == {"long_answer"}
