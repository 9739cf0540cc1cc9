"""Which of a classifier's labels says that the first text entails the second."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import UsageError
from argue_eval.judges import Reply, Settings, Workload
from argue_eval.judges.cache import Cache
from argue_eval.judges.limits import Limits
from argue_eval.judges.local.classifier import Card, Classifier, Encoded, Pair, find
from argue_eval.judges.nli.windows import Passage
from argue_eval.records import Ask, JudgeFailure, Judgment, Kind, Verdict

_ENTAILMENT = frozenset({"entailment", "entail", "entails", "entailed"})
_SUPPORTED = frozenset({"supported", "support", "supports"})
_UNSUPPORTED = frozenset({"unsupported", "not_supported", "not_support", "no_support"})
_NAMELESS = re.compile(r"label_?\d+|\d+")
_OTHER = re.compile(r"[\W_]+")


def entailment_label(card: Card) -> int:
    """Returns the number of the label that means entailment, or that a claim is supported.

    Names count whatever their case: ``entailment`` among others, or ``supported`` beside
    ``unsupported`` alone, as fact-checking models have it.

    Raises:
        UsageError: there is no such label, or more than one, or the model is not a classifier that
            chooses one label out of several.
    """
    _check_head(card)
    names = [_OTHER.sub("_", label.strip().lower()) for label in card.labels]
    if all(_NAMELESS.fullmatch(name) for name in names):
        named = ", ".join(f'"{number}": "…"' for number in range(len(names)))
        raise UsageError(
            f"{card.name}: its labels are {_listed(card.labels)}, which does not tell what they "
            "mean; make a copy of its folder and name them in config.json, as its description "
            f'says: "id2label": {{{named}}}, with entailment or supported among the names'
        )
    found = [number for number, name in enumerate(names) if name in _ENTAILMENT]
    if not found and len(names) == 2:
        pairs = ((0, 1), (1, 0))
        found = [a for a, b in pairs if names[a] in _SUPPORTED and names[b] in _UNSUPPORTED]
    if len(found) != 1:
        raise UsageError(
            f"{card.name}: its labels are {_listed(card.labels)}; expected one of them to be "
            "entailment, or two, supported and unsupported"
        )
    _check_numbers(card)
    return found[0]


def _check_head(card: Card) -> None:
    problem = getattr(card.config, "problem_type", None)
    if len(card.labels) < 2 or problem == "regression":
        raise UsageError(
            f"{card.name}: the model gives a number on a scale of its own (a regression), not the "
            "probabilities of labels; expected a classifier with an entailment label"
        )
    if problem == "multi_label_classification":
        raise UsageError(
            f"{card.name}: the model may give several labels at once; expected a classifier that "
            "chooses one, with entailment among them"
        )


def _check_numbers(card: Card) -> None:
    """Checks that the configuration does not number its labels in two ways."""
    numbers = getattr(card.config, "label2id", None) or {}
    if all(_NAMELESS.fullmatch(str(label).lower()) for label in numbers):
        return
    for number, label in enumerate(card.labels):
        if label in numbers and int(numbers[label]) != number:
            raise UsageError(
                f"{card.name}: its config.json contradicts itself: id2label calls {number} "
                f"{label!r}, label2id gives it the number {numbers[label]}; correct one of them in "
                "a copy of its folder"
            )


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(repr(label[:40]) for label in labels[:8])
    return shown if len(labels) <= 8 else f"{shown}, … ({len(labels)} in all)"


# --- Entailment: does a document entail a sentence? Any NLI or fact-checking model of transformers ---


MODEL = "a folder or a name on the Hugging Face hub, with @REVISION if need be"
IS_COSTLY = True

VERSION = 1
THRESHOLD = 0.5
"""An entailment this probable is a yes: it outweighs all other labels together."""

NO_DOCUMENT = "no document text"
NO_SENTENCE = "no sentence text"
NO_CLAIM = "no claim text"
NO_TOKENS = "a text of which the model's tokenizer makes nothing"
NO_NUMBER = "the model gave no number"
OTHER_KIND = "not a kind that this judge answers"

_DECIMALS = {"fp32": 6, "bf16": 4}
_SMALLEST_SHARE = 4
"""A premise must have at least one token in so many of those that a model reads."""

_CACHED_CHARS = 8_000_000
_REVISION_CHARS = 12
_UNSAFE = re.compile(r"[^\w./-]")

_Premise = tuple[str, str, str | None]
"""A text, its title and its language."""


class _Best(NamedTuple):
    """The window that decides so far, and the probabilities of all labels there."""

    number: int
    probs: list[float]


@dataclass(slots=True)
class _Open:
    """A pair that is under way.

    Attributes:
        places: the asks that it answers.
        num_left: windows that are not scored yet.
    """

    places: list[int]
    premise: _Premise
    windows: list[tuple[int, int]]
    num_left: int
    best: _Best | None = None


@dataclass(slots=True)
class _Work:
    """What `NliJudge.judge` has begun. `ended` holds replies that need no model."""

    begun: list[_Open] = field(default_factory=list)
    keys: list[tuple[int, int]] = field(default_factory=list)
    ended: list[Reply] = field(default_factory=list)


class NliJudge:
    """Answers `Kind.SUPPORT` and `Kind.COVERS` with yes or no; never with partial."""

    kinds = frozenset({Kind.SUPPORT, Kind.COVERS})
    joint: frozenset[Kind] = frozenset()

    def __init__(self, classifier: Classifier, limits: Limits | None = None) -> None:
        self._classifier = classifier
        self._entailment = entailment_label(classifier.card)
        self._limits = limits or Limits()
        self._decimals = _DECIMALS[classifier.dtype]
        self._room = classifier.max_length - classifier.tokenizer.num_special
        self._passages: Cache[_Premise, Passage] = Cache(
            self._passage, lambda premise: len(premise[0]), _CACHED_CHARS
        )
        self.signature = _signature(classifier, self._entailment)

    def judge(self, asks: Sequence[Ask]) -> Iterator[Reply]:
        """Yields one reply per ask, batch by batch."""
        work = _Work()
        pairs = self._pairs(asks, work)
        for scored in self._classifier.predict(pairs, lambda: self._limits.is_halted):
            at, number = work.keys[scored.key]
            pair = work.begun[at]
            pair.num_left -= 1
            found = _Best(number, scored.probs)
            pair.best = max(pair.best or found, found, key=self._rank)
            if not pair.num_left:
                yield from self._replies(pair, pair.best, asks)
            yield from _drained(work)
        if not self._limits.is_halted:
            yield from _drained(work)

    def workload(self, asks: Sequence[Ask]) -> Workload:
        """Returns how many windows are to be read, and their tokens."""
        lengths = [len(each.first) + len(each.second) for each in self._pairs(asks, _Work())]
        num_special = self._classifier.tokenizer.num_special * len(lengths)
        return Workload(len(lengths), sum(lengths) + num_special)

    def _pairs(self, asks: Sequence[Ask], work: _Work) -> Iterator[Pair]:
        """Yields every window with its sentence, once, however many asks have the same texts."""
        for premise, hypotheses in self._by_premise(asks, work).items():
            for hypothesis, places in hypotheses.items():
                tokens = self._classifier.encode(hypothesis)
                reason = self._reason(premise, tokens)
                if reason:
                    work.ended += [Reply(at, self._failure(asks[at], reason)) for at in places]
                    continue
                yield from self._windows(premise, tokens, places, work)

    def _reason(self, premise: _Premise, tokens: Encoded) -> str:
        """Returns why the model cannot read a pair; empty if it can."""
        if not tokens.ids or not self._passages[premise].tokens.ids:
            return NO_TOKENS
        if (self._room - len(tokens.ids)) * _SMALLEST_SHARE >= self._room:
            return ""
        return (
            "the sentence or claim leaves too little room for the text that is to entail it: the "
            f"model reads {self._classifier.max_length} tokens"
        )

    def _windows(
        self, premise: _Premise, tokens: Encoded, places: list[int], work: _Work
    ) -> Iterator[Pair]:
        passage = self._passages[premise]
        room = self._room - len(tokens.ids)
        windows = passage.windows(room)
        work.begun.append(_Open(places, premise, windows, len(windows)))
        for number, window in enumerate(windows):
            work.keys.append((len(work.begun) - 1, number))
            yield Pair(len(work.keys) - 1, passage.ids(window, room), tokens.ids)

    def _by_premise(self, asks: Sequence[Ask], work: _Work) -> dict[_Premise, dict[str, list[int]]]:
        """Returns the places of the asks by premise and hypothesis; the others end at once."""
        found: dict[_Premise, dict[str, list[int]]] = {}
        for at, ask in enumerate(asks):
            reason = _reason(ask)
            if reason:
                work.ended.append(Reply(at, self._failure(ask, reason)))
                continue
            premise, hypothesis = _texts(ask)
            found.setdefault(premise, {}).setdefault(hypothesis, []).append(at)
        return found

    def _passage(self, premise: _Premise) -> Passage:
        text, title, language = premise
        return Passage(self._classifier, text, title, language)

    def _rank(self, window: _Best) -> tuple[bool, float, int]:
        """Returns what the deciding window has most of: no number at all, else entailment."""
        prob = self._prob(window.probs)
        return (False, prob, -window.number) if isfinite(prob) else (True, 0.0, -window.number)

    def _prob(self, probs: list[float]) -> float:
        return round(probs[self._entailment], self._decimals)

    def _replies(self, pair: _Open, best: _Best, asks: Sequence[Ask]) -> Iterator[Reply]:
        prob = self._prob(best.probs)
        raw = self._raw(pair, best)
        for at in pair.places:
            ask = asks[at]
            if not isfinite(prob):
                yield Reply(at, self._failure(ask, NO_NUMBER), raw)
                continue
            excerpt = ""
            if ask.kind is Kind.SUPPORT:
                excerpt = self._passages[pair.premise].excerpt(pair.windows[best.number])
            yield Reply(at, self._judgment(ask, prob, excerpt), raw)

    def _judgment(self, ask: Ask, prob: float, excerpt: str) -> Judgment:
        return Judgment(
            kind=ask.kind,
            topic_id=ask.topic_id,
            verdict=Verdict.YES if prob >= THRESHOLD else Verdict.NO,
            judge=self.signature,
            sentence=ask.sentence,
            doc_id=ask.doc_id,
            nugget_id=ask.nugget_id,
            answer=ask.answer,
            prob=prob,
            rationale=excerpt,
        )

    def _raw(self, pair: _Open, best: _Best) -> str:
        """Returns all that the model said of the window that decided, as JSON."""
        numbers = [round(each, self._decimals) if isfinite(each) else None for each in best.probs]
        said = {
            "probs": dict(zip(self._classifier.card.labels, numbers, strict=True)),
            "window": best.number + 1,
            "windows": len(pair.windows),
        }
        return json.dumps(said, ensure_ascii=False)

    def _failure(self, ask: Ask, reason: str) -> JudgeFailure:
        return JudgeFailure(ask.kind, ask.topic_id, self.signature, reason)


def _drained(work: _Work) -> Iterator[Reply]:
    ended, work.ended = work.ended, []
    yield from ended


def _reason(ask: Ask) -> str:
    """Returns why an ask cannot be answered; empty if it can."""
    if ask.kind not in NliJudge.kinds:
        return OTHER_KIND
    if not ask.sentence.strip():
        return NO_SENTENCE
    if ask.kind is Kind.COVERS:
        return "" if ask.answer.strip() else NO_CLAIM
    document = ask.document
    has_text = document is not None and (document.text.strip() or document.title.strip())
    return "" if has_text else NO_DOCUMENT


def _texts(ask: Ask) -> tuple[_Premise, str]:
    """Returns premise and hypothesis."""
    if ask.kind is Kind.SUPPORT and ask.document is not None:
        document = ask.document
        return (document.text, document.title, document.language), ask.sentence
    return (ask.sentence, "", None), ask.answer


def _signature(classifier: Classifier, entailment: int) -> str:
    """Returns the judge's signature: ``nli@1/MODEL@REVISION/bf16/window512/yes0.5/entailment2of3``.

    The way in which windows are cut belongs to the version.
    """
    card: Card = classifier.card
    name = Path(card.place).resolve().name if card.is_local else card.name
    parts = (
        f"nli@{VERSION}",
        f"{_UNSAFE.sub('_', name)}@{card.revision[:_REVISION_CHARS]}",
        classifier.dtype,
        f"window{classifier.max_length}",
        f"yes{THRESHOLD:g}",
        f"entailment{entailment}of{len(card.labels)}",
    )
    return "/".join(parts)


def create(model: str, texts: Iterable[str] = (), settings: Settings | None = None) -> NliJudge:
    """Returns the judge with a model. It counts nothing in the texts.

    Raises:
        MissingResourceError: the model, the device or an optional package is missing.
        UsageError: the model is not one that tells entailment.
    """
    settings = settings or Settings()
    card = find(model)
    entailment_label(card)  # told before the weights are loaded
    return NliJudge(Classifier(card, settings.device), settings.limits)
