"""A scripted language model, which says the same to the same prompt."""

from __future__ import annotations

import json
import re

from tests.chat_server import Answer, Received, says

_TEXT = re.compile(r'^text: (".*")$', re.MULTILINE)
_NUMBER = re.compile(r'^(\d+): "', re.MULTILINE)


def answer(request: Received) -> Answer:
    """Returns a reply of the kind that is asked for."""
    asked_for = request.body.get("response_format", {}).get("json_schema", {})
    properties = asked_for.get("schema", {}).get("properties", {})
    if "points" in properties:
        return says(_points(request.prompt))
    if "groups" in properties:
        return says(_groups(request.prompt))
    if not properties:
        return says("YES" if any(each.isdigit() for each in request.prompt[-300:]) else "NO")
    return says(json.dumps({key: _verdict(key, each) for key, each in properties.items()}))


def _verdict(label: str, schema: dict[str, list[str]]) -> str:
    """Returns one of the verdicts that are allowed; which one depends on the label."""
    allowed = schema.get("enum", ["yes"])
    return allowed[sum(map(ord, label)) % len(allowed)]


def _points(prompt: str) -> str:
    """Returns the first sentence of the document as its only key point."""
    found = _TEXT.search(prompt)
    if found is None or "none" not in prompt.rpartition("<<<found")[2]:
        return '{"points": []}'
    sentence = json.loads(found[1]).partition(". ")[0]
    return json.dumps({"points": [{"point": f"{sentence}.", "spans": [sentence]}]})


def _groups(prompt: str) -> str:
    """Returns the first two key points as one group, and all others by themselves."""
    numbers = [int(each) for each in _NUMBER.findall(prompt)]
    groups = [numbers[:2], *([each] for each in numbers[2:])]
    return json.dumps({"groups": [{"point": f"{each}.", "numbers": each} for each in groups]})
