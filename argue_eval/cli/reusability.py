"""``argue-eval reusability``: how well a collection scores a team that did not take part."""

from typing import Annotated

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import INPUT, JUDGES, SCORING, param
from argue_eval.errors import unknown_name


def reusability(
    folder: Annotated[str, param("DIR", "A folder that score -o wrote.", INPUT)],
    page: shared.Page,
    measures: Annotated[list[str] | None, param(
        "-m, --measure NAME", "Only this measure; the first is shown by team. Repeatable. Default: "
        "all with values per topic that are no counts.", SCORING)] = None,
    teams: shared.Teams = "team_id",
    leaving: Annotated[str, param(
        "--leaving WHO", "Whose judgments leave with a team: people (a judge can be asked again), "
        "all, or none.", SCORING)] = "people",
    judge: Annotated[str, param(
        "--judge NAME", "Who answers what that leaves open: lexical, or none.",
        JUDGES)] = "lexical",
) -> None:  # fmt: skip
    """Leave out one team after the other and compare the rankings of the runs.

    Example: argue-eval reusability scores -m nugget_recall
    """
    from argue_eval.analysis.reusability import reusability as compared
    from argue_eval.evaluation.reopening import read_scores
    from argue_eval.report.reusability import FORMATS

    console.check_files([folder], o=page.output)
    render = page.choose(FORMATS)
    if judge not in ("lexical", "none"):
        raise unknown_name("--judge", judge, ("lexical", "none"))
    with console.following() as (_, progress):
        found = compared(
            read_scores(folder, judge), measures or (), teams=teams, leaving=leaving,
            progress=progress,
        )  # fmt: skip
    console.write(render(found), page.output)
