"""Views of a score table: hostile names, missing values, bounds and counts."""

from __future__ import annotations

import csv
import json

import pytest

from argue_eval.formats.scores import cell_of
from argue_eval.records import MeasureValue, ScoreTable
from argue_eval.report import tables
from argue_eval.report.tables import load

ODD_RUN = "=a,b\t|*<i>\n\x1b[1m"
COUNTS = {"num_q": 2, "num_q_run": 2, "num_unjudged": 1, "num_undefined": 1}

EXACT = MeasureValue("exact", "t 1", 1 / 3, 1 / 3, 1 / 3, 3)
BOUNDED = MeasureValue("bounded", "all", 0.5, 0.25, 0.75, 4, 2)
UNJUDGED = MeasureValue("unjudged", "all", None, 0.0, 1.0, 4, 4)
UNDEFINED = MeasureValue("undefined", "all", None, 0.0, 0.0, is_undefined=True)
COUNT = MeasureValue("count", "all", 3.0, 3.0, 3.0, 3, is_count=True)
TABLE = ScoreTable(
    ODD_RUN, "team", "protocol:x|v:1", (EXACT, BOUNDED, UNJUDGED, UNDEFINED, COUNT), COUNTS, ("t2",)
)


NAMES = tuple(tables.names())


def _text(view: str, per_topic: bool = True, table: ScoreTable = TABLE) -> str:
    module = load(view)
    return "".join([module.HEADER, *module.render(table, per_topic), module.FOOTER])


def test_trec_eval_lines_have_three_columns_whatever_the_names() -> None:
    found = [line.split("\t") for line in _text("trec_eval").splitlines()]
    assert [[name.strip(), *rest] for name, *rest in found] == [
        ["exact", "t_1", "0.3333"],
        ["runid", "all", "=a,b_|*<i>__[1m"],
        ["num_q", "all", "2"],
        ["num_q_run", "all", "2"],
        ["num_unjudged", "all", "1"],
        ["num_undefined", "all", "1"],
        ["bounded", "all", "0.5000"],
        ["bounded_lower", "all", "0.2500"],
        ["bounded_upper", "all", "0.7500"],
        ["unjudged_lower", "all", "0.0000"],
        ["unjudged_upper", "all", "1.0000"],
        ["undefined", "all", "0.0000"],
        ["count", "all", "3"],
    ]


def test_no_zero_is_negative() -> None:
    row = MeasureValue("difference", "all", -1e-9, -1e-9, -1e-9)
    assert _text("ir_measures", table=TABLE._replace(rows=(row,))) == "all\tdifference\t0.0000\n"


def test_ir_measures_lines_put_the_topic_first_and_only_with_q() -> None:
    assert _text("ir_measures").splitlines()[:2] == ["t_1\texact\t0.3333", "all\tbounded\t0.5000"]
    assert _text("ir_measures", per_topic=False).splitlines() == [
        "bounded\t0.5000",
        "bounded_lower\t0.2500",
        "bounded_upper\t0.7500",
        "unjudged_lower\t0.0000",
        "unjudged_upper\t1.0000",
        "undefined\t0.0000",
        "count\t3",
    ]


def test_auto_argue_lines_have_full_precision_and_no_line_for_what_nobody_knows() -> None:
    head, *found = [line.split("\t") for line in _text("auto_argue").splitlines()]
    assert head == ["run_id", "request_id", "metric", "value"]
    assert [(metric, value) for _, _, metric, value in found] == [
        ("exact", repr(1 / 3)),
        ("bounded", "0.5"),
        ("undefined", "0.0"),
        ("count", "3"),
    ]


def test_autojudge_forms_name_the_run_and_have_no_line_for_what_nobody_knows() -> None:
    run = "=a,b_|*<i>__[1m"
    lines = [(run, "exact", "t_1", repr(1 / 3)), (run, "bounded", "all", "0.5"),
             (run, "undefined", "all", "0.0"), (run, "count", "all", "3")]  # fmt: skip
    assert [tuple(line.split("\t")) for line in _text("tot").splitlines()] == lines
    found = [tuple(line.split("\t")) for line in _text("autojudge_ir_measures").splitlines()]
    assert found == [(run, topic, measure, value) for run, measure, topic, value in lines]
    first, *_, last = map(json.loads, _text("jsonl").splitlines())
    assert first == {"run_id": ODD_RUN, "topic_id": "t 1", "measure": "exact", "value": 1 / 3}
    assert (last["measure"], last["value"]) == ("count", 3)


def test_csv_is_read_back_and_no_spreadsheet_takes_a_name_for_a_formula() -> None:
    head, *found = csv.reader(_text("csv").splitlines(keepends=True))
    assert head[:4] == ["run_id", "topic_id", "measure", "value"]
    assert {row[0] for row in found} == {cell_of(ODD_RUN)}
    assert [row[3] for row in found] == [repr(1 / 3), "0.5", "", "", "3.0"]
    assert [row[4:6] for row in found][1:3] == [["0.25", "0.75"], ["0.0", "1.0"]]


def test_json_keeps_names_bounds_and_what_is_unknown() -> None:
    (run,) = json.loads(_text("json"))
    assert (run["run_id"], run["signature"]) == (ODD_RUN, TABLE.signature)
    assert run["missing_topics"] == ["t2"]
    assert {name: run[name] for name in COUNTS} == COUNTS
    values = {row["measure"]: (row["value"], row["is_undefined"]) for row in run["scores"]}
    assert values["exact"] == (1 / 3, False)
    assert values["unjudged"] == (None, False)
    assert values["undefined"] == (None, True)


def test_markdown_tells_unjudged_from_undefined_and_escapes_names() -> None:
    text = _text("markdown", per_topic=False)
    assert text.splitlines()[0] == r"### =a,b \|\*&lt;i&gt;  \[1m"
    assert "| bounded | 0.5000* | 0.2500 | 0.7500 |" in text
    assert "| unjudged | unjudged | 0.0000 | 1.0000 |" in text
    assert "| undefined | undefined |  |  |" in text
    assert "t 1" not in text
    assert "| t 1 | exact |" in _text("markdown")


def test_markdown_escapes_the_name_of_a_group_of_topics() -> None:
    row = MeasureValue("all_score[domain=a|b_<i>`c`]", "all", 0.5, 0.5, 0.5)
    text = "".join(load("markdown").render(TABLE._replace(rows=(row,)), False))
    assert r"| all_score\[domain=a\|b\_&lt;i&gt;\`c\`\] | 0.5000 |  |  |" in text


@pytest.mark.parametrize("view", tables.names())
def test_no_view_prints_raw_control_characters_or_nan(view: str) -> None:
    text = _text(view)
    quoted = text.replace(ODD_RUN, "") if view == "csv" else text
    assert not any(char < " " and char not in "\t\n" for char in quoted)
    assert "nan" not in text.lower()


@pytest.mark.parametrize("view", tables.names())
def test_every_view_survives_a_table_without_rows(view: str) -> None:
    text = _text(view, table=ScoreTable("r", "", "s", (), COUNTS))
    assert text == "" or text.endswith("\n")


@pytest.mark.parametrize("view", tables.names())
def test_every_view_says_where_its_bounds_are(view: str) -> None:
    assert "bounds" in load(view).BOUNDS
