"""Runs by measures, with intervals and ranks; and each topic's best, median and worst value."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, inf, isclose, isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from argue_eval.analysis.systems import (
    DIGITS,
    File,
    System,
    check_signatures,
    group_of,
    is_of_sums,
    measures_of,
    missing_reports,
    systems_of,
    topic_measure,
    unknown_measure,
)
from argue_eval.errors import UsageError, check_names, count, option
from argue_eval.formats.frames import dataframe
from argue_eval.formats.scores import LEADERBOARD_COLUMNS
from argue_eval.measures import is_loss
from argue_eval.measures.averages import harmonic_mean, ratio
from argue_eval.records import MeasureValue

if TYPE_CHECKING:
    import pandas

    from argue_eval.analysis.comparing import ComparisonOptions
    from argue_eval.analysis.systems import Scored
    from argue_eval.formats.processes import Progress


class Entry(NamedTuple):
    """One run by one measure.

    Attributes:
        average: over topics; it has bounds and no value where missing judgments leave it open.
        interval: over topics; None for what is no mean over them and no ratio of sums, or is open.
        rank: 1 is the best, equal values share a rank; None where a value is open.
        ranks: the best and the worst rank that the tests, or the bounds, allow; None where there
            is no interval.
    """

    average: MeasureValue
    interval: tuple[float, float] | None
    rank: int | None
    ranks: tuple[int, int] | None

    def numbers(self) -> list[float | None]:
        """The numbers in the order of `LEADERBOARD_COLUMNS`; None for what there is not."""
        row = self.average
        value = 0.0 if row.is_undefined else row.value
        interval, ranks = self.interval or (None, None), self.ranks or (None, None)
        return [value, row.lower, row.upper, *interval, self.rank, *ranks]


@dataclass(frozen=True, repr=False)
class Leaderboard:
    """Runs by measures, the best run first.

    Attributes:
        sort_key: what the runs are sorted by: the first measure, or its lower bound; empty without
            any.
        entries: by run and measure; a run without a measure has no entry.
        signatures: how the scores were made, each once.
        options: how intervals and ranks were found; None if they were not.
    """

    run_ids: Sequence[str]
    measures: Sequence[str]
    sort_key: str
    entries: Mapping[str, Mapping[str, Entry]]
    notes: Sequence[str]
    signatures: Sequence[str]
    systems: Sequence[System]
    options: ComparisonOptions | None = None

    def __repr__(self) -> str:
        by = f", sorted by {self.sort_key}" if self.sort_key else ""
        return f"<Leaderboard of {count(len(self.run_ids), 'run')}{by}>"

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yields a row per run and measure: value, bounds, interval and ranks."""
        keys = ["value", *(end.removeprefix("_") for end in LEADERBOARD_COLUMNS[1:])]
        teams = {each.run_id: each.team_id for each in self.systems}
        for run_id in self.run_ids:
            for measure, entry in self.entries[run_id].items():
                numbers = dict(zip(keys, entry.numbers(), strict=True))
                yield {"run_id": run_id, "team_id": teams[run_id], "measure": measure, **numbers}

    def to_dataframe(self) -> pandas.DataFrame:
        """The rows as a pandas DataFrame.

        Raises:
            MissingResourceError: pandas is not installed.
        """
        return dataframe(self.rows())

    def best(self, measure: str) -> set[str]:
        """The runs with the best value; empty if any value is open, and for a count."""
        found = {run_id: each.get(measure) for run_id, each in self.entries.items()}
        return {
            run_id
            for run_id, entry in found.items()
            if entry and entry.rank == 1 and not entry.average.is_count
        }

    def renamed(self, names: Mapping[str, str]) -> Leaderboard:
        """The same leaderboard with other names of the runs, in its notes too."""
        from argue_eval.analysis.comparing import comparable  # slow to load

        systems = [each._replace(run_id=names[each.run_id], team_id="") for each in self.systems]
        entries = {names[run_id]: each for run_id, each in self.entries.items()}
        said = [("", note) for note in _caveats(systems, force=True)]
        for measure in self.measures:
            if self.options and (own := _of_topics(systems, entries, measure)):
                _, caveats = comparable(own, measure, self.options)
                said += [(group_of(measure), note) for note in caveats]
        run_ids, notes = [names[run_id] for run_id in self.run_ids], _labelled(said)
        return replace(self, run_ids=run_ids, entries=entries, notes=notes, systems=systems)


class TopicSpread(NamedTuple):
    """What the runs reach on one topic.

    Attributes:
        best: None, as the other two, where missing judgments leave the value of any run open.
        own: the value of the run that was asked about.
        num_runs: how many runs have a value.
    """

    topic_id: str
    measure: str
    best: float | None
    median: float | None
    worst: float | None
    num_runs: int
    own: float | None = None


def leaderboard(
    scores: Mapping[str, Scored] | File | Sequence[File],
    measures: Sequence[str] = (),
    *,
    options: ComparisonOptions | None = None,
    has_intervals: bool = True,
    progress: Progress | None = None,
) -> Leaderboard:
    """Tabulates runs that were scored: averages with intervals, ranks, and ranks that tests allow.

    Args:
        scores: what `argue_eval.score` returned, or files: folders that ``score -o`` wrote, or
            score files.
        measures: by default all that are no counts. The first is what runs are sorted by.
        options: tests, corrections and intervals.
        has_intervals: False for values and ranks alone, which takes no time.
        progress: called with what is done, how much, and of how much.

    Raises:
        InputError: a file has errors, or the scores were not made in the same way.
        UsageError: a measure is unknown.
        MissingResourceError: a file does not exist.
    """
    from argue_eval.analysis.comparing import ComparisonOptions

    systems = systems_of(scores)
    how = option("options", options, ComparisonOptions)
    notes = _caveats(systems, force=how.force)
    found = of_systems(systems, measures, how if has_intervals else None, progress, notes)
    if not found.measures:
        raise UsageError("the files have no averages: name folders of score -o, or score files")
    return found


def _caveats(systems: Sequence[System], *, force: bool) -> list[str]:
    return [*check_signatures(systems, force=force), *missing_reports(systems)]


def of_systems(
    systems: Sequence[System],
    measures: Sequence[str] = (),
    options: ComparisonOptions | None = None,
    progress: Progress | None = None,
    notes: Iterable[str] = (),
) -> Leaderboard:
    """Tabulates runs whose scores are at hand and were made in the same way; see `leaderboard`.

    Args:
        options: None for values and ranks alone.
        notes: what is known already; the first of those that the leaderboard has.
    """
    names = dict.fromkeys(name for each in systems for name in each.averages)
    known = {
        name: {each.run_id: each.averages[name] for each in systems if name in each.averages}
        for name in names
        if not name.startswith("num_")
    }
    measures = measures_of(measures, known)
    for name in measures:
        if name not in known:
            raise unknown_measure("measure", name, known, known)
    ratios = [
        name for name, rows in known.items() if not any(row.is_count for row in rows.values())
    ]
    chosen = measures or ratios or list(known)
    entries: dict[str, dict[str, Entry]] = {each.run_id: {} for each in systems}
    for name in chosen:
        for run_id, entry in _ranked(name, known[name]).items():
            entries[run_id][name] = entry
    said = [("", note) for note in notes]
    for name in chosen:
        if options and (own := _of_topics(systems, entries, name)):
            from argue_eval.analysis.comparing import compare_systems  # slow to load

            compared = compare_systems(own, name, None, options, progress)
            said += [(group_of(name), note) for note in compared.notes]
            for place in compared.systems():
                lower, upper = place.mean.lower, place.mean.upper
                interval = None if lower is None or upper is None else (lower, upper)
                entry = entries[place.run_id][name]
                entries[place.run_id][name] = entry._replace(interval=interval, ranks=place.ranks)
    key = chosen[0] if chosen else ""
    return Leaderboard(
        run_ids=sorted(entries, key=lambda run_id: -worst_case(key, entries[run_id].get(key))),
        measures=chosen,
        sort_key=sort_key(key, known.get(key, {}).values()),
        entries=entries,
        notes=_labelled(said),
        signatures=list(dict.fromkeys(each.signature for each in systems if each.signature)),
        systems=systems,
        options=options,
    )


def worst_case(measure: str, entry: Entry | None) -> float:
    """What runs are sorted by: the worst value that a run may have; the greater, the better."""
    if entry is None:
        return -inf
    return _ends(measure, entry.average)[0]


def sort_key(measure: str, rows: Iterable[MeasureValue]) -> str:
    """What runs are sorted by, in words."""
    is_low_good = is_loss(measure)
    if any(row.is_bounded for row in rows):
        return f"the {'upper' if is_low_good else 'lower'} bound of {measure}"
    return f"{measure}, where less is better" if is_low_good else measure


def _ends(measure: str, row: MeasureValue) -> tuple[float, float]:
    """The worst and the best value that a run may have; the greater, the better."""
    lower, upper = round(row.lower, DIGITS), round(row.upper, DIGITS)
    return (-upper, -lower) if is_loss(measure) else (lower, upper)


def _ranked(measure: str, averages: Mapping[str, MeasureValue]) -> dict[str, Entry]:
    """The entries of a measure, by what the values, or their bounds, say."""
    ends = {run_id: _ends(measure, row) for run_id, row in averages.items()}
    if any(row.is_bounded for row in averages.values()):
        ranks = possible_ranks(list(ends.values()))
        return {
            run_id: Entry(row, interval=None, rank=None, ranks=each)
            for (run_id, row), each in zip(averages.items(), ranks, strict=True)
        }
    sign = -1 if is_loss(measure) else 1
    values = {run_id: sign * round(row.value or 0.0, DIGITS) for run_id, row in averages.items()}
    ordered = sorted(values.values())
    return {
        run_id: Entry(row, None, 1 + len(ordered) - bisect_right(ordered, values[run_id]), None)
        for run_id, row in averages.items()
    }


def possible_ranks(ends: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """The best and the worst rank that each may have, if it may be anywhere between two ends.

    The greatest is the best; equal values share the better rank.

    >>> possible_ranks([(0.3, 0.3), (0.3, 0.3), (0.1, 0.5), (0.0, 0.2)])
    [(1, 2), (1, 2), (1, 4), (3, 4)]
    """
    lowers, uppers = (sorted(each) for each in zip(*ends, strict=True))
    num = len(ends)
    return [
        (
            1 + num - bisect_right(lowers, upper),
            num - bisect_right(uppers, lower) + (lower == upper),
        )
        for lower, upper in ends
    ]


def _of_topics(
    systems: Sequence[System], entries: Mapping[str, Mapping[str, Entry]], measure: str
) -> list[System]:
    """Those with a measure, to be compared; none if it is open, or no mean and no ratio of sums."""
    own = [each.behind(measure) for each in systems if measure in entries[each.run_id]]
    base = topic_measure(own, measure)
    is_known = all(entries[each.run_id][measure].rank is not None for each in own)
    return own if is_known and all(_is_of_topics(each, base, measure) for each in own) else []


def _labelled(said: Iterable[tuple[str, str]]) -> list[str]:
    """Notes about groups of topics, each once, and not if they are said of all topics too."""
    every = dict.fromkeys(said)
    return [
        f"{label}: {note}" if label else note
        for label, note in every
        if not label or ("", note) not in every
    ]


def _is_of_topics(system: System, base: str, measure: str) -> bool:
    """Whether an average is what its values by topic say."""
    average = system.averages[measure].value or 0.0
    if is_of_sums(measure, base):
        sums = [fsum(each) for each in zip(*system.parts(base).values(), strict=True)]
        ratios = [ratio(*sums[place : place + 2]) for place in range(0, len(sums), 2)]
        return bool(sums) and isclose(harmonic_mean(*ratios[:1], *ratios[-1:]) or 0.0, average)
    values = system.values(base).values()
    return bool(values) and isclose(fsum(values) / len(values), average, abs_tol=1e-4)


def by_topic(board: Leaderboard, run_id: str | None = None) -> list[TopicSpread]:
    """What the runs reach on each topic, for a participant who is not shown the others.

    An average such as f1_micro stands for the values by topic behind it.

    Args:
        run_id: the participant's run.

    Raises:
        UsageError: there is no such run.
    """
    from statistics import median  # slow to load, and every scoring loads this module

    runs = {each.run_id: each for each in board.systems}
    check_names("run", [] if run_id is None else [run_id], runs)
    found = []
    for measure in dict.fromkeys(topic_measure(board.systems, name) for name in board.measures):
        worst, best = (max, min) if is_loss(measure) else (min, max)
        reached: dict[str, list[float]] = {}
        for column in (each.columns[measure] for each in board.systems if measure in each.columns):
            for topic_id, value in zip(column.topic_ids, column.values, strict=True):
                reached.setdefault(topic_id, []).append(value)
        own = runs[run_id].values(measure) if run_id is not None else {}
        for topic_id, values in reached.items():
            known = [value for value in values if not isnan(value)]
            num, mine = len(known), own.get(topic_id)
            spread = TopicSpread(topic_id, measure, None, None, None, num, mine)
            if num == len(values):
                spread = spread._replace(best=best(known), median=median(known), worst=worst(known))
            found.append(spread)
    return found
