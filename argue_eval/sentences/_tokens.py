"""Where spaCy's tokenizer and sentencizer see marks at which a sentence may end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from argue_eval.sentences._language import OTHER

if TYPE_CHECKING:
    from spacy.language import Language

OTHER_MARKS = (
    "\u0589\u061d-\u061f\u06d4\u0700-\u0702\u07f9\u0964\u0965\u104a-\u1cff\u203c-\u203d"
    "\u2047-\u2049\u2e2e\u2e3c\u3002\ua4ff-\uaaff\uabeb\ufe52-\ufe57\uff01\uff0e\uff1f\uff61"
    "\U00010a00-\U0001df00"
)
"""A class of characters with all of the sentencizer's marks but the commonest."""

_MARK = re.compile(f"[.!?…{OTHER_MARKS}]")
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
    """Yields where all marks end, those at which no sentence ends too. It needs no spaCy."""
    return (match.end() for match in _MARK.finditer(paragraph))


def mark_ends(paragraph: str, code: str) -> Iterator[int]:
    """Yields where the marks end at which a sentence may end.

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
    """Returns spaCy's tokenizer and sentencizer for a language, or for any language."""
    import spacy

    try:
        nlp = spacy.blank(_TOKENIZERS.get(code, code))
    except (ImportError, ValueError):  # unknown to spaCy, or it needs a further package
        nlp = spacy.blank(_TOKENIZERS[OTHER])
    nlp.add_pipe("sentencizer", config={"punct_chars": sorted(_marks())})
    nlp.max_length = 1 << 40  # there is neither a parser nor an entity recogniser
    return nlp
