"""Reads assessed pairs: texts, and what people say of them, a JSON object a line.

``{"claim": …, "document": …, "label": …}`` for support; ``{"sentence": …, "question": …,
"answer": …, "label": …}`` for answers; ``{"sentence": …, "claim": …, "label": …}`` for coverage.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Any, NamedTuple

from argue_eval.errors import Finding, InputError, describe, shorten
from argue_eval.formats.checking import MISSING, Check, Choice, Fields, as_fields, json_items
from argue_eval.formats.detection import called
from argue_eval.formats.files import Files, listed, sources
from argue_eval.formats.jsonl import JsonPath, Source, json_path
from argue_eval.records import VERDICTS, Document, Kind, Question, Verdict, nfc

LABELS = {
    Verdict.YES: """
        yes y true 1 support supports supported supporting full fully full_support fully_supported
        entail entails entailed entailment attributable fully_attributable covered fully_covered
        full_coverage answered correct consistent
    """,
    Verdict.PARTIAL: """
        partial partially 0_5 partial_support partially_supported partially_covered
        partial_coverage
    """,
    Verdict.NO: """
        no n false 0 not_support not_supported no_support unsupported neutral nei
        not_enough_info not_enough_information not_entailed not_entailment not_attributable
        not_fully_attributable not_covered no_coverage not_answered incorrect inconsistent
    """,
    Verdict.CONTRADICTS: """
        contradict contradicts contradicted contradiction contradictory refute refutes refuted
        refutation
    """,
}
"""What people write for a verdict, in small letters and with ``_`` for what is no letter."""

_VERDICTS = {word: verdict for verdict, words in LABELS.items() for word in words.split()}
_KINDS = {kind.value: kind for kind in (Kind.SUPPORT, Kind.ANSWERS, Kind.COVERS)}
_TEXTS = ("claim", "sentence")
_DOCUMENTS = ("document", "evidence")
_HINT = "write yes, partial, no or contradicts"


class AssessedPair(NamedTuple):
    """A question, and what people answer. Its topic is what is resampled together."""

    question: Question
    verdict: Verdict


def read_pairs(files: Files, warnings: list[Finding] | None = None) -> list[AssessedPair]:
    """Reads pairs, in the order of the files and their lines.

    Args:
        warnings: warnings are added to this.

    Raises:
        InputError: there are errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
    """
    errors: list[Finding] = []
    pairs: list[AssessedPair] = []
    seen: dict[str, str] = {}
    found: list[Source] = []
    for file in listed("files", files, Source, may_be_empty=True):
        is_folder = isinstance(file, str) and os.path.isdir(file)  # noqa: PTH112
        found += [Source(str(file))] if is_folder else sources(file, "pairs", warnings)
    for number, source in enumerate(found, 1):
        pairs += _read(Check(source, warnings), number, seen, errors)
    if errors:
        raise InputError(errors)
    return pairs


def _is_pair(value: dict[str, Any]) -> bool:
    """Whether an object looks like a pair, and not like the judgment of a sentence."""
    return not value.keys().isdisjoint(_TEXTS) and ("label" in value or not called(value))


def _read(
    check: Check, number: int, seen: dict[str, str], errors: list[Finding]
) -> list[AssessedPair]:
    found: list[AssessedPair] = []
    with check.finishing(errors):
        for place, value in enumerate(json_items(check), 1):
            if place == 1 and type(value) is dict and not _is_pair(value):
                expected = "claim, document and label; or sentence, question, answer and label"
                what = called(value) or describe(value)
                message = f"expected assessed pairs, with the keys {expected}; found {what}"
                hint = "name another file"
                if what == "judgments":
                    hint = "compare judgments with: argue-eval meta-eval FILE --truth FILE"
                check.error("unknown_format", message, hint=hint)
                break
            fields = as_fields(check, value)
            num_errors = len(check.errors)
            pair = _pair(fields, f"{number}.{place}", seen) if fields else None
            if pair is not None and len(check.errors) == num_errors:
                found.append(pair)
    return found


def _pair(fields: Fields, place: str, seen: dict[str, str]) -> AssessedPair | None:
    check = fields.check
    kind = fields.choice(Choice(_KINDS, _kind_of(fields)), "kind")
    name = fields.identifier("id", required=False, or_number=True)
    if name and name in seen:
        message = f"the id {shorten(name)} occurs again; it was first at {seen[name]}"
        check.error("duplicate_pair", message, ("id",), hint="keep one of the two")
    where = f":{check.line}" if check.line else f" at {json_path(check.base)}"
    seen.setdefault(name, f"{check.source.name}{where}")
    name = name or place
    group = fields.identifier("group", "topic", "topic_id", required=False, or_number=True)
    verdict = _verdict(fields, kind)
    document, answer, asked = None, "", None
    if kind is Kind.SUPPORT:
        text = fields.text(*_TEXTS, blank=False)
        about = _document(fields)
        document = Document(doc_id=name, title=fields.text("title", required=False), text=about)
    else:
        text = fields.text("sentence", blank=False)
        is_claim = kind is Kind.COVERS
        answer = fields.text("claim" if is_claim else "answer", blank=False)
        asked = None if is_claim else fields.text("question", blank=False)
        about = answer if asked is None else asked
    if verdict is None:
        return None
    question = Question(
        kind=kind,
        topic_id=group or sha256(about.encode()).hexdigest()[:12],
        sentence_index=0,
        doc_id=name if document else "",
        nugget_id="" if document else name,
        answer=nfc(answer),
        text=nfc(text),
        document=document,
        nugget_question=asked,
        claim=nfc(answer),
    )
    return AssessedPair(question, verdict)


def _kind_of(fields: Fields) -> Kind:
    """The kind of question that the keys of a pair show."""
    if {"question", "answer"} & fields.rest.keys():
        return Kind.ANSWERS
    is_coverage = {*_TEXTS} <= fields.rest.keys() and not {*_DOCUMENTS} & fields.rest.keys()
    return Kind.COVERS if is_coverage else Kind.SUPPORT


def _document(fields: Fields) -> str:
    """The text of the document, which may be a list of its sentences."""
    name = next((each for each in _DOCUMENTS if each in fields.rest), _DOCUMENTS[0])
    if type(fields.rest.get(name)) is not list:
        return nfc(fields.text(*_DOCUMENTS, blank=False))
    texts = []
    for value, path in fields.items(name):
        if type(value) is str:
            texts.append(value)
        else:
            fields.check.wrong_type("text", value, path)
    return nfc("\n".join(texts))


def _verdict(fields: Fields, kind: Kind) -> Verdict | None:
    """What people say: the label, or whether it is a yes. Notes what is wrong with it."""
    check = fields.check
    said: dict[str, tuple[Verdict | None, Any, JsonPath]] = {}
    for name in ("label", "yes"):
        value, path = fields.take(name, required=False)
        if value is not MISSING:
            said[name] = _of_word(value), value, path
    if not said:
        fields.missing("label", "yes")
        return None
    unknown = {name: found for name, found in said.items() if found[0] is None}
    if len(unknown) == len(said) or "yes" in unknown:
        _, value, path = next(iter(unknown.values()))
        check.error("bad_label", f"expected a label, found {describe(value)}", path, hint=_HINT)
        return None
    if unknown:
        _, value, path = unknown["label"]
        message = f"the label {shorten(value)} is not known; the key 'yes' counts"
        check.warn("unread_label", message, path, once=True)
    verdicts = [verdict for verdict, _, _ in said.values() if verdict is not None]
    if len({each is Verdict.YES for each in verdicts}) > 1:
        message = f"the label is {shorten(said['label'][1])}, and 'yes' says otherwise"
        check.error("conflicting_labels", message, hint="keep one of the two keys")
        return None
    if verdicts[0] not in VERDICTS[kind]:
        message = f"the kind {kind.value!r} has no {verdicts[0].value}"
        check.error("bad_label", message, said["label"][2], hint="write yes or no")
    return verdicts[0]


def _of_word(value: Any) -> Verdict | None:
    """The verdict that a label stands for, whatever its case and its signs.

    >>> _of_word("Not supported").value, _of_word(1).value, _of_word("maybe")
    ('no', 'yes', None)
    """
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) not in (str, bool, int, float):
        return None
    words = "".join(each if each.isalnum() else " " for each in str(value)[:100].lower()).split()
    return _VERDICTS.get("_".join(words))
