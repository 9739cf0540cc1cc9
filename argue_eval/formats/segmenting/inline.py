"""A block's text without Markdown marks, and where it cites."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from argue_eval.formats.segmenting.citations import cited_labels

_SPACELESS = re.compile("[\u0e00-\u0e7f\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_OPENING = "\"'“‘«„([¿¡—–"
_MARKS = re.compile(
    r"""\\(?P<escaped>[!-/:-@\[-`{-~])
    |(?P<ticks>`+)(?P<code>[^`].*?)(?P=ticks)(?!`)
    |!?\[(?P<linked>(?:[^\[\]]|\[[^\[\]]*\]){0,500})\]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)?)(?:\s+"[^"]*")?\)
    |\[(?P<text>[^\[\]]{1,300})\]\[(?P<label>[^\[\]]{1,100})\]
    |\[\[(?P<double>[^\[\]]{1,300})\]\]
    |[\[【［](?P<inner>[^\[\]【】［］]{1,300})[\]】］]
    |<(?P<url>https?://[^>\s]{1,500})>
    |(?P<strong>\*\*\*|\*\*|~~)(?=\S)(?P<strongly>.{1,1000}?)(?<=\S)(?P=strong)
    |(?<![\w*])\*(?=[^\s*])(?P<stressed>[^*]{1,1000}?)(?<=\S)\*(?![\w*])
    |(?<!\w)(?P<bars>_{1,3})(?=[^\s_])(?P<underlined>.{1,1000}?)(?<=[^\s_])(?P=bars)(?!\w)
    """,
    re.VERBOSE | re.DOTALL,
)


class Marker(NamedTuple):
    """Where a text cites.

    Attributes:
        place: in the text without the marker, after the character before it.
        labels: what it cites.
        line: on which it stands, counted from the block's first.
    """

    place: int
    labels: tuple[str, ...]
    line: int


class Plain:
    """A text without its marks, made piece by piece.

    Attributes:
        markers: in text order.
        targets: the targets of links whose text is a citation, by label.
    """

    def __init__(self, text: str, known: Collection[str]) -> None:
        self.markers: list[Marker] = []
        self.targets: dict[str, str] = {}
        self._known = known
        self._parts: list[str] = []
        self._length = 0
        self._line = 0
        self._gap = ""
        self._after_marker = False
        self._read(text)

    @property
    def text(self) -> str:
        """The text."""
        return "".join(self._parts)

    def _read(self, text: str) -> None:
        place = 0
        while match := _MARKS.search(text, place):
            self._write(text[place : match.start()])
            self._mark(match.groupdict(), match.group())
            place = match.end()
        self._write(text[place:])

    def _mark(self, parts: Mapping[str, str | None], whole: str) -> None:
        """Takes up what one mark encloses."""
        linked, label = parts["linked"], parts["label"]
        cited = parts["inner"] or parts["double"]
        if parts["escaped"] or parts["code"] or parts["url"]:
            self._write(parts["escaped"] or (parts["code"] or parts["url"] or "").strip())
        elif linked is not None:
            self._link(linked, parts["target"] or "")
        elif label is not None:
            self._pair(parts["text"] or "", label)
        elif cited is not None:
            labels = cited_labels(cited, self._known)
            self._cite(labels) if labels else self._bracketed(whole, cited)
        else:
            self._read(parts["strongly"] or parts["stressed"] or parts["underlined"] or "")

    def _link(self, linked: str, target: str) -> None:
        labels = cited_labels(linked.strip("[]"), self._known)
        if not labels:
            self._read(linked)
            return
        self._cite(labels)
        if len(labels) == 1 and target and not target.startswith("#"):
            self.targets.setdefault(labels[0], target)

    def _pair(self, text: str, label: str) -> None:
        """Takes up ``[1][3]``, two citations, or ``[some words][3]``, a link to a reference."""
        first, second = cited_labels(text, self._known), cited_labels(label, self._known)
        if first:
            self._cite(first)
        elif second and " " in text.strip() and set(second) <= set(self._known):
            self._read(text)
        else:
            self._bracketed(f"[{text}]", text)
        if second:
            self._cite(second)
        else:
            self._bracketed(f"[{label}]", label)

    def _bracketed(self, whole: str, inner: str) -> None:
        """Keeps brackets that are a part of the text; there may be marks in them."""
        before, _, after = whole.partition(inner)
        self._write(before)
        self._read(inner)
        self._write(after)

    def _cite(self, labels: list[str]) -> None:
        gap = ""
        while self._parts and not gap.strip():
            gap = self._parts.pop() + gap
        bare = gap.rstrip()
        gap = gap[len(bare) :]
        if bare:
            self._parts.append(bare)
        self._length -= len(gap)
        self._gap = gap or self._gap
        self.markers.append(Marker(self._length, tuple(labels), self._line))
        self._after_marker = True

    def _write(self, text: str) -> None:
        if not text:
            return
        if self._after_marker and not text[0].isspace() and self._parts:
            self._add(self._space_before(text[0]))
        self._after_marker = False
        self._gap = ""
        self._add(text)
        self._line += text.count("\n")

    def _add(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)

    def _space_before(self, first: str) -> str:
        """Returns the space that a removed marker leaves between two words."""
        if not (first.isalnum() or first in _OPENING):
            return ""
        is_spaceless = _SPACELESS.match(self._parts[-1][-1]) or _SPACELESS.match(first)
        return "" if is_spaceless and not self._gap else " "
