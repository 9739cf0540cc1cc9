"""Formats of report requests that differ in the names of their keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from argue_eval.formats.checking import Check, Choice, Fields, as_fields
from argue_eval.formats.writing import with_further
from argue_eval.records import ReportRequest

_UNIT = Choice({"characters": "characters", "words": "words"}, "characters")
_USUAL = frozenset(("title", "problem_statement", "background", "limit"))


class Keys(NamedTuple):
    """The names that a format has for the fields of a request.

    Attributes:
        topic_id: of several names, the first that an object has is read.
        written: the key of each field that is always written, in the order of writing.
        optional: fields that are written under their own names where they have a value.
        problem_statement: names of what the report must contain; one of them is required if there
            are several.
        collections: names of the list of collections that may be cited; ``collection_id`` is one.
        or_number: topic ids may be numbers.
        reserved: further keys that mean something in the format, and are never written.
    """

    topic_id: tuple[str, ...]
    written: Mapping[str, str]
    optional: tuple[str, ...] = ()
    problem_statement: tuple[str, ...] = ("problem_statement",)
    collections: tuple[str, ...] = ()
    or_number: bool = False
    reserved: tuple[str, ...] = ()

    def read(self, values: Iterable[Any], check: Check) -> Iterator[ReportRequest]:
        """Yields a request for each object."""
        key = self.topic_id[0]
        is_usual = self.problem_statement == ("problem_statement",)
        usual = _USUAL | {key} if is_usual else frozenset()
        for value in values:
            is_usual = type(value) is dict and key in value and usual.issuperset(value)
            request = self._plain(value, check) if is_usual else None
            if request is None:
                fields = as_fields(check, value)
                request = self._request(fields) if fields else None
            if request is not None:
                yield request

    def encode(self, request: ReportRequest) -> dict[str, Any]:
        """A request as a JSON value."""
        value = {key: getattr(request, field) for field, key in self.written.items()}
        for field in self.optional:
            found = getattr(request, field)
            if found != ReportRequest._field_defaults[field]:
                value[field] = found
        return with_further(value, request.extra, self.reserved)

    def _plain(self, value: dict[str, Any], check: Check) -> ReportRequest | None:
        """The request of an object with the usual keys only; None if a value is none.

        A short cut for files of many thousand requests: `_request` reads such an object as well.
        """
        topic_id, limit = value[self.topic_id[0]], value.get("limit")
        title, problem = value.get("title", ""), value.get("problem_statement", "")
        background = value.get("background", "")
        is_id = type(topic_id) is str and topic_id.isprintable() and topic_id.strip() == topic_id
        is_limit = limit is None or (type(limit) is int and limit > 0)
        are_texts = type(title) is str and type(problem) is str and type(background) is str
        if not (topic_id and is_id and is_limit and are_texts):
            return None
        check.new_topic(topic_id, ())
        return ReportRequest(
            topic_id=topic_id,
            title=title,
            problem_statement=problem,
            background=background,
            limit=limit,
        )

    def _request(self, fields: Fields) -> ReportRequest:
        collection_ids = self._collections(fields)
        topic_id = fields.identifier(*self.topic_id, or_number=self.or_number)
        fields.check.new_topic(topic_id, fields.path)
        names = self.problem_statement
        if len(names) > 1 and not any(name in fields.rest for name in names):
            fields.missing(*names)
        return ReportRequest(
            topic_id=topic_id,
            problem_statement=fields.text(*names, required=False),
            title=fields.text("title", required=False),
            background=fields.text("background", required=False),
            limit=fields.whole("limit", least=1),
            limit_unit=fields.choice(_UNIT, "limit_unit"),
            collection_ids=collection_ids,
            language=fields.text("language", required=False) or None,
            extra=fields.rest,
        )

    def _collections(self, fields: Fields) -> tuple[str, ...]:
        name = next((name for name in self.collections if name in fields.rest), None)
        if name == "collection_id":
            collection_id = fields.identifier(name, required=False)
            return (collection_id,) if collection_id else ()
        return fields.identifiers(name, required=False) if name else ()
