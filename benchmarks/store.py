"""The store: judgments written and looked up per second, keys included and apart."""

from __future__ import annotations

import gc
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from argue_eval.judgments.content import content_of
from argue_eval.judgments.store import opened
from argue_eval.records import Document, Kind, Question, Reply, Verdict
from benchmarks.measuring import print_table, print_title, verdict

NUM_JUDGMENTS = 200_000
NUM_DOCUMENTS = 2_000
GROUP = 50
WRITES_WANTED = 20_000
LOOK_UPS_WANTED = 100_000
JUDGE = "benchmark@1/abc"
_CLAIM = "says that the mill at Harrow was built by the brothers in 1784."


def main() -> None:
    """Measures and prints."""
    print_title(f"store: {NUM_JUDGMENTS:,} judgments of support, {NUM_DOCUMENTS:,} documents")
    questions = _questions()
    started = perf_counter()
    for question in questions:
        content_of(question, JUDGE)  # each question keeps its own from here on
    keyed = perf_counter() - started
    with TemporaryDirectory() as folder:
        path = Path(folder) / "benchmark.store"
        written = _seconds_to_write(path, questions)
        size = path.stat().st_size / 1e6
        in_order, shuffled = _seconds_to_find(path, questions)
    rows = [
        _row("keys computed", keyed),
        _row("written and committed", written, WRITES_WANTED),
        _row(f"looked up, {GROUP} at once, as they came", in_order, LOOK_UPS_WANTED),
        _row(f"looked up, {GROUP} at once, far apart", shuffled, LOOK_UPS_WANTED),
    ]
    print_table(["what", "per second", "wanted", ""], rows)
    print(f"size of the file: {size:.0f} MB")


def _questions() -> list[Question]:
    documents = [
        Document(f"d{number}", f"Document {number}", f"What document {number} says. " * 200)
        for number in range(NUM_DOCUMENTS)
    ]
    return [
        Question(
            kind=Kind.SUPPORT,
            topic_id="t",
            text=f"Sentence {number} {_CLAIM}",
            doc_id=f"d{number % NUM_DOCUMENTS}",
            document=documents[number % NUM_DOCUMENTS],
        )
        for number in range(NUM_JUDGMENTS)
    ]


def _seconds_to_write(path: Path, questions: list[Question]) -> float:
    reply = Reply(index=0, verdict=Verdict.YES, prob=0.75, rationale="as it says")
    started = perf_counter()
    with opened(path) as store:
        for question in questions:
            store.add(question, JUDGE, reply)
    return perf_counter() - started


def _seconds_to_find(path: Path, questions: list[Question]) -> tuple[float, float]:
    """The seconds to look all up: in the order in which they came, and in another."""
    places = range(len(questions))
    orders = [questions, [questions[place * 7919 % len(questions)] for place in places]]
    seconds = []
    with opened(path) as store:
        gc.collect()
        for order in orders:
            started = perf_counter()
            for first in range(0, len(order), GROUP):
                if None in store.find(order[first : first + GROUP], JUDGE):
                    raise AssertionError("a judgment was lost")
            seconds.append(perf_counter() - started)
    return seconds[0], seconds[1]


def _row(what: str, seconds: float, wanted: int = 0) -> list[str]:
    rate = NUM_JUDGMENTS / seconds
    target = [f"{wanted:,}", verdict(rate >= wanted)] if wanted else ["", ""]
    return [what, f"{rate:,.0f}", *target]
