"""Checks runs against the rules of a track.

`validate` returns what is wrong with one run; `check_runs` checks several, and says what they were
checked against.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING

from argue_eval.errors import Finding, UsageError
from argue_eval.validation.runs import Checked, Job, Limits, check_runs

if TYPE_CHECKING:
    from argue_eval.formats.jsonl import Source
    from argue_eval.records import ReportRequest, Run

__all__ = ["Checked", "Job", "Limits", "check_runs", "validate"]


def validate(
    run: str | PathLike[str] | Run,
    track: str | None = None,
    *,
    topics: str | PathLike[str] | Sequence[ReportRequest] | None = None,
    collections: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    rules: str | PathLike[str] | None = None,
    is_strict: bool = False,
    is_segmented: bool = False,
) -> list[Finding]:
    """Checks a run; returns what is wrong with it, in file order.

    Args:
        run: a path, ``-`` being standard input; or a run that was read, of which the file is
            checked. One without a file is checked as it would be written.
        track: such as ``ragtime26``; None to guess it from the first report.
        topics: report requests or a file of them: topics, limits and narratives are checked.
        collections: files or ``irds:`` names of the documents that may be cited.
        rules: a file that overrides the track's rules, or describes a track of its own.
        is_strict: warnings become errors.
        is_segmented: compare segments with sentences, which loads spaCy.

    Raises:
        UsageError: there is no such track, or `run` is not one run.
        InputError: the requests, the collection or the rules have errors.
        MissingResourceError: there is no such file.
    """
    if isinstance(collections, (str, PathLike)):
        collections = [collections]
    job = Job(
        track=track,
        rules=None if rules is None else fspath(rules),
        topics=fspath(topics) if isinstance(topics, PathLike) else topics,
        collections=[fspath(each) for each in collections],
        is_strict=is_strict,
        is_segmented=is_segmented,
    )
    (checked,) = check_runs([_source(run)], job)
    return list(checked.findings)


def _source(run: str | PathLike[str] | Run) -> str | Source:
    from argue_eval.records import Run

    if isinstance(run, (str, PathLike)):
        return fspath(run)
    if not isinstance(run, Run):
        raise UsageError(f"validate checks one run, a file or a Run; found {type(run).__name__}")
    if run.source is not None:
        return run.source
    import io

    from argue_eval import formats
    from argue_eval.formats.jsonl import Source

    text = io.StringIO()
    formats.write_run(run.reports, text)
    return Source.of_bytes(run.run_id, text.getvalue().encode())
