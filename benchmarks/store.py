"""The store: judgments written and looked up per second, keys included and apart."""

from __future__ import annotations

import gc
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from argue_eval.judgments.store import Asked, asked, opened
from argue_eval.records import Ask, Document, Judgment, Kind, Verdict
from benchmarks.measuring import print_table, print_title, verdict

NUM_JUDGMENTS = 200_000
NUM_DOCUMENTS = 2_000
GROUP = 50
WRITES_WANTED = 20_000
LOOK_UPS_WANTED = 100_000
JUDGE = "benchmark@1/abc"


def main() -> None:
    """Measures and prints."""
    print_title(f"store: {NUM_JUDGMENTS:,} judgments of support, {NUM_DOCUMENTS:,} documents")
    asks = _asks()
    started = perf_counter()
    stored = [asked(ask, JUDGE) for ask in asks]
    keyed = perf_counter() - started
    judgment = Judgment(Kind.SUPPORT, "t", Verdict.YES, JUDGE, prob=0.75, rationale="as it says")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "benchmark.store"
        written = _seconds_to_write(path, stored, judgment)
        size = path.stat().st_size / 1e6
        in_order, shuffled = _seconds_to_find(path, stored)
    rows = [
        _row("keys computed", keyed),
        _row("written and committed", written, WRITES_WANTED),
        _row(f"looked up, {GROUP} at once, as they came", in_order, LOOK_UPS_WANTED),
        _row(f"looked up, {GROUP} at once, far apart", shuffled, LOOK_UPS_WANTED),
    ]
    print_table(["what", "per second", "wanted", ""], rows)
    print(f"size of the file: {size:.0f} MB")


def _asks() -> list[Ask]:
    documents = [
        Document(f"d{number}", f"Document {number}", f"What document {number} says. " * 200)
        for number in range(NUM_DOCUMENTS)
    ]
    return [
        Ask(
            Kind.SUPPORT,
            "t",
            f"Sentence {number} says that the mill at Harrow was built by the brothers in 1784.",
            f"d{number % NUM_DOCUMENTS}",
            documents[number % NUM_DOCUMENTS],
        )
        for number in range(NUM_JUDGMENTS)
    ]


def _seconds_to_write(path: Path, asks: list[Asked], judgment: Judgment) -> float:
    started = perf_counter()
    with opened(path) as store:
        for ask in asks:
            store.add(ask, judgment)
    return perf_counter() - started


def _seconds_to_find(path: Path, asks: list[Asked]) -> tuple[float, float]:
    """Returns the seconds to look all up: in the order in which they came, and another."""
    step = 7919
    orders = [asks, [asks[number * step % len(asks)] for number in range(len(asks))]]
    seconds = []
    with opened(path) as store:
        gc.collect()
        for order in orders:
            started = perf_counter()
            for first in range(0, len(order), GROUP):
                if None in store.find(order[first : first + GROUP]):
                    raise AssertionError("a judgment was lost")
            seconds.append(perf_counter() - started)
    return seconds[0], seconds[1]


def _row(what: str, seconds: float, wanted: int = 0) -> list[str]:
    rate = NUM_JUDGMENTS / seconds
    target = [f"{wanted:,}", verdict(rate >= wanted)] if wanted else ["", ""]
    return [what, f"{rate:,.0f}", *target]
