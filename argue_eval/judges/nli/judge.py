"""Entailment: does a document entail a sentence? Any NLI or fact-checking model of transformers.

The document is the premise and the sentence the hypothesis. A document that is longer than the
model can read is judged window by window, and the window that entails the sentence most decides.
What a model is given and how its output is read is a recipe: see `argue_eval.judges.nli.known`.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from argue_eval.judges import NO_DOCUMENT, OTHER_KIND, Settings, Workload
from argue_eval.judges.cache import Cache
from argue_eval.judges.limits import Limits
from argue_eval.judges.local.classifier import Classifier, Pair
from argue_eval.judges.local.loading import TAGGER, find, split_revision
from argue_eval.judges.local.tokens import Encoded
from argue_eval.judges.nli import known
from argue_eval.judges.nli.known import Recipe, contradiction_label
from argue_eval.judges.nli.windows import Inputs, Passage
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

_TOO_LONG = "a part of the text has too many tokens for the model"

_CACHED_CHARS = 8_000_000
_REVISION_CHARS = 12
_UNSAFE = re.compile(r"[^\w./-]")


class _Premise(NamedTuple):
    text: str
    title: str = ""
    language: str | None = None


@dataclass(slots=True)
class _Open:
    """A premise and a hypothesis whose windows are not all scored yet.

    Attributes:
        places: the questions that they answer.
        tokens: those of `hypothesis`.
        probs: what the model says of each window that is scored, by its number: of the labels; of
            a model that classifies tokens, that each token is supported.
    """

    places: list[int]
    premise: _Premise
    hypothesis: str
    tokens: Encoded
    windows: list[tuple[int, int]]
    probs: dict[int, list[float]] = field(default_factory=dict)


class NliJudge:
    """Answers `Kind.SUPPORT` and `Kind.COVERS` with yes or no.

    A model that classifies tokens also says partial: less than half of a sentence is not supported.

    Args:
        recipe: how the model is asked, settled for it; None for a classifier of plain pairs.
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
        recipe: Recipe | None = None,
        contradictions: bool = False,
    ) -> None:
        recipe = recipe or known.settled(Recipe(), classifier.card)
        self._classifier = classifier
        self._entailment = recipe.support_label
        self._is_tagger = classifier.card.head == TAGGER
        self._contradiction = None
        if contradictions and not self._is_tagger:
            self._contradiction = recipe.contradiction
            if self._contradiction is None:
                self._contradiction = contradiction_label(classifier.card)
        self._limits = limits or Limits()
        self._decimals = _DECIMALS[classifier.dtype]
        self._inputs = Inputs(classifier, recipe)
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
            f"/entailment{self._entailment}of{len(card.labels)}{recipe.signature}"
        )
        self.version = self.signature
        if self._contradiction is not None:  # elsewhere, answers that are stored keep their keys
            self.signature += f"/contradiction{self._contradiction}"

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """Yields one reply per question, batch by batch."""
        refused: deque[Reply] = deque()
        pairs = self._pairs(questions, refused)
        for scored in self._classifier.predict(pairs, self._limits):
            pair, number = scored.key
            pair.probs[number] = [round(prob, self._decimals) for prob in scored.probs]
            if len(pair.probs) == len(pair.windows):
                yield from self._replies(pair, questions)
            while refused:
                yield refused.popleft()
        while refused and not self._limits.halted:
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
                windows = self._inputs.windows(passage, tokens)
                pairs = self._inputs.pairs(passage, windows, hypothesis, tokens)
                if not pairs:
                    refused.extend(Reply(index=at, reason=_TOO_LONG) for at in places)
                pair = _Open(places, premise, hypothesis, tokens, windows)
                for number, (first, second) in enumerate(pairs):
                    yield Pair(key=(pair, number), first=first, second=second)

    def _unreadable(self, premise: _Premise, tokens: Encoded) -> str:
        if not tokens.ids or not self._passages[premise].tokens.ids:
            return "the model's tokenizer finds no token in a text"
        room = self._inputs.room
        if (room - len(tokens.ids)) * _SMALLEST_SHARE >= room:
            return ""
        return (
            "the sentence or claim leaves too little room for the text that should entail it: the "
            f"model reads {self._classifier.max_length:,} tokens"
        )

    def _rank(self, window: tuple[int, Sequence[float]]) -> tuple[bool, float, int]:
        """The deciding window has the highest rank: one without a number, or most entailment."""
        number, probs = window
        prob = self._prob(probs)
        if isfinite(prob) and self._is_tagger:  # it supports most of the hypothesis
            prob = fmean(probs)
        return not isfinite(prob), prob if isfinite(prob) else 0.0, -number

    def _prob(self, probs: Sequence[float]) -> float:
        """The probability of entailment; of every token, if it is about tokens."""
        if not self._is_tagger:
            return probs[self._entailment]
        return min(probs) if all(map(isfinite, probs)) else nan

    def _opposition(self, window: tuple[int, Sequence[float]]) -> float:
        """The probability that a window contradicts the hypothesis; 0 if that is not asked."""
        prob = 0.0 if self._contradiction is None else window[1][self._contradiction]
        return prob if isfinite(prob) else 0.0

    def _replies(self, pair: _Open, questions: Sequence[Question]) -> Iterator[Reply]:
        best, probs = max(pair.probs.items(), key=self._rank)
        opposed = max(pair.probs.items(), key=self._opposition)
        prob = self._prob(probs)
        parts: list[tuple[int, int]] = []
        if self._is_tagger:  # a token is supported where any window supports it
            joined = [max(each) for each in zip(*pair.probs.values(), strict=True)]
            parts = _unsupported(pair.tokens, joined)
            prob = self._prob(joined) if isfinite(prob) else prob
        verdict = Verdict.YES if prob >= THRESHOLD else Verdict.NO
        if parts:
            whole = pair.tokens.ends[-1] - pair.tokens.starts[0]
            is_less = 2 * sum(end - start for start, end in parts) < whole
            verdict = Verdict.PARTIAL if is_less else Verdict.NO
        elif verdict is Verdict.NO and self._opposition(opposed) >= THRESHOLD:
            verdict, (best, _) = Verdict.CONTRADICTS, opposed
        raw = self._raw(pair, best, parts)
        for at in pair.places:
            excerpt = ""
            if not isfinite(prob):
                yield Reply(index=at, reason="the model gave no number", raw=raw)
                continue
            if questions[at].kind is Kind.SUPPORT:
                excerpt = self._passages[pair.premise].excerpt(pair.windows[best])
            yield Reply(index=at, verdict=verdict, prob=prob, rationale=excerpt, raw=raw)

    def _raw(self, pair: _Open, best: int, parts: Iterable[tuple[int, int]]) -> str:
        """All that the model said about the window that decided, as JSON."""
        said: dict[str, Any]
        if self._is_tagger:
            said = {"unsupported": [pair.hypothesis[start:end].strip() for start, end in parts]}
        else:
            numbers = [prob if isfinite(prob) else None for prob in pair.probs[best]]
            said = {"probs": dict(zip(self._classifier.card.labels, numbers, strict=True))}
        said |= {"window": best + 1, "windows": len(pair.windows)}
        return json.dumps(said, ensure_ascii=False)


def create(
    model: str,
    texts: Iterable[str] = (),
    settings: Settings | None = None,
    dtype: str | None = None,
) -> NliJudge:
    """Loads a model, which must be one that judges entailment; `texts` are ignored.

    Args:
        dtype: the number format, if not the best of the device.
    """
    settings = settings or Settings()
    name, _ = split_revision(model)
    recipe = known.recipe(name, settings.nli_template, settings.nli_label)
    card = find(model, *known.heads(recipe))
    recipe = known.settled(recipe, card)  # before the weights are loaded
    card = known.labelled(recipe, card)
    classifier = Classifier(card, settings.device, dtype, known.use(recipe))
    return NliJudge(
        classifier, settings.limits, recipe=recipe, contradictions=settings.contradictions
    )


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


def _unsupported(tokens: Encoded, probs: Sequence[float]) -> list[tuple[int, int]]:
    """Start and end of the parts, in characters, that a document does not support: tokens in a row.

    Args:
        probs: the probability that each token is supported.
    """
    found: list[tuple[int, int]] = []
    was_below = False
    for start, end, prob in zip(tokens.starts, tokens.ends, probs, strict=True):
        is_below = prob < THRESHOLD
        if is_below and was_below:
            found[-1] = found[-1][0], end
        elif is_below:
            found.append((start, end))
        was_below = is_below
    return found
