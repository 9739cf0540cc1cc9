"""Sheets as HTML pages, and sheets for several assessors, without a browser."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from argue_eval.errors import InputError, UsageError
from argue_eval.formats.html.sheets import data_of
from argue_eval.formats.sheet_parts import parts, paths_of, write_parts
from argue_eval.formats.sheets import Row, lines, read_rows
from argue_eval.text.deciding import deciding
from tests.formats.test_sheets import ROWS


def page(rows: list[Row], assessor: str = "") -> str:
    return "".join(lines(rows, len(rows), "html", assessor))


@pytest.mark.parametrize("format_name", ["html", "jsonl", "csv"])
def test_what_was_asked_is_read_back(tmp_path: Path, format_name: str) -> None:
    path = tmp_path / "sheet"
    path.write_bytes("".join(lines(ROWS, len(ROWS), format_name)).encode())
    found = read_rows(str(path))
    assert [dict(each.keys) for each in found] == [dict(each.keys) for each in ROWS]
    assert [each.probability for each in found] == [each.probability for each in ROWS]
    if format_name != "csv":  # whose cells guard what would be a formula
        assert [each[2:5] for each in found] == [each[2:5] for each in ROWS]


@pytest.mark.parametrize(
    "text", ["<!doctype html><p>Hello</p>", '{"topic_id": "t"}\n', "row,verdict,note,key\n1,,,k\n"]
)
def test_what_is_no_sheet_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(InputError) as raised:
        read_rows(str(tmp_path / "file"))
    assert raised.value.findings[0].code in ("no_sheet", "damaged_key")


def test_page_marks_the_passage_most_like_the_sentence() -> None:
    text = "Was 𝟚𝟚 \u202e. The tug came at noon. It left."
    keys = {"topic_id": "t", "kind": "support", "doc_id": "d", "sentence": "A tug came at noon."}
    data = data_of(page([Row(keys, "?", "A tug came at noon.", text)]))
    assert data is not None
    start, end = data["rows"][0]["m"]
    in_browser = text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")
    assert in_browser == "The tug came at noon."


def test_rare_words_count_more_for_the_mark() -> None:
    text = "The court sat at the harbour. The court met at the harbour. It cost 850 euros there."
    found = deciding(text, "", "The court at the harbour ordered 850 euros.")
    assert found is not None
    assert text[found.start : found.end] == "It cost 850 euros there."
    assert deciding(text, "", "A judge ordered 850 dollars.") is None  # one word is not enough


def test_equal_texts_are_on_the_page_once_and_digests_tell_sheets_apart() -> None:
    rows = [each._replace(evidence="word " * 999) for each in rows_of(50)]
    assert page(rows).count("word " * 999) == 1
    digests = {
        (data_of(text) or {})["sheet"]
        for text in (page(rows), page(rows), page(rows, "A"), page(rows, "B"), page(rows[1:]))
    }
    assert len(digests) == 4


def test_no_run_is_named() -> None:
    keys = {"topic_id": "t", "kind": "covers", "nugget_id": "n", "run_id": "secret-run"}
    assert "secret-run" not in page([Row(keys, "?")])


def rows_of(num_sentences: int) -> list[Row]:
    keys = {"topic_id": "t", "kind": "support"}
    return [
        Row({**keys, "doc_id": f"d{at}", "sentence": f"s{number}"}, "?", f"s{number}")
        for number in range(num_sentences)
        for at in range(1 + number % 3)
    ]


@pytest.mark.parametrize("assessors", [["A", "B"], ["A", "B", "C"]])
@pytest.mark.parametrize(("num", "overlap"), [(50, 0.2), (50, 0.0), (50, 1.0), (7, 0.1), (3, 0.9)])
def test_all_is_asked_and_a_share_of_the_sentences_of_everybody(
    assessors: list[str], num: int, overlap: float
) -> None:
    rows = rows_of(num)
    found = parts(rows, "sheet.html", assessors, overlap)
    sentences = [{row.sentence for row in each.rows} for each in found]
    numbers = Counter(name for own in sentences for name in own)
    num_shared = -int(-num * overlap // 1)  # rounded up: if any is wanted, one at least
    assert Counter(numbers.values()) == Counter(
        {len(assessors): num_shared, 1: num - num_shared} if 0 < num_shared < num
        else {len(assessors): num} if num_shared else {1: num}
    )  # fmt: skip
    assert {id(row) for each in found for row in each.rows} == set(map(id, rows))
    own = [len(each) - num_shared for each in sentences]
    assert max(own) - min(own) <= 1
    for each in found:
        assert list(each.rows) == [row for row in rows if row in each.rows]  # in their order
        shared = [row for row in each.rows if numbers[row.sentence] == len(assessors)]
        assert each.num_shared == len(shared)


NAMES = [
    ("sheet.csv", [], {"": "sheet.csv"}),
    ("sheet.csv", ["A"], {"A": "sheet.csv"}),
    ("a.b/sheet.csv.gz", ["A", "é"], {"A": "a.b/sheet-A.csv.gz", "é": "a.b/sheet-é.csv.gz"}),
    ("sheet", ["../x", "y z"], {"../x": "sheet-.._x", "y z": "sheet-y_z"}),
]


@pytest.mark.parametrize(("path", "assessors", "expected"), NAMES)
def test_each_assessor_has_a_file(
    path: str, assessors: list[str], expected: dict[str, str]
) -> None:
    assert paths_of(path, assessors) == expected


@pytest.mark.parametrize("verdict", ["yes", "not a verdict"])
@pytest.mark.parametrize("format_name", ["csv", "jsonl"])
def test_what_an_assessor_filled_in_is_not_replaced(
    tmp_path: Path, format_name: str, verdict: str
) -> None:
    path = tmp_path / f"sheet.{format_name}"
    for _ in range(2):  # nobody has filled in the first
        write_parts(ROWS, str(path), format_name, "", 0)
    text = path.read_bytes().decode()
    if format_name == "csv":
        head, line, rest = text.split("\r\n", 2)
        text = "\r\n".join([head, line.replace('""', f'"{verdict}"', 1), rest])
    else:
        text = text.replace('"verdict":""', f'"verdict":"{verdict}"', 1)
    path.write_bytes(text.encode())
    with pytest.raises(UsageError, match="has verdicts, which a new sheet would replace"):
        write_parts(ROWS, str(path), format_name, "", 0)
    assert path.read_bytes().decode() == text


WRONG = [
    ("-", ["A", "B"], 0.2, "a file each"),
    ("s.csv", ["A", "a"], 0.2, "names that differ"),
    ("s.csv", ["A", ""], 0.2, "names that differ"),
    ("s.csv", ["A/", "A:"], 0.2, "names that differ"),
    ("s.csv", ["A\n", "B"], 0.2, "a name on one line"),
    ("s.html.gz", ["A"], 0.2, "browsers open no .gz"),
    ("s.csv", list("ABCDEFG"), 0.0, "6 rows cannot be shared by 7 assessors"),
    ("s.csv", ["A", "B"], 1.2, "a share from 0 to 1, found 1.2"),
    ("s.csv", ["A", "B"], float("nan"), "a share from 0 to 1"),
]


@pytest.mark.parametrize(("path", "assessors", "overlap", "message"), WRONG)
def test_names_and_shares_that_make_no_sense_are_refused(
    path: str, assessors: list[str], overlap: float, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        parts(rows_of(3), path, assessors, overlap)
