"""Pools, samples and reusability of many runs: time and memory of the commands."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.measuring import argue_eval, print_table, print_title, run_process
from benchmarks.synthetic import JUDGE, Track

NUM_RUNS = 200
NUM_TOPICS = 100
NUM_SENTENCES = 3
NUM_TEAMS = 20
MACHINE = "machine"


def main() -> None:
    """Measures and prints."""
    print_title("pooling: what people should judge, over many runs")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = _scored(folder)
        scores, teams = str(folder / "scores"), str(folder / "teams.tsv")
        commands = {
            "pool --depth 5": ["pool", *runs, "--depth", "5", "-o", str(folder / "pool.txt")],
            "pool --pairs --budget 100": [
                *("pool", *runs, "--pairs", "--budget", "100"),
                *("-o", str(folder / "pairs.csv")),
            ],
            "sample -n 200": ["sample", scores, "-n", "200", "-o", str(folder / "sheet.csv")],
            "sample -n 200 --design optimal --unit judgment": [
                *("sample", scores, "-n", "200", "--design", "optimal", "--unit", "judgment"),
                *("-o", str(folder / "sheet.csv")),
            ],
            f"reusability, {NUM_TEAMS} teams": [
                *("reusability", scores, "--teams", teams, "--judge", "none", "--leaving", "all"),
                *("-m", "nugget_recall", "-m", "argue_f1"),
            ],
        }
        rows = []
        for what, words in commands.items():
            took = run_process(argue_eval(*words))
            rows.append([what, f"{took.seconds:.0f}", f"{took.busy:.0f}", f"{took.peak_mb:.0f}"])
    print_table(["command", "s", "s of processors", "peak MB of a process"], rows)


def _scored(folder: Path) -> list[str]:
    """Writes runs, their scores by a machine, and the teams; returns the runs."""
    track = Track(num_topics=NUM_TOPICS, num_sentences=NUM_SENTENCES)
    files = track.write(folder, NUM_RUNS)
    print(f"{NUM_RUNS} runs x {NUM_TOPICS} topics x {NUM_SENTENCES} sentences\n")
    judged = files.judgments.read_text("utf-8").replace(f'"{JUDGE}"', f'"{MACHINE}"')
    files.judgments.write_text(judged, "utf-8")
    lines = (f"run-{number}\tteam-{number % NUM_TEAMS}\n" for number in range(NUM_RUNS))
    (folder / "teams.tsv").write_text("".join(lines), "utf-8")
    runs = [str(path) for path in files.runs]
    words = ["score", *runs, str(files.qrels), "--judgments", str(files.judgments)]
    run_process(argue_eval(*words, "--judge", "none", "-o", str(folder / "scores")))
    return runs
