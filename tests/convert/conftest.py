"""Runs the command in this process."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

from argue_eval.cli import app


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


Convert = Callable[..., Ran]


@pytest.fixture
def convert(capsys: pytest.CaptureFixture[str]) -> Convert:
    """Runs ``argue-eval convert`` with these arguments."""

    def command(*args: object) -> Ran:
        code = app.run(["convert", *map(str, args)])
        out, err = capsys.readouterr()
        assert not re.search("\x1b|Traceback", out + err)
        return Ran(code, out, err)

    return command
