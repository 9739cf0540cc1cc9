"""Reports as they stand in a file: which keys a format has, and what is wrong with their shape.

A line is first decoded in the way that costs least. Whatever does not fit, or may have a key
twice, is decoded again strictly, and every key and type is looked at. The draft is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain
from math import isfinite
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from argue_eval.errors import describe
from argue_eval.formats.jsonl import JsonPath, Source, decode_plain

SMALL_BYTES = 3 << 20
"""Up to here the standard library's decoder is used: to import a faster one takes longer."""

SENTENCE_KEYS = ("responses", "answer", "sentences", "report")
TOPIC_KEYS = ("topic_id", "narrative_id", "request_id")
"""Names of the topic id; the first that is there is read."""

NUMBERED = "narrative_id"
"""The topic id that the guidelines allow to be written as a number."""

_OF_SENTENCES = frozenset({"text", "citations"})
Columns = tuple[list[str], list[Any], Mapping[int, dict[str, Any]]]
NONE: Mapping[Any, Any] = MappingProxyType({})


class Layout(NamedTuple):
    """How the runs of a format or a track are written.

    Attributes:
        sentences: the keys under which the list of sentences may be, the usual one first.
        metadata: where the ids are: in an object under ``metadata``; ``beside`` the sentences;
            ``either``; or ``flat``, beside the sentences although there may be such an object.
        topic_id: the key of the topic id, and the others that are read in its place.
        run_id: the key of the run id.
        citations: the shapes that citations may have: scores, doc_ids, indexes or inline.
        results: for a run that is one JSON document, the key of its list of reports.
        has_pairs: whether a sentence may be a pair, ``[text, [doc_id]]``. Where the sentences are
            under ``report``, it always may.
        nuggets: for nugget banks that are handed in as runs, their format.
        table: for runs that are lines of columns, what these are: retrieval or questions.
    """

    sentences: tuple[str, ...]
    metadata: str = "metadata"
    topic_id: tuple[str, ...] = ("topic_id",)
    run_id: str = "run_id"
    citations: tuple[str, ...] = ("scores", "doc_ids", "indexes")
    results: str = ""
    has_pairs: bool = False
    nuggets: str = ""
    table: str = ""

    @property
    def noun(self) -> str:
        """What a run has for each topic."""
        if self.table:
            return {"retrieval": "ranking", "questions": "question list"}[self.table]
        return "nugget bank" if self.nuggets else "report"


class Problem(NamedTuple):
    """What does not have the shape that all formats share.

    The code is that of validation, except for ``null_citations`` and ``unusual_score``, which
    validation and scoring take differently.
    """

    code: str
    message: str
    path: JsonPath = ()
    hint: str = ""


class Draft:
    """One report in columns, so that what is usually right is checked in one go.

    Attributes:
        line: where it starts; 1 in a file that is one JSON document.
        base: its JSON path in the line or document.
        metadata: the keys beside the sentences, where there is no object for them.
        meta_path: the path of the metadata.
        rest: what stands beside the metadata object, the sentences and the references; the
            metadata if there is no such object.
        key: the key of the list of sentences; empty if there is none.
        texts: of the sentences, in order; an empty one where there is no text.
        cited: of the sentences: document ids with scores, document ids, or indexes.
        further: the other keys of sentences, by index, where a sentence has any.
        references: None if there are none, or they are null (`rest` has them then).
        problems: what is wrong with the shape.
        unread: indexes of the sentences that have no text that could be read; 0 too if there is
            no list of sentences.
        is_report: whether the value is an object at all.
        is_inline: whether the sentences were cut out of one text, the path of which is the key's.
        text_paths: where each text is and the key that it has there, if not in a list of sentences.
        is_plain: whether the texts are known to have no control and no invisible characters.
        topic_id: set by the check of ids.
        joined: the texts, joined by one space, as the tracks count them.
        doc_ids: all documents that are cited, those that are cited by an index too.
        has_lists: whether some sentences cite in a list, not with scores.
        has_indexes: whether some citations are indexes into the references.
        is_mixed: whether some sentences cite in a list, and some with scores.
        is_uncited: whether no sentence cites anything.
    """

    base: JsonPath = ()
    meta_path: JsonPath = ("metadata",)
    rest: Mapping[str, Any] = NONE
    further: Mapping[int, dict[str, Any]] = NONE
    unread: frozenset[int] = frozenset()
    is_report = True
    is_inline = False
    text_paths: Sequence[tuple[JsonPath, str]] = ()
    is_plain = False
    topic_id = ""
    has_indexes = False

    def __init__(
        self,
        line: int,
        metadata: dict[str, Any],
        key: str,
        texts: list[str],
        cited: list[Any],
        references: list[str] | None,
    ) -> None:
        self.line = line
        self.metadata = metadata
        self.key = key
        self.texts = texts
        self.cited = cited
        self.references = references
        self.problems: list[Problem] = []
        self.joined = " ".join(texts)
        doc_ids: set[Any] = set().union(*cited)
        shapes = set(map(type, cited))
        self.has_lists = list in shapes
        self.is_mixed = len(shapes) > 1
        self.is_uncited = not doc_ids
        if self.has_lists and int in set(map(type, doc_ids)):
            self.has_indexes = True
            doc_ids = {self.doc_id(item) for item in doc_ids} - {None}
        self.doc_ids: set[str] = doc_ids

    def doc_id(self, item: str | int) -> str | None:
        """The document that a citation names; None if an index points nowhere."""
        if isinstance(item, str):
            return item
        references = self.references or []
        return references[item] if 0 <= item < len(references) else None

    @cached_property
    def places(self) -> tuple[int, int] | None:
        """The lowest and the highest index into the references; None if none is cited."""
        items = chain.from_iterable(self.cited) if self.has_indexes else ()
        found = {item for item in items if isinstance(item, int)}
        return (min(found), max(found)) if found else None

    @property
    def is_from_one(self) -> bool:
        """Whether the indexes look as if they counted from 1: the last one, and not 0, is cited."""
        lowest, highest = self.places or (0, 0)
        return lowest > 0 and highest == len(self.references or ())

    def path(self, index: int, *steps: str | int) -> JsonPath:
        """The path of a sentence, or of what is in it; that of the text it was cut out of."""
        if self.text_paths:
            path, key = self.text_paths[index]
            names = {"text": key, "citations": "references"}
            return (*path, *(names.get(str(step), step) for step in steps))
        return (self.key,) if self.is_inline else (self.key, index, *steps)

    @cached_property
    def first_cited(self) -> dict[str | None, tuple[int, str | int]]:
        """By document, the first sentence that cites it, and the key or index of the citation."""
        found: dict[str | None, tuple[int, str | int]] = {}
        for index, cited in enumerate(self.cited):
            for place, item in enumerate(cited):
                found.setdefault(self.doc_id(item), (index, item if type(cited) is dict else place))
        return found

    @cached_property
    def first_listed(self) -> dict[str, int]:
        """By document, its first place among the references."""
        return {each: place for place, each in reversed(list(enumerate(self.references or ())))}


def topic_in(metadata: Mapping[str, Any], layout: Layout) -> str:
    """The topic id; an empty text if there is none that can be read."""
    for key in (*layout.topic_id, *TOPIC_KEYS):
        value = metadata.get(key)
        if type(value) is str or (type(value) is int and key == NUMBERED):
            return str(value)
    return ""


class Decoder:
    """Makes drafts of a run's lines."""

    def __init__(self, source: Source, layout: Layout, num_small: int = SMALL_BYTES) -> None:
        """Decodes nothing yet.

        Args:
            num_small: when the process has decoded so many bytes, the faster decoder is used.
        """
        self._source = source
        self._layout = layout
        self._num_small = num_small
        self._key = ""

    def draft(self, number: int, raw: bytes) -> Draft:
        """Decodes a line.

        Raises:
            InputError: it is not strict JSON.
        """
        draft = None
        Source.num_decoded += len(raw)
        if Source.num_decoded < self._num_small:
            draft = self.plain(number, raw)
        elif self._layout.sentences:
            draft = _typed_decoder(self._key or self._layout.sentences[0])(number, raw)
        if draft is None:
            value = self._source.decode(raw.rstrip(b"\r\n"), number)
            draft = draft_of(value, number, self._layout)
        if not self._key and draft.meta_path:
            keys = self._layout.sentences
            self._key = draft.key if draft.key in keys else keys[0]
        return draft

    def plain(self, number: int, raw: bytes) -> Draft | None:
        """Decodes a line that has a report and nothing else; None for any other."""
        try:
            value = decode_plain(raw)
            draft = draft_of(value, number, self._layout)
        except (ValueError, RecursionError):
            return None  # the strict decoder says what is wrong
        is_usual = draft.meta_path and not (draft.problems or draft.rest or draft.further)
        return draft if is_usual and _has_all(raw, draft, len(value)) else None


@cache
def _typed_decoder(key: str) -> Callable[[int, bytes], Draft | None]:
    """Makes what decodes lines whose sentences are under a key; of others, it makes None."""
    import msgspec

    # A whole number stays one; longer ones are looked at in the thorough way.
    whole = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
    sentence = msgspec.defstruct(
        "Sentence",
        [("text", str), ("citations", dict[str, float | whole] | list[str | int])],
        forbid_unknown_fields=True,
        gc=False,
    )
    report = msgspec.defstruct(
        "Report",
        [
            ("metadata", dict[str, Any]),
            ("sentences", list[sentence]),  # type: ignore[valid-type]
            ("references", list[str] | None | msgspec.UnsetType, msgspec.UNSET),
        ],
        rename={"sentences": key},
        forbid_unknown_fields=True,
    )
    decode = msgspec.json.Decoder(report).decode
    errors = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

    def typed(number: int, raw: bytes) -> Draft | None:
        try:
            report: Any = decode(raw)
        except errors:
            return None
        sentences = report.sentences
        texts = [sentence.text for sentence in sentences]
        cited = [sentence.citations for sentence in sentences]
        references = report.references
        is_there = references is not msgspec.UNSET
        draft = Draft(number, report.metadata, key, texts, cited, references if is_there else None)
        if references is None:
            draft.rest = {"references": None}
        return draft if _has_all(raw, draft, 2 + is_there) else None

    return typed


def _has_all(raw: bytes, draft: Draft, num_keys: int) -> bool:
    """Whether all strings of a line are in its draft, so that no key was there twice.

    Every string leaves two quotes in the line. False may mean that this can't be told.
    """
    num_quotes = raw.count(b'"')
    num_escapes = raw.count(b"\\") if b"\\" in raw else 0
    if num_escapes:
        if b"\\u0022" in raw:
            return False
        num_inner = draft.joined.count('"')
        num_quotes -= num_inner
        num_escapes -= num_inner
    if num_escapes == 0:  # a control character would have one
        draft.is_plain = b"\x7f" not in raw and draft.joined.isascii()
    types = list(map(type, draft.metadata.values()))
    if dict in types or list in types:
        return False
    num_strings = num_keys + 3 * len(draft.texts) + len(draft.metadata) + types.count(str)
    if draft.has_indexes:
        num_strings += sum(type(item) is str for item in chain.from_iterable(draft.cited))
    else:
        num_strings += sum(map(len, draft.cited))
    return num_quotes == 2 * (num_strings + len(draft.references or ()))


def draft_of(value: Any, line: int, layout: Layout) -> Draft:
    """Makes the draft of a report, with a problem for every key and type that does not fit."""
    if type(value) is not dict:
        hint = "write one report a line, each an object"
        message = f"expected an object, found {describe(value)}"
        return no_report(line, Problem("wrong_type", message, (), hint))
    key = next((key for key in layout.sentences if key in value), "")
    metadata: Any = value.get("metadata")
    items: Any = value.get(key)
    references: Any = value.get("references")
    is_usual = (
        type(metadata) is dict
        and layout.metadata != "flat"
        and (references is None or type(references) is list)
        and {str}.issuperset(map(type, references or ()))
        and type(items) is list
        and set(map(type, items)) == {dict}
    )
    if is_usual:
        texts = [item.get("text") for item in items]
        cited = [item.get("citations") for item in items]
        ids = chain.from_iterable(each for each in cited if type(each) is list)
        scores = [score for each in cited if type(each) is dict for score in each.values()]
        is_usual = (
            set(map(type, texts)) == {str}
            and {dict, list}.issuperset(map(type, cited))
            and {str, int}.issuperset(map(type, ids))
            and {float}.issuperset(map(type, scores))
            and all(map(isfinite, scores))
        )
    if not is_usual:
        from argue_eval.formats.runs._shape import Shape

        return Shape(layout).draft(value, line)
    draft = Draft(line, metadata, key, texts, cited, references)
    if set(map(len, items)) != {2}:
        draft.further = further_keys(items)
    if len(value) > 2 + (type(references) is list):
        kept = {"metadata", key, *(["references"] if references is not None else [])}
        draft.rest = {name: each for name, each in value.items() if name not in kept}
    return draft


def no_report(line: int, problem: Problem) -> Draft:
    """The draft of what is not a report at all."""
    draft = Draft(line, {}, "", [], [], None)
    draft.problems.append(problem)
    draft.is_report = False
    return draft


def further_keys(items: list[Any]) -> dict[int, dict[str, Any]]:
    """The keys of sentences that are neither text nor citations, by index."""
    return {
        index: {key: each for key, each in item.items() if key not in _OF_SENTENCES}
        for index, item in enumerate(items)
        if type(item) is dict and not item.keys() <= _OF_SENTENCES
    }
