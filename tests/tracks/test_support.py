"""Judgments of support (RAG 2024): runs and judgments in one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.tracks.files import Break, Json, at, lines, scored, scores

CHECK = [["2"], ["1"], ["0", "2"], ["-1"], []]
"""The grades of the citations of each sentence."""


def line(run_id: str, topic_id: str, grades: list[list[Any]]) -> Json:
    sentences = [
        {"sentenceID": place, "text": f"Sentence {place} of {run_id}.", "citations": [
            {"citationID": at, "reference": f"doc_{place}#{at}", "support": grade}
            for at, grade in enumerate(found)]}
        for place, found in enumerate(grades)
    ]  # fmt: skip
    return {"topic_id": topic_id, "narrative_id": 7, "run_id": run_id, "sentences": sentences}


def written() -> list[Json]:
    """Three runs on three topics; nothing is unjudged but where the third run says so."""
    return [
        line("r1", "t1", [["2"], ["1", "0"], []]), line("r1", "t2", [["0", "2"]]),
        line("r1", "t3", [[], []]),
        line("r2", "t1", [["0"], ["0"]]), line("r2", "t2", []),
        line("r3", "t1", CHECK), line("r3", "t2", [["-1", "2"], ["2"]]),
        line("r3", "t3", [["-1"]]),
    ]  # fmt: skip


def score(argue_eval: Command, path: str, *args: str, code: int = 4) -> dict[str, Any]:
    return scores(scored(argue_eval, "support", path, path, "--judge", "none", *args, code=code))


def values(found: dict[str, Any], run_id: str) -> dict[str, float]:
    return {name: each[0] for name, each in found[run_id].items()}


def test_what_is_judged_of_the_five_kinds_of_sentences_has_the_known_scores(
    argue_eval: Command, tmp_path: Path
) -> None:
    path = lines(tmp_path, "judged.jsonl", [line("r", "t1", CHECK)])
    found = score(argue_eval, path, "--judged-only")
    assert values(found, "r") == pytest.approx({
        "weighted_precision": 0.5, "weighted_recall": 0.375,
        "hard_precision": 1 / 3, "hard_recall": 0.25,
        "weighted_precision_all": 2 / 3, "weighted_recall_all": 0.5,
    })  # fmt: skip


def test_without_judged_only_the_open_sentence_gives_bounds(
    argue_eval: Command, tmp_path: Path
) -> None:
    path = lines(tmp_path, "judged.jsonl", [line("r", "t1", CHECK)])
    found = score(argue_eval, path)["r"]
    bounds = {
        "weighted_precision": (1.5 / 4, 2.5 / 4), "weighted_recall": (1.5 / 5, 2.5 / 5),
        "hard_precision": (1 / 4, 2 / 4), "hard_recall": (1 / 5, 2 / 5),
        "weighted_precision_all": (2 / 4, 3 / 4), "weighted_recall_all": (2 / 5, 3 / 5),
    }  # fmt: skip
    assert {name: each[1:] for name, each in found.items()} == {
        name: pytest.approx(each) for name, each in bounds.items()
    }
    assert {each[0] for each in found.values()} == {None}


def test_one_file_scores_all_its_runs_as_computed_by_hand(
    argue_eval: Command, tmp_path: Path
) -> None:
    good = [each for each in written() if each["run_id"] != "r3"]
    found = score(argue_eval, lines(tmp_path, "judged.jsonl", good), code=0)
    # t1: grades 1 and 0.5 of 2 cited and 3 sentences; t2: 0; t3 cites nothing, and counts 0.
    assert values(found, "r1") == pytest.approx({
        "weighted_precision": (1.5 / 2 + 0 + 0) / 3, "weighted_recall": (1.5 / 3 + 0 + 0) / 3,
        "hard_precision": (1 / 2 + 0 + 0) / 3, "hard_recall": (1 / 3 + 0 + 0) / 3,
        "weighted_precision_all": (1.25 / 2 + 0.5 + 0) / 3,
        "weighted_recall_all": (1.25 / 3 + 0.5 + 0) / 3,
    })  # fmt: skip
    assert set(values(found, "r2").values()) == {0}


def test_an_unjudged_first_citation_leaves_the_measures_over_all_alone(
    argue_eval: Command, tmp_path: Path
) -> None:
    path = lines(tmp_path, "judged.jsonl", [line("r", "t1", [["-1", "2"], ["2"]])])
    found = score(argue_eval, path)["r"]
    assert found["weighted_precision"] == (None, 0.5, 1)
    assert found["weighted_precision_all"] == found["weighted_recall_all"] == (1, 1, 1)


def test_judged_only_scores_of_three_topics_leave_out_what_nobody_judged(
    argue_eval: Command, tmp_path: Path
) -> None:
    found = score(argue_eval, lines(tmp_path, "judged.jsonl", written()), "--judged-only")
    # t1 is the check; t2: the second sentence is judged; of t3, nothing is: it is left out.
    assert values(found, "r3")["weighted_precision"] == pytest.approx((0.5 + 1) / 2)
    assert values(found, "r3")["weighted_precision_all"] == pytest.approx((2 / 3 + 1) / 2)


@pytest.mark.parametrize("number", [int, str])
def test_grades_may_be_numbers(argue_eval: Command, tmp_path: Path, number: type) -> None:
    grades: list[list[Any]] = [[number(2)], [number(1), number(-1)], [number(0)]]
    path = lines(tmp_path, "judged.jsonl", [line("r", "t1", grades)])
    assert values(score(argue_eval, path, code=0), "r")["weighted_precision"] == 0.5


def test_the_judgments_hold_for_the_submitted_run_too(argue_eval: Command, tmp_path: Path) -> None:
    judged = line("r", "t1", [["2"], ["0"]])
    judged_file = lines(tmp_path, "judged.jsonl", [judged])
    run = {
        "run_id": "r", "topic_id": "t1", "topic": "x", "references": ["doc_0#0", "doc_1#0"],
        "answer": [{"text": each["text"], "citations": [place]}
                   for place, each in enumerate(judged["sentences"])],
    }  # fmt: skip
    run_file = lines(tmp_path, "run.jsonl", [run])
    out = scored(argue_eval, "support", run_file, judged_file, "--judge", "none")
    assert scores(out)["r"]["weighted_precision"][0] == 0.5


def test_a_judge_is_asked_about_first_citations_alone(argue_eval: Command, tmp_path: Path) -> None:
    path = lines(tmp_path, "judged.jsonl", [line("r", "t1", [["2", "-1"], ["-1", "-1"]])])
    texts = [{"doc_id": f"doc_1#{at}", "title": "", "text": "Sentence 1 of r."} for at in (0, 1)]
    documents = lines(tmp_path, "documents.jsonl", texts)
    ran = argue_eval(*f"score {path} {path} --protocol support --collection {documents}".split(),
                     "-o", str(tmp_path / "out"))  # fmt: skip
    assert ran.code == 0, ran.err
    judged = (tmp_path / "out" / "r.judgments.jsonl").read_text().splitlines()
    assert [json.loads(each)["doc_id"] for each in judged] == ["doc_0#0", "doc_1#0"]


def test_under_another_protocol_the_missing_nuggets_are_warned_of(
    argue_eval: Command, tmp_path: Path
) -> None:
    path = lines(tmp_path, "judged.jsonl", [line("r", "t1", CHECK)])
    ran = argue_eval("score", path, path, "--allow-unjudged")
    assert "[no_nuggets] none of the 1 topic has a nugget" in ran.err


def _sentence(line: int, place: int, **changes: Any) -> Any:
    return at(line, "sentences", place, **changes)


def _citation(line: int, place: int, **changes: Any) -> Any:
    return at(line, "sentences", place, "citations", 0, **changes)


BROKEN = [
    Break("no run_id", at(1, run_id=...), "missing_key", 2, "'run_id'"),
    Break("run_id is a number", at(1, run_id=3), "wrong_type", 2, "$.run_id"),
    Break("no topic", lambda values: values.append({"run_id": "r", "sentences": []}),
          "missing_key", 9, "'topic_id' (or 'narrative_id')"),
    Break("topic is a list", at(2, topic_id=["t3"]), "wrong_type", 3, "$.topic_id"),
    Break("topic is blank", at(2, topic_id=" "), "empty_id", 3, "$.topic_id"),
    Break("no sentences", at(1, sentences=...), "missing_key", 2, "'sentences'"),
    Break("sentences by number", at(1, sentences={"0": {}}), "wrong_type", 2, "a list"),
    Break("a sentence is a text", at(1, sentences=["A."]), "wrong_type", 2, "$.sentences[0]"),
    Break("no text", _sentence(0, 1, text=None), "wrong_type", 1, "$.sentences[1].text"),
    Break("citations are an object", _sentence(0, 0, citations={"a": "2"}), "wrong_type", 1,
          "$.sentences[0].citations"),
    Break("a citation is an id", _sentence(0, 0, citations=["d1"]), "wrong_type", 1,
          "$.sentences[0].citations[0]"),
    Break("reference is null", _citation(0, 0, reference=None), "wrong_type", 1, "an id"),
    Break("reference is a number", _citation(0, 0, reference=3), "wrong_type", 1, ".reference"),
    Break("another grade", _citation(3, 1, support="3"), "bad_verdict", 4,
          "$.sentences[1].citations[0].support: expected a grade of support from"),
    Break("grade is a word", _citation(3, 1, support="full"), "bad_verdict", 4, "'full'"),
    Break("grade is null", _citation(3, 1, support=None), "bad_verdict", 4, "null"),
    Break("grade is true", _citation(3, 1, support=True), "bad_verdict", 4, "true"),
    Break("a report twice", lambda values: [*values, values[0]], "duplicate_report", 9, "'r1'"),
    Break("half a line", lambda values: [*values, '{"run_id": '], "json_truncated", 9, ""),
]  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.name)
def test_broken_judgments_of_support_are_refused_with_place_and_reason(
    argue_eval: Command, tmp_path: Path, broken: Break
) -> None:
    path = broken.write(tmp_path, written())
    broken.check(argue_eval, tmp_path, f"score {path} {path} --protocol support")
