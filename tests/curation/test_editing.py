"""Edits of nuggets by several people, made in one bank."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import argue_eval as ae
from tests.cli.conftest import Command

Json = dict[str, Any]


def nugget(nugget_id: str, question: str | None, *answers: str, **more: Any) -> Json:
    listed = [{"answer": each, "doc_ids": [f"d-{each}"]} for each in answers]
    key = {"nugget_id": nugget_id, "question": question, "aggregator": "OR", "importance": None}
    return {**key, "answers": listed, **more}


ONE = nugget("n1", "Who?", "Ann", "Bob", source={"page": 7})
TWO = nugget("n2", "When?", "May", importance="okay", weight=0.1)
THREE = nugget("n3", None, "It sank.")


@pytest.fixture(autouse=True)
def _bank() -> None:
    topics = [{"topic_id": "t", "nuggets": [ONE, TWO, THREE]}]
    value = {"format": "argue-eval/nuggets/1", "topics": topics}
    Path("bank.json").write_text(json.dumps(value))


def edits(name: str, *given: tuple[str, list[Json], list[Json]], topic_id: str = "t") -> str:
    """Writes what the page exports."""
    lines = [
        {
            **{"format": "argue-eval/nugget-edits/1", "topic_id": topic_id, "kind": kind},
            **{"replaces": replaces, "by": by, "judge": f"assessor:{name}", "sheet": "0123"},
            "time": f"2026-01-01T10:00:{second:02}.000Z",
        }
        for second, (kind, replaces, by) in enumerate(given)
    ]
    Path(name).write_text("".join(json.dumps(each) + "\n" for each in lines))
    return name


def bank(path: str = "out.json") -> dict[str, tuple[str | None, list[str]]]:
    (topic,) = ae.read_nuggets(path)
    return {
        each.nugget_id: (each.question, [answer.answer for answer in each.answers])
        for each in topic.nuggets
    }


REWORDED = {**ONE, "question": "Who came?"}
SPLIT = [nugget("n1", "Who?", "Ann"), nugget("n1-2", "Who?", "Bob", split_from="n1")]
MERGED = nugget("n1", "Who, when?", "Ann", "Bob", "May", merged_from=[])
NEW = nugget("new", "Why?", "Fog")

CASES = [
    ([("edited", [ONE], [REWORDED])], {"n1": ("Who came?", ["Ann", "Bob"])}, "n1 n2 n3"),
    ([("split", [ONE], SPLIT)], {"n1-2": ("Who?", ["Bob"])}, "n1 n1-2 n2 n3"),
    ([("merged", [ONE, TWO], [MERGED])], {"n1": ("Who, when?", ["Ann", "Bob", "May"])}, "n1 n3"),
    ([("merged", [TWO, ONE], [{**MERGED, "nugget_id": "n2"}])], {}, "n2 n3"),
    ([("removed", [TWO], [])], {}, "n1 n3"),
    ([("added", [], [NEW])], {"new": ("Why?", ["Fog"])}, "n1 n2 n3 new"),
    ([("edited", [ONE], [REWORDED]), ("removed", [REWORDED], [])], {}, "n2 n3"),
    ([("edited", [THREE], [nugget("n3", None, "It did.")])], {}, "n1 n2 n3"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected", "order"), CASES)
def test_edits_are_made_where_the_nuggets_stand(
    argue_eval: Command, given: Any, expected: dict[str, Any], order: str
) -> None:
    ran = argue_eval(f"curate collect {edits('a', *given)} --bank bank.json -o out.json")
    assert ran.code == 0, ran.err
    assert f"{len(given):,} edit" in ran.err
    assert list(bank()) == order.split()
    assert {key: bank()[key] for key in expected} == expected
    again = argue_eval("curate collect a a --bank bank.json -o again.json")
    assert f"{len(given):,} made twice, 0 left out" in again.err
    assert bank("again.json") == bank()


def test_bank_gets_the_next_version_with_its_history(argue_eval: Command) -> None:
    edits("a", ("removed", [TWO], []))
    ran = argue_eval("curate collect a --bank bank.json -o 1.json --note Review")
    assert ran.code == 0, ran.err
    edits("b", ("edited", [ONE], [REWORDED]))
    assert argue_eval("curate collect b --bank 1.json -o 2.json").code == 0
    lines = [json.loads(each) for each in Path("2.json.history.jsonl").read_text().splitlines()]
    assert [each["new"]["number"] for each in lines] == [1, 2]
    assert [each["sources"] for each in lines] == [["bank.json", "a"], ["1.json", "b"]]
    assert lines[0]["note"] == "Review"
    assert [each["counts"] for each in lines] == [{"removed": 1}, {"reworded": 1}]


def test_what_a_nugget_has_besides_is_kept(argue_eval: Command) -> None:
    edits("a", ("edited", [{**TWO, "weight": 0.1}], [{**TWO, "weight": 2}]))
    assert argue_eval("curate collect a --bank bank.json -o out.json").code == 0
    first, second, _ = ae.read_nuggets("out.json")[0].nuggets
    assert first.extra["source"] == {"page": 7}
    assert (second.weight, second.importance) == (2.0, "okay")


def test_of_two_edits_of_a_nugget_the_first_is_made_and_the_other_reported(
    argue_eval: Command,
) -> None:
    edits("a", ("edited", [ONE], [REWORDED]))
    other = {**ONE, "question": "Which people?"}
    edits("b", ("edited", [ONE], [other]), ("removed", [other], []), ("removed", [TWO], []))
    ran = argue_eval("curate collect a b --bank bank.json -o out.json")
    assert ran.code == 0
    assert bank() == {"n1": ("Who came?", ["Ann", "Bob"]), "n3": (None, ["It sank."])}
    assert "b:1: warning [edit_left_out] topic t: edited n1: somebody else has changed" in ran.err
    assert "b:2: warning [edit_left_out]" in ran.err
    assert "2 edits made, 0 made twice, 2 left out" in ran.err
    argue_eval("curate collect b a --bank bank.json -o out.json")
    assert list(bank()) == ["n3"]


def test_edit_that_both_made_is_made_once(argue_eval: Command) -> None:
    for name in "ab":
        edits(
            name, ("merged", [ONE, TWO], [MERGED]), ("added", [], [NEW]), ("removed", [THREE], [])
        )
    ran = argue_eval("curate collect a b --bank bank.json -o out.json")
    assert list(bank()) == ["n1", "new"]
    assert "3 edits made, 3 made twice, 0 left out" in ran.err


def test_new_nuggets_with_one_id_are_told_apart_in_later_edits_too(argue_eval: Command) -> None:
    other = nugget("new", "Where?", "Here")
    edits("a", ("added", [], [NEW]))
    edits("b", ("added", [], [other]), ("edited", [other], [{**other, "question": "Whence?"}]))
    ran = argue_eval("curate collect a b --bank bank.json -o out.json")
    assert (bank()["new"][0], bank()["new-2"][0]) == ("Why?", "Whence?")
    assert "the new nugget new is called new-2: its id was taken" in ran.err


MISTAKES = [
    ("bank.json --bank bank.json", 1, "bank.json"),
    ("judged.jsonl --bank bank.json", 1, "found judgments\n    fix: judgments are put together"),
    ("a", 1, "--bank BANK"),
    ("empty.jsonl --bank bank.json", 1, "empty.jsonl"),
    ("broken.jsonl --bank bank.json", 1, "broken.jsonl:1"),
    ("a --bank nowhere.json", 3, "nowhere.json"),
    ("a --bank bank.json --sheet bank.json", 2, "leave out --sheet"),
    ("a --bank a", 1, "expected nuggets, found edits that a sheet exported"),
]


@pytest.mark.parametrize(("words", "code", "message"), MISTAKES)
def test_mistakes_are_told_and_nothing_is_written(
    argue_eval: Command, words: str, code: int, message: str
) -> None:
    edits("a", ("edited", [ONE], [REWORDED]))
    judged = {"topic_id": "t", "kind": "negative", "verdict": "no", "judge": "A", "sentence": "B."}
    Path("judged.jsonl").write_text(json.dumps(judged) + "\n")
    Path("empty.jsonl").write_text("")
    wrong = {**json.loads(Path("a").read_text()), "by": [{"nugget_id": 5}]}
    Path("broken.jsonl").write_text(json.dumps(wrong) + "\n")
    ran = argue_eval(f"curate collect {words} -o out.json")
    assert ran.code == code, ran.err
    assert message in ran.err
    assert not Path("out.json").exists()


def test_edit_of_a_topic_that_the_bank_lacks_is_reported(argue_eval: Command) -> None:
    edits("a", ("added", [], [NEW]), topic_id="u")
    ran = argue_eval("curate collect a --bank bank.json -o out.json")
    assert "the bank has no topic 'u'" in ran.err
    assert "0 edits made, 0 made twice, 1 left out: nothing changed; nothing is written" in ran.err
    assert not Path("out.json").exists()


def test_edit_of_another_bank_is_told_from_one_that_somebody_else_overtook(
    argue_eval: Command,
) -> None:
    edits("a", ("edited", [ONE], [REWORDED]))
    other = {**TWO, "question": "At what time?"}
    edits("b", ("edited", [other], [{**TWO, "question": "Since when?"}]), ("removed", [ONE], []))
    ran = argue_eval("curate collect a b --bank bank.json -o out.json")
    assert "edited n2: the bank has it otherwise than the sheet" in ran.err
    assert "name the bank that the sheet was made of" in ran.err
    assert "removed n1: somebody else has changed it" in ran.err


SHEETS = [
    ("bank.json -o n.pdf", 2, "name it FILE.html"),
    ("bank.json --topic x -o n.html", 2, "unknown topic 'x'"),
    ("nowhere.json -o n.html", 3, "nowhere.json"),
    ("bank.json -o bank.json", 2, "bank.json"),
    ("bank.json --requests other.jsonl -o n.html", 1, "other.jsonl: error [no_common_topic]"),
]


@pytest.mark.parametrize(("words", "code", "message"), SHEETS)
def test_sheet_that_cannot_be_made(
    argue_eval: Command, words: str, code: int, message: str
) -> None:
    Path("other.jsonl").write_text('{"topic_id": "x", "title": "Y", "problem_statement": "Z"}\n')
    ran = argue_eval(f"curate sheet {words}")
    assert ran.code == code, ran.err
    assert message in ran.err
    assert not Path("n.html").exists()
