"""What docs/store.md says of errors is what there is."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "store.md"


def test_every_code_is_described() -> None:
    sources = [ROOT / "argue_eval" / "judgments" / name for name in ("file.py", "rows.py")]
    text = "".join(source.read_text(encoding="utf-8") for source in sources)
    codes = set(re.findall(r'"(\w+_store|not_a_store|(?:wrong|missing|orphan)_\w+)"', text))
    page = PAGE.read_text(encoding="utf-8")
    assert len(codes) == 13
    assert [code for code in codes if f"`{code}`" not in page] == []
