"""Runs the command in this process."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Command


@pytest.fixture
def convert(argue_eval: Command) -> Command:
    """Runs ``argue-eval convert`` with these arguments."""
    return lambda *args: argue_eval("convert", *map(str, args))
