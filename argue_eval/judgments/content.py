"""What a judgment rests on, as a key: equal content gives an equal key, on every machine.

The key is the SHA-256 of the canonical JSON (sorted keys, no spaces, UTF-8, text in NFC) of the
kind, the judge and the texts that the judge is shown. A judge's signature names its version, model,
revision, prompts and settings. Run ids, topic ids, batch sizes and retries are not part of a key.

A long text is represented by the SHA-256 of its own canonical JSON, so that a document is hashed
and stored once, however often it is cited. The sentences before a sentence form a chain: each link
names the link before it, so a report is stored once too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from msgspec import Raw
from msgspec.json import encode as _json

from argue_eval.records import Kind, Question, nfc

_FIELDS = {
    "document": ("language", "text", "title"),
    "request": ("background", "language", "problem_statement", "title"),
}
"""What a judge is shown of the long texts, in the order of the canonical JSON."""
_CACHED_TEXTS = 1 << 14
_CACHED_CHAINS = 8


class Text(NamedTuple):
    """A long text: its canonical JSON, and the SHA-256 of that in hexadecimal."""

    digest: str
    json: str


class Content(NamedTuple):
    """A question as it is stored.

    Attributes:
        key: 32 bytes.
        inputs: the texts as canonical JSON, long ones by their digest.
        place: where the question comes from: ids as canonical JSON. They are shown and exported,
            but are not part of the key.
        texts: the long ones, but for the sentences before.
        chain: the sentences of the report as links, which all questions about it share.
        num_before: how many of them are before this one.
    """

    key: bytes
    kind: str
    judge: str
    inputs: str
    place: str
    texts: tuple[Text, ...] = ()
    chain: Sequence[Text] = ()
    num_before: int = 0


def content_of(question: Question, judge: str) -> Content:
    """A question to a judge, which is named by its signature, with its key. Computed once."""
    content = question.content
    if isinstance(content, Content) and content.judge == judge:
        return content
    kind, shown = question.kind, {"document": question.document, "request": question.request}
    num_before = question.num_earlier if question.sentences else 0
    chain = _chain(_Sentences(question.sentences)) if num_before else ()
    texts = {
        name: _text(tuple([(field, getattr(each, field)) for field in _FIELDS[name]]))
        for name, each in shown.items()
        if each is not None
    }
    asking = question.nugget_question
    inputs = {  # in the order of the names, as the canonical JSON has them
        "answer": nfc(question.claim) or None,
        "document": texts["document"].digest if "document" in texts else None,
        "earlier": chain[num_before - 1].digest if num_before else None,
        "question": None if asking is None else nfc(asking),
        "request": texts["request"].digest if "request" in texts else None,
        "sentence": nfc(question.text) or None,
    }
    is_first, is_answer = kind is Kind.FIRST_INSTANCE, kind is Kind.ANSWERS
    place = {
        "answer": question.answer if is_answer and question.claim else None,
        # The question is the same, whoever attests the answer.
        "doc_id": None if is_answer else question.doc_id or None,
        "nugget_id": None if kind is Kind.SUPPORT else question.nugget_id or None,
        "run_id": question.run_id if is_first else None,
        "sentence_index": question.sentence_index if is_first else None,
        "topic_id": question.topic_id,
    }
    line, where = [
        _json({name: value for name, value in each.items() if value is not None}).decode()
        for each in (inputs, place)
    ]
    question.content = content = Content(
        key=key_of(kind.value, judge, line),
        kind=kind.value,
        judge=judge,
        inputs=line,
        place=where,
        texts=tuple(texts.values()),
        chain=chain,
        num_before=num_before,
    )
    return content


def key_of(kind: str, judge: str, inputs: str) -> bytes:
    """The key of a question whose texts are at hand as canonical JSON.

    >>> key_of("negative", "lexical@1", '{"sentence":"It is unknown."}').hex()[:16]
    'b06ee54201bcc727'
    """
    return sha256(_json({"inputs": Raw(inputs), "judge": judge, "kind": kind})).digest()


def digest_of(json: str) -> str:
    """The digest that represents a long text in a key."""
    return sha256(json.encode("utf-8")).hexdigest()


@lru_cache(maxsize=_CACHED_TEXTS)
def _text(fields: tuple[tuple[str, str | None], ...]) -> Text:
    json = _json({name: nfc(value) for name, value in fields if value})
    return Text(sha256(json).hexdigest(), json.decode())


class _Sentences:
    """The sentences of a report, which all questions about it share: compared by identity."""

    __slots__ = ("texts",)

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Sentences) and self.texts is other.texts

    def __hash__(self) -> int:
        return id(self.texts)


@lru_cache(maxsize=_CACHED_CHAINS)
def _chain(sentences: _Sentences) -> list[Text]:
    """The sentences of a report as links, made once for all questions about it."""
    links: list[Text] = []
    for sentence in sentences.texts:
        before = {"before": links[-1].digest} if links else {}
        json = _json({**before, "sentence": nfc(sentence)})
        links.append(Text(sha256(json).hexdigest(), json.decode()))
    return links
