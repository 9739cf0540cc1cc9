"""``argue-eval curate dedupe``: equal claims become one, and every original is in one group."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.curation import dedupe
from argue_eval.judges.lexical import judge as lexical
from argue_eval.records import Importance, TopicNuggets
from tests.chat_server import Answer, Received, says
from tests.cli.conftest import Command
from tests.curation.track import claim, claims, nuggets, run, write_nuggets
from tests.making import nugget

DEDUPE = "curate dedupe points.json --model m -o grouped.json"
CLAIMS = (
    "The mill burned down in June 1912.",
    "The miller had no insurance.",
    "In June 1912 a fire destroyed the mill.",
    "The mill burned down.",
)


@pytest.fixture(autouse=True)
def points(folder: Path) -> None:
    """A file of claims, a question among them."""
    question = {"nugget_id": "q1-n1", "question": "When?", "answers": [{"answer": "1912"}]}
    one, two, *others = (
        claim(f"q1-p{n}", text, [f"d{n}"], spans=[{"doc_id": f"d{n}"}], made_by=["extract m"],
              importance="okay" if n == 1 else "vital")
        for n, text in enumerate(CLAIMS, 1)
    )  # fmt: skip
    write_nuggets(q1=[one, two, question, *others], q2=[claim("q2-p1", "It ground rye.")])


def groups(*listed: tuple[str, list[Any]]) -> Answer:
    return says(json.dumps({"groups": [{"point": p, "numbers": n} for p, n in listed]}))


GOOD = groups(("A fire destroyed the mill in June 1912.", [3, 1]), ("Rewritten.", [2]),
              ("Rewritten too.", [4]))  # fmt: skip


def test_claims_of_one_group_become_one_that_keeps_what_it_was_made_of(argue_eval: Command) -> None:
    ran, server = run(argue_eval, GOOD, DEDUPE)
    assert (ran.code, len(server.received)) == (0, 1), ran.err  # one claim alone needs no call
    merged = nuggets("grouped.json")["q1"][0]
    assert merged["nugget_id"] == "q1-p1"
    assert merged["importance"] == "vital"
    assert merged["answers"] == [
        {"answer": "A fire destroyed the mill in June 1912.", "doc_ids": ["d1", "d3"]}
    ]
    assert merged["merged_from"] == [
        {"nugget_id": "q1-p1", "answer": CLAIMS[0], "doc_ids": ["d1"]},
        {"nugget_id": "q1-p3", "answer": CLAIMS[2], "doc_ids": ["d3"]},
    ]
    assert merged["spans"] == [{"doc_id": "d1"}, {"doc_id": "d3"}]
    assert merged["made_by"][0] == "extract m"
    assert merged["made_by"][1].startswith("dedupe m/")
    assert "5 claims in 4 groups" in ran.err


def test_what_stays_alone_keeps_its_words_and_questions_stay(argue_eval: Command) -> None:
    run(argue_eval, GOOD, DEDUPE)
    assert claims("grouped.json") == {
        "q1": ["A fire destroyed the mill in June 1912.", CLAIMS[1], "1912", CLAIMS[3]],
        "q2": ["It ground rye."],
    }
    assert "merged_from" not in nuggets("grouped.json")["q1"][1]


def test_a_second_step_keeps_the_first_originals(argue_eval: Command) -> None:
    run(argue_eval, GOOD, DEDUPE)
    again = groups(("The mill burned down.", [1, 3]), ("-", [2]))
    ran, _ = run(argue_eval, again, "curate dedupe grouped.json --model m -o twice.json")
    assert ran.code == 0, ran.err
    merged = nuggets("twice.json")["q1"][0]
    assert [each["nugget_id"] for each in merged["merged_from"]] == ["q1-p1", "q1-p3", "q1-p4"]
    assert merged["answers"][0]["doc_ids"] == ["d1", "d3", "d4"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ([("a", [1, 2, 3]), ("b", [3, 4])], "the key point 3 is in two groups"),
        ([("a", [1, 2, 3, 3]), ("b", [4])], "the key point 3 is in two groups"),
        ([("a", [1, 2, 3])], "the key point 4 is in no group"),
        ([("a", [1, 2, 3, 4, 5])], "the key point 5 does not exist"),
        ([("a", [0, 1, 2, 3, 4])], "the key point 0 does not exist"),
        ([("a", [1, 2, 3, 4, 10**400])], "the key point 1000"),
        ([("a", [1, 2, 3, 4]), ("b", [])], "not a list of objects with a point and its numbers"),
        ([("a", [1, 2, 3, True])], "not a list of objects with a point and its numbers"),
        ([(" ", [1, 2, 3, 4])], "not a list of objects with a point and its numbers"),
    ],
)
def test_a_grouping_that_loses_or_doubles_an_original_is_not_taken(
    argue_eval: Command, bad: list[tuple[str, list[Any]]], reason: str
) -> None:
    ran, server = run(argue_eval, groups(*bad), DEDUPE)
    assert (ran.code, len(server.received)) == (4, 2)
    assert reason in server.received[1].prompt
    assert f"1 x the {reason}" in ran.err or reason in ran.err
    assert "warning: some claims in q1 could not be grouped and are unchanged" in ran.err
    before, after = nuggets("points.json"), nuggets("grouped.json")
    assert [each["nugget_id"] for each in after["q1"]] == [
        each["nugget_id"] for each in before["q1"]
    ]
    assert claims("grouped.json") == claims("points.json")


@pytest.mark.parametrize(
    "start", ["You put", "Example: ", "Reply: {", '{"groups":[{', '{"groups": [{']
)
def test_a_reply_that_repeats_the_prompt_groups_nothing(argue_eval: Command, start: str) -> None:
    """The last two are the example and the pattern of a reply, which fit three and two claims."""

    def echo(received: Received) -> Answer:
        told = str(received.body["messages"][0]["content"])
        return says(told[told.index(start) :].partition("\n")[0] if start[0] == "{" else told)

    number = 2 if start.endswith(" [{") else 3
    write_nuggets(q1=[claim(f"q1-p{n}", CLAIMS[n]) for n in range(number)])
    ran, _ = run(argue_eval, echo, DEDUPE)
    assert ran.code == 4
    assert "1 x the reply repeats the prompt" in ran.err
    assert claims("grouped.json") == claims("points.json")


def test_a_second_reply_that_is_right_is_taken(argue_eval: Command) -> None:
    ran, server = run(argue_eval, [groups(("a", [1])), GOOD], DEDUPE)
    assert (ran.code, len(server.received)) == (0, 2)
    assert len(claims("grouped.json")["q1"]) == 4


def test_many_claims_are_grouped_in_parts_and_the_groups_again(argue_eval: Command) -> None:
    number, num_different = dedupe.MAX_POINTS + 10, 5
    write_nuggets(q1=[claim(f"p{n}", f"claim {n % num_different}") for n in range(number)])

    def script(received: Received) -> Answer:
        shown: dict[str, list[int]] = {}
        for line in received.prompt.splitlines():
            place, _, text = line.partition(": ")
            if place.isdigit():
                shown.setdefault(json.loads(text), []).append(int(place))
        return groups(*shown.items())

    ran, server = run(argue_eval, script, DEDUPE)
    assert ran.code == 0, ran.err
    assert len(server.received) > 2
    found = nuggets("grouped.json")["q1"]
    originals = [each["nugget_id"] for group in found
                 for each in group.get("merged_from", [group])]  # fmt: skip
    assert sorted(originals) == sorted(f"p{n}" for n in range(number))
    assert len(found) == num_different


def test_without_a_model_claims_that_cover_each_other_are_one(argue_eval: Command) -> None:
    path = Path("points.json")
    path.write_text(path.read_text().replace(CLAIMS[2], CLAIMS[0].rstrip(".")))
    command = "curate dedupe points.json -o grouped.json"
    ran = argue_eval(command)
    assert ran.code == 0, ran.err
    merged = nuggets("grouped.json")["q1"][0]
    assert merged["answers"][0] == {"answer": CLAIMS[0], "doc_ids": ["d1", "d3"]}
    assert [each["nugget_id"] for each in merged["merged_from"]] == ["q1-p1", "q1-p3"]
    assert merged["made_by"][1].startswith("dedupe lexical@")
    before = Path("grouped.json").read_bytes()
    argue_eval(command)
    assert Path("grouped.json").read_bytes() == before


def lexically(*texts: str) -> list[list[str]]:
    """The groups of claims that the judge lexical makes, each as its texts."""
    topic = TopicNuggets("t1", tuple(
        nugget(f"k{n}", (text, []), question=None) for n, text in enumerate(texts)))  # fmt: skip
    found = dedupe.by_judge([topic], lexical.create(texts=texts))
    return [
        [each["answer"] for each in claim.extra.get("merged_from", [])] or [claim.answers[0].answer]
        for claim in found.topics[0].nuggets
    ]


@pytest.mark.parametrize("place", [0, 40, 79])
def test_the_most_alike_of_very_many_claims_are_compared(place: int) -> None:
    texts = [
        f"The bridge of B{one}{other}ton broke." for one in "aeiou" for other in "bcdfgklmnprstvwz"
    ]
    groups = lexically(*texts, texts[place])
    assert len(groups) == len(texts)
    assert [texts[place]] * 2 in groups


def test_equal_claims_are_one_without_a_model_and_other_numbers_are_not() -> None:
    same = ("41 tonnes of marine diesel escaped.", "41 tonnes of marine diesel escaped")
    other = "30 tonnes of marine diesel escaped."
    assert lexically(*same, other) == [list(same), [other]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("All trees survived.", "Some trees survived."),
        ("The miller had no insurance.", "The miller had insurance."),
        ("The ferry ran aground.", "The ferry did not run aground."),
        ("It cost 1.43 euros.", "It cost 1.45 euros."),
        ("It opened in Larkhaven.", "It opened in Ostmere."),
        (
            "Il treno parte sempre la domenica mattina.",
            "Il treno non parte sempre la domenica mattina.",
        ),
    ],
)
def test_claims_that_differ_in_what_turns_them_stay_apart(one: str, other: str) -> None:
    assert lexically(one, other) == [[one], [other]]


WORDS = ["mill", "fire", "rye", "1912", "miller", "not", "burned", "town", "41"]
words = st.lists(st.sampled_from(WORDS), min_size=1)


@given(st.lists(words.map(" ".join), max_size=6))
def test_every_original_is_in_exactly_one_group_without_a_model(texts: list[str]) -> None:
    assert sorted(text for group in lexically(*texts) for text in group) == sorted(texts)


def test_the_highest_importance_of_a_group_stays() -> None:
    topic = TopicNuggets("t1", tuple(
        nugget(f"k{n}", ("The mill burned.", []), question=None, importance=importance)
        for n, importance in enumerate([None, "okay", "vital"])))  # fmt: skip
    found = dedupe.by_judge([topic], lexical.create())
    (merged,) = found.topics[0].nuggets
    assert merged.importance is Importance.VITAL
