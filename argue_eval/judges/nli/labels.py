"""Which label of a classifier means support: its name, the known models or the user says so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from argue_eval.errors import UsageError, shorten
from argue_eval.judges.local.loading import Card

_ENTAILMENT = frozenset({"entailment", "entail", "entails", "entailed"})
_CONTRADICTION = frozenset({"contradiction", "contradict", "contradicts", "contradictory"}) | {
    "refutes",
    "refuted",
    "refutation",
}
_SUPPORTED = frozenset({"supported", "support", "supports"})
_UNSUPPORTED = frozenset({"unsupported", "not_supported", "not_support", "no_support"})
_NAMELESS = re.compile(r"label_?\d+|\d+")
_SEPARATOR = re.compile(r"[\W_]+")
_MAX_DIGITS = 10


def support_label(card: Card, wanted: str = "", known: int | None = None) -> int:
    """The number of the label that means entailment, or that a claim is supported.

    Args:
        wanted: what the user says: its number or its name.
        known: what the table of known models says. Otherwise the names decide, in any case:
            ``entailment`` among others, or ``supported`` with ``unsupported`` as the only other.

    Raises:
        UsageError: there is no such label, or more than one, or the model is not a classifier that
            chooses one of several labels.
    """
    _check_head(card)
    if wanted:
        return _wanted(card, wanted)
    if known is not None:
        _check_known(card, known)
        return known
    names = _names(card)
    if all(_NAMELESS.fullmatch(name) for name in names):
        raise UsageError(
            f"{card.name}: its labels are {_listed(card.labels)}, which do not say what they mean; "
            "name the one that means that the text supports the sentence, following the model's "
            f"description, such as --nli-label {card.labels[-1][:40]}"
        )
    found = [number for number, name in enumerate(names) if name in _ENTAILMENT]
    if not found and len(names) == 2:
        pairs = ((0, 1), (1, 0))
        found = [a for a, b in pairs if names[a] in _SUPPORTED and names[b] in _UNSUPPORTED]
    if len(found) != 1:
        raise UsageError(
            f"{card.name}: its labels are {_listed(card.labels)}; expected exactly one named "
            "entailment, or the two labels supported and unsupported; name another with --nli-label"
        )
    _check_numbers(card)
    return found[0]


def contradiction_label(card: Card) -> int | None:
    """The number of the label that means contradiction; None if there is not exactly one."""
    found = [number for number, name in enumerate(_names(card)) if name in _CONTRADICTION]
    return found[0] if len(found) == 1 else None


def _names(card: Card) -> list[str]:
    return [_SEPARATOR.sub("_", label.strip().lower()) for label in card.labels]


def _wanted(card: Card, label: str) -> int:
    if label in card.labels:
        return card.labels.index(label)
    if label.isdecimal() and len(label) < _MAX_DIGITS and int(label) < len(card.labels):
        return int(label)
    raise UsageError(
        f"--nli-label: {card.name} has the labels {_listed(card.labels)}; expected one of them or "
        f"its number from 0, found {shorten(label)}"
    )


def _check_known(card: Card, known: int) -> None:
    if known >= len(card.labels):
        raise UsageError(
            f"{card.name}: a model of this name has {known + 1:,} labels or more, and its "
            f"config.json has {len(card.labels):,}; rename its folder if it is another model"
        )
    meaning = [n for n, name in enumerate(_names(card)) if name in _ENTAILMENT | _SUPPORTED]
    if meaning and known not in meaning:
        raise UsageError(
            f"{card.name}: label {known} of a model of this name means support, and its "
            f"config.json calls it {_listed(card.labels[known : known + 1])}; correct id2label, or "
            "rename its folder if it is another model"
        )


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
