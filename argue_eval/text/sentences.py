"""Texts into sentences: spaCy's rule-based sentencizer, and rules for what it gets wrong."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from argue_eval.text.boundaries import (
    CLOSERS,
    MARKER,
    OPENERS,
    SPACELESS,
    Abbreviations,
    abbreviations,
    after_closers,
    continues,
    enclosed,
    ends_here,
    never_ends,
    without_markers,
)
from argue_eval.text.languages import OTHER, SAMPLE_CHARS, guess_language, language_of

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["HALF", "SEVERAL", "Misfit", "check", "guess_language", "spans", "split"]

OTHER_MARKS = (
    "\u0589\u061d-\u061f\u06d4\u0700-\u0702\u07f9\u0964\u0965\u104a-\u1cff\u203c-\u203d"
    "\u2047-\u2049\u2e2e\u2e3c\u3002\ua4ff-\uaaff\uabeb\ufe52-\ufe57\uff01\uff0e\uff1f\uff61"
    "\U00010a00-\U0001df00"
)
"""A class of characters with all of the sentencizer's marks but the commonest."""

_ANY = f".!?…{OTHER_MARKS}"
_MARK = re.compile(f"[{_ANY}]")
_MAX_CHARS = 100_000
"""Longer paragraphs are made into tokens part by part, to bound the memory."""

_MAX_WORD = 1000
"""spaCy's time grows with the square of a word's length. Longer ones are no words."""

_TOKENIZERS = {"fr": "xx", "id": "xx", "ja": "zh", OTHER: "zh"}
"""Languages that take another's tokenizer. Those of French and Indonesian load for seconds, for
exceptions that no break depends on; that of Japanese needs a further package; that of Chinese,
where every character is a token, finds the marks of any script."""


_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character, which spaCy does not take."""


def marks_in(paragraph: str) -> Iterator[int]:
    """Yields the ends of all marks, also of those at which no sentence ends. Needs no spaCy."""
    return (match.end() for match in _MARK.finditer(paragraph))


_TOUCHING = re.compile(rf"[{_ANY}](?:[^\w{_ANY}]|_)+[{_ANY}]|[{OTHER_MARKS}][{_ANY}]")
"""Two marks without a word between them: which of them ends the sentence, spaCy decides."""

_OTHER_MARK = re.compile(f"[{OTHER_MARKS}]")


def _is_plain(paragraph: str, code: str) -> bool:
    """Whether spaCy would find the same ends as `marks_in`, but for those inside of words, at
    which no sentence ends anyhow. It is slow to import.
    """
    if _TOUCHING.search(paragraph) or "://" in paragraph:
        return False
    return _TOKENIZERS.get(code, code) == "zh" or not _OTHER_MARK.search(paragraph)


def mark_ends(paragraph: str, code: str) -> Iterator[int]:
    """Yields the ends of the marks at which a sentence may end.

    These are the sentencizer's, and the full stops that the tokenizer takes for a part of a word:
    "U.S." may end a sentence too.
    """
    is_text = max(map(len, paragraph.split())) <= _MAX_WORD
    nlp = _pipeline(code if is_text else OTHER)
    marks = _marks()
    for offset, part in _parts(paragraph):
        last = 0
        for token in nlp(_SURROGATE.sub("\ufffd", part)):
            text = token.text
            if text in marks:
                last = offset + token.idx + len(text)
            elif last and token.is_sent_start:
                yield last
                last = 0
            if len(text) > 1 and text[-1] == ".":
                yield offset + token.idx + len(text)
                last = 0
        if last:
            yield last


def _parts(paragraph: str) -> Iterator[tuple[int, str]]:
    """Yields a long paragraph in parts that end in white space, each with its place."""
    start = 0
    while start < len(paragraph):
        end = start + _MAX_CHARS
        if end < len(paragraph):
            end = paragraph.rfind(" ", start + 1, end) + 1 or end
        yield start, paragraph[start:end]
        start = end


@cache
def _marks() -> frozenset[str]:
    from spacy.pipeline import Sentencizer

    return frozenset((*Sentencizer.default_punct_chars, "…"))


@cache
def _pipeline(code: str) -> Language:
    import spacy

    try:
        nlp = spacy.blank(_TOKENIZERS.get(code, code))
    except (ImportError, ValueError):  # unknown to spaCy, or it needs a further package
        nlp = spacy.blank(_TOKENIZERS[OTHER])
    nlp.add_pipe("sentencizer", config={"punct_chars": sorted(_marks())})
    nlp.max_length = 1 << 40  # there is neither a parser nor an entity recogniser
    return nlp


# --- splitting ---

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_AROUND = 100
"""So many characters on both sides of a mark tell whether a sentence ends there."""

_MAY_BREAK = re.compile(
    rf"[.!?…][^\w\s]{{0,{_AROUND}}}(?:\s+\S|{SPACELESS.pattern})|[{OTHER_MARKS}].*\S", re.DOTALL
)
"""What is in every text with a break in it. Most texts have none."""


def split(text: str, language: str | None = None) -> list[str]:
    """Splits a text into its sentences, without the white space around them.

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


def _cuts(paragraph: str, code: str) -> Iterator[int]:
    """Yields the places inside a paragraph where a sentence ends and another begins.

    spaCy is asked only if the rules let a sentence end at one of the marks at all.
    """
    bare = without_markers(paragraph)
    words = abbreviations(code)
    cuts = _kept(paragraph, marks_in(bare), words)
    if not _is_plain(bare, code) and next(cuts, None) is not None:
        cuts = _kept(paragraph, mark_ends(bare, code), words)
    yield from cuts


def _kept(paragraph: str, ends: Iterator[int], words: Abbreviations) -> Iterator[int]:
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


# --- whether the segments of a report are sentences: not several in one, not one in halves ---

SEVERAL = "several"
HALF = "half"

_END_CHARS = 80
_MIN_WORDS = 2
_MIN_SPACELESS = 4
_WORD = re.compile(r"\w+")
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
    words = abbreviations(code)
    in_list = False
    for index, text in enumerate(texts):
        following = texts[index + 1] if index + 1 < len(texts) else ""
        in_list = (in_list and not _is_ended(_bare_end(text))) or text.rstrip().endswith(_COLONS)
        pieces = split(text, code)
        if len(pieces) > 1 and sum(map(_is_substantial, pieces)) > 1:
            yield Misfit(index, SEVERAL, tuple(pieces))
        elif not in_list and _goes_on(text, following, words):
            yield Misfit(index, HALF, (text, following))


def _shared_language(texts: Sequence[str], language: str | None) -> str:
    sample = ""
    for text in texts:
        sample += text + " "
        if len(sample) > SAMPLE_CHARS:
            break
    return language_of(sample, language)


def _is_substantial(piece: str) -> bool:
    num_spaceless = len(SPACELESS.findall(piece))
    return num_spaceless >= _MIN_SPACELESS or len(_WORD.findall(piece)) >= _MIN_WORDS


def _bare_end(text: str) -> str:
    """The end of a text without citations, brackets and quotation marks."""
    end = text[-_END_CHARS:]
    if "]" in end:
        end = MARKER.sub("", end)
    return end.rstrip().rstrip(CLOSERS + "“")


def _is_ended(bare_end: str) -> bool:
    return bare_end[-1:] in _MARKS


def _goes_on(text: str, following: str, words: Abbreviations) -> bool:
    """Whether a segment breaks off inside a sentence that the next one continues."""
    end, begin = _bare_end(text), following[:_END_CHARS].lstrip(OPENERS)
    if not end or not begin or _LIST_ITEM.match(text) or _LIST_ITEM.match(following):
        return False
    if end[-1] in _HALF_STOP:
        return True
    if not _is_ended(end):
        return continues(begin)
    return end[-1] == "." and never_ends(end, begin, words)
