"""Plug-ins by name: a file in a family's folder is a plug-in, its file name is its name.

Third parties add to a family with an entry point in the group ``argue_eval.<family>``. Those are
looked up only when no file of ours has the name, since reading every installed package's metadata
is slow.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

from argue_eval.errors import unknown_name

_ROOT = Path(__file__).parent


def names(family: str) -> list[str]:
    """Returns the names of the built-in plug-ins of a family, sorted.

    A family is a sub-package, such as ``measures`` or ``formats.runs``.
    """
    folder = _ROOT.joinpath(*family.split("."))
    return sorted(
        entry.stem
        for entry in folder.iterdir()
        if entry.suffix == ".py" and not entry.stem.startswith("_")
    )


def describe(family: str, name: str) -> str:
    """Returns what a built-in plug-in is, in one line, without importing it."""
    path = _ROOT.joinpath(*family.split("."), f"{name}.py")
    with path.open(encoding="utf-8") as stream:
        return stream.readline().strip().strip('"')


def load(family: str, name: str) -> ModuleType:
    """Returns the module of a plug-in.

    Raises:
        UsageError: no plug-in of the family has this name; lists those that exist.
    """
    if name in names(family):
        return import_module(f"argue_eval.{family}.{name}")
    installed = _entry_points(family)
    if name in installed:
        return import_module(installed[name])
    raise unknown_name(family.split(".")[-1].rstrip("s"), name, [*names(family), *installed])


def _entry_points(family: str) -> dict[str, str]:
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=f"argue_eval.{family}")}
