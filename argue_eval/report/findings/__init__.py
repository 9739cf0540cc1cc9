"""Views of findings, a file each: what ``validate --format`` can name.

Third parties add a view with an entry point in the group ``argue_eval.outputs.findings``: a module
that has what `FindingsView` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from argue_eval.validation.runs import Checked


class FindingsView(Protocol):
    """What a view has."""

    def render(self, runs: Sequence[Checked], height: int | None) -> Iterator[str]:
        """Yield the lines for all checked runs.

        Args:
            height: how many lines there is room for; None to show everything.
        """
