"""Every code of a finding can be explained."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import argue_eval
from argue_eval.report import codes
from tests.documented import ROOT

_MAKERS = {"Finding", "error", "warn", "_warn", "_add", "found", "at"}


def _codes_in(source: str) -> Iterator[str]:
    """Yields the constant first arguments of the calls that make a finding."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and len(node.args) > 1:
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            first = node.args[0]
            if name in _MAKERS and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def test_every_code_is_explained() -> None:
    files = Path(argue_eval.__file__).parent.rglob("*.py")
    used = {code for file in files for code in _codes_in(file.read_text("utf-8"))}
    assert len(used) > 80
    assert used - set(codes.names()) == set()


def test_no_code_is_explained_that_nothing_gives() -> None:
    files = Path(argue_eval.__file__).parent.rglob("*.py")
    sources = [file.read_text("utf-8") for file in files if file.name != "codes.py"]
    unused = [code for code in codes.CODES if not any(f'"{code}"' in text for text in sources)]
    assert unused == []


@pytest.mark.parametrize(
    ("page", "folder", "files", "pattern", "num"),
    [
        ("ingest", "validation", ("ingest", "nuggets", "requests"),
         r'(?:warn|error|Finding)\(\s*"(\w+)"', 21),
        ("segment", "formats/segmenting", ("__init__",), r'_warn(?:_once)?\(\s*"(\w+)"', 12),
        ("store", "judgments", ("file", "rows"),
         r'"(\w+_store|not_a_store|(?:wrong|missing|orphan)_\w+)"', 13),
    ],
)  # fmt: skip
def test_every_code_of_a_command_is_on_its_page(
    page: str, folder: str, files: tuple[str, ...], pattern: str, num: int
) -> None:
    sources = [ROOT / "argue_eval" / folder / f"{name}.py" for name in files]
    found = {code for path in sources for code in re.findall(pattern, path.read_text("utf-8"))}
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    assert len(found) >= num
    assert {code for code in found if f"`{code}`" not in text} == set()
