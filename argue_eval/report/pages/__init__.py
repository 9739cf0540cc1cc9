"""Report pages: what came of scoring, for people to look at, offline and in one file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import Finding, MissingResourceError, UsageError
from argue_eval.formats.jsonl import atomic_writer
from argue_eval.formats.processes import Progress, num_usable, side_by_side
from argue_eval.report.pages import judges, nuggets, run, topic, track
from argue_eval.report.pages.model import Track, read
from argue_eval.report.pages.rendering import Book, Page

__all__ = ["MAX_BYTES", "Track", "Wanted", "read", "write_file", "write_site"]

MAX_BYTES = 5_000_000
"""What browsers open swiftly. A track that does not fit into one file makes a site."""


_MANY = 40
"""From so many pages on, several processes write them."""
_MAX_PROCESSES = 2
"""Each takes about 300 MB for a large track."""


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
    book = _book(track_, wanted, progress, is_site=False)
    sections, size = [], 0
    for number, each in enumerate(book.pages):
        if progress:
            progress("pages", number, len(book.pages))
        sections.append(book.section(each))
        size += len(sections[-1].encode())
        if size > MAX_BYTES:
            raise UsageError(
                f"one file would have more than {MAX_BYTES:,} bytes: add --site for a folder of "
                "pages, or --run RUN for the pages of one run"
            )
    with atomic_writer(target) as stream:
        stream.writelines(book.file(sections))


def write_site(
    track_: Track, folder: str, wanted: Wanted, progress: Progress | None = None
) -> list[str]:
    """Writes the pages of a track into a folder, a file each; ``index.html`` is the first.

    Returns:
        The files that are larger than `MAX_BYTES`.

    Raises:
        InputError, UsageError, MissingResourceError: as `write_file`.
    """
    book = _book(track_, wanted, progress, is_site=True)
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise MissingResourceError(f"{folder}: cannot be made: {exc.strerror}") from exc

    def work(each: Page) -> str:
        file = path / book.file_name(each.name)
        with atomic_writer(file) as stream:
            stream.writelines(book.file([book.section(each)]))
        return str(file) if file.stat().st_size > MAX_BYTES else ""

    pages = book.pages
    num_processes = min(_MAX_PROCESSES, num_usable()) if len(pages) >= _MANY else 1
    done = side_by_side(pages, work, num_processes) if num_processes > 1 else map(work, pages)
    large = []
    for number, file in enumerate(done):
        if progress:
            progress("pages", number, len(pages))
        large += [file] if file else []
    return large


def _book(track_: Track, wanted: Wanted, progress: Progress | None, *, is_site: bool) -> Book:
    runs = track_.runs if wanted.only is None else [track_.run(wanted.only)]
    pages = []
    if wanted.only is None:
        make = partial(track.values, track_, has_judges=bool(wanted.truth))
        pages.append(Page("track", "Track", "", make))
    for each in runs:
        make = partial(run.values, track_, each)
        pages.append(Page(f"run-{each.stem}", each.run_id, "Runs", make))
    for topic_id in track_.topic_ids:
        request, stem = track_.requests.get(topic_id), track_.stems[topic_id]
        label = f"{topic_id} {request.title}" if request and request.title else topic_id
        make = partial(topic.values, track_, topic_id, runs)
        pages.append(Page(f"topic-{stem}", label, "Topics", make))
        make = partial(nuggets.values, track_, topic_id, runs)
        pages.append(Page(f"nuggets-{stem}", f"Nuggets of {topic_id}", "", make))
    if wanted.truth:
        made = judges.values(track_, runs, wanted.truth, wanted.warnings, progress)
        pages.append(Page("judges", "Judges", "", lambda: made))
    return Book(track_.title, track_.runs[0].about.argue_eval, pages, is_site)
