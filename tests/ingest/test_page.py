"""The page about ingest names every code that a check may give."""

from __future__ import annotations

import re

from tests.documented import ROOT


def test_every_warning_is_on_the_page() -> None:
    page = (ROOT / "docs" / "ingest.md").read_text("utf-8")
    sources = sorted((ROOT / "argue_eval" / "validation" / "ingest").glob("*.py"))
    texts = [source.read_text("utf-8") for source in sources]
    codes = {code for text in texts for code in re.findall(r'warn\("(\w+)"', text)}
    codes |= {code for text in texts for code in re.findall(r'warn_file\(file, "(\w+)"', text)}
    codes |= {code for text in texts for code in re.findall(r'Finding\("(\w+)"', text)}
    assert len(codes) > 20
    assert {code for code in codes if f"`{code}`" not in page} == set()
