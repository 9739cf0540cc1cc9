"""A least-recently-used cache bounded by the size of what it holds, not by its number."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class Cache(Generic[_K, _V]):
    """Values by key, made on demand; the least recently used leave when it gets too full."""

    def __init__(self, make: Callable[[_K], _V], size: Callable[[_K], int], capacity: int) -> None:
        self._make, self._size, self._capacity = make, size, capacity
        self._values: dict[_K, _V] = {}
        self._filled = 0

    def __getitem__(self, key: _K) -> _V:
        if key in self._values:
            value = self._values.pop(key)
        else:
            value = self._make(key)
            self._filled += self._size(key)
            while self._filled > self._capacity and self._values:
                oldest = next(iter(self._values))
                del self._values[oldest]
                self._filled -= self._size(oldest)
        self._values[key] = value
        return value
