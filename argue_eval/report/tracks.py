"""A track for people: what it is, and all its rules."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argue_eval.validation.tracks import Rule, Track

_SHAPES = {
    "scores": "{doc_id: score}",
    "doc_ids": "[doc_id, …]",
    "indexes": "[index into references, …], from 0",
    "inline": "[doc_id, doc_id] in the text",
}
_PLACES = {
    "metadata": "in the object 'metadata'",
    "beside": "beside the sentences",
    "either": "in the object 'metadata', or beside the sentences",
}


def summary(track: Track) -> Iterator[str]:
    """Yield lines: what a track is, and in a few words what its runs must be."""
    layout = track.layout
    cited = " or ".join(_SHAPES[shape] for shape in layout.citations)
    most, listed = track.rule("citation_count"), track.rule("references_max")
    limits = f", at most {most.values['max']} a sentence" if most else ""
    limits += f"; at most {listed.values['max']} references" if listed else ""
    yield f"{track.name}  {track.title} (rules of {track.revision})"
    if layout.table:
        yield from _wrapped("    ", f"{_line(layout.table)}; requests: {track.requests}")
        return
    yield from _wrapped("    ", f"{' or '.join(layout.sentences)}: cites as {cited}{limits}")
    yield from _wrapped("    ", f"length: {track.length}; requests: {track.requests}")


def rules(track: Track) -> Iterator[str]:
    """Yield lines: how the runs of a track are written, and all rules that it checks."""
    layout = track.layout
    run = f"a {layout.noun} a line"
    if layout.results:
        run = f"one JSON document with the list {layout.results!r}"
    about = [
        ("revision", track.revision),
        ("source", track.source),
        ("requests", f"the format {track.requests!r}"),
        ("run", _line(layout.table) if layout.table else run),
    ]
    of_reports = (
        ("sentences", " or ".join(repr(key) for key in layout.sentences)),
        ("ids", f"{layout.topic_id[0]!r} and {layout.run_id!r}, {_PLACES[layout.metadata]}"),
        ("citations", " or ".join(_SHAPES[shape] for shape in layout.citations)),
        ("length", track.length),
    )
    yield f"{track.name}: {track.title}"
    for head, text in about if layout.table else (*about, *of_reports):
        yield from _wrapped(f"  {head:<11} ", text)
    for severity in ("error", "warning"):
        yield from ("", f"{severity}s")
        for rule in track.rules.values():
            if rule.severity is not None and rule.severity.value == severity:
                yield from _rule(rule, track)
    unchecked = [code for code, rule in track.rules.items() if rule.severity is None]
    if unchecked:
        yield ""
        yield from _wrapped("not checked: ", ", ".join(unchecked))


def _line(table: str) -> str:
    """What a line of a table has."""
    from argue_eval.validation.tables import BETWEEN, COLUMNS

    return f"a line: {' '.join(COLUMNS[table])}, between {BETWEEN[table]}"


def _rule(rule: Rule, track: Track) -> Iterator[str]:
    from argue_eval.validation.tracks import OWN

    needs = track.needs().get(rule.code)
    notes = [f"with {needs}"] if needs else []
    notes += ["argue-eval's own"] if rule.source == OWN else []
    shown = f" ({'; '.join(notes)})" if notes else ""
    yield from _wrapped(f"  {rule.code:<22} ", f"{rule}{shown}")
    if rule.source != OWN and (rule.revision, rule.source) != (track.revision, track.source):
        yield from _wrapped(" " * 25, f"{rule.source} ({rule.revision})")


def _wrapped(head: str, text: str) -> list[str]:
    indent = " " * len(head)
    return textwrap.wrap(
        text, 96, initial_indent=head, subsequent_indent=indent, break_long_words=False
    )
