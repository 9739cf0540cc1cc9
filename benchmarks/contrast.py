"""Minimal pairs: which differences between sentences a judge sees. ``tests/contrast`` has them."""

from __future__ import annotations

from argue_eval.judges import Judge, lexical
from benchmarks.measuring import print_table, print_title, verdict
from tests.contrast.suite import count, pairs

LEAST = 0.85
REQUIRED = ("number", "date", "name")


def main() -> None:
    """Measures and prints."""
    report("lexical", lexical.create())


def report(name: str, judge: Judge) -> None:
    """Prints how a judge does on the half of the pairs that is held out."""
    held_out = [pair for pair in pairs() if pair.is_held_out]
    print_title(f"contrast: {name} on minimal pairs, the half that is held out")
    rows = []
    for contrast, found in count(judge, held_out).items():
        met = verdict(found.accuracy >= LEAST) if contrast in REQUIRED else ""
        cells = [contrast, str(found.num_pairs), f"{found.accuracy:.3f}", f"{found.ordered:.3f}"]
        rows.append([*cells, met])
    print_table(["contrast", "pairs", "right verdicts", "right order", f">= {LEAST}"], rows)
    print("\na verdict on a right sentence must be yes, on a wrong one anything but yes")
