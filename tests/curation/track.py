"""Two questions, three documents, and a scripted server that finds key points in them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.chat_server import Answer, ChatServer, Received, Script, says
from tests.cli.conftest import Command, Ran

QUESTIONS = [
    {"topic_id": "q1", "title": "Why was the mill given up?", "domain": "crafts"},
    {"topic_id": "q2", "title": "What did the mill grind?", "domain": "farming"},
]
DOCUMENTS = {
    "d1": "The mill burned down in June 1912. The miller had no insurance.",
    "d2": "In 1912 a fire destroyed the mill – it had ground “rye” and  oats.",
    "d3": "Nothing is known of the bakery.",
}
RETRIEVED = ["q1 Q0 d1 1 9.5 bm25", "q1 Q0 d2 2 7.0 bm25", "q1 Q0 d3 3 1.0 bm25",
             "q2 Q0 d2 1 8.0 bm25"]  # fmt: skip

Point = dict[str, Any]

FIRE: Point = {
    "point": "The mill burned down in 1912.",
    "spans": ["The mill burned down in June 1912."],
}
INSURANCE: Point = {
    "point": "The miller was not insured.",
    "spans": ["The miller had no insurance."],
}
FIRE_2: Point = {"point": "A fire destroyed the mill.", "spans": ['the mill - it had ground "rye"']}
INVENTED: Point = {"point": "The mill was haunted.", "spans": ["The mill was haunted."]}


def write(folder: Path) -> None:
    """Writes questions.jsonl, docs.jsonl and bm25.run."""
    docs = [{"doc_id": doc_id, "text": text} for doc_id, text in DOCUMENTS.items()]
    for name, lines in (("questions", QUESTIONS), ("docs", docs)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (folder / "bm25.run").write_text("\n".join(RETRIEVED) + "\n")


def claim(nugget_id: str, text: str, doc_ids: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    """A nugget that is a claim, as the canonical format has it."""
    answer = {"answer": text, "doc_ids": list(doc_ids)}
    return {"nugget_id": nugget_id, "question": None, "answers": [answer], **more}


def write_nuggets(**topics: Sequence[Mapping[str, Any]]) -> None:
    """Writes points.json."""
    listed = [{"topic_id": topic, "nuggets": nuggets} for topic, nuggets in topics.items()]
    Path("points.json").write_text(json.dumps({"format": "argue-eval/nuggets/1", "topics": listed}))


def once(command: str) -> str:
    """A command that gives no option twice: of one that is, the last value counts.

    >>> once("curate haystack t.jsonl -o a --words 9 -o b")
    'curate haystack t.jsonl --words 9 -o b'
    """
    words = command.split()
    for name in [word for word in dict.fromkeys(words) if word.startswith("-")]:
        if words.count(name) == 2 and name != "--collection":
            place = words.index(name)
            del words[place : place + 2]
    return " ".join(words)


def run(argue_eval: Command, script: Script, command: str) -> tuple[Ran, ChatServer]:
    """Runs a command with a server, which afterwards holds what it received."""
    with ChatServer(script) as server, server.environment():
        return argue_eval(once(command)), server


def points(*listed: Mapping[str, Any]) -> Answer:
    """A reply with key points."""
    return says(json.dumps({"points": list(listed)}))


def of_document(by_text: Mapping[str, Sequence[Mapping[str, Any]]]) -> Any:
    """A script that answers by the beginning of the document."""

    def script(received: Received) -> Answer:
        found = [listed for start, listed in by_text.items() if f'"{start}' in received.prompt]
        return points(*(found[0] if found else ()))

    return script


READER = of_document({"The mill burned": [FIRE, INSURANCE, INVENTED], "In 1912 a fire": [FIRE_2]})


def nuggets(path: str = "points.json") -> dict[str, list[dict[str, Any]]]:
    """The nuggets of a canonical file by topic."""
    value = json.loads(Path(path).read_text(encoding="utf-8"))
    assert value["format"] == "argue-eval/nuggets/1"
    return {topic["topic_id"]: topic["nuggets"] for topic in value["topics"]}


def claims(path: str = "points.json") -> dict[str, list[str]]:
    """The claims of a canonical file by topic."""
    found = nuggets(path)
    return {topic: [each["answers"][0]["answer"] for each in listed]
            for topic, listed in found.items()}  # fmt: skip


def ranked(run: str) -> dict[str, list[str]]:
    """The documents of each topic in the lines of a TREC run."""
    found: dict[str, list[str]] = {}
    for line in run.splitlines():
        topic_id, _, doc_id, rank, _, _ = line.split()
        found.setdefault(topic_id, []).append(doc_id)
        assert int(rank) == len(found[topic_id])
    return found
