"""Runs the command in this process."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Command
from tests.cli.conftest import argue_eval as argue_eval
from tests.cli.conftest import stdin as stdin


@pytest.fixture
def convert(argue_eval: Command) -> Command:
    """Runs ``argue-eval convert`` with these arguments."""
    return lambda *args: argue_eval("convert", *map(str, args))
