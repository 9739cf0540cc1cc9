"""The page about ingest names every code that a check may give."""

from __future__ import annotations

import re

from tests.documented import ROOT


def test_every_warning_is_on_the_page() -> None:
    page = (ROOT / "docs" / "ingest.md").read_text("utf-8")
    folder = ROOT / "argue_eval" / "validation"
    names = ("ingest.py", "nuggets.py", "requests.py")
    texts = [(folder / name).read_text("utf-8") for name in names]
    codes = {code for text in texts for code in re.findall(r'(?:warning|Finding)\("(\w+)"', text)}
    assert len(codes) > 20
    assert {code for code in codes if f"`{code}`" not in page} == set()
