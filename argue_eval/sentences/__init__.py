"""Texts into sentences: spaCy's rule-based sentencizer, and rules for what it gets wrong.

No model is needed. spaCy is imported when the first text comes that may hold several sentences.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from argue_eval.sentences._abbreviations import Abbreviations, abbreviations
from argue_eval.sentences._language import (
    SAMPLE_CHARS,
    guess_language,
    language_of,
)
from argue_eval.sentences._rules import CJK, after_closers, enclosed, ends_here, without_markers
from argue_eval.sentences._segmentation import HALF, SEVERAL, Misfit, misfits
from argue_eval.sentences._tokens import OTHER_MARKS, mark_ends, marks_in

__all__ = ["HALF", "SEVERAL", "Misfit", "check", "guess_language", "spans", "split"]

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_AROUND = 100
"""So many characters on both sides of a mark tell whether a sentence ends there."""

_MAY_BREAK = re.compile(
    rf"[.!?…][^\w\s]{{0,{_AROUND}}}(?:\s+\S|[{CJK}\u0e00-\u0e7f])|[{OTHER_MARKS}].*\S", re.DOTALL
)
"""What is in every text with a break in it. Most texts have none."""


def split(text: str, language: str | None = None) -> list[str]:
    """Returns the sentences of a text, in order, without the white space around them.

    Args:
        language: a code such as ``zh`` or ``zh-Hans``; None to guess it from the text.

    >>> split("The U.S. ban began on Jan. 5. It ended in 2019.", "en")
    ['The U.S. ban began on Jan. 5.', 'It ended in 2019.']
    """
    if "\n" not in text and "[" not in text and not _MAY_BREAK.search(text):
        bare = text.strip()
        return [bare] if bare else []
    return [text[start:end] for start, end in spans(text, language)]


def spans(text: str, language: str | None = None) -> Iterator[tuple[int, int]]:
    """Yields start and end of every sentence of a text. A blank line ends a sentence too."""
    code = ""
    start = 0
    for gap in [*_PARAGRAPH.finditer(text), None]:
        end = gap.start() if gap else len(text)
        paragraph = text[start:end]
        if _MAY_BREAK.search(without_markers(paragraph)):
            code = code or language_of(text, language)
            cuts = [0, *_cuts(paragraph, code), len(paragraph)]
        else:
            cuts = [0, len(paragraph)]
        for left, right in pairwise(cuts):
            piece = paragraph[left:right]
            if piece.strip():
                inner = left + len(piece) - len(piece.lstrip())
                yield start + inner, start + left + len(piece.rstrip())
        start = gap.end() if gap else end


def check(texts: Sequence[str], language: str | None = None) -> Iterator[Misfit]:
    """Yields the segments of a report that hold several sentences, or break off inside one.

    Headings and list items without a full stop are left alone.

    Args:
        texts: the segments of one report, in order.
        language: the report's, as in `split`; None to guess it from all of its segments.

    >>> for misfit in check(["It fell. It broke.", "He saw", "it fall."]):
    ...     print(misfit.sentence_index, misfit.kind, misfit.pieces)
    0 several ('It fell.', 'It broke.')
    1 half ('He saw', 'it fall.')
    """
    code = _shared_language(texts, language)
    return misfits(texts, partial(split, language=code), abbreviations(code))


def _shared_language(texts: Sequence[str], language: str | None) -> str:
    sample = ""
    for text in texts:
        sample += text + " "
        if len(sample) > SAMPLE_CHARS:
            break
    return language_of(sample, language)


def _cuts(paragraph: str, code: str) -> Iterator[int]:
    """Yields the places inside a paragraph where a sentence ends and another begins.

    spaCy is asked only if the rules let a sentence end at one of the marks at all.
    """
    bare = without_markers(paragraph)
    words = abbreviations(code)
    if next(_kept(paragraph, marks_in(bare), words), None) is not None:
        yield from _kept(paragraph, mark_ends(bare, code), words)


def _kept(paragraph: str, ends: Iterator[int], words: Abbreviations) -> Iterator[int]:
    """Yields the places where sentences end, out of the ends of the marks of a paragraph."""
    closed = enclosed(paragraph)
    starts = [left for left, _ in closed]
    start = 0
    for mark_end in ends:
        place = after_closers(paragraph, mark_end)
        inside = bisect_left(starts, place) - 1
        if inside >= 0 and place < closed[inside][1]:
            continue
        before = paragraph[max(start, place - _AROUND) : place].strip()
        after = paragraph[place : place + _AROUND]
        is_spaced = after[:1].isspace() or paragraph[mark_end:place].endswith("]")
        if ends_here(before, after.lstrip(), is_spaced, words):
            yield place
            start = place
