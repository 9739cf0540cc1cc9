"""BioGen 2024: assessments as the track released them, to its measures."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from argue_eval.records import Judgment, Kind, Verdict
from tests.cli.conftest import Command
from tests.tracks import files
from tests.tracks.files import Json, bounds, changed, check_bounds, check_refused, lines, values

RELATIONS = {
    "+": "supporting", "!": "contradicting", "0": "neutral", "-": "not relevant", "?": None,
}  # fmt: skip
GRADES = {"r": "required", "b": "borderline", "u": "unnecessary", "i": "inappropriate", "n": None}
# For each run and question: accurate or not, then a grade and the relations of citations for every
# sentence; a sentence alone cites nothing.
ASSESSED = {
    "M1": {"q1": "yes r+! b0 u- i n+", "q2": "no i!! r+", "q3": "yes r++ r+"},
    "M2": {"q1": "no u u", "q2": "yes r+0 b! b+", "q3": "yes r- r+ r! r0"},
    "M3": {"q1": "yes r+", "q2": "no n"},
}


def sentence(number: int, said: str) -> Json:
    cited = [
        {"cited_pmid": str(place), "evidence_relation": RELATIONS[sign], "evidence_support": "E"}
        for place, sign in enumerate(said[1:], 1)
    ]
    return changed(
        {"answer_sentence_id": str(number), "citation_assessment": cited or None},
        answer_sentence=f"This is sentence {number}.",
        answer_sentence_relevance=GRADES.get(said[0], ...),  # nobody graded a ?
    )


def answer(said: str) -> Json:
    accurate, *words = said.split()
    sentences = [sentence(number, word) for number, word in enumerate(words, 1)]
    return {"answer": "…", "is_answer_accurate": accurate, "answer_sentences": sentences}


def question(topic_id: str, **answers: Any) -> Json:
    return {"question_id": topic_id, "question": "Why?", "machine_generated_answers": answers}


def write(folder: Path, *questions: Json, name: str = "biogen.json") -> str:
    path = folder / name
    path.write_text(json.dumps(questions, indent=1))
    return str(path)


def assessed(folder: Path) -> str:
    topics = {topic: None for about in ASSESSED.values() for topic in about}
    return write(
        folder,
        *(
            question(t, **{run: answer(said[t]) for run, said in ASSESSED.items() if t in said})
            for t in topics
        ),
    )


def scored(argue_eval: Command, *args: str, code: int = 0) -> str:
    return files.scored(argue_eval, "biogen", *args, code=code)


NAMES = (
    "citation_coverage", "citation_support_rate", "citation_contradict_rate", "answer_accuracy",
    "answer_precision", "answer_borderline", "answer_redundancy", "answer_harmfulness",
)  # fmt: skip
BY_HAND = {
    ("M1", "q1"): (2 / 5, 2 / 5, 1 / 5, 1, 1 / 5, 1 / 5, 1 / 5, 1 / 5),
    ("M1", "q2"): (1 / 2, 1 / 3, 2 / 3, 0, 1 / 2, 0, 0, 1 / 2),
    ("M1", "q3"): (1, 1, 0, 1, 1, 0, 0, 0),
    ("M2", "q1"): (0, None, None, 0, 0, 0, 1, 0),
    ("M2", "q2"): (2 / 3, 2 / 4, 1 / 4, 1, 1 / 3, 2 / 3, 0, 0),
    ("M2", "q3"): (1 / 4, 1 / 4, 1 / 4, 1, 1, 0, 0, 0),
    ("M3", "q1"): (1, 1, 0, 1, 1, 0, 0, 0),
    ("M3", "q2"): (0, None, None, 0, 0, 0, 0, 0),
    ("M3", "q3"): (0, 0, 0, 0, 0, 0, 0, 0),
}


def test_measures_are_those_computed_by_hand(argue_eval: Command, tmp_path: Path) -> None:
    path = assessed(tmp_path)
    found = values(scored(argue_eval, path, path))
    for (run_id, topic_id), expected in BY_HAND.items():
        got = [found[run_id, name, topic_id] for name in NAMES]
        assert got == [each if each is None else pytest.approx(each) for each in expected]
    for run_id in ASSESSED:
        for place, name in enumerate(NAMES):
            mean = sum(BY_HAND[run_id, topic][place] or 0 for topic in ("q1", "q2", "q3")) / 3
            assert found[run_id, name, "all"] == pytest.approx(mean), (run_id, name)


def test_less_is_better_of_contradictions_redundancy_and_harm(
    argue_eval: Command, tmp_path: Path
) -> None:
    path, out = assessed(tmp_path), str(tmp_path / "out")
    scored = argue_eval("score", path, path, "--protocol", "biogen", "-o", out)
    header, *rows = (line.split() for line in scored.out.splitlines() if line.count("  ") > 3)
    less = {"citation_contradict_rate", "answer_redundancy", "answer_harmfulness"}
    for column, name in enumerate(header):
        if name in NAMES:
            values = {float(row[column].rstrip("*")) for row in rows}
            marked = {float(row[column][:-1]) for row in rows if row[column].endswith("*")}
            assert marked == {min(values) if name in less else max(values)}, name
    for name in ("citation_contradict_rate", "citation_coverage"):
        compared = json.loads(argue_eval("compare", out, "-m", name, "--json").out)
        means = [each["mean"] for each in compared["systems"]]
        assert means == sorted(means, reverse=name not in less)
        assert compared["systems"][0]["rank"] == 1
        table = argue_eval("leaderboard", out, "-m", name)
        assert (f"sorted by {name}, where less is better" in table.out) == (name in less)


def test_bounds_are_reached_over_all_ways_to_assess_what_is_missing(
    argue_eval: Command, tmp_path: Path
) -> None:
    ways = {f"{a}{b}{c}": answer(f"yes r{a}{b} b{c} u") for a, b, c in product("+!0", repeat=3)}
    open_ = {"one": "?0!", "two": "+?+", "three": "0??"}
    partial = {name: answer(f"yes r{signs[:2]} b{signs[2]} u") for name, signs in open_.items()}
    path = write(tmp_path, question("q1", **ways, **partial))
    out = scored(argue_eval, path, path, "--support-judge", "none", code=4)
    assert len(bounds(out, "one", "q1")) == len(NAMES)
    check_bounds(out, "q1", list(ways), open_)


def test_assessments_are_runs_and_judgments_of_support(tmp_path: Path) -> None:
    path = assessed(tmp_path)
    runs = formats.read_runs(path)
    assert [(run.run_id, len(run)) for run in runs] == [("M1", 3), ("M2", 3), ("M3", 2)]
    first = runs[0]["q1"].sentences[0]
    assert (first.text, [each.doc_id for each in first.citations]) == (
        "This is sentence 1.",
        ["1", "2"],
    )
    judged = formats.read_judgments(path)
    assert judged[1] == Judgment(
        Kind.SUPPORT, "q1", Verdict.CONTRADICTS, "assessor:biogen", run_id="M1", sentence_index=0,
        doc_id="2", rationale="E",
    )  # fmt: skip
    assert len(judged) == 5 + 3 + 3 + 0 + 4 + 4 + 1


def test_a_submitted_run_is_scored_by_a_judge_and_its_grades_are_open(
    argue_eval: Command, tmp_path: Path
) -> None:
    meta = {"team_id": "x", "run_id": "mine", "topic_id": "q1"}
    sentences = [
        {"text": "The mill burned down.", "citations": ["d1"]},
        {"text": "So.", "citations": []},
    ]
    run = lines(tmp_path, "mine.jsonl", [{"metadata": meta, "responses": sentences}])
    texts = [{"doc_id": "d1", "text": "The mill burned down."}]
    topics = write(tmp_path, question("q1", M1=answer("yes r+")))
    given = (run, topics, "--collection", lines(tmp_path, "documents.jsonl", texts))
    found = values(scored(argue_eval, *given, code=4))
    assert found["mine", "citation_coverage", "q1"] == 0.5
    assert found["mine", "citation_support_rate", "q1"] == 1
    assert {found["mine", name, "q1"] for name in NAMES[3:]} == {None}
    ran = argue_eval("score", *given, "--protocol", "biogen")
    assert "3 x grade, judge none: only assessors give grades" in ran.err
    assert argue_eval("score", *given, "-m", NAMES[0], "-m", NAMES[1]).code == 0


def test_bounds_of_grades_are_reached_over_all_ways_to_grade(
    argue_eval: Command, tmp_path: Path
) -> None:
    ways = {f"{a}{b}": answer(f"yes r {a} {b}") for a, b in product("rbui", repeat=2)}
    open_ = {"one": "?u", "two": "??"}
    partial = {name: answer(f"yes r {signs[0]} {signs[1]}") for name, signs in open_.items()}
    path = write(tmp_path, question("q1", **ways, **partial))
    out = scored(argue_eval, path, path, code=4)
    assert bounds(out, "one", "q1")["answer_precision"] == (1 / 3, 2 / 3)
    check_bounds(out, "q1", list(ways), open_)


def test_sentences_without_texts_are_scored_by_what_was_assessed(
    argue_eval: Command, tmp_path: Path
) -> None:
    value = question("q1", M1=answer("yes r+! b0"))
    for each in value["machine_generated_answers"]["M1"]["answer_sentences"]:
        del each["answer_sentence"]
    path = write(tmp_path, value)
    assert values(scored(argue_eval, path, path))["M1", "citation_contradict_rate", "q1"] == 1 / 3
    ran = argue_eval("score", path, path, "--protocol", "support")
    assert (ran.code, "[no_texts]" in ran.err) == (1, True)


# --- what is broken ---


def with_answer(**changes: Any) -> Json:
    return question("q2", M1=changed(answer("yes r+ b0"), **changes))


def with_sentence(**changes: Any) -> Json:
    sentences = [sentence(1, "r+"), changed(sentence(2, "b0"), **changes)]
    return with_answer(answer_sentences=sentences)


def with_citation(*more: Json, **changes: Any) -> Json:
    cited = changed({"cited_pmid": "1", "evidence_relation": "supporting"}, **changes)
    return with_sentence(citation_assessment=[cited, *more])


BROKEN = [
    (changed(with_answer(), question_id=...), "missing_key", "'question_id'"),
    (changed(with_answer(), question_id=" "), "empty_id", "expected an id"),
    (changed(with_answer(), question_id="q1"), "duplicate_topic", "'q1' occurs again"),
    (changed(with_answer(), machine_generated_answers=[]), "wrong_type", "expected an object"),
    (question("q2", **{"M1": None}), "wrong_type", "expected an object"),
    (question("q2", **{" ": answer("yes r")}), "empty_id", "expected an id"),
    (with_answer(is_answer_accurate="maybe"), "bad_value", "expected one of 'yes', 'no'"),
    (with_answer(is_answer_accurate=True), "bad_value", "found true"),
    (with_answer(answer_sentences=...), "missing_key", "'answer_sentences'"),
    (with_answer(answer_sentences={}), "wrong_type", "expected a list"),
    (with_answer(answer_sentences=["so"]), "wrong_type", "expected an object"),
    (with_sentence(answer_sentence_relevance="good"), "bad_value", "'inappropriate'"),
    (with_sentence(answer_sentence=7), "wrong_type", "expected text"),
    (with_sentence(citation_assessment="1"), "wrong_type", "expected a list"),
    (with_sentence(citation_assessment=["1"]), "wrong_type", "expected an object"),
    (with_citation(cited_pmid=...), "missing_key", "'cited_pmid'"),
    (with_citation(cited_pmid=""), "empty_id", "expected an id"),
    (with_citation(evidence_relation=...), "missing_key", "'evidence_relation'"),
    (with_citation(evidence_relation="so"), "bad_verdict", "expected one of 'supporting'"),
    (
        with_citation({"cited_pmid": "1", "evidence_relation": "neutral"}),
        "duplicate_label",
        "the document '1' is assessed in two ways",
    ),
]


@pytest.mark.parametrize(("value", "code", "message"), BROKEN)
def test_broken_assessments_are_located(
    value: Any, code: str, message: str, tmp_path: Path, argue_eval: Command
) -> None:
    path = write(tmp_path, question("q1", M1=answer("yes r+")), value)
    command = ["score", path, path, "--protocol", "biogen"]
    check_refused(argue_eval, tmp_path, command, f"error [{code}]", message, "$[1]")
