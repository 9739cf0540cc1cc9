"""Time and memory of scoring AutoNuggetizer assignments: runs, nuggets, judgments in a file."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import argue_eval, print_table, print_title, run_process, verdict

NUM_TOPICS = 300
NUM_NUGGETS = 32
NUM_WORDS = 310
TARGET_SECONDS, TARGET_MB = 60, 1000

_FLOOR = "import sys; [None for line in open(sys.argv[1], 'rb')]"


def main() -> None:
    """Measures and prints."""
    print_title("assignments: argue-eval score FILE FILE --protocol nuggetizer")
    rows = []
    for num_rows in (10_000, 100_000):
        with tempfile.TemporaryDirectory() as folder:
            path = _written(Path(folder) / "assignments.jsonl", num_rows)
            size = path.stat().st_size
            files = [str(path), str(path)]
            found = run_process(argue_eval("score", *files, "--protocol", "nuggetizer"))
            floor = run_process([sys.executable, "-c", _FLOOR, str(path)])
        is_met = found.seconds <= TARGET_SECONDS and found.peak_mb <= TARGET_MB
        cells = [f"{num_rows:,}", f"{size / 1e6:.0f}", f"{found.seconds:.1f}", f"{found.busy:.1f}"]
        rows.append([*cells, f"{found.peak_mb:.0f}", f"{floor.seconds:.1f}", verdict(is_met)])
    head = ["rows", "MB", "s", "s of processors", "peak MB", "s to read the lines"]
    print_table([*head, f"<= {TARGET_SECONDS} s, {TARGET_MB} MB"], rows)


def _written(path: Path, num_rows: int) -> Path:
    """Rows of random words; every tenth text of a nugget has a stray space."""
    drawn = random.Random(1)
    vocabulary = [f"w{number:04d}" for number in range(3000)]

    def words(number: int) -> str:
        return " ".join(drawn.choices(vocabulary, k=number))

    topics = [
        [(words(18), drawn.choice(["vital", "okay"])) for _ in range(NUM_NUGGETS)]
        for _ in range(NUM_TOPICS)
    ]
    grades = ["support", "partial_support", "not_support"]
    with path.open("w", encoding="utf-8") as stream:
        for row in range(num_rows):
            topic = row % NUM_TOPICS
            nuggets = [
                {
                    "text": text + " " * (drawn.random() < 0.1),
                    "importance": importance,
                    "assignment": drawn.choice(grades),
                }
                for text, importance in topics[topic]
            ]
            value = {
                "query": f"what is {topic}",
                "qid": f"2024-{topic}",
                "nuggets": nuggets,
                "run_id": f"run{row // NUM_TOPICS}",
                "answer_text": words(NUM_WORDS),
                "response_length": NUM_WORDS,
            }
            stream.write(json.dumps(value) + "\n")
    return path
