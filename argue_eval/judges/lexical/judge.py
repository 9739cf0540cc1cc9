"""Word overlap with numbers, dates, names and negation checked: offline, deterministic, no weights.

Verdicts come from a few features of the texts (`argue_eval.judges.lexical`) through one small
logistic model per kind of question, whose coefficients and origin stand in ``lexical.json``. It is
a baseline and a stand-in for better judges: it sees words, not what they mean.
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
from argue_eval.judges import Reply, Settings, Workload
from argue_eval.judges.lexical import cues
from argue_eval.judges.lexical.features import FEATURES, Features, Reader
from argue_eval.judges.lexical.language import Language
from argue_eval.judges.lexical.weights import TermWeights
from argue_eval.judges.limits import Limits
from argue_eval.records import Ask, JudgeFailure, Judgment, Kind, Verdict

MODEL = ""
IS_COSTLY = False

COEFFICIENTS = Path(__file__).with_name("coefficients.json")

NO_DOCUMENT = "no document text"
OTHER_LANGUAGE = "document in another language"
NUGGET_OTHER_LANGUAGE = "nugget in another language"
NO_ANSWER = "no answer text"
NO_QUESTION = "no question text"
UNKNOWN_LANGUAGE = "language without cue words"
OTHER_KIND = "not a kind that this judge answers"

_EVIDENCE_CHARS = 300
_MAX_LOGIT = 30.0


@dataclass(frozen=True, slots=True)
class Model:
    """The logistic model of one kind: a bias, a weight per feature, a threshold per verdict."""

    bias: float
    weights: Mapping[str, float]
    thresholds: Mapping[str, float]

    def prob(self, features: Features) -> float:
        """Returns the probability of a yes, in [0, 1], with six decimals on every machine."""
        logit = self.bias
        for name, weight in self.weights.items():
            logit += weight * features[name]
        return round(1.0 / (1.0 + exp(-max(-_MAX_LOGIT, min(_MAX_LOGIT, logit)))), 6)

    def verdict(self, prob: float) -> Verdict:
        """Returns the highest verdict whose threshold the probability reaches."""
        if prob >= self.thresholds["yes"]:
            return Verdict.YES
        return Verdict.PARTIAL if prob >= self.thresholds.get("partial", 2.0) else Verdict.NO


class LexicalJudge:
    """Answers every kind but `Kind.RELEVANT`, each ask on its own."""

    kinds = frozenset(FEATURES)
    joint: frozenset[Kind] = frozenset()

    def __init__(
        self, texts: Iterable[str], coefficients: bytes, limits: Limits | None = None
    ) -> None:
        self._limits = limits or Limits()
        table = json.loads(coefficients)
        self._models = {kind: _model(table["models"], kind) for kind in FEATURES}
        weights = TermWeights(texts)
        self._reader = Reader(weights)
        content = hashlib.sha256(coefficients + weights.digest()).hexdigest()
        self.signature = f"lexical@{table['version']}/{content[:8]}"

    def judge(self, asks: Sequence[Ask]) -> Iterator[Reply]:
        """Yields one reply per ask, in the same order."""
        for index, ask in enumerate(asks):
            if self._limits.is_halted:
                return
            yield Reply(index, self._judge(ask))

    def workload(self, asks: Sequence[Ask]) -> Workload:
        """Returns nothing: it calls no model."""
        return Workload()

    def features(self, ask: Ask) -> Features:
        """Returns what the verdict on an ask is made of, for calibration and for explanation.

        The ask must be one that the judge can answer; see `reason`.
        """
        return FEATURES[ask.kind](ask, self._reader)

    def reason(self, ask: Ask) -> str:
        """Returns why the ask cannot be answered; empty if it can."""
        if ask.kind not in FEATURES:
            return OTHER_KIND
        if ask.kind is Kind.SUPPORT:
            return self._document_reason(ask)
        if ask.kind in (Kind.ANSWERS, Kind.COVERS):
            if not ask.answer.strip():
                return NO_ANSWER
            # A short answer shows no language; its question does.
            nugget = f"{ask.question or ''} {ask.answer}"
            return NUGGET_OTHER_LANGUAGE if self._differs(ask.sentence, nugget) else ""
        if ask.kind is Kind.AGREES:
            if not (ask.question or "").strip():
                return NO_QUESTION
            if self._differs(ask.sentence, ask.question or ""):
                return NUGGET_OTHER_LANGUAGE
        if ask.kind in (Kind.NEGATIVE, Kind.AGREES):
            return "" if _has_cues(self._language(ask.sentence)) else UNKNOWN_LANGUAGE
        return ""

    def _judge(self, ask: Ask) -> Judgment | JudgeFailure:
        reason = self.reason(ask)
        if reason:
            return JudgeFailure(ask.kind, ask.topic_id, self.signature, reason)
        model = self._models[ask.kind]
        # A sentence without a word says nothing.
        is_blank = not self._reader.claim(ask.sentence).text.num_words
        prob = 0.0 if is_blank else model.prob(self.features(ask))
        return Judgment(
            kind=ask.kind,
            topic_id=ask.topic_id,
            verdict=model.verdict(prob),
            judge=self.signature,
            sentence=ask.sentence,
            doc_id=ask.doc_id,
            nugget_id=ask.nugget_id,
            answer=ask.answer,
            prob=prob,
            rationale="" if is_blank else self._rationale(ask),
        )

    def _rationale(self, ask: Ask) -> str:
        """Returns the document's best sentence, where a document decided."""
        if ask.kind is not Kind.SUPPORT:
            return ""
        return self._reader.evidence(ask).sentence[:_EVIDENCE_CHARS]

    def _document_reason(self, ask: Ask) -> str:
        if ask.document is None or not ask.document.text.strip():
            return NO_DOCUMENT
        language = self._reader.document(ask.document).language
        return OTHER_LANGUAGE if self._language(ask.sentence).differs(language) else ""

    def _differs(self, one: str, other: str) -> bool:
        return self._language(one).differs(self._language(other))

    def _language(self, text: str) -> Language:
        return self._reader.claim(text).text.language


def create(
    model: str = "", texts: Iterable[str] = (), settings: Settings | None = None
) -> LexicalJudge:
    """Returns the judge, its term weights counted on the texts at hand.

    Args:
        model: it takes none.
        texts: the collection's documents and the nuggets' texts; none will do.

    Raises:
        ArgueEvalError: the coefficients that come with the package are broken.
    """
    limits = (settings or Settings()).limits
    return LexicalJudge(texts, COEFFICIENTS.read_bytes(), limits)


def _model(models: Mapping[str, Any], kind: Kind) -> Model:
    try:
        row = models[kind.value]
        return Model(float(row["bias"]), row["weights"], row["thresholds"])
    except (KeyError, TypeError, ValueError) as exc:
        raise ArgueEvalError(f"{COEFFICIENTS.name}: no usable model for {kind.value!r}") from exc


def _has_cues(language: Language) -> bool:
    if language.code is not None:
        return language.code in cues.CUED_LANGUAGES
    return language.script in (None, "latin", "arabic")
