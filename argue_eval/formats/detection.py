"""Detects from the content of a file in which format it is written."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from operator import attrgetter
from typing import Any, cast

from argue_eval import _registry
from argue_eval.errors import describe
from argue_eval.formats.checking import Check
from argue_eval.formats.plugins import Detected, Format, Plain, Shape, load
from argue_eval.formats.shapes import BUILT_IN, Candidate

CALLED = {
    "runs": "a run",
    "nuggets": "nuggets",
    "judgments": "judgments",
    "requests": "report requests",
    "documents": "documents",
}
"""How messages call what the files of a kind hold."""

_USES = {
    "runs": "check a run with: argue-eval validate FILE",
    "nuggets": "check nuggets with: argue-eval ingest qrels FILE -o qrels.json",
    "judgments": "name judgments in: argue-eval score RUN QRELS --judgments FILE",
    "requests": "name report requests with --requests FILE; check them with: argue-eval ingest "
    "requests FILE -o topics.jsonl",
    "documents": "name documents with --collection FILE",
}
_ORDER = "where runs and nuggets are named, the runs come first"
_MANY_KEYS = 4
_OWN = {
    "nugget-edits": (
        "edits that a sheet exported",
        "make them in the bank: argue-eval curate collect FILE --bank BANK -o NEW",
    ),
    "bank-history": (
        "the history of a bank",
        "name the bank itself; the history is printed by: argue-eval curate diff FILE",
    ),
    "calibration": ("a calibration", "name it with --calibration FILE"),
    "replies": ("replies of a model", "name what the command wrote that keeps them"),
}
"""What else argue-eval writes, by its key `format`, and what it is for."""


def detect(kind: str, value: Any, check: Check) -> Format[Any] | None:
    """The format of the first item of a file.

    If none fits, that is noted as an error which names the nearest format and what it lacks.

    Args:
        kind: the kind of file, such as ``runs``.
    """
    best = _best(kind, value) or _best(kind, value, is_built_in=False)
    if best is None:
        message, hint = _unknown(kind, value, check.source.name)
        check.error("unknown_format", message, hint=hint)
        return None
    return cast("Format[Any]", _registry.load(f"formats.{kind}", best.name))


def kind_of(value: Any) -> tuple[str, str] | None:
    """Kind and name of the format that fits an item with the most keys; None if none does.

    Installed ones count where no built-in fits.
    """
    best = _best_of_all(value) or _best_of_all(value, is_built_in=False)
    return best and (best.kind, best.name)


def called(value: Any) -> str:
    """How messages call what an item is; an empty text if no format fits it."""
    found = kind_of(value)
    return CALLED[found[0]] if found else ""


def fits(kind: str, value: Any) -> bool:
    """Whether an item fits some format of a kind. Installed ones count where no built-in fits."""
    if _best(kind, value):
        return True
    return _best_of_all(value) is None and _best(kind, value, is_built_in=False) is not None


def is_detected(kind: str, value: Any, target: Format[Any]) -> bool:
    """Whether an item is detected as one of this format; that of a text always is."""
    if isinstance(target, Plain):
        return True
    best = _best(kind, value) or _best(kind, value, is_built_in=False)
    return best is not None and load(kind, best.name) is target


def marks(kind: str) -> set[str]:
    """The keys by which the formats of a kind are distinguished."""
    return {key.partition(".")[0] for each in BUILT_IN[kind] for key in each.shape}


@cache
def _installed(kind: str) -> list[Candidate]:
    """The candidates of the formats that other packages have, which are slow to look up."""
    names = _registry.installed(f"formats.{kind}")
    found = [cast(Detected, load(kind, name)) for name in names]
    pairs = zip(names, found, strict=True)
    return [Candidate.of(kind, name, keys) for name, each in pairs for keys in each.SHAPES]


def _best(kind: str, value: Any, is_built_in: bool = True) -> Candidate | None:
    candidates = BUILT_IN[kind] if is_built_in else _installed(kind)
    found = _keys_in(value, candidates)
    fitting = (each for each in candidates if found.issuperset(each.shape))
    best = max(fitting, key=attrgetter("num_keys"), default=None)
    if best and best.num_keys <= (2 if kind == "requests" else 1):
        # They say little where many of another kind are there: sheets have an "answer" too, and
        # nuggets the "topic_id" and "question" of requests.
        others = [each for other in CALLED if other != kind for each in BUILT_IN[other]]
        found = _keys_in(value, others)
        if any(each.num_keys >= _MANY_KEYS and found.issuperset(each.shape) for each in others):
            return None
    return best


def _best_of_all(value: Any, is_built_in: bool = True) -> Candidate | None:
    found = [_best(kind, value, is_built_in) for kind in CALLED]
    return max(filter(None, found), key=attrgetter("num_keys"), default=None)


def _keys_in(value: Any, candidates: Iterable[Candidate]) -> set[str]:
    """The keys of candidates that an item has."""
    found = set()
    for key in {key for each in candidates for key in each.shape}:
        inner = value
        for step in key.split("."):
            inner = inner[0] if type(inner) is list and inner else inner
            if type(inner) is not dict or step not in inner:
                break
            inner = inner[step]
        else:
            found.add(key)
    return found


def other_kind(kind: str, value: Any, file: str) -> tuple[str, str]:
    """What an item of another kind is, and what it is for; empty texts for any other value."""
    from shlex import quote

    if kind == "runs" and fits("runs", value) and fits("judgments", value):
        hint = f"score them with: argue-eval score {quote(file)} {quote(file)} --protocol NAME"
        return "expected a run, found reports with judgments of them", hint
    stated = value.get("format") if type(value) is dict else None
    if type(stated) is str and stated.startswith("argue-eval/") and not fits(kind, value):
        what, hint = _OWN.get(stated.split("/")[1], ("", ""))
        if what:
            return f"expected {CALLED[kind]}, found {what}", hint.replace("FILE", quote(file))
    for other, name in CALLED.items():
        if other != kind and fits(other, value):
            hint = _USES[other].replace("FILE", quote(file))
            return f"expected {CALLED[kind]}, found {name}", hint
    return "", ""


def _unknown(kind: str, value: Any, file: str) -> tuple[str, str]:
    message, hint = other_kind(kind, value, file)
    if message:
        is_swapped = kind in ("runs", "nuggets") and message.endswith(("a run", "nuggets"))
        return message, f"{_ORDER}; {hint}" if is_swapped else hint
    candidates = (*BUILT_IN[kind], *_installed(kind))
    names = ", ".join(dict.fromkeys(each.name for each in candidates))
    message = f"this is no known format of {kind} ({names}): found {describe(value)}"
    if type(value) is dict:
        found = _keys_in(value, candidates)
        nearest = max(candidates, key=lambda each: _share(found, each.shape))
        near = "nearest" if _share(found, nearest.shape) else "the usual one"
        lacking = " and ".join(repr(key) for key in nearest.shape if key not in found)
        message = f"{message}; {near} is {nearest.name!r}, which also needs {lacking}"
    return message, "add what is missing, or check that this is the right file"


def _share(found: set[str], shape: Shape) -> float:
    """How many of the keys are there, from 0 to 1."""
    return len(found.intersection(shape)) / len(shape)
