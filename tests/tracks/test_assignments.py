"""AutoNuggetizer assignments (RAG 2024): runs, nuggets and judgments in one file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from argue_eval.records import Verdict
from tests.cli.conftest import Command
from tests.tracks.files import Break, Json, at, lines, scored, scores

NUGGETS = {
    "t1": [("Pumps failed.", "vital"), ("Two of four pumps", "vital"), ("It rained.", "okay")],
    "t2": [("The dam held.", "vital"), ("It is old.", "okay")],
    "t3": [("No one was hurt.", "okay")],
}
WORDS = {"s": "support", "p": "partial_support", "n": "not_support", "f": "failed"}


def line(run_id: str, topic_id: str, assigned: str, space: str = "") -> Json:
    nuggets = [
        {"text": f"{space}{text}{space}", "importance": matters, "assignment": WORDS[letter]}
        for (text, matters), letter in zip(NUGGETS[topic_id], assigned, strict=True)
    ]
    return {
        "query": f"about {topic_id}", "qid": topic_id, "nuggets": nuggets, "run_id": run_id,
        "answer_text": f"What {run_id} says of {topic_id}. And more.", "response_length": 8,
    }  # fmt: skip


def written() -> list[Json]:
    """Three runs, the second without the third topic; one nugget could not be assigned."""
    return [
        line("r1", "t1", "spn"), line("r1", "t2", "ss"), line("r1", "t3", "p"),
        line("r2", "t1", "pnn", "  "), line("r2", "t2", "np", "\t"),
        line("r3", "t1", "sss", " "), line("r3", "t2", "pf"), line("r3", "t3", "s"),
    ]  # fmt: skip


def score(argue_eval: Command, path: str, *args: str, code: int = 4) -> dict[str, Any]:
    judge = [] if "--judge" in args else ["--judge", "none"]
    return scores(scored(argue_eval, "nuggetizer", path, path, *judge, *args, code=code))


def certain(value: float) -> Any:
    return pytest.approx((value, value, value))


def test_one_file_scores_all_its_runs_as_computed_by_hand(
    argue_eval: Command, tmp_path: Path
) -> None:
    found = score(argue_eval, lines(tmp_path, "all.jsonl", written()))
    assert found["r1"] == {
        "all_score": certain((1.5 / 3 + 2 / 2 + 0.5 / 1) / 3),
        "vital_score": certain((1.5 / 2 + 1 + 0) / 3),  # t3 has no vital nugget
        "strict_all_score": certain((1 / 3 + 2 / 2 + 0) / 3),
        "strict_vital_score": certain((1 / 2 + 1 + 0) / 3),
    }
    assert found["r2"] == {
        "all_score": certain((0.5 / 3 + 0.5 / 2 + 0) / 3),
        "vital_score": certain((0.5 / 2 + 0 + 0) / 3),
        "strict_all_score": certain(0),
        "strict_vital_score": certain(0),
    }
    # The second nugget of t2 could be anything: from 0.5 / 2 to 1.5 / 2.
    low, high = (1 + 0.25 + 1) / 3, (1 + 0.75 + 1) / 3
    assert found["r3"]["all_score"] == (None, pytest.approx(low), pytest.approx(high))
    assert found["r3"]["strict_all_score"] == (None, pytest.approx(2 / 3), pytest.approx(2.5 / 3))
    assert found["r3"]["vital_score"] == certain((1 + 0.5 + 0) / 3)
    assert found["r3"]["strict_vital_score"] == certain(1 / 3)


def test_judged_only_leaves_a_failed_assignment_out(argue_eval: Command, tmp_path: Path) -> None:
    found = score(argue_eval, lines(tmp_path, "all.jsonl", written()), "--judged-only")
    assert found["r3"]["all_score"][0] == pytest.approx((1 + 0.5 + 1) / 3)


def test_complete_assignments_need_no_judge_and_the_order_of_lines_changes_nothing(
    argue_eval: Command, tmp_path: Path
) -> None:
    good = [each for each in written() if each["run_id"] != "r3"]
    first = score(argue_eval, lines(tmp_path, "one.jsonl", good), code=0)
    assert first == score(argue_eval, lines(tmp_path, "two.jsonl", good[::-1]), code=0)


def test_a_file_per_run_and_the_nuggets_in_their_own_give_the_same(
    argue_eval: Command, tmp_path: Path
) -> None:
    whole = score(argue_eval, lines(tmp_path, "all.jsonl", written()))
    paths = [
        lines(tmp_path, f"{run}.jsonl", [each for each in written() if each["run_id"] == run])
        for run in ("r1", "r2", "r3")
    ]
    # Another order of the nuggets, and other spaces.
    bank = [
        {"query": "", "qid": topic, "nuggets": [
            {"text": f" {text}  ", "importance": matters} for text, matters in reversed(nuggets)]}
        for topic, nuggets in NUGGETS.items()
    ]  # fmt: skip
    nuggets = lines(tmp_path, "nuggets.jsonl", bank)
    ran = argue_eval("score", *paths, nuggets, "--protocol", "nuggetizer", "--judge", "none",
                     "-q", "--format", "json")  # fmt: skip
    assert scores(ran.out) == whole
    assert "unknown_nugget" not in ran.err


def test_a_judge_that_is_named_answers_in_the_place_of_the_assignments(
    argue_eval: Command, tmp_path: Path
) -> None:
    path = lines(tmp_path, "all.jsonl", written())
    found = score(argue_eval, path, "--judgments", "none", "--judge", "lexical", code=0)
    assert found["r1"]["all_score"] == certain(0)


def test_assignments_on_standard_input_are_used_too(
    argue_eval: Command, tmp_path: Path, stdin: Callable[[bytes], None]
) -> None:
    path = lines(tmp_path, "all.jsonl", written())
    stdin(Path(path).read_bytes())
    out = scored(argue_eval, "nuggetizer", "-", path, "--judge", "none", code=4)
    assert scores(out) == score(argue_eval, path)
    bank = [{"qid": topic, "nuggets": [{"text": text, "importance": matters}
             for text, matters in nuggets]} for topic, nuggets in NUGGETS.items()]  # fmt: skip
    nuggets = lines(tmp_path, "nuggets.jsonl", bank)
    stdin(Path(path).read_bytes())
    out = scored(argue_eval, "nuggetizer", "-", nuggets, "--judge", "none", code=4)
    assert scores(out) == score(argue_eval, path)


def test_large_files_are_read_as_small_ones_are(argue_eval: Command, tmp_path: Path) -> None:
    good = [line(f"run{number}", "t1", "spn", " " * (number % 3)) for number in range(400)]
    path = lines(tmp_path, "all.jsonl", good)
    assert Path(path).stat().st_size > 100_000
    small = formats.read_nuggets(lines(tmp_path, "few.jsonl", good[:1]))
    assert formats.read_nuggets(path) == small
    found = score(argue_eval, path, code=0)
    assert {each["all_score"][0] for each in found.values()} == {0.5}
    for name, change, code in (
        ("another nugget", _nugget(399, 0, text="Another."), "duplicate_topic"),
        ("no importance", _nugget(399, 0, importance=1.5), "duplicate_topic"),
        ("no text", _nugget(399, 2, text=7), "wrong_type"),
        ("half a line", lambda values: [*values[:399], '{"qid": "t1", '], "json_truncated"),
    ):
        broken = Break(name, change, code, 400, "")
        bad = broken.write(tmp_path, good)
        broken.check(argue_eval, tmp_path, f"score {bad} {bad} --protocol nuggetizer")


def test_nuggets_with_one_text_are_assigned_in_their_order(tmp_path: Path) -> None:
    value = line("r1", "t2", "sn")
    for each in value["nuggets"]:
        each["text"] = "The same."
    path = lines(tmp_path, "all.jsonl", [value])
    for nuggets in ((), formats.read_nuggets(path)):
        found = formats.read_judgments(path, nuggets=nuggets)
        assert [(each.nugget_id, each.verdict) for each in found] == [
            ("n1", Verdict.YES), ("n2", Verdict.NO)
        ]  # fmt: skip


def test_what_the_nuggets_lack_is_warned_of_and_has_no_effect(tmp_path: Path) -> None:
    known = formats.read_nuggets(lines(tmp_path, "n.jsonl", [line("r1", "t2", "sn")]))
    other = line("r1", "t2", "ss")
    other["nuggets"][0]["text"] = "Something else."
    path = lines(tmp_path, "all.jsonl", [other, line("r1", "t1", "sss")])
    warnings: list[Any] = []
    found = formats.read_judgments(path, warnings=warnings, nuggets=known)
    assert [each.nugget_id for each in found] == ["n2"]
    assert {each.code for each in warnings} == {"unknown_nugget", "unknown_topic"}


def test_assignments_agree_with_another_judge_by_the_real_command(
    argue_eval: Command, tmp_path: Path
) -> None:
    good = [each for each in written() if each["run_id"] != "r3"]
    path = lines(tmp_path, "truth.jsonl", good)
    folder = tmp_path / "scores"
    ran = argue_eval(*f"score {path} {path} --protocol nuggetizer --judgments none".split(),
                     "-o", str(folder))  # fmt: skip
    assert ran.code == 0, ran.err
    judged = sorted(map(str, folder.glob("*.judgments.jsonl")))
    ran = argue_eval("meta-eval", *judged, "--truth", path, "--json")
    assert ran.code == 0, ran.err
    assert '"covers"' in ran.out


@pytest.mark.parametrize(("to", "form"), [("nuggetizer", "qid"), ("rag", "answer")])
def test_the_format_says_whether_the_nuggets_or_the_answers_are_converted(
    argue_eval: Command, tmp_path: Path, to: str, form: str
) -> None:
    path = lines(tmp_path, "all.jsonl", [line("r1", "t1", "spn"), line("r1", "t2", "ss")])
    ran = argue_eval("convert", path, "--to", to, "--lossy")
    assert ran.code == 0, ran.err
    (first, _) = map(json.loads, ran.out.splitlines())
    assert form in first
    assert "assignment" not in ran.out
    assert ("answer_text" in first) is False


def _nugget(line: int, place: int, **changes: Any) -> Any:
    return at(line, "nuggets", place, **changes)


BROKEN = [
    Break("no qid", at(1, qid=...), "missing_key", 2, "'qid'"),
    Break("empty qid", at(1, qid=" "), "empty_id", 2, "$.qid"),
    Break("qid is a list", at(1, qid=["t2"]), "wrong_type", 2, "an id in quotes"),
    Break("no run_id", at(2, run_id=...), "missing_key", 3, "'run_id'"),
    Break("run_id null", at(2, run_id=None), "wrong_type", 3, "$.run_id"),
    Break("no answer", at(3, answer_text=...), "missing_key", 4, "'answer_text'"),
    Break("answer is a list", at(3, answer_text=["a"]), "wrong_type", 4, "$.answer_text"),
    Break("no nuggets", at(4, nuggets=...), "missing_key", 5, "'nuggets'"),
    Break("nuggets by text", at(4, nuggets={"a": "support"}), "wrong_type", 5, "a list"),
    Break("nugget is a text", at(4, nuggets=["It rained."]), "wrong_type", 5, "$.nuggets[0]"),
    Break("no text", _nugget(1, 1, text=...), "missing_key", 2, "$.nuggets[1]"),
    Break("blank text", _nugget(1, 1, text=" "), "blank_text", 2, "$.nuggets[1].text"),
    Break("no assignment", _nugget(1, 1, assignment=...), "missing_key", 2, "'assignment'"),
    Break("another word", _nugget(1, 0, assignment="supported"), "bad_verdict", 2,
          "$.nuggets[0].assignment: expected one of 'support', 'partial_support', 'not_support'"),
    Break("a number", _nugget(1, 0, assignment=1), "bad_verdict", 2, "expected one of"),
    Break("a report twice", lambda values: [*values, values[0]], "duplicate_report", 9, "'r1'"),
    Break("other nuggets", _nugget(3, 0, text="Another."), "duplicate_topic", 4,
          "name the file of the nuggets as QRELS"),
    Break("other importance", _nugget(3, 0, importance="okay"), "duplicate_topic", 4, "'t1'"),
    Break("half a line", lambda values: [*values, '{"qid": "t1", '], "json_truncated", 9, ""),
    Break("a list", lambda values: [*values, "[1]"], "wrong_type", 9, "an object"),
]  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.name)
def test_broken_assignments_are_refused_with_place_and_reason(
    argue_eval: Command, tmp_path: Path, broken: Break
) -> None:
    path = broken.write(tmp_path, written())
    broken.check(argue_eval, tmp_path, f"score {path} {path} --protocol nuggetizer")


def test_the_scores_are_those_of_nuggetizer(argue_eval: Command, tmp_path: Path) -> None:
    metrics = pytest.importorskip("nuggetizer.core.metrics", reason="nuggetizer is not installed")
    good = [each for each in written() if each["run_id"] != "r3"]
    path = lines(tmp_path, "all.jsonl", good)
    found = score(argue_eval, path, "--only-answered", code=0)
    for run_id in ("r1", "r2"):
        of_run = [each for each in good if each["run_id"] == run_id]
        theirs = metrics.calculate_global_metrics(of_run)
        del theirs["qid"]
        assert {name: each[0] for name, each in found[run_id].items()} == pytest.approx(theirs)
