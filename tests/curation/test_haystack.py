"""``argue-eval curate haystack``: documents that hold what they should, and are cited for it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from tests.chat_server import ChatServer
from tests.cli.conftest import Command, Ran
from tests.curation.haystack_server import (
    NUM_DOCUMENTS,
    NUM_INSIGHTS,
    NUM_SUBTOPICS,
    PER_DOCUMENT,
    SHAPE,
    TOPIC,
    HaystackServer,
    Plant,
    change_number,
    changed,
    insights,
    leak,
    leave_out,
    make_haystack,
)

HAYSTACK = f"curate haystack topics.jsonl --model m -o haystack.json {SHAPE}"
FIRST = insights(1)[0]["insight"]


@pytest.fixture(autouse=True)
def topics(folder: Path) -> None:
    Path("topics.jsonl").write_text(json.dumps(TOPIC) + "\n")


def run(argue_eval: Command, server: HaystackServer, command: str = HAYSTACK) -> Ran:
    with ChatServer(server) as chat, chat.environment():
        return argue_eval(command)


def read(path: str = "haystack.json") -> dict[str, Any]:
    value: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return value


def texts(haystack: dict[str, Any]) -> dict[str, str]:
    """The insights by their ids."""
    return {
        each["insight_id"]: each["insight"]
        for theme in haystack["subtopics"]
        for each in theme["insights"]
    }


def check_gold(haystack: dict[str, Any]) -> None:
    """A document includes what its text says, by comparison of strings."""
    for document in haystack["documents"]:
        said = [key for key, text in texts(haystack).items() if text in document["document_text"]]
        assert sorted(document["insights_included"]) == sorted(said), document


def test_a_haystack_is_as_large_as_wanted_and_its_documents_say_what_they_include(
    argue_eval: Command,
) -> None:
    server = HaystackServer()
    ran = run(argue_eval, server)
    assert ran.code == 0, ran.err
    haystack = read()
    assert [len(theme["insights"]) for theme in haystack["subtopics"]] == [
        NUM_INSIGHTS
    ] * NUM_SUBTOPICS
    assert len(haystack["documents"]) == NUM_DOCUMENTS
    assert {len(each["insights_included"]) for each in haystack["documents"]} == {PER_DOCUMENT}
    check_gold(haystack)
    uses = Counter(one for each in haystack["documents"] for one in each["insights_included"])
    assert {*uses.values()} <= {2, 3, 4}
    assert sum(uses.values()) == NUM_DOCUMENTS * PER_DOCUMENT
    assert Counter(each.step for each in server.asked) == {
        **{"subtopics": 1, "overlaps": 1, "insights": NUM_SUBTOPICS, "sort": 1, "dedupe": 1},
        **{"write": NUM_DOCUMENTS, "check": NUM_DOCUMENTS},
    }


@pytest.mark.parametrize("is_made", [True, False])
def test_what_is_written_is_what_scoring_reads(argue_eval: Command, is_made: bool) -> None:
    if is_made:
        run(argue_eval, HaystackServer())
    else:
        Path("haystack.json").write_text(json.dumps(make_haystack()))
    haystack = read()
    check_gold(haystack)
    nuggets = formats.read_nuggets("haystack.json")
    cited = {each.nugget_id: each.answers[0].doc_ids for topic in nuggets for each in topic.nuggets}
    for insight_id, doc_ids in cited.items():
        places = [
            str(place)
            for place, document in enumerate(haystack["documents"], 1)
            if insight_id in document["insights_included"]
        ]
        assert list(doc_ids) == places != []
    documents = [*formats.read_documents("haystack.json")]
    assert [each.text for each in documents] == [
        each["document_text"] for each in haystack["documents"]
    ]
    queries = [each.problem_statement for each in formats.read_topics("haystack.json")]
    assert queries[0] == "What do the neighbours say about the ferry?"
    with Path("run.jsonl").open("w") as stream:
        for topic in nuggets:
            bullets = [
                {"text": each.answers[0].answer, "citations": list(each.answers[0].doc_ids)}
                for each in topic.nuggets
            ]
            metadata = {"topic_id": topic.topic_id, "run_id": "perfect"}
            stream.write(json.dumps({"metadata": metadata, "responses": bullets}) + "\n")
    scored = argue_eval("score run.jsonl haystack.json --protocol summhay --judge lexical")
    assert scored.code == 0, scored.err
    values = dict(line.split("\tall\t") for line in scored.out.splitlines())
    assert {key.strip(): value for key, value in values.items()}["joint_score"] == "1.0000"


DEFECTS: list[tuple[Plant, str]] = [
    (leave_out(), "insight_missing"),
    (leave_out(until=3), "insight_missing"),
    (leak(FIRST), "insight_leaked"),
    (change_number(), "value_changed"),
    (changed(lambda text, _: text.replace("Elba", "Alba").replace("Okafor", "Okonjo")
             .replace("Sorrel", "Sorell")), "value_changed"),
    (changed(lambda text, _: "\n".join(text.split("\n")[:3])), "wrong_length"),
    (changed(lambda text, _: f"{text}\n{text}\n{text}"), "wrong_length"),
]  # fmt: skip


@pytest.mark.parametrize(("plant", "code"), DEFECTS)
def test_a_defect_is_found_and_mended(argue_eval: Command, plant: Plant, code: str) -> None:
    # The first insight of the haystack is not among those of this document.
    run(argue_eval, HaystackServer())
    before = read()
    doc_id = next(
        each["document_id"]
        for each in before["documents"]
        if FIRST not in each["document_text"]
        and any(name in each["document_text"] for name in ("Okafor", "Sorrel"))
    )
    Path("haystack.json.replies.jsonl").unlink()
    server = HaystackServer({doc_id: plant})
    ran = run(argue_eval, server)
    assert ran.code == 0, ran.err
    assert f"mended: {code} 1" in ran.err
    haystack = read()
    assert haystack["topic_metadata"]["mended"] == {code: 1}
    assert haystack["topic_metadata"]["left_out"] == []
    assert haystack["documents"] == before["documents"]
    repairs = [each for each in server.asked if each.step == "repair"]
    assert {each.doc_id for each in repairs} == {doc_id}
    assert repairs[0].texts("defect")
