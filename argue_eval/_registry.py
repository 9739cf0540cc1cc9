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

_FILES = {
    "judges": "judges/*/judge.py",
    "measures": "measures/families/*.py",
    "outputs": "report/tables/*.py",
    "outputs.agreement": "report/agreement/*.py",
    "outputs.findings": "report/findings/*.py",
    "outputs.summhay": "report/summhay/*.py",
    "protocols": "measures/protocols/*.py",
    "formats.documents": "formats/documents/*.py",
    "formats.judgments": "formats/judgments/*.py",
    "formats.nuggets": "formats/nuggets/*.py",
    "formats.requests": "formats/requests/*.py",
    "formats.runs": "formats/runs/*.py",
}
"""Where the plug-ins of each family are. The name of a judge is that of its folder."""


def _files(family: str) -> dict[str, Path]:
    """Returns the files of a family's built-in plug-ins by name."""
    found = sorted(_ROOT.glob(_FILES[family]))
    named = {path.parent.name if path.stem == "judge" else path.stem: path for path in found}
    return {name: path for name, path in named.items() if not name.startswith("_")}


def names(family: str) -> list[str]:
    """Returns the names of the built-in plug-ins of a family, sorted."""
    return sorted(_files(family))


def describe(family: str, name: str) -> str:
    """Returns what a built-in plug-in is, in one line, without importing it."""
    with _files(family)[name].open(encoding="utf-8") as stream:
        return stream.readline().strip().strip('"')


def load(family: str, name: str) -> ModuleType:
    """Returns the module of a plug-in.

    Raises:
        UsageError: no plug-in of the family has this name; lists those that exist.
    """
    files = _files(family)
    if name in files:
        parts = files[name].relative_to(_ROOT).with_suffix("").parts
        return import_module(".".join(("argue_eval", *parts)))
    installed = _entry_points(family)
    if name in installed:
        return import_module(installed[name])
    raise unknown_name(family.split(".")[-1].rstrip("s"), name, [*files, *installed])


def _entry_points(family: str) -> dict[str, str]:
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=f"argue_eval.{family}")}
