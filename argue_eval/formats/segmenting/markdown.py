"""Plain text or Markdown: blocks, and the text of a block without its marks and citations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple
from unicodedata import normalize

from argue_eval.formats.segmenting.references import (
    WORD,
    cited_labels,
    is_document_id,
    looks_unread,
)

TEXT = "text"
HEADING = "heading"
ITEM = "item"
ROW = "row"
CODE = "code"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(?P<info>[^`]*)$")
_PROSE = ("markdown", "md", "text", "txt", "plaintext")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(?:={2,}|-{2,})[ \t]*")
_BREAK = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})")
_BULLET = re.compile(r"\s*[-*+•–▪●◦][ \t]+(?:\[[ xX]\][ \t]+)?")
_NUMBERED = re.compile(r"\s*(\d{1,3})[.)][ \t]+")
_QUOTE = re.compile(r"(?: {0,3}>[ \t]?)+")
_ROW = re.compile(r"\s*\|.*\|\s*")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")


class Block(NamedTuple):
    """A part of a text that no sentence crosses, without the marks that set it off.

    Attributes:
        kind: ``text``, ``heading``, ``item``, ``row`` of a table, or ``code``.
        text: may span several lines.
        line: on which it begins, 1-based.
    """

    kind: str
    text: str
    line: int


def blocks(lines: list[str]) -> Iterator[Block]:
    """Yields the blocks of a text, in order. Every word is in one of them."""
    index = 0
    while index < len(lines):
        fence = _FENCE.fullmatch(lines[index])
        if fence:
            end = _end_of_code(lines, index, fence[1])
            yield Block(CODE, "\n".join(lines[index + 1 : end]), index + 1)
            index = end + 1
        elif _is_row(lines, index):
            if not _RULE.fullmatch(lines[index]):
                yield Block(ROW, lines[index].strip().strip("|"), index + 1)
            index += 1
        else:
            end = _end_of_prose(lines, index)
            if end == index:
                index += 1
            else:
                yield _prose(lines, index, end)
                is_underlined = end < len(lines) and _UNDERLINE.fullmatch(lines[end])
                index = end + 1 if is_underlined else end


def unwrapped(lines: list[str]) -> list[str]:
    """Empties the lines that set off prose as if it were code, as chat models reply.

    >>> unwrapped(["```markdown", "It fell [1].", "```"])
    ['', 'It fell [1].', '']
    """
    text = list(lines)
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    index = 0
    while index < len(lines):
        end = index
        if fence := _FENCE.fullmatch(lines[index]):
            end = _end_of_code(lines, index, fence[1])
            info = fence["info"].strip().lower()
            is_whole = index == first and not any(map(str.strip, lines[end + 1 :]))
            if info in _PROSE or (not info and is_whole):
                for at in (index, end):
                    text[at : at + 1] = [""]
        index = end + 1
    return text


def _end_of_code(lines: list[str], start: int, fence: str) -> int:
    for index in range(start + 1, len(lines)):
        closing = lines[index].strip()
        if closing.startswith(fence) and not closing.strip(fence[0]):
            return index
    return len(lines)


def _is_row(lines: list[str], index: int) -> bool:
    """A line is one of a table if it has bars and the table has a ruled line."""
    if _ROW.fullmatch(lines[index]):
        return True
    return "|" in lines[index] and any(
        "|" in lines[near] and "-" in lines[near] and _RULE.fullmatch(lines[near]) is not None
        for near in (index, index + 1)
        if near < len(lines)
    )


def _end_of_prose(lines: list[str], start: int) -> int:
    """The line after the block that begins on a line; the same line if none does."""
    if not _is_prose(lines, start):
        return start
    if _HEADING.fullmatch(_unquoted(lines[start])):
        return start + 1
    index = start + 1
    while index < len(lines) and _is_prose(lines, index) and not _begins(lines, index):
        if _UNDERLINE.fullmatch(lines[index]):
            return index
        index += 1
    return index


def _is_prose(lines: list[str], index: int) -> bool:
    line = _unquoted(lines[index])
    is_underline = index > 0 and _UNDERLINE.fullmatch(line) and lines[index - 1].strip()
    return bool(line.strip()) and not (_BREAK.fullmatch(line) and not is_underline)


def _begins(lines: list[str], index: int) -> bool:
    """Whether a line begins a new block, though no blank line is before it."""
    line = _unquoted(lines[index])
    return bool(
        _HEADING.fullmatch(line)
        or _FENCE.fullmatch(lines[index])
        or _BULLET.match(line)
        or _in_numbered_list(lines, index)
        or _is_row(lines, index)
    )


def _in_numbered_list(lines: list[str], index: int) -> bool:
    """A line's number counts list items if it fits that of the next or previous item.

    A number alone may be a part of the text: "5. Oktober".
    """
    match = _NUMBERED.match(_unquoted(lines[index]))
    if match is None:
        return False
    number = int(match[1])
    return _number_near(lines, index, -1) == number - 1 or (
        _number_near(lines, index, 1) == number + 1
    )


def _number_near(lines: list[str], index: int, step: int) -> int | None:
    """The number of the nearest numbered line before or after, a few lines away."""
    for near in range(index + step, index + 12 * step, step):
        if not 0 <= near < len(lines) or _HEADING.fullmatch(lines[near]):
            return None
        match = _NUMBERED.match(_unquoted(lines[near]))
        if match:
            return int(match[1])
    return None


def _prose(lines: list[str], start: int, end: int) -> Block:
    body = [_unquoted(line) for line in lines[start:end]]
    heading = _HEADING.fullmatch(body[0])
    if heading:
        return Block(HEADING, heading[1] or "", start + 1)
    if end < len(lines) and end - start == 1 and _UNDERLINE.fullmatch(lines[end]):
        return Block(HEADING, body[0], start + 1)
    mark = _BULLET.match(body[0])
    if mark is None and _in_numbered_list(lines, start):
        mark = _NUMBERED.match(body[0])
    if mark:
        body[0] = body[0][mark.end() :]
    return Block(ITEM if mark else TEXT, "\n".join(body), start + 1)


def _unquoted(line: str) -> str:
    return _QUOTE.sub("", line, count=1) if line.lstrip()[:1] == ">" else line


# --- a block's text without Markdown marks, and where it cites ---


_SPACELESS = re.compile("[\u0e00-\u0e7f\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_OPENING = "\"'“‘«„([¿¡—–"
_MARKS = re.compile(
    rf"[(（](?P<named>(?-x:{WORD})\d[^()（）]{{0,100}})[)）]"
    r"""
    |\\(?P<escaped>[!-/:-@\[-`{-~])
    |(?P<ticks>`+)(?P<code>[^`].*?)(?P=ticks)(?!`)
    |!?\[(?P<linked>(?:[^\[\]]|\[[^\[\]]*\]){0,500})\]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)?)(?:\s+"[^"]*")?\)
    |\[(?P<text>[^\[\]]{1,300})\]\[(?P<label>[^\[\]]{1,100})\]
    |\[\[(?P<double>[^\[\]]{1,300})\]\]
    |[\[【［](?P<inner>[^\[\]【】［］]{1,300})[\]】］]
    |<(?P<url>https?://[^>\s]{1,500})>
    |<sup>(?P<raised>[\d\s,;–-]{1,20})</sup>
    |(?=[⁰¹²³⁴-⁹])(?:(?<=[^\W\d_]{3})|(?<=[.,;:!?)”’"。，]))(?P<high>[⁰¹²³⁴-⁹]+(?:,[⁰¹²³⁴-⁹]+)*)
    |(?P<tag></?su[bp]>)
    |(?P<strong>\*\*\*|\*\*|~~)(?=\S)(?P<strongly>.{1,1000}?)(?<=\S)(?P=strong)
    |(?<![\w*])\*(?=[^\s*])(?P<stressed>[^*]{1,1000}?)(?<=\S)\*(?![\w*])
    |(?<!\w)(?P<bars>_{1,3})(?=[^\s_])(?P<underlined>.{1,1000}?)(?<=[^\s_])(?P=bars)(?!\w)
    """,
    re.VERBOSE | re.DOTALL,
)


_DASHES = ("-", "–", "—")
_JOINT = re.compile(r"\s*(?:[-–—]|[,;，；、](?:\s*(?:and|&)\s)?|(?<=\s)(?:and|&)\s)\s*")
"""What may stand between two citations of a series, as in ``[1], [2] and [3]``."""


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
        unread: brackets that look like citations but stay in the text, with their lines, counted
            from the block's first.
    """

    def __init__(self, text: str, known: Collection[str]) -> None:
        self.markers: list[Marker] = []
        self.targets: dict[str, str] = {}
        self.unread: list[tuple[str, int]] = []
        self._known = known
        self._parts: list[str] = []
        self._length = 0
        self._line = 0
        self._gap = ""
        self._after_marker = False
        self._joint = ""
        self._read(text)
        self._add(self._joint)

    @property
    def text(self) -> str:
        """The text."""
        return "".join(self._parts)

    def _read(self, text: str) -> None:
        place = 0
        while match := _MARKS.search(text, place):
            self._write(text[place : match.start()], may_join=True)
            self._mark(match.groupdict(), match.group())
            place = match.end()
        self._write(text[place:])

    def _mark(self, parts: Mapping[str, str | None], whole: str) -> None:
        linked, label = parts["linked"], parts["label"]
        cited = parts["inner"] or parts["double"] or parts["named"]
        if parts["escaped"] or parts["code"] or parts["url"]:
            self._write(parts["escaped"] or (parts["code"] or parts["url"] or "").strip())
        elif parts["tag"]:
            return
        elif raised := parts["raised"] or parts["high"]:
            labels = cited_labels(normalize("NFKC", raised), self._known)
            is_cited = labels and all(label in self._known for label in labels)
            self._cite(labels) if is_cited else self._write(raised)
        elif linked is not None:
            self._link(linked, parts["target"] or "")
        elif label is not None:
            self._pair(parts["text"] or "", label)
        elif cited is not None:
            labels = cited_labels(cited, self._known)
            if not labels and looks_unread(cited, self._known):
                self.unread.append((whole, self._line))
            self._cite(labels) if labels else self._bracketed(whole, cited)
        else:
            self._read(parts["strongly"] or parts["stressed"] or parts["underlined"] or "")

    def _link(self, linked: str, target: str) -> None:
        labels = cited_labels(linked.strip("[]"), self._known)
        if not labels:
            self._read(linked)
            return
        self._cite(labels)
        is_target = target and target.isprintable() and not target.startswith("#")
        if len(labels) == 1 and is_target and not is_document_id(labels[0]):
            self.targets.setdefault(labels[0], target)

    def _pair(self, text: str, label: str) -> None:
        """Reads ``[1][3]``, two citations, or ``[some words][3]``, a link to a reference."""
        first, second = cited_labels(text, self._known), cited_labels(label, self._known)
        if first:
            self._cite(first)
        elif second and " " in text.strip() and all(each in self._known for each in second):
            self._read(text)
        else:
            self._bracketed(f"[{text}]", text)
        if second:
            self._cite(second)
        else:
            self._bracketed(f"[{label}]", label)

    def _bracketed(self, whole: str, inner: str) -> None:
        """Keeps brackets that are part of the text; there may be marks in them."""
        before, _, after = whole.partition(inner)
        self._write(before)
        self._read(inner)
        self._write(after)

    def _cite(self, labels: list[str]) -> None:
        if self._joint.strip() in _DASHES and len(self.markers[-1].labels) == 1 == len(labels):
            between = cited_labels(f"{self.markers[-1].labels[0]}-{labels[0]}", self._known)
            labels = between if labels[0] in between else labels
        self._line += self._joint.count("\n")
        self._joint = gap = ""
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

    def _write(self, text: str, may_join: bool = False) -> None:
        if not text:
            return
        if may_join and self._after_marker and _JOINT.fullmatch(text):
            self._joint = text
            return
        text, self._joint = self._joint + text, ""
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
        """A removed marker leaves a space between two words."""
        if not (first.isalnum() or first in _OPENING):
            return ""
        is_spaceless = _SPACELESS.match(self._parts[-1][-1]) or _SPACELESS.match(first)
        return "" if is_spaceless and not self._gap else " "
