"""SummHay's labels: verdicts, bullets, and what the file tells about the summaries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval.errors import InputError
from argue_eval.formats.jsonl import Source
from argue_eval.formats.judgments.summhay_labels import Summary, read_summaries
from argue_eval.records import Judgment, Kind, Verdict
from tests.formats.reading import DATA, Reading, needs_data

Json = dict[str, Any]


def _summary(**changes: Any) -> Json:
    good = {
        "subtopic_id": "t",
        "summary_key": "r",
        "n_bullets": 3,
        "annotation": [{"insight_id": "n", "coverage": "fully_covered", "candidate_id": "0"}],
        "predictions_m": [{"insight_id": "n", "coverage": "PARTIAL_COVERAGE", "bullet_id": 3}],
    }
    return {key: value for key, value in {**good, **changes}.items() if value is not ...}


def _predicted(coverage: str | None, bullet: Any, times: int = 1) -> Json:
    label = {"insight_id": "n", "coverage": coverage, "bullet_id": bullet}
    return {"predictions_m": [label] * times}


def _judgment(verdict: Verdict, judge: str, bullet: int | None = None) -> Judgment:
    return Judgment(
        Kind.COVERS, "t", verdict, judge, run_id="r", sentence_index=bullet, nugget_id="n"
    )


def test_a_label_is_a_judgment_of_the_summary_and_one_of_the_bullet(reading: Reading) -> None:
    assert reading.judgments(_summary()) == [
        _judgment(Verdict.YES, "assessor:annotation"),
        _judgment(Verdict.YES, "assessor:annotation", 0),
        _judgment(Verdict.PARTIAL, "m"),
        _judgment(Verdict.PARTIAL, "m", 2),
    ]
    assert reading.warnings == []


@pytest.mark.parametrize("bullet", ["NA", "no_selection", [1, 2], [], None])
def test_no_bullet_or_several_name_none(reading: Reading, bullet: Any) -> None:
    found = reading.judgments(_summary(annotation=[], **_predicted("FULL_COVERAGE", bullet)))
    assert found == [_judgment(Verdict.YES, "m")]


def test_null_is_no_judgment(reading: Reading) -> None:
    value = _summary(annotation=[], **_predicted(None, "NA"))
    assert reading.judgments(value) == []
    (summary,) = read_summaries(Source(reading.path([value])))
    assert summary.failures == (("m", "n"),)


def test_facts_are_as_told_or_counted_from_the_texts(reading: Reading) -> None:
    told = _summary(num_words=7, generator="g", summary=["- a b", "- c"])
    texts = _summary(n_bullets=..., summary=["- a b [1][2]", "- c"])
    found = list(read_summaries(Source(reading.path([told, {**texts, "summary_key": "s"}]))))
    assert found == [Summary("t", "r", "g", 3, 7), Summary("t", "s", "s", 2, 6)]


def test_other_files_tell_nothing_about_summaries(reading: Reading) -> None:
    assert list(read_summaries(Source(reading.path([{"topic_id": "t"}])))) == []


OF_LABEL, OF_BULLET = "$.predictions_m[0].coverage", "$.predictions_m[0].bullet_id"
WITHOUT_COVERAGE = {"annotation": [{"insight_id": "n", "candidate_id": "0"}]}
WRONG: dict[str, tuple[Json, str, str]] = {
    "unknown word": (_predicted("MAYBE", 1), "bad_verdict", OF_LABEL),
    "bullet above": (_predicted("FULL_COVERAGE", 4), "no_such_bullet", OF_BULLET),
    "bullet 0 of 1-based": (_predicted("FULL_COVERAGE", 0), "no_such_bullet", OF_BULLET),
    "bullet is no number": (_predicted("FULL_COVERAGE", 1.5), "wrong_type", OF_BULLET),
    "no coverage": (WITHOUT_COVERAGE, "missing_key", "$.annotation[0]"),
    "insight twice": (_predicted("NO_COVERAGE", "NA", 2), "duplicate_label", "$.predictions_m[1]"),
    "not a list": ({"annotation": "fully_covered"}, "wrong_type", "$.annotation"),
    "words": ({"num_words": "many"}, "wrong_type", "$.num_words"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_mistakes_are_located(reading: Reading, mistake: str) -> None:
    changes, code, path = WRONG[mistake]
    with pytest.raises(InputError) as wrong:
        reading.judgments(_summary(**changes))
    assert [(each.code, each.path, each.line) for each in wrong.value.findings] == [(code, path, 1)]


def test_a_summary_twice_is_an_error(reading: Reading) -> None:
    with pytest.raises(InputError, match="duplicate_report"):
        reading.judgments(_summary(), _summary())


@needs_data
def test_words_of_the_texts_are_nearly_those_of_the_labels() -> None:
    # The labels' numbers are of the bullets joined without a break: one less for each but one.
    folder = Path(DATA) / "summhay"
    texts = {
        (each.topic_id, each.run_id): each
        for each in read_summaries(Source(str(folder / "annotated_summaries.json")))
    }
    labels = json.loads((folder / "evaluator_labels.json").read_text("utf-8"))
    assert len(texts) == 114
    for each in labels:
        found = texts.get((each["subtopic_id"], each["summary_key"]))
        if found and found.num_words is not None and found.num_bullets is not None:
            assert found.num_bullets == each["n_bullets"]
            assert 0 <= found.num_words - each["num_words"] <= found.num_bullets
