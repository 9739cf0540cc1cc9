"""What to look at in a bank: every kind of finding, and no finding where nothing is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.curation.banks import bank, nugget
from tests.curation.test_claims import run

ROOT = Path(__file__).parents[2]
FIRE = nugget("n1", "When did the mill in Ostmere burn down?", "June 1912")


def codes(argue_eval: Command, command: str) -> list[str]:
    """The codes of the findings."""
    return [each["code"] for each in argue_eval(f"curate lint {command} --json").json["findings"]]


@pytest.mark.parametrize(
    ("nuggets", "expected"),
    [
        ([FIRE], []),
        ([nugget("n1", "When did it burn?", "1912", "June 1912")], ["contained_answer"]),
        ([nugget("n1", "What fell?", "2.1 decibels by day", "2.6 decibels at night",
                 aggregator="AND")], []),
        ([nugget("n1", "How many were on board?", "312 passengers", "311 passengers",
                 aggregator="AND")], ["alternatives_required"]),
        ([nugget("n1", "How many were on board?", "312 passengers", "311 passengers")], []),
        ([nugget("n1", "Who owned it?", "the miller", "a miller", aggregator="AND")],
         ["alternatives_required"]),
        ([FIRE, nugget("n2", "On what date did the Ostmere mill burn down?", "at night")],
         ["overlapping_questions"]),
        ([FIRE, nugget("n2", "When did the mill in Larkhaven burn down?", "at night")], []),
        ([FIRE, nugget("n2", "On what date did the Ostmere mill burn down?")],
         ["absence_answered"]),
        ([FIRE, nugget("n2", FIRE["question"], "at night")], ["shared_question"]),
        ([{**FIRE, "aggregator": "AND"}], ["and_with_one_answer"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_bank_is_named(
    nuggets: list[Any], expected: list[str], argue_eval: Command
) -> None:
    bank("a.json", *nuggets)
    assert codes(argue_eval, "a.json") == expected


def test_an_absence_that_another_bank_answers_is_named(argue_eval: Command) -> None:
    bank("a.json", nugget("n1", FIRE["question"]))
    bank("b.json", FIRE)
    ran = argue_eval("curate lint a.json b.json")
    assert ran.code == 0
    assert "warning absence_answered: 1 found" in ran.out
    assert "a.json:1, topic t: nugget 'n1' has no answer, and nugget 'n1' of this or" in ran.out
    assert "b.json: 1 topic, 1 nugget, 0 findings" in ran.out


@pytest.mark.parametrize(
    ("question", "expected"),
    [("Did the miller have insurance?", ["absence_answered"]), ("What did the bakery earn?", [])],
)
def test_documents_that_may_answer_an_absence_are_named(
    question: str, expected: list[str], argue_eval: Command
) -> None:
    bank("a.json", nugget("n1", question))
    assert codes(argue_eval, "a.json --collection docs.jsonl") == expected


def test_documents_that_half_of_the_runs_cite_and_no_answer_lists(argue_eval: Command) -> None:
    bank("a.json", FIRE)
    for name, cited in (("x", ["d1", "d2"]), ("y", ["d2", "d3"]), ("z", ["d3"]), ("w", ["d4"])):
        run(f"{name}.jsonl", name, t=[("It burned.", cited)])
    command = "curate lint a.json --run x.jsonl --run y.jsonl --run z.jsonl --run w.jsonl"
    ran = argue_eval(command)
    assert "2 of 4 runs cite the document 'd2', and no answer lists it" in ran.out
    assert "'d3'" in ran.out
    assert "'d4'" not in ran.out
    assert argue_eval(f"{command} --strict").code == 1


EXAMPLE = (
    f"{ROOT}/qrels/example.json --run {ROOT}/runs --judgments {ROOT}/qrels/example.judgments.jsonl"
)


def test_nuggets_that_all_runs_or_none_answer_are_those_of_the_scores(argue_eval: Command) -> None:
    runs = ["careful", "hallucinating", "miscited", "sparse"]
    argue_eval(
        f"score {ROOT}/runs {ROOT}/qrels/example.json --judge none -o scores "
        f"--judgments {ROOT}/qrels/example.judgments.jsonl"
    )
    answered: dict[tuple[str, str], list[bool]] = {}
    for name in runs:
        for line in Path(f"scores/{name}.nuggets.jsonl").read_text().splitlines():
            each = json.loads(line)
            answered.setdefault((each["topic_id"], each["nugget_id"]), []).append(
                each["is_correct"]
            )
    none = {key for key, own in answered.items() if not any(own)}
    found = argue_eval(f"curate lint {EXAMPLE} --json").json["findings"]
    found = [each for each in found if each["code"] == "answered_by_none"]
    assert {each["topic_id"] for each in found} == {topic for topic, _ in none}
    assert len(found) == len(none) == 4


def test_a_nugget_that_is_not_judged_is_not_said_to_be_missed(argue_eval: Command) -> None:
    value = json.loads((ROOT / "qrels/example.json").read_text())
    value["topics"] = value["topics"][:1]
    value["topics"][0]["nuggets"] = [nugget("new", "How many crew?", ("46", ["ex-0001"]))]
    Path("new.json").write_text(json.dumps(value))
    ran = argue_eval(f"curate lint {EXAMPLE.replace(f'{ROOT}/qrels/example.json', 'new.json')}")
    assert "answered_by" not in ran.out
    assert "1 nugget not judged for every run" in ran.err


def test_a_bank_that_was_edited_after_its_version_is_named(argue_eval: Command) -> None:
    bank("a.json", FIRE)
    bank("b.json", FIRE)
    argue_eval("curate merge a.json b.json -o all.json")
    assert "edited_version" not in codes(argue_eval, "all.json")
    Path("all.json").write_text(Path("all.json").read_text().replace("June 1912", "July 1912"))
    assert "edited_version" in codes(argue_eval, "all.json")


def test_what_reading_warns_of_is_found_too(argue_eval: Command) -> None:
    odd = nugget("n1", "Why?", ("Fog", []))
    bank("a.json", {**odd, "documents": ["d1", "d2"]})
    assert "unread_key" in codes(argue_eval, "a.json")
    for command in ("merge a.json b.json -o c.json", "version a.json --since b.json -o c.json",
                    "diff a.json b.json", "dedupe a.json -o c.json"):  # fmt: skip
        bank("b.json", FIRE)
        assert "a.json:1: warning [unread_key]" in argue_eval(f"curate {command}").err


def test_banks_of_a_folder_are_one_each_and_what_lies_beside_them_is_left_out(
    argue_eval: Command,
) -> None:
    Path("banks").mkdir()
    bank("a.json", FIRE)
    bank("banks/b.json", FIRE, nugget("n2", "Who owned it?", "Ann"))
    argue_eval("curate merge a.json banks/b.json -o banks/all.json")
    ran = argue_eval("curate lint banks")
    assert ran.code == 0, ran.err
    assert "banks/all.json: 1 topic, 2 nuggets, " in ran.out
    assert "banks/b.json: 1 topic, 2 nuggets, " in ran.out
    assert "left out all.json.history.jsonl" in ran.err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("missing.json", "missing.json"),
        ("none.json", "[no_topics]"),
        ("all.json.history.jsonl", "found the history of a bank"),
        ("a.json --run run.jsonl --run ./run.jsonl", "[run_id_taken]"),
        ("a.json --judgments a.json", "add --run RUN"),
        ("a.json --run missing.jsonl", "missing.jsonl"),
        ("docs.jsonl", "docs.jsonl"),
        ("- -", "only one input can be standard input"),
    ],
)
def test_mistakes_are_told(command: str, message: str, argue_eval: Command) -> None:
    bank("a.json", FIRE)
    bank("none.json")
    Path("all.json.history.jsonl").write_text('{"format": "argue-eval/bank-history/1"}\n')
    Path("run.jsonl").write_text(Path(ROOT, "runs/careful.jsonl").read_text())
    ran = argue_eval(f"curate lint {command}")
    assert ran.code in (1, 2, 3)
    assert message in ran.err
