"""Nuggets and requests that tests take in, and what was found in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from argue_eval.errors import Finding, Severity
from argue_eval.validation.ingest import Ingested, ingest_nuggets, ingest_requests

Json = dict[str, Any]

QUESTION = "Who rebuilt the stone bridge at Harrow?"


def nugget(nugget_id: str, *answers: tuple[str, list[str]], **changes: Any) -> Json:
    """Returns a canonical nugget with a question of its own."""
    return {
        "nugget_id": nugget_id,
        "question": f"What became of the {nugget_id} mill?",
        "aggregator": "OR",
        "importance": None,
        "answers": [{"answer": answer, "doc_ids": doc_ids} for answer, doc_ids in answers],
        **changes,
    }


def qrels(**topics: list[Json]) -> Json:
    """Returns canonical qrels."""
    found = [{"topic_id": name, "nuggets": nuggets} for name, nuggets in topics.items()]
    return {"format": "argue-eval/nuggets/1", "topics": found}


def request(topic_id: str, **changes: Any) -> Json:
    """Returns a canonical request that asks something of its own."""
    good = {
        "topic_id": topic_id,
        "title": f"Bridge {topic_id}",
        "problem_statement": f"Who built the bridge {topic_id}?",
        "background": "I plan a tour.",
    }
    return {**good, **changes}


class Taking:
    """Writes files into a folder and takes them in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str, *values: Any) -> str:
        """Returns the path of a new file with values as JSON lines, or with text."""
        lines = [each if isinstance(each, str) else json.dumps(each) for each in values]
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)

    def nuggets(self, *nuggets: Json, **options: Any) -> Ingested:
        """Takes in one topic with these nuggets."""
        return ingest_nuggets([self.path("qrels.json", qrels(t1=list(nuggets)))], **options)

    def requests(self, *requests: Json, **options: Any) -> Ingested:
        """Takes in these requests."""
        return ingest_requests([self.path("requests.jsonl", *requests)], **options)


def codes(taken: Ingested) -> list[str]:
    """Returns the codes of all that was found, in order."""
    return [finding.code for finding in taken.findings]


def only(taken: Ingested, code: str) -> Finding:
    """Returns the one thing that was found."""
    assert codes(taken) == [code]
    return taken.findings[0]


def warnings_only(taken: Ingested) -> bool:
    """Returns whether nothing that was found is an error."""
    return all(finding.severity is Severity.WARNING for finding in taken.findings)
