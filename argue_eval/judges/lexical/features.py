"""The features that decide each kind of question: numbers, computed from texts alone.

One function per kind makes named features from a question. Their weights are in
``coefficients.json``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from functools import cache
from math import log1p

from argue_eval.judges.cache import Cache
from argue_eval.judges.lexical import overlap
from argue_eval.judges.lexical.overlap import (
    Claim,
    Earlier,
    Evidence,
    Postings,
    Statement,
    missing_needs,
    negation_conflict,
    polarity_conflict,
    postings_of,
    share,
)
from argue_eval.judges.lexical.text import DocumentText, Text, analyse, analyse_document, plain
from argue_eval.judges.lexical.weights import TermWeights, longest_gap, ngrams
from argue_eval.judges.lexical.words import PERSONS, POLAR_WORDS, table
from argue_eval.records import Kind, Question

_CUES = table("cues")

CUED_LANGUAGES = frozenset(_CUES["absence"])
"""Languages in which it is known how to say that something is absent."""

_CACHED_SENTENCE_CHARS = 2_000_000
_CACHED_STATEMENT_CHARS = 300_000
"""An n-gram per character takes more than a hundred times the character's memory."""

_CACHED_DOCUMENT_CHARS = 8_000_000
_CACHED_BLOCKS = 2
"""That of a sentence, and the one before."""

_CACHED_EVIDENCE = 1
"""The features and the rationale of a question share it."""

_ASKED_DISCOUNT = 0.25
_ENOUGH = 2.0
"""An answer with this much weight identifies its subject by itself."""

_NEED_AMOUNT = 0.6

_STEM = 4
"""Names that begin with the same letters are taken for forms of one."""

_UNRELATED = 60
"""The length of what a document lacks of a sentence with which it has nothing in common."""

Features = dict[str, float]


class Reader:
    """Analyses texts, each only once as long as it is in a cache.

    Attributes:
        claims: sentences, answers and questions with the weights of their terms.
        statements: sentences and claims, ready to be compared for coverage.
        documents: the indexed terms of documents, by title and text.
        postings: the terms of the sentences of a part of a report.
    """

    def __init__(self, weights: TermWeights) -> None:
        self.claims: Cache[str, Claim] = Cache(
            lambda text: overlap.weigh(analyse(text), weights),
            lambda text: len(text) + 50,
            _CACHED_SENTENCE_CHARS,
        )
        self.statements: Cache[str, Statement] = Cache(
            lambda text: overlap.statement(self.claims[text].text, weights),
            lambda text: len(text) + 50,
            _CACHED_STATEMENT_CHARS,
        )
        self.documents: Cache[tuple[str, str], DocumentText] = Cache(
            lambda key: analyse_document(*key),
            lambda key: len(key[0]) + len(key[1]) + 100,
            _CACHED_DOCUMENT_CHARS,
        )
        self.postings: Cache[tuple[str, ...], Postings] = Cache(
            lambda block: postings_of(map(self.claims.__getitem__, block)),
            lambda block: 1,
            _CACHED_BLOCKS,
        )
        self._evidence: Cache[tuple[str, str, str], Evidence] = Cache(
            lambda key: overlap.find_evidence(self.claims[key[0]], self.documents[key[1:]]),
            lambda key: 1,
            _CACHED_EVIDENCE,
        )

    def evidence(self, question: Question) -> Evidence:
        """What the question's document has of its text."""
        assert question.document is not None
        return self._evidence[question.text, question.document.title, question.document.text]


def support(question: Question, reader: Reader) -> Features:
    """How much of the sentence the document has, how near together, and what says otherwise.

    ``window``: the share in the best window. ``copied``: how far in the same order. ``gap``: the
    longest part that the best sentence lacks. ``persons``: words for the speaker that are new.
    What is missing or negated counts in proportion to how much is found, as in `covers`.
    """
    assert question.document is not None
    claim = reader.claims[question.text]
    text, evidence = claim.text, reader.evidence(question)
    found = evidence.window
    document = reader.documents[question.document.title, question.document.text]
    said = reader.claims[evidence.sentence].text
    stated = share(claim.weights, said.keys) ** 2
    words = plain(text.flat).split()
    gap = _UNRELATED
    if evidence.sentences:
        own, nearest = ngrams(text.raw), map(ngrams, evidence.sentences)
        gap = longest_gap(text.raw, max(nearest, key=lambda known: len(known & own)))
    new_persons = [each for each in words if each in PERSONS and f" {each} " not in document.flat]
    return {
        "window": found,
        "copied": overlap.copied(words, document.flat),
        "gap": log1p(gap),
        "persons": log1p(len(new_persons)),
        "question": float(_is_question(text)),
        "name_missing": found * any(_lacks(document, name) for name in text.names),
        "need_missing": found * bool(missing_needs(text.needs, document.postings)),
        "negation": stated * polarity_conflict(text, said),
    }


def answers(question: Question, reader: Reader) -> Features:
    """How much of the answer's own content the sentence gives, and whether it is on the subject."""
    sentence, answer = reader.claims[question.text], reader.claims[question.claim]
    asking = reader.claims[question.nugget_question or ""]
    asked, keys = asking.text.keys, sentence.text.keys
    own = {
        term: weight * (_ASKED_DISCOUNT if term in asked else 1.0)
        for term, weight in answer.weights.items()
    }
    given, total = 0.0, 0.0
    for term, weight in own.items():
        total += weight
        given += weight if term in keys else 0.0
    for need in answer.text.needs:
        weight = _ASKED_DISCOUNT if any(key in asked for key in need) else 1.0
        total += weight
        given += weight if any(key in keys for key in need) else 0.0
    amount = answer.total + _NEED_AMOUNT * len(answer.text.needs)
    polar = POLAR_WORDS.get(answer.text.flat.strip())
    if polar is not None or not total:
        is_same = polar is None or polar != sentence.text.is_negative
        given, total, amount = float(is_same), 1.0, 0.0
    names = {term: own[term] for term in sorted(answer.text.names) if term not in asked}
    about = share(asking.weights, keys) if question.nugget_question else 1.0
    return {
        "given": given / total,
        "needs_missing": _needs_missing(answer.text, keys) if polar is None else 0.0,
        "names_missing": 1.0 - share(names, keys),
        "about": about,
        "off_subject": (1.0 - about) * max(0.0, 1.0 - amount / _ENOUGH),
        "negation": negation_conflict(answer.text, sentence.text) if polar is None else 0.0,
    }


def covers(question: Question, reader: Reader) -> Features:
    """How much of the claim the sentence states, and what in it says otherwise.

    What says otherwise counts in proportion to how much of the claim the sentence states: texts
    that have little in common do not contradict each other.
    """
    sentence, claim = reader.claims[question.text].text, reader.claims[question.claim].text
    theirs, own = reader.statements[question.text], reader.statements[question.claim]
    stated = share(own.weights, theirs.weights) ** 2
    return {
        **overlap.compare(own, theirs),
        "other_needs": stated * _other_needs(claim, sentence),
        "other_names": stated * _other_names(claim, sentence),
        "negation": stated * polarity_conflict(claim, sentence),
    }


def negative(question: Question, reader: Reader) -> Features:
    """The cues that something is absent or unknown."""
    flat = reader.claims[question.text].text.flat
    return {name: float(has_cue(name, flat)) for name in ("absence", "weak_absence")}


def agrees(question: Question, reader: Reader) -> Features:
    """Whether absence is asserted, and of how much of what the nugget asks for."""
    sentence, asking = reader.claims[question.text], reader.claims[question.nugget_question or ""]
    keys = sentence.text.keys
    # A name says what the question is about, not what it asks.
    names = asking.text.names
    asked = {term: weight for term, weight in asking.weights.items() if term not in names}
    return {
        **negative(question, reader),
        "about": share(asked, keys),
        "focus": share(sentence.weights, asking.text.keys) if sentence.weights else 0.0,
        "names_missing": _names_missing(asking, keys),
        "needs_missing": _needs_missing(asking.text, keys),
    }


def requires_citation(question: Question, reader: Reader) -> Features:
    """What indicates a factual claim, and what indicates mere framing."""
    claim, request = reader.claims[question.text], question.request
    text = claim.text
    requested: frozenset[str] = frozenset()
    if request is not None:
        parts = (request.title, request.problem_statement, request.background)
        requested = frozenset().union(*(reader.claims[part].text.keys for part in parts))
    num_new = sum(name not in requested for name in text.names)
    num_new += len(missing_needs(text.needs, requested))
    restated = share(claim.weights, requested) if request is not None else 0.0
    return {
        "facts": num_new / (num_new + 2.0),
        "restates": max(0.0, 2.0 * restated - 1.0),
        "heading": float(_is_heading(text)),
        "question": float(_is_question(text)),
        "framing": float(has_cue("framing", text.flat)),
        "opinion": float(has_cue("opinion", text.flat)),
        "short": 1.0 / (1.0 + len(text.terms) + len(text.needs)),
    }


def first_instance(question: Question, reader: Reader) -> Features:
    """How much of the sentence a single earlier sentence says, and what is new in it."""
    claim = reader.claims[question.text]
    earlier = Earlier(question.sentences, question.num_earlier, reader.postings)
    place = earlier.nearest(claim)
    nearest = reader.claims["" if place is None else question.sentences[place]].text
    seen = 0.0 if place is None else share(claim.weights, nearest.keys)
    return {
        "seen": seen,
        "new_needs": _needs_missing(claim.text, earlier),
        "new_names": _names_missing(claim, earlier),
        "negation": negation_conflict(claim.text, nearest) if seen else 0.0,
    }


def has_cue(name: str, flat: str) -> bool:
    """Whether a text has a cue: absence, weak_absence, framing or opinion.

    The patterns are in ``cues.json``; ``<NAME>`` in one stands for one of its parts. They are
    matched against `Text.flat`. Gaps span a limited number of words, so that no text can make a
    pattern slow. To add a language, add rows.

    >>> has_cue("absence", " no reports were found on the bridge ")
    True
    >>> has_cue("absence", " the bridge was not damaged ")
    False
    """
    return _pattern(name).search(flat) is not None


@cache
def _pattern(name: str) -> re.Pattern[str]:
    patterns = "|".join(f"(?:{row})" for rows in _CUES[name].values() for row in rows)
    for part, pattern in _CUES["parts"].items():
        patterns = patterns.replace(f"<{part}>", pattern)
    return re.compile(patterns)


def _names_missing(claim: Claim, keys: Container[str]) -> float:
    return 1.0 - share({term: claim.weights[term] for term in sorted(claim.text.names)}, keys)


def _lacks(document: DocumentText, name: str) -> bool:
    """Whether neither a name nor another form of it is in a document."""
    if name in document.postings:
        return False
    return len(name) < _STEM or f" {name[:_STEM]}" not in document.flat


def _needs_missing(text: Text, keys: Container[str]) -> float:
    """The share of the quantities that are missing, at least one half if any is."""
    if not text.needs:
        return 0.0
    missing = len(missing_needs(text.needs, keys)) / len(text.needs)
    return max(missing, 0.5) if missing else 0.0  # a single missing one is serious already


def _other_needs(claim: Text, sentence: Text) -> float:
    """The share of the claim's quantities that are missing, if the sentence has others instead."""
    if not missing_needs(sentence.needs, claim.keys):
        return 0.0
    return _needs_missing(claim, sentence.keys)


def _other_names(claim: Text, sentence: Text) -> float:
    if not claim.names or sentence.names <= claim.keys:
        return 0.0
    return len(claim.names - sentence.keys) / len(claim.names)


def _is_question(text: Text) -> bool:
    return text.raw.rstrip().endswith(("?", "？", "؟"))


def _is_heading(text: Text) -> bool:
    raw = text.raw.strip()
    if raw.startswith("#") or raw.endswith((":", "：")):
        return True
    is_open = not raw.rstrip("*_\"')] ").endswith((".", "!", "?", "。", "！", "？", "؟", "۔", "…"))
    is_bold = raw.startswith("**") and raw.endswith("**")
    return text.num_words <= 8 and (is_open or is_bold) and text.language.script == "latin"


FEATURES: Mapping[Kind, Callable[[Question, Reader], Features]] = {
    Kind.SUPPORT: support,
    Kind.ANSWERS: answers,
    Kind.COVERS: covers,
    Kind.NEGATIVE: negative,
    Kind.AGREES: agrees,
    Kind.REQUIRES_CITATION: requires_citation,
    Kind.FIRST_INSTANCE: first_instance,
}
