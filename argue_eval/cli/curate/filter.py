"""``argue-eval curate filter``: the claims that a model considers key points."""

from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Annotated

import typer

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, OUTPUT, SCORING, param
from argue_eval.cli.curate import inputs
from argue_eval.cli.curate.step import ModelName, Models, NuggetFile, Step, Work, open_step, write
from argue_eval.errors import UsageError

if TYPE_CHECKING:
    from argue_eval.curation.filter import Filtered


def _number(param: typer.CallbackParam, value: float) -> float:
    """Refuse nan, which a range of numbers lets pass.

    Raises:
        UsageError: the value of an option is nan.
    """
    if isnan(value):
        raise UsageError(f"{param.opts[0]}: expected a number, found {value}")
    return value


Threshold = Annotated[float, param(
    "--threshold P", "Keep claims with this score or more: the probability, according to the "
    "model, that it is a key point.", SCORING, min=0.0, max=1.0, callback=_number)]  # fmt: skip
LeftOut = Annotated[str | None, param(
    "--left-out FILE", "Write the other claims here.", OUTPUT)]  # fmt: skip


def filter_(
    nuggets: NuggetFile,
    model: ModelName,
    models: Models,
    requests: Annotated[str, param(
        "--requests FILE", "The questions that the claims should answer.", INPUT)],
    work: Work,
    threshold: Threshold = 0.7,
    left_out: LeftOut = None,
) -> int:  # fmt: skip
    """Keep the claims that a model considers key points.

    Example: argue-eval curate filter grouped.json --requests topics.jsonl --model llama-3-70b
    --threshold 0.7 -o kept.json --left-out rest.json
    """
    from argue_eval.curation import filter as filtering

    work.check([nuggets, requests, models.prices], left_out=left_out)
    topics = inputs.read_bank(nuggets)
    asked = inputs.read_asked(requests, topics, "claims are kept without a score")
    do = partial(filtering.filter_points, topics, asked, threshold=threshold)
    with open_step(model, models, work) as step:
        return finish(step.run(do), step, left_out)


def finish(found: "Filtered", step: Step, left_out: str | None) -> int:
    """Write what was kept, and what was not; choose the exit code."""
    if found.num_without_prob:
        console.note(
            f"warning: {found.num_without_prob:,} replies have no probability of yes: yes counts "
            "as 1, no as 0"
        )
    if left_out is not None:
        write(found.left_out, left_out)
    console.note(
        f"{found.num_kept:,} claims kept, {found.num_left_out:,} left out, "
        f"{found.num_unscored:,} kept without a score"
    )
    if not found.num_kept + found.num_left_out + found.num_unscored:
        console.note("warning: no nugget is a claim; questions are written as they are")
    return step.finish(found.kept)
