"""Documents as the features see them: which terms and quantities each of their sentences has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from argue_eval.judges.lexical import numbers
from argue_eval.judges.lexical.language import Language, detect
from argue_eval.judges.lexical.text import MAX_SENTENCE_CHARS
from argue_eval.judges.lexical.tokens import BREAK, TOKEN, bigrams, clean, token_of

MAX_DOCUMENT_CHARS = 400_000
MAX_DOCUMENT_SENTENCES = 5_000
"""What is beyond either is not looked at, which bounds the time that one document can take."""

_SENTENCE_END = re.compile(r"[.!?؟۔…][\"'”)]?\s|[\n。！？]")
_SHORT, _LONG, _CHUNK = 24, 2_000, 1_000
_TERM, _IS_SPECIAL = attrgetter("term"), attrgetter("is_special")


class DocumentText(NamedTuple):
    """A document: where each key occurs. Bit number n of a posting stands for sentence n."""

    sentences: tuple[str, ...]
    postings: dict[str, int]
    language: Language


def analyse_document(title: str, text: str) -> DocumentText:
    """Returns where the terms and quantities of a document occur. The title is sentence 0."""
    cleaned = clean(text, MAX_DOCUMENT_CHARS)
    sentences = (clean(title, MAX_SENTENCE_CHARS), *split(cleaned))[:MAX_DOCUMENT_SENTENCES]
    postings: dict[str, int] = {}
    bit = 1
    for keys in keys_by_sentence(sentences):
        for key in keys:
            postings[key] = postings.get(key, 0) | bit
        bit <<= 1
    return DocumentText(sentences, postings, detect(cleaned))


def keys_by_sentence(sentences: Sequence[str]) -> Iterator[set[str]]:
    """Yields the terms and quantity keys of each of a document's cleaned sentences."""
    raws = TOKEN.findall(BREAK.join((*sentences, "")))
    start = 0
    for _ in sentences:
        end = raws.index(BREAK, start)
        yield _document_keys(raws[start:end])
        start = end + 1


def _document_keys(raws: Sequence[str]) -> set[str]:
    tokens = list(map(token_of, raws))
    if not any(map(_IS_SPECIAL, tokens)):
        keys = set(map(_TERM, tokens))
        keys.discard("")
        return keys
    keys = {token.term for token in tokens if not token.is_quantity}
    done = 0
    for at, token in enumerate(tokens):
        if not token.is_special or at < done:
            continue
        if token.is_unspaced:
            keys.update(item[0] for item in bigrams(raws[at]))
            continue
        quantity, used = numbers.read(raws, at)
        done = at + used
        keys.update((token.term,) if quantity is None else quantity.keys)
    keys.discard("")
    return keys


def split(text: str) -> list[str]:
    """Returns the sentences of a text; scraps are joined to what follows, giants are cut."""
    sentences: list[str] = []
    scrap = ""
    start = 0
    for end in (*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)):
        part, start = text[start:end], end
        piece = f"{scrap} {part}".strip() if scrap else part.strip()
        if len(piece) < _SHORT:
            scrap = piece
            continue
        scrap = ""
        while len(piece) > _LONG:
            cut = piece.rfind(" ", _SHORT, _CHUNK)
            cut = _CHUNK if cut < 0 else cut
            sentences.append(piece[:cut])
            piece = piece[cut:]
        sentences.append(piece)
    if scrap:
        sentences.append(scrap)
    return sentences
