"""Runs by measures, with intervals and ranks; and each topic's best, median and worst value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, isclose
from statistics import median
from typing import NamedTuple

from argue_eval.analysis.comparing import (
    ComparisonOptions,
    File,
    Progress,
    check_signatures,
    compare_systems,
    systems_of,
)
from argue_eval.analysis.scores import ScoredRun, System
from argue_eval.errors import UsageError, unknown_name
from argue_eval.formats.scores import ALL
from argue_eval.records import MeasureValue


class Entry(NamedTuple):
    """One run by one measure.

    Attributes:
        average: over topics; it has bounds and no value where missing judgments leave it open.
        interval: over topics; None for what is no mean over them, or is open.
        rank: 1 is the best, equal values share a rank; None where a value is open.
        ranks: the best and the worst rank that the tests, or the bounds, allow; None for what is
            no mean over topics.
    """

    average: MeasureValue
    interval: tuple[float, float] | None
    rank: int | None
    ranks: tuple[int, int] | None


@dataclass(frozen=True)
class Leaderboard:
    """Runs by measures, the best run first.

    Attributes:
        sort_key: what the runs are sorted by: the first measure, or its lower bound.
        entries: by run and measure; a run without a measure has no entry.
        signatures: how the scores were made, each once.
    """

    run_ids: Sequence[str]
    measures: Sequence[str]
    sort_key: str
    entries: Mapping[str, Mapping[str, Entry]]
    notes: Sequence[str]
    signatures: Sequence[str]
    systems: Sequence[System]

    def best(self, measure: str) -> set[str]:
        """The runs with the greatest value; empty if any value is open."""
        found = {run_id: each.get(measure) for run_id, each in self.entries.items()}
        return {run_id for run_id, entry in found.items() if entry and entry.rank == 1}

    def renamed(self, names: Mapping[str, str]) -> Leaderboard:
        """The same leaderboard with other names of the runs."""
        return replace(
            self,
            run_ids=[names[run_id] for run_id in self.run_ids],
            entries={names[run_id]: each for run_id, each in self.entries.items()},
            systems=[each._replace(run_id=names[each.run_id]) for each in self.systems],
        )


class TopicSpread(NamedTuple):
    """What the runs reach on one topic.

    Attributes:
        own: the value of the run that was asked about.
        num_runs: how many runs have a value.
    """

    topic_id: str
    measure: str
    best: float
    median: float
    worst: float
    num_runs: int
    own: float | None = None


def build(
    scores: Mapping[str, ScoredRun] | File | Sequence[File],
    measures: Sequence[str] = (),
    options: ComparisonOptions | None = None,
    progress: Progress | None = None,
) -> Leaderboard:
    """Builds the leaderboard of runs that were scored.

    Args:
        scores: what `argue_eval.score` returned, or files, as for `comparing.compare`.
        measures: by default all that are no counts.
        options: tests, corrections and intervals.
        progress: called with what is done, how much, and of how much.

    Raises:
        InputError: a file has errors, or the scores were not made in the same way.
        UsageError: a measure is unknown.
    """
    options = options or ComparisonOptions()
    systems = systems_of(scores)
    notes = list(check_signatures(systems, options))
    averages = {name: _averages(systems, name) for name in _known(systems)}
    known = {name: rows for name, rows in averages.items() if rows}
    for name in measures:
        if name not in known:
            raise unknown_name("measure", name, known)
    chosen = list(measures) or [
        name for name, rows in known.items() if not any(row.is_count for row in rows.values())
    ]
    if not chosen:
        raise UsageError("the files have no averages: name folders of score -o, or score files")
    entries: dict[str, dict[str, Entry]] = {each.run_id: {} for each in systems}
    for name in chosen:
        for run_id, entry in _ranked(name, known[name], systems, options, progress).items():
            entries[run_id][name] = entry
    rows = known[chosen[0]]
    is_open = any(row.is_bounded for row in rows.values())
    return Leaderboard(
        run_ids=sorted(entries, key=lambda run_id: -_key(rows.get(run_id))),
        measures=chosen,
        sort_key=f"the lower bound of {chosen[0]}" if is_open else chosen[0],
        entries=entries,
        notes=notes,
        signatures=list(dict.fromkeys(each.signature for each in systems if each.signature)),
        systems=systems,
    )


def _known(systems: Sequence[System]) -> list[str]:
    names = dict.fromkeys(name for each in systems for name in each.rows)
    return [name for name in names if not name.startswith("num_")]


def _key(row: MeasureValue | None) -> float:
    return -1.0 if row is None else round(row.lower, 12)


def _averages(systems: Sequence[System], measure: str) -> dict[str, MeasureValue]:
    """Each run's average: as its file has it; the mean over topics where a file has no averages."""
    found = {}
    for system in systems:
        rows = system.rows.get(measure, {})
        if ALL in rows:
            found[system.run_id] = rows[ALL]
        elif rows and not any(ALL in each for each in system.rows.values()):
            found[system.run_id] = _mean(measure, list(rows.values()))
    return found


def _mean(measure: str, rows: Sequence[MeasureValue]) -> MeasureValue:
    ends = [
        fsum(each) / len(rows)
        for each in zip(*((row.lower, row.upper) for row in rows), strict=True)
    ]
    values = [0.0 if row.is_undefined else row.value for row in rows]
    known = [value for value in values if value is not None]
    value = fsum(known) / len(known) if len(known) == len(values) else None
    return MeasureValue(measure, ALL, value, ends[0], ends[1])


def _ranked(
    measure: str,
    averages: Mapping[str, MeasureValue],
    systems: Sequence[System],
    options: ComparisonOptions,
    progress: Progress | None,
) -> dict[str, Entry]:
    rows = averages.values()
    if any(row.is_bounded for row in rows):
        lowers, uppers = sorted(row.lower for row in rows), sorted(row.upper for row in rows)
        return {
            run_id: Entry(
                row,
                interval=None,
                rank=None,
                ranks=(
                    1 + len(rows) - bisect_right(lowers, row.upper),
                    len(rows) - bisect_left(uppers, row.lower),
                ),
            )
            for run_id, row in averages.items()
        }
    values = {run_id: round(row.value or 0.0, 12) for run_id, row in averages.items()}
    ordered = sorted(values.values())
    found = {
        run_id: Entry(row, None, 1 + len(ordered) - bisect_right(ordered, values[run_id]), None)
        for run_id, row in averages.items()
    }
    own = [each for each in systems if each.run_id in averages]
    base = measure.removesuffix("_macro")
    if len(own) < 2 or not all(_is_mean(each, base, averages[each.run_id]) for each in own):
        return found
    compared = compare_systems(own, base, None, options, progress)
    for place in compared.systems():
        lower, upper = place.mean.lower, place.mean.upper
        interval = None if lower is None or upper is None else (lower, upper)
        found[place.run_id] = found[place.run_id]._replace(interval=interval, ranks=place.ranks)
    return found


def _is_mean(system: System, measure: str, average: MeasureValue) -> bool:
    values = system.values(measure).values()
    if not values or average.value is None:
        return False
    return isclose(fsum(values) / len(values), average.value, abs_tol=1e-4)


def by_topic(board: Leaderboard, run_id: str | None = None) -> list[TopicSpread]:
    """What the runs reach on each topic, for a participant who is not shown the others.

    Args:
        run_id: the participant's run.

    Raises:
        UsageError: there is no such run.
    """
    runs = {each.run_id: each for each in board.systems}
    if run_id is not None and run_id not in runs:
        raise unknown_name("run", run_id, runs)
    found = []
    for measure in board.measures:
        values = {each.run_id: each.values(measure) for each in board.systems}
        for topic_id in dict.fromkeys(topic for each in values.values() for topic in each):
            reached = [each[topic_id] for each in values.values() if topic_id in each]
            own = values[run_id].get(topic_id) if run_id is not None else None
            found.append(
                TopicSpread(
                    topic_id,
                    measure,
                    max(reached),
                    median(reached),
                    min(reached),
                    len(reached),
                    own,
                )
            )
    return found
