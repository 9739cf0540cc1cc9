"""JSON lines with `theme` and `checklist`, the claims that an essay must make."""

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, as_fields
from argue_eval.records import Answer, Nugget, TopicNuggets

SHAPES = (("theme", "checklist"),)


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the claims of each topic."""
    for value in values:
        fields = as_fields(check, value)
        if fields is not None:
            topic_id = fields.identifier("theme")
            check.new_topic(topic_id, fields.path)
            nuggets: list[Nugget] = []
            for item in fields.objects("checklist"):
                claim = Answer(answer=item.text("claim"), doc_ids=item.identifiers("sources"))
                nugget_id = str(len(nuggets) + 1)
                nuggets.append(Nugget(nugget_id=nugget_id, question=None, answers=(claim,)))
            yield TopicNuggets(topic_id=topic_id, nuggets=tuple(nuggets))


def why_not(nugget: Nugget) -> str:
    """Why the format cannot hold a nugget; an empty text if it can."""
    return "" if nugget.is_claim else "this format has claims only, and it is a question"


def encode(topic: TopicNuggets) -> dict[str, Any]:
    """The claims of a topic as a JSON value."""
    claims = [each.answers[0] for each in topic.nuggets]
    items = [{"claim": each.answer, "sources": list(each.doc_ids)} for each in claims]
    return {"theme": topic.topic_id, "checklist": items}
