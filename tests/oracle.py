"""A script for a server: what a model says whose verdicts depend on the texts alone."""

from __future__ import annotations

import json
import re
from zlib import crc32

from tests.chat_server import Answer, Received, says

_LINE = re.compile(r'^([\w ]+): (".*")$', re.M)


def oracle(request: Received, delay: float = 0.0) -> Answer:
    """Verdicts that are the same however the asks are put together into calls."""
    verdicts = {label: _verdict(label, request.prompt) for label in request.labels}
    num_tokens = {
        "prompt_tokens": len(request.prompt) // 6,
        "completion_tokens": 10,
        "total_tokens": 10,
    }
    return says(json.dumps(verdicts), usage=num_tokens, delay=delay)


def _verdict(label: str, prompt: str) -> str:
    """The verdict on one item of a call."""
    lines = dict(_LINE.findall(prompt))
    kind, _, number = label.rpartition("_")
    content = [kind, lines[number], lines.get("sentence", ""), lines.get("text", "")]
    return "yes" if crc32("|".join(content).encode()) % 2 else "no"
