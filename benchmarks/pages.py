"""Time, memory and size of the report pages of a large track."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from random import Random

from benchmarks.measuring import argue_eval, print_table, print_title, run_process, verdict
from benchmarks.synthetic import Files, Track

NUM_RUNS, NUM_TOPICS, NUM_SENTENCES = 50, 100, 20
MAX_SECONDS, MAX_MB, MAX_PAGE_MB = 60, 1000, 5
_WORDS = ("harbour", "vessel", "report", "inquiry", "cost", "fuel", "river", "bridge", "council")


def main() -> None:
    """Measures and prints."""
    print_title("pages: argue-eval report DIR --site")
    with tempfile.TemporaryDirectory() as folder:
        track = Track(num_topics=NUM_TOPICS, num_sentences=NUM_SENTENCES)
        files = track.write(Path(folder), NUM_RUNS)
        scores, site = f"{folder}/scores", Path(folder) / "site"
        paths = [str(path) for path in (*files.runs, files.qrels)]
        judged = ["--judgments", str(files.judgments), "--judge", "none", "-m", "argue"]
        texts = ["--collection", _documents(files, Path(folder) / "documents.jsonl")]
        run_process(argue_eval("score", *paths, *judged, *texts, "-o", scores))
        process = run_process(argue_eval("report", scores, "--site", "-o", str(site)))
        sizes = [file.stat().st_size / 1e6 for file in site.iterdir()]
        rows = [
            ["seconds", f"{process.seconds:.1f}", verdict(process.seconds <= MAX_SECONDS)],
            ["peak MB", f"{process.peak_mb:.0f}", verdict(process.peak_mb <= MAX_MB)],
            ["pages", f"{len(sizes):,}", ""],
            ["largest page, MB", f"{max(sizes):.2f}", verdict(max(sizes) <= MAX_PAGE_MB)],
        ]
        what = f"{NUM_RUNS} runs x {NUM_TOPICS} topics, {files.num_sentences:,} sentences"
        print_table([what, "", "aim"], rows)


def _documents(files: Files, target: Path) -> str:
    """Writes a text of 2,500 characters for every document that a run cites."""
    draw, doc_ids = Random(7), set()
    for path in files.runs:
        for line in path.read_text("utf-8").splitlines():
            for sentence in json.loads(line)["responses"]:
                doc_ids.update(sentence["citations"])
    with target.open("w", encoding="utf-8") as stream:
        for doc_id in sorted(doc_ids):
            text = " ".join(
                f"{' '.join(draw.choices(_WORDS, k=14)).capitalize()}." for _ in range(25)
            )
            stream.write(json.dumps({"doc_id": doc_id, "title": "made up", "text": text}) + "\n")
    return str(target)
