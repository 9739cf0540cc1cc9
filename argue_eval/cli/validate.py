"""``argue-eval validate``: runs against the rules of a track.

Annotations are not postponed here: Typer would have to evaluate them one by one.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from argue_eval.cli import options as shared

_MOST_PROCESSES = 4
"""More of them wait for the one that gathers what they find, and each takes memory."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from argue_eval.validation import Checked


def validate(
    paths: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Run files, plain or gzip. - is stdin.")
    ],
    track: Annotated[
        str | None,
        typer.Option("--track", metavar="NAME", help="See argue-eval list tracks. Default: guess."),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option("--rules", metavar="FILE", help="TOML that overrides a track's rules."),
    ] = None,
    requests: Annotated[
        str | None,
        typer.Option("--requests", metavar="FILE", help="Report requests: topics, limits, texts."),
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            "--collection", metavar="FILE|irds:ID", help="What may be cited: documents as JSON "
            "lines, ids (one a line), or an ir_datasets id. Repeatable.",
        ),
    ] = None,
    segmentation: Annotated[
        bool, typer.Option("--segmentation", help="Check that segments are sentences (slower).")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Turn warnings into errors.")] = False,
    show_all: Annotated[bool, typer.Option("--all", help="Show more than a screenful.")] = False,
    format_: Annotated[
        str, typer.Option("--format", metavar="NAME", help="text, json or github.")
    ] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:  # fmt: skip
    """Check runs against the rules of a track. Exit code 1 if there are errors.

    Example: argue-eval validate runs/*.jsonl --requests topics/example.jsonl
    """
    import os
    from shutil import get_terminal_size

    from argue_eval import _registry
    from argue_eval.cli import console
    from argue_eval.errors import EXIT_INPUT, EXIT_OK, Severity
    from argue_eval.validation import Job, check_runs

    shared.check_stdin([*paths, requests, *(collection or [])])
    view = _registry.load("outputs.findings", "json" if as_json else format_)
    num_processes = min(_MOST_PROCESSES, os.cpu_count() or 1)
    job = Job(track, rules, requests, collection or (), strict, segmentation, num_processes)
    progress = console.Progress()
    runs = list(check_runs(paths, job, progress))
    progress.clear()
    console.write(view.render(runs, None if show_all else get_terminal_size().lines))
    console.flush()
    for line in _unchecked(runs):
        console.note(line)
    has_errors = any(run.num(Severity.ERROR) for run in runs)
    raise typer.Exit(EXIT_INPUT if has_errors else EXIT_OK)


def _unchecked(runs: "Sequence[Checked]") -> list[str]:
    """Returns a line for each option that was not given and lets rules go unchecked."""
    rules: dict[str, dict[str, None]] = {}
    for run in runs:
        for code, option in run.unchecked.items():
            rules.setdefault(option, {})[code] = None
    return [f"not checked without {option}: {', '.join(codes)}" for option, codes in rules.items()]
