"""What ``argue-eval meta-eval --contrast`` does: it asks a judge the probes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.pairs import Asking, show_forecast
from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED

if TYPE_CHECKING:
    from argue_eval.analysis.results import Panel
    from argue_eval.evaluation.probes import Contrast


@dataclass(frozen=True, slots=True)
class Probing:
    """A judge that is asked the probes, and how."""

    asking: Asking

    @classmethod
    def of(
        cls, judge: str, kinds: Sequence[str], judging: shared.Judging, models: shared.Models
    ) -> Probing:
        """Check what the user said.

        Raises:
            UsageError: there is no such judge, or an option makes no sense.
        """
        return cls(Asking.of((), [judge], kinds, judging, models))

    def run(self, page: shared.Page) -> int:
        """Ask the judge, print how it did, and return the exit code."""
        from argue_eval.evaluation.asking import OpenReasons
        from argue_eval.evaluation.contrasting import contrast
        from argue_eval.report.contrast import FORMATS

        render = page.choose(FORMATS)
        asking, reasons = self.asking, OpenReasons()
        limits = asking.settings.limits
        resume = f"Answers so far are in {asking.store}: run the same command again to continue."
        with (
            console.only_results_on_stdout(),
            console.interruptible(limits, resume if asking.store else ""),
            console.following() as (_, progress),
        ):
            found = contrast(
                asking.judges[0],
                kinds=asking.kinds,
                store=asking.store,
                settings=asking.settings,
                progress=progress,
                reasons=reasons,
            )
        console.write(render(found, _with_itself(found)), page.output)
        console.note_reasons(reasons)
        console.note_spent(limits, has_prices=bool(asking.settings.prices))
        if limits.is_halted and asking.store:
            console.note(resume)
        return EXIT_UNJUDGED if found.num_open else EXIT_OK

    def show_forecast(self) -> int:
        """Print what it would take, and return the exit code."""
        from argue_eval.evaluation.contrasting import forecast_contrast

        asking = self.asking
        show_forecast(
            forecast_contrast(
                asking.judges[0],
                kinds=asking.kinds,
                store=asking.store,
                settings=asking.settings,
            )
        )
        return EXIT_OK


def _with_itself(found: Contrast) -> Sequence[Panel]:
    """How the draws of a judge agree among themselves, by kind; empty if only one says anything."""
    from argue_eval.analysis.meta_evaluation import meta_eval

    draws = sorted({each.judge for each in found.judgments})
    if len(draws) < 2:
        return ()
    return meta_eval(found.judgments, inter_assessor=True, judges=draws).panels
