"""Nuggets in reports as a whole: SummHay's labels, links, and judges that go bullet by bullet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval.analysis.agreement import Job, compare
from argue_eval.analysis.results import Agreement, Counts
from tests.analysis.making import Json, label, summary, write_lines

FULL, PART, NONE = "fully_covered", "partially_covered", "not_covered"


def _annotated(*labels: tuple[str, Any]) -> list[Json]:
    return [label(f"n{i}", word, bullet, first=0) for i, (word, bullet) in enumerate(labels)]


def _predicted(*labels: tuple[str | None, Any]) -> list[Json]:
    words = {FULL: "FULL_COVERAGE", PART: "PARTIAL_COVERAGE", NONE: "NO_COVERAGE", None: None}
    return [label(f"n{i}", words[word], bullet) for i, (word, bullet) in enumerate(labels)]


def _compared(folder: Path, *summaries: Json, judgments: list[Json] | None = None) -> Agreement:
    path = folder / "labels.json"
    path.write_text(json.dumps(summaries), encoding="utf-8")
    job = Job([str(path)], num_resamples=10)
    if judgments is not None:
        judge = write_lines(folder / "judge.jsonl", judgments)
        job = Job([judge], [str(path)], num_resamples=10)
    (found,) = compare(job).agreements
    return found


def test_bullets_count_from_0_in_annotations_and_from_1_in_predictions(tmp_path: Path) -> None:
    annotation = _annotated((FULL, "0"), (PART, 3), (NONE, "no_selection"))
    predictions = _predicted((FULL, 1), (PART, 1), (NONE, "NA"))
    found = _compared(tmp_path, summary("t", "r", annotation, predictions_x=predictions))
    assert (found.by_report, found.counts.matched) == (True, 3)
    assert found.figure("pearson").value == pytest.approx(1.0)
    assert (found.figure("linking").value, found.figure("linking").num) == (0.5, 2)


def test_linking_leaves_out_nuggets_for_which_a_side_names_no_bullet_or_several(
    tmp_path: Path,
) -> None:
    annotation = _annotated((FULL, "0"), (FULL, "no_selection"), (FULL, 1), (NONE, "no_selection"))
    predictions = _predicted((FULL, [1, 2]), (FULL, 1), (FULL, [2]), (FULL, 1))
    found = _compared(tmp_path, summary("t", "r", annotation, predictions_x=predictions))
    assert (found.figure("linking").value, found.figure("linking").num) == (1.0, 1)


def test_a_label_of_null_is_a_failure_and_no_verdict(tmp_path: Path) -> None:
    annotation = _annotated((FULL, "0"), (NONE, "no_selection"), (PART, 1))
    predictions = _predicted((FULL, 1), (None, "NA"))
    found = _compared(tmp_path, summary("t", "r", annotation, predictions_x=predictions))
    assert found.counts == Counts(matched=1, only_truth=2, failed=1, only_judge=0, incomplete=0)


def _covers(verdict: str, bullet: int, nugget_id: str = "n0", **more: Any) -> Json:
    return {"topic_id": "t", "kind": "covers", "run_id": "r", "sentence_index": bullet,
            "nugget_id": nugget_id, "verdict": verdict, "judge": "m", **more}  # fmt: skip


def test_a_judge_of_bullets_is_taken_by_its_best_bullet(tmp_path: Path) -> None:
    truth = summary("t", "r", _annotated((PART, "1"), (NONE, "no_selection")))
    judged = [
        *(_covers(word, bullet) for bullet, word in enumerate(["no", "partial", "no", "no"])),
        *(_covers("no", bullet, "n1") for bullet in range(4)),
    ]
    found = _compared(tmp_path, truth, judgments=judged)
    assert (found.counts.matched, found.figure("accuracy").value) == (2, 1.0)
    assert found.figure("linking").value == 1.0


def test_bullets_named_by_their_texts_are_found_in_the_run(tmp_path: Path) -> None:
    truth = summary("t", "r", _annotated((PART, "1")), n_bullets=3)
    (tmp_path / "labels.json").write_text(json.dumps([truth]), encoding="utf-8")
    texts = ["- A bridge.", "- A mill.", " "]
    report = {
        "metadata": {"run_id": "r", "topic_id": "t", "team_id": "x"},
        "responses": [{"text": text, "citations": []} for text in texts],
    }
    run = write_lines(tmp_path / "run.jsonl", [report])
    judged = [
        _covers(word, 0, sentence=text, run_id=..., sentence_index=...)
        for word, text in (("no", texts[0]), ("partial", texts[1]))
    ]
    lines = [{key: value for key, value in each.items() if value is not ...} for each in judged]
    judge = write_lines(tmp_path / "judge.jsonl", lines)
    job = Job([judge], [str(tmp_path / "labels.json")], runs=[run], num_resamples=0)
    (found,) = compare(job).agreements
    assert found.counts == Counts(matched=1, only_truth=0, failed=0, only_judge=0, incomplete=0)
    assert found.figure("linking").value == 1.0


def test_canonical_judgments_of_a_report_as_a_whole_are_compared(tmp_path: Path) -> None:
    truth = summary("t", "r", _annotated((PART, "1"), (NONE, "no_selection")))
    whole = [
        {key: value for key, value in each.items() if key != "sentence_index"}
        for each in (_covers("partial", 0), _covers("yes", 0, "n1"))
    ]
    found = _compared(tmp_path, truth, judgments=[*whole, _covers("partial", 2)])
    assert (found.counts.matched, found.figure("accuracy").value) == (2, 0.5)
    assert (found.figure("linking").value, found.figure("linking").num) == (0.0, 1)


def test_among_equal_verdicts_the_likelier_bullet_is_the_link(tmp_path: Path) -> None:
    truth = summary("t", "r", _annotated((FULL, "2")))
    probs = [0.7, 0.8, 0.9, 0.9]
    judged = [_covers("yes", bullet, prob=prob) for bullet, prob in enumerate(probs)]
    found = _compared(tmp_path, truth, judgments=judged)
    assert (found.figure("linking").value, found.figure("linking").num) == (1.0, 1)


def test_a_report_not_judged_to_the_end_is_unjudged_unless_nothing_could_change(
    tmp_path: Path,
) -> None:
    truth = summary("t", "r", _annotated((FULL, "0"), (NONE, "no_selection"), (FULL, "0")))
    judged = [_covers("yes", 0), _covers("no", 0, "n1"), _covers("partial", 0, "n2")]
    found = _compared(tmp_path, truth, judgments=judged)
    assert found.counts == Counts(matched=1, only_truth=0, failed=0, only_judge=0, incomplete=2)


def test_system_bias_is_the_mean_over_systems_of_means_over_reports(tmp_path: Path) -> None:
    up = {"predictions_x": _predicted((FULL, 1), (FULL, 1))}
    same = {"predictions_x": _predicted((PART, 1), (NONE, "NA"))}
    truth = _annotated((PART, 0), (NONE, "no_selection"))
    found = _compared(
        tmp_path,
        summary("t1", "r1", truth, generator="one", **up),
        summary("t2", "r1", truth, generator="one", **same),
        summary("t1", "r2", truth, generator="two", **same),
    )
    biases = {each.system: (each.num_reports, each.bias.value) for each in found.systems}
    assert biases == {"one": (2, 0.375), "two": (1, 0.0)}
    assert found.figure("system_bias").value == pytest.approx(0.1875)
    assert found.figure("bias").value == pytest.approx(0.25)


def test_length_is_words_per_bullet(tmp_path: Path) -> None:
    truth = _annotated((PART, 0))
    words = {"r1": (40, FULL), "r2": (80, PART), "r3": (120, NONE)}
    summaries = [
        summary("t", run_id, truth, num_words=number, predictions_x=_predicted((word, 1)))
        for run_id, (number, word) in words.items()
    ]
    found = _compared(tmp_path, *summaries)
    assert found.figure("length_score").value == pytest.approx(-1.0)
    assert found.figure("length_bias").value == pytest.approx(-1.0)
    for each in summaries:
        each.update(num_words=None)
    unknown = _compared(tmp_path, *summaries).figure("length_score")
    assert (unknown.value, unknown.reason) == (None, "the lengths of the reports are unknown")
