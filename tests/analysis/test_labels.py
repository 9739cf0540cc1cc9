"""Relevance labels of documents, by hand; test_autojudge_evaluate.py has many more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command

TRUTH = "t1 0 d1 1\nt1 0 d2 0\nt1 0 d3 2\nt1 0 d4 0\nt2 0 d1 1\nt2 0 d2 1\nt3 0 d1 0\n"
LABELS = "--labels judge.qrels --truth-labels truth.qrels"
JUDGE = "t1 0 d1 1\nt1 0 d2 1\nt1 0 d3 0\nt1 0 d5 2\nt2 0 d1 1\nt2 0 d2 -2\nt4 0 d1 0\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("truth.qrels").write_text(TRUTH)
    Path("judge.qrels").write_text(JUDGE)


def shown(argue_eval: Command, options: str = "") -> dict[str, object]:
    found: dict[str, object] = argue_eval(f"meta-eval {LABELS} --json {options}").json["labels"]
    return found


def test_only_documents_that_both_labelled_are_compared(argue_eval: Command) -> None:
    found = shown(argue_eval)
    assert (found["num"], found["only_truth"], found["only_judge"]) == (5, 2, 2)
    topics = {each["topic_id"]: each["figures"] for each in found["topics"]}  # type: ignore[attr-defined]
    assert topics.keys() == {"t1", "t2"}
    # t1: d1 is right, d2 is wrongly relevant, d3 is missed; t2: d1 is right, d2 is missed.
    assert [topics[each]["precision"] for each in ("t1", "t2")] == [0.5, 1.0]
    assert [topics[each]["recall"] for each in ("t1", "t2")] == [0.5, 0.5]
    assert [topics[each]["jaccard"] for each in ("t1", "t2")] == pytest.approx([1 / 3, 1 / 2])
    assert topics["t1"]["kappa@1v1"] == pytest.approx((1 / 3 - 5 / 9) / (4 / 9))
    assert topics["t2"]["kappa@1v1"] == 0.0
    assert topics["t2"]["kappa@2v1"] == 0.0  # the truth has no grade 2, the judge varies
    assert found["figures"]["precision"]["value"] == 0.75  # type: ignore[index]


def test_what_one_side_lacks_can_count_as_a_grade(argue_eval: Command) -> None:
    found = shown(argue_eval, "--unlabelled 0")
    topics = {each["topic_id"]: each for each in found["topics"]}  # type: ignore[attr-defined]
    numbers = {topic: each["num"] for topic, each in topics.items()}
    assert numbers == {"t1": 5, "t2": 2, "t3": 1, "t4": 1}
    assert topics["t1"]["figures"]["precision"] == pytest.approx(1 / 3)
    assert topics["t3"]["figures"]["precision"] is None  # nothing is relevant on either side
    assert found["figures"]["precision"]["num"] == 2  # type: ignore[index]


def test_each_side_has_its_lowest_relevant_grade(argue_eval: Command) -> None:
    figures = shown(argue_eval, "--relevant-from 1=2")["topics"][0]["figures"]  # type: ignore[index]
    assert (figures["precision"], figures["recall"]) == (0.0, 0.0)


def test_other_scales_are_noted(argue_eval: Command) -> None:
    ran = argue_eval(f"meta-eval {LABELS}")
    assert "grades go up to 2 in the truth and to 1 in the judge's labels" in ran.out
    assert "5 documents compared in 2 topics" in ran.out
    same = argue_eval("meta-eval --labels truth.qrels --truth-labels truth.qrels")
    assert "grades go up" not in same.out


def test_one_topic_has_no_interval(argue_eval: Command) -> None:
    Path("judge.qrels").write_text("t1 0 d1 1\nt1 0 d2 0\n")
    figures = shown(argue_eval)["figures"]
    assert isinstance(figures, dict)
    assert figures["f1"]["value"] == 1.0
    assert {each["lower"] for each in figures.values()} == {None}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "[empty_file]"),
        ("\n\n", "[empty_file]"),
        ("t1 d1 1\n", "judge.qrels:1: error [wrong_columns] expected 'topic 0 document grade'"),
        ('{"topic_id": "t1"}\n{"topic_id": "t2"}\n', "judge.qrels:1: error [wrong_columns]"),
        ("t1 0 d1 1\nt1 0 d2 yes\n", "judge.qrels:2: error [bad_grade]"),
        ("t1 0 d1 0.5\n", "[bad_grade]"),
        ("t1 0 d1 99\n", "a whole number up to 10"),
        ("t1 0 d1 1\nt1 0 d1 0\n", "judge.qrels:2: error [duplicate_label]"),
        ("t9 0 d1 1\n", "[no_overlap] no document in common: 1 topic of the judge, such as t9"),
        ("\x1b[31m 0 d1 x\n", "[bad_grade]"),
    ],
)
def test_bad_files_are_reported_where_they_are_bad(
    argue_eval: Command, content: str, message: str
) -> None:
    Path("judge.qrels").write_text(content)
    ran = argue_eval(f"meta-eval {LABELS} -o out")
    assert (ran.code, message in ran.err) == (1, True), ran.err
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--labels judge.qrels", "--labels and --truth-labels go together"),
        ("--truth-labels judge.qrels", "--labels and --truth-labels go together"),
        ("--scores a --truth-scores b --unlabelled 0", "--unlabelled applies to relevance labels"),
        (f"{LABELS} --relevant-from 0", "a grade from 1 to 10"),
        (f"{LABELS} --relevant-from 1=x", "a grade from 1 to 10"),
        ("--labels a --truth-labels b --unlabelled 11", "--unlabelled: expected a number from 0"),
        ("--labels a --truth-labels b --unlabelled -1", "--unlabelled: expected a number from 0"),
        ("--scores a --truth-scores b --top 1", "--top: expected a number from 2 to 1,000,000"),
        ("--labels - --truth-labels -", "only one input can be standard input"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    argue_eval: Command, options: str, message: str
) -> None:
    ran = argue_eval(f"meta-eval {options}")
    assert (ran.code, message in ran.err) == (2, True), ran.err
