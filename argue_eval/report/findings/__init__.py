"""Views of findings: one file per layout, each with

* ``render(runs, height) -> Iterator[str]``: the lines for all runs that were checked; `height` is
  how many lines there is room for, or None if everything is to be shown.
"""

from __future__ import annotations

from argue_eval.errors import Severity
from argue_eval.validation import Checked


def count(number: int, noun: str) -> str:
    """Returns a number with its noun.

    >>> count(1, "error"), count(2, "error")
    ('1 error', '2 errors')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def verdict(run: Checked) -> str:
    """Returns what came out for a run, and against which rules, in one line."""
    errors, warnings = run.num(Severity.ERROR), run.num(Severity.WARNING)
    parts = ["not ok" if errors else "ok", count(run.num_reports, "report")]
    parts += [count(errors, "error")] if errors else []
    parts += [count(warnings, "warning")] if warnings else []
    guessed = " (no one track fits)" if run.track.name == "generic" else " (guessed)"
    guessed = guessed if run.is_guessed else ""
    track = f"checked against {run.track.name}{guessed}, revision {run.track.revision}"
    return f"{run.file}: {', '.join([*parts, track])}"
