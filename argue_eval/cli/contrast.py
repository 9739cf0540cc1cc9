"""What ``argue-eval meta-eval --contrast`` does: it asks a judge the probes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.pairs import Asking, show_forecast, with_itself
from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED


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
        from argue_eval.report.contrast import FORMATS, View

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
        console.write(render(View(found, with_itself(found.judgments))), page.output)
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
