"""What docs/plugins.md shows is what the package has, and nothing is left out."""

from __future__ import annotations

import re

from tests.documented import ROOT
from tests.plugins.conftest import PACKAGE

PAGE = (ROOT / "docs" / "plugins.md").read_text("utf-8")
SHOWN = re.findall(r"^<!-- from (\S+) -->\n```\w+\n(.*?)^```\n", PAGE, re.S | re.M)


def test_every_example_is_a_part_of_the_package() -> None:
    assert len(SHOWN) == PAGE.count("```") / 2 > 10
    for name, text in SHOWN:
        assert text in (PACKAGE / name).read_text("utf-8"), name


def test_every_family_of_the_package_is_described() -> None:
    points = (PACKAGE / "pyproject.toml").read_text("utf-8")
    families = re.findall(r'entry-points\."argue_eval\.([\w.]+)"', points)
    table = PAGE.partition("| family |")[2]
    assert [family for family in families if f"`{family}`" not in table] == []
