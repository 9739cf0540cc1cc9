"""Writes the expected outputs anew: ``python -m tests.golden.update``.

Read the difference before you commit it. A number that moved belongs in the changelog, under
*Scores*.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.golden.cases import CASES, CONVERSIONS, EXPECTED, printed


def main() -> None:
    """Replaces all files of expected output."""
    EXPECTED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        found = {name: printed(name, Path(folder)) for name in (*CASES, *CONVERSIONS)}
    for path in EXPECTED.glob("*.txt"):
        if path.stem not in found:
            path.unlink()
    for name, text in found.items():
        (EXPECTED / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
