"""``argue-eval curate key-points``: from questions and documents to what runs are scored with."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.chat_server import Answer, Received, says
from tests.cli.conftest import Command
from tests.curation.track import FIRE, FIRE_2, INSURANCE, READER, claims, nuggets, run

DOCUMENTS = "--collection docs.jsonl --retrieved bm25.run --model m"
KEY_POINTS = f"curate key-points questions.jsonl {DOCUMENTS} -o points.json --left-out rest.json"
STEPS = {"document": "extract", "points": "dedupe", "statement": "filter"}


def step_of(received: Received) -> str:
    return next(step for own, step in STEPS.items() if f"<<<{own} " in received.prompt)


def model(received: Received) -> Answer:
    """Finds two points about a fire, which are one; for the second question, that is none."""
    step = step_of(received)
    if step == "extract":
        return READER(received)  # type: ignore[no-any-return]
    if step == "dedupe":
        numbers = {
            text: int(number) for number, text in re.findall(r'(\d+): "(.*)"', received.prompt)
        }
        same = [numbers[str(FIRE["point"])], numbers[str(FIRE_2["point"])]]
        groups = [
            {"point": "A fire destroyed the mill in 1912.", "numbers": same},
            {"point": "-", "numbers": [numbers[str(INSURANCE["point"])]]},
        ]
        return says(json.dumps({"groups": groups}))
    return says("NO" if "What did the mill grind?" in received.prompt else "YES")


def test_one_command_makes_what_the_steps_make_one_after_the_other(argue_eval: Command) -> None:
    ran, server = run(argue_eval, model, KEY_POINTS)
    assert ran.code == 0, ran.err
    assert Counter(map(step_of, server.received)) == {"extract": 4, "dedupe": 1, "filter": 3}
    assert claims()["q1"] == ["A fire destroyed the mill in 1912.", INSURANCE["point"]]
    assert claims()["q2"] == []
    assert claims("rest.json") == {"q2": [FIRE_2["point"]]}
    merged = nuggets()["q1"][0]
    assert merged["answers"][0]["doc_ids"] == ["d1", "d2"]
    assert [each["nugget_id"] for each in merged["merged_from"]] == ["q1-p1", "q1-p3"]
    at_once = Path("points.json").read_text()
    for command in (
        f"curate extract questions.jsonl {DOCUMENTS} -o 1.json",
        "curate dedupe 1.json --requests questions.jsonl --model m -o 2.json",
        "curate filter 2.json --requests questions.jsonl --model m -o 3.json",
    ):
        ran, server = run(argue_eval, model, f"{command} --replies points.json.replies.jsonl")
        assert (ran.code, server.received) == (0, [])
    assert Path("3.json").read_text() == at_once


def test_responses_are_scored_with_what_was_made(argue_eval: Command) -> None:
    run(argue_eval, model, KEY_POINTS)
    said = {"q1": "A fire destroyed the mill in 1912.", "q2": "It ground rye."}
    with Path("run.jsonl").open("w") as stream:
        for topic_id, text in said.items():
            sentence = {"text": text, "citations": ["d2" if topic_id == "q1" else "d3"]}
            metadata = {"topic_id": topic_id, "run_id": "r"}
            stream.write(json.dumps({"metadata": metadata, "responses": [sentence]}) + "\n")
    ran = argue_eval(
        "score run.jsonl points.json --protocol key-points --judge lexical --collection docs.jsonl "
        "--requests questions.jsonl --by domain"
    )
    assert ran.code == 0, ran.err
    values = {name.strip(): value for name, value in
              (line.split("\tall\t") for line in ran.out.splitlines())}  # fmt: skip
    # One of two key points is made; it was found in d2, which is cited. q2 has no key points.
    assert (values["kpr"], values["kpp"], values["kpf"]) == ("0.2500", "0.5000", "0.3333")
    assert values["kpr[domain=crafts]"] == "0.5000"


def test_a_dry_run_gives_one_price_and_counts_what_is_left(argue_eval: Command) -> None:
    ran, server = run(argue_eval, model, f"{KEY_POINTS} --dry-run")
    assert (ran.code, server.received) == (0, [])
    # 4 documents are read, 2 questions have claims to group, and each document has 20 claims.
    assert ran.out.startswith("86 calls if 20 key points are found in each document, about ")
    run(argue_eval, model, f"{KEY_POINTS} --max-calls 4")
    ran, _ = run(argue_eval, model, f"{KEY_POINTS} --dry-run")
    # Of what was found, nothing is taken to be the same: a grouping and 4 claims to filter.
    assert ran.out.startswith("5 calls if ")
    ran, server = run(argue_eval, model, KEY_POINTS)
    assert (ran.code, len(server.received)) == (0, 4)
    ran, _ = run(argue_eval, model, f"{KEY_POINTS} --dry-run")
    assert ran.out.startswith("0 calls if ")


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ("", 2, "name the documents to read: --collection FILE"),
        ("--collection docs.jsonl --depth 3", 2, "--depth K reads the first K documents of"),
        ("--collection docs.jsonl --run run.jsonl", 2, "No such option"),
        ("--collection docs.jsonl --left-out points.json", 2, "name the same file"),
        ("--collection no.jsonl", 3, "no.jsonl"),
    ],
)
def test_mistakes_are_reported_before_anything_is_asked(
    argue_eval: Command, change: str, code: int, message: str
) -> None:
    command = f"curate key-points questions.jsonl --model m -o points.json {change}"
    ran, server = run(argue_eval, model, command)
    assert (ran.code, server.received) == (code, []), ran.err
    assert message in ran.err
    assert not Path("points.json").exists()
