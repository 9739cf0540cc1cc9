"""Checks runs against the rules of a track.

`validate` returns what is wrong with runs; `runs.check_runs` also what they were checked against.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any

from argue_eval.errors import Finding, UsageError

if TYPE_CHECKING:
    from argue_eval.formats.jsonl import Source
    from argue_eval.records import Document, ReportRequest, Run

File = str | PathLike[str]


def validate(
    runs: File | Run | Iterable[File | Run],
    track: str | None = None,
    *,
    topics: File | Iterable[File | ReportRequest] | None = None,
    collection: File | Iterable[File | Document] = (),
    rules: File | None = None,
    is_strict: bool = False,
    is_segmented: bool = False,
) -> list[Finding]:
    """Checks runs; returns what is wrong with them, in file order.

    Args:
        runs: a file, a pattern, a folder or a run that was read, of which the file is checked; or
            several. A run without a file is checked as it would be written.
        track: such as ``ragtime26``; None to guess it from the first report.
        topics: report requests or files of them: topics, limits and narratives are checked.
        collection: the documents that may be cited: records, files of them, or ``irds:`` names.
        rules: a file that overrides the track's rules, or describes a track of its own.
        is_strict: warnings become errors.
        is_segmented: compare segments with sentences, which loads spaCy.

    Raises:
        UsageError: there is no such track, or something is not a run.
        InputError: the requests, the collection or the rules have errors.
        MissingResourceError: there is no such file.
    """
    from argue_eval.formats.files import listed, path_of
    from argue_eval.records import Document, ReportRequest, Run
    from argue_eval.validation.runs import Job, check_runs

    if not isinstance(track, (str, type(None))):
        raise UsageError(f"track: expected a name, such as ragtime26, found {track!r}")
    requests = None
    if topics is not None:
        from argue_eval.formats import read_topics

        given = listed("topics", topics, ReportRequest)
        requests = [each for each in given if not isinstance(each, str)]
        requests += read_topics([each for each in given if isinstance(each, str)])
    job = Job(
        track=track,
        rules=None if rules is None else path_of("rules", rules),
        topics=requests,
        collections=_collections(listed("collection", collection, Document, may_be_empty=True)),
        is_strict=is_strict,
        is_segmented=is_segmented,
    )
    found: list[Finding] = []
    sources = [source for each in listed("runs", runs, Run) for source in _sources(each, found)]
    for checked in check_runs(sources, job):
        found += checked.findings
    return found


def _collections(given: list[Any]) -> list[str | Source]:
    """The files; and the ids of documents that were read."""
    from argue_eval.formats.jsonl import Source

    files: list[str | Source] = [each for each in given if isinstance(each, str)]
    ids = "".join(f"{each.doc_id}\n" for each in given if not isinstance(each, str))
    return [*files, Source.of_bytes("collection", ids.encode())] if ids else files


def _sources(run: str | Run, warnings: list[Finding]) -> list[str | Source]:
    from argue_eval.formats.files import sources

    if isinstance(run, str):
        return [source.name for source in sources(run, "runs", warnings)]
    if run.source is not None:
        return [run.source]
    import io

    from argue_eval.formats import write_run
    from argue_eval.formats.jsonl import Source

    text = io.StringIO()
    write_run(run.reports, text)
    return [Source.of_bytes(run.run_id, text.getvalue().encode())]
