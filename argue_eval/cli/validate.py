"""``argue-eval validate``: runs against the rules of a track.

Annotations are not postponed here: Typer would have to evaluate them one by one.
"""

from typing import Annotated

from argue_eval.cli import console
from argue_eval.cli.app import Strict, param
from argue_eval.errors import EXIT_INPUT, EXIT_OK

_MAX_PROCESSES = 4
"""More of them wait for the one that gathers what they find, and each takes memory."""


def validate(
    paths: Annotated[list[str], param(
        "RUN...", "Run files, plain or gzip, or folders of them. - is stdin.")],
    track: Annotated[str | None, param(
        "--track NAME", "See argue-eval list tracks. Default: the track that fits best.")] = None,
    rules: Annotated[str | None, param(
        "--rules FILE", "TOML that overrides rules of the track.")] = None,
    requests: Annotated[str | None, param(
        "--requests FILE", "Report requests, to check topics, limits and texts.")] = None,
    collection: Annotated[list[str] | None, param(
        "--collection FILE|irds:ID", "What may be cited: documents as JSON lines, ids (one a "
        "line), or an ir_datasets id. Repeatable.")] = None,
    segmentation: Annotated[bool, param(
        "--segmentation", "Check that segments are sentences (slower).")] = False,
    strict: Strict = False,
    format_: Annotated[str, param("--format NAME", "text, json or github.")] = "text",
    as_json: Annotated[bool, param("--json", "The same as --format json.")] = False,
) -> int:  # fmt: skip
    """Check runs against the rules of a track. Exit code 1 if there are errors.

    Example: argue-eval validate runs/*.jsonl --requests topics/example.jsonl
    """
    from argue_eval._registry import load
    from argue_eval.formats.files import sources
    from argue_eval.validation.runs import Job, check_runs

    console.check_files([*paths, requests, *(collection or [])])
    view = load("outputs.findings", "json" if as_json else format_, "--format")
    job = Job(
        track=track,
        rules=rules,
        topics=requests,
        collections=collection or (),
        is_strict=strict,
        is_segmented=segmentation,
        num_processes=_MAX_PROCESSES,
    )
    with console.following() as (warnings, progress):
        files = [source.name for source in sources(paths, "runs", warnings)]
        runs = list(check_runs(files, job, progress))
    console.write(view.render(runs, console.listing.room(0)))
    needs: dict[str, dict[str, None]] = {}
    for run in runs:
        for code, name in run.unchecked.items():
            needs.setdefault(name, {})[code] = None
    for name, codes in needs.items():
        console.note(f"not checked without {name}: {', '.join(codes)}")
    has_errors = any(run.num_errors for run in runs)
    return EXIT_INPUT if has_errors else EXIT_OK
