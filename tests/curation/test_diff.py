"""What changed between two versions of a bank, and what that does to scores."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.curation.banks import bank, nugget

ROOT = Path(__file__).parents[2]
FIRE = nugget("n1", "When did the mill burn down?", ("1912", ["d1"]), ("June 1912", ["d2"]))
OWNER = nugget("n2", "Who owned it?", "the miller", importance="vital")


def changes(argue_eval: Command, old: list[Any], new: list[Any]) -> list[tuple[Any, ...]]:
    """The changes as kind, old ids, new ids, before, after."""
    bank("old.json", t=old)
    bank("new.json", t=new)
    listed = argue_eval("curate diff old.json new.json --json").json["changes"]
    return [(each["kind"], " ".join(each["old_ids"]), " ".join(each["new_ids"]), each["before"],
             each["after"]) for each in listed]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([FIRE], [FIRE], []),
        ([FIRE], [FIRE, OWNER], [("added", "", "n2", "", "Who owned it? (1 answer)")]),
        ([FIRE, OWNER], [FIRE], [("removed", "n2", "", "Who owned it? (1 answer)", "")]),
        ([OWNER], [{**OWNER, "question": "Whose was it?"}],
         [("reworded", "n2", "n2", "Who owned it?", "Whose was it?")]),
        ([OWNER], [{**OWNER, "nugget_id": "m"}], [("renamed", "n2", "m", "n2", "m")]),
        ([OWNER], [nugget("n2", "What did the bakery sell?", "rye")],
         [("removed", "n2", "", "Who owned it? (1 answer)", ""),
          ("added", "", "n2", "", "What did the bakery sell? (1 answer)")]),
        ([FIRE], [{**FIRE, "answers": FIRE["answers"][1:]}],
         [("answer_removed", "n1", "n1", "1912", "")]),
        ([{**FIRE, "answers": FIRE["answers"][1:]}], [FIRE],
         [("answer_added", "n1", "n1", "", "1912")]),
        ([OWNER], [nugget("n2", "Who owned it?", ("the miller", ["d1", "d7"]), importance="vital")],
         [("documents", "n2", "n2", "the miller", "+d7")]),
        ([OWNER], [{**OWNER, "importance": "okay", "weight": 3}],
         [("importance", "n2", "n2", "vital", "okay"), ("weight", "n2", "n2", "none", "3")]),
        ([FIRE], [{**FIRE, "aggregator": "AND"}], [("aggregator", "n1", "n1", "OR", "AND")]),
        ([nugget("n1", "When did it burn?", "1912"), nugget("n2", "In what year?", "in June")],
         [nugget("n1", "When did it burn?", "1912", "in June")],
         [("merged", "n1 n2", "n1", "When did it burn? / In what year?", "When did it burn?")]),
        ([FIRE], [nugget("n1", "When did the mill burn down?", ("1912", ["d1"])),
                  nugget("n9", "In which month?", ("June 1912", ["d2"]))],
         [("split", "n1", "n1 n9", "When did the mill burn down?",
           "When did the mill burn down? / In which month?")]),
        ([nugget("n1", None, ("It burned.", ["d1"]))], [nugget("n1", None, ("It burned.", ["d2"]))],
         [("documents", "n1", "n1", "", "-d1 +d2")]),
    ],
)  # fmt: skip
def test_every_kind_of_change_is_named(
    old: list[Any], new: list[Any], expected: list[Any], argue_eval: Command
) -> None:
    assert changes(argue_eval, old, new) == expected


def test_topics_that_come_and_go_are_nuggets_that_do(argue_eval: Command) -> None:
    bank("old.json", a=[FIRE], b=[OWNER])
    bank("new.json", b=[OWNER], c=[FIRE])
    value = argue_eval("curate diff old.json new.json --json").json
    assert [(each["topic_id"], each["kind"]) for each in value["changes"]] == [
        ("a", "removed"), ("c", "added"),
    ]  # fmt: skip
    assert value["counts"] == {"added": 1, "removed": 1}


# --- versions -------------------------------------------------------------------------------------


def test_versions_are_counted_and_the_history_tells_what_changed(argue_eval: Command) -> None:
    bank("one.json", FIRE)
    bank("edited.json", FIRE, OWNER)
    command = "curate version edited.json --since one.json -o two.json --note"
    ran = argue_eval(*command.split(), "Owner added")
    assert ran.code == 0, ran.err
    assert ran.err.startswith("version 1 (")
    two = json.loads(Path("two.json").read_text())
    two["topics"][0]["nuggets"].pop(0)
    Path("edited.json").write_text(json.dumps(two))
    edited = argue_eval("curate diff two.json edited.json").out
    assert "old: version 1 (" in edited
    assert "new: version 1, edited since (" in edited
    assert argue_eval("curate version edited.json --since two.json -o three.json").code == 0
    lines = [json.loads(line) for line in Path("three.json.history.jsonl").read_text().splitlines()]
    assert [line["new"]["number"] for line in lines] == [1, 2]
    assert lines[0]["note"] == "Owner added"
    assert lines[1]["old"] == lines[0]["new"]
    assert "nuggets removed: 1" in argue_eval("curate diff three.json.history.jsonl").out
    shown = argue_eval("curate diff three.json.history.jsonl --version 1").out
    assert "nuggets added: 1" in shown


def test_an_unchanged_bank_gets_no_version(argue_eval: Command) -> None:
    bank("one.json", FIRE)
    bank("edited.json", FIRE, OWNER)
    argue_eval("curate version edited.json --since one.json -o two.json")
    Path("copy.json").write_bytes(Path("two.json").read_bytes())
    ran = argue_eval("curate version copy.json --since two.json -o three.json")
    assert (ran.code, Path("three.json").exists()) == (0, False)
    assert "nothing changed: two.json is version 1" in ran.err


def test_an_edited_bank_in_the_place_of_the_old_one_is_told(argue_eval: Command) -> None:
    bank("one.json", FIRE)
    bank("two.json", FIRE, OWNER)
    argue_eval("curate merge one.json two.json -o all.json")
    value = json.loads(Path("all.json").read_text())
    value["topics"][0]["nuggets"].pop()
    Path("edited.json").write_text(json.dumps(value))
    ran = argue_eval("curate version all.json --since edited.json -o new.json")
    assert (ran.code, Path("new.json").exists()) == (2, False)
    assert "name them the other way round" in ran.err
    Path("again.json").write_text(json.dumps(value).replace("June", "July"))
    ran = argue_eval("curate version again.json --since edited.json -o new.json")
    assert ran.code == 0
    assert "its history does not have these edits" in ran.err


def test_ingest_keeps_the_version(argue_eval: Command) -> None:
    bank("one.json", FIRE)
    bank("two.json", FIRE, OWNER)
    argue_eval("curate merge one.json two.json -o all.json")
    assert argue_eval("ingest qrels all.json -o kept.json").code == 0
    assert "nothing changed" in argue_eval("curate diff all.json kept.json").out
    assert "new: version 1 (" in argue_eval("curate diff all.json kept.json").out


# --- scores ---------------------------------------------------------------------------------------

RUNS = " ".join(f"--run {ROOT}/runs/{name}.jsonl" for name in ("careful", "sparse", "miscited"))
KNOWN = f"--judgments {ROOT}/qrels/example.judgments.jsonl --requests {ROOT}/topics/example.jsonl"
SCORING = f"{RUNS} {KNOWN} -m nugget_recall --json"


def example() -> dict[str, Any]:
    """The bank of the example track."""
    value: dict[str, Any] = json.loads((ROOT / "qrels/example.json").read_text())
    return value


def effect(argue_eval: Command, new: dict[str, Any]) -> dict[str, Any]:
    """What another version of the example's bank does to its scores."""
    Path("new.json").write_text(json.dumps(new))
    ran = argue_eval(f"curate diff {ROOT}/qrels/example.json new.json {SCORING}")
    found: dict[str, Any] = ran.json["effect"]
    return found


def test_both_versions_are_scored_from_judgments(argue_eval: Command) -> None:
    new = example()
    new["topics"] = [{**each, "nuggets": each["nuggets"][1:]} for each in new["topics"]]
    found = effect(argue_eval, new)
    assert found["measure"] == "nugget_recall"
    for side, path in (("old", f"{ROOT}/qrels/example.json"), ("new", "new.json")):
        for run in found["runs"]:
            command = f"score {ROOT}/runs/{run['run_id']}.jsonl {path} --judge none {KNOWN}"
            scored = argue_eval(f"{command} -m nugget_recall")
            assert scored.value("nugget_recall") == f"{run[side]['value']:.4f}"
    assert [run["old_rank"] for run in found["runs"]] == [[1, 1], [2, 2], [3, 3]]
    assert found["kendall_tau"] == 1.0


def test_judgments_that_were_made_for_other_words_are_told(argue_eval: Command) -> None:
    new = example()
    new["topics"][0]["nuggets"][0]["question"] = "On which day did the ferry run aground?"
    Path("new.json").write_text(json.dumps(new))
    command = f"curate diff {ROOT}/qrels/example.json new.json {SCORING}".removesuffix("--json")
    last = argue_eval(command).out.splitlines()[-1]
    assert last.endswith("those of 1 reworded nugget count for the new words too.")


def test_a_folder_of_scores_has_all_that_it_takes(argue_eval: Command) -> None:
    new = example()
    new["topics"] = [{**each, "nuggets": each["nuggets"][1:]} for each in new["topics"]]
    expected = effect(argue_eval, new)
    runs = " ".join(f"{ROOT}/runs/{name}.jsonl" for name in ("careful", "sparse", "miscited"))
    argue_eval(f"score {runs} {ROOT}/qrels/example.json --judge none -o scores {KNOWN}")
    command = f"curate diff {ROOT}/qrels/example.json new.json --json -m nugget_recall"
    assert argue_eval(f"{command} --scores scores").json["effect"] == expected


def test_versions_and_runs_may_come_through_a_pipe(
    argue_eval: Command, stdin: Callable[[bytes], None]
) -> None:
    Path("new.json").write_text(json.dumps(example()))
    stdin(Path("new.json").read_bytes())
    assert argue_eval(f"curate diff - new.json {SCORING}").code == 0
    stdin((ROOT / "runs/careful.jsonl").read_bytes())
    ran = argue_eval(f"curate diff new.json {ROOT}/qrels/example.json --run -")
    assert ran.code == 0, ran.err


def test_a_new_nugget_that_nobody_judged_leaves_bounds_and_no_value(argue_eval: Command) -> None:
    new = example()
    more = nugget("new", "How many crew members were on board?", ("24", ["ex-0001"]))
    new["topics"][0]["nuggets"].append(more)
    found = effect(argue_eval, new)
    careful = found["runs"][0]
    assert careful["new"]["value"] is None
    assert careful["new"]["lower"] < careful["old"]["value"] < careful["new"]["upper"] + 0.02
    assert found["kendall_tau"] is None
    text = argue_eval(
        f"curate diff {ROOT}/qrels/example.json new.json {SCORING.replace('--json', '')}"
    )
    assert "not judged for the new version: bounds stand for values" in text.out


def test_ranks_that_move_are_shown(argue_eval: Command) -> None:
    """Only nuggets that sparse answers and careful does not, or the other way round, are kept."""
    new = example()
    new["topics"] = [
        {**each, "nuggets": [x for x in each["nuggets"] if x["nugget_id"] in ("ex2-n7", "ex1-n7")]}
        for each in new["topics"]
    ]
    found = effect(argue_eval, new)
    values = {run["run_id"]: run["new"]["value"] for run in found["runs"]}
    expected = {
        run_id: 1 + sum(other > value for other in values.values())
        for run_id, value in values.items()
    }
    assert {run["run_id"]: run["new_rank"][0] for run in found["runs"]} == expected


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("old.json", "two banks, OLD and NEW"),
        ("old.json missing.json", "missing.json"),
        ("old.json new.json --version 2", "--version is of a history"),
        ("old.json new.json --judgments old.json", "add --run RUN"),
        ("old.json new.json -m argue_f1", "add --run RUN"),
        ("old.json new.json --judge lexical", "add --run RUN"),
        ("old.json new.json --scores . --protocol summhay", "name no other"),
        ("old.json new.json --scores . --run old.json", "name no others"),
        ("old.json new.json --scores .", "score -o wrote"),
        ("b.history.jsonl", "expected what changed in a version"),
        ("c.history.jsonl", "expected a line of a history"),
        ("d.history.jsonl --version 9", "has no such version"),
        ("old.json new.json --format html", "html"),
    ],
)
def test_mistakes_are_told(command: str, message: str, argue_eval: Command) -> None:
    bank("old.json", FIRE)
    bank("new.json", FIRE, OWNER)
    argue_eval("curate merge old.json new.json -o d")
    Path("b.history.jsonl").write_text('{"format": "argue-eval/bank-history/1", "changes": 3}\n')
    Path("c.history.jsonl").write_text('{"format": "another"}\n')
    ran = argue_eval(f"curate diff {command}")
    assert ran.code in (1, 2, 3)
    assert message in ran.err
