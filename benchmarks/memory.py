"""Peak memory of the command line over many runs with one file of judgments."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import argue_eval, print_table, print_title, run_process, verdict
from benchmarks.synthetic import Files, Track

NUM_RUNS = 1000
FEW_RUNS = 100
TARGET_MB = 500

_FLOOR = "import sys; [None for path in sys.argv[1:] for line in open(path, 'rb')]"


def main() -> None:
    """Measures and prints."""
    print_title("memory: peak of one process, argue-eval score RUN... -m argue")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        many = Track().write(Path(folder), NUM_RUNS)
        few = Track().write(_folder(folder, "few"), FEW_RUNS)
        for files, runs, what in (
            (few, few.runs, f"{FEW_RUNS} runs"),
            (many, many.runs[:FEW_RUNS], f"{FEW_RUNS} runs, judgments of {NUM_RUNS}"),
            (many, many.runs, f"{NUM_RUNS} runs"),
        ):
            rows.append(_measure(files, runs, what))
        paths = [str(path) for path in (many.judgments, *many.runs)]
        floor = run_process([sys.executable, "-c", _FLOOR, *paths])
        counts = [str(many.num_sentences), str(many.num_judgments)]
        cells = [f"{floor.seconds:.1f}", f"{floor.peak_mb:.0f}", ""]
        rows.append([f"floor: reading the lines of {NUM_RUNS} runs", *counts, *cells])
    head = ["what", "sentences", "judgments read", "s", "peak MB", f"<= {TARGET_MB} MB"]
    print_table(head, rows)


def _folder(parent: str, name: str) -> Path:
    folder = Path(parent) / name
    folder.mkdir()
    return folder


def _measure(files: Files, runs: tuple[Path, ...], what: str) -> list[str]:
    paths = [str(path) for path in (*runs, files.qrels)]
    process = run_process(
        argue_eval("score", *paths, "--judgments", str(files.judgments), "-m", "argue")
    )
    if process.code:
        raise SystemExit(f"scoring ended with exit code {process.code}")
    num_sentences = files.num_sentences * len(runs) // len(files.runs)
    numbers = [f"{process.seconds:.1f}", f"{process.peak_mb:.0f}"]
    is_met = verdict(process.peak_mb <= TARGET_MB)
    return [what, str(num_sentences), str(files.num_judgments), *numbers, is_met]
