"""From evidence to a score table. Pure: it reads no file and reaches no judge."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from argue_eval.measures import Family, Measure
from argue_eval.measures.averages import ALL, measure_topic, over_topics
from argue_eval.records import Bounds, Kind, MeasureValue, ScoreTable, TopicEvidence


def score(
    run_id: str,
    team_id: str,
    signature: str,
    topics: Sequence[TopicEvidence],
    families: Sequence[Family],
    groups: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> ScoreTable:
    """Returns the scores of one run.

    Args:
        topics: one per topic to average over, in the order of the output. A topic without a
            report is 0 for every measure.
        groups: topics by a label; each measure is averaged over each group besides.
    """
    columns: list[_Column] = []
    for family in families:
        bounds = [family.module.tally(evidence) for evidence in topics]
        columns.extend(_column(measure, topics, bounds) for measure in family.measures)
    rows = [column.rows[place] for place in range(len(topics)) for column in columns]
    rows.extend(row for column in columns for row in _averages(column))
    for label, members in groups.items():
        rows.extend(_of_group(label, frozenset(members), columns))
    undefined = {row.topic_id for column in columns for row in column.rows if row.is_undefined}
    unjudged = sum(_num_unjudged(evidence) for evidence in topics)
    return ScoreTable(
        run_id,
        team_id,
        signature,
        tuple(rows),
        {
            "num_q": len(topics),
            "num_q_run": sum(evidence.report is not None for evidence in topics),
            "num_unjudged": unjudged,
            "num_undefined": len(undefined),
        },
        tuple(evidence.topic_id for evidence in topics if evidence.report is None),
    )


class _Column(NamedTuple):
    """A measure's rows, one per topic, and what they were computed from."""

    measure: Measure
    rows: Sequence[MeasureValue]
    bounds: Sequence[Bounds]


def _column(measure: Measure, topics: Sequence[TopicEvidence], bounds: Sequence[Bounds]) -> _Column:
    """Returns a measure's topic rows."""
    name, value, unit, is_count = measure.name, measure.value, measure.unit, measure.is_count
    values = []
    for evidence, bound in zip(topics, bounds, strict=True):
        row = measure_topic(name, evidence.topic_id, value, bound, unit, is_count=is_count)
        if evidence.report is None and row.value is None:
            row = row._replace(value=0.0, is_undefined=False)
        values.append(row)
    return _Column(measure, values, bounds)


def _averages(column: _Column) -> list[MeasureValue]:
    """Returns a measure's rows of topic ``all``."""
    measure, rows, bounds = column
    averages = over_topics(measure.name, measure.average, measure.value, rows, bounds)
    return [row._replace(is_count=measure.is_count) for row in averages]


def _of_group(
    label: str, members: frozenset[str], columns: Sequence[_Column]
) -> Iterator[MeasureValue]:
    """Yields how many of the topics are in a group, and every measure's averages over them."""
    for column in columns:
        places = [i for i, row in enumerate(column.rows) if row.topic_id in members]
        if column is columns[0]:
            count = float(len(places))
            yield MeasureValue(f"num_q[{label}]", ALL, count, count, count, is_count=True)
        rows = [column.rows[place] for place in places]
        bounds = [column.bounds[place] for place in places]
        for row in _averages(_Column(column.measure, rows, bounds)):
            yield row._replace(measure=f"{row.measure}[{label}]")


def _num_unjudged(evidence: TopicEvidence) -> int:
    """Returns how many sentences and claim nuggets have a question that nobody answered."""
    return len(
        {
            question.nugget_id
            if question.kind is Kind.COVERS or question.sentence_index < 0
            else question.sentence_index
            for question in evidence.needs
        }
    )
