"""Commands and Python in the documentation and what they print.

``python -m tests.documented`` is the only thing that changes the output in README.md and docs/. A
block of commands shows one, run from the root of the repository, or several, run one after the
other in an empty folder with the example track. The blocks of Python of a page are run in such a
folder too, one after the other; a block of text behind one shows what it prints.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
MARK = "<!-- tested: the output below is that of the command -->\n"
MARK_SEVERAL = "<!-- tested: the outputs below are those of the commands, one after the other -->\n"
BLOCK = re.compile(
    f"({re.escape(MARK)}|{re.escape(MARK_SEVERAL)})" + r"```console\n(\$ argue-eval .*?)```\n", re.S
)
PYTHON = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.S | re.M)
PYTHON_PAGES = tuple(ROOT / name for name in ("README.md", "docs/python.md", "docs/decisions.md"))
_TRACK = ("topics", "qrels", "runs", "collection")
_CHANGING = {r"(first|last)\t.*": r"\1\t2026-01-31T12:00:00Z", r"size\t.*": "size\t0.1 MB"}
"""What a store says about itself that is another at every run, and what the page shows for it."""


class Example(NamedTuple):
    """A block of a page: its mark, and the commands with the output that is shown."""

    page: str
    mark: str
    shown: str

    @property
    def commands(self) -> list[str]:
        """The command lines."""
        return re.findall(r"^\$ (argue-eval .*)$", self.shown, flags=re.M)


def pages() -> list[Path]:
    """README.md and the pages of docs/ that show a tested command."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in found if "<!-- tested: the output" in path.read_text(encoding="utf-8")]


def examples() -> Iterator[Example]:
    """Yields all blocks of all pages."""
    for path in pages():
        for mark, shown in BLOCK.findall(path.read_text(encoding="utf-8")):
            yield Example(path.name, mark, shown)


def printed(example: Example) -> str:
    """The commands of a block with what they print on standard output."""
    folder = _in(ROOT) if example.mark == MARK else _in_a_copy()
    with folder:
        return "".join(f"$ {each}\n{_output_of(each)}" for each in example.commands)


def _output_of(command: str) -> str:
    from argue_eval.cli.app import run

    stdout = io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(io.StringIO()):
        run(shlex.split(command)[1:])
    text = stdout.getvalue()
    if " store info " in command:
        for pattern, shown in _CHANGING.items():
            text = re.sub(pattern, shown, text)
    return text


@contextmanager
def _in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _in_a_copy() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as name:
        for each in _TRACK:
            Path(name, each).symlink_to(ROOT / each)
        with _in(Path(name)):
            yield


def run_python(page: Path) -> str:
    """The text of a page with what its blocks of Python print."""
    namespace: dict[str, object] = {"__name__": "__main__"}

    def run(block: re.Match[str]) -> str:
        stdout = io.StringIO()
        with redirect_stdout(stdout):
            exec(compile(block[1], page.name, "exec"), namespace)
        printed = stdout.getvalue().rstrip("\n")
        shown = f"\n```text\n{printed}\n```\n" if printed else ""
        return f"```python\n{block[1]}```\n{shown}"

    with _in_a_copy():
        return PYTHON.sub(run, page.read_text(encoding="utf-8"))


def update() -> None:
    """Writes the output of every tested command and block of Python into its page."""
    for path in PYTHON_PAGES:
        path.write_text(run_python(path), encoding="utf-8")
    for path in pages():
        text = path.read_text(encoding="utf-8")
        path.write_text(
            BLOCK.sub(lambda m: f"{m[1]}```console\n{printed(Example('', m[1], m[2]))}```\n", text),
            encoding="utf-8",
        )


if __name__ == "__main__":
    update()
