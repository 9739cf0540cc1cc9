"""Entailment: does a document entail a sentence? Any NLI or fact-checking model of transformers.

The document is the premise and the sentence the hypothesis. A document that is longer than the
model can read is judged window by window, and the window that entails the sentence most decides.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import UsageError
from argue_eval.judges import NO_DOCUMENT, OTHER_KIND, Settings, Workload
from argue_eval.judges.cache import Cache
from argue_eval.judges.limits import Limits
from argue_eval.judges.local.classifier import Classifier, Pair
from argue_eval.judges.local.loading import Card, find
from argue_eval.judges.local.tokens import Encoded
from argue_eval.judges.nli.windows import Passage
from argue_eval.records import Kind, Question, Reply, Verdict

MODEL = "a folder or a name on the Hugging Face hub, with @REVISION if need be"
IS_COSTLY = True
READS_REPORTS = False

VERSION = 1
THRESHOLD = 0.5
"""With this probability entailment outweighs all other labels together, so it is a yes."""

_DECIMALS = {"fp32": 6, "bf16": 4}
_SMALLEST_SHARE = 4
"""At least one of this many tokens that the model reads must be left for the premise."""

_CACHED_CHARS = 8_000_000
_REVISION_CHARS = 12
_UNSAFE = re.compile(r"[^\w./-]")

_ENTAILMENT = frozenset({"entailment", "entail", "entails", "entailed"})
_CONTRADICTION = frozenset(
    {"contradiction", "contradicts", "contradictory", "refutes", "refuted", "refutation"}
)
_SUPPORTED = frozenset({"supported", "support", "supports"})
_UNSUPPORTED = frozenset({"unsupported", "not_supported", "not_support", "no_support"})
_NAMELESS = re.compile(r"label_?\d+|\d+")
_SEPARATOR = re.compile(r"[\W_]+")


class _Premise(NamedTuple):
    text: str
    title: str = ""
    language: str | None = None


class _Window(NamedTuple):
    number: int
    probs: list[float]


@dataclass(slots=True)
class _Open:
    """A premise and a hypothesis whose windows are not all scored yet.

    Attributes:
        places: the questions that they answer.
        num_left: how many windows are not scored yet.
        best: the window that entails the hypothesis most so far; `opposed`: that which contradicts
            it most, where that is asked.
    """

    places: list[int]
    premise: _Premise
    windows: list[tuple[int, int]]
    num_left: int
    best: _Window | None = None
    opposed: _Window | None = None


class NliJudge:
    """Answers `Kind.SUPPORT` and `Kind.COVERS` with yes or no, never with partial.

    Args:
        contradictions: a no is `contradicts` where the model has such a label and it outweighs all
            others together in some window.
    """

    kinds = frozenset({Kind.SUPPORT, Kind.COVERS})
    joint: frozenset[Kind] = frozenset()

    def __init__(
        self,
        classifier: Classifier,
        limits: Limits | None = None,
        *,
        contradictions: bool = False,
    ) -> None:
        self._classifier = classifier
        self._entailment = entailment_label(classifier.card)
        self._contradiction = contradiction_label(classifier.card) if contradictions else None
        self._limits = limits or Limits()
        self._decimals = _DECIMALS[classifier.dtype]
        self._room = classifier.max_length - classifier.tokenizer.num_special
        self._passages: Cache[_Premise, Passage] = Cache(
            lambda premise: Passage(classifier.encode, *premise),
            lambda premise: len(premise.text),
            _CACHED_CHARS,
        )
        card = classifier.card
        name = Path(card.place).resolve().name if card.is_local else card.name
        self.signature = (  # how windows are cut is part of the version
            f"nli@{VERSION}/{_UNSAFE.sub('_', name)}@{card.revision[:_REVISION_CHARS]}"
            f"/{classifier.dtype}/window{classifier.max_length}/yes{THRESHOLD:g}"
            f"/entailment{self._entailment}of{len(card.labels)}"
        )
        if self._contradiction is not None:  # elsewhere, answers that are stored keep their keys
            self.signature += f"/contradiction{self._contradiction}"

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """Yields one reply per question, batch by batch."""
        refused: deque[Reply] = deque()
        pairs = self._pairs(questions, refused)
        for scored in self._classifier.predict(pairs, lambda: self._limits.is_halted):
            pair, number = scored.key
            pair.num_left -= 1
            found = _Window(number=number, probs=scored.probs)
            pair.best = max(pair.best or found, found, key=self._rank)
            pair.opposed = max(pair.opposed or found, found, key=self._opposition)
            if not pair.num_left:
                yield from self._replies(pair, pair.best, questions)
            while refused:
                yield refused.popleft()
        while refused and not self._limits.is_halted:
            yield refused.popleft()

    def workload(self, questions: Sequence[Question]) -> Workload:
        """The number of windows to read, and of their tokens."""
        pairs = self._pairs(questions, deque())
        lengths = [len(pair.first) + len(pair.second) for pair in pairs]
        num_special = self._classifier.tokenizer.num_special * len(lengths)
        return Workload(num_calls=len(lengths), prompt_tokens=sum(lengths) + num_special)

    def _pairs(self, questions: Sequence[Question], refused: deque[Reply]) -> Iterator[Pair]:
        """Yields every window with its hypothesis once, however many questions have the same texts.

        Adds questions that the model cannot read to `refused`.
        """
        for premise, hypotheses in _by_premise(questions, refused).items():
            for hypothesis, places in hypotheses.items():
                tokens = self._classifier.encode(hypothesis)
                if reason := self._unreadable(premise, tokens):
                    refused.extend(Reply(index=at, reason=reason) for at in places)
                    continue
                passage = self._passages[premise]
                room = self._room - len(tokens.ids)
                windows = passage.windows(room)
                pair = _Open(places, premise, windows, len(windows))
                for number, window in enumerate(windows):
                    first = passage.ids(window, room)
                    yield Pair(key=(pair, number), first=first, second=tokens.ids)

    def _unreadable(self, premise: _Premise, tokens: Encoded) -> str:
        if not tokens.ids or not self._passages[premise].tokens.ids:
            return "the model's tokenizer finds no token in a text"
        if (self._room - len(tokens.ids)) * _SMALLEST_SHARE >= self._room:
            return ""
        return (
            "the sentence or claim leaves too little room for the text that should entail it: the "
            f"model reads {self._classifier.max_length:,} tokens"
        )

    def _rank(self, window: _Window) -> tuple[bool, float, int]:
        """The deciding window has the highest rank: one without a number, or most entailment."""
        prob = self._prob(window)
        return not isfinite(prob), prob if isfinite(prob) else 0.0, -window.number

    def _prob(self, window: _Window) -> float:
        return round(window.probs[self._entailment], self._decimals)

    def _opposition(self, window: _Window) -> float:
        """The probability that a window contradicts the hypothesis; 0 if that is not asked."""
        if self._contradiction is None:
            return 0.0
        prob = round(window.probs[self._contradiction], self._decimals)
        return prob if isfinite(prob) else 0.0

    def _replies(
        self, pair: _Open, best: _Window, questions: Sequence[Question]
    ) -> Iterator[Reply]:
        prob = self._prob(best)
        verdict = Verdict.YES if prob >= THRESHOLD else Verdict.NO
        opposed = pair.opposed
        if verdict is Verdict.NO and opposed and self._opposition(opposed) >= THRESHOLD:
            verdict, best = Verdict.CONTRADICTS, opposed
        raw = self._raw(pair, best)
        for at in pair.places:
            excerpt = ""
            if not isfinite(prob):
                yield Reply(index=at, reason="the model gave no number", raw=raw)
                continue
            if questions[at].kind is Kind.SUPPORT:
                excerpt = self._passages[pair.premise].excerpt(pair.windows[best.number])
            yield Reply(index=at, verdict=verdict, prob=prob, rationale=excerpt, raw=raw)

    def _raw(self, pair: _Open, best: _Window) -> str:
        """All that the model said about the window that decided, as JSON."""
        numbers = [round(each, self._decimals) if isfinite(each) else None for each in best.probs]
        said = {
            "probs": dict(zip(self._classifier.card.labels, numbers, strict=True)),
            "window": best.number + 1,
            "windows": len(pair.windows),
        }
        return json.dumps(said, ensure_ascii=False)


def create(model: str, texts: Iterable[str] = (), settings: Settings | None = None) -> NliJudge:
    """Loads a model, which must be one that judges entailment; `texts` are ignored."""
    settings = settings or Settings()
    card = find(model)
    entailment_label(card)  # before the weights are loaded
    classifier = Classifier(card, settings.device)
    return NliJudge(classifier, settings.limits, contradictions=settings.contradictions)


def entailment_label(card: Card) -> int:
    """The number of the label that means entailment, or that a claim is supported.

    Names match in any case: ``entailment`` among others, or ``supported`` with ``unsupported`` as
    the only other label, as fact-checking models have it.

    Raises:
        UsageError: there is no such label, or more than one, or the model is not a classifier that
            chooses one of several labels.
    """
    _check_head(card)
    names = _names(card)
    if all(_NAMELESS.fullmatch(name) for name in names):
        named = ", ".join(f'"{number}": "…"' for number in range(len(names)))
        raise UsageError(
            f"{card.name}: its labels are {_listed(card.labels)}, which do not say what they mean; "
            "make a copy of its folder and name them in config.json, following the model's "
            f'description: "id2label": {{{named}}}, with entailment or supported among the names'
        )
    found = [number for number, name in enumerate(names) if name in _ENTAILMENT]
    if not found and len(names) == 2:
        pairs = ((0, 1), (1, 0))
        found = [a for a, b in pairs if names[a] in _SUPPORTED and names[b] in _UNSUPPORTED]
    if len(found) != 1:
        raise UsageError(
            f"{card.name}: its labels are {_listed(card.labels)}; expected exactly one named "
            "entailment, or the two labels supported and unsupported"
        )
    _check_numbers(card)
    return found[0]


def contradiction_label(card: Card) -> int | None:
    """The number of the label that means contradiction; None if there is not exactly one."""
    found = [number for number, name in enumerate(_names(card)) if name in _CONTRADICTION]
    return found[0] if len(found) == 1 else None


def _names(card: Card) -> list[str]:
    return [_SEPARATOR.sub("_", label.strip().lower()) for label in card.labels]


def _by_premise(
    questions: Sequence[Question], refused: deque[Reply]
) -> dict[_Premise, dict[str, list[int]]]:
    """The places of the questions by premise and hypothesis; adds all others to `refused`."""
    found: dict[_Premise, dict[str, list[int]]] = {}
    for at, question in enumerate(questions):
        if reason := _reason(question):
            refused.append(Reply(index=at, reason=reason))
            continue
        if question.document is not None and question.kind is Kind.SUPPORT:
            document, hypothesis = question.document, question.text
            premise = _Premise(document.text, document.title, document.language)
        else:
            premise, hypothesis = _Premise(question.text), question.claim
        found.setdefault(premise, {}).setdefault(hypothesis, []).append(at)
    return found


def _reason(question: Question) -> str:
    document = question.document
    if question.kind not in NliJudge.kinds:
        return OTHER_KIND
    if not question.text.strip():
        return "no sentence text"
    if question.kind is Kind.COVERS:
        return "" if question.claim.strip() else "no claim text"
    has_text = document is not None and (document.text.strip() or document.title.strip())
    return "" if has_text else NO_DOCUMENT


def _check_head(card: Card) -> None:
    problem = getattr(card.config, "problem_type", None)
    if len(card.labels) < 2 or problem == "regression":
        raise UsageError(
            f"{card.name}: the model outputs one number (a regression), not the probabilities of "
            "labels; expected a classifier with an entailment label"
        )
    if problem == "multi_label_classification":
        raise UsageError(
            f"{card.name}: the model can assign several labels at once; expected a classifier that "
            "chooses one, with entailment among them"
        )


def _check_numbers(card: Card) -> None:
    numbers = getattr(card.config, "label2id", None) or {}
    if all(_NAMELESS.fullmatch(str(label).lower()) for label in numbers):
        return
    for number, label in enumerate(card.labels):
        if label in numbers and numbers[label] != number:
            raise UsageError(
                f"{card.name}: its config.json contradicts itself: id2label calls {number} "
                f"{label!r}, label2id gives it the number {numbers[label]}; correct one of them in "
                "a copy of its folder"
            )


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(repr(label[:40]) for label in labels[:8])
    return shown if len(labels) <= 8 else f"{shown}, … ({len(labels):,} in all)"
