"""Records that a caller made in memory: whether their fields are as the readers make them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from argue_eval._registry import called
from argue_eval.errors import UsageError, shorten
from argue_eval.records import (
    Aggregator,
    Answer,
    Citation,
    Document,
    Importance,
    Judgment,
    Kind,
    Nugget,
    Report,
    ReportRequest,
    Run,
    Sentence,
    TopicNuggets,
    Verdict,
)

Fields = Mapping[type, Mapping[str, tuple[type, ...]]]
"""The types that each field of a record may have."""


def check_records(records: Sequence[Any], fields: Fields | None = None) -> None:
    """Refuses records with fields of other types, such as citations that are plain ids, and texts
    that are none.

    Args:
        fields: what is looked at; by default `FIELDS`.

    Raises:
        UsageError: with the field that is wrong.
    """
    fields = fields or FIELDS
    for kind in fields.keys() & {*map(type, records)}:
        _check([each for each in records if type(each) is kind], kind, fields)


def _check(records: Sequence[Any], kind: type, fields: Fields) -> None:
    """Looks at all records of a kind together, field by field, which takes least time."""
    for name, types in fields[kind].items():
        for found in {*map(type, map(attrgetter(name), records))}:
            if not issubclass(found, types):
                raise _wrong(kind, name, called(types), found)
        if str in types:
            _check_characters(kind, name, filter(None, map(attrgetter(name), records)))
    if kind not in _PARTS:
        return
    name, part = _PARTS[kind]
    expected = "a tuple of ids" if part is str else f"{part.__name__} records"
    parts: list[Any] = []
    for holder in map(attrgetter(name), records):
        if not isinstance(holder, (tuple, list)):
            raise _wrong(kind, name, expected, type(holder))
        parts += holder
    for found in {*map(type, parts)}:
        if not issubclass(found, part):
            raise _wrong(kind, name, expected, found)
    if part is str:
        _check_characters(kind, name, parts)
    elif part in fields:
        _check(parts, part, fields)


def _check_characters(kind: type, name: str, texts: Iterable[str]) -> None:
    """Refuses half of a surrogate pair, as an emoji that was cut in two leaves it."""
    joined = "\n".join(texts)
    try:
        joined.encode()
    except UnicodeEncodeError as exc:
        before, after = joined[: exc.start][-20:], joined[exc.start :][:20]
        near = shorten(before.rpartition("\n")[2] + after.partition("\n")[0])
        message = "half of a surrogate pair (\\ud800 to \\udfff) is no character"
        raise UsageError(f"{kind.__name__}.{name}: {message}, near {near}") from None


def _wrong(kind: type, name: str, expected: str, found: type) -> UsageError:
    return UsageError(f"{kind.__name__}.{name}: expected {expected}, found {found.__name__}")


_TEXT = (str,)
FIELDS: Fields = {
    Run: {"run_id": _TEXT},
    Report: {"topic_id": _TEXT, "run_id": _TEXT},
    Sentence: {"text": _TEXT},
    Citation: {"doc_id": _TEXT},
    TopicNuggets: {"topic_id": _TEXT},
    Nugget: {
        "nugget_id": _TEXT,
        "question": (str, type(None)),
        "aggregator": (Aggregator,),
        "importance": (Importance, type(None)),
    },
    Answer: {"answer": _TEXT},
    ReportRequest: {"topic_id": _TEXT, "title": _TEXT, "problem_statement": _TEXT},
    Document: {"doc_id": _TEXT, "title": _TEXT, "text": _TEXT},
    Judgment: {"kind": (Kind,), "topic_id": _TEXT, "verdict": (Verdict,)},
}
_PARTS: Mapping[type, tuple[str, type]] = {
    Run: ("reports", Report),
    Report: ("sentences", Sentence),
    Sentence: ("citations", Citation),
    TopicNuggets: ("nuggets", Nugget),
    Nugget: ("answers", Answer),
    Answer: ("doc_ids", str),
}
