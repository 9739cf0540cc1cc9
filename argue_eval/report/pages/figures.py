"""Figures as inline SVG. Every one has a text of its own for who does not see it.

Colours, widths of lines and fonts are those of the style sheet; marks differ in shape as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup, escape

from argue_eval.analysis.results import Bin

OUTCOMES = ("3", "8", "2", "4", "6", "7", "5", "1", "unjudged", "by citation", "not asked")
"""The ends of sentences in the order in which they are stacked: the rewarded ones first."""


def _svg(width: float, height: float, label: str, *parts: str, kind: str = "") -> Markup:
    return Markup(
        f'<svg class="fig {kind}" viewBox="0 0 {width:g} {height:g}" role="img" '
        'preserveAspectRatio="xMinYMid meet" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: object, kind: str = "", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _across(share: float, margin: float, width: float) -> float:
    """The place of a share of the width between two margins."""
    return margin + min(1.0, max(0.0, share)) * (width - 2 * margin)


def _upwards(x: float, y: float, text: str) -> str:
    """The name of an axis that goes up."""
    return (
        f'<text class="axis" text-anchor="middle" transform="rotate(-90 {x:g} {y:g})" '
        f'x="{x:g}" y="{y:g}">{escape(text)}</text>'
    )


def interval(
    value: float | None, lower: float | None, upper: float | None, label: str, *, is_open: bool
) -> Markup:
    """A dot for a value and a bar for its interval, between 0 and 1 of the width.

    Args:
        is_open: missing judgments leave the value open: a dashed frame between its bounds.
    """
    width, parts = 160.0, ['<line class="rule" x1="4" x2="156" y1="9" y2="9"/>']
    x = partial(_across, margin=4, width=width)
    if lower is not None and upper is not None:
        start, end = x(lower), x(upper)
        kind = "open" if is_open else "whisker"
        parts.append(
            f'<rect class="{kind}" x="{start:.1f}" y="6" width="{max(1.0, end - start):.1f}" '
            'height="6" rx="3"/>'
        )
    if value is not None:
        parts.append(f'<circle class="dot" cx="{x(value):.1f}" cy="9" r="4.5"/>')
    return _svg(width, 18, label, *parts, kind="interval")


def axis(low: float, high: float) -> Markup:
    """The ends of the figures below it."""
    ends = [f"{end:.2f}".rstrip("0").rstrip(".") for end in (low, high)]
    parts = [
        '<path class="rule" d="M4 17H156M4 13v4M156 13v4" fill="none"/>',
        _text(4, 10, ends[0], "tick"),
        _text(156, 10, ends[1], "tick", "end"),
    ]
    return _svg(160, 18, f"from {ends[0]} to {ends[1]}", *parts, kind="interval")


def stacked(tally: Mapping[str, int], width: float) -> Markup:
    """The outcomes of sentences side by side, each with its number where there is room."""
    total = sum(tally.values())
    named = [f"outcome {name}: {tally[name]:,}" for name in OUTCOMES if tally.get(name)]
    if total and not named:
        return Markup()  # a protocol of others, whose sentences have no outcome
    label = "; ".join(named) or "no sentence"
    parts, x, height = [], 0.0, 26.0
    for name in OUTCOMES:
        number = tally.get(name, 0)
        if not number:
            continue
        size = number / total * width
        kind = f"o{name}" if name.isdigit() else f"o-{name.replace(' ', '-')}"
        parts.append(
            f'<rect class="{kind}" x="{x:.2f}" y="0" width="{max(size - 1, 0.5):.2f}" '
            f'height="{height:g}"><title>{escape(name)}: {number:,}</title></rect>'
        )
        if size > 9 + 8 * len(str(number)):
            parts.append(_text(x + size / 2, 18, f"{number:,}", f"on {kind}", "middle"))
        x += size
    return _svg(width, height, label, *parts, kind="stacked")


class Point(NamedTuple):
    """A run in a plane; both values are between 0 and 1."""

    x: float
    y: float
    label: str


def scatter(points: Sequence[Point], x_name: str, y_name: str, *, has_f1: bool) -> Markup:
    """Runs by two measures, with lines of equal F1 if they are precision and recall."""
    left, top, size = 46.0, 12.0, 320.0

    def at(x: float, y: float) -> tuple[float, float]:
        return left + x * size, top + (1 - y) * size

    parts = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = at(tick, tick)
        parts += [
            f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{top:g}" y2="{top + size:g}"/>',
            f'<line class="grid" x1="{left:g}" x2="{left + size:g}" y1="{y:.1f}" y2="{y:.1f}"/>',
            _text(x, top + size + 16, f"{tick:g}", "tick", "middle"),
            _text(left - 6, y + 4, f"{tick:g}", "tick", "end"),
        ]
    for score in (0.2, 0.4, 0.6, 0.8) if has_f1 else ():
        curve = [at(x, score * x / (2 * x - score)) for x in _steps(score / (2 - score), 1.0)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in curve)
        parts.append(f'<polyline class="iso" points="{path}"/>')
        parts.append(_text(curve[-1][0] - 4, curve[-1][1] - 3, f"F1 {score:g}", "tick iso", "end"))
    taken: list[tuple[float, float, float]] = []
    for point in sorted(points, key=lambda each: -each.y):
        x, y = at(point.x, point.y)
        parts.append(
            f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="5"><title>{escape(point.label)}: '
            f"{escape(x_name)} {point.x:.3f}, {escape(y_name)} {point.y:.3f}</title></circle>"
        )
        name = point.label if len(point.label) <= 24 else f"{point.label[:23]}…"
        wide = 6.4 * len(name)
        is_left = x + 8 + wide > left + size
        start, side = (x - 8 - wide, -8) if is_left else (x + 8, 8)
        if all(abs(y - other) > 12 or start > end or start + wide < begin
               for begin, end, other in taken):  # fmt: skip
            taken.append((start, start + wide, y))
            parts.append(_text(x + side, y + 4, name, "name", "end" if is_left else "start"))
    parts.append(_text(left + size / 2, top + size + 34, x_name, "axis", "middle"))
    parts.append(_upwards(12, top + size / 2, y_name))
    what = "; ".join(f"{each.label}: {each.x:.3f}, {each.y:.3f}" for each in points[:60])
    label = f"{y_name} against {x_name}. {what}"
    return _svg(left + size + 14, top + size + 42, label, *parts, kind="scatter")


def _steps(start: float, end: float) -> list[float]:
    step = (end - start) / 40
    return [start + step * (each + 0.5) for each in range(40)] + [end]


def strip(
    low: float,
    middle: float,
    high: float,
    label: str,
    *,
    others: Iterable[float] = (),
    own: float | None = None,
) -> Markup:
    """A bar from the worst run to the best, a tick at the median, between 0 and 1 of the width.

    Args:
        others: the values of all runs, as dots.
        own: that of the run that the page is about, as a ring.
    """
    width = 240.0
    x = partial(_across, margin=6, width=width)
    start, end, middle = map(x, (low, high, middle))
    parts = [
        '<line class="rule" x1="6" x2="234" y1="10" y2="10"/>',
        f'<rect class="range" x="{start:.1f}" y="6" width="{max(1.5, end - start):.1f}" '
        'height="8" rx="4"/>',
        *(f'<circle class="faint" cx="{x(each):.1f}" cy="10" r="2.6"/>' for each in others),
        f'<line class="median" x1="{middle:.1f}" x2="{middle:.1f}" y1="2" y2="18"/>',
    ]
    if own is not None:
        parts.append(f'<circle class="dot" cx="{x(own):.1f}" cy="10" r="5"/>')
    return _svg(width, 20, label, *parts, kind="strip")


def meter(value: float, limit: float, label: str) -> Markup:
    """A length against its limit, which is a tick."""
    scale = max(value, limit) or 1.0
    end, tick = value / scale * 112, limit / scale * 112
    kind = "over" if value > limit else "within"
    return _svg(
        120, 16, label,
        '<rect class="rule-box" x="2" y="5" width="116" height="6" rx="3"/>',
        f'<rect class="{kind}" x="2" y="5" width="{max(1.0, end):.1f}" height="6" rx="3"/>',
        f'<line class="median" x1="{2 + tick:.1f}" x2="{2 + tick:.1f}" y1="1" y2="15"/>',
        kind="meter",
    )  # fmt: skip


def reliability(bins: Iterable[Bin], label: str) -> Markup:
    """How often the truth says yes, by the probability that the judge gives; nothing if unknown."""
    known = [
        (each.mean_prob, each.share_yes, each.num)
        for each in bins
        if each.mean_prob is not None and each.share_yes is not None
    ]
    if not known:
        return Markup()
    left, top, size = 40.0, 10.0, 200.0
    parts = [
        f'<rect class="frame" x="{left:g}" y="{top:g}" width="{size:g}" height="{size:g}"/>',
        f'<line class="iso" x1="{left:g}" y1="{top + size:g}" x2="{left + size:g}" y2="{top:g}"/>',
    ]
    places = [(left + prob * size, top + (1 - share) * size) for prob, share, _ in known]
    for (x1, y1), (x2, y2) in pairwise(places):
        parts.append(
            f'<line class="curve" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
        )
    most = max(num for *_, num in known)
    for (x, y), (prob, share, num) in zip(places, known, strict=True):
        radius = 3 + 5 * (num / most) ** 0.5
        parts.append(
            f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"><title>'
            f"{num:,} questions: probability {prob:.2f}, yes {share:.2f}"
            "</title></circle>"
        )
    for tick in (0.0, 0.5, 1.0):
        parts.append(_text(left + tick * size, top + size + 15, f"{tick:g}", "tick", "middle"))
        parts.append(_text(left - 5, top + (1 - tick) * size + 4, f"{tick:g}", "tick", "end"))
    parts.append(_text(left + size / 2, top + size + 31, "probability of yes", "axis", "middle"))
    parts.append(_upwards(11, top + size / 2, "truth says yes"))
    return _svg(left + size + 12, top + size + 38, label, *parts, kind="reliability")
