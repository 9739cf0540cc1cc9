"""Help: complete under headings, and one screen of common options without arguments."""

from dataclasses import dataclass, field
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from argue_eval.cli.app import JUDGES, SCORING, command, only, param, without
from tests.cli.conftest import Command

HEADINGS = ["Input:", "Judges:", "Models:", "Scoring:", "Output:"]


@pytest.mark.parametrize("name", ["score", "judge"])
def test_without_arguments_one_screen_shows_the_common_options(
    argue_eval: Command, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = argue_eval(name)
    lines = (ran.out or ran.err).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line in HEADINGS] == HEADINGS
    assert lines[-1] == f"All options: argue-eval {name} --help"


@pytest.mark.parametrize("name", ["score", "judge"])
def test_help_has_every_option_under_its_heading(argue_eval: Command, name: str) -> None:
    brief, full = argue_eval(name), argue_eval(f"{name} --help").out
    assert [line for line in full.splitlines() if line in HEADINGS] == HEADINGS
    shown = (brief.out or brief.err).splitlines()
    names = [line.split()[0] for line in shown if line.startswith("  ")]
    assert all(each in full for each in names)
    judges = full.split("Judges:\n")[1].split("\n\n")[0]
    assert [line.split()[0] for line in judges.splitlines() if line.startswith("  -")] == [
        "--judge", "--support-judge", "--nugget-judge", "--sentence-judge", "--store",
        "--calibration", "--sure", "--agreement",
    ]  # fmt: skip
    assert full.index("--executor") < full.index("Scoring:") < full.index("--covers")


@dataclass(frozen=True, kw_only=True)
class Colours:
    """Two options, one of which must be given, under the heading of judges."""

    HEADING = JUDGES

    red: Annotated[int, param("-r, --red N", "How red.")]
    blue: Annotated[list[str], param("--blue NAME", "How blue.", SCORING)] = field(
        default_factory=list
    )


def test_a_command_gets_the_records_that_it_names_whole_or_in_part() -> None:
    app = typer.Typer(rich_markup_mode=None)
    taken: list[object] = []

    @command(app, "whole")
    def whole(colours: Colours, more: Annotated[int, param("--more N", "More.")] = 0) -> None:
        taken.append((colours, more))

    @command(app, "part")
    def part(colours: Annotated[Colours, only("red")]) -> None:
        taken.append(colours)

    @command(app, "rest")
    def rest(colours: Annotated[Colours, without("blue")]) -> None:
        """Take the rest."""

    run = CliRunner().invoke
    assert run(app, "whole -r 1 --blue a --blue b --more 2").exit_code == 0
    assert run(app, "part --red 3").exit_code == 0
    assert taken == [(Colours(red=1, blue=["a", "b"]), 2), Colours(red=3)]
    for line in ("whole --more 2", "part -r 1 --blue a", "rest -r 1 --blue a"):
        assert run(app, line).exit_code == 2, line
    shown = run(app, "whole --help").output
    assert shown.index("Judges:") < shown.index("--red") < shown.index("Scoring:")
    assert shown.index("Scoring:") < shown.index("--blue") < shown.index("Options:")
