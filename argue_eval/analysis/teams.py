"""Which team a run is from, and what several teams have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from argue_eval.analysis.bootstrap import Floats
from argue_eval.errors import Finding, InputError, UsageError, shorten, some
from argue_eval.formats.checking import Check, text_lines
from argue_eval.formats.jsonl import Source

TEAM_ID, PREFIX, RUN = HOW = ("team_id", "prefix", "run")
"""Ways to find the team: as the run says, by the start of its id, or every run for itself."""

_SEPARATOR = re.compile(r"[-_.]")


def teams_of(runs: Iterable[tuple[str, str]], how: str = TEAM_ID) -> dict[str, str]:
    """The team of each run; a run without one is a team of its own.

    >>> teams_of([("a-1", "x"), ("a-2", "")]), teams_of([("a-1", "x"), ("a-2", "")], "prefix")
    ({'a-1': 'x', 'a-2': 'a-2'}, {'a-1': 'a', 'a-2': 'a'})

    Args:
        runs: pairs of run id and team id.
        how: one of `HOW`, or a file with a line ``run<TAB>team`` for every run.

    Raises:
        InputError: the file has no team for a run.
        UsageError: there is neither such a way nor such a file.
    """
    pairs = list(runs)
    if how == RUN:
        return {run_id: run_id for run_id, _ in pairs}
    if how == PREFIX:
        return {run_id: _SEPARATOR.split(run_id, maxsplit=1)[0] or run_id for run_id, _ in pairs}
    if how == TEAM_ID:
        return {run_id: team_id or run_id for run_id, team_id in pairs}
    if not Path(how).is_file():
        choices = ", ".join(HOW)
        raise UsageError(f"--teams: expected {choices} or a file, found {shorten(how)}")
    listed = _read(how)
    missing = [run_id for run_id, _ in pairs if run_id not in listed]
    if missing:
        message = f"no team for the {'runs' if len(missing) > 1 else 'run'} {some(missing)}"
        hint = "add a line for each run: its id, a tab, its team"
        raise InputError(Finding("missing_team", message, hint, how))
    return {run_id: listed[run_id] for run_id, _ in pairs}


def _read(path: str) -> Mapping[str, str]:
    check = Check(Source(path))
    found: dict[str, str] = {}
    with check.finishing():
        for line in text_lines(check):
            run_id, tab, team = line.partition("\t")
            if not tab or not run_id.strip() or not team.strip():
                message = f"expected run<TAB>team, found {shorten(line)}"
                check.error("missing_column", message, hint="separate run and team by one tab")
            if found.setdefault(run_id.strip(), team.strip()) != team.strip():
                message = f"the run {shorten(run_id.strip())} has two teams"
                check.error("duplicate_run", message, hint="keep one line for each run")
    return found


def are_shared(digests: Floats, teams: Sequence[str], sizes: Sequence[int]) -> Floats:
    """Of each digest, whether several teams have it.

    Args:
        teams: of each run; `sizes`: how many of the digests it has, one run after the other.
    """
    _, units = np.unique(digests, return_inverse=True)
    names, numbers = np.unique(teams, return_inverse=True)
    pairs = np.unique(units.astype(np.int64) * len(names) + np.repeat(numbers, sizes))
    return (np.bincount(pairs // len(names)) > 1)[units]
