"""Commands and Python in the documentation and what they print.

``python -m tests.documented`` is the only thing that changes the output in README.md and docs/. A
block of commands shows one, run from the root of the repository, or several, run one after the
other in an empty folder with the example track; blocks that go on share the folder of their page.
The blocks of Python of a page are run in such a folder too, one after the other; a block of text
behind one shows what it prints.
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
MARK_ON = (
    "<!-- tested: the outputs below are those of the commands, in one folder for the page -->\n"
)
BLOCK = re.compile(
    f"({'|'.join(map(re.escape, (MARK, MARK_SEVERAL, MARK_ON)))})"
    + r"```console\n(\$ argue-eval .*?)```\n",
    re.S,
)
PYTHON = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.S | re.M)
PYTHON_PAGES = tuple(ROOT / name for name in ("README.md", "docs/python.md", "docs/decisions.md"))
_TRACK = ("topics", "qrels", "runs", "collection", "docs")
_CHANGING = {r"(first|last)\t.*": r"\1\t2026-01-31T12:00:00Z", r"size\t.*": "size\t0.1 MB"}
"""What a store says about itself that is another at every run, and what the page shows for it."""


class Example(NamedTuple):
    """A block of a page, or all that go on: mark, and commands with the output that is shown."""

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
    """Yields all blocks of all pages; those of a page that go on are one."""
    for path in pages():
        found = BLOCK.findall(path.read_text(encoding="utf-8"))
        for mark, shown in found:
            if mark != MARK_ON:
                yield Example(path.name, mark, shown)
        if going_on := "".join(shown for mark, shown in found if mark == MARK_ON):
            yield Example(path.name, MARK_ON, going_on)


def printed(example: Example) -> str:
    """The commands of a block with what they print on standard output."""
    folder = _in(ROOT) if example.mark == MARK else _in_a_copy()
    with folder:
        return _printed_here(example)


def _printed_here(example: Example) -> str:
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
        with _in_a_copy():
            text = BLOCK.sub(_anew, path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")


def _anew(block: re.Match[str]) -> str:
    example = Example("", block[1], block[2])
    shown = _printed_here(example) if block[1] == MARK_ON else printed(example)
    return f"{block[1]}```console\n{shown}```\n"


if __name__ == "__main__":
    update()
