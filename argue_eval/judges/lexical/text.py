"""Sentences, answers and questions as the features see them.

What comes from a run is hostile until proven harmless, so sizes are capped: a longer text is looked
at up to its cap.
"""

from __future__ import annotations

from typing import NamedTuple

from argue_eval.judges.lexical.language import Language, detect
from argue_eval.judges.lexical.quantity import Need
from argue_eval.judges.lexical.tokens import TOKEN, clean, scan

MAX_SENTENCE_CHARS = 10_000
MAX_TERMS = 400
"""Distinct terms of a sentence that are looked at."""

NEGATION_SCOPE = 3
"""How many content terms after a negator it is taken to negate."""


class Text(NamedTuple):
    """A sentence, answer or question.

    Attributes:
        terms: distinct content terms in order of appearance, without quantities.
        names: those of them that are written as names.
        keys: terms and quantity keys, for others to match against.
        needs: the quantities that another text must have to say the same.
        negated: terms in the scope of a negator.
        sequence: terms and the first key of each quantity, in order, repetitions included.
        flat: lower-case words joined by single spaces, with one at both ends, for cue patterns.
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
    """Returns what the features need to know of a sentence, an answer or a question."""
    text = clean(text, MAX_SENTENCE_CHARS)
    raws = TOKEN.findall(text)
    terms: dict[str, bool] = {}
    keys: set[str] = set()
    needs: dict[Need, None] = {}
    negated: set[str] = set()
    sequence: list[str] = []
    scope, is_negative = 0, False
    for term, is_name, quantity, is_negator in scan(raws):
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
        flat=f" {' '.join(raws).lower()} ",
        num_words=sum(raw[0].isalnum() for raw in raws),
        is_negative=is_negative,
        language=detect(text),
    )
