"""The README and the docs show what the commands print today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documented import (
    BLOCK,
    PYTHON_PAGES,
    ROOT,
    Example,
    examples,
    pages,
    printed,
    run_python,
)

EXAMPLES = list(examples())


@pytest.mark.parametrize("example", EXAMPLES, ids=[each.commands[0] for each in EXAMPLES])
def test_documented_commands_print_what_the_page_shows(example: Example) -> None:
    assert example.shown == printed(example), f"{example.page}: run python -m tests.documented"


def test_every_marked_block_is_found() -> None:
    texts = [page.read_text("utf-8") for page in pages()]
    marks = sum(text.count("<!-- tested: the output") for text in texts)
    assert sum(len(BLOCK.findall(text)) for text in texts) == marks > 2
    assert all(each.commands for each in EXAMPLES)


@pytest.mark.parametrize("page", PYTHON_PAGES, ids=[page.name for page in PYTHON_PAGES])
def test_documented_python_prints_what_the_page_shows(page: Path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    assert run_python(page) == page.read_text("utf-8"), "run python -m tests.documented"


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
