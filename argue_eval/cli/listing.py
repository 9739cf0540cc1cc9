"""``argue-eval list``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from argue_eval.measures import Family


def list_(
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="measures, judges, formats, protocols or tracks.")
    ],
) -> None:
    """List the measures, judges, formats, protocols or tracks that there are.

    Example: argue-eval list measures
    """
    from argue_eval.cli import console
    from argue_eval.errors import unknown_name

    if what not in _LISTS:
        raise unknown_name("list", what, _LISTS)
    console.write(_LISTS[what]())
    console.flush()
    for line in _NOTES.get(what, ()):
        console.note(line)


def _lines(pairs: Iterator[tuple[str, str]], indent: str = "") -> Iterator[str]:
    found = list(pairs)
    width = max((len(name) for name, _ in found), default=0)
    for name, text in found:
        yield f"{indent}{name.ljust(width)}  {text}".rstrip() + "\n"


def _measures() -> Iterator[str]:
    from argue_eval import _registry, measures

    for name in measures.family_names():
        family = measures.load_family(name)
        yield f"{name}{_asked_for(family)}: {_registry.describe('measures', name)}\n"
        yield from _lines(((each.name, each.rewards) for each in family.measures), "  ")


def _asked_for(family: Family) -> str:
    """Returns how a family's measures are asked for, unless they are computed by default."""
    protocol = family.module.PROTOCOL
    if protocol == "argue":
        return ""
    return f" (--protocol {protocol.replace('_', '-')}, or -m)" if protocol else " (with -m)"


def _protocols() -> Iterator[str]:
    from argue_eval import _registry, measures

    yield from _lines(
        (name, _registry.describe("protocols", name.replace("-", "_")))
        for name in measures.protocol_names()
    )


def _judges() -> Iterator[str]:
    from argue_eval import _registry

    built_in = [(name, _registry.describe("judges", name)) for name in _registry.names("judges")]
    yield from _lines(
        iter(
            [
                ("assessor", "Judgments from files (--judgments), used before any other judge."),
                *built_in,
                ("none", "Nobody: what the judgment files leave open stays unjudged."),
            ]
        )
    )


def _formats() -> Iterator[str]:
    from argue_eval import _registry
    from argue_eval.formats.writing import written_forms

    for kind in ("requests", "nuggets", "runs", "documents", "judgments"):
        family = f"formats.{kind}"
        # Judgments are written by commands of their own, and in one form only.
        written = ["canonical"] if kind == "judgments" else written_forms(kind)
        yield f"{kind}\n"
        yield from _forms(family, dict.fromkeys(written, "read, written"), "read")
    yield "scores\n"
    yield from _forms("outputs", dict.fromkeys(_registry.names("outputs"), "written"))


def _forms(family: str, uses: dict[str, str], usual: str = "") -> Iterator[str]:
    from argue_eval import _registry

    width = max(map(len, [usual, *uses.values()]))
    yield from _lines(
        (
            (name, f"{uses.get(name, usual).ljust(width)}  {_registry.describe(family, name)}")
            for name in _registry.names(family)
        ),
        "  ",
    )


def _tracks() -> Iterator[str]:
    from argue_eval.cli import _track
    from argue_eval.validation import tracks

    for track in tracks.load_all():
        yield from _track.summary(track)


_NOTES = {
    "formats": [
        "a file's content tells its form; to write another: argue-eval convert SRC --to NAME",
        "scores: argue-eval score … --format NAME; judgments: argue-eval score … -o DIR",
    ],
    "tracks": [
        "all rules of a track: argue-eval explain track NAME",
        "a run against them: argue-eval validate RUN --track NAME",
    ],
}
"""What to do with what is listed."""

_LISTS: dict[str, Callable[[], Iterator[str]]] = {
    "measures": _measures,
    "judges": _judges,
    "formats": _formats,
    "protocols": _protocols,
    "tracks": _tracks,
}
