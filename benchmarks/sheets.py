"""Assessment sheets with many pairs: time and size of the page, and how fast it answers keys."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from argue_eval.formats.sheets import Row, lines
from benchmarks.measuring import print_table, print_title, seconds_of, verdict
from tests.browser.conftest import CHROMIUM, DRIVER, Browser
from tests.browser.test_sheets import PRESSES

NUM_DOCUMENTS, NUM_PRESSES = 500, 300
MAX_MS = 50
_WORDS = ("harbour", "vessel", "report", "inquiry", "cost", "fuel", "river", "bridge", "council")


def main() -> None:
    """Measures and prints."""
    print_title("sheets: pairs of a sentence and a document of 10,000 characters")
    rows = [_measured(number) for number in (200, 2_000, 10_000)]
    head = ["pairs", "s to write", "MB", "ms to open", "ms a key press", f"<= {MAX_MS} ms"]
    print_table(head, rows)


def _measured(num_pairs: int) -> list[str]:
    pairs = _pairs(num_pairs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sheet.html"
        seconds = seconds_of(lambda: _write(pairs, path))
        megabytes = path.stat().st_size / 1e6
        written = [f"{num_pairs:,}", f"{seconds:.1f}", f"{megabytes:.1f}"]
        if CHROMIUM is None or DRIVER is None:
            return [*written, "-", "-", "no Chromium here"]
        browser = Browser(f"{folder}/chromium")
        try:
            browser.open(path)
            timing = "performance.getEntriesByType('navigation')[0]"
            opened = browser.js(f"{timing}.loadEventEnd - {timing}.startTime")
            pressed = browser.js(PRESSES, NUM_PRESSES)
        finally:
            browser.driver.quit()
        return [*written, f"{opened:.0f}", f"{pressed:.1f}", verdict(pressed <= MAX_MS)]


def _write(pairs: list[Row], path: Path) -> None:
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(lines(pairs, len(pairs), "html", "A"))


def _pairs(number: int) -> list[Row]:
    draw = Random(7)
    texts = [_text(draw, 140) for _ in range(NUM_DOCUMENTS)]
    found = []
    for place in range(number):
        sentence, at = f"{place} {_text(draw, 2)}", place % NUM_DOCUMENTS
        keys = {"topic_id": "t", "kind": "support", "doc_id": f"d{at}", "sentence": sentence}
        question = "Does the document support the sentence? (yes, partial, no or contradicts)"
        found.append(Row(keys, question, sentence, texts[at], "t"))
    return found


def _text(draw: Random, num_sentences: int) -> str:
    made = (" ".join(draw.choices(_WORDS, k=10)) for _ in range(num_sentences))
    return " ".join(f"{each.capitalize()}." for each in made)
