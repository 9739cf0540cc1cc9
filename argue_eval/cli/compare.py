"""``argue-eval compare``: which systems differ, and how sure that is."""

from typing import Annotated

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import INPUT, SCORING, param


def compare(
    paths: Annotated[list[str], param(
        "DIR|FILE...", "Folders that score -o wrote, or score files with values per topic.",
        INPUT)],
    options: shared.Comparing,
    page: shared.Page,
    measure: Annotated[str | None, param(
        "-m, --measure NAME", "What systems are compared by. Default: the first measure.",
        SCORING)] = None,
    baseline: Annotated[str | None, param(
        "--baseline RUN", "Compare all other runs with this one, rather than all pairs.",
        SCORING)] = None,
) -> None:  # fmt: skip
    """Compare systems: intervals, paired tests, and groups that cannot be told apart.

    Example: argue-eval compare scores -m nugget_recall
    """
    from argue_eval.analysis.comparing import ComparisonOptions
    from argue_eval.analysis.comparing import compare as compared
    from argue_eval.report.comparison import FORMATS

    console.check_files(paths, o=page.output)
    render = page.choose(FORMATS)
    how = ComparisonOptions(**vars(options))
    with console.following() as (_, progress):
        found = compared(paths, measure, baseline=baseline, options=how, progress=progress)
    console.write(render(found), page.output)
