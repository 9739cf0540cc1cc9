"""Texts as the features see them: tokens, terms, quantities and negation, in any script.

Sentences, answers and questions are read in full detail, documents only for what each of their
sentences mentions. Runs can hold anything, so sizes are limited: of a longer text, what is beyond
the limit is ignored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from argue_eval.judges.lexical import quantities
from argue_eval.judges.lexical.language import Language, detect
from argue_eval.judges.lexical.quantities import Need, Quantity
from argue_eval.judges.lexical.words import NEGATOR_WORDS, NEGATORS, STOP_WORDS, stem

MAX_SENTENCE_CHARS = 10_000
MAX_TERMS = 400
"""Distinct terms of a sentence that are examined."""

MAX_DOCUMENT_CHARS = 400_000
MAX_DOCUMENT_SENTENCES = 5_000
"""These two limit the time that one document can take."""

NEGATION_SCOPE = 3
"""How many content terms after a negator are taken as negated."""

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(
    r"[A-Za-z]{2,64}(?=[ ,.;:)\x1e])"  # most words, fast
    r"|\[\d{1,4}(?:(?:[,;]|[^\S\x1e]){1,3}\d{1,4}){0,50}\]"  # a citation mark
    r"|\d{4}-\d{1,2}-\d{1,2}(?!\d)|\d{1,2}[./]\d{1,2}[./]\d{4}(?!\d)"
    r"|\d{1,40}(?:[.,٫٬]\d{1,40}){0,12}[A-Za-z]{0,20}"
    r"|(?:[A-Za-z]\.){2,20}"
    rf"|[^\W_{_UNSPACED}]{{1,64}}(?:'[^\W_{_UNSPACED}]{{1,64}}){{0,3}}"
    rf"|[{_UNSPACED}]{{1,64}}"
    r"|[$€£¥₽₹%٪°,\x1e-]"
)
_MARK = re.compile(r"\[\d[\d,;\s]*\] ")
_BETWEEN = re.compile(f"(?<=[{_UNSPACED}])(?=[{_UNSPACED}])")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_MARKS = re.compile(
    "[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u0640\u200b-\u200f\u202a-\u202e]"
)
_BREAK = "\x1e"
"""Separates the sentences of a document, so that all can be tokenised at once."""

_SENTENCE_END = re.compile(r"[.!?؟۔…][\"'”)]?\s|[\n。！？]")
_SHORT, _LONG, _CHUNK = 24, 2_000, 1_000
_MAX_WORD = 64
_ACRONYMS = {"US": "usa", "WHO": "who", "IT": "it"}
_CJK_NEGATORS = tuple(NEGATORS["zh"])


class Token(NamedTuple):
    """A token without its context. `term` is empty for stop words and signs."""

    term: str
    is_name: bool = False
    is_quantity: bool = False
    is_negator: bool = False
    is_unspaced: bool = False
    is_special: bool = False


_TERM, _IS_SPECIAL = attrgetter("term"), attrgetter("is_special")
_SIGN = Token(term="")
_UNSPACED_TEXT = Token(term="", is_unspaced=True, is_special=True)
_NEGATOR = Token(term="", is_negator=True)

_Item = tuple[str, bool, "Quantity | None", bool]
"""Term, is it a name, quantity, is it a negator. A plain tuple, since there are so many."""


def clean(text: str, limit: int) -> str:
    """The text up to a limit, each character in one form, without combining marks."""
    text = text[:limit].replace("’", "'").replace(_BREAK, " ")
    if text.isascii():
        return text
    return _MARKS.sub("", unicodedata.normalize("NFKC", text))[:limit]


@lru_cache(maxsize=1 << 16)
def token_of(raw: str) -> Token:
    """Classifies a token without looking at its neighbours."""
    first = raw[0]
    if first.isdigit():
        return Token(term=raw.lower()[:_MAX_WORD], is_quantity=True, is_special=True)
    if _IS_UNSPACED.match(first):
        return _UNSPACED_TEXT
    if not first.isalpha():
        return _SIGN
    word = raw.lower()
    if len(word) > 3 and word[1] == "'" and first in "lLdDjJnNsScCmM":
        word = word[2:]  # an elided French article or pronoun
    if word in NEGATOR_WORDS or word.endswith("n't"):
        return _NEGATOR
    if raw in _ACRONYMS:
        return Token(term=_ACRONYMS[raw], is_name=True)
    is_quantity = quantities.is_quantity_word(word)
    if word in STOP_WORDS:
        return Token(term="", is_quantity=is_quantity, is_special=is_quantity)
    is_name = first.isupper()
    return Token(term=stem(word), is_name=is_name, is_quantity=is_quantity, is_special=is_quantity)


def _items(raws: Sequence[str]) -> Iterator[_Item]:
    at, end = 0, len(raws)
    is_first = True
    while at < end:
        raw = raws[at]
        token = token_of(raw)
        used = 1
        if token.is_unspaced:
            yield from _bigrams(raw)
        elif token.is_quantity:
            found = quantities.read(raws, at)
            if found is not None:
                quantity, used = found
                yield "", False, quantity, False
            elif token.term:
                yield token.term, False, None, False
        elif token.term:
            is_name = token.is_name
            if is_name and is_first and not raw.isupper():
                is_name = at + 1 < end and raws[at + 1][0].isupper()
            yield token.term, is_name, None, False
        elif token.is_negator:
            yield "", False, None, True
        is_first = False
        at += used


def _bigrams(run: str) -> Iterator[_Item]:
    if len(run) == 1:
        yield run, False, None, run in _CJK_NEGATORS
        return
    for first, second in pairwise(run):
        if first in _CJK_NEGATORS:
            yield "", False, None, True
        yield first + second, False, None, False


# --- sentences, answers and questions -----------------------------------------------------------


class Text(NamedTuple):
    """A sentence, answer or question.

    Attributes:
        terms: distinct content terms in order of appearance, without quantities.
        names: the terms that are written as names.
        keys: terms and keys of quantities, for other texts to match.
        needs: the quantities that another text must have to say the same.
        negated: terms in the scope of a negator.
        sequence: terms and the first key of each quantity, in order, with repetitions.
        flat: lower-case words with a single space between and around them, for cue patterns.
    """

    raw: str
    terms: tuple[str, ...]
    names: frozenset[str]
    keys: frozenset[str]
    needs: tuple[Need, ...]
    negated: frozenset[str]
    sequence: tuple[str, ...]
    flat: str
    num_words: int
    is_negative: bool
    language: Language


def analyse(text: str) -> Text:
    """Reads a sentence, an answer or a question."""
    text = clean(text, MAX_SENTENCE_CHARS)
    raws = _TOKEN.findall(text)
    terms: dict[str, bool] = {}
    keys: set[str] = set()
    needs: dict[Need, None] = {}
    negated: set[str] = set()
    sequence: list[str] = []
    scope, is_negative = 0, False
    for term, is_name, quantity, is_negator in _items(raws):
        if quantity is not None:
            keys.update(quantity.keys)
            needs.update(dict.fromkeys(quantity.needs))
            sequence.append(quantity.keys[0])
        elif is_negator:
            scope, is_negative = NEGATION_SCOPE, True
        elif len(terms) < MAX_TERMS:
            terms[term] = is_name or terms.get(term, False)
            sequence.append(term)
            if scope:
                negated.add(term)
                scope -= 1
    keys.update(terms)
    return Text(
        raw=text,
        terms=tuple(terms),
        names=frozenset(term for term, is_name in terms.items() if is_name),
        keys=frozenset(keys),
        needs=tuple(needs)[:MAX_TERMS],
        negated=frozenset(negated),
        sequence=tuple(sequence[:MAX_TERMS]),
        flat=_flat(raws),
        num_words=sum(raw[0].isalnum() for raw in raws),
        is_negative=is_negative,
        language=detect(text),
    )


def plain(flat: str) -> str:
    """The same without citation marks, and with spaces in scripts that have none."""
    if "[" in flat:
        flat = _MARK.sub("", flat)
    return flat if flat.isascii() else _BETWEEN.sub(" ", flat)


def _flat(raws: Sequence[str]) -> str:
    return f" {' '.join(raws).lower()} "


# --- documents ----------------------------------------------------------------------------------


class DocumentText(NamedTuple):
    """A document: where each key occurs. Bit number n of a posting stands for sentence n.

    Attributes:
        flat: its words as in `Text.flat`, `plain`; no two sentences touch.
    """

    sentences: tuple[str, ...]
    postings: dict[str, int]
    flat: str
    language: Language


def analyse_document(title: str, text: str) -> DocumentText:
    """Indexes the terms and quantities of a document. The title is sentence 0."""
    cleaned = clean(text, MAX_DOCUMENT_CHARS)
    sentences = (clean(title, MAX_SENTENCE_CHARS), *split(cleaned))[:MAX_DOCUMENT_SENTENCES]
    raws = tokens(sentences)
    postings: dict[str, int] = {}
    bit = 1
    for keys in keys_by_sentence(raws):
        for key in keys:
            postings[key] = postings.get(key, 0) | bit
        bit <<= 1
    return DocumentText(sentences, postings, plain(_flat(raws)), detect(cleaned))


def tokens(sentences: Sequence[str]) -> list[str]:
    """The tokens of a document's cleaned sentences, each sentence with a mark at its end."""
    return _TOKEN.findall(_BREAK.join((*sentences, "")))


def keys_by_sentence(raws: Sequence[str]) -> Iterator[set[str]]:
    """Yields the terms and quantity keys of each sentence of a document's tokens."""
    start = 0
    while start < len(raws):
        end = raws.index(_BREAK, start)
        yield _document_keys(raws[start:end])
        start = end + 1


def _document_keys(raws: Sequence[str]) -> set[str]:
    tokens = list(map(token_of, raws))
    if any(map(_IS_SPECIAL, tokens)):
        keys = {token.term for token in tokens if not token.is_quantity}
        done = 0
        for at, token in enumerate(tokens):
            if not token.is_special or at < done:
                continue
            if token.is_unspaced:
                keys.update(item[0] for item in _bigrams(raws[at]))
            elif found := quantities.read(raws, at):
                keys.update(found[0].keys)
                done = at + found[1]
            else:
                keys.add(token.term)
    else:
        keys = set(map(_TERM, tokens))
    keys.discard("")
    return keys


def split(text: str) -> list[str]:
    """Splits a document; short scraps are joined to what follows, very long sentences are cut."""
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
