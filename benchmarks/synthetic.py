"""A made-up track of any size: nuggets, runs, and a judgment for every question of the chart.

The same seed gives the same files. Every sentence has a text of its own, so that no judgment can
be shared: the hardest case for whoever looks judgments up.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import msgspec

JUDGE = "assessor:made-up"
_STARTS, _ENDS = ("ber", "cal", "dor", "fen", "mar", "sil", "tor"), ("ton", "mouth", "bridge", "ly")
_WORDS = [start + end for start in _STARTS for end in _ENDS]
_SHARE_UNCITED = 0.25
_SHARE_AND = 0.25


@dataclass(frozen=True, slots=True)
class Files:
    """Where a track was written, and how much there is in it."""

    qrels: Path
    judgments: Path
    runs: tuple[Path, ...]
    num_sentences: int
    num_judgments: int


@dataclass(slots=True)
class Track:
    """The nuggets of all topics; writes runs against them with their judgments."""

    num_topics: int = 50
    num_nuggets: int = 20
    num_sentences: int = 10
    seed: int = 7
    topics: list[dict[str, Any]] = field(init=False)
    _doc_ids: list[list[str]] = field(init=False)
    _attested: list[dict[str, list[tuple[str, str]]]] = field(init=False)
    _phrases: list[str] = field(init=False)

    def __post_init__(self) -> None:
        draw = Random(self.seed)
        self._phrases = [" ".join(draw.choices(_WORDS, k=9)) for _ in range(500)]
        self._doc_ids = [
            [f"{draw.getrandbits(128):032x}_{number}" for number in range(2 * self.num_nuggets)]
            for _ in range(self.num_topics)
        ]
        self.topics = [self._topic(number, draw) for number in range(self.num_topics)]
        self._attested = [_attested(topic) for topic in self.topics]

    def _topic(self, number: int, draw: Random) -> dict[str, Any]:
        """Returns a topic whose last nugget is an absence nugget."""
        nuggets = []
        for place in range(self.num_nuggets - 1):
            is_and = draw.random() < _SHARE_AND
            answers = [
                {
                    "answer": f"{draw.choice(self._phrases)} {number}.{place}.{each}",
                    "doc_ids": draw.sample(self._doc_ids[number], draw.randint(1, 2)),
                }
                for each in range(2 if is_and else draw.randint(1, 2))
            ]
            nuggets.append(_nugget(place, "AND" if is_and else "OR", answers))
        nuggets.append(_nugget(self.num_nuggets - 1, "OR", []))
        return {"topic_id": f"topic-{number}", "nuggets": nuggets}

    def write(self, folder: Path, num_runs: int) -> Files:
        """Writes qrels, runs and one file of judgments; returns where and how many."""
        files = Files(
            folder / "qrels.json",
            folder / "all.judgments.jsonl",
            tuple(folder / f"run-{number}.jsonl" for number in range(num_runs)),
            num_runs * self.num_topics * self.num_sentences,
            0,
        )
        qrels = {"format": "argue-eval/nuggets/1", "topics": self.topics}
        files.qrels.write_text(json.dumps(qrels), encoding="utf-8")
        encode = msgspec.json.Encoder().encode
        num_judgments = 0
        with files.judgments.open("wb") as stream:
            for number, path in enumerate(files.runs):
                judgments: list[dict[str, Any]] = []
                reports = list(self._reports(number, judgments))
                path.write_bytes(b"".join(encode(report) + b"\n" for report in reports))
                stream.writelines(encode(judgment) + b"\n" for judgment in judgments)
                num_judgments += len(judgments)
        return Files(files.qrels, files.judgments, files.runs, files.num_sentences, num_judgments)

    def _reports(self, number: int, judgments: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yields a run's reports; their judgments are added to the list."""
        draw = Random(f"{self.seed}-{number}")
        for place, topic in enumerate(self.topics):
            topic_id = topic["topic_id"]
            sentences = []
            for index in range(self.num_sentences):
                phrases = draw.choices(self._phrases, k=2)
                text = f"Sentence {index} of run {number}: {phrases[0]}, {phrases[1]} ({topic_id})."
                uncited = draw.random() < _SHARE_UNCITED
                cited = [] if uncited else draw.sample(self._doc_ids[place], draw.randint(1, 3))
                sentences.append({"text": text, "citations": cited})
                common = {"topic_id": topic_id, "judge": JUDGE, "sentence": text}
                if cited:
                    judgments.extend(_of_cited(common, cited, self._attested[place], draw))
                else:
                    where = {"run_id": f"run-{number}", "sentence_index": index}
                    absent = topic["nuggets"][-1]["nugget_id"]
                    judgments.extend(_of_uncited(common, where, absent, draw))
            metadata = {"team_id": "made-up", "run_id": f"run-{number}", "topic_id": topic_id}
            yield {"metadata": metadata, "responses": sentences}


def _nugget(place: int, aggregator: str, answers: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "nugget_id": f"n{place}",
        "question": f"What is question {place}?",
        "aggregator": aggregator,
        "importance": "vital" if place % 2 else "okay",
        "answers": answers,
    }


def _attested(topic: dict[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """Returns the (nugget_id, answer) pairs that each document attests."""
    found: dict[str, list[tuple[str, str]]] = {}
    for nugget in topic["nuggets"]:
        for answer in nugget["answers"]:
            for doc_id in answer["doc_ids"]:
                found.setdefault(doc_id, []).append((nugget["nugget_id"], answer["answer"]))
    return found


def _of_cited(
    common: dict[str, Any],
    cited: list[str],
    attested: dict[str, list[tuple[str, str]]],
    draw: Random,
) -> Iterator[dict[str, Any]]:
    for doc_id in cited:
        verdict = "yes" if draw.random() < 0.7 else "no"
        yield {**common, "kind": "support", "doc_id": doc_id, "verdict": verdict}
    pairs = {pair: None for doc_id in cited for pair in attested.get(doc_id, ())}
    for nugget_id, answer in pairs:
        verdict = "yes" if draw.random() < 0.3 else "no"
        key = {"kind": "answers", "nugget_id": nugget_id, "answer": answer}
        yield {**common, **key, "verdict": verdict}


def _of_uncited(
    common: dict[str, Any], where: dict[str, Any], absent: str, draw: Random
) -> Iterator[dict[str, Any]]:
    """Yields what the right half of the chart asks, as far as it goes."""
    is_negative = draw.random() < 0.1
    yield {**common, "kind": "negative", "verdict": "yes" if is_negative else "no"}
    if is_negative:
        verdict = "yes" if draw.random() < 0.5 else "no"
        yield {**common, "kind": "agrees", "nugget_id": absent, "verdict": verdict}
        return
    is_required = draw.random() < 0.6
    yield {**common, "kind": "requires_citation", "verdict": "yes" if is_required else "no"}
    if is_required:
        verdict = "yes" if draw.random() < 0.7 else "no"
        bare = {key: value for key, value in common.items() if key != "sentence"}
        yield {**bare, **where, "kind": "first_instance", "verdict": verdict}
