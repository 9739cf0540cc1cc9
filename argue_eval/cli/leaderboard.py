"""``argue-eval leaderboard``: runs by measures, from scores that were written."""

from functools import partial
from typing import Annotated

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import INPUT, OUTPUT, param, without
from argue_eval.errors import UsageError


def leaderboard(
    paths: Annotated[list[str], param(
        "DIR|FILE...", "Folders that score -o wrote, or score files.", INPUT)],
    options: Annotated[shared.Comparing, without("power")],
    measures: Annotated[list[str] | None, param(
        "-m, --measure NAME", "Only this measure; runs are sorted by the first. Repeatable. "
        "Default: all that are no counts.", INPUT)] = None,
    no_intervals: Annotated[bool, param(
        "--no-intervals", "Show values and ranks alone, without intervals and tests.",
        OUTPUT)] = False,
    topics: Annotated[bool, param(
        "--topics", "Print the best, the median and the worst value of each topic instead of "
        "runs.", OUTPUT)] = False,
    run: Annotated[str | None, param(
        "--run RUN", "With --topics: show the values of this run beside them.", OUTPUT)] = None,
    anonymous: Annotated[bool, param(
        "--anonymous", "Show codes instead of run names. Which code is which run stands in the "
        "file FILE.key beside the file of -o; its codes are used again.", OUTPUT)] = False,
    format_: Annotated[str, param(
        "--format NAME", "text, markdown, latex, html, tsv, csv or json. tsv, csv and json have "
        "bounds, intervals and ranks. Or one of AutoJudge's, with values by topic too: tot, "
        "ir_measures or jsonl.", OUTPUT)] = "text",
    as_json: Annotated[bool, param("--json", "The same as --format json.", OUTPUT)] = False,
    output: Annotated[str, param(
        "-o, --output FILE", "The file to write. - is stdout.", OUTPUT)] = "-",
) -> None:  # fmt: skip
    """Tabulate runs by measures, with intervals over topics and ranks.

    Example: argue-eval leaderboard scores -m argue_f1 -m nugget_recall --format markdown
    """
    from argue_eval.analysis import leaderboard as boards
    from argue_eval.analysis.comparing import ComparisonOptions
    from argue_eval.report import leaderboard as views

    if run is not None and not topics:
        raise UsageError("--run goes with --topics")
    if anonymous and output == "-":
        raise UsageError("--anonymous needs -o FILE: the names are kept in FILE.key beside it")
    console.check_files(paths, o=output)
    page = shared.Page(format_=format_, as_json=as_json, output=output)
    as_runs = page.choose(views.FORMATS)
    as_topics = page.choose(views.TOPIC_FORMATS) if topics else None
    if as_runs is views.as_text and output == "-":
        as_runs = partial(views.as_text, width=console.width())
    how = ComparisonOptions(**vars(options))
    has_intervals = not (no_intervals or topics or format_ in views.OF_AUTOJUDGE)
    with console.following() as (_, progress):
        found = boards.leaderboard(
            paths, measures or (), options=how, has_intervals=has_intervals, progress=progress
        )
        spreads = boards.by_topic(found, run) if topics else []
    if anonymous:
        names = views.codes(sorted(found.run_ids), f"{output}.key")
        found, run = found.renamed(names), names[run] if run else None
    console.write(as_topics(spreads, run) if as_topics else as_runs(found), output)
