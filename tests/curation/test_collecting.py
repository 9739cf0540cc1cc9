"""What comes back from assessors: nothing is lost, nothing counts twice, conflicts are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import argue_eval as ae
from argue_eval.formats.sheets import Row, lines
from tests.cli.conftest import Command

ROWS = [
    Row(
        {"topic_id": "t", "kind": "support", "doc_id": f"d{number}", "sentence": f"S{number}."},
        "Does the document support the sentence? (yes, partial, no or contradicts)",
        f"S{number}.",
        "A text.",
        probability=0.5,
    )
    for number in range(4)
]


def sheet(name: str, rows: list[Row] = ROWS) -> str:
    Path(name).write_text("".join(lines(rows, len(rows), name.rpartition(".")[2])), "utf-8")
    return name


def export(name: str, judge: str, verdicts: str, time: str = "2026-01-01T10:00:00.000Z") -> str:
    """Writes what the page exports: y, n, ? or a point for each row."""
    words = {"y": "yes", "n": "no", "?": "?", ".": ""}
    values: list[dict[str, Any]] = [
        {
            **{"row": f"{place} of {len(verdicts)}", **row.keys, "verdict": words[letter]},
            **{"note": f"by {judge}", "judge": judge, "time": time, "probability": 0.5},
            "sheet": "0123",
        }
        for place, (row, letter) in enumerate(zip(ROWS, verdicts, strict=True), 1)
    ]
    Path(name).write_text("".join(json.dumps(each) + "\n" for each in values), "utf-8")
    return name


def said(path: str = "out.jsonl") -> list[tuple[str, str, str]]:
    return [(each.judge, each.doc_id, each.verdict.value) for each in ae.read_judgments(path)]


def test_answers_of_all_are_kept_with_time_note_and_probability(argue_eval: Command) -> None:
    export("a.jsonl", "assessor:A", "yn..")
    export("b.jsonl", "assessor:B", ".nyy")
    ran = argue_eval("curate collect a.jsonl b.jsonl -o out.jsonl")
    assert ran.code == 0
    assert said() == [
        *(("assessor:A", "d0", "yes"), ("assessor:A", "d1", "no"), ("assessor:B", "d1", "no")),
        *(("assessor:B", "d2", "yes"), ("assessor:B", "d3", "yes")),
    ]
    first = json.loads(Path("out.jsonl").read_text("utf-8").splitlines()[0])
    assert first["time"] == "2026-01-01T10:00:00.000Z"
    assert (first["note"], first["probability"]) == ("by assessor:A", 0.5)
    assert "assessor:A: 2 answers\nassessor:B: 3 answers\n" in ran.err
    assert "1 question answered by several assessors, 1 of them alike" in ran.err
    ran = argue_eval("curate collect out.jsonl out.jsonl a.jsonl b.jsonl -o again.jsonl")
    assert Path("again.jsonl").read_bytes() == Path("out.jsonl").read_bytes()


def test_assessors_that_differ_are_named_and_adjudicated(argue_eval: Command) -> None:
    sheet("s.html")
    export("a.jsonl", "assessor:A", "ynyn")
    export("b.jsonl", "assessor:B", "yyy?")
    ran = argue_eval(
        "curate collect a.jsonl b.jsonl --sheet s.html --adjudicate third.jsonl -o out.jsonl"
    )
    assert ran.code == 0
    assert "support in topic t (sentence 'S1.', document d1): A says no, B says yes" in ran.err
    assert "0 questions of the sheets without an answer" in ran.err
    assert "third.jsonl: 1 row to adjudicate" in ran.err
    (row,) = map(json.loads, Path("third.jsonl").read_text("utf-8").splitlines())
    assert (row["doc_id"], row["evidence"], row["probability"]) == ("d1", "A text.", 0.5)
    third = {**row, "verdict": "partial", "judge": "assessor:C"}
    Path("third.jsonl").write_text(json.dumps(third) + "\n")
    assert argue_eval("curate collect third.jsonl out.jsonl -o final.jsonl").code == 0
    assert said("final.jsonl")[0] == ("assessor:C", "d1", "partial")
    assert len(said("final.jsonl")) == 8


def test_later_answer_of_one_assessor_counts(argue_eval: Command) -> None:
    export("monday.jsonl", "assessor:A", "yn..")
    export("friday.jsonl", "assessor:A", "nn?y", "2026-01-05T10:00:00.000Z")
    for files in ("monday.jsonl friday.jsonl", "friday.jsonl monday.jsonl"):
        ran = argue_eval(f"curate collect {files} -o out.jsonl")
        assert ran.code == 0
        assert {each[1:] for each in said()} == {("d0", "no"), ("d1", "no"), ("d3", "yes")}
        assert "[changed_answers] 1 answer changed by the same assessor later" in ran.err


def test_csv_and_export_belong_to_one_sheet(argue_eval: Command) -> None:
    sheet("s.csv")
    text = Path("s.csv").read_text("utf-8").replace('"1 of 4",""', '"1 of 4","y"')
    Path("filled.csv").write_text(text, "utf-8")
    export("b.jsonl", "assessor:B", "y...")
    ran = argue_eval("curate collect filled.csv b.jsonl --sheet s.csv -o -")
    assert ran.code == 0
    assert [json.loads(each)["judge"] for each in ran.out.splitlines()] == [
        "assessor",
        "assessor:B",
    ]
    assert "3 questions of the sheets without an answer" in ran.err


def test_folder_of_exports_from_python() -> None:
    folder = Path("back")
    folder.mkdir()
    export("back/a.jsonl", "assessor:A", "yn..")
    export("back/b.jsonl", "assessor:B", ".yy.")
    found = ae.collect("back", sheets=[sheet("s.html")])
    assert dict(found.assessors) == {"assessor:A": 2, "assessor:B": 2}
    assert (found.num_shared, found.num_agreed, found.num_open) == (1, 0, 1)
    found.write("out.jsonl")
    assert len(ae.read_judgments("out.jsonl")) == 4
    found.write_disputed("third.html", "C")
    assert ae.collect("out.jsonl", sheets="s.html").answers == found.answers


def test_question_about_a_place_is_named_by_it(argue_eval: Command) -> None:
    keys = {"topic_id": "t", "kind": "first_instance", "run_id": "r", "sentence_index": 4}
    for name, verdict in (("a", "yes"), ("b", "no")):
        value = {**keys, "verdict": verdict, "judge": f"assessor:{name}", "row": "1 of 1"}
        Path(name).write_text(json.dumps(value) + "\n")
    ran = argue_eval("curate collect a b -o out.jsonl")
    assert "first_instance in topic t (sentence 5, run r): a says yes, b says no" in ran.err
    assert "a sheet of the disputed questions: --adjudicate FILE" in ran.err


MISTAKES = [
    ("s.html", 1, "[sheet_not_exported]"),
    (
        "a.jsonl --sheet other.html",
        1,
        "2 answers to questions that are on none of the sheets, in a",
    ),
    ("a.jsonl --sheet a.txt", 1, "found text"),
    ("a.jsonl --sheet docs.jsonl", 1, "[no_sheet]"),
    ("a.jsonl --sheet nowhere.html", 3, "nowhere.html"),
    ("a.jsonl --sheet a.jsonl", 1, "[no_sheet]"),
    ("a.jsonl --sheet .", 1, "name the sheets in it, such as --sheet './*.html'"),
    ("nowhere.jsonl", 3, "nowhere.jsonl"),
    ("nowhere.html", 3, "nowhere.html: no such file"),
    ("a.jsonl untimed.jsonl", 1, "with 'yes' and 'no'"),
    ("empty.jsonl", 1, "[empty_sheet]"),
    ("a.jsonl --adjudicate d.html", 2, "--adjudicate needs the sheets"),
    ("a.jsonl --sheet s.html --adjudicate d.pdf", 2, "FILE.html, FILE.csv or FILE.jsonl"),
    ("a.jsonl --sheet s.html --adjudicate s.html", 2, "s.html"),
    ("a.jsonl a.txt", 1, "a.txt"),
]


@pytest.mark.parametrize(("words", "code", "message"), MISTAKES)
def test_mistakes_are_told_and_nothing_is_written(
    argue_eval: Command, words: str, code: int, message: str
) -> None:
    sheet("s.html")
    sheet("other.html", ROWS[2:])
    export("a.jsonl", "assessor:A", "yn..")
    export("untimed.jsonl", "assessor:A", "n...", "")
    export("empty.jsonl", "assessor:A", "....")
    Path("a.txt").write_text("Hello.\n")
    Path("docs.jsonl").write_text('{"doc_id": "d1", "text": "A text."}\n')
    ran = argue_eval(f"curate collect {words} -o out.jsonl")
    assert ran.code == code, ran.err
    assert message in ran.err
    assert not Path("out.jsonl").exists()


def test_output_never_replaces_what_is_read(argue_eval: Command) -> None:
    export("a.jsonl", "assessor:A", "yn..")
    assert argue_eval("curate collect a.jsonl -o ./a.jsonl").code == 2
