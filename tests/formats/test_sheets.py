"""Sheets: written for people, filled in as people do, read back as judgments."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from argue_eval.errors import Finding, InputError, UsageError
from argue_eval.formats.sheets import COLUMNS, Row, lines
from argue_eval.records import Judgment, Kind, Verdict
from argue_eval.validation import validate
from argue_eval.validation.ingest import ingest_nuggets
from tests.formats.reading import Reading

HOSTILE = "=cmd|'/C calc'!A0\r\n;=1+1\t\x1b[31m\u202e,\"@x\" Zoë 東京 \\ 'q'"
ROWS = [
    Row(
        {"topic_id": "007", "kind": "support", "doc_id": "1e5", "sentence": HOSTILE},
        "Does the document support the sentence? yes, partial or no",
        HOSTILE,
        "A document.\n\n- a list\n=and a formula",
        "007",
        0.25,
    ),
    Row(
        {
            "topic_id": "1-2",
            "kind": "answers",
            "nugget_id": "n1",
            "answer": "5,5",
            "sentence": "B.",
        },
        "Is it?",
        "B.",
        probability=1 / 3,
    ),
    Row(
        {"topic_id": "t", "kind": "first_instance", "run_id": "r", "sentence_index": 0},
        "Is it the first?",
        "C.",
    ),
]
FORMATS = ("csv", "jsonl")


def sheet(rows: list[Row] | None = None, format_name: str = "csv", assessor: str = "") -> str:
    shown = ROWS if rows is None else rows
    return "".join(lines(shown, len(shown), format_name, assessor))


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def csv_of(rows: list[dict[str, str]], columns: tuple[str, ...] = COLUMNS, **how: Any) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", **how)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def filled(*verdicts: str, **more: str) -> list[dict[str, str]]:
    rows = table(sheet())
    return [{**row, "verdict": each, **more} for row, each in zip(rows, verdicts, strict=False)]


def verdicts(judgments: list[Judgment]) -> list[str]:
    return [each.verdict.value for each in judgments]


@pytest.mark.parametrize("format_name", FORMATS)
def test_what_was_asked_comes_back(reading: Reading, format_name: str) -> None:
    text = sheet(format_name=format_name, assessor="A1")
    if format_name == "csv":
        text = csv_of([{**row, "verdict": "yes", "note": "so"} for row in table(text)])
    else:
        values = map(json.loads, text.splitlines())
        text = "".join(
            json.dumps({**each, "verdict": "yes", "note": "so"}) + "\n" for each in values
        )
    path = reading.path(text.encode(), f"sheet.{format_name}")
    found = list(formats.iter_assessed(path, warnings=reading.warnings))
    assert [each.probability for each in found] == [0.25, pytest.approx(1 / 3), None]
    support, answers, first = (each.judgment for each in found)
    yes = Verdict.YES
    assert support == Judgment(
        Kind.SUPPORT, "007", yes, "assessor:A1", HOSTILE, doc_id="1e5", rationale="so"
    )
    assert (answers.topic_id, answers.nugget_id, answers.answer) == ("1-2", "n1", "5,5")
    assert (first.run_id, first.sentence_index) == ("r", 0)
    assert reading.warnings == []
    assert [each.judgment for each in found] == formats.read_judgments(path)


WORDS = {
    "yes": ("Yes", "y", " YES ", "1", "TRUE", "1.0", "yes.", "ja", "Oui"),
    "no": ("no", "N", "0", "False", "nein", "NO!", "0,0"),
    "partial": ("partial", "Partially", "P", "0.5", "0,5", ".5"),
}


@pytest.mark.parametrize(
    ("word", "verdict"), [(word, verdict) for verdict, words in WORDS.items() for word in words]
)
def test_words_that_people_write(reading: Reading, word: str, verdict: str) -> None:
    assert verdicts(reading.judgments(csv_of(filled(word)).encode())) == [verdict]


@pytest.mark.parametrize("value", [True, 1, "yes"])
def test_json_values_that_people_write(reading: Reading, value: Any) -> None:
    first = json.loads(sheet(format_name="jsonl").splitlines()[0])
    assert verdicts(reading.judgments({**first, "verdict": value})) == ["yes"]


@pytest.mark.parametrize("word", ["", "?", "unsure", " ", "n/a"])
def test_rows_without_a_verdict_stay_open_and_are_counted(reading: Reading, word: str) -> None:
    judgments = reading.judgments(csv_of(filled("yes", word, word)).encode())
    assert verdicts(judgments) == ["yes"]
    (warning,) = reading.warnings
    assert (warning.code, warning.message) == ("open_rows", "2 rows without a verdict")


@pytest.mark.parametrize("word", ["no idea", "maybe", "yes and no", "2", "yess", "+1"])
def test_anything_else_is_an_error_with_its_line(reading: Reading, word: str) -> None:
    (finding,) = errors(reading, csv_of(filled("yes", word, "no")))
    assert finding.code == "bad_verdict"
    assert repr(word) in finding.message
    # The header and the first row, of which two texts have line breaks, come before.
    assert finding.line == csv_of(filled("yes")).count("\n") + 1


def errors(reading: Reading, text: str | bytes) -> tuple[Finding, ...]:
    with pytest.raises(InputError) as caught:
        reading.judgments(text.encode() if isinstance(text, str) else text)
    return caught.value.findings


def test_verdict_that_the_kind_does_not_have_is_an_error(reading: Reading) -> None:
    (finding,) = errors(reading, csv_of(filled("yes", "partial")))
    assert finding.code == "bad_verdict"
    assert "'answers'" in finding.message


ENCODINGS = {
    "with a mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "Windows": lambda text: text.encode("cp1252", "replace"),
    "CR": lambda text: text.replace("\r\n", "\r").encode(),
    "CRLF": lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n").encode(),
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
def test_whatever_a_spreadsheet_makes_of_it(
    reading: Reading, encode: Any, delimiter: str, quoting: Any
) -> None:
    rows = filled("no", "yes", "yes", note="Schöne Größe")
    columns = tuple(reversed(COLUMNS))
    # Spreadsheets show ids as numbers and dates, and people sort rows.
    changed = [{**row, "topic": "7", "doc_id": "100000", "probability": "0,25"} for row in rows]
    text = csv_of(changed[::-1], columns, delimiter=delimiter, quoting=quoting)
    judgments = reading.judgments(encode(text))
    assert verdicts(judgments) == ["yes", "yes", "no"]
    assert (judgments[-1].topic_id, judgments[-1].doc_id) == ("007", "1e5")
    assert judgments[-1].sentence == HOSTILE
    assert {each.rationale for each in judgments} == {"Schöne Größe"}


def test_deleted_rows_are_told(reading: Reading) -> None:
    assert verdicts(reading.judgments(csv_of(filled("yes")).encode())) == ["yes"]
    (warning,) = reading.warnings
    assert (warning.code, warning.message[:9]) == ("missing_rows", "2 of 3 ro")


DAMAGED = {
    "empty_sheet": lambda rows: csv_of([{**row, "verdict": ""} for row in rows]),
    "damaged_key": lambda rows: csv_of([{**rows[0], "key": rows[0]["key"][:-9]}]),
    "conflicting_verdicts": lambda rows: csv_of([*rows, {**rows[0], "verdict": "no"}]),
    "missing_column": lambda rows: csv_of(rows, COLUMNS[:-1]),
    "bad_table": lambda rows: csv_of([{**rows[0], "note": "x" * 200_000}]),
}


@pytest.mark.parametrize("code", DAMAGED)
def test_damage_is_an_error(reading: Reading, code: str) -> None:
    found = errors(reading, DAMAGED[code](filled("yes", "yes", "yes")))
    assert code in [each.code for each in found]


def test_rows_that_were_copied_count_once_and_by_assessor(reading: Reading) -> None:
    row = filled("yes")[0]
    other = {**row, "assessor": "B", "verdict": "no"}
    remark = {"row": "sum", "note": "12 done"}
    judgments = reading.judgments(csv_of([row, row, other, remark]).encode())
    assert [(each.judge, each.verdict.value) for each in judgments] == [
        ("assessor", "yes"),
        ("assessor:B", "no"),
    ]


def test_rows_that_a_json_list_repeats_count_once(reading: Reading) -> None:
    row = json.loads(next(lines(ROWS[:1], 1, "jsonl"))) | {"verdict": "yes"}
    assert len(reading.judgments(json.dumps([row, row], indent=1).encode())) == 1
    (found,) = errors(reading, json.dumps([row, {**row, "verdict": "no"}], indent=1))
    assert (found.code, found.message.endswith("'yes' in a row before")) == (
        "conflicting_verdicts",
        True,
    )


@pytest.mark.parametrize(
    ("written", "judge"),
    [("A1", "assessor:A1"), ("assessor:B", "assessor:B"), ("llm:x", "llm:x"), ("", "assessor")],
)
def test_who_fills_a_sheet_in_is_a_person_unless_the_name_says_otherwise(
    reading: Reading, written: str, judge: str
) -> None:
    rows = filled("yes", "no", "no", assessor=written)
    assert {each.judge for each in reading.judgments(csv_of(rows).encode())} == {judge}
    first = json.loads(sheet(format_name="jsonl").splitlines()[0])
    if written:
        (judgment,) = reading.judgments({**first, "verdict": "no", "judge": written})
        assert judgment.judge == judge


def test_name_of_several_lines_is_refused() -> None:
    with pytest.raises(UsageError, match="--assessor: expected a name on one line"):
        sheet(assessor="A\n1")


def test_no_cell_is_taken_for_a_formula() -> None:
    """Nor is a part of one by a program that expects another separator."""
    text = sheet()
    for delimiter in ",;\t|":
        for cells in csv.reader(io.StringIO(text.removeprefix("\ufeff")), delimiter=delimiter):
            for cell in cells:
                assert not cell.lstrip('" ').startswith(("=", "+", "-", "@", "\t", "\r"))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x1b" not in sheet(format_name="jsonl")


@pytest.mark.parametrize("note", ["=1+1", "-5 degrees", "@A2 says no", "'quoted'", "a\nb"])
def test_notes_that_look_like_formulas_come_back(reading: Reading, note: str) -> None:
    guarded = f"'{note}" if note[0] in "=-@" else note
    for written in (note, guarded):
        (judgment,) = reading.judgments(csv_of(filled("yes", note=written)[:1]).encode())
        assert judgment.rationale == note


def test_long_texts_fit_into_a_cell() -> None:
    row = ROWS[0]._replace(evidence="word " * 20_000)
    assert max(len(cell) for cell in table(sheet([row]))[0].values()) < 32_767
    assert len(json.loads(sheet([row], "jsonl"))["evidence"]) == 100_000


def test_sheet_in_a_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "sheet.csv").write_text(csv_of(filled("yes", "no", "no")), encoding="utf-8")
    assert len(formats.read_judgments(str(tmp_path))) == 3


def test_canonical_judgment_with_an_empty_verdict_is_an_error(reading: Reading) -> None:
    value = {"topic_id": "t", "kind": "negative", "verdict": "", "judge": "A", "sentence": "B."}
    with pytest.raises(InputError, match="blank_text"):
        reading.judgments(value)


def test_other_judgments_have_no_probability(reading: Reading) -> None:
    value = {"topic_id": "t", "kind": "negative", "verdict": "no", "judge": "A", "sentence": "B."}
    path = reading.path([value])
    assert [each.probability for each in formats.iter_assessed(path)] == [None]


@pytest.mark.parametrize("format_name", ["csv", "jsonl"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_sheet_in_the_place_of_another_file_is_named_as_one(
    format_name: str, mark: str, tmp_path: Path
) -> None:
    path = tmp_path / f"sheet.{format_name}"
    mark = mark if format_name == "csv" else ""
    path.write_text(mark + sheet(format_name=format_name).lstrip("\ufeff"), encoding="utf-8")
    refused = [*validate(path), *ingest_nuggets([str(path)]).findings]
    assert len(refused) == 2
    for found in refused:
        assert found.code == "unknown_format"
        assert "found judgments" in found.message or "found a sheet of questions" in found.message
        assert f"argue-eval score RUN QRELS --judgments {path}" in found.hint


def test_sheet_for_the_browser_in_the_place_of_another_file_is_named_as_one(tmp_path: Path) -> None:
    path = tmp_path / "sheet.html"
    path.write_text(sheet(format_name="html"), encoding="utf-8")
    (found,) = validate(path)
    assert "a sheet for the browser, without the answers" in found.message
    assert "the file that is exported" in found.hint
