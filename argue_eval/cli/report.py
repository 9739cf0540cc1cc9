"""``argue-eval report``: pages to look at, from a folder of scores."""

from pathlib import Path
from typing import Annotated

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, OUTPUT, param
from argue_eval.errors import UsageError


def report(
    folder: Annotated[str, param("DIR", "The folder that score -o wrote.", INPUT)],
    output: Annotated[str | None, param(
        "-o, --output FILE", "The HTML file to write, report.html by default; with --site the "
        "folder, report by default. - is stdout.", OUTPUT)] = None,
    site: Annotated[bool, param(
        "--site", "Write a folder of pages, for a track that is too large for one file.",
        OUTPUT)] = False,
    run: Annotated[str | None, param(
        "--run RUN", "Only this run, with the best and the median of the track and no name or "
        "text of another run.", INPUT)] = None,
    truth: Annotated[list[str] | None, param(
        "--truth FILE", "Assessors' judgments: adds a page that compares the judges with them. "
        "Repeatable.", INPUT)] = None,
    measures: Annotated[list[str] | None, param(
        "-m, --measure NAME", "Only this measure; runs are sorted by the first. Repeatable. "
        "Default: all that are no counts.", INPUT)] = None,
    force: Annotated[bool, param(
        "--force", "Show scores that were made in different ways; a note says what differs.",
        INPUT)] = False,
    title: Annotated[str, param(
        "--title TEXT", "What the pages are called. Default: the name of the folder.",
        OUTPUT)] = "",
) -> None:  # fmt: skip
    """Make pages that show the scores and what they rest on, offline and in one file.

    Example: argue-eval report scores -o report.html
    """
    from argue_eval.report.interface import report as write

    output = output or ("report" if site else "report.html")
    files = (str(each) for each in Path(folder).glob("*") if each.suffix != ".html")
    console.check_files([*files, *(truth or ())], o=output)
    if not site:
        console.check_page(output)
    if site and output == "-":
        raise UsageError("--site writes a folder: name it with -o DIR")
    with console.following() as (warnings, progress):
        warnings += write(
            folder,
            output,
            site=site,
            run=run,
            truth=truth or (),
            measures=measures or (),
            title=title,
            force=force,
            progress=progress,
        )
    if output != "-":
        console.note(f"open {output}{'/index.html' if site else ''} in a browser")
