"""Finds the spans that a model says it copied: exactly, or up to space, quotes and dashes."""

from __future__ import annotations

import re
from typing import NamedTuple
from unicodedata import category, combining, normalize

_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        # As texts of others are shown to a model; see `argue_eval.judges._llm.delimiters`.
        **dict.fromkeys("‹⟨＜﹤", "<"),
        **dict.fromkeys("›⟩＞﹥", ">"),
        "⟦": "[",
        "⟧": "]",
        "…": "...",
    }
)
_WRITTEN_OUT = re.compile("‹U\\+[0-9A-F]{4,6}›")
_INVISIBLE = ("Cc", "Cf", "Co", "Cs")


class Span(NamedTuple):
    """Where a text stands in a document: characters `start` to `end` of its text.

    Attributes:
        is_exact: it stands there to the letter.
    """

    start: int
    end: int
    is_exact: bool = True


class Searched:
    """A document's text, prepared to be searched many times."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._plain = ""
        self._places: list[int] = []

    def find(self, span: str) -> Span | None:
        """Returns where a span stands first; None if the document does not have it.

        >>> Searched("He said: “no”,  twice.").find('said: "no", twice')
        Span(start=3, end=21, is_exact=False)
        """
        span = span.strip()
        if not any(char.isalnum() for char in span):
            return None
        start = self.text.find(span)
        if start >= 0:
            return Span(start, start + len(span))
        if not self._places:
            self._plain, self._places = _plain(self.text)
        wanted, _ = _plain(_WRITTEN_OUT.sub("", span))
        wanted = wanted.strip()
        start = self._plain.find(wanted) if wanted else -1
        while start >= 0 and self._is_cut(start + len(wanted)):
            start = self._plain.find(wanted, start + 1)
        if start < 0:
            return None
        return Span(self._places[start], self._places[start + len(wanted) - 1] + 1, False)

    def _is_cut(self, end: int) -> bool:
        """Returns whether a span would end between a letter and its accent."""
        return combining(self._plain[end : end + 1] or " ") > 0


def _plain(text: str) -> tuple[str, list[int]]:
    """Returns a text in which what looks alike is alike, and where each character comes from.

    Letters and digits stay what they are: a span with another number is another span.
    """
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if char.isspace():
            if chars and chars[-1] != " ":
                chars.append(" ")
                places.append(place)
            continue
        if category(char) in _INVISIBLE:
            continue
        for each in normalize("NFKD", char.translate(_SAME)):
            chars.append(" " if each.isspace() else each)
            places.append(place)
    return "".join(chars), places
