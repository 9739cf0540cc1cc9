"""Document ids of nuggets that look like none are warned of, with their share, by every command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.tiny_track import lines

REAL = [f"{n:08x}-7a1e-4e5e-af0e-6b1bab77{n:04x}_{n}" for n in range(2_000, 2_040)]
IDS = {
    "one for all": (["NOREF"] * 9, "all answers name the same document, 'NOREF'"),
    "numbered": ([f"NOREF-{n}" for n in range(9)], "9 of 9 document ids"),
    "one real": ([*(f"ref{n}" for n in range(38)), REAL[0]], "38 of 39 document ids"),
    "one wrong": ([*REAL[:38], "12345"], "1 of 39 document ids"),
    "other track": ([f"msmarco_v2.1_doc_1_{n}#3_1" for n in range(9)], "9 of 9 document ids"),
    "plain words": (["none", "N/A", *REAL[:3]], "2 of 5 document ids"),
    "shorter": ([*REAL[:20], *(each[3:] for each in REAL[20:25])], "5 of 25 document ids"),
    "real": (REAL[:20], ""),
    "real, none of them cited": (REAL[30:], ""),
}
WITHOUT = {"one real", "one wrong", "other track", "shorter"}
"""Cases that only other ids show."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    metadata = {"team_id": "t", "run_id": "r", "topic_id": "t1"}
    responses = [{"text": f"Sentence {each}.", "citations": [each]} for each in REAL[:30]]
    Path("run.jsonl").write_text(lines([{"metadata": metadata, "responses": responses}]))
    Path("ids.txt").write_text("".join(f"{each}\n" for each in REAL))
    documents = [{"doc_id": each, "title": "", "text": "x"} for each in REAL]
    Path("documents.jsonl").write_text(lines(documents))


def _bank(ids: list[str]) -> None:
    nuggets = [
        {
            "nugget_id": f"n{number}",
            "question": f"What about {'abcdefghijklmnopqrstuvwxyz'[number % 26] * (number + 3)}?",
            "answers": [{"answer": f"it is {number}", "doc_ids": [doc_id]}],
        }
        for number, doc_id in enumerate(ids)
    ]
    topics = [{"topic_id": "t1", "nuggets": nuggets}]
    document = {"format": "argue-eval/nuggets/1", "topics": topics}
    Path("nuggets.json").write_text(json.dumps(document))
    bank = [
        {
            "question": nugget["question"],
            "aggregator_type": "OR",
            "answers": [{"answer": "it is so", "references": [doc_id]}],
        }
        for nugget, doc_id in zip(nuggets, ids, strict=True)
    ]
    metadata = {"team_id": "t", "run_id": "r", "topic_id": "t1"}
    Path("bank.jsonl").write_text(lines([{"metadata": metadata, "nugget_bank": bank}]))


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("score run.jsonl nuggets.json --judge none -m P@5", "look like|name the same"),
        ("score run.jsonl nuggets.json --judge none -m P@5 --collection documents.jsonl",
         "that no document and no run has"),
        ("ingest qrels nuggets.json", "look like|name the same"),
        ("validate bank.jsonl --track ragtime26", "look like|name the same"),
        ("ingest qrels nuggets.json --track ragtime26", "look like|name the same"),
        ("ingest qrels nuggets.json --collection ids.txt",
         "are not in the collection|has the id|look like|name the same"),
    ],
)  # fmt: skip
def test_ids_that_look_like_none_are_warned_of_with_their_share(
    argue_eval: Command, name: str, command: str, says: str
) -> None:
    ids, share = IDS[name]
    _bank(ids)
    ran = argue_eval(command)
    told = [
        line
        for line in (ran.out + ran.err).splitlines()
        if any(each in line for each in says.split("|"))
    ]
    if name == "real, none of them cited" and command.startswith("score"):
        assert ("no run cites any of the 10" in ran.err) == ("--collection" not in command)
    if not share or (command == "ingest qrels nuggets.json" and name in WITHOUT):
        assert told == []
    elif command.startswith("validate") and name == "one wrong":
        assert "docid_pattern" in ran.out  # where it is says more than the share
    elif "--collection" not in command:
        assert any(share in line for line in told), ran
    else:
        num_wrong = len({*ids} - {*REAL})
        named = f"{num_wrong} of {len({*ids})} document id"
        # Ids for which others are probably meant are told one by one.
        is_told = any(named in line or share in line for line in told)
        assert is_told or f"unknown_document: {num_wrong} found" in ran.out, ran


@pytest.mark.parametrize(
    ("named", "cited"),
    [
        (["Stegosaurus", "The life of bees"], ["Why bees buzz", "Tyrannosaurus (1905)"]),
        ([f"doc{n}" for n in range(12)], [f"doc{n}" for n in range(6, 18)]),
        (["FT911-3", "LA010189-0001"], ["FT922-15", "LA010190-0044"]),
    ],
)
def test_ids_that_may_be_real_tell_nothing(
    argue_eval: Command, named: list[str], cited: list[str]
) -> None:
    _bank(named)
    metadata = {"team_id": "t", "run_id": "r", "topic_id": "t1"}
    responses = [{"text": "Bees fly.", "citations": cited}]
    Path("run.jsonl").write_text(lines([{"metadata": metadata, "responses": responses}]))
    ran = argue_eval("score run.jsonl nuggets.json --judge none -m P@5")
    assert "placeholder_document_ids" not in ran.err


@pytest.mark.parametrize("command", ["ingest requests nuggets.json", "ingest qrels x --track no"])
def test_track_is_one_and_for_nuggets(argue_eval: Command, command: str) -> None:
    ran = argue_eval(command if "qrels" in command else f"{command} --track ragtime26")
    assert ran.code == 2
    assert ("unknown track 'no'" if "qrels" in command else "are for qrels") in ran.err
