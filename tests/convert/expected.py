"""The example track in every format: the first record, and what the command says.

Run as a module, it writes the expected outputs anew: after a change that is meant, read the
difference.
"""

from __future__ import annotations

from pathlib import Path

from tests.documented import ROOT
from tests.golden.cases import output

EXPECTED = Path(__file__).with_name("expected_outputs")

_SOURCES = {
    "runs/careful.jsonl": ("canonical", "neuclir", "rag"),
    "qrels/example.json": ("auto_argue", "canonical", "neuclir", "nuggetizer", "ragtime26"),
    "topics/example.jsonl": ("canonical", "dragun", "neuclir", "rag25", "rag_tsv"),
}

CASES = {
    f"{source.partition('/')[0]}-{format_name}": f"convert {source} --to {format_name} --lossy"
    for source, format_names in _SOURCES.items()
    for format_name in format_names
}
CASES["qrels-auto_argue-refused"] = "convert qrels/example.json --to auto_argue"
CASES["runs-rag-narratives"] = (
    "convert runs/careful.jsonl --to rag --requests topics/example.jsonl --lossy"
)
CASES["runs-rag-refused"] = "convert runs/careful.jsonl --to rag"


def update() -> None:
    """Writes the outputs: the first two lines of each, its notes and its exit code."""
    EXPECTED.mkdir(exist_ok=True)
    for name, command in CASES.items():
        (EXPECTED / f"{name}.txt").write_text(output(command, ROOT, 2), encoding="utf-8")


if __name__ == "__main__":
    update()
