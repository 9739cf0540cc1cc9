"""Which of a classifier's labels says that the first text entails the second."""

from __future__ import annotations

import re
from collections.abc import Sequence

from argue_eval.errors import UsageError
from argue_eval.judges.local.classifier import Card

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
