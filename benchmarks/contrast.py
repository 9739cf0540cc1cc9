"""Minimal pairs: which differences between sentences `lexical` sees, on the half that is held out.

``argue-eval meta-eval --contrast JUDGE`` measures any judge, on all pairs and in other forms.
"""

from __future__ import annotations

from argue_eval.evaluation.contrasting import contrast
from benchmarks.measuring import print_table, print_title, verdict

LEAST = 0.85
REQUIRED = ("number", "date", "name")


def main() -> None:
    """Measures and prints."""
    print_title("contrast: lexical on minimal pairs, the half that is held out")
    rows = []
    for name, found in contrast("lexical").held_out.items():
        accuracy, ordered = found.accuracy or 0.0, found.ordered or 0.0
        met = verdict(accuracy >= LEAST) if name in REQUIRED else ""
        shares = [f"{accuracy:.3f}", f"{ordered:.3f}"]
        rows.append([name, str(found.num_pairs), *shares, str(found.num_open), met])
    head = ["contrast", "pairs", "right verdicts", "right order", "left open", f">= {LEAST}"]
    print_table(head, rows)
    print("\na verdict on a right sentence must be yes, on a wrong one anything but yes")
