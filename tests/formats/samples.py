"""Small good values of every kind of file, from which tests make variants."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def request(**changes: Any) -> Json:
    return changed(
        {
            "topic_id": "t1",
            "title": "Bridges",
            "problem_statement": "Which bridges were rebuilt?",
            "background": "I plan a tour.",
        },
        changes,
    )


def report(**changes: Any) -> Json:
    """A report in the canonical format of runs."""
    return changed(
        {
            "metadata": {"team_id": "team", "run_id": "run", "topic_id": "t1"},
            "responses": [{"text": "The old bridge was rebuilt.", "citations": ["d1"]}],
        },
        changes,
    )


def rag(**changes: Any) -> Json:
    return changed(
        {
            "metadata": {"team_id": "team", "run_id": "run", "narrative_id": 7},
            "references": ["d1", "d2"],
            "answer": [{"text": "The old bridge was rebuilt.", "citations": [1, 0]}],
        },
        changes,
    )


def meta(**changes: Any) -> Json:
    return changed({"team_id": "team", "run_id": "run", "topic_id": "t1"}, changes)


def nugget(**changes: Any) -> Json:
    return changed(
        {
            "nugget_id": "n1",
            "question": "Which bridge was rebuilt?",
            "aggregator": "OR",
            "importance": "vital",
            "answers": [{"answer": "the old one", "doc_ids": ["d1"]}],
        },
        changes,
    )


def qrels(*nuggets: Any, **changes: Any) -> Json:
    """Canonical nugget qrels with one topic."""
    topic = {"topic_id": "t1", "nuggets": list(nuggets)}
    return changed({"format": "argue-eval/nuggets/1", "topics": [topic]}, changes)


def v3(**changes: Any) -> Json:
    """A bank in Auto-ARGUE's format."""
    question = "Which bridge was rebuilt?"
    references = [{"doc_id": "d1", "collection": "c"}]
    entry = {
        "question": question,
        "aggregator_type": "OR",
        "answers": {"the old one": {"answer": "the old one", "references": references}},
    }
    good = {"query_id": "t1", "format_version": "v3", "nugget_bank": {question: entry}}
    return changed(good, changes)


def judgment(**changes: Any) -> Json:
    return changed(
        {
            "topic_id": "t1",
            "kind": "support",
            "verdict": "yes",
            "judge": "assessor:A1",
            "sentence": "The old bridge was rebuilt.",
            "doc_id": "d1",
        },
        changes,
    )


def evaluation(*judgments: Json, **changes: Any) -> Json:
    """Auto-ARGUE's judgments of a report with one sentence."""
    ids = {"topic_id": "t1", "run_id": "run", "team_id": "team"}
    sentence = {"text": "The old bridge was rebuilt.", "citations": ["d1"]}
    entry = {"citations": [{"doc_id": "d1", "text": "…"}], "judgments": list(judgments)}
    good = {"report": {"metadata": ids, "responses": [sentence]}, "judgments": [entry]}
    return changed(good, changes)


def changed(good: Json, changes: Json) -> Json:
    """The value with some keys changed; a change to `...` takes the key away."""
    merged = {**good, **changes}
    return {key: value for key, value in merged.items() if value is not ...}
