"""Minimal pairs: which differences between sentences a judge sees. ``tests/contrast`` has them.

``python -m benchmarks.contrast [JUDGE...]`` measures other judges too: ``nli:MODEL``,
``llm:MODEL``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from argue_eval import _registry
from argue_eval.errors import ArgueEvalError
from argue_eval.judges import Judge, Settings
from benchmarks.measuring import print_table, print_title, verdict
from tests.contrast.suite import count, pairs

LEAST = 0.85
REQUIRED = ("number", "date", "name")


def main(names: Sequence[str] = ("lexical",)) -> int:
    """Measures judges and prints; returns the exit code."""
    for name in names:
        family, _, model = name.partition(":")
        try:
            judge = _registry.load("judges", family).create(model, (), Settings())
        except ArgueEvalError as exc:
            print(exc)
            return 2
        report(name, judge)
    return 0


def report(name: str, judge: Judge) -> None:
    """Prints how a judge does on the half of the pairs that is held out."""
    asked = [pair for pair in pairs() if pair.is_held_out and pair.right.kind in judge.kinds]
    print_title(f"contrast: {name} on minimal pairs, the half that is held out")
    rows = []
    for contrast, found in count(judge, asked).items():
        met = verdict(found.accuracy >= LEAST) if contrast in REQUIRED else ""
        shares = [f"{found.accuracy:.3f}", f"{found.ordered:.3f}"]
        rows.append([contrast, str(found.num_pairs), *shares, str(found.num_open), met])
    head = ["contrast", "pairs", "right verdicts", "right order", "left open", f">= {LEAST}"]
    print_table(head, rows)
    print("\na verdict on a right sentence must be yes, on a wrong one anything but yes")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["lexical"]))
