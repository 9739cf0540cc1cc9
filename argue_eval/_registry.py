"""Plug-ins by name: a file in a family's folder is a plug-in, its file name is its name.

Third parties add to a family with an entry point in the group ``argue_eval.<family>``. Those are
looked up only when no file of ours has the name, since reading every installed package's metadata
is slow.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from argue_eval.errors import (
    ArgueEvalError,
    MissingResourceError,
    UsageError,
    plain,
    shorten,
    unknown_name,
)

_ROOT = Path(__file__).parent

_FAMILIES = {
    "clients": ("judges/clients/*.py", "identity create"),
    "judges": ("judges/*/judge.py", "MODEL IS_COSTLY READS_REPORTS create"),
    "measures": ("measures/families/*.py", "PROTOCOL MEASURES tally"),
    "outputs": ("report/tables/*.py", "HEADER SEPARATOR FOOTER BOUNDS render"),
    "outputs.findings": ("report/findings/*.py", "render"),
    "protocols": ("measures/protocols/*.py", "PROTOCOL_CLASS"),
    "formats.documents": ("formats/documents/*.py", "SHAPES read"),
    "formats.judgments": ("formats/judgments/*.py", "SHAPES read"),
    "formats.nuggets": ("formats/nuggets/*.py", "SHAPES read"),
    "formats.requests": ("formats/requests/*.py", "SHAPES read"),
    "formats.runs": ("formats/runs/*.py", "SHAPES read"),
    "tracks": ("validation/tracks/*.toml", ""),
}
"""Where the plug-ins of each family are, and what those of third parties must have. The name of a
judge is that of its folder.
"""


@cache
def files_of(family: str) -> dict[str, Path]:
    """Find the built-in plug-ins of a family, by name; the names are sorted."""
    found = _ROOT.glob(_FAMILIES[family][0])
    named = {path.parent.name if path.stem == "judge" else path.stem: path for path in found}
    return {name: named[name] for name in sorted(named) if not name.startswith("_")}


def installed(family: str) -> dict[str, str]:
    """List the modules of third parties by the names of their plug-ins; built-in names win."""
    if not _have_plugins(tuple(sys.path)):
        return {}
    from importlib.metadata import entry_points

    found = {point.name: point.value for point in entry_points(group=f"argue_eval.{family}")}
    built_in = files_of(family)
    return {name: module for name, module in sorted(found.items()) if name not in built_in}


def all_names(family: str) -> list[str]:
    """List the names of all plug-ins of a family: ours, sorted, then those of third parties."""
    return [*files_of(family), *installed(family)]


@cache
def _have_plugins(folders: tuple[str, ...]) -> bool:
    """True if an installed package has plug-ins.

    It is quicker to look than to import `importlib.metadata`, which takes as long as a command.
    """
    files = (file for each in folders for file in Path(each).glob("*-info/entry_points.txt"))
    return any(b"[argue_eval." in file.read_bytes() for file in files)


def describe(family: str, name: str) -> str:
    """Describe a plug-in in one line: the first of its docstring. Ours are not imported for it."""
    files = files_of(family)
    if name not in files:
        return (load(family, name).__doc__ or "").strip().partition("\n")[0]
    with files[name].open(encoding="utf-8") as stream:
        return stream.readline().strip().strip('"')


def load(family: str, name: str, what: str | None = None, others: Iterable[str] = ()) -> ModuleType:
    """Import the module of a plug-in.

    Args:
        what: what the message calls a plug-in of the family; by default, the family's name.
        others: what may be named besides.

    Raises:
        UsageError: no plug-in of the family has this name; lists those that exist.
        MissingResourceError: a third party's module cannot be imported, or lacks something.
    """
    files = files_of(family)
    if name in files:
        parts = files[name].relative_to(_ROOT).with_suffix("").parts
        return import_module(".".join(("argue_eval", *parts)))
    modules = installed(family)
    if name in modules:
        return _of_others(family, name, modules[name])
    what = what or family.split(".")[-1].rstrip("s")
    raise unknown_name(what, name, dict.fromkeys([*files, *modules, *others]))


@cache
def _of_others(family: str, name: str, path: str) -> ModuleType:
    """Import the module of a third party; what it gives is checked from then on.

    Raises:
        MissingResourceError: it cannot be imported, or lacks something.
        UsageError: what it has is not what its family asks for.
    """
    plugin = ThirdParty(family, name)
    try:
        module = import_module(path)
    except Exception as exc:
        message = f"{plugin} cannot be imported from {path}: {exc}"
        raise MissingResourceError(f"{message}; mend or uninstall its package") from exc
    files, needed = _FAMILIES[family]
    if lacking := [each for each in needed.split() if not hasattr(module, each)]:
        message = f"{plugin} ({path}) lacks {', '.join(lacking)}; see docs/plugins.md"
        raise MissingResourceError(message)
    checked = ModuleType(path)
    vars(checked).update(vars(module))
    import_module(f"argue_eval.{files.partition('/')[0]}.installed").check(plugin, checked)
    return checked


class ThirdParty:
    """A third party's plug-in. What it has or gives is checked."""

    def __init__(self, family: str, name: str) -> None:
        self.family, self.name = family, name

    def __str__(self) -> str:
        return f"the plug-in {self.name!r} of argue_eval.{self.family}"

    def wrong(self, message: str) -> UsageError:
        """The error for what it has or gives."""
        return UsageError(f"{self}: {message}; mend or uninstall its package")

    def expect(self, what: str, found: Any, *types: type) -> Any:
        """What it has or gives, if that is of one of some types."""
        if isinstance(found, types):
            return found
        raise self.wrong(f"{what}: expected {called(types)}, found {shorten(found)}")

    def call(self, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """What one of its functions gives; what that raises is an error that names it."""
        try:
            return function(*args, **named)
        except ArgueEvalError:
            raise
        except Exception as exc:
            raise failure(exc, str(self)) from exc

    def giving(self, what: str, function: Callable[..., Any], *types: type) -> Callable[..., Any]:
        """Make of one of its functions what gives nothing but values of some types."""
        return lambda *args, **named: self.expect(what, self.call(function, *args, **named), *types)

    def yielding(
        self, what: str, function: Callable[..., Any], *types: type
    ) -> Callable[..., Iterator[Any]]:
        """Make of one of its functions what yields nothing but values of some types."""

        def checked(*args: Any, **named: Any) -> Iterator[Any]:
            found = self.expect(what, self.call(function, *args, **named), Iterable)
            items, end = self.call(iter, found), object()
            while (item := self.call(next, items, end)) is not end:
                yield self.expect(what, item, *types)

        return checked


_CALLED = {
    "str": "text",
    "tuple": "a tuple",
    "list": "a list",
    "frozenset": "a frozenset",
    "dict": "a dict",
    "int": "a whole number",
    "Integral": "a whole number",
    "Real": "a number",
    "NoneType": "None",
    "Mapping": "a dict",
    "Iterable": "an iterator",
    "Sequence": "a list",
}


def called(types: Iterable[type]) -> str:
    """What messages call some types of which one is expected."""
    return " or ".join(_CALLED.get(each.__name__, each.__name__) for each in types)


def place_of(exc: Exception) -> str:
    """The last line of a third party's plug-in on the way to an exception; empty if none was."""
    points = [path.partition(":")[0] for each in _FAMILIES for path in installed(each).values()]
    packages = {module.partition(".")[0] for module in points}
    place, trace = "", exc.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.partition(".")[0] in packages:
            place = f"line {trace.tb_lineno:,} of {module}"
        trace = trace.tb_next
    return place


def failure(exc: Exception, plugin: str = "a plug-in") -> UsageError:
    """The error for an exception that is the fault of a third party's plug-in."""
    what = f"{place_of(exc)}: {type(exc).__name__}: {plain(str(exc)[:300])}".removeprefix(": ")
    return UsageError(f"{plugin} failed: {what}; mend or uninstall its package")
