"""Files in the formats of the package: two themes, two authors, and marks for all but one claim."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

BUILT, FIRE, DAM = "The mill was built in 1784", "it burned down in 1902", "The dam opened in 1961"


def _essay(theme: str, author: str, *sentences: tuple[str, Sequence[str]]) -> Mapping[str, Any]:
    written = [{"text": text, "citations": list(cited)} for text, cited in sentences]
    return {"theme": theme, "author": author, "essay": written}


FILES: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "themes.jsonl": [
        {"theme": "mill", "wanted": "Tell the history of the mill."},
        {"theme": "dam", "wanted": "Describe the dam."},
    ],
    "checklists.jsonl": [
        {"theme": "mill", "checklist": [{"claim": BUILT, "sources": ["s1"]}]},
        {"theme": "dam", "checklist": [{"claim": DAM, "sources": ["s2"]}]},
    ],
    "ann.jsonl": [
        _essay("mill", "ann", (f"{BUILT}; {FIRE}", ["s1"])),
        _essay("dam", "ann", (DAM, ["s2"])),
    ],
    "bob.jsonl": [
        _essay("mill", "bob", (f"{BUILT}; {FIRE}", ["s2"])),
        _essay("dam", "bob", (DAM, [])),
    ],
    "sources.jsonl": [
        {"source": "s1", "body": "The old mill was built in 1784 by two brothers."},
        {"source": "s2", "body": "The dam opened in 1961."},
    ],
    "marks.jsonl": [
        {"theme": "mill", "claim": BUILT, "source": "s1", "mark": 2},
        {"theme": "mill", "claim": BUILT, "source": "s2", "mark": 0},
        {"theme": "mill", "claim": FIRE, "source": "s2", "mark": 1},
        {"theme": "dam", "claim": DAM, "source": "s2", "mark": 2},
    ],
}


def install(folder: Path, module: str, text: str | None, *families: str) -> None:
    """Installs a package of one module, a plug-in of each family under the module's own name."""
    about = folder / f"{module}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n")
    points = [f"[argue_eval.{family}]\n{module} = {module}\n" for family in families]
    (about / "entry_points.txt").write_text("".join(points))
    if text is not None:
        (folder / f"{module}.py").write_text(text, encoding="utf-8")


def write(folder: Path) -> None:
    """Writes the files."""
    for name, objects in FILES.items():
        lines = [json.dumps(each) + "\n" for each in objects]
        (folder / name).write_text("".join(lines), encoding="utf-8")
