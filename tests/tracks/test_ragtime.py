"""RAGTIME 2025 and Auto-ARGUE files as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from tests.cli.conftest import Command
from tests.tracks.files import Break, Json, at, lines, scores

TOPICS = ("t1", "t2", "t3")
REPORTS = {"r1": TOPICS, "r2": ("t1", "t2"), "r3": ("t3",)}
CITED = {0: ["d1"], 1: ["d1", "d2"], 2: []}


def bank() -> list[Json]:
    """Two questions a topic, of which the second has two answers."""
    return [
        {"query_id": topic, "format_version": "v3", "nugget_bank": {
            "Who?": {"question": "Who?", "aggregator_type": "OR", "importance": "vital",
                     "answers": {"Ann": {"answer": "Ann", "references": [{"doc_id": "d1"}]}}},
            "When?": {"question": "When?", "aggregator_type": "AND", "importance": "okay",
                      "answers": {
                          "May": {"answer": "May", "references": [{"doc_id": "d1"}]},
                          "1999": {"answer": "1999", "references": [{"doc_id": "d2"}]}}},
        }}
        for topic in TOPICS
    ]  # fmt: skip


def run(run_id: str) -> list[Json]:
    return [
        {"metadata": {"run_id": run_id, "topic_id": topic, "team_id": "x"}, "responses": [
            {"text": f"Sentence {at} of {run_id}.", "citations": cited}
            for at, cited in CITED.items()]}
        for topic in REPORTS[run_id]
    ]  # fmt: skip


def judged(run_id: str, topic_id: str) -> Json:
    """The first sentence is right; the second has one document that does not support it."""
    first = [_matched("d1", "Who?", "Ann"), _yes_or_no("SENTENCE_ATTESTED", "d1", True)]
    second = [
        _matched("d1", "When?", "May"), _yes_or_no("SENTENCE_ATTESTED", "d1", True),
        _yes_or_no("SENTENCE_ATTESTED", "d2", False),
    ]  # fmt: skip
    second.append(_matched("d2", "When?", *(["1999"] if run_id == "r1" else [])))
    ids = {"run_id": run_id, "topic_id": topic_id, "team_id": "x"}
    entries = [
        {"text": f"Sentence {at} of {run_id}.", "judgments": found,
         "citations": [{"doc_id": each} for each in CITED[at]]}
        for at, found in enumerate((first, second, []))
    ]  # fmt: skip
    return {"metadata": ids, "sentence_judgments": entries}


def _matched(doc_id: str, question: str, *answers: str) -> Json:
    matched = [{"question_text": question, "matched_answer": list(answers)}]
    return {"judgment_type_id": "SENTENCE_ANSWERS_QUESTION", "provenance": {"doc_id": doc_id},
            "response": {"matched_nuggets": matched}}  # fmt: skip


def _yes_or_no(word: str, doc_id: str, answer: bool) -> Json:
    return {"judgment_type_id": word, "provenance": {"doc_id": doc_id},
            "response": {"is_attested": answer}}  # fmt: skip


def evaluations() -> list[Json]:
    return [judged(run_id, topic) for run_id, topics in REPORTS.items() for topic in topics]


def uncited() -> list[Json]:
    """The third sentences need no citation."""
    return [
        {"topic_id": topic, "kind": kind, "verdict": "no", "judge": "a",
         "sentence": f"Sentence 2 of {run_id}."}
        for run_id, topics in REPORTS.items() for topic in topics
        for kind in ("negative", "requires_citation")
    ]  # fmt: skip


def command(folder: Path, values: list[Json]) -> str:
    runs = [lines(folder, f"{run_id}.jsonl", run(run_id)) for run_id in REPORTS]
    paths = " ".join((*runs, lines(folder, "bank.jsonl", bank())))
    more = lines(folder, "uncited.jsonl", uncited())
    given = lines(folder, "judged.jsonl", values)
    return f"score {paths} --judgments {given} --judgments {more} --judge none -q --format json"


def top_level(value: Json) -> Json:
    """The form with a report, in which an answer may stand beside its type."""
    entries = [
        {**each, "judgments": [
            {**{key: item for key, item in one.items() if key != "response"}, **one["response"]}
            for one in each["judgments"]]}
        for each in value["sentence_judgments"]
    ]  # fmt: skip
    return {"report": {"metadata": value["metadata"]}, "judgments": entries}


def with_report(value: Json) -> Json:
    return {"report": {"metadata": value["metadata"]},
            "sentence_judgments": value["sentence_judgments"]}  # fmt: skip


def ids_beside(value: Json) -> Json:
    return {**value["metadata"], "sentence_judgments": value["sentence_judgments"]}


def test_the_measures_are_those_computed_by_hand(argue_eval: Command, tmp_path: Path) -> None:
    ran = argue_eval(command(tmp_path, evaluations()))
    assert ran.code == 0, ran.err
    found = {run_id: {name: each[0] for name, each in of_run.items()}
             for run_id, of_run in scores(ran.out).items()}  # fmt: skip
    # Of a report: 2 of 3 citations support; 1 of 2 sentences is right; r1 answers 2 of 2 nuggets.
    expected = {"r1": (1, 1), "r2": (2 / 3, 1 / 2), "r3": (1 / 3, 1 / 2)}
    for run_id, (answered, coverage) in expected.items():
        f1 = 2 * 0.5 * coverage / (0.5 + coverage)
        assert found[run_id]["citation_support_macro"] == pytest.approx(2 / 3 * answered)
        assert found[run_id]["citation_support_micro"] == pytest.approx(2 / 3)
        assert found[run_id]["sentence_support_macro"] == pytest.approx(1 / 2 * answered)
        assert found[run_id]["nugget_coverage_macro"] == pytest.approx(coverage * answered)
        assert found[run_id]["f1_macro"] == pytest.approx(f1 * answered)


def test_only_answered_topics_count_in_published_averages(
    argue_eval: Command, tmp_path: Path
) -> None:
    ran = argue_eval(f"{command(tmp_path, evaluations())} --only-answered")
    found = scores(ran.out)
    for run_id, coverage in (("r1", 1), ("r2", 1 / 2), ("r3", 1 / 2)):
        assert found[run_id]["citation_support_macro"][0] == pytest.approx(2 / 3)
        assert found[run_id]["nugget_coverage_micro"][0] == pytest.approx(coverage)


def documents_as_ids(value: Json) -> Json:
    entries = [{**each, "citations": [cited["doc_id"] for cited in each["citations"]]}
               for each in value["sentence_judgments"]]  # fmt: skip
    return {**value, "sentence_judgments": entries}


@pytest.mark.parametrize("form", [top_level, with_report, ids_beside, documents_as_ids])
def test_every_form_of_the_judgments_says_the_same(tmp_path: Path, form: Any) -> None:
    nuggets = formats.read_nuggets(lines(tmp_path, "bank.jsonl", bank()))
    values = evaluations()
    first = formats.read_judgments(lines(tmp_path, "a.jsonl", values), nuggets=nuggets)
    other = [form(each) for each in values]
    assert len(first) == 6 * (3 + 2 + 3)
    assert formats.read_judgments(lines(tmp_path, "b.jsonl", other), nuggets=nuggets) == first


def test_published_averages_are_explained_where_the_measure_is(argue_eval: Command) -> None:
    for name in ("f1", "nugget_coverage", "character_count"):
        assert "--only-answered" in argue_eval("explain", name).out


def test_characters_are_counted_without_spaces_between_sentences(
    argue_eval: Command, tmp_path: Path
) -> None:
    texts = ["x" * 110] * 14 + ["x" * 114]  # 15 sentences: 1,654 characters, and 14 spaces between
    report = {"metadata": {"run_id": "r", "topic_id": "t1"},
              "responses": [{"text": each, "citations": []} for each in texts]}  # fmt: skip
    paths = lines(tmp_path, "r.jsonl", [report]), lines(tmp_path, "bank.jsonl", bank()[:1])
    ran = argue_eval("score", *paths, "-m", "character_count")
    assert ran.value("character_count_max") == "1654"
    report["responses"] = [{"text": text, "citations": []} for text in ("\ufb01x", "e", "\u0301x")]
    lines(tmp_path, "r.jsonl", [report])  # NFKC of each sentence alone: fix, e and an accent with x
    assert argue_eval("score", *paths, "-m", "character_count").value("character_count_max") == "6"


def test_sub_nuggets_are_warned_of(tmp_path: Path) -> None:
    (value, *_) = bank()
    value["nugget_bank"]["Who?"]["sub_nuggets"] = [{"question": "Who else?"}]
    value["nugget_bank"]["When?"]["sub_nuggets"] = []
    warnings: list[Any] = []
    formats.read_nuggets(lines(tmp_path, "n.jsonl", [value]), warnings=warnings)
    assert [(each.code, each.path) for each in warnings] == [
        ("sub_nuggets", "$.nugget_bank['Who?'].sub_nuggets")
    ]


def _entry(**changes: Any) -> Any:
    return at(1, "sentence_judgments", 0, **changes)


def _item(place: int, **changes: Any) -> Any:
    return at(1, "sentence_judgments", 1, "judgments", place, **changes)


_IN = "$.sentence_judgments[1].judgments"
BROKEN = [
    Break("judgments by number", at(1, sentence_judgments={"0": []}), "wrong_type", 2, "a list"),
    Break("judgments are texts", at(1, sentence_judgments=["yes"]), "wrong_type", 2, "an object"),
    Break("metadata is a list", at(1, metadata=[]), "wrong_type", 2, "$.metadata"),
    Break("no topic", at(1, metadata={"run_id": "r1"}), "missing_key", 2, "'topic_id'"),
    Break("topic is a number", at(1, metadata={"topic_id": 1}), "wrong_type", 2, "$.metadata"),
    Break("run is a list", at(1, metadata={"topic_id": "t1", "run_id": ["r"]}), "wrong_type", 2,
          "$.metadata.run_id"),
    Break("no run and no text", at(1, metadata={"topic_id": "t1"}), "missing_key", 2,
          "the sentence is not named"),
    Break("judgments are null", _entry(judgments=None), "wrong_type", 2, ".judgments"),
    Break("a judgment is a word", _entry(judgments=["yes"]), "wrong_type", 2, ".judgments[0]"),
    Break("citations are a text", _entry(citations="d1"), "wrong_type", 2, ".citations"),
    Break("a citation is a number", _entry(citations=[1]), "wrong_type", 2, ".citations[0]"),
    Break("no type", _item(1, judgment_type_id=None), "wrong_type", 2, f"{_IN}[1]"),
    Break("provenance is an id", _item(1, provenance="d1"), "wrong_type", 2,
          f"{_IN}[1].provenance"),
    Break("no document", _item(1, provenance={}), "missing_key", 2, "'provenance.doc_id'"),
    Break("response is a word", _item(1, response="yes"), "wrong_type", 2,
          f"{_IN}[1].response"),
    Break("attested is a word", _item(1, response={"is_attested": "yes"}), "wrong_type", 2,
          "expected true or false"),
    Break("nuggets by question", _item(0, response={"matched_nuggets": {"Who?": []}}), "wrong_type",
          2, f"{_IN}[0].response.matched_nuggets"),
    Break("an answer is an object", _item(0, response={"matched_nuggets": [
        {"question_text": "When?", "matched_answer": [{}]}]}), "wrong_type", 2,
          "matched_answer[0]"),
    Break("half a line", lambda values: [*values, '{"metadata": '], "json_truncated", 7, ""),
]  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.name)
def test_broken_judgments_are_refused_with_place_and_reason(
    argue_eval: Command, tmp_path: Path, broken: Break
) -> None:
    good = command(tmp_path, evaluations())
    path = broken.write(tmp_path, evaluations())
    broken.check(argue_eval, tmp_path, good.replace(str(tmp_path / "judged.jsonl"), path))
