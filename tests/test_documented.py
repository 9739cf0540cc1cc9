"""The README and the docs show what the commands print today."""

from __future__ import annotations

import re

import pytest

from tests.documented import MARK, ROOT, examples, output_of, pages

EXAMPLES = list(examples())


@pytest.mark.parametrize(("page", "command", "shown"), EXAMPLES, ids=[e[1] for e in EXAMPLES])
def test_a_documented_command_prints_what_the_page_shows(
    page: str, command: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert shown == output_of(command), f"{page}: run python -m tests.documented"


def test_every_marked_block_is_found() -> None:
    assert len(EXAMPLES) == sum(page.read_text("utf-8").count(MARK) for page in pages()) > 2


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
