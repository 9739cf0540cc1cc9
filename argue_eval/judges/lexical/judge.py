"""Word overlap with numbers, dates, names and negation checked: offline, deterministic, no weights.

A verdict follows from a few features of the texts through one small logistic model per kind of
question; ``coefficients.json`` holds the models and their origin. The judge is a baseline and a
stand-in for better ones: it sees words, not what they mean.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any

from argue_eval.errors import ArgueEvalError
from argue_eval.judges import (
    NO_ANSWER,
    NO_CUES,
    NO_DOCUMENT,
    NO_QUESTION,
    OTHER_DOCUMENT,
    OTHER_KIND,
    OTHER_NUGGET,
    Settings,
    Workload,
)
from argue_eval.judges.lexical.features import CUED_LANGUAGES, FEATURES, Features, Reader
from argue_eval.judges.lexical.weights import TermWeights
from argue_eval.judges.limits import Limits
from argue_eval.records import Kind, Question, Reply, Verdict

MODEL = ""
IS_COSTLY = False
READS_REPORTS = False

COEFFICIENTS = Path(__file__).with_name("coefficients.json")

_EVIDENCE_CHARS = 300
_MAX_LOGIT = 30.0


@dataclass(frozen=True, slots=True)
class Model:
    """The logistic model of a kind: a bias, a weight per feature, a threshold per verdict."""

    bias: float
    weights: Mapping[str, float]
    thresholds: Mapping[str, float]

    def prob(self, features: Features) -> float:
        """The probability of a yes, in [0, 1], rounded so that it is the same on every machine."""
        logit = self.bias
        for name, weight in self.weights.items():
            logit += weight * features[name]
        return round(1.0 / (1.0 + exp(-max(-_MAX_LOGIT, min(_MAX_LOGIT, logit)))), 6)

    def verdict(self, prob: float) -> Verdict:
        """The highest verdict whose threshold the probability reaches."""
        if prob >= self.thresholds["yes"]:
            return Verdict.YES
        return Verdict.PARTIAL if prob >= self.thresholds.get("partial", 2.0) else Verdict.NO


class LexicalJudge:
    """Answers every kind but `Kind.RELEVANT`, each question on its own.

    Attributes:
        sure: for a kind, the probability at or below which it is sure of a no, and at or above
            which of a yes, of texts that it `knows`; kinds of which nothing is known are not in it.

    Args:
        texts: the collection's documents and the nuggets' texts, from which terms get their
            weights; may be empty.

    Raises:
        ArgueEvalError: the coefficients are broken.
    """

    kinds = frozenset(FEATURES)
    joint: frozenset[Kind] = frozenset()

    def __init__(
        self, texts: Iterable[str], coefficients: bytes, limits: Limits | None = None
    ) -> None:
        self._limits = limits or Limits()
        table = json.loads(coefficients)
        self._models = {kind: _model(table["models"], kind) for kind in FEATURES}
        self.sure: Mapping[Kind, tuple[float, float]] = {
            Kind(kind): (found["no"], found["yes"]) for kind, found in table["sure"].items()
        }
        self._longest = {Kind(kind): found["characters"] for kind, found in table["sure"].items()}
        weights = TermWeights(texts)
        self._reader = Reader(weights)
        content = hashlib.sha256(coefficients + weights.digest()).hexdigest()
        self.version = f"lexical@{table['version']}"
        self.signature = f"{self.version}/{content[:8]}"

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """Yields one reply per question, in the same order."""
        for index, question in enumerate(questions):
            if self._limits.halted:
                return
            if reason := self.reason(question):
                yield Reply(index=index, reason=reason)
                continue
            model = self._models[question.kind]
            prob, rationale = 0.0, ""
            # A sentence without a word says nothing.
            if self._reader.claims[question.text].text.num_words:
                prob = model.prob(self.features(question))
                if question.kind is Kind.SUPPORT:
                    rationale = self._reader.evidence(question).sentence[:_EVIDENCE_CHARS]
            yield Reply(index=index, verdict=model.verdict(prob), prob=prob, rationale=rationale)

    def knows(self, question: Question) -> bool:
        """Whether it can be sure of a question: in a long document, the words of most sentences
        stand somewhere, and that says little.
        """
        most = self._longest.get(question.kind)
        return most is None or question.document is None or len(question.document.text) <= most

    def workload(self, questions: Sequence[Question]) -> Workload:
        """Nothing: the judge calls no model."""
        return Workload()

    def features(self, question: Question) -> Features:
        """What the verdict on a question is computed from, for calibration and explanation.

        The question must be one that the judge can answer; see `reason`.
        """
        return FEATURES[question.kind](question, self._reader)

    def reason(self, question: Question) -> str:
        """Why the question cannot be answered; empty if it can."""
        kind, asked = question.kind, question.nugget_question or ""
        if kind is Kind.SUPPORT:
            document = question.document
            if document is None or question.lacks_document:
                return NO_DOCUMENT
            language = self._reader.documents[document.title, document.text].language
            is_same = not self._reader.claims[question.text].text.language.differs(language)
            return "" if is_same else OTHER_DOCUMENT
        if kind in (Kind.ANSWERS, Kind.COVERS):
            if not question.claim.strip():
                return NO_ANSWER
            # A short answer shows no language; its question does.
            return self._language_reason(question.text, f"{asked} {question.claim}")
        if kind is Kind.AGREES:
            if not asked.strip():
                return NO_QUESTION
            if reason := self._language_reason(question.text, asked):
                return reason
        if kind in (Kind.NEGATIVE, Kind.AGREES):
            script, code = self._reader.claims[question.text].text.language
            known = script in (None, "latin", "arabic") if code is None else code in CUED_LANGUAGES
            return "" if known else NO_CUES
        return "" if kind in FEATURES else OTHER_KIND

    def _language_reason(self, text: str, nugget: str) -> str:
        language = self._reader.claims[text].text.language
        differs = language.differs(self._reader.claims[nugget].text.language)
        return OTHER_NUGGET if differs else ""


def create(
    model: str = "", texts: Iterable[str] = (), settings: Settings | None = None
) -> LexicalJudge:
    """Makes the judge with the coefficients of the package; `model` is ignored.

    Raises:
        ArgueEvalError: the coefficients are broken.
    """
    limits = (settings or Settings()).limits
    return LexicalJudge(texts, COEFFICIENTS.read_bytes(), limits)


def _model(models: Mapping[str, Any], kind: Kind) -> Model:
    try:
        row = models[kind.value]
        return Model(bias=float(row["bias"]), weights=row["weights"], thresholds=row["thresholds"])
    except (KeyError, TypeError, ValueError) as exc:
        raise ArgueEvalError(f"{COEFFICIENTS.name}: no usable model for {kind.value!r}") from exc
