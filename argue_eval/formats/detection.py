"""Finds out from its content in which form a file is written.

A form's module lists in `SHAPES` the sets of keys that make it out, such as
``("metadata.topic_id", "responses")``. Of all forms that fit, the one with the most keys is it.
"""

from __future__ import annotations

from functools import cache
from operator import itemgetter
from types import ModuleType
from typing import Any

from argue_eval import _registry
from argue_eval.errors import describe
from argue_eval.formats.checking import Check

Shape = tuple[str, ...]

_KINDS = {
    "runs": "a run",
    "nuggets": "nuggets",
    "judgments": "judgments",
    "requests": "report requests",
    "documents": "documents",
}


def detect(kind: str, value: Any, check: Check) -> ModuleType | None:
    """Returns the module of the form that fits the first item of a file.

    If none fits, that is noted as an error which names the nearest form and what it lacks.

    Args:
        kind: the family, such as ``runs``.
    """
    best = _best(kind, value)
    if best is not None:
        return best
    message, hint = _unknown(kind, value)
    check.error("unknown_format", message, hint=hint)
    return None


def kind_of(value: Any) -> tuple[str, str] | None:
    """Returns the kind and the form that fit an item with the most keys; None if none does."""
    fitting = [
        (len(shape), kind, name)
        for kind in _KINDS
        for _, name, shape in _shapes(kind)
        if all(_has(value, key) for key in shape)
    ]
    return max(fitting, key=itemgetter(0))[1:] if fitting else None


def fits(kind: str, value: Any) -> bool:
    """Returns whether an item fits some form of a kind."""
    return _best(kind, value) is not None


def is_detected(kind: str, value: Any, module: ModuleType) -> bool:
    """Returns whether an item makes a form out; that of a text always does."""
    return not module.SHAPES or _best(kind, value) is module


def marks(kind: str) -> set[str]:
    """Returns the keys by which the forms of a kind are told apart."""
    return {key.partition(".")[0] for _, _, shape in _shapes(kind) for key in shape}


@cache
def _shapes(kind: str) -> tuple[tuple[ModuleType, str, Shape], ...]:
    """Returns the sets of keys of all forms of a kind, those of the canonical one first."""
    names = _registry.names(f"formats.{kind}")
    modules = [
        (_registry.load(f"formats.{kind}", name), name)
        for name in sorted(names, key=lambda name: name != "canonical")
    ]
    return tuple((module, name, shape) for module, name in modules for shape in module.SHAPES)


def _best(kind: str, value: Any) -> ModuleType | None:
    fitting = [
        (len(shape), module)
        for module, _, shape in _shapes(kind)
        if all(_has(value, key) for key in shape)
    ]
    return max(fitting, key=itemgetter(0))[1] if fitting else None


def _has(value: Any, key: str) -> bool:
    for step in key.split("."):
        if type(value) is not dict or step not in value:
            return False
        value = value[step]
    return True


def _unknown(kind: str, value: Any) -> tuple[str, str]:
    """Returns message and hint for what is not of the kind that was asked for."""
    for other, name in _KINDS.items():
        if other != kind and _best(other, value) is not None:
            hint = "check which file you named where"
            if {kind, other} == {"runs", "nuggets"}:
                hint = "name the runs first, then the nuggets"
            return f"expected {_KINDS[kind]}, found {name}", hint
    shapes = _shapes(kind)
    names = ", ".join(dict.fromkeys(name for _, name, _ in shapes))
    message = f"this fits no form of {kind} ({names}): found {describe(value)}"
    if type(value) is dict:
        _, name, nearest = max(shapes, key=lambda each: _share(value, each[2]))
        near = "nearest" if _share(value, nearest) else "the usual one"
        lacking = " and ".join(repr(key) for key in nearest if not _has(value, key))
        message = f"{message}; {near} is {name!r}, which needs {lacking} too"
    return message, "add what is missing, or check that this is the right file"


def _share(value: Any, shape: Shape) -> float:
    """Returns how many of the keys are there, from 0 to 1."""
    return sum(_has(value, key) for key in shape) / len(shape)
