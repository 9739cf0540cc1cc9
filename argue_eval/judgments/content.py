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

from argue_eval.formats.jsonl import encode
from argue_eval.records import Document, Kind, Question, ReportRequest, nfc

_CACHED_TEXTS = 1 << 14


class Text(NamedTuple):
    """A text of its own: the SHA-256, in hexadecimal, of its canonical JSON, and that JSON."""

    digest: str
    json: str


class Content(NamedTuple):
    """A question as it is stored.

    Attributes:
        key: 32 bytes.
        inputs: canonical JSON of the texts, long ones by their digest.
        place: where the question comes from: ids as canonical JSON. They are shown and exported,
            and no part of the key.
        texts: the long ones.
    """

    key: bytes
    kind: str
    judge: str
    inputs: str
    place: str
    texts: tuple[Text, ...] = ()


def content_of(question: Question, judge: str) -> Content:
    """A question to a judge, which is named by its signature, with its key. Computed once."""
    content = question.content
    if not isinstance(content, Content) or content.judge != judge:
        question.content = content = _content(question, judge)
    return content


def _content(question: Question, judge: str) -> Content:
    texts: list[Text] = []
    inputs: dict[str, str] = {}
    if question.claim:
        inputs["answer"] = nfc(question.claim)
    if question.document is not None:
        texts.append(_of_document(question.document))
        inputs["document"] = texts[-1].digest
    if question.earlier:
        texts.extend(_chain(question.earlier))
        inputs["earlier"] = texts[-1].digest
    if question.nugget_question is not None:
        inputs["question"] = nfc(question.nugget_question)
    if question.request is not None:
        texts.append(_of_request(question.request))
        inputs["request"] = texts[-1].digest
    if question.text:
        inputs["sentence"] = nfc(question.text)
    line, kind = encode(inputs), question.kind.value
    key = key_of(kind, judge, line)
    return Content(key, kind, judge, line, encode(_place(question)), tuple(texts))


def _place(question: Question) -> dict[str, str | int]:
    kind = question.kind
    place: dict[str, str | int] = {}
    if kind is Kind.ANSWERS and question.claim:
        place["answer"] = question.claim
    if question.doc_id and kind is not Kind.ANSWERS:  # the answer is the same, whoever attests it
        place["doc_id"] = question.doc_id
    if question.nugget_id and kind is not Kind.SUPPORT:
        place["nugget_id"] = question.nugget_id
    if kind is Kind.FIRST_INSTANCE:
        place["run_id"] = question.run_id
        place["sentence_index"] = question.sentence_index
    place["topic_id"] = question.topic_id
    return place


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
    json = encode({name: nfc(value) for name, value in fields if value})
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
    json = encode({**link, "sentence": nfc(sentence)})
    return Text(digest_of(json), json)
