"""``argue-eval list``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

from argue_eval import _registry
from argue_eval.cli import console
from argue_eval.cli.app import param
from argue_eval.errors import unknown_name

if TYPE_CHECKING:
    from argue_eval.measures import Family


def list_(
    what: Annotated[str, param("WHAT", "measures, judges, clients, formats, protocols or tracks.")],
) -> None:
    """List measures, judges, clients, formats, protocols or tracks.

    Example: argue-eval list measures
    """
    if what not in _LISTS:
        raise unknown_name("list", what, _LISTS)
    console.show(_LISTS[what]())
    for line in _NOTES.get(what, ()):
        console.note(line)


def _lines(pairs: Iterable[tuple[str, str]], indent: str = "") -> Iterator[str]:
    found = list(pairs)
    width = max((len(name) for name, _ in found), default=0)
    for name, text in found:
        yield f"{indent}{name.ljust(width)}  {text}".rstrip() + "\n"


def _described(family: str) -> dict[str, str]:
    """Describe all plug-ins of a family by name, ours first."""
    return {name: _registry.describe(family, name) for name in _registry.all_names(family)}


def _measures() -> Iterator[str]:
    from argue_eval import measures

    for family in measures.load_families():
        about = _registry.describe("measures", family.name)
        yield f"{family.name}{_how_to_ask(family)}: {about}\n"
        yield from _lines(((each.name, each.explanation.rewards) for each in family.measures), "  ")


def _how_to_ask(family: Family) -> str:
    """Name the option that a family needs, unless it is computed by default."""
    from argue_eval import measures

    if family.name in measures.DEFAULT_FAMILIES:
        return ""
    protocol = (family.module.PROTOCOL or "").replace("_", "-")
    if protocol and family.name in measures.of_protocol(protocol):
        return f" (--protocol {protocol}, or -m)"
    return " (with -m)"


def _protocols() -> Iterator[str]:
    found = _described("protocols")
    yield from _lines((name.replace("_", "-"), text) for name, text in found.items())


def _judges() -> Iterator[str]:
    yield from _lines(
        [
            ("assessor", "Judgments from files (--judgments), used before any other judge."),
            *_described("judges").items(),
            ("cascade", "cascade:lexical,llm:MODEL: the next is asked where one is not sure."),
            ("none", "Nobody: what the judgment files leave open stays unjudged."),
        ]
    )
    from argue_eval.judges.nli import known

    yield "nli knows what these models read and which label means support\n"
    rows = ((name, repr(each.template)[1:-1]) for name, each in known.table().items())
    yield from _lines(rows, "  ")


def _clients() -> Iterator[str]:
    yield from _lines(_described("clients").items())


def _formats() -> Iterator[str]:
    from argue_eval.formats import plugins
    from argue_eval.report import leaderboard

    for kind in ("requests", "nuggets", "runs", "documents", "judgments"):
        yield f"{kind}\n"
        found = _described(f"formats.{kind}")
        written = [name for name in found if plugins.is_written(kind, name)]
        if kind == "judgments":  # written by commands of their own
            written = ["canonical", "sheet", "sheet_csv"]
        width = len("read, written" if written else "read")
        yield from _lines(
            (
                (name, f"{('read, written' if name in written else 'read').ljust(width)}  {text}")
                for name, text in found.items()
            ),
            "  ",
        )
    for kind, family in (("scores", "outputs"), ("findings", "outputs.findings")):
        yield f"{kind}\n"
        found = _described(family)
        yield from _lines(((name, f"written  {text}") for name, text in found.items()), "  ")
        if kind == "scores":
            yield "tables of scores: runs by measures\n"
            said = {name: str(each.__doc__) for name, each in leaderboard.TABLES.items()}
            found = {name: text.partition("\n")[0][6:].capitalize() for name, text in said.items()}
            yield from _lines(((name, f"written  {text}") for name, text in found.items()), "  ")


def _tracks() -> Iterator[str]:
    from argue_eval.report.tracks import summary
    from argue_eval.validation import tracks

    for track in tracks.load_all():
        yield from summary(track)


_NOTES = {
    "clients": ["to ask a model through a client: --judge llm:NAME:MODEL"],
    "formats": [
        "the format of a file is recognised by its content; to write another: "
        "argue-eval convert SRC --to NAME",
        "scores: argue-eval score … --format NAME; judgments: argue-eval score … -o DIR; "
        "findings: argue-eval validate … --format NAME",
    ],
    "tracks": [
        "all rules of a track: argue-eval explain track NAME",
        "to check a run: argue-eval validate RUN --track NAME",
    ],
}
"""What to do with what is listed."""

_LISTS: dict[str, Callable[[], Iterator[str]]] = {
    "measures": _measures,
    "judges": _judges,
    "clients": _clients,
    "formats": _formats,
    "protocols": _protocols,
    "tracks": _tracks,
}
