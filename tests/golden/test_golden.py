"""What the commands print is the same, byte by byte, as when it was last looked at.

After a change that is meant: ``python -m tests.golden.update``, and read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.cases import CASES, CONVERSIONS, EXPECTED, printed


@pytest.mark.parametrize("name", [*CASES, *CONVERSIONS])
def test_command_prints_the_expected_bytes(name: str, tmp_path: Path) -> None:
    assert printed(name, tmp_path) == (EXPECTED / f"{name}.txt").read_text(encoding="utf-8")


def test_every_expected_output_belongs_to_a_command() -> None:
    assert {path.stem for path in EXPECTED.glob("*.txt")} == {*CASES, *CONVERSIONS}
