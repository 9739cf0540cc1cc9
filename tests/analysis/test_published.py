"""The agreement of six LLM evaluators with people that "Summary of a Haystack" publishes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command

LABELS = Path(__file__).parents[3] / "shared" / "data" / "summhay" / "evaluator_labels.json"
needs_labels = pytest.mark.skipif(not LABELS.is_file(), reason="../shared/data is not there")

# Table 1: correlation of coverage and linking accuracy, in the order of the table.
TABLE_1 = {
    "prompted_gemini-1.5-pro": (0.751, 89.3),
    "9fs_gpt-4o": (0.719, 89.2),
    "prompted_gpt-4o": (0.716, 88.9),
    "prompted_claude3-opus": (0.677, 87.9),
    "prompted_claude3-haiku": (0.498, 87.7),
    "prompted_gpt3.5": (0.495, 86.7),
}

# Appendix A.3, from the same labels: bias over systems, length to score, length to bias. The
# printed table has the figures of an earlier run.
APPENDIX = {
    "prompted_gpt-4o": (0.047, -0.119, 0.023),
    "prompted_claude3-opus": (0.054, -0.169, -0.047),
    "prompted_gemini-1.5-pro": (0.035, -0.175, -0.078),
}


@needs_labels
def test_table_1_is_printed_in_its_order(argue_eval: Command) -> None:
    ran = argue_eval("meta-eval", str(LABELS), "--truth", str(LABELS), "--resamples", "0")
    assert ran.code == 0
    lines = [line.split() for line in ran.out.splitlines()]
    head = next(line for line in lines if line[:1] == ["judge"])
    start = lines.index(head) + 1
    pearson, linking = head.index("pearson"), head.index("linking")
    printed = {
        line[0]: (float(line[pearson]), round(100 * float(line[linking]), 1))
        for line in lines[start : start + len(TABLE_1)]
    }
    assert list(printed.items()) == list(TABLE_1.items())


@needs_labels
def test_bias_and_length_are_those_of_the_appendix(argue_eval: Command) -> None:

    ran = argue_eval("meta-eval", str(LABELS), "--resamples", "0", "--json")
    agreements = {each["judge"]: each for each in ran.json["agreements"]}
    for judge, expected in APPENDIX.items():
        figures = agreements[judge]["figures"]
        names = ("system_bias", "length_score", "length_bias")
        assert tuple(round(figures[name]["value"], 3) for name in names) == expected
    counts = [each["counts"] for each in agreements.values()]
    assert {(each["matched"], each["only_truth"]) for each in counts} == {(1419, 0)}
