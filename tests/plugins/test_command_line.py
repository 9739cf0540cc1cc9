"""Every plug-in of another package works in every command that has a use for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.conftest import Python

INPUTS = "checklists.jsonl --requests themes.jsonl --collection sources.jsonl"
SCORE = f"score ann.jsonl bob.jsonl {INPUTS} --protocol clauses"
LISTED = [
    ("protocols", "clauses     Clauses: a sentence makes a claim in each clause"),
    ("measures", "clauses (--protocol clauses, or -m): Clauses: a sentence makes a claim"),
    ("measures", "  clause_support  clauses that a cited document supports\n"),
    ("judges", "words     Words alone: a text supports or covers"),
    ("clients", "echo  A model that answers every question with the same word"),
    ("formats", "  themes     read, written  JSON lines with `theme` and `wanted`.\n"),
    ("formats", "  checklists  read, written  JSON lines with `theme` and `checklist`"),
    ("formats", "  essays      read, written  JSON lines with `theme`, `author` and `essay`"),
    ("formats", "  sources  read  JSON lines with `source` and `body`.\n"),
    ("formats", "  marks           read           JSON lines with `theme`, `claim`"),
    ("formats", "  bars         written  Bars: a line of up to ten signs"),
    ("formats", "  codes   written  How many findings of each code there are.\n"),
    ("tracks", "essays26"),
]


def _objects(lines: str) -> list[Any]:
    return [json.loads(line) for line in lines.splitlines()]


def _spaced(text: str) -> str:
    """The text with one space between words: columns are as wide as the longest name."""
    return " ".join(text.split())


@pytest.mark.parametrize("what", sorted({what for what, _ in LISTED}))
def test_it_is_listed(argue_eval: Python, what: str) -> None:
    printed = _spaced(argue_eval(f"list {what}").stdout)
    assert [line for kind, line in LISTED if kind == what and _spaced(line) not in printed] == []


@pytest.mark.parametrize("name", ["clause_support", "clauses"])
def test_a_measure_is_explained_by_its_name_and_by_that_of_its_family(
    argue_eval: Python, name: str
) -> None:
    lines = argue_eval(f"explain {name}").stdout.splitlines()
    assert lines[0] == "clause_support (clauses)"
    assert lines[3].split() == ["denominator", "clauses", "of", "the", "report"]


def test_a_sentence_is_explained_by_the_outcomes_of_its_protocol(argue_eval: Python) -> None:
    line = "explain outcome ann.jsonl checklists.jsonl --judgments marks.jsonl --judge none"
    ran = argue_eval(f"{line} --protocol clauses --topic mill --sentence 0")
    assert [each for each in ran.stdout.splitlines() if "is_supported" in each] == [
        "  is_supported: true",
        "  is_supported: null",
    ]


def test_a_protocol_is_scored_from_marks_and_by_a_judge(argue_eval: Python) -> None:
    ran = argue_eval(f"{SCORE} --judgments marks.jsonl --judge words -q")
    values = [line.split() for line in ran.stdout.splitlines() if line.startswith("clause")]
    assert values == [
        ["clause_support", "mill", "0.5000"],
        ["clause_support", "dam", "1.0000"],
        ["clause_support", "all", "0.7500"],
        ["clause_support", "mill", "0.0000"],
        ["clause_support", "dam", "0.0000"],
        ["clause_support", "all", "0.0000"],
    ]
    assert "signature: protocol:clauses|" in ran.stderr
    assert "|support:words@1|" in ran.stderr


def test_what_nobody_judged_has_bounds_and_is_counted(argue_eval: Python) -> None:
    ran = argue_eval(f"{SCORE} --judgments marks.jsonl --judge none --format json -q", code=4)
    ann, bob = json.loads(ran.stdout)
    assert (ann["num_unjudged"], bob["num_unjudged"]) == (1, 0)
    row = ann["scores"][-1]
    assert (row["value"], row["lower"], row["upper"]) == (None, 0.75, 1.0)
    assert "1 x support, judge none: no judgment in the files" in ran.stderr


def test_a_measure_is_computed_beside_ours_and_with_all(argue_eval: Python) -> None:
    line = f"score ann.jsonl {INPUTS} --judge words"
    ran = argue_eval(f"{line} -m clause_support -m nugget_recall")
    names = [line.split()[0] for line in ran.stdout.splitlines()]
    assert names[-2:] == ["nugget_recall", "clause_support"]
    assert "clause_support" not in argue_eval(line).stdout
    assert "clause_support" in argue_eval(f"{line} -m all").stdout


def test_a_model_is_asked_through_a_client_and_its_answers_are_stored(argue_eval: Python) -> None:
    line = f"{SCORE} --support-judge llm:echo:yes --store answers.store --format trec_eval"
    ran = argue_eval(line)
    assert ran.stdout.count("clause_support        \tall\t1.0000") == 1
    assert "|support:llm@2/echo:yes@1/" in ran.stderr
    assert "store answers.store: 0 found, 5 judged" in ran.stderr
    assert "store answers.store: 5 found, 0 judged" in argue_eval(line).stderr
    ran = argue_eval(f"judge ann.jsonl {INPUTS} --protocol clauses --judge llm:echo:no --dry-run")
    assert "llm@2/echo:no@1/" in ran.stdout


def test_results_are_written_to_a_folder_for_any_protocol(
    argue_eval: Python, tmp_path: Path
) -> None:
    argue_eval(f"{SCORE} --judge words -o results")
    folder = tmp_path / "results"
    outcomes = _objects((folder / "ann.outcomes.jsonl").read_text("utf-8"))
    assert [each["is_supported"] for each in outcomes] == [True, False, True]
    leaderboard = (folder / "leaderboard.tsv").read_text("utf-8").splitlines()
    assert [line.split("\t")[:3] for line in leaderboard] == [
        ["run_id", "team_id", "clause_support"], ["ann", "", "0.75"], ["bob", "", "0.0"]
    ]  # fmt: skip
    judgments = (folder / "ann.judgments.jsonl").read_text("utf-8")
    assert judgments.count('"judge":"words@1"') == 3
    again = argue_eval(f"{SCORE} --judgments results/ann.judgments.jsonl --judge none -q", code=4)
    assert "clause_support        \tall\t0.7500" in again.stdout


def test_views_write_scores_and_findings(argue_eval: Python) -> None:
    ran = argue_eval(f"{SCORE} --judge words --format bars")
    assert ran.stdout == "ann clause_support ########\n\nbob clause_support \n"
    assert argue_eval("validate ann.jsonl --track rag26 --format codes", code=1).stdout


def test_a_name_that_is_taken_stays_ours(argue_eval: Python) -> None:
    assert argue_eval(f"{SCORE} --judge words --format json -q").stdout.startswith("[\n")
    scores = argue_eval("list formats").stdout.partition("\nscores\n")[2].partition("tables")[0]
    assert scores.count("  json ") == 1


def test_a_run_is_checked_against_a_track_that_is_named_or_guessed(argue_eval: Python) -> None:
    for option in ("--track essays26", ""):
        ran = argue_eval(f"validate bob.jsonl ann.jsonl {option} --requests themes.jsonl")
        assert "ann.jsonl: ok, 2 reports, checked against essays26" in ran.stdout
    rules = argue_eval("explain track essays26").stdout
    assert "a report is no longer than 12 words" in rules


def test_a_track_of_any_format_checks_what_the_format_reads(
    argue_eval: Python, tmp_path: Path
) -> None:
    essays = _objects((tmp_path / "ann.jsonl").read_text("utf-8"))
    essays[1]["author"] = "eve"
    (tmp_path / "list.json").write_text(json.dumps(essays, indent=1), encoding="utf-8")
    del essays[0]["essay"][0]["text"]
    essays[1]["theme"] = "dams"
    lines = "".join(json.dumps(each) + "\n" for each in essays)
    (tmp_path / "wrong.jsonl").write_text(f"{lines}{{\n", encoding="utf-8")
    ran = argue_eval("validate ann.jsonl --track generic --requests themes.jsonl")
    assert ran.stdout.startswith("ann.jsonl: ok, 2 reports, checked against generic, revision ")
    ran = argue_eval("validate list.json wrong.jsonl --track generic --json", code=1)
    listed, wrong = json.loads(ran.stdout)["runs"]
    assert (listed["num_reports"], wrong["num_reports"]) == (2, 2)
    found = [(each["code"], each["line"], each["path"]) for each in listed["findings"]]
    assert found == [("run_id_differs", 14, "$.run_id")]
    found = [(each["code"], each["line"], each["path"]) for each in wrong["findings"]]
    assert found == [
        ("empty_answer", 1, "$.sentences"),
        ("run_id_differs", 2, "$.run_id"),
        ("missing_key", 1, "$.essay[0]"),
        ("json_truncated", 3, ""),
        ("run_id_taken", None, ""),
    ]


@pytest.mark.parametrize("option", ["", "--form themes"])
def test_requests_are_taken_in_by_content_or_name(argue_eval: Python, option: str) -> None:
    ran = argue_eval(f"ingest requests themes.jsonl -o - {option}")
    assert [each["topic_id"] for each in _objects(ran.stdout)] == ["mill", "dam"]


@pytest.mark.parametrize("option", ["", "--form checklists"])
def test_nuggets_are_taken_in_by_content_or_name(argue_eval: Python, option: str) -> None:
    ran = argue_eval(f"ingest qrels checklists.jsonl -o - --requests themes.jsonl {option}")
    topics = json.loads(ran.stdout)["topics"]
    assert [topic["nuggets"][0]["answers"][0]["doc_ids"] for topic in topics] == [["s1"], ["s2"]]


@pytest.mark.parametrize(
    ("source", "kind", "name"),
    [
        ("themes.jsonl", "requests", "themes"),
        ("checklists.jsonl", "nuggets", "checklists"),
        ("ann.jsonl", "runs", "essays"),
    ],
)
def test_files_are_converted_to_ours_and_back(
    argue_eval: Python, tmp_path: Path, source: str, kind: str, name: str
) -> None:
    argue_eval(f"convert {source} --to canonical -o ours.jsonl")
    argue_eval(f"convert {source} --kind {kind} --form {name} --to canonical -o named.jsonl")
    ours, named = tmp_path / "ours.jsonl", tmp_path / "named.jsonl"
    assert ours.read_bytes() == named.read_bytes()
    ran = argue_eval(f"convert ours.jsonl --to {name} --lossy")
    assert _objects(ran.stdout) == _objects((tmp_path / source).read_text("utf-8"))


def test_what_a_format_cannot_hold_is_refused(argue_eval: Python, tmp_path: Path) -> None:
    question = {"nugget_id": "1", "question": "When?", "answers": []}
    nuggets = {
        "format": "argue-eval/nuggets/1",
        "topics": [{"topic_id": "t", "nuggets": [question]}],
    }
    (tmp_path / "nuggets.json").write_text(json.dumps(nuggets), encoding="utf-8")
    ran = argue_eval("convert nuggets.json --to checklists", code=1)
    assert "this format has claims only, and it is a question" in ran.stderr


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("score ann.jsonl checklists.jsonl --protocol clausez", "Did you mean 'clauses'?"),
        ("score ann.jsonl checklists.jsonl -m clause_suport", "Did you mean 'clause_support'?"),
        ("score ann.jsonl checklists.jsonl --judge word", "Did you mean 'words'?"),
        ("score ann.jsonl checklists.jsonl --judge words:large", "'words' takes no model"),
        ("score ann.jsonl checklists.jsonl --format bar", "Did you mean 'bars'?"),
        ("validate ann.jsonl --track essays27", "Did you mean 'essays26'?"),
        ("validate ann.jsonl --format code", "Did you mean 'codes'?"),
        ("convert ann.jsonl --to essayz", "Did you mean 'essays'?"),
        ("convert ann.jsonl --to themes", "'themes' is a format of requests"),
        ("score ann.jsonl checklists.jsonl --protocol clauses --reading strict", "--reading is"),
    ],
)
def test_mistakes_are_reported_with_the_names_of_its_plug_ins(
    argue_eval: Python, line: str, expected: str
) -> None:
    assert expected in argue_eval(line, code=2).stderr


def test_a_file_of_the_wrong_kind_is_named(argue_eval: Python) -> None:
    ran = argue_eval("score checklists.jsonl ann.jsonl", code=1)
    assert "expected nuggets, found a run" in ran.stderr
    ran = argue_eval("score ann.jsonl checklists.jsonl --judgments ann.jsonl", code=1)
    assert "expected judgments, found a run" in ran.stderr
