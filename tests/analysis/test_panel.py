"""Two or more assessors among themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from argue_eval.analysis.agreement import Job, compare
from argue_eval.analysis.results import Panel
from argue_eval.records import Kind
from tests.analysis import making
from tests.analysis.making import support, supports, write_lines
from tests.cli.conftest import Command

_CODES = {"n": 0, "p": 1, "y": 2}


def panel(folder: Path, *words: str, **chosen: Any) -> Panel:
    """The panel of assessors A1, A2, … with a letter per document; a dot where one has none."""
    lines = [
        line
        for number, letters in enumerate(words, 1)
        for place, letter in enumerate(letters)
        if letter != "."
        for line in supports(letter, f"assessor:A{number}", topic_id=f"t{place % 3}")
        for line["doc_id"] in [f"d{place}"]
    ]
    path = write_lines(folder / "panel.jsonl", lines)
    (found,) = compare(Job([path], is_panel=True, num_resamples=20, **chosen)).panels
    return found


def values(figures: Any) -> dict[str, float | None]:
    return {each.name: each.value for each in figures}


def test_three_assessors_by_hand(tmp_path: Path) -> None:
    found = panel(tmp_path, "yynn", "yyny", "yn.n")
    assert (found.kind, found.num, found.num_topics) == (Kind.SUPPORT, 4, 3)
    assert [(each.first[-2:], each.second[-2:], each.num) for each in found.pairs] == [
        ("A1", "A2", 4),
        ("A1", "A3", 3),
        ("A2", "A3", 3),
    ]
    pairs = [values(each.figures) for each in found.pairs]
    assert [each["accuracy"] for each in pairs] == pytest.approx([3 / 4, 2 / 3, 1 / 3])
    # Chance: 1/2; (2 * 1 + 1 * 2) / 9; (3 * 1 + 0 * 2) / 9.
    assert [each["kappa"] for each in pairs] == pytest.approx([1 / 2, 2 / 5, 0.0])
    figures = values(found.figures)
    assert figures["accuracy"] == pytest.approx((3 / 4 + 2 / 3 + 1 / 3) / 3)
    assert figures["kappa"] == pytest.approx(0.3)
    # 11 verdicts, 6 of them yes; coincidences of yes and no: 2 in each of two documents.
    assert figures["alpha"] == pytest.approx(1 - 10 * 4 / (2 * 6 * 5))


@given(st.lists(st.text("ynp.", min_size=9, max_size=9), min_size=2, max_size=4))
def test_alpha_and_kappa_equal_other_implementations(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    table = np.array([[_CODES.get(letter, np.nan) for letter in each] for each in words])
    counted = (~np.isnan(table)).sum(0) > 1
    if not counted.any():
        return
    found = panel(tmp_path_factory.mktemp("panel"), *words)
    figures = values(found.figures)
    assert found.num == counted.sum()
    is_varied = len(set(table[:, counted][~np.isnan(table[:, counted])])) > 1
    for name, level in (("alpha", "nominal"), ("alpha_ordinal", "ordinal")):
        if is_varied:
            expected = krippendorff.alpha(table, level_of_measurement=level, value_domain=[0, 1, 2])
            assert figures[name] == pytest.approx(expected, abs=1e-9)
        else:
            assert figures[name] is None
    for pair in found.pairs:
        one, other = (table[int(name[-1]) - 1] for name in (pair.first, pair.second))
        both = ~np.isnan(one) & ~np.isnan(other)
        assert pair.num == both.sum()
        kappa = values(pair.figures)["kappa_linear"]
        if len(set(one[both]) | set(other[both])) > 1:
            expected = cohen_kappa_score(one[both], other[both], weights="linear", labels=[0, 1, 2])
            assert kappa == pytest.approx(expected, abs=1e-9)
        else:
            assert kappa is None


def test_why_a_figure_is_undefined(tmp_path: Path) -> None:
    """The first two say yes throughout; the third has no question in common with them."""
    found = panel(tmp_path, "yyyy...", "yyyy...", "....yyy", "....yyn")
    reasons = {(each.first[-2:], each.second[-2:]): each.figures[1].reason for each in found.pairs}
    assert "one verdict only" in reasons["A1", "A2"]
    assert reasons["A1", "A3"] == "no question was answered by both"
    (kappa,) = [each for each in panel(tmp_path, "yy", "yy").figures if each.name == "kappa"]
    assert (kappa.value, "one verdict only" in kappa.reason) == (None, True)


def test_judges_of_any_name_can_be_chosen(tmp_path: Path) -> None:
    lines = [*supports("yn", "x@1"), *supports("yy", "y@2"), *supports("nn")]
    path = write_lines(tmp_path / "judges.jsonl", lines)
    (found,) = compare(Job([path], judges=["y@2", "x@1"], is_panel=True)).panels
    assert found.judges == ("y@2", "x@1")
    assert values(found.figures)["accuracy"] == 0.5


def test_sentences_by_place_and_by_text_are_the_same_with_the_run(tmp_path: Path) -> None:
    making.write_example(tmp_path)
    text = "The bridge opened in 1921. (t1)"
    lines = [
        support("yes", sentence=text),
        support("no", "assessor:A2", sentence=..., run_id="alpha", sentence_index=0),
    ]
    path = write_lines(tmp_path / "two.jsonl", lines)
    (found,) = compare(Job([path], runs=[str(tmp_path / "alpha.jsonl")], is_panel=True)).panels
    assert found.num == 1


def test_reports_as_a_whole_are_compared_as_such(tmp_path: Path) -> None:
    making.write_example(tmp_path)
    (found,) = compare(
        Job([str(tmp_path / "labels.json")], judges=["x", "y"], is_panel=True)
    ).panels
    assert found.kind is Kind.COVERS
    assert found.num == 5  # of six nuggets in reports, one on which y has no answer


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("truth.jsonl", 1, "[no_panel] expected two or more assessors, found 1"),
        ("judges.jsonl --judge careful@1", 1, "[no_panel] expected two or more judges, found 1"),
        ("judges.jsonl --judge careful@1 --judge nobody", 2, "unknown judge 'nobody'"),
        ("judges.jsonl --judge careful@1 --judge generous@2 --kind negative", 1, "[no_overlap]"),
        ("apart.jsonl", 1, "[no_overlap]"),
        ("judges.jsonl --truth truth.jsonl", 2, "leave out --truth"),
        ("judges.jsonl --truth-judge careful@1", 2, "leave out --truth"),
        ("", 2, "expected JUDGMENTS"),
        ("--scores truth.tsv --truth-scores truth.tsv", 2, "applies to judgments"),
    ],
)
@pytest.mark.usefixtures("example")
def test_mistakes_are_reported(argue_eval: Command, command: str, code: int, message: str) -> None:
    apart = [*supports("y", "assessor:A1"), *supports("yy", "assessor:A2")[1:]]
    write_lines(Path("apart.jsonl"), apart)
    ran = argue_eval(f"meta-eval {command} --inter-assessor")
    assert (ran.code, message in ran.err) == (code, True), ran.err


@pytest.mark.usefixtures("example")
def test_the_page_has_pairs_and_figures_in_every_format(argue_eval: Command) -> None:
    command = "meta-eval judges.jsonl --inter-assessor --judge careful@1 --judge generous@2"
    for name in ("text", "markdown"):
        shown = argue_eval(f"{command} --format {name}").out
        assert "careful@1 - generous@2" in shown
        assert "14 questions answered by two or more, in 3 topics" in shown
    (found,) = argue_eval(f"{command} --json").json["panels"]
    assert found["pairs"][0]["figures"]["kappa"] == found["figures"]["kappa"]
    assert found["kind"] == "support"
