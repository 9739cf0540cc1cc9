"""What a format loses: the difference between a record and what is read back from the format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from argue_eval.errors import count, shorten, some
from argue_eval.records import (
    Aggregator,
    Answer,
    Nugget,
    Report,
    ReportRequest,
    Sentence,
    TopicNuggets,
)

_MOST = 3

_RUBRIC = "the weights of a rubric are kept by the canonical format"
_HINTS = {
    "nugget_id": "judgments that name the nugget by its id no longer apply",
    "question": "another nugget has this text, by which the format identifies it: both are kept",
    "aggregator": "any one answer is then enough",
    "weight": _RUBRIC,
    "group": _RUBRIC,
    "claim": "another claim has this text, by which the format identifies it: both are kept",
}
"""What it means that a field is not read back as it was."""

_KEY_OF_SENTENCES = {"canonical": "responses", "rag": "answer", "neuclir": "sentences"}


class Rewritten(NamedTuple):
    """A record as a format holds it.

    Attributes:
        text: None if the format cannot hold it at all.
        record: what is read back; None without text.
        reason: why there is no text.
        places: of nuggets: where each one of `record` was in the source.
        left_out: of nuggets: the places of those that the format cannot hold, with the reasons.
    """

    text: str | None
    record: Any
    reason: str = ""
    places: tuple[int, ...] = ()
    left_out: tuple[tuple[int, str], ...] = ()


class Difference(NamedTuple):
    """One thing that is not read back as it was.

    Attributes:
        what: its kind, such as ``scores``; the documentation has a short list of them.
        path: JSON path in the source, where that is known.
        is_added: nothing is lost: the format needs something that the source did not say.
    """

    what: str
    message: str
    hint: str = ""
    path: str = ""
    sentence: int | None = None
    nugget_id: str = ""
    is_added: bool = False


def differences(record: Any, held: Rewritten, source_format: str) -> Iterator[Difference]:
    """Yields all that a format loses of a record.

    Args:
        held: the record in that format.
        source_format: empty if unknown.
    """
    if held.record is None:
        yield Difference("topic", f"the topic is left out: {held.reason}")
        return
    after = held.record
    if isinstance(record, Report):
        after = after._replace(line=record.line)
        found = list(_report(record, after, _KEY_OF_SENTENCES.get(source_format, "")))
    elif isinstance(record, TopicNuggets):
        found = list(_topic(record, held))
    else:
        found = list(_request(record, after))
    yield from found
    if not found and record != after:
        yield Difference("record", "it would be read back as something else")


def _request(source: ReportRequest, held: ReportRequest) -> Iterator[Difference]:
    yield from _fields(source, held, *(name for name in source._fields if name != "extra"))
    yield from _further(source.extra, held.extra)


def _report(source: Report, held: Report, key: str) -> Iterator[Difference]:
    yield from _fields(source, held, "topic_id", "run_id", "team_id")
    yield from _references(source.references, held.references)
    lost = [doc_id for doc_id in source.documents if doc_id not in held.documents]
    if lost:
        number = count(len(lost), "embedded document")
        message = f"texts of {number} lost: {some(lost, _MOST)}"
        yield Difference("documents", message, "keep them in a collection file, for --collection")
    for doc_id, document in held.documents.items():
        if document != source.documents.get(doc_id, document):
            of_it = f" of the document {shorten(doc_id)}"
            yield from _further(source.documents[doc_id].extra, document.extra, of_it)
    yield from _further(source.metadata, held.metadata, " of the metadata", "metadata")
    yield from _further(source.extra, held.extra)
    yield from _number("sentence", source.sentences, held.sentences)
    for index, pair in enumerate(zip(source.sentences, held.sentences, strict=False)):
        if pair[0] != pair[1]:
            path = f"$.{key}[{index}]" if key else ""
            for found in _sentence(*pair):
                yield found._replace(sentence=index, path=path)


def _references(
    source: tuple[str, ...] | None, held: tuple[str, ...] | None
) -> Iterator[Difference]:
    if source == held:
        return
    if source is not None and held is None:
        message = f"the list of {count(len(source), 'reference')} is lost"
        yield Difference("references", message, "what the sentences cite is kept")
        return
    added = list(held or ())[len(source or ()) :]
    message = f"the references that the format requires are added: {count(len(added), 'document')}"
    yield Difference("references", message, is_added=True)


def _sentence(source: Sentence, held: Sentence) -> Iterator[Difference]:
    yield from _field("text", source.text, held.text)
    cited, kept = ([each.doc_id for each in side.citations] for side in (source, held))
    if cited != kept:
        lost = [each for each in cited if each not in kept]
        message = f"citations {some(cited, _MOST)} become {some(kept, _MOST)}"
        if lost:
            message = f"{count(len(lost), 'citation')} lost: {some(lost, _MOST)}"
        yield Difference("citations", message)
    pairs = zip(source.citations, held.citations, strict=False)
    scores = [before.score for before, after in pairs if before.score != after.score]
    if scores:
        message = f"scores of {count(len(scores), 'citation')} lost: {some(scores, _MOST)}"
        yield Difference("scores", message, "the order of the citations is kept")
    yield from _further(source.extra, held.extra, " of the sentence")


def _topic(source: TopicNuggets, held: Rewritten) -> Iterator[Difference]:
    for place, reason in held.left_out:
        nugget = source.nuggets[place]
        message = f"the nugget {shorten(nugget.nugget_id)} is left out: {reason}"
        hint = "recall is then computed over fewer nuggets"
        yield Difference("nugget", message, hint, nugget_id=nugget.nugget_id)
    if list(held.places) != sorted(held.places):
        yield Difference("order", "the nuggets change their order: the format groups them")
    yield from _field("topic_id", source.topic_id, held.record.topic_id)
    yield from _number("nugget", held.places, held.record.nuggets)
    for place, after in zip(held.places, held.record.nuggets, strict=False):
        before = source.nuggets[place]
        for found in _nugget(before, after):
            message = f"nugget {shorten(before.nugget_id)}: {found.message}"
            yield found._replace(message=message, nugget_id=before.nugget_id)
    yield from _further(source.extra, held.record.extra)


def _nugget(source: Nugget, held: Nugget) -> Iterator[Difference]:
    names = ("nugget_id", "question", "aggregator", "importance", "weight", "group")
    yield from _fields(source, held, *names)
    yield from _number("answer", source.answers, held.answers)
    for before, after in zip(source.answers, held.answers, strict=False):
        yield from _answer(before, after)
    yield from _further(source.extra, held.extra)


def _answer(source: Answer, held: Answer) -> Iterator[Difference]:
    yield from _field("claim", source.answer, held.answer)
    of_it = f" of the answer {shorten(source.answer)}"
    if source.doc_ids != held.doc_ids:
        number = count(len(source.doc_ids), "attesting document")
        message = f"{number}{of_it} lost: {some(source.doc_ids, _MOST)}"
        yield Difference("doc_ids", message, "then score with --attestation any-document")
    yield from _further(source.extra, held.extra, of_it)


def _number(noun: str, before: Sequence[Any], after: Sequence[Any]) -> Iterator[Difference]:
    """Yields a difference if a format holds more or fewer of something, as one of others may."""
    if len(before) != len(after):
        yield Difference(f"{noun}s", f"{count(len(before), noun)} become {len(after):,}")


def _fields(source: Any, held: Any, *names: str) -> Iterator[Difference]:
    for name in names:
        yield from _field(name, getattr(source, name), getattr(held, name))


def _field(name: str, before: Any, after: Any) -> Iterator[Difference]:
    if before != after:
        is_lost = after in (None, "", ())
        end = "is lost" if is_lost else f"becomes {_shown(after)}"
        hint = "" if before is Aggregator.OR else _HINTS.get(name, "")
        yield Difference(name, f"the {name} {_shown(before)} {end}", hint)


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return some(value, _MOST)
    return shorten(value.value if isinstance(value, Enum) else value)


def _further(
    before: Mapping[str, Any], after: Mapping[str, Any], of_it: str = "", what: str = "further_key"
) -> Iterator[Difference]:
    for key, value in before.items():
        if key not in after:
            yield Difference(what, f"the further key {shorten(key)}{of_it} is lost")
        elif after[key] != value:
            message = f"the further key {shorten(key)}{of_it} becomes {shorten(after[key])}"
            yield Difference(what, message)
    for key in after:
        if key not in before:
            yield Difference(what, f"the key {shorten(key)}{of_it} is added", is_added=True)
