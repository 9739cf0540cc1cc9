"""The ARGUE flowchart as a diagram, and the way of a sentence through it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup, escape

from argue_eval.measures.protocols.argue import OUTCOMES
from argue_eval.report.pages.source import Ended, Unit


class Box(NamedTuple):
    """A question of the chart, or one of its ends."""

    name: str
    lines: tuple[str, ...]
    x: float
    y: float


# fmt: off
_UNCITED = {
    "cited:no": "negative",
    "negative:yes": "agrees", "negative:no": "required",
    "agrees:yes": "8", "agrees:no": "7",
    "required:no": "4", "required:yes": "first",
    "first:no": "6", "first:yes": "5",
}
ARROWS = {
    "argue": {
        "cited:yes": "relevant",
        "relevant:yes": "answers", "relevant:no": "supports",
        "answers:yes": "3", "answers:no": "supports",
        "supports:yes": "2", "supports:no": "1",
        **_UNCITED,
    },
    "strict": {
        "cited:yes": "supports",
        "supports:no": "1", "supports:yes": "relevant",
        "relevant:no": "2", "relevant:yes": "answers",
        "answers:no": "2", "answers:yes": "3",
        **_UNCITED,
    },
}
# fmt: on
"""What follows from the answer to a question, in each reading of the chart."""


def _ends(places: dict[str, float]) -> tuple[Box, ...]:
    return tuple(Box(name, (), x, 320) for name, x in places.items())


_LEFT = (
    Box("cited", ("has it", "citations?"), 230, 24),
    Box("negative", ("negative", "assertion?"), 110, 96),
    Box("agrees", ("absence nugget", "agrees?"), 42, 172),
    Box("required", ("requires a", "citation?"), 162, 172),
    Box("first", ("first", "instance?"), 204, 246),
    *_ends({"8": 20, "7": 72, "4": 122, "6": 182, "5": 230}),
)
_BOXES = {
    "argue": (
        *_LEFT,
        Box("relevant", ("is the document", "relevant?"), 350, 96),
        Box("answers", ("answers a nugget", "it attests?"), 406, 172),
        Box("supports", ("does it support", "the sentence?"), 326, 246),
        *_ends({"1": 298, "2": 354, "3": 420}),
    ),
    "strict": (
        *_LEFT,
        Box("supports", ("does it support", "the sentence?"), 350, 96),
        Box("relevant", ("is the document", "relevant?"), 380, 172),
        Box("answers", ("answers a nugget", "it attests?"), 400, 246),
        *_ends({"1": 290, "2": 346, "3": 420}),
    ),
}
_WIDTH, _HEIGHT, _HALF = 112.0, 36.0, 17.0


def diagram(reading: str) -> Markup:
    """The flowchart. Its boxes and arrows have names, by which a way is lit."""
    boxes = {each.name: each for each in _BOXES[reading]}
    parts = []
    for name, to in ARROWS[reading].items():
        asked, _, answer = name.partition(":")
        start, end = boxes[asked], boxes[to]
        room = _HALF if to.isdigit() else _HEIGHT / 2
        x1, y1, x2, y2 = start.x, start.y + _HEIGHT / 2, end.x, end.y - room
        middle = (y1 + y2) / 2
        parts.append(
            f'<g class="way" data-way="{name}">'
            f'<path d="M{x1:g} {y1:g}C{x1:g} {middle:g} {x2:g} {middle:g} {x2:g} {y2:g}"/>'
            f'<text x="{x1 + (x2 - x1) * 0.42 + (7 if x2 >= x1 else -7):.1f}" '
            f'y="{y1 + (y2 - y1) * 0.4:.1f}" '
            f'text-anchor="{"start" if x2 >= x1 else "end"}">{answer}</text></g>'
        )
    for box in boxes.values():
        parts.append(_end(box) if box.name.isdigit() else _question(box))
    label = "The flowchart of outcomes. The way of the chosen sentence is also listed as text."
    return Markup(
        f'<svg class="fig chart" viewBox="-18 0 490 346" role="img" aria-label="{label}">'
        f"{''.join(parts)}</svg>"
    )


def _question(box: Box) -> str:
    lines = "".join(
        f'<text x="{box.x:g}" y="{box.y + 13 * number - 3:g}" text-anchor="middle">'
        f"{escape(line)}</text>"
        for number, line in enumerate(box.lines)
    )
    return (
        f'<g class="box" data-box="{box.name}"><rect x="{box.x - _WIDTH / 2:g}" '
        f'y="{box.y - _HEIGHT / 2:g}" width="{_WIDTH:g}" height="{_HEIGHT:g}" rx="8"/>{lines}</g>'
    )


def _end(box: Box) -> str:
    effect, meaning = OUTCOMES[int(box.name)]
    return (
        f'<g class="end {effect}" data-box="{box.name}">'
        f"<title>{box.name}: {escape(meaning)}</title>"
        f'<circle cx="{box.x:g}" cy="{box.y:g}" r="{_HALF:g}"/>'
        f'<text x="{box.x:g}" y="{box.y + 5:g}" text-anchor="middle">{box.name}</text></g>'
    )


def way(unit: Unit, reading: str) -> list[str]:
    """The arrows that a sentence goes along, up to its end or to what nobody judged.

    Of several citations those count that have the outcome of the sentence, or of an unjudged one
    none; all where citations are counted one by one.
    """
    ended = unit.ended if unit.citations else []
    if not ended:
        return list(_uncited(unit))
    own = [each for each in ended if each.outcome == unit.outcome] or ended
    ways = (each for one in own for each in _cited(one, reading))
    return list(dict.fromkeys(["cited:yes", *ways]))


def _cited(one: Ended, reading: str) -> Iterator[str]:
    """The arrows that are decided, in the order of the chart."""
    supports = {None: None, "yes": "yes"}.get(one.support, "no")
    relevant = {None: None, True: "yes", False: "no"}[one.is_relevant]
    answers = "yes" if one.answered else None if one.unanswered else "no"
    asked = [("relevant", relevant), ("answers", answers), ("supports", supports)]
    if reading == "strict":
        asked = [asked[2], *asked[:2]]
    end = ("supports", "no") if reading == "strict" else ("answers", "yes")
    for name, answer in asked:
        if answer is None:
            return
        if name != "answers" or relevant == "yes":
            yield f"{name}:{answer}"
        if (name, answer) == end:
            return


def _uncited(unit: Unit) -> Iterator[str]:
    yield "cited:no"
    ends = {
        4: ("negative:no", "required:no"),
        5: ("negative:no", "required:yes", "first:yes"),
        6: ("negative:no", "required:yes", "first:no"),
        7: ("negative:yes", "agrees:no"),
        8: ("negative:yes", "agrees:yes"),
    }
    if unit.outcome in ends:
        yield from ends[unit.outcome]
        return
    possible = set(unit.possible)
    if possible and possible <= {7, 8}:
        yield "negative:yes"
    elif possible and possible <= {4, 5, 6}:
        yield "negative:no"
        if possible <= {5, 6}:
            yield "required:yes"
