"""The command: what it takes, where it writes, and what it says about mistakes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.making import Json, support, write_lines
from tests.cli.conftest import Command

pytestmark = pytest.mark.usefixtures("example")

TRUTH = "--truth truth.jsonl"
SCORES = "--scores truth.tsv --truth-scores truth.tsv"


def test_json_is_the_same_by_both_options(argue_eval: Command) -> None:
    one = argue_eval(f"meta-eval judges.jsonl {TRUTH} --json")
    other = argue_eval(f"meta-eval judges.jsonl {TRUTH} --format json")
    assert (one.code, one.err) == (0, "")
    assert one.out == other.out
    assert one.json["format"] == "argue-eval/agreement/1"


@pytest.mark.parametrize("name", ["text", "json", "markdown"])
def test_a_file_is_written_instead_of_stdout(argue_eval: Command, name: str) -> None:
    shown = argue_eval(f"meta-eval judges.jsonl {TRUTH} --format {name}")
    ran = argue_eval(f"meta-eval judges.jsonl {TRUTH} --format {name} -o out")
    assert (ran.code, ran.out) == (0, "")
    assert Path("out").read_text("utf-8") == shown.out


def test_nothing_is_written_if_something_is_wrong(argue_eval: Command) -> None:
    Path("judges.jsonl").write_text("{broken")
    assert argue_eval(f"meta-eval judges.jsonl {TRUTH} -o out").code == 1
    assert not Path("out").exists()
    ran = argue_eval(f"meta-eval labels.json -o {Path('no') / 'such' / 'folder'}")
    assert ran.code == 3
    assert "cannot be written" in ran.err


def test_errors_of_all_files_are_reported_together(argue_eval: Command) -> None:
    Path("judges.jsonl").write_text("{broken")
    Path("truth.jsonl").write_text('{"kind": "support", "verdict": "maybe"}')
    ran = argue_eval("meta-eval judges.jsonl --truth truth.jsonl")
    assert ran.code == 1
    assert "judges.jsonl:1: error [" in ran.err
    assert "truth.jsonl:1: error [bad_verdict]" in ran.err


def test_judges_and_kinds_can_be_chosen(printed: Callable[[str], Any], argue_eval: Command) -> None:
    found = printed(f"judges.jsonl {TRUTH} --judge generous@2 --kind support")
    assert [each["judge"] for each in found["agreements"]] == ["generous@2"]
    assert found["truth"] == ["assessor:A1"]


def test_labels_hold_judges_and_truth(printed: Callable[[str], Any]) -> None:
    alone = printed("labels.json")
    assert alone == printed("labels.json --truth labels.json")
    assert alone["truth"] == ["assessor:annotation"]
    assert {each["judge"] for each in alone["agreements"]} == {"x", "y"}


def test_several_files_of_a_judge_are_one(printed: Callable[[str], Any]) -> None:
    lines = Path("judges.jsonl").read_text("utf-8").splitlines(keepends=True)
    Path("a.jsonl").write_text("".join(lines[::2]))
    Path("b.jsonl").write_text("".join(lines[1::2]))
    assert printed(f"a.jsonl b.jsonl {TRUTH}") == printed(f"judges.jsonl {TRUTH}")


def test_standard_input_may_be_on_both_sides(
    argue_eval: Command, stdin: Callable[[bytes], None]
) -> None:
    expected = argue_eval("meta-eval labels.json --json")
    for command in ("-", "- --truth -"):
        stdin(Path("labels.json").read_bytes())
        assert argue_eval(f"meta-eval {command} --json").out == expected.out


def test_intervals_can_be_left_out(printed: Callable[[str], Any]) -> None:
    found = printed(f"judges.jsonl {TRUTH} --resamples 0")
    figures = [each for one in found["agreements"] for each in one["figures"].values()]
    assert all(each["lower"] is None and each["num_resamples"] == 0 for each in figures)
    with_intervals = printed(f"judges.jsonl {TRUTH} --resamples 50")
    assert with_intervals["num_resamples"] == 50
    assert any(
        each["lower"] is not None
        for one in with_intervals["agreements"]
        for each in one["figures"].values()
    )


def test_auto_argue_judgments_are_compared_with_the_nuggets_they_name(
    printed: Callable[[str], Any],
) -> None:
    ids = {"topic_id": "t1", "run_id": "run", "team_id": "team"}
    answers = [{"answer": "1921", "doc_ids": ["d1"]}, {"answer": "1922", "doc_ids": ["d1"]}]
    nugget = {"nugget_id": "n1", "question": "When?", "aggregator": "OR", "answers": answers}
    qrels = {"format": "argue-eval/nuggets/1", "topics": [{"topic_id": "t1", "nuggets": [nugget]}]}
    Path("qrels.json").write_text(json.dumps(qrels))
    said = [
        {"judgment_type_id": "SENTENCE_ATTESTED", "response": {"is_attested": True}},
        {
            "judgment_type_id": "SENTENCE_ANSWERS_QUESTION",
            "response": {
                "matched_nuggets": [{"question_text": "When?", "matched_answer": ["1921"]}]
            },
            "provenance": {"doc_id": "d1"},
        },
    ]
    entry = {"citations": [{"doc_id": "d1", "text": "…"}], "judgments": said}
    report = {"metadata": ids, "responses": [{"text": "In 1921.", "citations": ["d1"]}]}
    write_lines(Path("auto.jsonl"), [{"report": report, "judgments": [entry]}])
    write_lines(Path("run.jsonl"), [report])
    answer: Json = {"kind": "answers", "doc_id": ..., "nugget_id": "n1", "sentence": "In 1921."}
    truth = [
        support("yes", sentence="In 1921."),
        support("yes", **answer, answer="1921"),
        support("yes", **answer, answer="1922"),
    ]
    write_lines(Path("truth.jsonl"), truth)
    found = printed("auto.jsonl --truth truth.jsonl --qrels qrels.json --run run.jsonl")
    values = {
        each["kind"]: (each["counts"]["matched"], each["figures"]["accuracy"]["value"])
        for each in found["agreements"]
    }
    assert values == {"support": (1, 1.0), "answers": (2, 0.5)}


def test_a_measure_that_one_side_has_of_one_run_is_left_out_and_told(argue_eval: Command) -> None:
    runs = [f"{run}\t{topic}\tf1\t0.{run[1]}{topic[1]}\n" for run in ("r1", "r2", "r3")
            for topic in ("t1", "t2")]  # fmt: skip
    recall = [line.replace("f1", "recall") for line in runs]
    Path("a.tsv").write_text("run_id\ttopic_id\tmeasure\tvalue\n" + "".join(runs + recall[:2]))
    Path("b.tsv").write_text("run_id\ttopic_id\tmeasure\tvalue\n" + "".join(runs + recall))
    compared = "meta-eval --scores a.tsv --truth-scores b.tsv --resamples 0"
    ran = argue_eval(compared)
    assert ran.code == 0, ran.err
    assert "recall is not compared: fewer than two runs have a value on both sides" in ran.out
    assert "systems by f1" in ran.out
    ran = argue_eval(f"{compared} -m recall")
    assert (ran.code, "--judged-only" in ran.err) == (1, True)


def test_bounds_in_lines_of_their_own_are_no_measures(argue_eval: Command) -> None:
    for run, (low, high) in {"r1": (0.1, 0.9), "r2": (0.2, 0.8), "r3": (0.3, 0.7)}.items():
        lines = [f"f1\tt1\t{low}", f"f1\tt2\t{high}", f"f1_lower\tt3\t{low}"]
        lines += [f"f1_upper\tt3\t{high}", f"runid\tall\t{run}"]
        Path(f"{run}.txt").write_text("\n".join(lines))
    files = " ".join(f"--scores r{number}.txt --truth-scores r{number}.txt" for number in (1, 2, 3))
    found = argue_eval(f"meta-eval {files} --resamples 0 --json").json
    assert [each["measure"] for each in found["rankings"]] == ["f1"]
    assert "6 values of f1 left out: judgments are missing" in found["notes"]


MISTAKES = {
    "": (2, "Usage:"),
    "nope.jsonl --truth truth.jsonl": (3, "nope.jsonl: no such file"),
    "judges.jsonl --truth nope.jsonl": (3, "nope.jsonl: no such file"),
    "judges.jsonl --truth alpha.jsonl": (1, "expected judgments, found a run"),
    "judges.jsonl --truth truth.jsonl --kind suport": (2, "Did you mean 'support'?"),
    "judges.jsonl --truth truth.jsonl --kind answers": (1, "[no_such_kind]"),
    "judges.jsonl --truth truth.jsonl --judge carefull@1": (2, "Did you mean 'careful@1'?"),
    "judges.jsonl --truth truth.jsonl --truth-judge A1": (2, "unknown --truth-judge 'A1'"),
    "judges.jsonl --truth truth.jsonl --format html": (2, "Choices: json, markdown, text"),
    "judges.jsonl --truth truth.jsonl --resamples -1": (2, "from 0 to 100,000"),
    "judges.jsonl --truth truth.jsonl --run truth.jsonl": (1, "expected a run, found judgments"),
    "judges.jsonl": (2, "--truth-judge"),
    "truth.jsonl": (1, "[no_judge]"),
    "--truth truth.jsonl": (2, "expected JUDGMENTS"),
    "labels.json --truth truth.jsonl": (1, "[no_overlap]"),
    "--scores alpha.scores.txt": (2, "--truth-scores"),
    "--scores alpha.scores.txt --truth-scores nope": (3, "nope: no such file"),
    "--scores alpha.scores.txt --truth-scores truth.tsv": (1, "fewer than two runs in common"),
    "--scores truth.jsonl --truth-scores truth.tsv": (1, "expected scores, found judgments"),
    "--scores . --truth-scores truth.tsv": (1, "[no_scores]"),
    "judges.jsonl --truth truth.jsonl -m f1": (2, "-m applies to score files"),
    f"{SCORES} --kind support": (2, "--kind applies to"),
    f"{SCORES} --truth truth.jsonl": (2, "--truth applies to"),
    f"{SCORES} --run alpha.jsonl": (2, "--run applies to"),
    f"{SCORES} -m f1": (2, "unknown measure of --scores 'f1'"),
}


@pytest.mark.parametrize("command", MISTAKES)
def test_mistakes_are_reported(argue_eval: Command, example: Path, command: str) -> None:
    code, message = MISTAKES[command]
    ran = argue_eval(f"meta-eval {command}")
    assert (ran.code, message in ran.err + ran.out) == (code, True), ran.err
    assert not list(example.glob(".argue-eval-*"))


def test_hostile_names_cannot_reach_the_terminal(argue_eval: Command) -> None:
    names = {"generator": "evil\x1b[31m\n| system", "n_bullets": 1, "num_words": 5}
    none = {"insight_id": "n", "coverage": "not_covered"}
    some = {"insight_id": "n", "coverage": "FULL_COVERAGE", "bullet_id": 1}
    summaries = [
        {
            "subtopic_id": topic,
            "summary_key": "r",
            **names,
            "annotation": [none],
            "predictions_\x1b]0;x\x07<b>": [some],
        }
        for topic in ("t1", "t2")
    ]
    Path("labels.json").write_text(json.dumps(summaries))
    for name in ("text", "markdown", "json"):
        ran = argue_eval(f"meta-eval labels.json --format {name}")
        assert ran.code == 0
        assert all(char.isprintable() or char == "\n" for char in ran.out)
        if name == "markdown":
            assert "<b>" not in ran.out
            rows = [line for line in ran.out.splitlines() if "evil" in line]
            assert [row.count(" | ") for row in rows] == [5]
