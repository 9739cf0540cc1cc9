"""``argue-eval curate diff``: what changed between two versions of a bank.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import INPUT, SCORING, param
from argue_eval.cli.curate.banks import note_settled
from argue_eval.cli.curate.inputs import read_bank, read_runs
from argue_eval.errors import Finding, InputError, UsageError

if TYPE_CHECKING:
    from argue_eval.analysis.rescoring import Effect
    from argue_eval.curation.versions import BankDiff
    from argue_eval.records import ScoreTable, TopicNuggets

_LINES_BESIDE = 16


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Rescoring:
    """With what both versions are scored."""

    HEADING: ClassVar = SCORING

    runs: Annotated[list[str], param(
        "--run RUN", "Score this run with both versions. Repeatable.", INPUT)
    ] = field(default_factory=list)
    scores: Annotated[str | None, param(
        "--scores DIR", "Score the runs of a folder that score -o wrote, with the judgments that "
        "it has, instead of --run.", INPUT)] = None
    judgments: Annotated[list[str], param(
        "--judgments FILE", "Judgments, with which runs are scored. Repeatable.", INPUT)
    ] = field(default_factory=list)
    requests: Annotated[str | None, param(
        "--requests FILE", "The topics to average over.", INPUT)] = None
    collection: Annotated[list[str], param(
        "--collection FILE|irds:ID", "The texts of cited documents. Repeatable.", INPUT)
    ] = field(default_factory=list)
    measure: Annotated[str | None, param(
        "-m, --measure NAME", "What runs are ranked by. Default: the first measure.")] = None
    protocol: Annotated[str, param("--protocol NAME", "As in score.")] = "argue"
    judge: Annotated[str, param(
        "--judge NAME", "Answers what the judgments leave open; none leaves it unjudged.")] = "none"
    # fmt: on

    def check(self) -> None:
        """Check that it is clear what is scored.

        Raises:
            UsageError: it is not.
        """
        beside = self.runs or self.judgments or self.collection or self.requests
        if self.scores is not None and beside:
            raise UsageError("--scores DIR has runs, judgments and documents: name no others")
        if self.scores is not None and self.protocol != "argue":
            raise UsageError("--scores DIR has the protocol that it was scored with: name no other")
        is_given = beside or self.measure or self.judge != "none" or self.protocol != "argue"
        if is_given and not self.runs and self.scores is None:
            raise UsageError("options of scoring need runs to score: add --run RUN or --scores DIR")

    def effect(
        self, old: "Sequence[TopicNuggets]", new: "Sequence[TopicNuggets]"
    ) -> "Effect | None":
        """Score the runs with both versions; None without runs."""
        from argue_eval.analysis.rescoring import effect
        from argue_eval.evaluation.interface import score
        from argue_eval.evaluation.reopening import read_scores

        if self.scores is not None:
            folder = read_scores(self.scores, self.judge)

            def rescored(bank: "Sequence[TopicNuggets]") -> "dict[str, ScoreTable]":
                nuggets = {topic.topic_id: topic.nuggets for topic in bank}
                return {name: run.rescored(nuggets) for name, run in folder.items()}

            return effect(rescored(old), rescored(new), self.measure)
        if not self.runs:
            return None
        runs = read_runs(self.runs)
        before, after = (
            score(
                runs,
                bank,
                topics=self.requests,
                collection=self.collection,
                judgments=self.judgments,
                judge=self.judge,
                measures=[self.measure] if self.measure else (),
                protocol=self.protocol,
            )
            for bank in (old, new)
        )
        console.warn(after.warnings)
        was, now = ({name: run.table for name, run in each.items()} for each in (before, after))
        return effect(was, now, self.measure)


def diff(
    old: Annotated[str, param(
        "OLD", "The earlier version of a bank; or alone, a history (BANK.history.jsonl).", INPUT)],
    rescoring: Rescoring,
    page: shared.Page,
    new: Annotated[str | None, param("NEW", "The later version.", INPUT)] = None,
    version: Annotated[int | None, param(
        "--version N", "Of a history: the version to show. Default: the last.", INPUT,
        min=1)] = None,
) -> None:  # fmt: skip
    """Print what changed between two versions of a bank, and what that does to scores.

    Runs are scored with both versions from judgments. A new nugget that nobody judged leaves
    bounds, and never counts as missed.

    Example: argue-eval curate diff bank.json bank-2.json --run runs/a.jsonl --judgments qrels.jsonl
    """
    from argue_eval.curation import changes
    from argue_eval.report.bank_diff import FORMATS, View

    given = [old, new, rescoring.scores, *rescoring.runs, *rescoring.judgments, rescoring.requests]
    console.check_files([*given, *rescoring.collection], o=page.output)
    render = page.choose(FORMATS)
    rescoring.check()
    if new is None:
        found, effect = _of_history(old, version, rescoring), None
    else:
        if version is not None:
            raise UsageError("--version is of a history; two banks have their own versions")
        banks = read_bank(old), read_bank(new)
        found, effect = changes.diff(*banks), rescoring.effect(*banks)
    height = console.listing.room(_LINES_BESIDE, fewest=5) if page.output == "-" else None
    console.write(render(View(found, effect, height)), page.output)


def _of_history(path: str, version: int | None, rescoring: Rescoring) -> "BankDiff":
    """Read what a history says of a version."""
    from argue_eval.curation import versions

    if not versions.is_history(path):
        raise UsageError("curate diff compares two banks, OLD and NEW; or name one history alone")
    if rescoring.runs or rescoring.scores:
        raise UsageError("a history has no nuggets to score with: name two banks, OLD and NEW")
    note_settled(versions.bank_of(path))
    for place, line in reversed([*enumerate(versions.read_history(path), 1)]):
        try:
            found = versions.from_json(line)
        except (KeyError, TypeError, ValueError) as exc:
            hint = "restore the history as it was written"
            message = f"expected what changed in a version, found {exc!r}"
            raise InputError(Finding("broken_history", message, hint, path, place)) from exc
        if version in (None, found.new.number):
            return found
    raise UsageError(f"--version {version:,}: {path} has no such version")
