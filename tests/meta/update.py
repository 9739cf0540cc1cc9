"""Writes the expected outputs anew: ``python -m tests.meta.update``. Read the difference."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.meta.cases import EXPECTED, outputs


def main() -> None:
    """Replaces all files of expected output."""
    EXPECTED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        found = dict(outputs(Path(folder)))
    for path in EXPECTED.iterdir():
        if path.name not in found:
            path.unlink()
    for name, text in found.items():
        (EXPECTED / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
