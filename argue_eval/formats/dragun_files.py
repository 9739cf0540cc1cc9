"""What the readers of DRAGUN's assessments have in common: the rows of the table.

Source: the release of the TREC 2025 DRAGUN track. A row says how far one run's report gives one
short answer of the topic's rubric.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from argue_eval.formats.checking import Check, Fields, each_object

COLUMNS = ("topic_id", "run_tag", "answer_id")


class Row(NamedTuple):
    """One row; `fields` has what is left of it."""

    topic_id: str
    run_id: str
    answer_id: str
    fields: Fields


def rows(values: Iterable[Any], check: Check) -> Iterator[Row]:
    """Yields the rows of the assessments that name their topic, run and answer."""
    for fields in each_object(check, values):
        topic_id, run_id, answer_id = [fields.identifier(name) for name in COLUMNS]
        if topic_id and run_id and answer_id:
            yield Row(topic_id, run_id, answer_id, fields)
