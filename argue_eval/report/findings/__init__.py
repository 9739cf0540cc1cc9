"""Views of findings, a file each: what ``validate --format`` can name.

Third parties add a view with an entry point in the group ``argue_eval.outputs.findings``: a module
that has what `FindingsView` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from argue_eval._registry import load as load_plugin
from argue_eval.errors import Severity, count

if TYPE_CHECKING:
    from argue_eval.validation.runs import Checked


class FindingsView(Protocol):
    """What a view has."""

    def render(self, runs: Sequence[Checked], height: int | None) -> Iterator[str]:
        """Yield the lines for all checked runs.

        Args:
            height: how many lines there is room for; None to show everything.
        """


def load(name: str) -> FindingsView:
    """Import a view.

    Raises:
        UsageError: there is no view of this name.
    """
    return cast(FindingsView, load_plugin("outputs.findings", name, "--format"))


def verdict(run: Checked) -> str:
    """Summarize the result for a run, and the rules that it was checked against, in one line."""
    errors, warnings = run.num(Severity.ERROR), run.num(Severity.WARNING)
    parts = ["not ok" if errors else "ok", count(run.num_reports, run.track.layout.noun)]
    parts += [count(errors, "error")] if errors else []
    parts += [count(warnings, "warning")] if warnings else []
    guessed = " (no single track fits)" if run.track.name == "generic" else " (guessed)"
    guessed = guessed if run.is_guessed else ""
    track = f"checked against {run.track.name}{guessed}, revision {run.track.revision}"
    return f"{run.file}: {', '.join([*parts, track])}"
