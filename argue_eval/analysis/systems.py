"""The scores of systems, read from files or taken from memory, and whether they compare."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import fsum, isnan, nan
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from argue_eval.analysis.scores import Rows, by_measure, rows_in
from argue_eval.errors import Finding, InputError, UsageError, count, shorten, some, unknown_name
from argue_eval.formats.scores import ALL
from argue_eval.measures import split_names
from argue_eval.records import EMPTY, MeasureValue, ScoreTable

if TYPE_CHECKING:
    from argue_eval.evaluation.results import RunScores

    Scored = RunScores
    """A run with what its values rest on."""

DIGITS = 12
"""Sums in another order differ in the last bits; such values are ties."""

File = str | PathLike[str]


class Column(NamedTuple):
    """One run's values by topic.

    Attributes:
        values: one for each topic. An undefined one is 0, one that is open NaN.
        unjudged: topics in which missing judgments leave the value open, or of which it covers
            judged units only.
        parts: as in `MeasureValue`, those of a topic after those of another; empty if any topic
            has none.
    """

    topic_ids: tuple[str, ...]
    values: array[float]
    unjudged: frozenset[str] = frozenset()
    parts: array[float] = array("d")

    def among(self, topic_ids: Collection[str]) -> Column:
        """The values of some topics."""
        places = [at for at, topic_id in enumerate(self.topic_ids) if topic_id in topic_ids]
        width = len(self.parts) // max(len(self.topic_ids), 1)
        return Column(
            tuple(self.topic_ids[at] for at in places),
            array("d", [self.values[at] for at in places]),
            self.unjudged.intersection(topic_ids),
            array("d", [self.parts[width * at + one] for at in places for one in range(width)]),
        )


class System(NamedTuple):
    """What is known of one run's scores.

    Attributes:
        averages: the rows of topic ``all`` by measure. In a file without any, they are means.
        columns: the values by topic, by measure.
        signature: how they were made; empty if a file does not say.
        groups: the topics of each group that is averaged over besides, by its label.
        missing_topics: topics that are averaged over and have no report.
    """

    run_id: str
    averages: Mapping[str, MeasureValue]
    columns: Mapping[str, Column]
    signature: str = ""
    file: str = ""
    team_id: str = ""
    groups: Mapping[str, Collection[str]] = EMPTY
    missing_topics: Collection[str] = ()

    def behind(self, measure: str) -> System:
        """The system with the values behind a measure: of one over a group, those of its topics."""
        label = group_of(measure)
        if label not in self.groups:
            return self
        members = frozenset(self.groups[label])
        return self._replace(
            columns={f"{name}[{label}]": one.among(members) for name, one in self.columns.items()}
        )

    def values(self, measure: str) -> dict[str, float]:
        """The values by topic. One that is undefined is 0; one that is open is not there."""
        column = self.columns.get(measure, _NO_TOPIC)
        pairs = zip(column.topic_ids, column.values, strict=True)
        return {topic_id: value for topic_id, value in pairs if not isnan(value)}

    def unjudged(self, measure: str) -> frozenset[str]:
        """The topics in which missing judgments leave the value open."""
        return self.columns.get(measure, _NO_TOPIC).unjudged

    def parts(self, measure: str) -> dict[str, tuple[float, ...]]:
        """Numerators and denominators by topic, where the average is that of the sums."""
        column = self.columns.get(measure, _NO_TOPIC)
        number = len(column.parts) // max(len(column.topic_ids), 1)
        return {
            topic_id: tuple(column.parts[place * number : (place + 1) * number])
            for place, topic_id in enumerate(column.topic_ids if number else ())
        }


_NO_TOPIC = Column((), array("d"))


def systems_of(scores: Mapping[str, Scored] | File | Sequence[File]) -> list[System]:
    """Reads or takes the scores of all systems.

    Raises:
        UsageError: they are no scores.
    """
    paths = [scores] if isinstance(scores, (str, PathLike)) else scores
    if isinstance(paths, Sequence) and all(isinstance(each, (str, PathLike)) for each in paths):
        return read_systems([fspath(path) for path in paths])
    taken = check_scores(scores, "or files")
    return [of_table(run.table)._replace(run_id=name) for name, run in taken.items()]


def check_scores(scores: Any, others: str = "") -> Mapping[str, Any]:
    """Refuses what are no scores by run id, or of no run.

    Args:
        others: what else may be given.
    """
    found = type(scores).__name__
    if isinstance(scores, Mapping) and not hasattr(scores, "table"):
        values = scores.values() if isinstance(scores, dict) else ()
        wrong = next((each for each in values if not hasattr(each, "table")), None)
        if scores and wrong is None:
            return scores
        found += f" of {type(wrong).__name__}" if scores else " without a run"
    expected = " ".join(filter(None, ("what score or read_scores returned", others)))
    raise UsageError(f"scores: expected {expected}, found {found}")


def named_apart(systems: Iterable[System]) -> list[System]:
    """The systems, of which further ones of one name have their number behind it."""
    given = list(systems)
    names = apart(each.run_id for each in given)
    return [each._replace(run_id=name) for each, name in zip(given, names, strict=True)]


def apart(names: Iterable[str]) -> list[str]:
    """The names, of which further equal ones have their number behind them.

    >>> apart(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    found: dict[str, int] = {}  # with the last number of its equals
    for first in names:
        name = first
        while name in found:
            found[first] += 1
            name = f"{first} ({found[first]})"
        found[name] = 1
    return list(found)


def read_systems(paths: Sequence[str]) -> list[System]:
    """Reads the scores of systems, in the order of the files.

    Args:
        paths: score files, or folders that ``argue-eval score -o`` wrote.

    Raises:
        InputError: a file has errors, or two files have the same run.
    """
    found: dict[str, System] = {}
    for file, about, runs in rows_in(paths):
        for run_id, rows in runs.items():
            if run_id in found:
                message = f"the run {shorten(run_id)} is in {found[run_id].file} too"
                hint = "name each run once"
                raise InputError(Finding("duplicate_run", message, hint, file))
            found[run_id] = _system(run_id, rows)._replace(
                signature=about.get("signature", ""),
                file=file,
                team_id=about.get("team_id", ""),
                groups=about.get("groups", {}),
                missing_topics=about.get("missing_topics", ()),
            )
    return list(found.values())


def of_table(table: ScoreTable) -> System:
    """Takes the values of a run that was scored just now."""
    found = _system(table.run_id, by_measure(table.rows))
    return found._replace(
        signature=table.signature,
        team_id=table.team_id,
        groups=table.groups,
        missing_topics=frozenset(table.missing_topics),
    )


def _system(run_id: str, rows_of: Rows) -> System:
    averages = {measure: rows.pop(ALL) for measure, rows in rows_of.items() if ALL in rows}
    if not averages:
        averages = {name: _mean(name, list(rows.values())) for name, rows in rows_of.items()}
    averages = {
        name: row
        for name, row in averages.items()
        if row.value is not None or row.is_undefined or row.is_bounded
    }
    columns = {}
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    for measure, rows in rows_of.items():
        if rows:
            topic_ids = tuple(rows)
            columns[measure] = _column(shared.setdefault(topic_ids, topic_ids), rows.values())
    return System(run_id, averages, columns)


def _column(topic_ids: tuple[str, ...], rows: Collection[MeasureValue]) -> Column:
    values = [0.0 if row.is_undefined else row.value for row in rows]
    is_whole = len({len(row.parts) for row in rows}) == 1
    return Column(
        topic_ids,
        array("d", [nan if value is None else value for value in values]),
        frozenset(row.topic_id for row in rows if row.is_bounded),
        array("d", chain.from_iterable(row.parts for row in rows) if is_whole else ()),
    )


def _mean(measure: str, rows: Sequence[MeasureValue]) -> MeasureValue:
    ends = [
        fsum(each) / len(rows)
        for each in zip(*((row.lower, row.upper) for row in rows), strict=True)
    ]
    values = [0.0 if row.is_undefined else row.value for row in rows]
    known = [value for value in values if value is not None]
    value = fsum(known) / len(known) if len(known) == len(values) else None
    return MeasureValue(measure, ALL, value, ends[0], ends[1], is_count=rows[0].is_count)


def measures_of(given: str | Sequence[str], known: Collection[str]) -> list[str]:
    """The measures that somebody names, one by one or several in one text."""
    names = [given] if isinstance(given, str) else given
    return [each for name in names for each in ([name] if name in known else split_names(name))]


def group_of(measure: str) -> str:
    """The label of the group of topics that a measure is over; empty for all.

    >>> group_of("nugget_recall[domain=law]"), group_of("nugget_recall")
    ('domain=law', '')
    """
    return measure.partition("[")[2].removesuffix("]")


def unknown_measure(
    kind: str, name: str, choices: Collection[str], averages: Collection[str]
) -> UsageError:
    """The error for a measure that no run has; of a group of topics, with the option that makes it.

    Args:
        averages: the averages that runs have.
    """
    option = by_option(name)
    if option and name.partition("[")[0] in choices and option not in map(by_option, averages):
        return UsageError(f"no run has {name}: score the runs again with {option} and -o DIR")
    return unknown_name(kind, name, choices)


def by_option(measure: str) -> str:
    """The option of ``score`` that makes a measure over a group of topics; empty for others.

    >>> by_option("nugget_recall[domain=law]"), by_option("nugget_recall")
    ('--by domain', '')
    """
    from shlex import quote

    key, is_group, _ = group_of(measure).partition("=")
    return f"--by {quote(key)}" if is_group else ""


def missing_reports(systems: Sequence[System]) -> Iterator[str]:
    """Yields which runs lack reports for topics that are averaged over, where files say so."""
    lacking = []
    for each in systems:
        topic_ids = next(iter(each.columns.values()), _NO_TOPIC).topic_ids
        missing = sum(topic_id in each.missing_topics for topic_id in topic_ids)
        if missing:
            of_topics = f"{missing:,} of {count(len(topic_ids), 'topic')}"
            lacking.append((-missing, f"{some([each.run_id])} ({of_topics})"))
    if lacking:
        runs = count(len(lacking), "run has", "runs have")
        shown = [name for _, name in sorted(lacking)[:5]] + ["…"] * (len(lacking) > 5)
        yield f"{runs} no report for some topics, each of which counts 0: {', '.join(shown)}"


def topic_measure(systems: Sequence[System], measure: str) -> str:
    """The measure whose values by topic stand behind an average, such as f1 behind f1_micro."""
    stem, bracket, label = measure.partition("[")
    for end in ("_macro", "_micro"):
        base = stem.removesuffix(end) + bracket + label
        if base != measure and not any(measure in each.columns for each in systems):
            return base
    return measure


def is_of_sums(measure: str, base: str) -> bool:
    """Whether an average is the ratio of sums over topics."""
    stem, bracket, label = base.partition("[")
    return measure == f"{stem}_micro{bracket}{label}"


def check_signatures(systems: Sequence[System], *, force: bool) -> Iterator[str]:
    """Yields what differs in how the scores were made.

    Raises:
        InputError: something does, and nothing is forced.
    """
    signed = dict.fromkeys(each.signature for each in systems if each.signature)
    if len(signed) < 2:
        return
    parts = [dict(part.partition(":")[::2] for part in text.split("|")) for text in signed]
    names = dict.fromkeys(name for each in parts for name in each)
    different = [name for name in names if len({each.get(name) for each in parts}) > 1]
    shown = "; ".join(
        f"{name}: {' or '.join(dict.fromkeys(each.get(name, 'none') for each in parts))}"
        for name in different
    )
    message = f"the scores were not made in the same way: {shown}"
    hint = "score all runs in one command, or compare what differs nevertheless with --force"
    yield unless_refused(Finding("different_signatures", message, hint), force=force)


def unless_refused(finding: Finding, *, force: bool) -> str:
    """What is wrong, as a note, where it is forced.

    Raises:
        InputError: it is not.
    """
    if not force:
        raise InputError(finding)
    return finding.message
