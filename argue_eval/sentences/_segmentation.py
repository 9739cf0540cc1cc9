"""Whether the segments of a report are sentences: not several in one, not one in halves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from argue_eval.sentences._abbreviations import Abbreviations
from argue_eval.sentences._rules import CLOSERS, MARKER, OPENERS, never_ends

SEVERAL = "several"
HALF = "half"

_END_CHARS = 80
_MIN_WORDS = 2
_MIN_SPACELESS = 4
_WORD = re.compile(r"\w+")
_SPACELESS = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•–—▪●◦·]\s|#|\|)|\s*\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})[.)]\s")
_COLONS = (":", "：")
_HALF_STOP = ",،，、"
_MARKS = ".!?…。！？｡．؟۔।॥։:;：；؛"


class Misfit(NamedTuple):
    """A segment that is not one sentence.

    Attributes:
        sentence_index: which segment, 0-based.
        kind: ``several`` if it holds several sentences, ``half`` if it breaks off inside one.
        pieces: the sentences that it holds; or the two segments that are one sentence.
    """

    sentence_index: int
    kind: str
    pieces: tuple[str, ...]


def misfits(
    texts: Sequence[str], split: Callable[[str], list[str]], words: Abbreviations
) -> Iterator[Misfit]:
    """Yields the segments that are not one sentence, in order.

    Args:
        texts: the segments of one report.
        split: text to sentences, in the language of the report.
        words: the abbreviations of that language.
    """
    in_list = False
    for index, text in enumerate(texts):
        following = texts[index + 1] if index + 1 < len(texts) else ""
        in_list = (in_list and not _is_ended(_bare_end(text))) or text.rstrip().endswith(_COLONS)
        pieces = split(text)
        if len(pieces) > 1 and sum(map(_is_substantial, pieces)) > 1:
            yield Misfit(index, SEVERAL, tuple(pieces))
        elif not in_list and _goes_on(text, following, words):
            yield Misfit(index, HALF, (text, following))


def _is_substantial(piece: str) -> bool:
    num_spaceless = len(_SPACELESS.findall(piece))
    return num_spaceless >= _MIN_SPACELESS or len(_WORD.findall(piece)) >= _MIN_WORDS


def _bare_end(text: str) -> str:
    """Returns the text without the citations, brackets and quotation marks at its end."""
    end = text[-_END_CHARS:]
    if "]" in end:
        end = MARKER.sub("", end)
    return end.rstrip().rstrip(CLOSERS + "“")


def _is_ended(bare_end: str) -> bool:
    return bare_end[-1:] in _MARKS


def _goes_on(text: str, following: str, words: Abbreviations) -> bool:
    """Returns whether a segment breaks off inside a sentence that the next one continues."""
    end, begin = _bare_end(text), following[:_END_CHARS].lstrip(OPENERS)
    if not end or not begin or _LIST_ITEM.match(text) or _LIST_ITEM.match(following):
        return False
    if end[-1] in _HALF_STOP:
        return True
    if not _is_ended(end):
        return begin[0].islower() and not begin[1:2].isupper()
    return end[-1] == "." and never_ends(end, begin, words)
