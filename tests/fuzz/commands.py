"""What must hold for any command: a documented exit code, and nothing hostile printed raw."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from argue_eval.cli import app

EXIT_CODES = frozenset({0, 1, 2, 3, 4})
MAX_OUTPUT = 20_000
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Ended(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def run(*words: object) -> Ended:
    """Runs a command in this process, and looks at how it ends and at what it prints."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = app.run([str(word) for word in words])
    ended = Ended(code, out.getvalue(), err.getvalue())
    assert ended.code in EXIT_CODES, ended
    assert not _CONTROL.search(ended.out + ended.err), ended
    assert "Traceback" not in ended.err
    assert len(ended.err) < MAX_OUTPUT
    return ended
