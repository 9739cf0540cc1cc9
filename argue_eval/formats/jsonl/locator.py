"""Finds the line on which a value of a JSON document starts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from argue_eval.formats.jsonl.source import JsonPath

_SPACE = re.compile(r"[\s,:]*")


class Locator:
    """Lines of values in one JSON document.

    >>> Locator(b'{"a":\\n [1,\\n {"b": 2}]}').line(("a", 1, "b"))
    3
    """

    def __init__(self, raw: bytes) -> None:
        self._text = raw.decode("utf-8", "replace")
        self._decoder = json.JSONDecoder()
        self._children: dict[JsonPath, tuple[dict[str | int, int], Iterator[str | int]]] = {}

    def line(self, path: JsonPath) -> int:
        """The 1-based line; for a path that does not exist, that of its deepest part."""
        at = self._skip(0)
        for depth in range(len(path)):
            found = self._child(path[:depth], path[depth], at)
            if found is None:
                break
            at = found
        return 1 + self._text.count("\n", 0, at)

    def _child(self, parent: JsonPath, step: str | int, at: int) -> int | None:
        if parent not in self._children:
            offsets: dict[str | int, int] = {}
            self._children[parent] = offsets, self._walk(at, offsets)
        offsets, walk = self._children[parent]
        if step not in offsets:
            for name in walk:
                if name == step:
                    break
        return offsets.get(step)

    def _walk(self, at: int, offsets: dict[str | int, int]) -> Iterator[str | int]:
        """Yields the keys or indexes of a container, their places being noted before."""
        text = self._text
        try:
            if text[at] not in "[{":
                return
            is_object, at = text[at] == "{", self._skip(at + 1)
            index = 0
            while text[at] not in "]}":
                name: str | int = index
                if is_object:
                    name, after = self._decoder.raw_decode(text, at)
                    at = self._skip(after)
                offsets[name] = at
                yield name
                at = self._skip(self._decoder.raw_decode(text, at)[1])
                index += 1
        except (ValueError, IndexError, RecursionError):
            return

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at
