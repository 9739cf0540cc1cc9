"""A scripted language model, which says the same to the same prompt.

It is asked over HTTP, or by the files of a batch. Models with the names in `_FAILURES` fail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from tests.chat_server import Answer, Received, fails, says

_TEXT = re.compile(r'^text: (".*")$', re.MULTILINE)
_NUMBER = re.compile(r'^(\d+): "', re.MULTILINE)

_FAILURES = {
    "test-nonsense": says("I would rather not say."),
    "test-empty": says("", finish_reason="length"),
    "test-refused": fails(400, "this prompt is refused"),
    "test-missing": fails(404, "there is no such model"),
    "test-locked": fails(401, "the key is wrong"),
}


def answer(request: Received) -> Answer:
    """Returns a reply of the kind that is asked for."""
    failure = _FAILURES.get(request.body["model"])
    if failure is not None:
        return failure
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


def answer_batch(calls: Path, replies: Path) -> None:
    """Answers the calls of a batch: all but every fifth, and every seventh with an error."""
    lines = calls.read_text(encoding="utf-8").splitlines()
    replies.write_text("".join(_batch_replies(lines)), encoding="utf-8")


def _batch_replies(lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        call = json.loads(line)
        said = json.loads(answer(Received(number, call["body"], {})).body)
        response = {"status_code": 200, "body": said}
        if number % 7 == 0:
            response = {"status_code": 500, "body": {"error": {"message": "broken"}}}
        if number % 5:
            yield json.dumps({"custom_id": call["custom_id"], "response": response}) + "\n"
    yield json.dumps({"custom_id": "unknown", "response": None}) + "\n"
    yield "[]\n"
