"""What each kind of question is decided on: numbers in [0, 1], made of texts alone.

One function per kind, each with the same shape: an ask and a reader give named features. What they
weigh stands in ``lexical.json``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from itertools import pairwise

from argue_eval.judges.lexical import coverage, cues
from argue_eval.judges.lexical.coverage import Statement
from argue_eval.judges.lexical.document import DocumentText, analyse_document
from argue_eval.judges.lexical.overlap import (
    Claim,
    Evidence,
    find_evidence,
    missing_needs,
    negation_conflict,
    polarity_conflict,
    share,
    weigh,
)
from argue_eval.judges.lexical.text import Text, analyse
from argue_eval.judges.lexical.weights import TermWeights
from argue_eval.judges.lexical.words import POLAR_WORDS
from argue_eval.judges.nli.cache import Cache
from argue_eval.records import Ask, Document, Kind

MAX_EARLIER = 1_000
"""How many of the nearest earlier sentences are looked at."""

_CACHED_SENTENCE_CHARS = 2_000_000
_CACHED_STATEMENT_CHARS = 300_000
"""A group of letters per character takes more than a hundred times its memory."""

_CACHED_DOCUMENT_CHARS = 8_000_000
_CACHED_EVIDENCE = 1
"""The features and the rationale of one ask share it."""

_ASKED_DISCOUNT = 0.25
_ENOUGH = 2.0
"""An answer with this much weight identifies its subject by itself."""

_NEED_AMOUNT = 0.6

_NOTHING = 1e-9
"""Less than this is a rounding error."""

Features = dict[str, float]


class Reader:
    """Texts made ready, each of them once."""

    def __init__(self, weights: TermWeights) -> None:
        self._claims: Cache[str, Claim] = Cache(
            lambda text: weigh(analyse(text), weights),
            lambda text: len(text) + 50,
            _CACHED_SENTENCE_CHARS,
        )
        self._statements: Cache[str, Statement] = Cache(
            lambda text: coverage.statement(self._claims[text].text, weights),
            lambda text: len(text) + 50,
            _CACHED_STATEMENT_CHARS,
        )
        self._documents: Cache[tuple[str, str], DocumentText] = Cache(
            lambda key: analyse_document(*key),
            lambda key: len(key[0]) + len(key[1]) + 100,
            _CACHED_DOCUMENT_CHARS,
        )

        self._evidence: Cache[tuple[str, str, str], Evidence] = Cache(
            lambda key: find_evidence(self._claims[key[0]], self._documents[key[1:]]),
            lambda key: 1,
            _CACHED_EVIDENCE,
        )

    def claim(self, text: str) -> Claim:
        """Returns a sentence, answer or question with its term weights."""
        return self._claims[text]

    def statement(self, text: str) -> Statement:
        """Returns a sentence or claim ready to be compared for coverage."""
        return self._statements[text]

    def document(self, document: Document) -> DocumentText:
        """Returns where the terms of a document are."""
        return self._documents[document.title, document.text]

    def evidence(self, ask: Ask) -> Evidence:
        """Returns what the ask's document has of its sentence."""
        assert ask.document is not None
        return self._evidence[ask.sentence, ask.document.title, ask.document.text]


def support(ask: Ask, reader: Reader) -> Features:
    """Returns how much of the sentence the document has, and what it lacks."""
    assert ask.document is not None
    claim = reader.claim(ask.sentence)
    evidence = reader.evidence(ask)
    postings = reader.document(ask.document).postings
    return {
        "all": evidence.all,
        "window": evidence.window,
        "names_missing": _at_least_half(_names_missing(claim, postings)),
        "split_name": float(_has_split_name(claim.text, postings)),
        "needs_missing": _needs_missing(claim.text, postings),
        "negation": polarity_conflict(claim.text, reader.claim(evidence.sentence).text),
    }


def answers(ask: Ask, reader: Reader) -> Features:
    """Returns how much of the answer's own content the sentence gives, and if it is on subject."""
    sentence, answer = reader.claim(ask.sentence), reader.claim(ask.answer)
    question = reader.claim(ask.question or "")
    asked, keys = question.text.keys, sentence.text.keys
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
    names = {term: own[term] for term in answer.text.names if term not in asked}
    about = share(question.weights, keys) if ask.question else 1.0
    return {
        "given": given / total,
        "needs_missing": _needs_missing(answer.text, keys) if polar is None else 0.0,
        "names_missing": 1.0 - share(names, keys),
        "about": about,
        "off_subject": (1.0 - about) * max(0.0, 1.0 - amount / _ENOUGH),
        "negation": negation_conflict(answer.text, sentence.text) if polar is None else 0.0,
    }


def covers(ask: Ask, reader: Reader) -> Features:
    """Returns how much of the claim the sentence states, and what in it says otherwise.

    What says otherwise counts by how much of the claim the sentence states: texts that have
    little in common do not contradict each other.
    """
    sentence, claim = reader.claim(ask.sentence).text, reader.claim(ask.answer).text
    theirs, own = reader.statement(ask.sentence), reader.statement(ask.answer)
    stated = share(own.weights, theirs.weights) ** 2
    return {
        **coverage.compare(own, theirs),
        "other_needs": stated * _other_needs(claim, sentence),
        "other_names": stated * _other_names(claim, sentence),
        "negation": stated * polarity_conflict(claim, sentence),
    }


def negative(ask: Ask, reader: Reader) -> Features:
    """Returns which cues there are that something is absent or unknown."""
    flat = reader.claim(ask.sentence).text.flat
    return {
        "absence": float(cues.has_cue("absence", flat)),
        "weak_absence": float(cues.has_cue("weak_absence", flat)),
    }


def agrees(ask: Ask, reader: Reader) -> Features:
    """Returns whether absence is asserted, and how far of what the nugget asks for."""
    sentence, question = reader.claim(ask.sentence), reader.claim(ask.question or "")
    # A name tells what the question is about, not what it asks.
    asked = {
        term: weight for term, weight in question.weights.items() if term not in question.text.names
    }
    return {
        **negative(ask, reader),
        "about": share(asked, sentence.text.keys),
        "focus": share(sentence.weights, question.text.keys) if sentence.weights else 0.0,
        "names_missing": _names_missing(question, sentence.text.keys),
        "needs_missing": _needs_missing(question.text, sentence.text.keys),
    }


def requires_citation(ask: Ask, reader: Reader) -> Features:
    """Returns what speaks for a factual claim and what for mere framing."""
    claim = reader.claim(ask.sentence)
    text, flat = claim.text, claim.text.flat
    requested: frozenset[str] = frozenset()
    if ask.request is not None:
        parts = (ask.request.title, ask.request.problem_statement, ask.request.background)
        requested = frozenset().union(*(reader.claim(part).text.keys for part in parts))
    num_new = sum(name not in requested for name in text.names)
    num_new += len(missing_needs(text.needs, requested))
    restated = share(claim.weights, requested) if ask.request is not None else 0.0
    return {
        "facts": num_new / (num_new + 2.0),
        "restates": max(0.0, 2.0 * restated - 1.0),
        "heading": float(_is_heading(text)),
        "question": float(text.raw.rstrip().endswith(("?", "？", "؟"))),
        "framing": float(cues.has_cue("framing", flat)),
        "opinion": float(cues.has_cue("opinion", flat)),
        "short": 1.0 / (1.0 + len(text.terms) + len(text.needs)),
    }


def first_instance(ask: Ask, reader: Reader) -> Features:
    """Returns how much of the sentence one earlier sentence says, and what is new in it."""
    claim = reader.claim(ask.sentence)
    nearest, seen, union = "", 0.0, set[str]()
    for earlier in ask.earlier[-MAX_EARLIER:]:
        keys = reader.claim(earlier).text.keys
        union |= keys
        covered = share(claim.weights, keys)
        if covered > seen:
            nearest, seen = earlier, covered
    return {
        "seen": seen,
        "new_needs": _needs_missing(claim.text, frozenset(union)),
        "new_names": _names_missing(claim, union),
        "negation": negation_conflict(claim.text, reader.claim(nearest).text),
    }


def _names_missing(claim: Claim, keys: Container[str]) -> float:
    return 1.0 - share({term: claim.weights[term] for term in sorted(claim.text.names)}, keys)


def _has_split_name(text: Text, keys: Container[str]) -> bool:
    """Returns whether of two names in a row one alone is there, as if somebody else was meant."""
    return any(
        (one in keys) != (other in keys)
        for one, other in pairwise(text.sequence)
        if one in text.names and other in text.names
    )


def _needs_missing(text: Text, keys: Container[str]) -> float:
    """Returns the share of the quantities that are missing, at least a half if any is."""
    if not text.needs:
        return 0.0
    return _at_least_half(len(missing_needs(text.needs, keys)) / len(text.needs))


def _at_least_half(share: float) -> float:
    """Returns a share of what is missing; one thing that is missing is serious already."""
    return max(share, 0.5) if share > _NOTHING else 0.0


def _other_needs(claim: Text, sentence: Text) -> float:
    """Returns the share of the claim's quantities that are missing where the sentence has others.

    At least a half if any is. A sentence without quantities of its own contradicts none.
    """
    if not missing_needs(sentence.needs, claim.keys):
        return 0.0
    return _needs_missing(claim, sentence.keys)


def _other_names(claim: Text, sentence: Text) -> float:
    """Returns the share of the claim's names that are missing where the sentence has others."""
    if not claim.names or sentence.names <= claim.keys:
        return 0.0
    return len(claim.names - sentence.keys) / len(claim.names)


def _is_heading(text: Text) -> bool:
    raw = text.raw.strip()
    if raw.startswith("#") or raw.endswith((":", "：")):
        return True
    is_open = not raw.rstrip("*_\"')] ").endswith((".", "!", "?", "。", "！", "？", "؟", "۔", "…"))
    is_bold = raw.startswith("**") and raw.endswith("**")
    return text.num_words <= 8 and (is_open or is_bold) and text.language.script == "latin"


FEATURES: Mapping[Kind, Callable[[Ask, Reader], Features]] = {
    Kind.SUPPORT: support,
    Kind.ANSWERS: answers,
    Kind.COVERS: covers,
    Kind.NEGATIVE: negative,
    Kind.AGREES: agrees,
    Kind.REQUIRES_CITATION: requires_citation,
    Kind.FIRST_INSTANCE: first_instance,
}
