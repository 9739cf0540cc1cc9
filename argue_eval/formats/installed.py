"""Formats of third parties: what they have and what they give is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from argue_eval._registry import ThirdParty
from argue_eval.errors import UsageError, shorten
from argue_eval.formats.checking import Check
from argue_eval.formats.given import check_records
from argue_eval.formats.plugins import Assessed
from argue_eval.records import Document, Judgment, Report, ReportRequest, TopicNuggets

_RECORDS: dict[str, type] = {
    "requests": ReportRequest,
    "nuggets": TopicNuggets,
    "runs": Report,
    "documents": Document,
    "judgments": Judgment,
}
_TEXTS = ("START", "BETWEEN", "END")


def check(plugin: ThirdParty, module: Any) -> None:
    """Makes of a module one that gives what it must.

    Raises:
        UsageError: it has something else.
    """
    for shape in plugin.expect("SHAPES", module.SHAPES, tuple, list):
        if not (shape and isinstance(shape, (tuple, list)) and {str}.issuperset(map(type, shape))):
            example = 'tuples of keys, such as (("topic", "text"),)'
            raise plugin.wrong(f"SHAPES: expected {example}, found {shorten(module.SHAPES)}")
    for name in _TEXTS:
        plugin.expect(name, getattr(module, name, ""), str)
    record = _RECORDS[plugin.family.partition(".")[2]]
    ways: list[tuple[str, Callable[..., Any], type]] = [
        ("read", partial(_reading, plugin), record),
        ("read_assessed", partial(_reading, plugin), Assessed),
        ("read_blocks", plugin.yielding, record),
        ("items", plugin.yielding, object),
        ("encode", plugin.giving, str if getattr(module, "IS_TEXT", False) else object),
        ("why_not", plugin.giving, str),
    ]
    for name, checked, type_ in ways:
        if hasattr(module, name):
            setattr(module, name, checked(name, getattr(module, name), type_))


def _reading(
    plugin: ThirdParty, name: str, read: Callable[..., Any], type_: type
) -> Callable[..., Iterator[Any]]:
    """Makes of a reader one that yields nothing but records with the right fields."""
    checked = plugin.yielding(name, read, type_)

    def reading(values: Any, check: Check, *args: Any, **named: Any) -> Iterator[Any]:
        seen = {*check.topics}
        for each in checked(values, check, *args, **named):
            check_fields(plugin, name, [each.judgment, each] if type_ is Assessed else [each])
            if type_ in (ReportRequest, TopicNuggets):
                _note_topic(check, each.topic_id, seen)
            is_placed = type_ is not Report or each.line is not None
            yield each if is_placed else each._replace(line=check.here())

    return reading


def _note_topic(check: Check, topic_id: str, seen: set[str]) -> None:
    """Notes where a topic stands, and an error if it was seen; unless the reader has done so."""
    errors = check.errors if topic_id in seen else ()
    is_told = any((each.code, each.topic_id) == ("duplicate_topic", topic_id) for each in errors)
    if not is_told and (topic_id in seen or topic_id not in check.topics):
        check.new_topic(topic_id, ())
    seen.add(topic_id)


def check_fields(plugin: ThirdParty, what: str, records: Sequence[Any]) -> None:
    """Refuses records of a plug-in with fields of other types.

    Raises:
        UsageError: with the field that is wrong.
    """
    try:
        check_records(records, is_whole=True)
    except UsageError as exc:
        raise plugin.wrong(f"{what}: {exc}") from None
