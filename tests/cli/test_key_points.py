"""``argue-eval score --protocol key-points``, on the example of docs/key-points.md."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.chat_server import ChatServer, verdicts
from tests.cli.conftest import Command
from tests.documented import ROOT
from tests.tiny_track import read_lines

EXAMPLE = ROOT / "docs" / "examples" / "key-points"
SCORE = "score responses.jsonl key-points.json --protocol key-points"
RATIOS = ("kpr", "kpp", "kpf")


@pytest.fixture(autouse=True)
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example in the working directory."""
    for path in EXAMPLE.iterdir():
        shutil.copy(path, tmp_path)
    shutil.copy(ROOT / "collection" / "example.jsonl", tmp_path / "documents.jsonl")
    monkeypatch.chdir(tmp_path)


def test_the_worked_example_comes_out(argue_eval: Command) -> None:
    ran = argue_eval(f"{SCORE} --judgments judgments.jsonl --judge none -q")
    assert ran.code == 0
    found = {topic: [ran.value(name, topic) for name in RATIOS] for topic in ("q1", "q2", "all")}
    assert found == {
        "q1": ["0.5000", "1.0000", "0.6667"],
        "q2": ["0.6667", "0.5000", "0.5714"],
        "all": ["0.5556", "0.8333", "0.6349"],
    }
    assert "protocol:key-points|" in ran.err


@pytest.mark.parametrize("covers", ["sentence", "report"])
def test_exported_and_written_judgments_give_the_same_scores(
    argue_eval: Command, covers: str
) -> None:
    options = f"--covers {covers} -q"
    judged = argue_eval(f"{SCORE} --collection documents.jsonl --store s.store {options} -o out")
    assert judged.code == 0, judged.err
    assert argue_eval("store export s.store -o out.judgments.jsonl").code == 0
    lines = read_lines("out.judgments.jsonl")
    assert {line["kind"] for line in lines} == {"covers", "support"}
    for path in ("out.judgments.jsonl", "out/drafter.judgments.jsonl"):
        again = argue_eval(f"{SCORE} --judgments {path} --judge none {options}")
        assert (again.code, again.out) == (0, judged.out), again.err


def test_documents_that_a_report_lists_are_shown_to_judges_though_it_does_not_cite_them(
    argue_eval: Command,
) -> None:
    points = json.loads(Path("key-points.json").read_text())
    for answer in points["topics"][0]["nuggets"][0]["answers"]:
        answer["doc_ids"] = ["ex-0007"]  # the report lists ex-0004, which says the same
    Path("key-points.json").write_text(json.dumps(points))
    ran = argue_eval(f"{SCORE} --collection documents.jsonl -q")
    assert (ran.code, ran.value("kpp", "q1")) == (0, "1.0000")


def test_without_documents_recall_has_a_value_and_precision_is_unjudged(
    argue_eval: Command,
) -> None:
    points = json.loads(Path("key-points.json").read_text())
    for topic in points["topics"]:
        for nugget in topic["nuggets"]:
            nugget["answers"][0]["doc_ids"] = []
    Path("key-points.json").write_text(json.dumps(points))
    judged = "--judgments judgments.jsonl --judge none -q"
    ran = argue_eval(f"{SCORE} {judged}")
    assert (ran.code, ran.value("kpr")) == (4, "0.5556")
    assert [ran.value(f"kpp_{end}", "q3") for end in ("lower", "upper")] == ["0.0000", "1.0000"]
    assert argue_eval(f"{SCORE} {judged} -m kpr").code == 0


def test_what_becomes_of_every_key_point_is_written(argue_eval: Command) -> None:
    ran = argue_eval(f"{SCORE} --collection documents.jsonl --judge lexical -o out")
    assert ran.code == 0, ran.err
    records = read_lines("out/drafter.outcomes.jsonl")
    found = {record["nugget_id"]: record for record in records}
    assert len(found) == 9
    first, second = found["q1-k1"], found["q2-k2"]
    assert (first["is_covered"], first["sentences"], first["coverage"]) == (True, [0], None)
    assert (first["is_entailed"], first["attesting"]) == (True, ["ex-0004"])
    assert first["retrieved"] == ["ex-0001", "ex-0002", "ex-0004"]
    assert first["judge"].startswith("lexical@")
    assert (second["is_covered"], second["is_entailed"]) == (True, False)
    assert (second["attesting"], second["supporting"]) == ([], [])


def test_an_unknown_place_to_seek_claims_is_a_usage_error(argue_eval: Command) -> None:
    ran = argue_eval(f"{SCORE} --covers document")
    assert (ran.code, ran.out) == (2, "")
    assert "unknown --covers 'document'" in ran.err
    assert "Choices: report, sentence" in ran.err


@pytest.mark.parametrize("command", ["score", "judge"])
@pytest.mark.parametrize(
    ("measures", "is_error"),
    [
        ("--protocol key-points", True),
        ("--protocol summhay", True),
        ("-m nuggetizer", True),
        ("-m kpr -m vital_score", True),
        ("-m kpr -m nugget_recall", False),
        ("-m kpr -m P@5", False),
        ("--protocol argue", None),
        ("-m response_words", None),
    ],
)
def test_questions_cannot_be_graded_as_claims(
    argue_eval: Command, command: str, measures: str, is_error: bool | None
) -> None:
    files = [str(ROOT / each) for each in ("runs/careful.jsonl", "qrels/example.json")]
    ran = argue_eval(command, *files, *measures.split(), "--judge", "lexical")
    if is_error:
        assert (ran.code, ran.out) == (1, "")
        assert "38 nuggets are questions" in ran.err
        assert "--protocol argue" in ran.err
    else:
        assert ran.code in (0, 4)
        is_told = command == "score" and is_error is False
        assert ("[nothing_to_measure] nothing to measure in any" in ran.err) == is_told


def test_claims_without_documents_are_not_for_the_flowchart(argue_eval: Command) -> None:
    document = json.loads(Path("key-points.json").read_text("utf-8"))
    for topic in document["topics"]:
        for nugget in topic["nuggets"]:
            nugget["answers"] = [{"answer": each["answer"]} for each in nugget["answers"]]
    Path("bare.json").write_text(json.dumps(document), encoding="utf-8")
    ran = argue_eval("score responses.jsonl bare.json --judge none")
    assert (ran.code, ran.out) == (1, "")
    advised = re.findall(r"--protocol ([a-z-]+)", ran.err)
    assert advised == ["nuggetizer"]
    followed = f"score responses.jsonl bare.json --protocol {advised[0]}"
    assert argue_eval(followed).code == 0


@pytest.mark.parametrize(("option", "num_calls"), [("", 3), ("--covers sentence", 7)])
def test_an_llm_judge_reads_whole_reports_unless_told_otherwise(
    argue_eval: Command, option: str, num_calls: int
) -> None:
    with ChatServer(lambda each: verdicts(each.labels, "yes")) as server, server.environment():
        ran = argue_eval(f"{SCORE} --judge llm:m --store s.store -m kpr -q {option}")
    assert (ran.code, ran.value("kpr")) == (0, "1.0000"), ran.err
    prompts = [each.prompt for each in server.received]
    assert len([prompt for prompt in prompts if "cover these claims" in prompt]) == num_calls
    assert ("|covers:report|" in ran.err) == (not option)
    whole = "steering gear failed. A seal of the wrong type had been fitted in it. About 30 tonnes"
    assert any(whole in prompt for prompt in prompts) == (not option)


def response_points(*claims: str, run_id: str | None = "drafter") -> None:
    """Writes own.json, key points that were extracted from the response to q1."""
    listed = [{"nugget_id": f"p{n}", "question": None, "answers": [{"answer": claim}]}
              for n, claim in enumerate(claims)]  # fmt: skip
    topic = {"topic_id": "q1", "nuggets": listed, **({"run_id": run_id} if run_id else {})}
    document = {"format": "argue-eval/nuggets/1", "topics": [topic]}
    Path("own.json").write_text(json.dumps(document))


def test_precision_can_be_over_the_key_points_of_the_response(argue_eval: Command) -> None:
    response_points("The hydraulic pump of the steering gear failed.", "The captain was asleep.")
    command = f"{SCORE} --collection documents.jsonl --response-points own.json -q -o out"
    ran = argue_eval(command)
    assert ran.code == 0, ran.err
    assert [ran.value(name, "q1") for name in RATIOS] == ["0.5000", "0.5000", "0.5000"]
    assert [ran.value("kpp", topic) for topic in ("q2", "q3")] == ["0.0000", "0.0000"]
    assert ran.value("num_undefined") == "2"
    assert "[topic_without_points] no key points for 2 topics: q2, q3" in ran.err
    assert "|points:" in ran.err
    records = read_lines("out/drafter.outcomes.jsonl")
    own = [record for record in records if "nugget_id" not in record]
    assert [(record["is_entailed"], record["supporting"]) for record in own] == [
        (True, ["ex-0004"]), (False, [])
    ]  # fmt: skip
    again = argue_eval(
        f"{SCORE} --judgments out/drafter.judgments.jsonl --judge none -q "
        "--response-points own.json"
    )
    assert (again.code, again.out) == (0, ran.out), again.err


def test_key_points_of_nobody_or_of_another_run_are_told(argue_eval: Command) -> None:
    judged = "--judgments judgments.jsonl --judge none --response-points own.json"
    response_points("A claim.", run_id=None)
    ran = argue_eval(f"{SCORE} {judged}")
    assert ran.code == 1
    assert "own.json: error [missing_key] topic 'q1' does not say whose response it is" in ran.err
    response_points("A claim.", run_id="other")
    ran = argue_eval(f"{SCORE} {judged}")
    assert (ran.code, ran.value("kpp")) == (0, "0.8333")
    assert "[unknown_run] key points of the run 'other', which is not scored" in ran.err
    assert "[run_without_points] no key points for 1 run: drafter" in ran.err


def test_key_points_of_one_run_in_two_files_are_an_error(argue_eval: Command) -> None:
    response_points("A claim.")
    shutil.copy("own.json", "more.json")
    ran = argue_eval(f"{SCORE} --judge none --response-points own.json --response-points more.json")
    assert (ran.code, ran.out) == (1, "")
    told = "more.json: error [duplicate_run] the key points of the run 'drafter' are in own.json"
    assert told in ran.err
