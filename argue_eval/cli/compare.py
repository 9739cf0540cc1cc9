"""``argue-eval compare``: which systems differ, and how sure that is.

Annotations are not postponed here: see `argue_eval.cli.parameters`.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.parameters import INPUT, SCORING, argument, check_files, option, with_records


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Options:
    """How systems are compared, named as in `argue_eval.analysis.comparing.ComparisonOptions`."""

    HEADING: ClassVar = SCORING

    test: Annotated[str, option(
        "--test NAME", "t, randomization or wilcoxon: the paired test over topics.")] = "t"
    correction: Annotated[str, option(
        "--correction NAME", "holm, bh (Benjamini and Hochberg) or none: for testing many "
        "pairs.")] = "holm"
    interval: Annotated[str, option(
        "--interval NAME", "bca, studentized or normal.")] = "bca"
    num_resamples: Annotated[int, option(
        "--resamples N", "How often topics are resampled for the intervals.")] = 10_000
    level: Annotated[float, option(
        "--level P", "Level of significance; intervals cover 1 - P.")] = 0.05
    power: Annotated[float, option(
        "--power P", "For the number of topics that would be needed.")] = 0.8
    population: Annotated[int | None, option(
        "--population N", "How many topics there are in all, if no others are of interest: "
        "intervals of means get narrower.")] = None
    force: Annotated[bool, option(
        "--force", "Compare scores that were made in different ways or over different topics; a "
        "note says what differs.")] = False
    # fmt: on


@with_records
def compare(
    paths: Annotated[list[str], argument(
        "DIR|FILE...", "Folders that score -o wrote, or score files with values per topic.",
        INPUT)],
    options: Options,
    page: shared.Page,
    measure: Annotated[str | None, option(
        "-m, --measure NAME", "What systems are compared by. Default: the first measure.",
        SCORING)] = None,
    baseline: Annotated[str | None, option(
        "--baseline RUN", "Compare all other runs with this one, rather than all pairs.",
        SCORING)] = None,
) -> None:  # fmt: skip
    """Compare systems: intervals, paired tests, and groups that cannot be told apart.

    Example: argue-eval compare scores -m nugget_recall
    """
    from argue_eval.analysis.comparing import ComparisonOptions
    from argue_eval.analysis.comparing import compare as compared
    from argue_eval.report.comparison import FORMATS

    check_files(paths, o=page.output)
    render = page.choose(FORMATS)
    how = ComparisonOptions(**vars(options))
    with console.following() as (_, progress):
        found = compared(paths, measure, baseline=baseline, options=how, progress=progress)
    console.write(render(found), page.output)
