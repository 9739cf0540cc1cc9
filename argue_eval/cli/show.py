"""``argue-eval show``: one report in the terminal, with its outcomes, citations and nuggets."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import ARGUMENTS, INPUT, only, param
from argue_eval.errors import MissingResourceError, UsageError, some, unknown_id

if TYPE_CHECKING:
    from argue_eval.evaluation.results import RunScores


def show(
    paths: Annotated[list[str], param(
        "RUN QRELS|DIR RUN", "A run and the nuggets; or the folder that score -o wrote, and one "
        "of its runs.", ARGUMENTS)],
    inputs: Annotated[shared.Inputs, only("requests", "collection", "judgments")],
    judging: Annotated[shared.Judging, only("judge", *shared.CALIBRATING)],
    scoring: Annotated[shared.Scoring, only("protocol", "reading", "citations", "attestation")],
    topic: Annotated[str | None, param(
        "--topic ID", "The topic. Default: the first.", INPUT)] = None,
) -> None:  # fmt: skip
    """Show a report: where its sentences end, what they cite, which nuggets it answers.

    Example: argue-eval show scores careful --topic ex1

    Example: argue-eval show runs/careful.jsonl qrels/example.json --topic ex1 --collection
    collection/example.jsonl
    """
    try:
        from argue_eval.report import terminal
    except ImportError as exc:
        message = f"{exc.name} is not installed: pip install 'argue-eval[report]'"
        raise MissingResourceError(message) from exc

    folders = [path for path in paths if _is_scored(path)]
    if len(paths) <= 2 and folders:
        others = [path for path in paths if path not in folders]
        scores = _kept(folders[0], others[0] if others else None)
    else:
        scores = _scored(paths, inputs, judging, scoring)
    topics = [each.topic_id for each in scores.evidence]
    wanted = topics[0] if topic is None and topics else topic or ""
    if wanted not in topics:
        raise unknown_id("topic", wanted, topics)
    has_colour = sys.stdout.isatty()
    width = get_terminal_size().columns
    console.write([terminal.shown(scores, wanted, width=width, has_colour=has_colour)])


def _is_scored(path: str) -> bool:
    """Whether it is a folder that score -o wrote."""
    return any(Path(path).glob("*.scores.jsonl"))


def _kept(folder: str, run_id: str | None) -> RunScores:
    from argue_eval.evaluation.reopening import read_scores

    found = read_scores(folder)
    if run_id is None:
        raise UsageError(f"name one of the runs in {folder}: {some(list(found), 20)}")
    if run_id not in found:
        raise unknown_id("run", run_id, list(found))
    return found[run_id]


def _scored(
    paths: list[str], inputs: shared.Inputs, judging: shared.Judging, scoring: shared.Scoring
) -> RunScores:
    from argue_eval.evaluation.pipeline import evaluate

    job = shared.job_of_one_run("show", paths, inputs, judging, scoring)
    with console.following() as (warnings, progress):
        (scores,) = evaluate(job, warnings, progress)
    return scores
