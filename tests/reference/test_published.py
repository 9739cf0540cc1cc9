"""Figures that others have published, reproduced from their counts to the last digit."""

from __future__ import annotations

import pytest

from argue_eval import measures
from argue_eval.measures.averages import average_topics, measure_topics
from argue_eval.measures.families.auto_argue import Stats
from argue_eval.records import Bounds, MeasureValue

# A TREC 2025 RAGTIME run: what it published for the topics together.
COUNTS = {
    "citations": 377,
    "supporting_citations": 163,
    "sentences_with_citations_or_requiring_citations": 129,
    "correctly_cited_sentences": 45,
    "nuggets": 815,
    "correct_nuggets": 114,
}
PUBLISHED = {
    "citation_support_micro": 0.4323607427055703,
    "sentence_support_micro": 0.3488372093023256,
    "nugget_coverage_micro": 0.13987730061349693,
    "f1_micro": 0.19968470835522856,
}
JUDGED = {
    "citations": "judged_support",
    "sentences_with_citations_or_requiring_citations": "judged_sentences",
    "nuggets": "judged_nuggets",
}


def spread(num_topics: int) -> list[Stats]:
    """The counts, spread unevenly over topics."""
    topics = [Stats() for _ in range(num_topics)]
    for name, total in COUNTS.items():
        for place in range(num_topics):
            share = total // num_topics + (place < total % num_topics)
            fields = {name: share, **({JUDGED[name]: share} if name in JUDGED else {})}
            topics[place] = topics[place]._replace(**fields)
    return topics


def averages(name: str, topics: list[Stats]) -> list[MeasureValue]:
    ((measure,),) = [each.measures for each in measures.select([name])]
    bounds = [Bounds(judged=stats, worst=stats, best=stats) for stats in topics]
    (column,) = measure_topics([measure], list(map(str, range(len(topics)))), bounds)
    return average_topics([measure], [column], bounds)


@pytest.mark.parametrize("num_topics", [1, 7, 34])
@pytest.mark.parametrize("name", PUBLISHED)
def test_micro_averages_of_a_ragtime_run_to_the_last_digit(name: str, num_topics: int) -> None:
    rows = averages(name.removesuffix("_micro"), spread(num_topics))
    assert {row.measure: row.value for row in rows}[name] == PUBLISHED[name]


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_topics_add_up(name: str) -> None:
    (row,) = averages(name, spread(34))
    assert row.value == COUNTS[name]
