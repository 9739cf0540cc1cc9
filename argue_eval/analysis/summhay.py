"""The results tables of SummHay: summarizers combined with retrievers.

Source: "Summary of a Haystack" (EMNLP 2024), Tables 2 and 3. A run is a combination, and its id
names it as the repository does: ``summary_subtopic_oracle_gpt-4o``, without a retriever if the
summarizer read the whole haystack.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from argue_eval.analysis.scores import files_of
from argue_eval.errors import UsageError
from argue_eval.formats.scores import Score
from argue_eval.measures.averages import ALL, mean, mean_of_topics, mean_of_units, ratio
from argue_eval.records import MeasureValue, ScoreTable

SCORES = ("coverage", "citation_score", "joint_score")
LENGTH = "words_per_bullet"
AVERAGES = ("insights", "topics")
FULL = "Full"

_IN_FOLDER = "*.scores.txt"
_PREFIX = "summary_subtopic_"
_ORACLE = "Orac"
_RETRIEVERS = {
    "random": "Rand",
    "vector": "Vect",
    "dwzhu/e5-base-4k": "LongE",
    "longembed": "LongE",
    "keywords": "KWs",
    "rerank3": "RR3",
    "oracle": _ORACLE,
}
_NO_RETRIEVER = {"full": FULL}
_ORDERS = {"fl-ctxt-sort": "Top", "fl-ctxt-rev-sort": "Bottom", "fl-ctxt-middle": "Middle"}
_COLUMNS = tuple(dict.fromkeys(_RETRIEVERS.values()))

_Value = TypeVar("_Value")


class Combination(NamedTuple):
    """A summarizer and its retriever, or the order of the documents in the whole haystack."""

    summarizer: str
    retriever: str

    @property
    def is_reordered(self) -> bool:
        """Whether the whole haystack was given in a certain order, which Table 3 is about."""
        return self.retriever in _ORDERS.values()


class Cell(NamedTuple):
    """A value of a table; None if there is none. It is open if judgments are missing."""

    value: float | None
    is_open: bool = False


class Position(NamedTuple):
    """A summarizer's joint score by the position of the relevant documents in the haystack.

    Attributes:
        sensitivity: the largest difference of top and bottom from the random order.
    """

    summarizer: str
    cells: Mapping[str, Cell]
    sensitivity: Cell


@dataclass(frozen=True, slots=True)
class Results:
    """The contents of the tables.

    Attributes:
        average: what means are over: ``insights`` or ``topics``.
        cells: by combination and measure.
        words: words per bullet, by summarizer.
    """

    average: str
    cells: Mapping[Combination, Mapping[str, Cell]]
    words: Mapping[str, float | None] = field(default_factory=dict)

    def cell(self, summarizer: str, retriever: str, measure: str) -> Cell | None:
        """The cell of a combination; None if there is no such run."""
        return self.cells.get(Combination(summarizer, retriever), {}).get(measure)

    def retrievers(self) -> list[str]:
        """The columns: in the order of the paper, others before the oracle."""
        found = dict.fromkeys(each.retriever for each in self.cells if not each.is_reordered)
        others = [name for name in found if name not in (*_COLUMNS, FULL)]
        return [name for name in [*_COLUMNS[:-1], *others, _ORACLE, FULL] if name in found]

    def summarizers(self) -> list[str]:
        """The rows: by the joint score with the oracle, or on average where there is no oracle."""
        names = {each.summarizer for each in self.cells if not each.is_reordered}
        return sorted(names, key=lambda name: (self._rank(name), name))

    def _rank(self, summarizer: str) -> float:
        with_oracle = self.cell(summarizer, _ORACLE, "joint_score")
        if with_oracle is not None and with_oracle.value is not None:
            return with_oracle.value
        return self.over_retrievers(summarizer, "joint_score").value or 0.0

    def over_retrievers(self, summarizer: str, measure: str) -> Cell:
        """The mean of a row, which is open if one of its cells is."""
        return _mean_of(self.cell(summarizer, name, measure) for name in self.retrievers())

    def over_summarizers(self, retriever: str, measure: str) -> Cell:
        """The mean of a column, which is open if one of its cells is."""
        return _mean_of(self.cell(name, retriever, measure) for name in self.summarizers())

    def positions(self) -> list[Position]:
        """The summarizers that were given the documents in several orders."""
        found = []
        for name in sorted({each.summarizer for each in self.cells if each.is_reordered}):
            orders = (*_ORDERS.values(), FULL)
            cells = {order: self.cell(name, order, "joint_score") for order in orders}
            known = {order: cell for order, cell in cells.items() if cell is not None}
            compared = [known.get(order, Cell(None)) for order in (FULL, "Top", "Bottom")]
            values = [cell.value for cell in compared if cell.value is not None]
            apart = max(abs(end - values[0]) for end in values[1:]) if len(values) == 3 else None
            is_open = any(cell.is_open for cell in compared)
            found.append(Position(name, known, sensitivity=Cell(apart, is_open)))
        return found


def _mean_of(cells: Iterable[Cell | None]) -> Cell:
    known = [cell for cell in cells if cell is not None]
    values = [cell.value for cell in known if cell.value is not None]
    has_gap = any(cell.is_open and cell.value is None for cell in known)
    return Cell(None if has_gap else mean(values), is_open=any(cell.is_open for cell in known))


def combination(run_id: str) -> Combination:
    """Reads the combination from a run's id.

    >>> combination("summary_subtopic_dwzhu/e5-base-4k_gpt-4o")
    Combination(summarizer='gpt-4o', retriever='LongE')
    >>> combination("summary_subtopic_gpt-4o"), combination("bm25_my-model").retriever
    (Combination(summarizer='gpt-4o', retriever='Full'), 'bm25')
    >>> combination("full_gpt-4o")
    Combination(summarizer='gpt-4o', retriever='Full')
    """
    name = run_id.removeprefix(_PREFIX)
    for retriever, label in {**_RETRIEVERS, **_ORDERS, **_NO_RETRIEVER}.items():
        for separator in "_-":
            summarizer = name.removeprefix(retriever + separator)
            if summarizer not in ("", name):
                return Combination(summarizer, label)
    retriever, separator, summarizer = name.partition("_")
    if separator and retriever and summarizer and "_" not in summarizer:
        return Combination(summarizer, retriever)
    return Combination(name, FULL)


def _by_combination(by_run: Mapping[str, _Value]) -> dict[Combination, _Value]:
    found: dict[Combination, _Value] = {}
    for run_id, value in by_run.items():
        combined = combination(run_id)
        if combined in found:
            message = f"two runs are {combined.summarizer!r} with {combined.retriever!r}"
            raise UsageError(f"{message}, {run_id!r} is one of them: leave one out")
        found[combined] = value
    return found


# --- from haystacks -------------------------------------------------------------------------------


def from_tables(
    files: Sequence[Sequence[ScoreTable]], average: str, *, only_answered: bool
) -> Results:
    """Combines the scores of several haystacks.

    A run that is not in a haystack counts 0 there, unless `only_answered`.

    Raises:
        UsageError: a topic is in two files, or two runs are the same combination.
    """
    by_run: dict[str, list[MeasureValue]] = {}
    for table in (table for tables in files for table in tables):
        before = by_run.setdefault(table.run_id, [])
        rows = _topic_rows(table)
        twice = {row.topic_id for row in before} & {row.topic_id for row in rows}
        if twice:
            message = f"two of the files have the topic {min(twice)!r} of the run {table.run_id!r}"
            raise UsageError(f"{message}: name every file once")
        before.extend(rows)
    for tables in [] if only_answered else files:
        has_run = {table.run_id for table in tables}
        blank = [_blank(row) for row in _topic_rows(tables[0])] if tables else []
        for run_id, rows in by_run.items():
            rows.extend(blank if run_id not in has_run else ())
    combinations = _by_combination(by_run)
    cells = {
        combined: {name: _cell(name, rows, average) for name in (*SCORES, LENGTH)}
        for combined, rows in combinations.items()
    }
    lengths: dict[str, list[MeasureValue]] = {}
    for combined, rows in combinations.items():
        if not combined.is_reordered:
            of_length = [row for row in rows if row.measure == LENGTH]
            lengths.setdefault(combined.summarizer, []).extend(of_length)
    words = {name: mean_of_units(rows) for name, rows in lengths.items()}
    return Results(average, cells=cells, words=words)


def _topic_rows(table: ScoreTable) -> list[MeasureValue]:
    return [row for row in table.rows if row.topic_id != ALL]


def _blank(row: MeasureValue) -> MeasureValue:
    """The row of a topic without a summary: nothing is covered, nothing is cited."""
    num_units = row.num_units if row.measure in ("coverage", "joint_score") else 0
    return MeasureValue(
        row.measure, row.topic_id, value=0.0, lower=0.0, upper=0.0, num_units=num_units
    )


def _cell(measure: str, rows: Sequence[MeasureValue], average: str) -> Cell:
    own = [row for row in rows if row.measure == measure]
    is_open = any(row.is_bounded for row in own)
    if any(row.is_bounded and row.value is None for row in own):
        return Cell(None, is_open)
    if average == "insights":
        return Cell(mean_of_units(own), is_open)
    return Cell(mean_of_topics(measure, own), is_open)


# --- from score files -----------------------------------------------------------------------------


def score_files(path: str) -> list[str]:
    """The file itself, or the score files of a folder that ``argue-eval score -o`` wrote.

    Raises:
        UsageError: the folder has none.
    """
    found = files_of(path, _IN_FOLDER)
    if not found:
        raise UsageError(f"the folder {path} has no {_IN_FOLDER}: name one of score -o, or files")
    return found


def from_scores(files: Sequence[Sequence[Score]]) -> Results:
    """Combines the scores that score files have under the topic ``all``.

    Raises:
        UsageError: a run is in two files that do not state their numbers of topics; two runs are
            the same combination; or there is no score of SummHay.
    """
    values: dict[str, dict[str, list[tuple[float, float | None]]]] = {}
    open_cells: set[tuple[str, str]] = set()
    for scores in files:
        averages = [score for score in scores if score.topic_id == ALL]
        num_topics = {each.run_id: each.value for each in averages if each.measure == "num_q"}
        for each in averages:
            measure = each.measure.removesuffix("_lower")
            if each.measure in (*SCORES, LENGTH):
                found = values.setdefault(each.run_id, {}).setdefault(each.measure, [])
                if each.value is not None:
                    found.append((each.value, num_topics.get(each.run_id)))
            elif measure in SCORES:
                values.setdefault(each.run_id, {})
                open_cells.add((each.run_id, measure))
    if not values:
        raise UsageError("no file has scores of SummHay: score the runs with --protocol summhay")
    cells = _by_combination({
        run_id: {
            name: Cell(_weighted_mean(run_id, known.get(name, ())), (run_id, name) in open_cells)
            for name in (*SCORES, LENGTH)
        }
        for run_id, known in values.items()
    })  # fmt: skip
    lengths: dict[str, list[Cell]] = {}
    for combined, measures in cells.items():
        if not combined.is_reordered:
            lengths.setdefault(combined.summarizer, []).append(measures[LENGTH])
    words = {name: _mean_of(listed).value for name, listed in lengths.items()}
    return Results("topics", cells=cells, words=words)


def _weighted_mean(run_id: str, found: Sequence[tuple[float, float | None]]) -> float | None:
    """The mean over the topics of all files."""
    if len(found) <= 1:
        return found[0][0] if found else None
    weighed = [(value, weight) for value, weight in found if weight is not None]
    if len(weighed) < len(found):
        message = f"two of the files have scores of the run {run_id!r}, without their numbers of"
        raise UsageError(f"{message} topics (num_q): name the haystacks instead")
    return ratio(sum(value * weight for value, weight in weighed), sum(w for _, w in weighed))
