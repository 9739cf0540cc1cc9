"""Several files of judgments: whose answer is used, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import tiny_track
from tests.cli.conftest import Command
from tests.tiny_track import ALPHA, JUDGMENTS, Json, write_lines

pytestmark = pytest.mark.usefixtures("files")

SCORE = "score alpha.jsonl nuggets.json --judge none -m nugget_recall"


def _placed(judgment: Json, **changes: str) -> list[Json]:
    """The judgment for each place in `alpha` that has its sentence, without the text."""
    rest = {key: value for key, value in judgment.items() if key != "sentence"} | changes
    return [
        {**rest, "run_id": "alpha", "sentence_index": index}
        for report in ALPHA
        for index, response in enumerate(report["responses"])
        if response["text"] == judgment.get("sentence")
        and report["metadata"]["topic_id"] == judgment["topic_id"]
    ]


ANSWERS = [each for each in JUDGMENTS if each["kind"] == "answers"]
BY_PLACE = {
    judge: [line for each in ANSWERS for line in _placed(each, judge=judge, verdict="no")]
    for judge in ("model", "assessor:A1")
}
BY_TEXT = [{**each, "judge": "model", "verdict": "no"} for each in ANSWERS]
NUM = len(BY_PLACE["model"])


@pytest.mark.parametrize(
    ("given", "recall", "num_set_aside"),
    [
        ((JUDGMENTS, BY_TEXT), "1.0000", len(BY_TEXT)),
        ((BY_TEXT, JUDGMENTS), "0.1667", len(BY_TEXT)),
        ((JUDGMENTS, BY_PLACE["model"]), "1.0000", NUM),
        ((BY_PLACE["model"], JUDGMENTS), "0.1667", NUM),
        ((JUDGMENTS, BY_PLACE["assessor:A1"]), "0.1667", 0),
        ((BY_PLACE["assessor:A1"], JUDGMENTS), "1.0000", 0),
        ((BY_PLACE["model"], BY_TEXT, JUDGMENTS), "0.1667", len(BY_TEXT)),
    ],
)
@pytest.mark.parametrize("is_one_file", [False, True])
def test_the_first_judge_is_used_whatever_names_the_sentences(
    argue_eval: Command,
    given: tuple[list[Json], ...],
    recall: str,
    num_set_aside: int,
    is_one_file: bool,
) -> None:
    names = []
    for number, judgments in enumerate(given):
        name = "all.jsonl" if is_one_file else f"{number}.jsonl"
        with Path(name).open("a", encoding="utf-8") as stream:
            stream.write(tiny_track.lines(judgments))
        names.append(name)
    named = [word for name in dict.fromkeys(names) for word in ("--judgments", name)]
    ran = argue_eval(*SCORE.split(), *named)
    assert (ran.code, ran.value("nugget_recall")) == (0, recall)
    told = f"{num_set_aside} judgments set aside"
    assert (told in ran.err) == bool(num_set_aside), ran.err
    assert ("set aside" in ran.err) == bool(num_set_aside)


@pytest.mark.parametrize(
    ("change", "is_told"),
    [
        ({}, False),
        ({"sentence": "Another sentence."}, True),
        ({"topic_id": "t99"}, True),
        ({"sentence": None, "run_id": "another", "sentence_index": 0}, True),
    ],
)
def test_judgments_of_other_runs_are_told(argue_eval: Command, change: Json, is_told: bool) -> None:
    named = {key: value for key, value in {**BY_TEXT[0], **change}.items() if value is not None}
    write_lines("other.jsonl", [named])
    ran = argue_eval(*SCORE.split(), "--judgments", "other.jsonl")
    assert ("none of 1 judgment is about a sentence of the runs" in ran.err) == is_told


@pytest.mark.parametrize(
    ("prefix", "rest", "is_told"),
    [("", 0, False), ("x-", 0, True), ("x-", 1, False), ("x-", None, False)],
)
def test_judgments_of_documents_that_nobody_cites_are_told(
    argue_eval: Command, prefix: str, rest: int | None, is_told: bool
) -> None:
    """One whose id is as in the runs is enough; without any of support there is nothing to tell."""
    support = [each for each in JUDGMENTS if each["kind"] == "support"]
    others = [{**each, "doc_id": prefix + each["doc_id"]} for each in support]
    lines = ANSWERS if rest is None else [*ANSWERS, *others[rest:], *support[:rest]]
    write_lines("other.jsonl", lines)
    ran = argue_eval(*SCORE.split(), "--judgments", "other.jsonl", "--allow-unjudged")
    assert ran.code == 0
    assert ("[foreign_documents]" in ran.err) == is_told
    assert ("judged is 'x-" in ran.err) == is_told


def test_a_judgment_of_the_only_sentence_is_none_of_the_report(argue_eval: Command) -> None:
    metadata = {"team_id": "t", "run_id": "r", "topic_id": "t1"}
    run: list[Json] = [
        {"metadata": metadata, "responses": [{"text": "It burned.", "citations": []}]}
    ]
    claim = {"nugget_id": "n1", "question": None, "answers": [{"answer": "The mill burned."}]}
    bank: Json = {
        "format": "argue-eval/nuggets/1",
        "topics": [{"topic_id": "t1", "nuggets": [claim]}],
    }
    of_claim = {"topic_id": "t1", "kind": "covers", "nugget_id": "n1"}
    judged: list[Json] = [
        {**of_claim, "sentence": "It burned.", "verdict": "no", "judge": "first"},
        {**of_claim, "run_id": "r", "verdict": "yes", "judge": "second"},
    ]
    files: dict[str, list[Json]] = {"r": run, "bank": [bank], "judged": judged}
    for name, objects in files.items():
        write_lines(f"{name}.jsonl", objects)
    ran = argue_eval(
        "score r.jsonl bank.jsonl --judgments judged.jsonl --judge none -m strict_all_score"
    )
    assert (ran.code, ran.value("strict_all_score")) == (0, "1.0000")
    assert "set aside" not in ran.err
