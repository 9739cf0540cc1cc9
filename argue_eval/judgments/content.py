"""What a judgment rests on, as a key: equal content gives an equal key, on every machine.

The key is the SHA-256 of the canonical JSON (sorted keys, no space, UTF-8, text in NFC) of kind,
judge and the texts that the judge is shown. A judge's signature names its version, model, revision,
prompts and settings. Run ids, topic ids, batch sizes and retries are not part of a key.

Long texts stand in it by the SHA-256 of their own canonical JSON, so that a document is hashed and
stored once, however often it is cited. The sentences before a sentence are a chain: each link
names the link before it, and a report takes as much room as it has text.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple
from unicodedata import normalize

from argue_eval.formats.jsonl import encode
from argue_eval.records import Ask, Document, Kind, ReportRequest

_CACHED_TEXTS = 1 << 14


class Text(NamedTuple):
    """A text of its own: the SHA-256, in hexadecimal, of its canonical JSON, and that JSON."""

    digest: str
    json: str


class Content(NamedTuple):
    """An ask as it is stored.

    Attributes:
        key: 32 bytes.
        inputs: canonical JSON of the texts, long ones by their digest.
        texts: the long ones.
    """

    key: bytes
    kind: str
    judge: str
    inputs: str
    texts: tuple[Text, ...] = ()


class Asked(NamedTuple):
    """An ask with its key, and where it comes from.

    Attributes:
        place: ids as canonical JSON. They are shown and exported, and no part of the key.
    """

    content: Content
    place: str


def asked(ask: Ask, judge: str, run_id: str = "", sentence_index: int = -1) -> Asked:
    """Returns an ask as the store takes it.

    Args:
        judge: the signature of the judge that is asked.
        run_id: with `sentence_index` only for a kind that is judged by place.
    """
    place: dict[str, str | int] = {}
    if ask.answer and ask.kind is Kind.ANSWERS:
        place["answer"] = ask.answer
    if ask.doc_id:
        place["doc_id"] = ask.doc_id
    if ask.nugget_id:
        place["nugget_id"] = ask.nugget_id
    if sentence_index >= 0:
        place["run_id"] = run_id
        place["sentence_index"] = sentence_index
    place["topic_id"] = ask.topic_id
    return Asked(content_of(ask, judge), encode(place))


def content_of(ask: Ask, judge: str) -> Content:
    """Returns an ask of a judge, which is named by its signature, with its key."""
    texts: list[Text] = []
    inputs: dict[str, str] = {}
    if ask.answer:
        inputs["answer"] = _nfc(ask.answer)
    if ask.document is not None:
        texts.append(_of_document(ask.document))
        inputs["document"] = texts[-1].digest
    if ask.earlier:
        texts.extend(_chain(ask.earlier))
        inputs["earlier"] = texts[-1].digest
    if ask.question is not None:
        inputs["question"] = _nfc(ask.question)
    if ask.request is not None:
        texts.append(_of_request(ask.request))
        inputs["request"] = texts[-1].digest
    if ask.sentence:
        inputs["sentence"] = _nfc(ask.sentence)
    line = encode(inputs)
    kind = ask.kind.value
    return Content(key_of(kind, judge, line), kind, judge, line, tuple(texts))


def key_of(kind: str, judge: str, inputs: str) -> bytes:
    """Returns the key of an ask whose inputs are at hand as canonical JSON.

    >>> key_of("negative", "lexical@1", '{"sentence":"It is unknown."}').hex()[:16]
    'b06ee54201bcc727'
    """
    line = f'{{"inputs":{inputs},"judge":{_quoted(judge)},"kind":{_quoted(kind)}}}'
    return sha256(line.encode("utf-8")).digest()


def digest_of(json: str) -> str:
    """Returns the digest by which a long text stands in a key."""
    return sha256(json.encode("utf-8")).hexdigest()


def canonical(value: Any) -> str:
    """Returns canonical JSON of a dictionary of texts, whose keys come in any order."""
    return encode({name: value[name] for name in sorted(value)})


@lru_cache(maxsize=256)
def _quoted(text: str) -> str:
    return encode(text)


def _of_document(document: Document) -> Text:
    return _text_of(
        (("language", document.language), ("text", document.text), ("title", document.title))
    )


def _of_request(request: ReportRequest) -> Text:
    """Returns what judges see of a request: its texts and its language."""
    return _text_of(
        (
            ("background", request.background),
            ("language", request.language),
            ("problem_statement", request.problem_statement),
            ("title", request.title),
        )
    )


@lru_cache(maxsize=_CACHED_TEXTS)
def _text_of(fields: tuple[tuple[str, str | None], ...]) -> Text:
    json = encode({name: _nfc(value) for name, value in fields if value})
    return Text(digest_of(json), json)


def _chain(sentences: tuple[str, ...]) -> list[Text]:
    """Returns one link per sentence, the last of which stands for all of them."""
    links: list[Text] = []
    for sentence in sentences:
        links.append(_link(links[-1].digest if links else "", sentence))
    return links


@lru_cache(maxsize=_CACHED_TEXTS)
def _link(before: str, sentence: str) -> Text:
    link = {"before": before} if before else {}
    json = encode({**link, "sentence": _nfc(sentence)})
    return Text(digest_of(json), json)


def _nfc(text: str) -> str:
    return text if text.isascii() else normalize("NFC", text)
