"""What a researcher types for pages: `report`, over scores or over the folder that has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from argue_eval.analysis.leaderboard import of_systems
from argue_eval.analysis.systems import check_scores, named_apart, of_table
from argue_eval.errors import Finding, MissingResourceError, Severity
from argue_eval.formats.files import listed, path_of
from argue_eval.report.folder import Folder

if TYPE_CHECKING:
    from argue_eval.analysis.systems import Scored
    from argue_eval.formats.processes import Progress

File = str | PathLike[str]


def report(
    scores: File | Mapping[str, Scored],
    output: File,
    *,
    site: bool = False,
    run: str | None = None,
    truth: Sequence[File] = (),
    measures: Sequence[str] = (),
    title: str = "",
    force: bool = False,
    progress: Progress | None = None,
) -> list[Finding]:
    """Writes pages about scored runs that open in any browser, offline, as ``argue-eval report``.

    Args:
        scores: what `argue_eval.score` returned, or a folder that ``score -o`` wrote.
        output: the HTML file to write; with `site`, the folder.
        site: a folder of pages instead of one file, for large tracks.
        run: pages about this run alone, which name no other run.
        truth: files of assessors' judgments: a page compares the judges with them.
        measures: by default all that are no counts; the first sorts the runs.
        title: what the pages are called; by default the name of the folder.
        force: show scores that were made in different ways; a note says what differs.
        progress: called with what is done, how much, and of how much.

    Returns:
        Warnings: what is no error in the files, and pages that open slowly.

    Raises:
        InputError: the folder is none that ``score -o`` wrote, or its files have errors.
        MissingResourceError: there is no such folder, or an optional package is missing.
        UsageError: a run or a measure is unknown, or the pages do not fit into one file.
    """
    try:
        from argue_eval.report import pages
    except ImportError as exc:
        message = f"{exc.name} is not installed: pip install 'argue-eval[report]'"
        raise MissingResourceError(message) from exc
    with TemporaryDirectory(prefix="argue-eval-") as temporary:
        if isinstance(scores, (str, PathLike)):
            folder = fspath(scores)
        else:
            check_scores(scores, "or the folder of score -o")
            folder, title = temporary, title or "Report"
            _keep(list(scores.values()), folder)
        track = pages.read(folder, measures, title=title, force=force, progress=progress)
        warnings: list[Finding] = []
        wanted = pages.Wanted(run, listed("truth", truth, may_be_empty=True), warnings)
        if not site:
            pages.write_file(track, path_of("output", output), wanted, progress)
            return warnings
        large = pages.write_site(track, path_of("output", output), wanted, progress)
    message = f"the page has more than {pages.MAX_BYTES:,} bytes"
    hint = "it opens slowly: leave runs or topics out"
    warnings += [
        Finding("large_page", message, hint, file, severity=Severity.WARNING) for file in large
    ]
    return warnings


def _keep(runs: Sequence[Scored], path: str) -> None:
    """Write the files of a folder of results, from which the pages are made."""
    with Folder(path) as folder:
        folder.name_files([each.table.run_id for each in runs])
        topics = {}
        cited: set[str] = set()
        for number, each in enumerate(runs):
            options = each.evidence[0].options._asdict() if each.evidence else {}
            cited |= folder.write_run(number, each, {"options": {**options, "weights": {}}})
            folder.add_run(number)
            topics.update({one.topic_id: one.topic for one in each.evidence})
        board = of_systems(named_apart(of_table(each.table) for each in runs))
        folder.finish(board, list(topics.values()), cited)
