"""argue-eval as a judge of TREC AutoJudge, whose own command runs the workflow of docs/."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click import ClickException

import argue_eval as ae
from argue_eval.cli.autojudge import AutoJudge
from tests import autojudge
from tests.chat_server import ChatServer, says
from tests.example_reference import ROOT
from tests.formats.reading import DATA, needs_data

WORKFLOW = ROOT / "docs" / "examples" / "autojudge" / "workflow.yml"
KIDDIE_NUGGETS = ROOT / "tests" / "data" / "kiddie_nuggets.json"
MEASURES = ["sentence_precision", "nugget_recall", "argue_f1"]

_READ = """
import contextlib, json, sys
from pathlib import Path
from autojudge_base.leaderboard import Leaderboard
board = Leaderboard.load(Path({path!r}), format={format_!r})
rows = [[e.run_id, e.topic_id, m, float(v)] for e in board.entries for m, v in e.values.items()]
print(json.dumps(rows))
"""


def auto_judge(folder: Path, *options: str) -> str:
    """What auto-judge writes to standard error; it must succeed."""
    words = ["-m", "autojudge_base.cli", "run", "--workflow", str(WORKFLOW), "--out-dir", "out"]
    ran = autojudge.run([*words, *options], folder)
    assert ran.returncode == 0, ran.stderr
    return ran.stderr


def values_of(scores: ae.Scores) -> dict[tuple[str, str, str], float]:
    """Every value by run, topic and measure, without those that missing judgments leave open."""
    return {
        (row["run_id"], row["topic_id"], row["measure"]): row["value"] or 0.0
        for row in scores.rows(per_topic=True)
        if row["value"] is not None or row["is_undefined"]
    }


def read_back(folder: Path, path: str, format_: str) -> dict[tuple[str, str, str], float]:
    """The values that autojudge-base reads from a leaderboard."""
    rows = autojudge.result(_READ.format(path=path, format_=format_), folder)
    return {(run, topic, measure): value for run, topic, measure, value in rows}


def test_auto_judge_scores_the_example_track_as_score_does(tmp_path: Path) -> None:
    text = (ROOT / "topics/example.jsonl").read_text("utf-8")
    requests = list(map(json.loads, text.splitlines()))
    lines = [json.dumps({**each, "request_id": each.pop("topic_id")}) + "\n" for each in requests]
    (tmp_path / "topics.jsonl").write_text("".join(lines))
    said = auto_judge(
        tmp_path,
        *("--rag-responses", str(ROOT / "runs"), "--rag-topics", "topics.jsonl"),
        *("--corpus", str(ROOT / "collection/example.jsonl")),
        *("--set", f"nuggets={ROOT / 'qrels/example.json'}"),
        *("--leaderboard-format", "tot"),
    )
    scores = ae.score(
        sorted(map(str, ROOT.glob("runs/*.jsonl"))),
        str(ROOT / "qrels/example.json"),
        topics=str(tmp_path / "topics.jsonl"),
        collection=str(ROOT / "collection/example.jsonl"),
        measures=MEASURES,
    )
    assert read_back(tmp_path, "out/default.eval.txt", "tot") == values_of(scores)
    assert "values left out, since judgments are missing" in said
    assert "signature: protocol:argue-argue|citations:all" in said
    # What was judged is enough to score again.
    again = ae.score(
        sorted(map(str, ROOT.glob("runs/*.jsonl"))),
        str(tmp_path / "out/default.nuggets.jsonl"),
        topics=str(tmp_path / "topics.jsonl"),
        judgments=str(tmp_path / "out/default.judgments.jsonl"),
        judge="none",
        measures=MEASURES,
    )
    assert values_of(again) == values_of(scores)


@needs_data
def test_auto_judge_scores_the_kiddie_set(tmp_path: Path) -> None:
    folder = DATA / "kiddie"
    runs, topics = folder / "runs" / "repgen", folder / "topics" / "kiddie-topics.jsonl"
    auto_judge(
        tmp_path,
        *("--rag-responses", str(runs), "--rag-topics", str(topics)),
        *("--set", f"nuggets={KIDDIE_NUGGETS}", "--variant", "strict"),
    )
    scores = ae.score(
        sorted(map(str, runs.glob("*.jsonl"))),
        str(KIDDIE_NUGGETS),
        topics=str(topics),
        measures=MEASURES,
        reading="strict",
    )
    assert read_back(tmp_path, "out/strict.eval.txt", "ir_measures") == values_of(scores)
    qrels = list(map(str.split, (tmp_path / "out/strict.qrels.txt").read_text().splitlines()))
    assert {grade for *_, grade in qrels} == {"0", "1"}
    assert ["leaf", "0", "Chlorophyll", "1"] in qrels
    assert ["leaf", "0", "Toronto_Maple_Leafs", "0"] in qrels


def test_the_page_shows_the_workflow() -> None:
    assert WORKFLOW.read_text("utf-8") in (ROOT / "docs" / "autojudge.md").read_text("utf-8")


# --- in this process, without the start of the package --------------------------------------------

Given = Callable[..., dict[str, Any]]

METADATA = {"team_id": "t", "run_id": "r1", "topic_id": "mill"}
REPORT = {
    "metadata": METADATA,
    "responses": [
        {"text": "The mill was built in 1784.", "citations": ["d1"]},
        {"text": "It is old.", "citations": None},
    ],
    "documents": {"d1": {"id": "d1", "text": "The old mill was built in 1784."}},
}
NUGGETS: dict[str, Any] = {
    "format": "argue-eval/nuggets/1",
    "topics": [
        {
            "topic_id": "mill",
            "nuggets": [
                {"nugget_id": f"n{number}", "question": "When?", "aggregator": "OR",
                 "answers": [{"answer": answer, "doc_ids": ["d1"]}]}
                for number, answer in enumerate(("1784", "in spring"))
            ],
        }
    ],
}  # fmt: skip


@pytest.fixture
def given(
    autojudge_base: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Given:
    """What AutoJudge passes: reports, requests, the configuration of a model, settings."""
    monkeypatch.chdir(tmp_path)
    Path("nuggets.json").write_text(json.dumps(NUGGETS))

    def make(*changes: dict[str, Any], topics: tuple[str, ...] = ("mill",), **more: Any) -> Any:
        report, request = autojudge_base("report").Report, autojudge_base("request").Request
        return {
            "rag_responses": [
                report.model_validate({**REPORT, **each}) for each in changes or [{}]
            ],
            "rag_topics": [request(request_id=each, title=each) for each in topics],
            "llm_config": None,
            **more,
        }

    return make


def test_nuggets_with_one_question_stay_apart(given: Given) -> None:
    judge = AutoJudge()
    banks = judge.create_nuggets(**given(nuggets="nuggets.json"))
    assert isinstance(banks, judge.nugget_banks_type)
    assert list(banks.banks["mill"].nugget_bank) == ["When?", "When? (2)"]
    board = judge.judge(**given(nugget_banks=banks, measures="nugget_recall"))
    assert [(each.topic_id, each.values) for each in board.entries] == [
        ("mill", {"nugget_recall": 0.5}),
        ("all", {"nugget_recall": 0.5}),
    ]
    assert board.spec.measures[0].description.startswith("nuggets that the report answers")


def test_given_nuggets_are_kept(given: Given) -> None:
    banks = AutoJudge().create_nuggets(**given(nuggets="nuggets.json"))
    assert AutoJudge().create_nuggets(**given(nugget_banks=banks)) is banks


def test_relevance_labels_that_are_given_count(given: Given) -> None:
    judge = AutoJudge()
    labels = judge.create_qrels(**given(nuggets="nuggets.json"))
    assert [(row.topic_id, row.doc_id, row.grade) for row in labels.rows] == [("mill", "d1", 1)]
    none = type(labels)([labels.rows[0].__class__("mill", "d1", 0)])
    for qrels, recall in ((labels, 0.5), (none, 0.0)):
        board = judge.judge(**given(nuggets="nuggets.json", qrels=qrels, measures="nugget_recall"))
        assert board.entries[0].values == {"nugget_recall": recall}


@pytest.mark.parametrize(
    "change",
    [
        {"responses": [{"text": "The mill was built in 1784.", "citations": {"d1": 0.5}}]},
        {
            "responses": [{"text": "The mill was built in 1784.", "citations": [1]}],
            "references": ["d0", "d1"],
        },
        {
            "responses": None,
            "answer": [{"text": "The mill was built in 1784.", "citations": [0]}],
            "references": ["d1"],
            "metadata": {"team_id": "t", "run_id": "r1", "narrative_id": "mill"},
        },
    ],
)
def test_reports_of_every_track_are_scored(given: Given, change: dict[str, Any]) -> None:
    board = AutoJudge().judge(**given(change, nuggets="nuggets.json", measures="nugget_recall"))
    assert board.entries[0].values == {"nugget_recall": 0.5}


def test_judgments_of_people_are_used_first(given: Given) -> None:
    about = {"topic_id": "mill", "sentence": "The mill was built in 1784.", "nugget_id": "n0"}
    said = {**about, "kind": "answers", "answer": "1784", "verdict": "no", "judge": "assessor:A1"}
    Path("people.jsonl").write_text(json.dumps(said))
    chosen = {"nuggets": "nuggets.json", "judgments": "people.jsonl", "measures": "nugget_recall"}
    board = AutoJudge().judge(**given(**chosen))
    assert board.entries[0].values == {"nugget_recall": 0.0}


def test_no_relevance_labels_if_a_topic_has_no_document(
    given: Given, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = {"nuggets": "nuggets.json", "topics": ("mill", "inn")}
    assert AutoJudge().create_qrels(**given(**chosen)) is None
    assert "the nuggets name no documents for inn" in capsys.readouterr().err


def test_a_topic_without_a_report_counts_0(given: Given) -> None:
    topics = [*NUGGETS["topics"], {**NUGGETS["topics"][0], "topic_id": "inn"}]
    Path("nuggets.json").write_text(json.dumps({**NUGGETS, "topics": topics}))
    chosen = {"nuggets": "nuggets.json", "measures": "nugget_recall"}
    board = AutoJudge().judge(**given(topics=("mill", "inn"), **chosen))
    assert {each.topic_id: each.values["nugget_recall"] for each in board.entries} == {
        "mill": 0.5,
        "inn": 0.0,
        "all": 0.25,
    }


def test_what_missing_judgments_leave_open_has_no_value(
    given: Given, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = {"nuggets": "nuggets.json", "judge": "none", "filebase": "out/mine"}
    board = AutoJudge().judge(**given(**chosen, measures="sentence_precision"))
    assert board.entries == ()
    shown = capsys.readouterr().err
    assert "2 values left out, since judgments are missing" in shown
    assert "judge none" in shown
    assert Path("out/mine.judgments.jsonl").read_text() == ""


def test_support_needs_no_nuggets(given: Given) -> None:
    judge = AutoJudge()
    chosen = {"protocol": "support", "measures": "support"}
    assert judge.create_nuggets(**given(**chosen)) is None
    assert judge.create_qrels(**given(**chosen)) is None
    board = judge.judge(**given(**chosen))
    assert board.entries[0].values["weighted_recall"] == 0.5


def test_a_model_makes_nuggets_of_the_documents_that_reports_bring_along(given: Given) -> None:
    built = {"point": "The mill was built in 1784.", "spans": ["built in 1784"]}
    script = [says(json.dumps({"points": [built]})), says(json.dumps({"points": []}))]
    chosen = {"curator": "m", "protocol": "nuggetizer", "measures": "all_score"}
    judge = AutoJudge()
    with ChatServer(script) as server, server.environment():
        banks = judge.create_nuggets(**given(**chosen, filebase="out/mine"))
        again = judge.create_nuggets(**given(**chosen, filebase="out/mine"))
    assert len(server.received) == 1  # replies are kept
    assert banks == again
    assert list(banks.banks["mill"].claim_bank) == [built["point"]]
    board = judge.judge(**given(**chosen, nugget_banks=banks))
    assert board.entries[0].values == {"all_score": 1.0}


@pytest.mark.parametrize(
    "changes", [{"documents": None}, {"metadata": {**METADATA, "topic_id": "x"}}]
)
def test_a_curator_needs_documents(given: Given, changes: dict[str, Any]) -> None:
    with pytest.raises(ClickException, match="the curator reads the documents of the reports"):
        AutoJudge().create_nuggets(**given(changes, curator="m"))


def test_the_language_model_is_that_of_autojudge(given: Given) -> None:
    class Config:
        model = "hf:/no/such/model"

    with pytest.raises(ClickException, match="/no/such/model"):
        AutoJudge().judge(**{**given(nuggets="nuggets.json", judge="llm"), "llm_config": Config()})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "there are no nuggets: give --nugget-banks FILE"),
        ({"nuggets": "nope.json"}, "nope.json: no such file"),
        ({"nuggets": "nuggets.json", "topics": ("a", "mill")}, "no nuggets for 1 of 2 topics: a;"),
        ({"nuggets": "nuggets.json", "jugde": "none"}, "Did you mean 'judge'?"),
    ],
)  # fmt: skip
def test_mistakes_have_no_traceback(given: Given, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ClickException) as raised:
        AutoJudge().create_nuggets(**given(**settings))
    assert message in raised.value.message


@pytest.mark.parametrize(
    ("change", "settings", "message"),
    [
        ({}, {"judge": "lexica"}, "Did you mean 'lexical'?"),
        ({}, {"measures": "nugget_recal"}, "Did you mean 'nugget_recall'?"),
        ({}, {"corpus": "no/such/set"}, "no/such/set"),
        ({}, {"corpus": "https://example.org/corpus"}, "https://example.org/corpus"),
        ({"responses": [{"text": "A.", "citations": [7]}], "references": ["d1"]}, {}, "run r1:1"),
    ],
)
def test_mistakes_in_what_is_judged(
    given: Given, change: dict[str, Any], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ClickException) as raised:
        AutoJudge().judge(**given(change, nuggets="nuggets.json", **settings))
    assert message in raised.value.message


def test_two_reports_of_a_run_for_a_topic_are_an_error(given: Given) -> None:
    with pytest.raises(ClickException, match="run r1:2: error"):
        AutoJudge().judge(**given({}, {}, nuggets="nuggets.json"))
