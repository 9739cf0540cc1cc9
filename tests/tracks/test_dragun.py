"""DRAGUN: rubrics and assessments, as the track released them, to its scores."""

from __future__ import annotations

import csv
import gzip
import json
from collections import defaultdict
from io import BytesIO, TextIOWrapper
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from argue_eval import formats
from argue_eval.records import Kind, Verdict
from tests.cli.conftest import Command
from tests.formats.reading import DATA, needs_data
from tests.tracks import files
from tests.tracks.files import bounds, changed, check_bounds, check_refused, lines, values

HEADER = "topic_id,run_tag,answer_id,annotation"
A, B, C = "A: Have to Know", "B: Good to Know", "C: Nice to Know"
RUBRICS = {
    "t1": ((A, ("a1", "a2")), (B, ("a3",))),
    "t2": ((C, ("a1", "a2", "a3", "a4")),),
    "t3": ((B, ("a1",)), (C, ("a2",))),
}
Said = dict[str, dict[str, tuple[str, ...]]]

SAID: Said = {
    "alpha": {
        "t1": ("supports", "contradicts", "partial"),
        "t2": ("supports", "partial", "none", "contradicts"),
        "t3": ("none", "supports"),
    },
    "beta": {
        "t1": ("none", "none", "contradicts"),
        "t2": ("supports",) * 4,
        "t3": ("contradicts",) * 2,
    },
    "gamma": {"t1": ("supports", "partial", "supports"), "t2": ("none",) * 4},
}


def rubric(topic_id: str) -> dict[str, Any]:
    questions = [
        {
            "question_id": f"q{number}",
            "question": f"What is {number}?",
            "importance": importance,
            "short_answers": [{"answer_id": each, "answer": f"It is {each}."} for each in answers],
        }
        for number, (importance, answers) in enumerate(RUBRICS[topic_id], 1)
    ]
    return {"topic_id": topic_id, "rubrics": questions}


def write_rubrics(folder: Path) -> str:
    return lines(folder, "rubrics.jsonl", map(rubric, RUBRICS))


def write(folder: Path, *rows: str, header: str = HEADER) -> str:
    return lines(folder, "assessments.csv", [header, *rows])


def rows_of(said: Said) -> list[str]:
    return [
        f"{topic_id},{run_id},a{number},{word}"
        for run_id, topics in said.items()
        for topic_id, words in topics.items()
        for number, word in enumerate(words, 1)
    ]


def scored(argue_eval: Command, *args: str, code: int = 0) -> str:
    return files.scored(argue_eval, "dragun", *args, code=code)


def test_scores_are_those_computed_by_hand(argue_eval: Command, tmp_path: Path) -> None:
    found = values(
        scored(argue_eval, write(tmp_path, *rows_of(SAID)), write_rubrics(tmp_path))
    )  # supportive, contradictory; answers supported, in part, contradicted
    by_hand = {
        ("alpha", "t1"): ((4 * 0.5 + 2 * 0.5) / 6, 4 * -0.5 / 6, 1, 1, 1),
        ("alpha", "t2"): (1.5 / 4, -1 / 4, 1, 1, 1),
        ("alpha", "t3"): (1 / 3, 0, 1, 0, 0),
        ("alpha", "all"): ((0.5 + 0.375 + 1 / 3) / 3, (-1 / 3 - 0.25) / 3, 3, 2, 2),
        ("beta", "t1"): (0, -2 / 6, 0, 0, 1),
        ("beta", "t2"): (1, 0, 4, 0, 0),
        ("beta", "t3"): (0, -1, 0, 0, 2),
        ("beta", "all"): (1 / 3, -4 / 9, 4, 0, 3),
        ("gamma", "t1"): ((4 * 0.75 + 2) / 6, 0, 2, 1, 0),
        ("gamma", "t2"): (0, 0, 0, 0, 0),
        ("gamma", "t3"): (0, 0, 0, 0, 0),
        ("gamma", "all"): (5 / 18, 0, 2, 1, 0),
    }
    names = (
        "supportive_score",
        "contradictory_score",
        "answers_supported",
        "answers_partial",
        "answers_contradicted",
    )
    for (run_id, topic_id), expected in by_hand.items():
        assert [found[run_id, name, topic_id] for name in names] == pytest.approx(expected)


def test_bounds_are_reached_over_all_ways_to_assess_what_is_missing(
    argue_eval: Command, tmp_path: Path
) -> None:
    words = {each[0]: each for each in ("supports", "partial", "none", "contradicts")}
    said: Said = {x + y: {"t1": (words[x], words[y], "partial")} for x, y in product(words, words)}
    rows = [*rows_of(said), "t1,open,a3,partial"]
    out = scored(argue_eval, write(tmp_path, *rows), write_rubrics(tmp_path), code=4)
    assert len(bounds(out, "open", "t1")) == 5
    check_bounds(out, "t1", list(said), {"open": "??"})
    assert values(out)["open", "supportive_score", "t1"] is None


def test_an_answer_that_nobody_assessed_is_not_asked_about_without_the_report(
    argue_eval: Command, tmp_path: Path
) -> None:
    path = write(tmp_path, "t1,alpha,a1,supports", "t1,alpha,a2,", "t1,alpha,a3,none")
    ran = argue_eval("score", path, write_rubrics(tmp_path), "--protocol", "dragun")
    assert ran.code == 4
    assert "1 x covers, judge none: no text of the report" in ran.err
    assert "a row without 'annotation' is left out" in ran.err


def test_a_judge_answers_what_is_not_assessed_where_the_report_is_at_hand(
    argue_eval: Command, tmp_path: Path
) -> None:
    meta = {"team_id": "x", "run_id": "alpha", "topic_id": "t1"}
    sentences = [{"text": "It is a2.", "citations": []}]
    run = lines(tmp_path, "alpha.jsonl", [{"metadata": meta, "responses": sentences}])
    assessed = write(tmp_path, "t1,alpha,a1,contradicts")
    args = [run, write_rubrics(tmp_path), "--judgments", assessed, "--protocol", "dragun"]
    assert argue_eval("score", *args, "-o", str(tmp_path / "out")).code == 0
    outcomes = (tmp_path / "out" / "alpha.outcomes.jsonl").read_text().splitlines()
    found = {each["nugget_id"]: each for each in map(json.loads, outcomes)}
    assert [found["a1"]["coverage"], found["a2"]["coverage"]] == ["contradicts", "yes"]
    assert found["a1"]["judge"] == "assessor:dragun"
    assert found["a2"]["sentences"] == [0]


def test_a_table_needs_rows_and_a_name(
    argue_eval: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rubrics, path = write_rubrics(tmp_path), write(tmp_path)
    ran = argue_eval("score", path, rubrics, "--protocol", "dragun")
    assert (ran.code, "the table has a header and no rows" in ran.err) == (1, True)
    content = BytesIO(Path(write(tmp_path, *rows_of(SAID))).read_bytes())
    monkeypatch.setattr("sys.stdin", TextIOWrapper(content))
    ran = argue_eval("score", "-", rubrics, "--protocol", "dragun")
    assert (ran.code, "name the file instead of -" in ran.err) == (1, True)


@pytest.mark.parametrize("has_rubrics", [True, False])
def test_what_is_written_of_runs_without_texts_makes_a_report(
    has_rubrics: bool, argue_eval: Command, tmp_path: Path
) -> None:
    path, out = write(tmp_path, *rows_of(SAID)), str(tmp_path / "out")
    qrels = write_rubrics(tmp_path) if has_rubrics else path
    assert argue_eval("score", path, qrels, "--protocol", "dragun", "-o", out).code == 0
    assert (tmp_path / "out" / "alpha.reports.jsonl").read_text() == ""
    ran = argue_eval("report", out, "-o", str(tmp_path / "report.html"))
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("protocol", ["argue", "key-points", "support"])
def test_assessments_alone_are_refused_where_texts_are_needed(
    argue_eval: Command, tmp_path: Path, protocol: str
) -> None:
    nuggets = lines(tmp_path, "claims.jsonl", [{"qid": "t1", "nuggets": [{"text": "It is a1."}]}])
    path = write(tmp_path, *rows_of(SAID))
    attestation = ["--attestation", "any-document"] * (protocol == "argue")
    ran = argue_eval("score", path, nuggets, "--protocol", protocol, *attestation)
    assert (ran.code, ran.out) == (1, "")
    assert "[no_texts] expected runs, found judgments of 3 runs without texts" in ran.err
    assert "the --protocol of its track: biogen, dragun" in ran.err


def test_validate_says_what_a_table_of_assessments_is_for(
    argue_eval: Command, tmp_path: Path
) -> None:
    ran = argue_eval("validate", write(tmp_path, *rows_of(SAID)))
    assert (ran.code, "found assessments as a table (CSV)" in ran.out) == (1, True)
    assert "--protocol dragun" in ran.out


def test_both_columns_are_judgments_by_two_judges(tmp_path: Path) -> None:
    header = "topic_id,run_tag,answer_id,annotation,auto_assessment,auto_rationale"
    path = write(tmp_path, 't1,r,a1,-1,partial,"so, ""it"" says"', header=header)
    people, machine = formats.read_judgments(path)
    assert (people.judge, people.verdict) == ("assessor:dragun", Verdict.CONTRADICTS)
    assert (machine.judge, machine.verdict) == ("auto:dragun", Verdict.PARTIAL)
    assert (machine.rationale, machine.kind) == ('so, "it" says', Kind.COVERS)
    assert (machine.run_id, machine.nugget_id, machine.sentence_index) == ("r", "a1", None)


def test_two_files_of_assessments_are_compared(argue_eval: Command, tmp_path: Path) -> None:
    people = write(tmp_path, *rows_of(SAID))
    judge = tmp_path / "auto.csv"
    text = Path(people).read_text().replace("annotation", "auto_assessment")
    judge.write_text(text.replace("t3,beta,a1,contradicts", "t3,beta,a1,none"))
    ran = argue_eval("meta-eval", str(judge), "--truth", people, "--format", "json")
    assert ran.code == 0, ran.err
    (found,) = json.loads(ran.out)["agreements"]
    cells = {(each["truth"], each["judge"]): each["num"] for each in found["confusion"]}
    assert len(cells) == 16
    assert cells["contradicts", "contradicts"] == 4
    assert cells["contradicts", "no"] == 1
    assert found["figures"]["accuracy"]["value"] == pytest.approx(24 / 25)


def test_a_rubric_is_ingested_and_written_back(argue_eval: Command, tmp_path: Path) -> None:
    rubrics, canonical = write_rubrics(tmp_path), str(tmp_path / "qrels.json")
    assert argue_eval("ingest", "qrels", rubrics, "-o", canonical).code == 0
    nuggets = json.loads(Path(canonical).read_text())["topics"][0]["nuggets"]
    shown = [(each["nugget_id"], each["weight"], each["group"]) for each in nuggets]
    assert shown == [("a1", 4, "q1"), ("a2", 4, "q1"), ("a3", 2, "q2")]
    ran = argue_eval("convert", canonical, "--to", "dragun")
    assert ran.code == 0
    assert [json.loads(line) for line in ran.out.splitlines()] == [*map(rubric, RUBRICS)]


@pytest.mark.parametrize("command", ["ingest", "convert"])
def test_answers_without_texts_are_no_nuggets_to_write(
    command: str, tmp_path: Path, argue_eval: Command
) -> None:
    path = write(tmp_path, *rows_of(SAID))
    kind = ["--to", "canonical", "--kind", "nuggets"]
    args = ["ingest", "qrels", path] if command == "ingest" else ["convert", path, *kind]
    check_refused(argue_eval, tmp_path, args, "text")


# --- what is broken ---

BROKEN_ROWS = [
    ("t1,r,a1,maybe", "bad_verdict", "expected one of supports, partial, none, contradicts"),
    ("t1,r,a1,0.7", "bad_verdict", "found the text '0.7'"),
    ("t1,r,a1", "wrong_columns", "expected 4 values, as the header has, found 3"),
    ("t1,r,a1,none,more", "wrong_columns", "found 5"),
    ("t1,r,a0,none", "duplicate_label", "is assessed again; first on line 2"),
    (",r,a1,none", "empty_id", "expected an id"),
    ("t1,,a1,none", "empty_id", "$.run_tag"),
    ("t1,r, ,none", "empty_id", "$.answer_id"),
    ("t1,r,a\x011,none", "bad_id", "not printable"),
    ('t1,r,a1,"none', "broken_row", "unexpected end of data"),
    ('t1,r,a1,"none"x', "broken_row", "the row cannot be read"),
]
BROKEN_HEADERS = [
    ("topic_id,run_tag,annotation", "unknown_format", "also needs 'answer_id'"),
    ("topic_id,answer_id,annotation", "unknown_format", "also needs 'run_tag'"),
    ("topic_id,run_tag,answer_id,annotation,annotation", "duplicate_column", "'annotation'"),
    ("topic_id,run_tag,answer_id,grade", "missing_key", "the key 'annotation'"),
    ("topic_id;run_tag;answer_id;annotation", "unknown_format", "expected JSON lines"),
]


@pytest.mark.parametrize(("row", "code", "message"), BROKEN_ROWS)
def test_a_broken_row_is_located(
    row: str, code: str, message: str, tmp_path: Path, argue_eval: Command
) -> None:
    path = write(tmp_path, "t1,r,a0,none", row, "t1,r,a2,none")
    args = ["score", path, write_rubrics(tmp_path), "--protocol", "dragun"]
    check_refused(argue_eval, tmp_path, args, f"{path}:3: error [{code}]", message)


@pytest.mark.parametrize(("header", "code", "message"), BROKEN_HEADERS)
def test_a_broken_header_is_told(
    header: str, code: str, message: str, tmp_path: Path, argue_eval: Command
) -> None:
    path = write(tmp_path, ",".join(["t1"] * (1 + header.count(","))), header=header)
    args = ["score", path, write_rubrics(tmp_path), "--protocol", "dragun"]
    check_refused(argue_eval, tmp_path, args, f"[{code}]", message)


def question(**changes: Any) -> dict[str, Any]:
    return changed(rubric("t3")["rubrics"][0], **changes)


ANSWER = {"answer_id": "a1", "answer": "It is."}
BROKEN_RUBRICS = [
    ({"rubrics": {}}, "wrong_type", "expected a list"),
    ({"rubrics": ...}, "missing_key", "'rubrics'"),
    ({"rubrics": ["q"]}, "wrong_type", "expected an object"),
    ({"topic_id": 3}, "wrong_type", "expected an id in quotes"),
    ({"topic_id": " "}, "empty_id", "expected an id"),
    ({"rubrics": [question(question_id=...)]}, "missing_key", "'question_id'"),
    ({"rubrics": [question(importance=...)]}, "missing_key", "'importance'"),
    ({"rubrics": [question(importance="D: Useless")]}, "bad_value", "'A: Have to Know'"),
    ({"rubrics": [question(importance=4)]}, "bad_value", "found the number 4"),
    ({"rubrics": [question(short_answers=...)]}, "missing_key", "'short_answers'"),
    ({"rubrics": [question(short_answers="It is.")]}, "wrong_type", "expected a list"),
    ({"rubrics": [question(short_answers=[{"answer": "x"}])]}, "missing_key", "'answer_id'"),
    ({"rubrics": [question(short_answers=[{"answer_id": "a"}])]}, "missing_key", "'answer'"),
    (
        {"rubrics": [question(short_answers=[{**ANSWER, "answer": " "}])]},
        "blank_text",
        "expected text, found white space",
    ),
    (
        {"rubrics": [question(short_answers=[ANSWER, ANSWER])]},
        "duplicate_nugget",
        "two answers 'a1'",
    ),
    ({"rubrics": [question(), question(short_answers=[])]}, "duplicate_nugget", "two questions"),
    ({"rubrics": [question(question=7)]}, "wrong_type", "expected text"),
]


@pytest.mark.parametrize(("changes", "code", "message"), BROKEN_RUBRICS)
def test_a_broken_rubric_is_located(
    changes: dict[str, Any], code: str, message: str, tmp_path: Path, argue_eval: Command
) -> None:
    broken = changed(rubric("t3"), **changes)
    path = lines(tmp_path, "rubrics.jsonl", [rubric("t1"), broken])
    check_refused(argue_eval, tmp_path, ["ingest", "qrels", path], code, f"{path}:2", message)


@pytest.mark.parametrize("word", ["A", "a: have to know", "Have to Know", "HAVE_TO_KNOW"])
def test_an_importance_is_read_however_it_is_written(word: str, tmp_path: Path) -> None:
    value = {**rubric("t3"), "rubrics": [question(importance=word)]}
    (topic,) = formats.read_nuggets(lines(tmp_path, "rubrics.jsonl", [value]))
    assert [nugget.weight for nugget in topic.nuggets] == [4]


# --- the released assessments ---

RELEASED = DATA / "dragun25" / "auto_report_assessments.csv.gz"


@needs_data
def test_all_runs_score_as_a_plain_computation_says(argue_eval: Command) -> None:
    worth = {"supports": 1.0, "partial": 0.5, "none": 0.0, "contradicts": -1.0}
    said: dict[tuple[str, str], list[float]] = defaultdict(list)
    with gzip.open(RELEASED, "rt", newline="") as stream:
        for row in csv.DictReader(stream):
            said[row["run_tag"], row["topic_id"]].append(worth[row["auto_assessment"]])
    found = values(scored(argue_eval, str(RELEASED), str(RELEASED)))
    assert sum(map(len, said.values())) == 14326
    runs = {run_id for run_id, _ in said}
    assert len(runs) == 26
    for run_id in runs:
        topics = [each for (run, _), each in said.items() if run == run_id]
        positive = fmean([fmean([max(value, 0) for value in topic]) for topic in topics])
        negative = fmean([fmean([min(value, 0) for value in topic]) for topic in topics])
        assert found[run_id, "supportive_score", "all"] == pytest.approx(positive, abs=1e-12)
        assert found[run_id, "contradictory_score", "all"] == pytest.approx(negative, abs=1e-12)


@needs_data
@pytest.mark.parametrize(
    "name",
    [
        "dragun-organizers-starter-kit-task-2.jsonl.gz",
        "garag_rubric.jsonl.gz",
        "organizer-gpt-oss-t2.jsonl.gz",
    ],
)
def test_submitted_runs_are_valid(argue_eval: Command, name: str) -> None:
    ran = argue_eval("validate", str(DATA / "dragun25" / name), "--track", "dragun25")
    assert (ran.code, "ok" in ran.out) == (0, True)
