"""``argue-eval list``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeVar

from argue_eval import _registry
from argue_eval.cli import console
from argue_eval.cli.app import param
from argue_eval.errors import ArgueEvalError, unknown_name

if TYPE_CHECKING:
    from argue_eval.measures import Family

T = TypeVar("T")


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


def _each(family: str, load: Callable[[str], T]) -> Iterator[tuple[str, T | str]]:
    """Yield what is known of each plug-in of a family, ours first; of a broken one, the error."""
    for name in _registry.all_names(family):
        try:
            yield name, load(name)
        except ArgueEvalError as exc:
            yield name, f"error: {' '.join(str(exc).split())}"


def _described(family: str) -> dict[str, str]:
    """Describe all plug-ins of a family by name."""
    return dict(_each(family, partial(_registry.describe, family)))


def _measures() -> Iterator[str]:
    from argue_eval import measures

    taken: set[str] = set()
    for name, family in _each("measures", measures.load_family):
        if isinstance(family, str):
            yield f"{name}: {family}\n"
            continue
        yield f"{name}{_how_to_ask(family)}: {_registry.describe('measures', name)}\n"
        own = {each.name: each.explanation.rewards for each in family.measures}
        yield from _lines((pair for pair in own.items() if pair[0] not in taken), "  ")
        taken |= own.keys()


def _how_to_ask(family: Family) -> str:
    """Name the option that a family needs, unless it is computed by default.

    A family of a third party is computed by default only under a protocol of a third party.
    """
    from argue_eval import measures

    if family.name in measures.DEFAULT_FAMILIES:
        return ""
    protocol = family.module.PROTOCOL or ""
    is_ours = family.name in _registry.files_of("measures")
    if protocol and (protocol in _registry.files_of("protocols")) == is_ours:
        return f" (--protocol {protocol.replace('_', '-')}, or -m)"
    return " (with -m)"


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


def _formats() -> Iterator[str]:
    from argue_eval.formats import plugins
    from argue_eval.report import leaderboard

    blocks: dict[str, dict[str, tuple[str, str]]] = {}
    for kind in ("requests", "nuggets", "runs", "documents", "judgments"):
        family = f"formats.{kind}"
        is_written: dict[str, bool | str] = dict(_each(family, partial(plugins.is_written, kind)))
        if kind == "judgments":  # written by commands of their own
            is_written |= dict.fromkeys(("canonical", "sheet", "sheet_csv"), True)
        uses = {
            name: "read, written" if is_written[name] is True else "read" for name in is_written
        }
        blocks[kind] = {name: (uses[name], text) for name, text in _described(family).items()}
    said = {name: str(each.__doc__) for name, each in leaderboard.TABLES.items()}
    tables = {name: text.partition("\n")[0][6:].capitalize() for name, text in said.items()}
    for title, found in (
        ("scores", _described("outputs")),
        ("tables of scores: runs by measures", tables),
        ("findings", _described("outputs.findings")),
    ):
        blocks[title] = {name: ("written", text) for name, text in found.items()}
    for title, rows in blocks.items():
        yield f"{title}\n"
        width = max(len(use) for use, _ in rows.values())
        padded = ((name, f"{use.ljust(width)}  {text}") for name, (use, text) in rows.items())
        yield from _lines(padded, "  ")


def _tracks() -> Iterator[str]:
    from argue_eval.report.tracks import summary
    from argue_eval.validation import tracks

    for name, track in _each("tracks", tracks.load):
        yield from [f"{name}  {track}"] if isinstance(track, str) else summary(track)


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
    "clients": lambda: _lines(_described("clients").items()),
    "formats": _formats,
    "protocols": lambda: _lines(
        (name.replace("_", "-"), text) for name, text in _described("protocols").items()
    ),
    "tracks": _tracks,
}
