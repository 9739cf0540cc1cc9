"""What a model is given and how its output is read: the table of known models, and the user's own.

The table is `known.toml`. Which label of a classifier means support its name says, or the table, or
the user.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import UsageError, shorten
from argue_eval.formats import toml
from argue_eval.judges.local.classifier import Use
from argue_eval.judges.local.loading import CLASSIFIER, TAGGER, TRANSLATOR, Card, Head

PLAIN = "{document}{pair}{claim}"

_TABLE = Path(__file__).parent / "known.toml"
_HEADS = {"labels": CLASSIFIER, "tokens": TAGGER, "words": TRANSLATOR}
_WORDS = ("unsupported", "supported")
"""The labels of a model that writes: the words that are compared."""

_JOINT = re.compile(r"\{(pair|eos)\}")
_FIELD = re.compile(r"\{(document|claim)\}")
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
_HUB_CACHE = "models--"
_DIGEST_CHARS = 8
_SHOWN_CHARS = 80


class Recipe(NamedTuple):
    """How a model is asked. The fields are those of the table, which explains them.

    Attributes:
        name: the known models that it was made for; empty for what no table says.
        label: what the user says that means support; it goes before `support`.
    """

    name: str = ""
    template: str = PLAIN
    head: str = "labels"
    support: int | None = None
    reject: int | None = None
    contradiction: int | None = None
    chunk: int | None = None
    unit: str = "tokens"
    max_length: int | None = None
    label: str = ""

    @property
    def support_label(self) -> int:
        """The number of the label that means support, of a recipe that is settled."""
        return _WORDS.index("supported") if self.head == "words" else self.support or 0

    @property
    def joint(self) -> str:
        """What stands between the two texts: ``pair``, ``eos`` or nothing."""
        found = _JOINT.search(self.template)
        return found[1] if found else ""

    def parts(self) -> tuple[str, str]:
        """The template before and after the border; the second is empty if there is none."""
        pieces = _JOINT.split(self.template)
        return pieces[0], pieces[-1] if len(pieces) > 1 else ""

    @property
    def signature(self) -> str:
        """What could change a verdict, beside the numbers of labels: for a signature."""
        rules = self._replace(name="", label="", contradiction=None)
        if self.head != "words":
            rules = rules._replace(support=None)
        if rules == Recipe():
            return ""
        digest = sha256(repr(tuple(rules)).encode("utf-8", "surrogatepass")).hexdigest()
        return f"/recipe:{self.name or 'own'}:{digest[:_DIGEST_CHARS]}"


def filled(part: str, document: str, claim: str) -> str:
    """A part of a template with the texts in place of their fields.

    >>> filled("premise: {document}", "It rains. {claim}", "It is wet.")
    'premise: It rains. {claim}'
    """
    texts = {"document": document, "claim": claim}
    return _FIELD.sub(lambda found: texts[found[1]], part)


@cache
def table() -> dict[str, Recipe]:
    """The known models by name, which may be a pattern."""
    found: dict[str, Recipe] = {}
    for row in toml.read(str(_TABLE), "known-models", "")["model"]:
        rules = {key: value for key, value in row.items() if key in Recipe._fields}
        found |= dict.fromkeys(row["names"], Recipe(**rules))
    return found


def recipe(model: str, template: str | None = None, label: str | None = None) -> Recipe:
    """How a model is asked: as the table says, if it is known, and as the user says.

    Args:
        model: a folder, or a name on the hub without a revision. A folder is known by its last
            part, so that a copy of a known model is.
        template: `--nli-template`; `label`: `--nli-label`.

    Raises:
        UsageError: the template has not each text once.
    """
    known = _known(model) or Recipe()
    if template is not None:
        _check(template)
        known = known._replace(name="", template=template, chunk=None)
    if label is not None:
        known = known._replace(name="", label=label)
    return known


def _known(model: str) -> Recipe | None:
    folder = Path(model).expanduser()
    names = [model]
    if folder.is_dir():
        whole = folder.resolve()
        names = [folder.name, whole.name]
        cached = [part for part in whole.parts if part.startswith(_HUB_CACHE)]
        names += [part.rpartition("--")[2] for part in cached]
    for pattern, found in table().items():
        wanted = pattern.rpartition("/")[2] if folder.is_dir() else pattern
        if any(fnmatchcase(name.lower(), wanted.lower()) for name in names):
            return found
    return None


def _check(template: str) -> None:
    fields = _FIELD.findall(template)
    borders = _JOINT.findall(template)
    between = _JOINT.split(template)
    if sorted(fields) != ["claim", "document"] or len(borders) > 1:
        problem = "{document} and {claim} once each, and {pair} or {eos} at most once"
    elif borders and not all(_FIELD.search(part) for part in between[::2]):
        problem = "{pair} or {eos} between {document} and {claim}"
    else:
        return
    raise UsageError(
        f"--nli-template: expected {problem}, such as 'premise: {{document}}{{eos}}{{claim}}', "
        f"found {shorten(template, _SHOWN_CHARS)}"
    )


def heads(rules: Recipe) -> tuple[Head, ...]:
    """The purposes that a model may have to be asked so."""
    if not rules.name and rules != Recipe():  # the user says how to ask it
        return tuple(_HEADS.values())
    return (_HEADS[rules.head],)


def settled(rules: Recipe, card: Card) -> Recipe:
    """The recipe with all that the model's configuration and the user's label add to it.

    Raises:
        UsageError: which label means support is not clear.
    """
    head = next(name for name, each in _HEADS.items() if each == card.head)
    if head == "tokens" and rules.parts()[1] != "{claim}":
        raise UsageError(
            f"{card.name} classifies tokens, so its template must end in {{pair}}{{claim}} or "
            f"{{eos}}{{claim}}, found {shorten(rules.template, _SHOWN_CHARS)}"
        )
    if head == "words":
        if rules.label or rules.reject is None:
            support, reject = _tokens(card, rules.label)
            rules = rules._replace(support=support, reject=reject)
        return rules._replace(head=head)
    return rules._replace(head=head, support=support_label(card, rules.label, rules.support))


def labelled(rules: Recipe, card: Card) -> Card:
    """A model's card with the labels that its recipe gives to the words that it writes."""
    return card._replace(labels=_WORDS) if rules.head == "words" else card


def use(rules: Recipe) -> Use:
    """What a settled recipe means for the classifier."""
    words: tuple[int, ...] = ()
    if rules.reject is not None and rules.support is not None and rules.head == "words":
        words = rules.reject, rules.support
    return Use(rules.joint, rules.max_length, rules.support_label, words)


def _tokens(card: Card, label: str) -> tuple[int, int]:
    """The tokens for support and no support, from ``209/3``."""
    yes, _, no = label.partition("/")
    if yes.isdecimal() and no.isdecimal() and int(yes) != int(no):
        return int(yes), int(no)
    raise UsageError(
        f"--nli-label: {card.name} writes text; expected the numbers of two tokens, of support and "
        f"of no support, such as 209/3, found {shorten(label, _SHOWN_CHARS)}"
    )


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
