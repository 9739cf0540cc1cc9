"""Compares systems by a measure over topics: which differ, by how much, and how sure that is.

It starts from scores that exist, in memory or in files; nothing is scored here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from argue_eval.analysis import intervals, significance
from argue_eval.analysis.bootstrap import SEED, Draws, Floats
from argue_eval.analysis.results import Figure, Pair, Place
from argue_eval.analysis.systems import (
    DIGITS,
    File,
    System,
    by_option,
    check_signatures,
    group_of,
    is_of_sums,
    missing_reports,
    systems_of,
    topic_measure,
    unknown_measure,
    unless_refused,
)
from argue_eval.errors import (
    Finding,
    InputError,
    UsageError,
    check_names,
    check_range,
    count,
    option,
    some,
)
from argue_eval.formats.frames import dataframe
from argue_eval.formats.processes import Progress
from argue_eval.measures import is_loss

if TYPE_CHECKING:
    import pandas

    from argue_eval.analysis.systems import Scored

FEW_TOPICS = 20


@dataclass(frozen=True, kw_only=True)
class ComparisonOptions:
    """How systems are compared.

    Attributes:
        test: ``t``, ``randomization`` or ``wilcoxon``.
        correction: ``holm``, ``bh`` or ``none``, over all pairs that are tested.
        interval: ``bca``, ``studentized`` or ``normal``.
        level: the significance level; intervals cover 1 - level.
        power: for the number of topics that would be needed.
        seed: of all random numbers.
        population: how many topics there are in all, for the intervals of systems; None for any
            number. Tests are always about topics beyond those at hand.
        force: compare scores whose signatures or topics differ, and leave out what is missing.
    """

    test: str = "t"
    correction: str = "holm"
    interval: str = "bca"
    num_resamples: int = intervals.NUM_RESAMPLES
    seed: int = SEED
    level: float = significance.LEVEL
    power: float = 0.8
    population: int | None = None
    force: bool = False

    def __post_init__(self) -> None:
        for name, choices in (
            ("test", significance.TESTS),
            ("correction", significance.CORRECTIONS),
            ("interval", intervals.METHODS),
        ):
            check_names(f"--{name}", [getattr(self, name)], choices)
        for name in ("level", "power"):
            found = getattr(self, name)
            if not (isinstance(found, (int, float)) and 0 < found < 1):
                raise UsageError(f"--{name}: expected a number between 0 and 1, found {found}")
        check_range("--resamples", self.num_resamples, 100, 1_000_000)
        check_range("--seed", self.seed, 0, 2**32 - 1)


class Scores(NamedTuple):
    """The scores that are compared; the first two dimensions are topics and systems.

    Attributes:
        by_topic: NaN where a system has no value.
        shares: what is tested: values whose mean is the figure. For a mean, those by topic.
        parts: numerators and denominators, where the figure is a ratio of sums; otherwise None.
    """

    by_topic: Floats
    shares: Floats
    parts: Floats | None

    def of(self, places: Floats) -> Scores:
        """Those of some systems."""
        parts = None if self.parts is None else self.parts[:, places]
        return Scores(self.by_topic[:, places], self.shares[:, places], parts)

    def intervals(self, options: ComparisonOptions) -> intervals.Bounds:
        """The interval of each system."""
        drawn = Draws(len(self.shares), options.num_resamples, seed=options.seed)
        values = self.shares if self.parts is None else self.parts
        level, population = options.level, options.population
        return intervals.bounds(values, options.interval, drawn, level=level, population=population)


@dataclass(frozen=True)
class SystemComparison:
    """Systems by one measure, the best first.

    Attributes:
        baseline: the system that all others are compared with; empty if all pairs are.
        notes: caveats for the reader.
    """

    measure: str
    options: ComparisonOptions
    run_ids: Sequence[str]
    topic_ids: Sequence[str]
    baseline: str
    notes: tuple[str, ...]
    _scores: Scores
    _firsts: Floats
    _seconds: Floats
    _p_values: Floats
    _adjusted: Floats

    def __repr__(self) -> str:
        return f"<SystemComparison of {count(len(self.run_ids), 'run')} by {self.measure}>"

    @property
    def is_of_sums(self) -> bool:
        """Whether systems are compared by ratios of sums over topics, not by means."""
        return self._scores.parts is not None

    @property
    def num_pairs(self) -> int:
        """How many pairs are tested."""
        return len(self._firsts)

    @cached_property
    def _differs(self) -> Floats:
        """Which systems differ significantly: (systems, systems)."""
        found = np.zeros((len(self.run_ids),) * 2, dtype=bool)
        with np.errstate(invalid="ignore"):
            found[self._firsts, self._seconds] = self._adjusted <= self.options.level
        return found | found.T

    def differs(self, first: str, second: str) -> bool:
        """Whether two systems differ significantly.

        Raises:
            UsageError: there is no such system.
        """
        places = [_place(each, self.run_ids) for each in (first, second)]
        return bool(self._differs[places[0], places[1]])

    def systems(self) -> Iterator[Place]:
        """Yields all systems, the best first."""
        lower, upper = self._scores.intervals(self.options)
        means, _, num = significance.mean_and_error(self._scores.shares)
        rounded: Floats = _sign(self.measure) * np.round(means, DIGITS)
        firsts, lasts = _groups(self._differs)
        for place, (run_id, mean) in enumerate(zip(self.run_ids, rounded, strict=True)):
            better, worse = rounded > mean, rounded < mean
            differs = self._differs[place]
            best = 1 + int(np.count_nonzero(differs & better))
            worst = len(means) - int(np.count_nonzero(differs & worse))
            yield Place(
                run_id,
                _figure("mean", means[place], lower[place], upper[place], num[place]),
                rank=1 + int(np.count_nonzero(better)),
                ranks=None if self.baseline else (best, worst),
                groups=None if self.baseline else (int(firsts[place]), int(lasts[place])),
            )

    def pairs(self) -> Iterator[Pair]:
        """Yields all pairs that are tested, in the order of their systems."""
        step, sign = 10_000, _sign(self.measure)
        for start in range(0, self.num_pairs, step):
            part = slice(start, start + step)
            firsts, seconds = self._firsts[part], self._seconds[part]
            differences = self._scores.shares[:, firsts] - self._scores.shares[:, seconds]
            by_topic = np.sign(self._scores.by_topic[:, firsts] - self._scores.by_topic[:, seconds])
            p_values, adjusted = self._p_values[part], self._adjusted[part]
            means, _, num = significance.mean_and_error(differences)
            lower, upper = intervals.normal(intervals.means(differences), self.options.level)
            effect, least, most = significance.effects(differences, self.options.level)
            needed = significance.topics_needed(effect, self.options.power, self.options.level)
            won, tied, lost = ((by_topic == end).sum(0) for end in (sign, 0, -sign))
            for at, (first, second) in enumerate(zip(firsts, seconds, strict=True)):
                yield Pair(
                    self.run_ids[first],
                    self.run_ids[second],
                    _figure("difference", means[at], lower[at], upper[at], num[at]),
                    _figure("effect", effect[at], least[at], most[at], num[at]),
                    won=int(won[at]),
                    tied=int(tied[at]),
                    lost=int(lost[at]),
                    p_value=_number(p_values[at]),
                    adjusted=_number(adjusted[at]),
                    topics_needed=None if np.isnan(needed[at]) else int(needed[at]),
                )

    def rows(self, *, of_pairs: bool = False) -> Iterator[dict[str, Any]]:
        """Yields a row per system, the best first; or per pair that is tested."""
        for each in self.pairs() if of_pairs else self.systems():
            yield each.row()

    def to_dataframe(self, *, of_pairs: bool = False) -> pandas.DataFrame:
        """The rows as a pandas DataFrame.

        Raises:
            MissingResourceError: pandas is not installed.
        """
        return dataframe(self.rows(of_pairs=of_pairs))


def _sign(measure: str) -> int:
    """1 if more is better, -1 if less is."""
    return -1 if is_loss(measure) else 1


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _figure(name: str, value: float, lower: float, upper: float, num: int) -> Figure:
    return Figure(name, _number(value), _number(lower), _number(upper), int(num))


def _place(run_id: str, run_ids: Sequence[str]) -> int:
    check_names("run", [run_id], run_ids)
    return run_ids.index(run_id)


def _groups(differs: Floats) -> tuple[Floats, Floats]:
    """The first and the last group of each system, counted from 1.

    A group is as many neighbours in the ranking as possible of which no two differ.
    """
    starts, firsts = [0], []
    for place in range(len(differs)):
        against = np.flatnonzero(differs[place, starts[-1] : place])
        if len(against):
            starts.append(starts[-1] + int(against[-1]) + 1)
        firsts.append(len(starts))
    return np.array(firsts), np.searchsorted(starts, np.arange(len(differs)), side="right")


# --- what is compared -----------------------------------------------------------------------------


def compare(
    scores: Mapping[str, Scored] | File | Sequence[File],
    measure: str | None = None,
    *,
    baseline: str | None = None,
    options: ComparisonOptions | None = None,
    progress: Progress | None = None,
) -> SystemComparison:
    """Compares systems by a measure: intervals, tests, groups that cannot be told apart.

    Args:
        scores: what `argue_eval.score` returned, or files: folders that ``score -o`` wrote, or
            score files with values per topic.
        measure: by default the first that the scores have.
        baseline: a run to compare all others with; by default all pairs are compared.
        options: tests, corrections and intervals.
        progress: called with what is done, how many pairs are tested, and of how many.

    Raises:
        InputError: the scores were not made in the same way, or depend on missing judgments.
        UsageError: an option or a name is unknown, or there are fewer than two runs.
        MissingResourceError: a file does not exist.
    """
    given: Any = measure
    if not isinstance(given, (str, type(None))):
        found = type(given).__name__
        raise UsageError(f"measure: expected a name, found {found}; leaderboard takes several")
    systems = [each.behind(measure or "") for each in systems_of(scores)]
    if len(systems) < 2:
        found = some([each.run_id for each in systems])
        raise UsageError(f"expected the scores of two or more runs, found {found or 'none'}")
    options = option("options", options, ComparisonOptions)
    made = compare_systems(systems, _measure(systems, measure), baseline, options, progress)
    return replace(made, notes=(*missing_reports(systems), *made.notes))


def compare_systems(
    systems: Sequence[System],
    measure: str,
    baseline: str | None,
    options: ComparisonOptions,
    progress: Progress | None = None,
) -> SystemComparison:
    """Compares systems whose scores are at hand; see `compare`."""
    systems, notes = comparable(systems, measure, options)
    base = topic_measure(systems, measure)
    topic_ids = list(dict.fromkeys(topic for each in systems for topic in each.values(base)))
    scores = _scores_of(systems, base, topic_ids, has_parts=is_of_sums(measure, base))
    means, _, _ = significance.mean_and_error(scores.shares)
    order = np.argsort(-_sign(measure) * np.round(means, DIGITS), kind="stable")
    scores, run_ids = scores.of(order), [systems[place].run_id for place in order]
    firsts, seconds = np.triu_indices(len(run_ids), 1)
    if baseline is not None:
        place = _place(baseline, run_ids)
        is_wanted = (firsts == place) | (seconds == place)
        firsts, seconds = firsts[is_wanted], seconds[is_wanted]
    tick = partial(progress, f"pairs of runs by {measure}") if progress else None
    p_values = significance.p_values(
        scores.shares, firsts, seconds, options.test, seed=options.seed, tick=tick
    )
    return SystemComparison(
        measure=measure,
        options=options,
        run_ids=run_ids,
        topic_ids=topic_ids,
        baseline=baseline or "",
        notes=notes,
        _scores=scores,
        _firsts=firsts,
        _seconds=seconds,
        _p_values=p_values,
        _adjusted=significance.CORRECTIONS[options.correction](p_values),
    )


def comparable(
    systems: Sequence[System], measure: str, options: ComparisonOptions
) -> tuple[list[System], tuple[str, ...]]:
    """The systems that can be compared by a measure, and caveats that name them.

    Raises:
        InputError: they were not scored in the same way, or depend on missing judgments.
        UsageError: there are more topics than `options.population` says.
    """
    base = topic_measure(systems, measure)
    notes = [
        *check_signatures(systems, force=options.force),
        *_unjudged(systems, base, options),
        *_missing_measure(systems, base, options),
    ]
    left = [each for each in systems if each.values(base)]
    notes += _topics(left, base, options)
    notes += _few_topics(len({topic for each in left for topic in each.values(base)}), options)
    notes += [f"{measure.partition('[')[0]}: less is better"] * is_loss(measure)
    return left, tuple(notes)


def _scores_of(
    systems: Sequence[System], measure: str, topic_ids: Sequence[str], *, has_parts: bool
) -> Scores:
    """Puts values by topic into arrays.

    Raises:
        InputError: numerators and denominators are wanted, and a file has none.
    """
    values = [each.values(measure) for each in systems]
    by_topic = np.array([[each.get(topic, np.nan) for each in values] for topic in topic_ids])
    if not has_parts:
        return Scores(by_topic, by_topic, None)
    parts_of = [each.parts(measure) for each in systems]
    width = max((len(part) for known in parts_of for part in known.values()), default=2)
    for each, known in zip(systems, parts_of, strict=True):
        if {len(part) for part in known.values()} != {width}:
            message = f"{some([each.run_id])} has no numerators and denominators of {measure}"
            hint = f"name the folder of score -o, or compare by {measure}_macro"
            raise InputError(Finding("missing_parts", message, hint, each.file))
    none = (np.nan,) * width
    parts = np.array([[known.get(topic, none) for known in parts_of] for topic in topic_ids])
    estimate = intervals.ratios(parts)
    return Scores(by_topic, estimate.value + estimate.shares, parts)


def _few_topics(number: int, options: ComparisonOptions) -> Iterator[str]:
    """Yields what few topics mean.

    Raises:
        UsageError: there are more topics than `options.population` says.
    """
    if options.population is not None and options.population < number:
        raise UsageError(f"--population: there are {number:,} topics, found {options.population:,}")
    if number == 1:
        yield "there is only one topic: no interval and no test"
    elif number < FEW_TOPICS:
        yield f"{number} topics are few: intervals and tests are rough"


def _measure(systems: Sequence[System], wanted: str | None) -> str:
    known = dict.fromkeys(name for each in systems for name in each.columns)
    if not known:
        raise UsageError(
            "the scores have no values per topic: name folders of score -o, or files of score -q"
        )
    if wanted is None:
        return next((name for name in known if not name.startswith("num_")), next(iter(known)))
    if topic_measure(systems, wanted) not in known:
        averages = dict.fromkeys(name for each in systems for name in each.averages)
        choices = dict.fromkeys(name.partition("[")[0] for name in known)
        groups = {"", *(label for each in systems for label in each.groups)}
        for name in averages:
            if group_of(name) in groups and topic_measure([], name.partition("[")[0]) in choices:
                choices[name] = None
        raise unknown_measure("measure with values per topic", wanted, choices, averages)
    return wanted


def _missing_measure(
    systems: Sequence[System], measure: str, options: ComparisonOptions
) -> Iterator[str]:
    without = [each for each in systems if not each.values(measure)]
    if without:
        names = some([each.run_id for each in without])
        message = f"{count(len(without), 'run')} without {measure}: {names}"
        by = by_option(measure)
        if all(group_of(measure) in each.groups for each in without):
            by = ""
        hint = f"score them with the measure{by and f' and {by}'}, or name another with -m"
        if any(each.unjudged(measure) for each in without):
            hint = "judge what is missing (argue-eval judge), or score again with --judged-only"
        are_enough = len(systems) - len(without) >= 2
        hint += "; --force leaves them out" if are_enough else ""
        finding = Finding("missing_measure", message, hint)
        yield f"left out: {unless_refused(finding, force=options.force and are_enough)}"


def _unjudged(systems: Sequence[System], measure: str, options: ComparisonOptions) -> Iterator[str]:
    """Yields which runs were scored by what is judged alone.

    Raises:
        InputError: values are missing.
    """
    without = {
        each.run_id: each.unjudged(measure) - each.values(measure).keys() for each in systems
    }
    affected = [run_id for run_id, topics in without.items() if topics]
    if affected:
        number = sum(map(len, without.values()))
        message = (
            f"{count(len(affected), 'run')} without {count(number, 'value')} of {measure}, which "
            f"missing judgments leave open: {some(affected)}"
        )
        hint = (
            "judge what is missing (argue-eval judge), or score again with --judged-only; "
            "--force leaves them out"
        )
        finding = Finding("unjudged_values", message, hint)
        yield f"left out: {unless_refused(finding, force=options.force)}"
    affected = [each.run_id for each in systems if each.unjudged(measure)]
    if affected:
        yield (
            f"{count(len(affected), 'run')} scored by what is judged alone, which is no fair "
            f"sample of all units: {some(affected)}"
        )


def _topics(systems: Sequence[System], measure: str, options: ComparisonOptions) -> Iterator[str]:
    """Yields which runs lack values for topics that others have.

    Raises:
        InputError: some do, and nothing is forced.
    """
    every = dict.fromkeys(topic for each in systems for topic in each.values(measure))
    for each in systems:
        known = each.values(measure).keys() | each.unjudged(measure)
        missing = [topic for topic in every if topic not in known]
        if missing:
            message = (
                f"{some([each.run_id])} has no {measure} for {len(missing):,} of "
                f"{count(len(every), 'topic')}: {some(missing)}"
            )
            hint = (
                "score all runs against the same nuggets; --force compares two runs over the "
                "topics that both have"
            )
            finding = Finding("different_topics", message, hint, each.file)
            yield unless_refused(finding, force=options.force)
