"""A scripted model for a track like Long2RAG's, from seeds to answers, and a collection to go with.

Every question is about a place with an invented name. Two documents are about each place: one
calls it by its name, and another only by its old name, which the question's sub-question has. What
goes wrong is planted by steps.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.chat_server import Answer, Received, says
from tests.curation.haystack_server import block, plain

CATEGORIES, DOMAINS, PER_PAIR = ("causal", "comparative"), ("film", "law"), 3
SEEDS = {
    "s1": ("Why do small shops close?", "causal"),
    "s2": ("Why did sailing ships vanish so late?", "causal"),
    "s3": ("How do a canal and a railway differ?", "comparative"),
    "s4": ("How tall is the tower?", "factual"),
    "s5": ("How does a stage play compare with a novel?", "comparative"),
}
_SHALLOW = {"not_common_sense": False, "clear": True, "unambiguous": True, "complex": False,
            "opinion": False}  # fmt: skip
GOOD = {**dict.fromkeys(_SHALLOW, True), "opinion": False}
_WORDING = {"causal": "Why did {} fail?", "comparative": "How did {} differ from its rivals?"}
_ENDINGS = {("causal", "film"): "mere", ("causal", "law"): "stow",
            ("comparative", "film"): "wick", ("comparative", "law"): "thorpe"}  # fmt: skip
_BEGINNINGS = ("Bal", "Cor", "Dun", "Fen", "Gar", "Hol", "Jor", "Kel")
_NAME = re.compile(rf"\b(?:{'|'.join(_BEGINNINGS)})(?:{'|'.join(_ENDINGS.values())})\b")

STEPS = {
    "categories": "seeds",
    "harder": "depth",
    "repeat": "same",
    "other": "width",
    "searched": "parts",
    "document": "extract",
    "say": "dedupe",
    "statement": "filter",
    "answer": "answer",
}
"""What tells the steps apart in the last line of a prompt, or as the name of a block."""


def old_name(name: str) -> str:
    """What the place was called before."""
    return name[::-1].capitalize()


def facts(name: str) -> list[str]:
    """What documents say of a place: the first document two facts, the second the third."""
    year = 1800 + sum(map(ord, name)) % 100
    return [
        f"{name} lost its only bridge in {year}.",
        f"The owner of {name} owed the bank {year - 1700} crowns.",
        f"In the chronicle, {old_name(name)} lost the bridge and the mill that year.",
        f"Visitors liked {old_name(name)}.",
    ]


def write_collection() -> None:
    """Writes two documents for each of 32 places."""
    lines = []
    for beginning in _BEGINNINGS:
        for ending in _ENDINGS.values():
            name = beginning + ending
            said = facts(name)
            for number, text in enumerate((" ".join(said[:2]), " ".join(said[2:]))):
                lines.append({"doc_id": f"{name}-{number}", "title": "", "text": text})
    Path("docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_seeds() -> None:
    """Writes the seeds; the second states its category."""
    lines: list[dict[str, str]] = [
        {"topic_id": topic_id, "title": text} for topic_id, (text, _) in SEEDS.items()
    ]
    lines[1]["category"] = "causal"
    Path("seeds.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def place_of(text: str) -> str:
    """The place that a text names."""
    found = _NAME.search(text)
    assert found, text
    return found[0]


Plant = Callable[[str, Mapping[str, Any]], Answer | None]
"""Given the step and what was asked, another answer; None for the right one."""


def planted(step: str, words: str, answer: Answer, times: int = 1) -> Plant:
    """Another answer to a step, so many times, where all of some words are in what is asked."""
    left = [times]

    def plant(asked_for: str, asked: Mapping[str, Any]) -> Answer | None:
        told = json.dumps(asked)
        if asked_for != step or not left[0] or not all(word in told for word in words.split()):
            return None
        left[0] -= 1
        return answer

    return plant


class QuestionServer:
    """The script of a chat server.

    Args:
        plants: what goes wrong.
        delay: seconds before each answer.

    Attributes:
        steps: how often each step was asked; `times`: each prompt, without its delimiters.
    """

    def __init__(self, *plants: Plant, delay: float = 0.0) -> None:
        self.steps: Counter[str] = Counter()
        self.times: Counter[str] = Counter()
        self._plants = plants
        self._delay = delay
        self._lock = threading.Lock()

    def __call__(self, received: Received) -> Answer:
        """Answers a request."""
        prompt = received.prompt
        question = plain(prompt).rpartition(">>>")[2]
        step = next(
            name for mark, name in STEPS.items() if f"<<<{mark} " in prompt or mark in question
        )
        names = ["request", "kind", "evolving", "points", "documents", "document", "statement"]
        asked = {name: block(prompt, name) for name in names}
        with self._lock:
            self.steps[step] += 1
            self.times[plain(prompt)] += 1
            wrong = next((found for plant in self._plants if (found := plant(step, asked))), None)
        if wrong is not None:
            return wrong
        right = getattr(self, f"_{step}")(asked)
        return says(right if isinstance(right, str) else json.dumps(right), delay=self._delay)

    def _seeds(self, asked: Any) -> Any:
        text = asked["request"][0][1]
        (category,) = [each for question, each in SEEDS.values() if question == text]
        if category == "factual":
            return {**_SHALLOW, "category": "none", "why": "One number answers it."}
        return {**GOOD, "category": category, "why": "It asks for no opinion."}

    def _depth(self, asked: Any) -> Any:
        return {"questions": [{"question": evolved(asked, 0)}]}

    def _width(self, asked: Any) -> Any:
        return {"questions": [{"question": evolved(asked, 1)}]}

    def _same(self, asked: Any) -> Any:
        by_place: dict[str, list[int]] = {}
        for number, (_, text) in enumerate(asked["points"], 1):
            by_place.setdefault(place_of(text), []).append(number)
        return {"groups": [{"point": name, "numbers": found} for name, found in by_place.items()]}

    def _parts(self, asked: Any) -> Any:
        name = place_of(asked["request"][0][1])
        return {"questions": [{"question": f"What became of {old_name(name)}?"}]}

    def _extract(self, asked: Any) -> Any:
        name = place_of(asked["request"][0][1])
        text = dict(asked["document"])["text"]
        said = [each for each in facts(name) if each in text]
        return {"points": [{"point": f"It is said: {each}", "spans": [each]} for each in said]}

    def _dedupe(self, asked: Any) -> Any:
        bridge = [at for at, (_, text) in enumerate(asked["points"], 1) if "bridge" in text]
        rest = [at for at, (_, text) in enumerate(asked["points"], 1) if "bridge" not in text]
        name = place_of(asked["request"][0][1])
        groups = [{"point": f"{name} lost its bridge.", "numbers": bridge}] if bridge else []
        return {"groups": [*groups, *({"point": "-", "numbers": [at]} for at in rest)]}

    def _filter(self, asked: Any) -> str:
        return "NO" if "Visitors" in dict(asked["statement"])["statement"] else "YES"

    def _answer(self, asked: Any) -> Any:
        """Says what it reads first, which is the question's best document; never of the debts."""
        number, text = asked["documents"][0]
        first = re.split(r"(?<=\.) ", text)[0]
        return {"sentences": [f"{first} [{number}]", "The rest is not known."]}


def evolved(asked: Any, way: int) -> str:
    """The question that a seed becomes for a category and domain, another one in later rounds."""
    category = dict(asked["kind"])["category"].split('"')[1]
    domain = dict(asked["kind"])["domain"]
    lines = asked["evolving"]
    seeds = [text for text, _ in SEEDS.values()]
    is_later = any(label in ("known", "rejected") for label, _ in lines)
    place = 4 * is_later + 2 * (seeds.index(dict(lines)["seed"]) % 3 % 2) + way
    return _WORDING[category].format(_BEGINNINGS[place] + _ENDINGS[category, domain])
