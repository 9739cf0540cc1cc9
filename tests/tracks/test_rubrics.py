"""Rubrics of weighted criteria, positive and negative: files, scores, bounds, axes."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from tests.cli.conftest import Command
from tests.formats.reading import DATA, needs_data
from tests.tracks import files
from tests.tracks.files import Json, bounds, changed, check_bounds, check_refused, lines, values

WORDS = {"+": "satisfied", "~": "partially_satisfied", "-": "not_satisfied"}
CRITERIA = {  # weight and axis
    "t1": [(5, "content"), (2, "content"), (3, "style")],
    "t2": [(4, "content"), (-3, "style"), (0, "style")],
    "t3": [(1, "content"), (-2, "content")],
}
VERDICTS = {
    "alpha": {"t1": "+~-", "t2": "++-", "t3": "-+"},
    "beta": {"t1": "+++", "t2": "~-+", "t3": "~~"},
    "gamma": {"t1": "---", "t2": "+-+"},
}


def criteria(topic_id: str, verdicts: str = "") -> list[Json]:
    found: list[Json] = [
        {"text": f"It says {place}.", "weight": weight, "axis": axis}
        for place, (weight, axis) in enumerate(CRITERIA[topic_id], 1)
    ]
    for each, verdict in zip(found, verdicts, strict=bool(verdicts)):
        each["verdict"] = WORDS[verdict]
    return found


def rubric(topic_id: str) -> Json:
    items = [{"criterion": each.pop("text"), **each} for each in criteria(topic_id)]
    return {"qid": topic_id, "domain": "rivers", "rubrics": items}


def graded(topic_id: str, run_id: str, verdicts: str) -> Json:
    return {"qid": topic_id, "run_id": run_id, "criteria": criteria(topic_id, verdicts)}


def written(folder: Path) -> tuple[str, str]:
    """Graded rubrics of all runs, and the rubrics."""
    rows = [graded(t, run, said) for run, about in VERDICTS.items() for t, said in about.items()]
    rubrics = lines(folder, "rubrics.jsonl", map(rubric, CRITERIA))
    return lines(folder, "graded.jsonl", rows), rubrics


def scored(argue_eval: Command, *args: str, code: int = 0) -> str:
    return files.scored(argue_eval, "rubrics", *args, code=code)


BY_HAND = {  # ternary, binary
    ("alpha", "t1"): ((5 + 1) / 10, 5 / 10),
    ("alpha", "t2"): ((4 - 3) / 4, (4 - 3) / 4),
    ("alpha", "t3"): (-2 / 1, -2 / 1),
    ("alpha", "all"): ((0.6 + 0.25 - 2) / 3, (0.5 + 0.25 - 2) / 3),
    ("beta", "t1"): (1, 1),
    ("beta", "t2"): (2 / 4, 0),
    ("beta", "t3"): ((0.5 - 1) / 1, 0),
    ("beta", "all"): ((1 + 0.5 - 0.5) / 3, 1 / 3),
    ("gamma", "t1"): (0, 0),
    ("gamma", "t2"): (1, 1),
    ("gamma", "t3"): (0, 0),
    ("gamma", "all"): (1 / 3, 1 / 3),
}


@pytest.mark.parametrize("has_rubrics", [True, False], ids=["with the rubrics", "graded alone"])
def test_scores_are_those_computed_by_hand(
    has_rubrics: bool, argue_eval: Command, tmp_path: Path
) -> None:
    answers, rubrics = written(tmp_path)
    found = values(scored(argue_eval, answers, rubrics if has_rubrics else answers))
    for (run_id, topic_id), expected in BY_HAND.items():
        names = ("rubric_score", "rubric_score_binary")
        assert [found[run_id, name, topic_id] for name in names] == pytest.approx(expected)


def test_grades_of_two_files_are_those_of_two_runs_or_an_error(
    argue_eval: Command, tmp_path: Path
) -> None:
    """A run without an id is called as its file is; the grades of two runs are never mixed."""
    (tmp_path / "b").mkdir()
    rows = {"x.v1.jsonl": "+++", "x.v2.jsonl": "---", "b/x.v1.jsonl": "---"}
    paths = [
        lines(tmp_path, name, [{"qid": "t1", "criteria": criteria("t1", said)}])
        for name, said in rows.items()
    ]
    found = values(scored(argue_eval, *paths[:2], paths[0]))
    assert [found[run_id, "rubric_score", "t1"] for run_id in ("x.v1", "x.v2")] == [1, 0]
    ran = argue_eval("score", paths[0], paths[2], paths[0], "--protocol", "rubrics")
    assert (ran.code, "error [run_id_taken] the run id 'x.v1'" in ran.err) == (1, True)


def test_averages_by_axis_are_over_topics_that_have_it(argue_eval: Command, tmp_path: Path) -> None:
    found = values(scored(argue_eval, *written(tmp_path), "--by", "axis"))
    # content: 6/7, 4/4 and -2/1; style: 0/3, while in t2 no weight of it is positive
    for axis, mean, number in (("content", (6 / 7 + 1 - 2) / 3, 3), ("style", 0, 2)):
        assert found["alpha", f"rubric_score[axis={axis}]", "all"] == pytest.approx(mean)
        assert found["alpha", f"num_q[axis={axis}]", "all"] == number


def test_bounds_are_reached_over_all_ways_to_grade_what_is_missing(
    argue_eval: Command, tmp_path: Path
) -> None:
    ways = ["".join(each) for each in product(WORDS, repeat=3)]
    rows = [graded("t2", each, each) for each in ways]
    for run_id, open_ in (("first", (0, 1)), ("last", (1, 2)), ("none", ())):
        row = graded("t2", run_id, "~~~")
        for place in open_:
            row["criteria"][place]["verdict"] = "failed" if place else None
        rows.append(row)
    path = lines(tmp_path, "graded.jsonl", rows)
    out = scored(argue_eval, path, path, code=4)
    check_bounds(out, "t2", ways, {"first": "??~", "last": "~??", "none": "~~~"})


def test_a_judge_grades_answers_whose_texts_are_at_hand(
    argue_eval: Command, tmp_path: Path
) -> None:
    meta = {"team_id": "x", "run_id": "alpha", "topic_id": "t1"}
    sentences = [{"text": "It says 2.", "citations": []}]
    run = lines(tmp_path, "alpha.jsonl", [{"metadata": meta, "responses": sentences}])
    ran = argue_eval("score", run, written(tmp_path)[1], "--protocol", "rubrics", "-o",
                     str(tmp_path / "out"))  # fmt: skip
    assert ran.code == 0, ran.err
    outcomes = (tmp_path / "out" / "alpha.outcomes.jsonl").read_text().splitlines()
    found = [(each["weight"], each["coverage"]) for each in map(json.loads, outcomes)]
    assert found == [(5, "no"), (2, "yes"), (3, "no")]


def test_an_answer_in_the_file_is_asked_about_and_one_without_is_not(
    argue_eval: Command, tmp_path: Path
) -> None:
    rows = [graded("t1", run_id, "+~-") for run_id in ("has", "lacks")]
    for row in rows:
        row["criteria"][1]["verdict"] = None
    rows[0]["answer_text"] = "It says 2."
    path = lines(tmp_path, "graded.jsonl", rows)
    out = scored(argue_eval, path, path, code=4)
    assert bounds(out, "has", "t1")["rubric_score"] == (0.7, 0.7)
    assert bounds(out, "lacks", "t1")["rubric_score"] == (0.5, 0.7)


def test_a_rubric_is_ingested_and_written_back(argue_eval: Command, tmp_path: Path) -> None:
    rubrics, canonical = written(tmp_path)[1], str(tmp_path / "qrels.json")
    assert argue_eval("ingest", "qrels", rubrics, "-o", canonical).code == 0
    ran = argue_eval("convert", canonical, "--to", "rubrics")
    assert ran.code == 0, ran.err
    assert [json.loads(line) for line in ran.out.splitlines()] == [*map(rubric, CRITERIA)]


# --- what is broken ---

GOOD = {"criterion": "It says so.", "weight": 1, "axis": "content"}


BROKEN = [
    (changed(rubric("t2"), qid=...), "missing_key", "'qid'"),
    (changed(rubric("t2"), qid=""), "empty_id", "expected an id"),
    (changed(rubric("t2"), qid=["t2"]), "wrong_type", "expected an id"),
    (changed(rubric("t2"), qid="t1"), "duplicate_topic", "occurs again"),
    (changed(rubric("t2"), rubrics={}), "wrong_type", "expected a list"),
    (changed(rubric("t2"), rubrics=None), "wrong_type", "expected a list"),
    (changed(rubric("t2"), rubrics=["It says so."]), "wrong_type", "expected an object"),
    (changed(rubric("t2"), rubrics=[changed(GOOD, criterion=...)]), "missing_key", "'criterion'"),
    (changed(rubric("t2"), rubrics=[{**GOOD, "criterion": 5}]), "wrong_type", "expected text"),
    (changed(rubric("t2"), rubrics=[{**GOOD, "criterion": "\t"}]), "blank_text", "white space"),
    (changed(rubric("t2"), rubrics=[{**GOOD, "weight": "5"}]), "wrong_type", "expected a number"),
    (changed(rubric("t2"), rubrics=[{**GOOD, "weight": True}]), "wrong_type", "expected a number"),
    (changed(rubric("t2"), rubrics=[{**GOOD, "weight": 1e7}]), "out_of_range", "found the number"),
    (changed(rubric("t2"), rubrics=[{**GOOD, "weight": [1]}]), "wrong_type", "expected a number"),
    (changed(rubric("t2"), rubrics=...), "missing_key", "'criteria'"),
    ([rubric("t2")], "wrong_type", "expected an object"),
]


@pytest.mark.parametrize(("value", "code", "message"), BROKEN)
def test_a_broken_rubric_is_located(
    value: Any, code: str, message: str, tmp_path: Path, argue_eval: Command
) -> None:
    path = lines(tmp_path, "rubrics.jsonl", [rubric("t1"), value])
    check_refused(argue_eval, tmp_path, ["ingest", "qrels", path], code, f"{path}:2", message)


def broken_verdict(**changes: Any) -> Json:
    row = graded("t2", "beta", "+-+")
    row["criteria"][1] = changed(row["criteria"][1], **changes)
    return row


BROKEN_GRADES = [
    (broken_verdict(verdict="maybe"), "bad_verdict", "expected one of 'satisfied'"),
    (broken_verdict(verdict="Satisfied"), "bad_verdict", "'Satisfied'"),
    (broken_verdict(verdict=1), "bad_verdict", "found the number 1"),
    (broken_verdict(verdict=True), "bad_verdict", "found true"),
    (broken_verdict(verdict=...), "missing_key", "'verdict'"),
    (broken_verdict(text=...), "missing_key", "'criterion' (or 'text')"),
    (broken_verdict(text=" "), "blank_text", "white space"),
    (broken_verdict(weight=-1), "duplicate_topic", "the topic 't2' occurs again"),
    (changed(graded("t2", "beta", "+-+"), run_id=7), "wrong_type", "expected an id"),
    (changed(graded("t2", "beta", "+-+"), run_id=None), "wrong_type", "$.run_id"),
    (changed(graded("t2", "beta", "+-+"), run_id=""), "empty_id", "expected an id"),
    (changed(graded("t2", "beta", "+-+"), answer_text=["x"]), "wrong_type", "$.answer_text"),
    (changed(graded("t2", "beta", "+-+"), criteria="+"), "wrong_type", "expected a list"),
    (changed(graded("t2", "beta", "+-+"), criteria=[7]), "wrong_type", "expected an object"),
    (graded("t2", "alpha", "+-+"), "duplicate_report", "occurs again"),
]


@pytest.mark.parametrize(("value", "code", "message"), BROKEN_GRADES)
def test_broken_grades_are_located(
    value: Any, code: str, message: str, tmp_path: Path, argue_eval: Command
) -> None:
    rows = [graded("t1", "alpha", "+~-"), graded("t2", "alpha", "+-+"), value]
    path = lines(tmp_path, "graded.jsonl", rows)
    command = ["score", path, path, "--protocol", "rubrics"]
    check_refused(argue_eval, tmp_path, command, f"{path}:3: error [{code}]", message)


def test_a_criterion_without_weight_counts_1_and_a_warning_says_so(
    argue_eval: Command, tmp_path: Path
) -> None:
    row = graded("t1", "alpha", "+--")
    for each in row["criteria"]:
        del each["weight"]
    path = lines(tmp_path, "graded.jsonl", [row])
    assert values(scored(argue_eval, path, path))["alpha", "rubric_score", "t1"] == 1 / 3
    warnings: list[Any] = []
    formats.read_nuggets(path, warnings=warnings)
    assert "missing_weight" in {each.code for each in warnings}


# --- the development data of RAG 2026 ---

RAG26 = DATA / "rag26"


@needs_data
def test_released_rubrics_are_read_ingested_and_scored(argue_eval: Command, tmp_path: Path) -> None:
    released = str(RAG26 / "research-rubrics-dev-rubrics.jsonl.gz")
    topics = str(RAG26 / "research-rubrics-topics-dev.tsv")
    found = formats.read_nuggets(released)
    assert (len(found), sum(len(each.nuggets) for each in found)) == (30, 755)
    assert len(formats.read_topics(topics)) == 30
    assert len(formats.read_topics(str(RAG26 / "trec_rag_2026_queries.tsv"))) > 100
    canonical, back = str(tmp_path / "qrels.json"), str(tmp_path / "back.jsonl")
    ran = argue_eval("ingest", "qrels", released, "--requests", topics, "-o", canonical)
    assert (ran.code, "duplicate_question" in ran.out) == (0, True)
    assert argue_eval("convert", canonical, "--to", "rubrics", "-o", back).code == 0
    assert formats.read_nuggets(back) == found
    first = found[0]
    said = [each.answers[0].answer for each in first.nuggets if (each.weight or 0) > 0]
    meta = {"team_id": "x", "run_id": "parrot", "topic_id": first.topic_id}
    sentences = [{"text": each, "citations": []} for each in said]
    run = lines(tmp_path, "run.jsonl", [{"metadata": meta, "responses": sentences}])
    out = values(scored(argue_eval, run, released, "--requests", topics))
    assert (out["parrot", "rubric_score", first.topic_id] or 0) > 0.7
    assert out["parrot", "rubric_score", "all"] == pytest.approx(
        (out["parrot", "rubric_score", first.topic_id] or 0) / 30
    )
