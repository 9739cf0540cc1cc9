"""JSON lines with `qid`, `query` and `nuggets` of `text` and `importance` (nuggetizer)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.errors import shorten
from argue_eval.formats.assignments import ASSIGNED, SUB_NARRATIVE, squeezed
from argue_eval.formats.checking import Check, Fields, each_object, json_items
from argue_eval.formats.nuggets._bank import importance, with_ids, with_importance
from argue_eval.formats.writing import with_further
from argue_eval.records import Answer, Nugget, TopicNuggets

_NEW = re.compile(r"\s*New:\s*")


def read(values: Iterable[Any], check: Check) -> Iterator[TopicNuggets]:
    """Yields the nuggets of each topic. They are claims without documents.

    Assignments have a line per run, with the same nuggets in each: the first one is taken.
    """
    for top in each_object(check, values):
        topic_id = top.identifier("qid", or_number=True)
        if top.rest.get("query") == "":
            del top.rest["query"]
        is_assigned = "run_id" in top.rest
        nuggets = with_ids(map(_nugget, top.objects("nuggets")))
        found = Counter((squeezed(each.answers[0].answer), each.importance) for each in nuggets)
        first = check.repeated.setdefault(topic_id, found)
        if first is not found and first == found:
            continue
        hint = "the nuggets of the two differ: keep one of the two"
        if is_assigned:
            hint = "all runs have the same nuggets: name the file of the nuggets as QRELS"
        check.new_topic(topic_id, top.path, hint)
        extra = {key: value for key, value in top.rest.items() if key not in ASSIGNED}
        yield TopicNuggets(topic_id=topic_id, nuggets=nuggets, extra=extra)


def read_blocks(check: Check) -> Iterator[TopicNuggets]:
    """Yields the same from a file of lines. Nearly all lines of assignments repeat the nuggets of
    their topic as another has them: what else they say is for other readers.
    """
    yield from read(_new_values(check), check)


def _new_values(check: Check) -> Iterator[Any]:
    import msgspec

    nugget = msgspec.defstruct("Nugget", [("text", str), ("importance", str)], gc=False)
    line = msgspec.defstruct("Line", [("qid", str), ("nuggets", list[nugget])], gc=False)  # type: ignore[valid-type]
    decode = msgspec.json.Decoder(line).decode
    known: dict[str, list[tuple[str, str]]] = {}
    for number, raw in check.source.lines():
        try:
            found: Any = decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            found = None
        if found is not None:
            nuggets = [(each.text.strip(), each.importance) for each in found.nuggets]
            first = known.setdefault(found.qid, nuggets)
            if first is not nuggets and first == nuggets:
                continue
        yield from json_items(check, [(number, raw)])


def _nugget(fields: Fields) -> Nugget:
    claim = Answer(answer=fields.text("text", blank=False))
    matters = importance(fields)
    fields.rest.pop("assignment", None)
    if SUB_NARRATIVE in fields.rest:
        _clean(fields)
    return Nugget(
        nugget_id="",
        question=None,
        answers=(claim,),
        importance=matters,
        extra=fields.rest,
    )


def _clean(fields: Fields) -> None:
    """Takes marks off a sub-narrative: those that one assessor wrote must be those of another."""
    value = fields.rest[SUB_NARRATIVE]
    path = (*fields.path, SUB_NARRATIVE)
    if type(value) is not str:
        if value is not None:
            fields.check.wrong_type("the text of a sub-narrative", value, path)
        del fields.rest[SUB_NARRATIVE]
        return
    text = " ".join(_NEW.sub("", value, count=1).split())
    quoted = text.removeprefix('"').removesuffix('"').strip()
    if text != quoted:
        message = f"the sub-narrative {shorten(value)} has quotes in it: read as {shorten(quoted)}"
        fields.check.warn("stray_quotes", message, path, hint="remove them from the text",
                          once=True)  # fmt: skip
    if quoted:
        fields.rest[SUB_NARRATIVE] = quoted
    else:
        message = "the sub-narrative is empty: the nugget is read as having none"
        fields.check.warn("blank_text", message, path, once=True)
        del fields.rest[SUB_NARRATIVE]


def why_not(nugget: Nugget) -> str:
    """Why the format cannot hold a nugget; an empty text if it can."""
    return "" if nugget.is_claim else "this format has claims only, and it is a question"


def encode(topic: TopicNuggets) -> dict[str, Any]:
    """A topic's nuggets, which are claims, as a JSON value."""
    nuggets = [with_importance({"text": each.answers[0].answer}, each) for each in topic.nuggets]
    query = topic.extra.get("query", "")  # nuggetizer does not read a file without
    value = {"query": query, "qid": topic.topic_id, "nuggets": nuggets}
    return with_further(value, topic.extra)
