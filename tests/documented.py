"""Commands in the documentation and what they print. Run as a module, it writes the output anew.

``python -m tests.documented`` is the only thing that changes the examples in README.md and docs/.
"""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).parent.parent
MARK = "<!-- tested: the output below is that of the command -->\n"
BLOCK = re.compile(re.escape(MARK) + r"```console\n\$ (argue-eval [^\n]*)\n(.*?)```\n", re.S)


def pages() -> list[Path]:
    """Returns README.md and the pages of docs/ that show a tested command."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [path for path in found if MARK in path.read_text(encoding="utf-8")]


def examples() -> Iterator[tuple[str, str, str]]:
    """Yields the page, the command and the output that the page shows."""
    for path in pages():
        for command, shown in BLOCK.findall(path.read_text(encoding="utf-8")):
            yield path.name, command, shown


def output_of(command: str) -> str:
    """Returns what a command prints on standard output, from the root of the repository."""
    from argue_eval.cli.app import run

    stdout = io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(io.StringIO()):
        run(shlex.split(command)[1:])
    return stdout.getvalue()


def update() -> None:
    """Writes the output of every tested command into its page."""
    for path in pages():
        text = path.read_text(encoding="utf-8")
        path.write_text(
            BLOCK.sub(lambda m: f"{MARK}```console\n$ {m[1]}\n{output_of(m[1])}```\n", text),
            encoding="utf-8",
        )


if __name__ == "__main__":
    update()
