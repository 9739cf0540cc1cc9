"""The three views are the same, byte by byte, as when they were last looked at.

After a change that is meant: ``python -m tests.meta.update``, and read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.meta.cases import CASES, EXPECTED, output


@pytest.mark.parametrize("name", CASES)
def test_command_prints_the_expected_bytes(name: str, tmp_path: Path) -> None:
    assert output(name, tmp_path) == (EXPECTED / name).read_text(encoding="utf-8")


def test_every_expected_output_belongs_to_a_command() -> None:
    assert {path.name for path in EXPECTED.iterdir()} == set(CASES)
