"""The page about ingest names every code that a check may give."""

from __future__ import annotations

import re

from tests.documented import ROOT


def test_every_warning_is_on_the_page() -> None:
    page = (ROOT / "docs" / "ingest.md").read_text("utf-8")
    folder = ROOT / "argue_eval" / "validation"
    names = ("ingest.py", "nuggets.py", "requests.py")
    texts = [(folder / name).read_text("utf-8") for name in names]
    code = re.compile(r'(?:warn|error|Finding)\(\s*"(\w+)"')
    codes = {each for text in texts for each in code.findall(text)}
    assert len(codes) > 20
    assert {each for each in codes if f"`{each}`" not in page} == set()
