"""The tests of what every plug-in keeps to pass with the package installed, over its own too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documented import ROOT
from tests.plugins.conftest import run_python

CONTRACTS = [
    ("tests/measures/test_contract.py", "clause_support"),
    ("tests/formats/test_formats.py", "requests-themes"),
    ("tests/report/test_views.py", "bars"),
]


@pytest.mark.parametrize(("tests", "name"), CONTRACTS)
def test_contracts_hold_for_the_package(site: Path, tests: str, name: str) -> None:
    words = ("-m", "pytest", "-q", "-rA", tests)
    done = run_python(*words, paths=(site, ROOT), folder=ROOT)
    assert done.returncode == 0, done.stdout[-3000:]
    assert f"[{name}]" in done.stdout
