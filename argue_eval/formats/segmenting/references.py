"""Finds a text's reference list: which document a number in brackets stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_TITLES = (
    "references",
    "reference list",
    "sources",
    "citations",
    "cited documents",
    "bibliography",
    "works cited",
    "参考文献",
    "參考文獻",
    "参考资料",
    "引用",
    "来源",
    "список литературы",
    "литература",
    "источники",
    "ссылки",
    "منابع",
    "مراجع",
    "المراجع",
    "المصادر",
    "referencias",
    "bibliografía",
    "fuentes",
    "literatur",
    "literaturverzeichnis",
    "quellen",
    "références",
    "bibliographie",
)
_TITLE = re.compile(rf"[#*_\s]*(?:\d+\.\s*)?({'|'.join(_TITLES)})[*_]*\s*[:：]?[#*_\s]*", re.I)
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DEFINITION = re.compile(r" {0,3}\[\^?([^\[\]\s]+)\]:\s*(\S.*)")
_ENTRY = re.compile(r"\s*(?:[-*+•]\s+)?(?:\[\^?([^\[\]\s]+)\]:?|(\d{1,4})[.):])\s*(\S.*)")
_BULLET = re.compile(r"\s*[-*+•]\s+(\S.*)")
_BARE = re.compile(r"\s*\[\^?([^\[\]\s]+)\]\s+(\S+)\s*")
_LINK = re.compile(r"\[[^\[\]]*\]\(\s*<?([^\s()<>]+)>?[^()]*\)")
_URL = re.compile(r"https?://[^\s<>()\[\]]+")
_YEAR = re.compile(r"(?:19|20)\d\d")


class Reference(NamedTuple):
    """An entry of a reference list; `doc_id` is empty if it names no document."""

    label: str
    doc_id: str
    line: int


def take_references(lines: list[str]) -> tuple[list[str], list[Reference]]:
    """Returns the lines with those of the reference list made empty, and the references.

    A reference list is what follows a title such as "References", definitions such as
    ``[1]: doc-id`` and ``[^1]: doc-id`` anywhere, and lines ``[1] doc-id`` at the end of the text.
    """
    text = list(lines)
    found: list[Reference] = []
    for index in _unfenced(lines):
        match = _DEFINITION.match(lines[index])
        if match:
            found.append(Reference(match[1], doc_id_of(match[2]), index + 1))
            text[index] = ""
    for start, end in _sections(text):
        found += _entries(text, start, end)
        text[start:end] = [""] * (end - start)
    for index in range(len(text) - 1, -1, -1):
        match = _BARE.fullmatch(text[index])
        if match and _is_id(match[2]):
            found.append(Reference(match[1], doc_id_of(match[2]), index + 1))
            text[index] = ""
        elif text[index].strip():
            break
    return text, found


def doc_id_of(entry: str) -> str:
    """Returns the document id in an entry of a reference list; empty if it has none.

    It is the only word, the target of a link, a first word with a digit, or the only URL.

    >>> doc_id_of("ex-0001"), doc_id_of("ex-0001, The dam (2019)"), doc_id_of("[Dam](ex-0001)")
    ('ex-0001', 'ex-0001', 'ex-0001')
    >>> doc_id_of("Smith, J.: The dam. 2019.")
    ''
    """
    link = _LINK.search(entry)
    if link:
        return link[1]
    words = entry.split()
    first = words[0].strip("<>`\"'").rstrip(".,;:")
    if len(words) == 1 or (_is_id(first) and not _YEAR.fullmatch(first)):
        return first
    urls = _URL.findall(entry)
    return urls[0].rstrip(".,;") if len(urls) == 1 else ""


def _is_id(word: str) -> bool:
    return any(char.isdigit() for char in word)


def _unfenced(lines: list[str]) -> Iterator[int]:
    """Yields the indexes of the lines outside of code blocks."""
    fence = ""
    for index, line in enumerate(lines):
        match = _FENCE.match(line)
        if match and not fence:
            fence = match[1]
        elif match and match[1].startswith(fence):
            fence = ""
        elif not fence:
            yield index


def _sections(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yields first and last line of the parts that have a title and entries under it."""
    for index in _unfenced(lines):
        if not _TITLE.fullmatch(lines[index]):
            continue
        body = range(index + 1, len(lines))
        end = next((at for at in body if _HEADING.match(lines[at])), len(lines))
        first = next((at for at in range(index + 1, end) if _is_text(lines[at])), None)
        if first is not None and (_ENTRY.match(lines[first]) or _is_id_item(lines[first])):
            yield index, end


def _is_text(line: str) -> bool:
    return bool(line.strip("-=_* \t"))


def _is_id_item(line: str) -> bool:
    item = _BULLET.match(line)
    return item is not None and bool(doc_id_of(item[1]))


def _entries(lines: list[str], start: int, end: int) -> Iterator[Reference]:
    """Yields the references of a section. List items without numbers count from 1."""
    num_items = 0
    for index in range(start + 1, end):
        entry, item = _ENTRY.match(lines[index]), _BULLET.match(lines[index])
        if entry:
            yield Reference(entry[1] or entry[2], doc_id_of(entry[3]), index + 1)
        elif item:
            num_items += 1
            yield Reference(str(num_items), doc_id_of(item[1]), index + 1)
