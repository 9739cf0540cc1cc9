"""A haystack of 3 subtopics and 12 documents, and a server that summarizes by copying insights.

The documents of a subtopic stand together: of its three insights the first two documents hold
"a" and "b", "a" and "c"; the third "b" and "c"; the fourth "a", and "c" of the next subtopic.
Only the insights "a" name the subject that the query asks about, and so does one document that
holds none of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.chat_server import Answer, Received, says

INSIGHTS = {
    "kiln": (
        "The kiln was fired at 1,180 degrees in May 1931.",
        "Elm ash made the glaze green.",
        "Fourteen apprentices slept above the workshop.",
    ),
    "harbour": (
        "The harbour was dredged to nine metres by Wilhelm Krog.",
        "Two cranes came from Rostock in 1904.",
        "Herring paid for the lighthouse.",
    ),
    "observatory": (
        "The observatory bought a 40-inch mirror from Dublin.",
        "Comet seekers were paid three guineas a night.",
        "Moonless weeks were kept for variable stars.",
    ),
}
_HELD = ("ab", "ac", "bc", "a")
_DECOYS = {6: "kiln", 10: "harbour", 1: "observatory"}
"""Documents, by their number, that name the subject of another subtopic."""

Documents = Sequence[tuple[str, str]]
"""The numbers and texts that a summarizer was shown, in their order."""


def document_texts() -> list[tuple[str, list[str]]]:
    """The text of every document with the ids of its insights."""
    names = list(INSIGHTS)
    found = []
    for block, name in enumerate(names):
        for place, held in enumerate(_HELD):
            number = 4 * block + place + 1
            ids = [f"{name}-{letter}" for letter in held]
            if place == 3:
                ids.append(f"{names[(block + 1) % 3]}-c")
            said = " ".join(insight(each) for each in ids)
            decoy = f" A {_DECOYS[number]}, some {_DECOYS[number]}." if number in _DECOYS else ""
            found.append((f"Notes of day {number}. {said}{decoy}", ids))
    return found


def insight(insight_id: str) -> str:
    """The text of an insight by its id, such as ``kiln-b``."""
    name, letter = insight_id.split("-")
    return INSIGHTS[name]["abc".index(letter)]


def write(path: Path) -> None:
    """Writes the haystack in the format of the paper's repository."""
    subtopics = [
        {
            "subtopic_id": name,
            "subtopic_name": name,
            "subtopic": f"what is told of the {name}",
            "query": f"What is told of the {name}?",
            "insights": [
                {"insight_id": f"{name}-{letter}", "insight_name": letter, "insight": text}
                for letter, text in zip("abc", texts, strict=True)
            ],
        }
        for name, texts in INSIGHTS.items()
    ]
    documents = [
        {"document_id": f"d{number}", "document_text": text, "insights_included": ids}
        for number, (text, ids) in enumerate(document_texts(), 1)
    ]
    value = {"topic_id": "p", "topic": "old crafts", "subtopics": subtopics, "documents": documents}
    path.write_text(json.dumps(value), encoding="utf-8")


def shown(received: Received) -> list[tuple[str, str]]:
    """The documents in a prompt."""
    block = received.prompt.partition("<<<documents ")[2].partition("<<<end")[0]
    return [
        (number, str(json.loads(text)))
        for number, text in re.findall(r'^(\d+): (".*")$', block, flags=re.M)
    ]


def subtopics(path: str = "hay.json") -> list[dict[str, Any]]:
    """The subtopics of a haystack."""
    found: list[dict[str, Any]] = json.loads(Path(path).read_text("utf-8"))["subtopics"]
    return found


def asked(received: Received) -> str:
    """The subtopic that a prompt asks about."""
    (found,) = [each["subtopic_id"] for each in subtopics() if each["query"] in received.prompt]
    return str(found)


def copying(
    reads: Callable[[Documents], Documents] = lambda shown: shown,
) -> Callable[[Received], Answer]:
    """A summarizer that copies the insights of hay.json which it sees, and cites where it does.

    Args:
        reads: which of the documents that it is shown it reads.
    """

    def script(received: Received) -> Answer:
        read, topic_id = reads(shown(received)), asked(received)
        (subtopic,) = [each for each in subtopics() if each["subtopic_id"] == topic_id]
        bullets = []
        for text in [each["insight"] for each in subtopic["insights"]]:
            cited = "".join(f"[{number}]" for number, each in read if text in each)
            if cited:
                bullets.append(f"- {text} {cited}")
        return replies(*bullets)

    return script


def replies(*bullets: Any) -> Answer:
    """A reply with bullets."""
    return says(json.dumps({"bullets": bullets}))
