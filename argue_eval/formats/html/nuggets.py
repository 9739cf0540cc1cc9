"""Nuggets as a page on which a person edits them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from argue_eval.errors import UsageError, shorten
from argue_eval.formats import nugget_edits
from argue_eval.formats.html.sheets import page
from argue_eval.formats.nuggets import canonical
from argue_eval.records import MAX_WEIGHT, Document, ReportRequest, TopicNuggets

FORMAT = "argue-eval/nugget-sheet/1"


def editing(
    topics: Iterable[TopicNuggets],
    requests: Iterable[ReportRequest] = (),
    documents: Iterable[Document] = (),
    assessor: str = "",
) -> Iterator[str]:
    """Yields the text of a page on which the nuggets of some topics are edited.

    Args:
        requests: what the topics ask, to be shown; `documents`: which answers name.

    Raises:
        UsageError: there is no topic, or the assessor's name could not be read back.
    """
    if not assessor.isprintable():
        raise UsageError(f"--assessor: expected a name on one line, found {shorten(assessor)}")
    asked = {each.topic_id: f"{each.title}\n{each.problem_statement}".strip() for each in requests}
    values = [
        {**canonical.encode(topic), "request": asked.get(topic.topic_id, "")} for topic in topics
    ]
    if not values:
        raise UsageError("there are no topics to edit")
    data = {
        "format": FORMAT,
        "edits": nugget_edits.FORMAT,
        "max_weight": MAX_WEIGHT,
        "assessor": assessor,
        "topics": values,
        "documents": {each.doc_id: f"{each.title}\n\n{each.text}".strip() for each in documents},
    }
    return page(data, "editing", "edits")
