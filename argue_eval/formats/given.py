"""Records that others made, in memory: whether their fields are as the readers make them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain, filterfalse
from numbers import Integral, Real
from operator import attrgetter
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints  # noqa: TID251  # of classes

from argue_eval._registry import called
from argue_eval.errors import UsageError, shorten
from argue_eval.records import (
    Answer,
    Citation,
    Document,
    Judgment,
    Nugget,
    Question,
    Report,
    ReportRequest,
    Run,
    Sentence,
    TopicNuggets,
)

_NEEDED: Mapping[type, Sequence[str]] = {
    Run: ("run_id",),
    Report: ("topic_id", "run_id"),
    Sentence: ("text",),
    Citation: ("doc_id",),
    TopicNuggets: ("topic_id",),
    Nugget: ("nugget_id", "question", "aggregator", "importance"),
    Answer: ("answer",),
    ReportRequest: ("topic_id", "title", "problem_statement"),
    Document: ("doc_id", "title", "text"),
    Judgment: ("kind", "topic_id", "verdict"),
}
"""What people get wrong. To look at all fields of millions of records takes its time."""

_PARTS: Mapping[type, tuple[str, type]] = {
    Run: ("reports", Report),
    Report: ("sentences", Sentence),
    Sentence: ("citations", Citation),
    TopicNuggets: ("nuggets", Nugget),
    Nugget: ("answers", Answer),
    Answer: ("doc_ids", str),
}
_WRITTEN = {*_NEEDED, Question}
"""Records whose texts must be valid Unicode. What models write is made so where it is stored."""
_ALIKE = {int: (Integral,), float: (Real,), tuple: (tuple, list), Any: (object,)}


def check_records(records: Sequence[Any], *, is_whole: bool = False) -> None:
    """Refuses records with fields of other types, such as citations that are plain ids, and with
    texts that are not valid Unicode. Records of classes derived from ours are not looked at.

    Args:
        is_whole: look at all fields, not only at those that people get wrong.

    Raises:
        UsageError: with the field that is wrong.
    """
    for kind in dict.fromkeys(map(type, records)):
        if kind in _NEEDED or (is_whole and kind.__module__.startswith("argue_eval.")):
            _check([each for each in records if type(each) is kind], kind, is_whole)


def _check(records: Sequence[Any], kind: type, is_whole: bool) -> None:
    """Looks at all records of a kind together, field by field, which takes least time."""
    name, part = _PARTS.get(kind, ("", kind))
    for field, types in _types(kind).items():
        if field != name if is_whole else field in _NEEDED[kind]:
            values = [*map(attrgetter(field), records)]
            for found in {*map(type, values)}:
                if not issubclass(found, types):
                    raise _wrong(kind, field, called(types), found)
            if str in types and kind in _WRITTEN:
                _check_characters(kind, field, values)
    if not name:
        return
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
    else:
        _check(parts, part, is_whole)


@cache
def _types(kind: type) -> dict[str, tuple[type, ...]]:
    """The types that each field of a record may have, by its annotation."""
    types = {}
    for name, hint in get_type_hints(kind).items():
        options = get_args(hint) if isinstance(hint, UnionType) else [hint]
        plain = [get_origin(each) or each for each in options]
        types[name] = (*chain.from_iterable(_ALIKE.get(each, (each,)) for each in plain),)
    return types


def _check_characters(kind: type, name: str, texts: Iterable[str | None]) -> None:
    """Refuses half of a surrogate pair, as an emoji that was cut in two leaves it."""
    joined = "\n".join(filterfalse(str.isascii, filter(None, texts)))
    try:
        joined.encode()
    except UnicodeEncodeError as exc:
        before, after = joined[: exc.start][-20:], joined[exc.start :][:20]
        near = shorten(before.rpartition("\n")[2] + after.partition("\n")[0])
        message = "half of a surrogate pair (\\ud800 to \\udfff) is no character"
        raise UsageError(f"{kind.__name__}.{name}: {message}, near {near}") from None


def _wrong(kind: type, name: str, expected: str, found: type) -> UsageError:
    return UsageError(f"{kind.__name__}.{name}: expected {expected}, found {found.__name__}")
