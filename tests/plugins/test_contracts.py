"""The tests of what every plug-in keeps to pass with the package installed, over its own too."""

from __future__ import annotations

import re
from pathlib import Path

from tests.documented import ROOT
from tests.plugins.conftest import run_python

CONTRACTS = {
    "tests/measures/test_contract.py": "clause_support",
    "tests/formats/test_formats.py": "requests-themes",
    "tests/report/test_views.py": "bars",
}


def test_contracts_hold_for_the_package(site: Path) -> None:
    words = ("-m", "pytest", "-q", "-rA", *CONTRACTS)
    done = run_python(*words, paths=(site, ROOT), folder=ROOT)
    assert done.returncode == 0, done.stdout[-3000:]
    for tests, name in CONTRACTS.items():
        assert re.search(rf"^PASSED {tests}::.*\[{name}\]", done.stdout, re.M), name
