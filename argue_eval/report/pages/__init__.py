"""Report pages: what came of scoring, for people to look at, offline and in one file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import Finding, MissingResourceError, UsageError
from argue_eval.formats.jsonl import atomic_writer
from argue_eval.formats.processes import Progress, num_usable, side_by_side
from argue_eval.report.pages import judges, nuggets, run, topic, track
from argue_eval.report.pages.model import Track, read
from argue_eval.report.pages.rendering import Book, Entry, Links, Page

__all__ = ["MAX_BYTES", "Track", "Wanted", "read", "write_file", "write_site"]

MAX_BYTES = 5_000_000
"""What browsers open swiftly. A track that does not fit into one file makes a site."""


_MANY = 40
"""From so many pages on, several processes write them."""
_MAX_PROCESSES = 2
"""Each takes about 300 MB for a large track."""


class _Planned(NamedTuple):
    entry: Entry
    make: Callable[[], Page]


class Wanted(NamedTuple):
    """Which pages are made.

    Attributes:
        only: the run that they are about; no other run is named in them.
        truth: files of assessors' judgments, with which the judges are compared.
        warnings: what is found in these files that is no error is added.
    """

    only: str | None
    truth: Sequence[str]
    warnings: list[Finding]


def write_file(
    track_: Track, target: str, wanted: Wanted, progress: Progress | None = None
) -> None:
    """Writes all pages of a track into one file.

    Raises:
        InputError: a file of the truth has errors.
        UsageError: there is no such run, or the file would be too large.
        MissingResourceError: the file cannot be written.
    """
    planned = _plan(track_, wanted, progress)
    pages, size = [], 0
    book = _book(track_, planned, is_site=False)
    for number, each in enumerate(planned):
        if progress:
            progress("pages", number, len(planned))
        pages.append(book.section(each.make()))
        size += len(pages[-1].encode())
        if size > MAX_BYTES:
            raise UsageError(
                f"one file would have more than {MAX_BYTES:,} bytes: add --site for a folder of "
                "pages, or --run RUN for the pages of one run"
            )
    with atomic_writer(target) as stream:
        stream.writelines(book.file(pages))


def write_site(
    track_: Track, folder: str, wanted: Wanted, progress: Progress | None = None
) -> list[str]:
    """Writes the pages of a track into a folder, a file each; ``index.html`` is the first.

    Returns:
        The files that are larger than `MAX_BYTES`.

    Raises:
        InputError, UsageError, MissingResourceError: as `write_file`.
    """
    planned = _plan(track_, wanted, progress)
    book = _book(track_, planned, is_site=True)
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise MissingResourceError(f"{folder}: cannot be made: {exc.strerror}") from exc

    def work(each: _Planned) -> str:
        file = path / book.links.file(each.entry.name)
        with atomic_writer(file) as stream:
            stream.writelines(book.file([book.section(each.make())]))
        return str(file) if file.stat().st_size > MAX_BYTES else ""

    num_processes = min(_MAX_PROCESSES, num_usable()) if len(planned) >= _MANY else 1
    done = side_by_side(planned, work, num_processes) if num_processes > 1 else map(work, planned)
    large = []
    for number, file in enumerate(done):
        if progress:
            progress("pages", number, len(planned))
        large += [file] if file else []
    return large


def _plan(track_: Track, wanted: Wanted, progress: Progress | None) -> list[_Planned]:
    runs = track_.runs if wanted.only is None else [track_.run(wanted.only)]
    planned = []
    if wanted.only is None:
        made_track = partial(track.page, track_, has_judges=bool(wanted.truth))
        planned.append(_Planned(Entry("track", "Track", ""), made_track))
    for each in runs:
        entry = Entry(f"run-{each.stem}", each.run_id, "Runs")
        planned.append(_Planned(entry, partial(run.page, track_, each)))
    for topic_id in track_.topic_ids:
        request = track_.requests.get(topic_id)
        label = f"{topic_id} {request.title}" if request and request.title else topic_id
        stem = track_.stems[topic_id]
        entry = Entry(f"topic-{stem}", label, "Topics")
        planned.append(_Planned(entry, partial(topic.page, track_, topic_id, runs)))
        entry = Entry(f"nuggets-{stem}", f"Nuggets of {topic_id}", "")
        planned.append(_Planned(entry, partial(nuggets.page, track_, topic_id, runs)))
    if wanted.truth:
        made = judges.page(track_, runs, wanted.truth, wanted.warnings, progress)
        planned.append(_Planned(Entry("judges", "Judges", ""), lambda: made))
    return planned


def _book(track_: Track, planned: Sequence[_Planned], *, is_site: bool) -> Book:
    first = planned[0].entry.name
    return Book(
        title=track_.title,
        version=track_.runs[0].about.argue_eval,
        links=Links(is_site, first),
        menu=[each.entry for each in planned],
    )
