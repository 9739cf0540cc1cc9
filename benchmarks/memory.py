"""Time and peak memory of the command line over many runs with one file of judgments."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import argue_eval, print_table, print_title, run_process, verdict
from benchmarks.synthetic import Files, Track

NUM_RUNS = 1000
FEW_RUNS = 100
TARGET_MB, TARGET_SECONDS = 400, 15

_FLOOR = "import sys; [None for path in sys.argv[1:] for line in open(path, 'rb')]"


def main() -> None:
    """Measures and prints."""
    print_title("memory: peak of the largest process, argue-eval score RUN... -m argue")
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
        together = _peak_together(_command(many, many.runs)) if sys.platform == "linux" else 0
        paths = [str(path) for path in (many.judgments, *many.runs)]
        floor = run_process([sys.executable, "-c", _FLOOR, *paths])
        counts = [str(many.num_sentences), str(many.num_judgments)]
        cells = [f"{floor.seconds:.1f}", f"{floor.peak_mb:.0f}", "", ""]
        rows.append([f"floor: reading the lines of {NUM_RUNS} runs", *counts, *cells])
    head = ["what", "sentences", "judgments read", "s", "peak MB", f"<= {TARGET_MB} MB"]
    print_table([*head, f"{NUM_RUNS} runs <= {TARGET_SECONDS} s"], rows)
    if together:
        print(f"\nall processes of {NUM_RUNS} runs together, shared memory once: {together:.0f} MB")


def _folder(parent: str, name: str) -> Path:
    folder = Path(parent) / name
    folder.mkdir()
    return folder


def _command(files: Files, runs: tuple[Path, ...]) -> list[str]:
    paths = [str(path) for path in (*runs, files.qrels)]
    return argue_eval("score", *paths, "--judgments", str(files.judgments), "-m", "argue")


def _measure(files: Files, runs: tuple[Path, ...], what: str) -> list[str]:
    process = run_process(_command(files, runs))
    num_sentences = files.num_sentences * len(runs) // len(files.runs)
    numbers = [f"{process.seconds:.1f}", f"{process.peak_mb:.0f}"]
    is_met = verdict(process.peak_mb <= TARGET_MB)
    is_fast = verdict(process.seconds <= TARGET_SECONDS) if len(runs) == NUM_RUNS else ""
    return [what, str(num_sentences), str(files.num_judgments), *numbers, is_met, is_fast]


def _peak_together(command: list[str]) -> float:
    """The memory that a command and its children use at most, in 10^6 bytes: what several of them
    share counts once. Linux only.
    """
    peak = 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            pids = [str(process.pid), *_text(children).split()]
            peak = max(peak, sum(map(_proportional, pids)))
            time.sleep(0.2)
    return peak


def _proportional(pid: str) -> float:
    """A process's memory in 10^6 bytes, of what n processes share an n-th."""
    _, _, rest = _text(Path(f"/proc/{pid}/smaps_rollup")).partition("Pss:")
    return int(rest.split()[0]) * 1024 / 1e6 if rest else 0


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:  # the process has ended
        return ""
