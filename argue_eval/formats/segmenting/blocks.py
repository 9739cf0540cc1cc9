"""Plain text or Markdown into blocks: paragraphs, headings, list items, table rows, code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

TEXT = "text"
HEADING = "heading"
ITEM = "item"
ROW = "row"
CODE = "code"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(?P<info>[^`]*)$")
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


def _end_of_code(lines: list[str], start: int, fence: str) -> int:
    for index in range(start + 1, len(lines)):
        closing = lines[index].strip()
        if closing.startswith(fence) and not closing.strip(fence[0]):
            return index
    return len(lines)


def _is_row(lines: list[str], index: int) -> bool:
    """Returns whether a line is one of a table: it has bars, and the table has a ruled line."""
    if _ROW.fullmatch(lines[index]):
        return True
    return "|" in lines[index] and any(
        "|" in lines[near] and "-" in lines[near] and _RULE.fullmatch(lines[near]) is not None
        for near in (index, index + 1)
        if near < len(lines)
    )


def _end_of_prose(lines: list[str], start: int) -> int:
    """Returns the line after the block that begins on a line; the same line if none does."""
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
    """Returns whether a line begins a new block, though no blank line is before it."""
    line = _unquoted(lines[index])
    return bool(
        _HEADING.fullmatch(line)
        or _FENCE.fullmatch(lines[index])
        or _BULLET.match(line)
        or _in_numbered_list(lines, index)
        or _is_row(lines, index)
    )


def _in_numbered_list(lines: list[str], index: int) -> bool:
    """Returns whether a line's number counts list items: the next or last item's fits it.

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
    """Returns the number of the nearest numbered line before or after, a few lines away."""
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
