"""Questions that are the same, nearly the same, or only look alike."""

from __future__ import annotations

import time

import pytest

from argue_eval.validation.ingest import Ingested, ingest_nuggets
from tests.ingest.taking import Taking, codes, nugget, only, qrels


def _asked(taking: Taking, *questions: str) -> Ingested:
    return taking.nuggets(
        *(nugget(f"n{number}", (f"answer {number}", ["d1", "d2"]), question=question)
          for number, question in enumerate(questions, 1))
    )  # fmt: skip


def test_two_absence_nuggets_with_one_question_are_duplicates(taking: Taking) -> None:
    asked = {"question": "What did it cost?"}
    taken = taking.nuggets(nugget("n1", **asked), nugget("n2", **asked))
    only(taken, "duplicate_question")


def test_a_claim_that_comes_twice_is_a_duplicate(taking: Taking) -> None:
    taken = taking.nuggets(
        nugget("n1", ("The dam opened in 1961.", ["d1"]), question=None),
        nugget("n2", ("the dam opened in 1961", ["d2"]), question=None),
    )
    assert "same claim" in only(taken, "duplicate_question").message


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("Who rebuilt the old stone bridge?", "Who rebuilt the bridge of old stone?", ""),
        ("Which roles have young women and men?", "Which roles have young men and women?", ""),
        (
            "Who rebuilt the stone bridge at Harrow?",
            "Who rebuilt the stone bridge, Harow?",
            "harow",
        ),
        ("Which bridges were closed to lorries?", "Which bridge was closed to lorries?", "bridge"),
        (
            "How many jobs were lost after the great fire?",
            "How many jobs were lost after the great mill fire?",
            "mill",
        ),
        ("哈罗的桥是什么时候重建的", "哈罗的桥大概是什么时候重建的", "大"),
    ],
)
def test_nearly_the_same_question_is_told_with_what_differs(
    taking: Taking, first: str, second: str, apart: str
) -> None:
    message = only(_asked(taking, first, second), "near_duplicate_question").message
    assert "'n2'" in message
    assert "'n1'" in message
    assert apart in message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("What do children in Spain eat at school?", "What do children in Japan eat at school?"),
        ("When was the mill at Harrow rebuilt?", "Where was the mill at Harrow rebuilt?"),
        ("Who led the old council in 2019?", "Who led the old council in 2018?"),
        ("How do doctors define long Covid cases?", "How do doctors diagnose long Covid cases?"),
        ("Who came?", "Who came back?"),
    ],
)
def test_another_word_in_its_place_makes_another_question(
    taking: Taking, first: str, second: str
) -> None:
    assert codes(_asked(taking, first, second)) == []


def test_the_same_question_in_two_topics_is_fine(taking: Taking) -> None:
    asked = nugget("n1", ("Lund", ["d1"]))
    taken = ingest_nuggets([taking.path("q.json", qrels(t1=[asked], t2=[asked]))])
    assert codes(taken) == []


@pytest.mark.parametrize(
    "question",
    [
        "What became of the mill?",
        "Which mill of {0} stood at the river near the old town?",
        "Which of the mills w{0} w{1} w{2} w{3} stood at the river?",
        "{0}",
    ],
    ids=["all the same", "alike", "mixed", "numbers"],
)
def test_ten_thousand_nuggets_in_a_topic_take_seconds(taking: Taking, question: str) -> None:
    nuggets = [
        nugget(
            f"n{n}",
            (f"answer {n}", ["d1", "d2"]),
            question=question.format(n, n % 97, n % 89, n % 7),
        )
        for n in range(10_000)
    ]
    path = taking.path("q.json", qrels(t1=nuggets))
    started = time.perf_counter()
    taken = ingest_nuggets([path])
    assert time.perf_counter() - started < 20
    assert not taken.has_errors
    assert len(taken.findings) <= 20_000


def test_a_topic_too_alike_to_be_compared_is_told(taking: Taking) -> None:
    nuggets = [nugget(f"n{n}", question=f"Which mill of k{n} stood there in old times?")
               for n in range(1_500)]  # fmt: skip
    assert "questions_not_compared" in codes(taking.nuggets(*nuggets))
