"""What ``argue-eval meta-eval`` does for --pairs and --contrast: it asks the judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.judging import asking, note_reasons, note_work
from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED, Finding, InputError, count
from argue_eval.report.table_text import Cells, aligned

if TYPE_CHECKING:
    from argue_eval.analysis.results import Panel
    from argue_eval.evaluation.pairs import JudgedPairs
    from argue_eval.judges import Settings
    from argue_eval.records import Judgment

_HEAD = ("judge", "pairs", "asks", "stored", "to ask", "calls", "tokens in", "tokens out", "price")


@dataclass(frozen=True, slots=True)
class Asking:
    """The judges that are asked about pairs, or a judge about the probes; and how."""

    pairs: Sequence[str]
    judges: Sequence[str]
    kinds: Sequence[str]
    store: str | None
    settings: Settings

    @classmethod
    def of(
        cls,
        pairs: Sequence[str],
        judges: Sequence[str],
        kinds: Sequence[str],
        judging: shared.Judging,
        models: shared.Models,
    ) -> Asking:
        """Check what the user said.

        Raises:
            UsageError: there is no such judge, or an option makes no sense.
        """
        from argue_eval.evaluation.judging import JudgeNames

        judges = list(dict.fromkeys(judges or ["lexical"]))
        store = judging.store
        names = [JudgeNames.of(name) for name in judges]
        if any(each.is_costly() for each in names):
            store = store or shared.DEFAULT_STORE
        stages = [stage for each in names for stage in each.all_stages()]
        settings = shared.make_settings(models, stages, judging)
        return cls(pairs, judges, kinds, store, settings)

    @property
    def how(self) -> dict[str, Any]:
        """What all that asks is given."""
        return {"kinds": self.kinds, "store": self.store, "settings": self.settings}

    @property
    def resume(self) -> str:
        """How to go on after a stop; an empty text where no answer is kept."""
        kept = f"Answers so far are in {self.store}: run the same command again to continue."
        return kept if self.store else ""

    @contextmanager
    def at_work(self) -> Iterator[tuple[list[Finding], console.Progress | None]]:
        """Let the user stop the judges, and show how far they are."""
        with asking(self.settings.limits, self.resume), console.following() as followed:
            yield followed

    def judge(self) -> JudgedPairs:
        """Ask the judges, and say what they left open."""
        from argue_eval.evaluation.pairs import judge_pairs

        with self.at_work() as (warnings, progress):
            found = judge_pairs(
                self.pairs, self.judges, **self.how, warnings=warnings, progress=progress
            )
        note_reasons(found.open_reasons)
        note_work(self.settings, found.num_asks)
        return found

    def probe(self, page: shared.Page) -> int:
        """Ask the judge the probes, print how it did, and return the exit code."""
        from argue_eval.evaluation.asking import NumAsks, OpenReasons
        from argue_eval.evaluation.contrasting import contrast
        from argue_eval.report.contrast import FORMATS, View

        render, reasons = page.choose(FORMATS), OpenReasons()
        with self.at_work() as (_, progress):
            found = contrast(self.judges[0], **self.how, progress=progress, reasons=reasons)
        console.write(render(View(found, with_itself(found.judgments))), page.output)
        note_reasons(reasons)
        note_work(self.settings, NumAsks())
        if self.settings.limits.halted and self.store:
            console.note(self.resume)
        return EXIT_UNJUDGED if found.num_open else EXIT_OK

    def show_forecast(self) -> None:
        """Print what it would take the judges to answer the questions."""
        from argue_eval.evaluation.contrasting import forecast_contrast
        from argue_eval.evaluation.pairs import forecast_pairs

        with console.following() as (warnings, _):
            if self.pairs:
                found = forecast_pairs(self.pairs, self.judges, **self.how, warnings=warnings)
            else:
                found = forecast_contrast(self.judges[0], **self.how)
        rows: list[Cells] = []
        for each in found:
            asks = (each.num_pairs, each.num_asks, each.num_stored)
            price = "-" if each.cost is None else f"{each.cost:.2f}"
            rows.append((each.judge, *asks, each.num_asks - each.num_stored, *each.load, price))
        console.write(aligned(_HEAD, rows))

    def with_itself(self, judged: JudgedPairs, num_resamples: int) -> tuple[Panel, ...]:
        """How each judge that was asked several times agrees with itself."""
        return tuple(panel for draws in judged.draws for panel in with_itself(draws, num_resamples))

    def exit_code(self, judged: JudgedPairs) -> int:
        """Say how many questions a judge failed on or was not asked, and tell the exit code."""
        num_open = judged.num_asks.total_of("failed") + judged.num_asks.total_of("skipped")
        if num_open:
            have = count(num_open, "question has", "questions have")
            console.note(f"{have} no answer (exit code 4)")
        return EXIT_UNJUDGED if num_open else EXIT_OK


def with_itself(draws: Sequence[Judgment], num_resamples: int = 1000) -> tuple[Panel, ...]:
    """How the draws of a judge agree among themselves, by kind, where two answer the same."""
    from argue_eval.analysis.agreement import meta_eval

    names = sorted({each.judge for each in draws})
    if len(names) < 2:
        return ()
    try:
        found = meta_eval(draws, inter_assessor=True, judges=names, num_resamples=num_resamples)
    except InputError:  # no question has two answers
        return ()
    return found.panels
