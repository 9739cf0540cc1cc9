"""Banks for tests, written by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def nugget(nugget_id: str, question: str | None, *answers: Any, **more: Any) -> dict[str, Any]:
    """A nugget; an answer is its text, or the text with its documents."""
    pairs = [(each, ["d1"]) if isinstance(each, str) else each for each in answers]
    return {
        "nugget_id": nugget_id,
        "question": question,
        "answers": [{"answer": text, "doc_ids": list(doc_ids)} for text, doc_ids in pairs],
        **more,
    }


def bank(path: str, *nuggets: Mapping[str, Any], **topics: Sequence[Mapping[str, Any]]) -> str:
    """Writes a bank: nuggets of topic t, and those of further topics."""
    listed = {**({"t": nuggets} if nuggets else {}), **topics}
    value = {
        "format": "argue-eval/nuggets/1",
        "topics": [{"topic_id": key, "nuggets": list(own)} for key, own in listed.items()],
    }
    Path(path).write_text(json.dumps(value), encoding="utf-8")
    return path


def read(path: str) -> list[dict[str, Any]]:
    """The nuggets of the first topic."""
    value: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    own: list[dict[str, Any]] = value["topics"][0]["nuggets"]
    return own


def originals(nuggets: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Which originals each nugget has, as BANK:ID."""
    return [
        [f"{each['bank']}:{each['nugget_id']}" for each in nugget["merged_from"]]
        for nugget in nuggets
    ]


def texts(value: Mapping[str, Any]) -> list[str]:
    """The answers of a nugget."""
    return [each["answer"] for each in value["answers"]]
