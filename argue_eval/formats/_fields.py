"""Typed access to the keys of one JSON object, with an error for whatever does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, TypeVar

from argue_eval.errors import describe
from argue_eval.formats._check import Check
from argue_eval.jsonl import JsonPath

T = TypeVar("T")

MISSING: Any = object()
"""What `Fields.take` returns for a key that is absent."""


class Fields:
    """One JSON object from which keys are taken one by one; what is left is kept as `extra`.

    A method that takes a key notes an error if the value does not fit, and returns a value of the
    right type all the same, so that one pass finds every error. A key that may be absent may
    be null too. Of several names for one key, the first that the object has is taken.
    """

    __slots__ = ("_left", "check", "path")

    def __init__(self, check: Check, value: Mapping[str, Any], path: JsonPath = ()) -> None:
        self.check = check
        self.path = path
        self._left = dict(value)

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def rest(self) -> dict[str, Any]:
        """Returns the keys that nobody has taken."""
        return self._left

    def take(self, *names: str, required: bool = True) -> tuple[Any, JsonPath]:
        """Returns a value and its path; a value that is absent is `MISSING`."""
        for name in names:
            if name in self._left:
                value = self._left.pop(name)
                if value is None and not required:
                    return MISSING, self.path
                return value, (*self.path, name)
        if required:
            self.missing(*names)
        return MISSING, self.path

    def missing(self, *names: str) -> None:
        """Notes that a key is missing."""
        name, others = names[0], ", ".join(map(repr, names[1:]))
        near = [key for key in self._left if key.lower().rstrip("s") == name.lower().rstrip("s")]
        hint = f"is {near[0]!r} meant?" if near else "add it"
        self.check.error(
            "missing_key",
            f"the key {name!r}{others and f' (or {others})'} is missing",
            self.path,
            hint=hint,
        )

    def identifier(self, *names: str, required: bool = True, or_number: bool = False) -> str:
        """Returns an id; an empty text if it is absent."""
        value, path = self.take(*names, required=required)
        if value is MISSING:
            return ""
        return self.check.identifier(value, path, or_number=or_number)

    def text(self, *names: str, required: bool = True, blank: bool = True) -> str:
        """Returns text; an empty one if it is absent. It may be `blank`, or not."""
        value, path = self.take(*names, required=required)
        if value is MISSING:
            return ""
        if type(value) is not str:
            self.check.wrong_type("text", value, path)
            return ""
        if not blank and not value.strip():
            found = "an empty text" if not value else "white space"
            self.check.error("blank_text", f"expected text, found {found}", path)
        return value

    def whole(self, name: str, least: int = 0) -> int | None:
        """Returns a whole number; None if it is absent."""
        value, path = self.take(name, required=False)
        if value is MISSING:
            return None
        if type(value) is not int:
            self.check.wrong_type("a whole number", value, path)
        elif value < least:
            self.check.error(
                "out_of_range", f"expected {least} or more, found {describe(value)}", path
            )
        else:
            return value
        return None

    def number(self, name: str, least: float, most: float) -> float | None:
        """Returns a number in a range; None if it is absent."""
        value, path = self.take(name, required=False)
        if value is MISSING:
            return None
        if type(value) not in (int, float):
            self.check.wrong_type("a number", value, path)
        elif not (isfinite(value) and least <= value <= most):
            message = f"expected a number from {least:g} to {most:g}, found {describe(value)}"
            self.check.error("out_of_range", message, path)
        else:
            return float(value)
        return None

    def choice(self, name: str, choices: Mapping[str, T], default: T) -> T:
        """Returns what a word stands for; the default if it is absent."""
        value, path = self.take(name, required=False)
        if value is MISSING:
            return default
        if type(value) is str and value in choices:
            return choices[value]
        words = ", ".join(repr(word) for word in choices)
        self.check.error("bad_value", f"expected one of {words}, found {describe(value)}", path)
        return default

    def items(self, *names: str, required: bool = True) -> Iterator[tuple[Any, JsonPath]]:
        """Yields the values of a list with their paths."""
        value, path = self.take(*names, required=required)
        if value is MISSING:
            return
        if type(value) is not list:
            self.check.wrong_type("a list", value, path)
            return
        for index, item in enumerate(value):
            yield item, (*path, index)

    def objects(self, *names: str, required: bool = True) -> Iterator[Fields]:
        """Yields the objects of a list."""
        for value, path in self.items(*names, required=required):
            fields = as_fields(self.check, value, path)
            if fields is not None:
                yield fields

    def identifiers(self, *names: str, required: bool = True) -> tuple[str, ...]:
        """Returns the ids of a list."""
        found = self.items(*names, required=required)
        return tuple(self.check.identifier(value, path) for value, path in found)

    def object(self, *names: str, required: bool = True) -> Fields | None:
        """Returns an object; None if it is absent or something else."""
        value, path = self.take(*names, required=required)
        return None if value is MISSING else as_fields(self.check, value, path)


def as_fields(check: Check, value: Any, path: JsonPath = ()) -> Fields | None:
    """Returns the value as fields; notes an error and returns None if it is not an object."""
    if type(value) is dict:
        return Fields(check, value, path)
    check.wrong_type("an object", value, path)
    return None
