"""Reports as they stand in a file: which keys a format has, and what is wrong with their shape."""

from __future__ import annotations

from itertools import chain
from math import isfinite
from typing import Any, NamedTuple

from argue_eval.errors import VERY_CLOSE, describe, nearest
from argue_eval.formats.jsonl import JsonPath

SENTENCE_KEYS = ("responses", "answer", "sentences", "report")
TOPIC_KEYS = ("topic_id", "narrative_id", "request_id")
"""Names of the topic id; the first that is there is read."""

NUMBERED = "narrative_id"
"""The topic id that the guidelines allow to be written as a number."""

Cited = dict[str, float] | list[str] | list[int] | list[str | int]

_HUGE = 1 << 1000


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
    """

    sentences: tuple[str, ...]
    metadata: str = "metadata"
    topic_id: tuple[str, ...] = ("topic_id",)
    run_id: str = "run_id"
    citations: tuple[str, ...] = ("scores", "doc_ids", "indexes")
    results: str = ""
    has_pairs: bool = False


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
        is_plain: whether the texts are known to have no control and no invisible characters.
        topic_id: set by the check of ids.
        joined: the texts, joined by one space, as the tracks count them.
        doc_ids: all documents that are cited, those that are cited by an index too.
        has_lists: whether some sentences cite in a list, not with scores.
        has_indexes: whether some citations are indexes into the references.
        is_mixed: whether some sentences cite in a list, and some with scores.
    """

    __slots__ = (
        "_first_cited", "_first_listed", "base", "cited", "doc_ids", "further", "has_indexes",
        "has_lists", "is_inline", "is_mixed", "is_plain", "is_report", "joined", "key", "line",
        "meta_path", "metadata", "problems", "references", "rest", "texts", "topic_id", "unread",
    )  # fmt: skip

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
        self.base: JsonPath = ()
        self.metadata = metadata
        self.meta_path: JsonPath = ("metadata",)
        self.rest: dict[str, Any] = {}
        self.key = key
        self.texts = texts
        self.cited: list[Cited] = cited
        self.further: dict[int, dict[str, Any]] = {}
        self.references = references
        self.problems: list[Problem] = []
        self.unread: frozenset[int] = frozenset()
        self.is_report = True
        self.is_inline = False
        self.is_plain = False
        self.topic_id = ""
        self.joined = " ".join(texts)
        self._first_cited: dict[str | None, tuple[int, str | int]] | None = None
        self._first_listed: dict[str, int] | None = None
        doc_ids: set[Any] = set().union(*cited)
        shapes = set(map(type, cited))
        self.has_lists = list in shapes
        self.is_mixed = len(shapes) > 1
        self.has_indexes = self.has_lists and int in set(map(type, doc_ids))
        if self.has_indexes:
            doc_ids = {self.doc_id(item) for item in doc_ids} - {None}
        self.doc_ids: set[str] = doc_ids

    def doc_id(self, item: str | int) -> str | None:
        """Returns the document that a citation names; None if an index points nowhere."""
        if isinstance(item, str):
            return item
        references = self.references or []
        return references[item] if 0 <= item < len(references) else None

    def citing(self, doc_id: str) -> tuple[int, str | int]:
        """Returns the first sentence that cites a document, and the key or index there."""
        if self._first_cited is None:
            first: dict[str | None, tuple[int, str | int]] = {}
            for index, cited in enumerate(self.cited):
                for place, item in enumerate(cited):
                    step = item if isinstance(cited, dict) else place
                    first.setdefault(self.doc_id(item), (index, step))
            self._first_cited = first
        return self._first_cited[doc_id]

    def listing(self, doc_id: str) -> int:
        """Returns the first place of a document among the references."""
        if self._first_listed is None:
            places = list(enumerate(self.references or ()))
            self._first_listed = {each: place for place, each in reversed(places)}
        return self._first_listed[doc_id]


def topic_in(metadata: dict[str, Any], layout: Layout) -> str:
    """Returns the topic id; an empty text if there is none that can be read."""
    for key in (*layout.topic_id, *TOPIC_KEYS):
        value = metadata.get(key)
        if type(value) is str or (type(value) is int and key == NUMBERED):
            return str(value)
    return ""


def draft_of(value: Any, line: int, layout: Layout) -> Draft:
    """Returns the draft of a report, with a problem for every key and type that does not fit."""
    if type(value) is not dict:
        draft = Draft(line, {}, "", [], [], None)
        draft.is_report = False
        hint = "write one report a line, each an object"
        message = f"expected an object, found {describe(value)}"
        draft.problems.append(Problem("wrong_type", message, (), hint))
        return draft
    shape = _Shape(layout)
    rest = dict(value)
    metadata = shape.metadata(rest)
    key = shape.key(value)
    items = shape.items(rest.pop(key, []), key)
    columns = _columns(items) or shape.columns(items, key)
    references = shape.references(rest)
    is_flat = metadata is None
    draft = Draft(line, rest if is_flat else metadata or {}, key, *columns[:2], references)
    draft.rest = rest
    draft.meta_path = () if is_flat else ("metadata",)
    draft.further = columns[2]
    draft.problems = shape.problems
    draft.unread = frozenset(shape.unread)
    return draft


_Columns = tuple[list[str], list[Any], dict[int, dict[str, Any]]]


def _columns(items: list[Any]) -> _Columns | None:
    """Returns texts, citations and further keys of sentences that are as usual; None of others."""
    if set(map(type, items)) != {dict}:
        return None
    texts = [item.get("text") for item in items]
    cited = [item.get("citations") for item in items]
    if set(map(type, texts)) != {str} or not {dict, list}.issuperset(map(type, cited)):
        return None
    lists = chain.from_iterable(each for each in cited if type(each) is list)
    scores = [score for each in cited if type(each) is dict for score in each.values()]
    if not {str, int}.issuperset(map(type, lists)) or not {float}.issuperset(map(type, scores)):
        return None
    if not all(map(isfinite, scores)):
        return None
    further = {} if set(map(len, items)) == {2} else _further(items)
    return texts, cited, further


def _further(items: list[Any]) -> dict[int, dict[str, Any]]:
    return {
        index: {key: each for key, each in item.items() if key not in ("text", "citations")}
        for index, item in enumerate(items)
        if type(item) is dict and not item.keys() <= {"text", "citations"}
    }


class _Shape:
    """The thorough reading of one report."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._none: Any = []  # what this report writes where nothing is cited
        self.problems: list[Problem] = []
        self.unread: set[int] = set()

    def wrong(self, code: str, message: str, path: JsonPath = (), hint: str = "") -> None:
        self.problems.append(Problem(code, message, path, hint))

    def expected(self, what: str, value: Any, path: JsonPath, hint: str = "") -> None:
        self.wrong("wrong_type", f"expected {what}, found {describe(value)}", path, hint)

    def metadata(self, rest: dict[str, Any]) -> dict[str, Any] | None:
        """Returns the object with the ids, taken out of the rest; None if they stand beside it."""
        layout = self._layout
        if layout.metadata == "flat":
            return None
        if "metadata" not in rest:
            if layout.metadata == "metadata":
                hint = f"put {layout.topic_id[0]!r} and {layout.run_id!r} into it, "
                hint += "and all other ids"
                self.wrong("missing_key", "the key 'metadata' is missing", (), hint)
            return None
        metadata = rest.pop("metadata")
        if type(metadata) is dict:
            return metadata
        self.expected("an object", metadata, ("metadata",))
        return {}

    def key(self, value: dict[str, Any]) -> str:
        """Returns the key of the sentences; an empty text if the report has none."""
        keys = self._layout.sentences
        for key in keys:
            if key in value:
                return key
        lists = [key for key, each in value.items() if type(each) is list and key != "references"]
        for key in (*SENTENCE_KEYS, nearest(keys[0], lists, VERY_CLOSE)):
            if key in value:
                message = f"the key {keys[0]!r} is missing; found {key!r}"
                self.wrong("missing_key", message, (), f"call it {keys[0]!r}")
                return key
        hint = "add the list of sentences; [] if there is no report"
        self.wrong("missing_key", f"the key {keys[0]!r} is missing", (), hint)
        self.unread.add(0)
        return ""

    def items(self, items: Any, key: str) -> list[Any]:
        if type(items) is list:
            return items
        self.expected("a list of sentences", items, (key,))
        self.unread.add(0)
        return []

    def columns(self, items: list[Any], key: str) -> _Columns:
        """Returns texts, citations and further keys of the sentences, whatever they are."""
        texts: list[str] = []
        cited: list[Any] = []
        is_scored = any(
            type(item) is dict and type(item.get("citations")) is dict for item in items
        )
        self._none = {} if is_scored else []
        has_pairs = key == "report" or self._layout.has_pairs
        for index, item in enumerate(items):
            if type(item) is list and len(item) == 2 and has_pairs:
                texts.append(self._text(item[0], (key, index, 0)))
                cited.append(self._citations(item[1], (key, index, 1)))
            elif type(item) is dict:
                texts.append(self._text_of(item, (key, index)))
                cited.append(self._citations_of(item, (key, index)))
            else:
                self.expected("a sentence (an object with text and citations)", item, (key, index))
                self.unread.add(index)
                texts.append("")
                cited.append(self._none)
        return texts, cited, _further(items)

    def _text_of(self, item: dict[str, Any], path: JsonPath) -> str:
        if "text" in item:
            return self._text(item["text"], (*path, "text"))
        self.wrong("missing_key", "the key 'text' is missing", path, "add the text")
        self.unread.add(int(path[1]))
        return ""

    def _text(self, text: Any, path: JsonPath) -> str:
        if type(text) is str:
            return text
        hint = "write the sentence, or remove it" if text is None else ""
        self.expected("text", text, path, hint)
        self.unread.add(int(path[1]))
        return ""

    def _citations_of(self, item: dict[str, Any], path: JsonPath) -> Any:
        if "citations" in item:
            return self._citations(item["citations"], (*path, "citations"))
        hint = f'write "citations": {self._none} for a sentence that cites nothing'
        if near := nearest("citations", [key for key in item if key != "text"], VERY_CLOSE):
            hint = f"rename {near!r} to 'citations'"
        self.wrong("missing_citations", "no citations are given", path, hint)
        return self._none

    def _citations(self, cited: Any, path: JsonPath) -> Any:
        """Returns the citations that can be read."""
        if cited is None:
            hint = f'write "citations": {self._none} for a sentence that cites nothing'
            self.wrong("null_citations", "expected citations, found null", path, hint)
            return self._none
        if type(cited) is dict:
            for doc_id, score in cited.items():
                self._check_score(score, (*path, doc_id))
            return cited
        if type(cited) is not list:
            usual = "[doc_id, …]" if self._none == [] else "{doc_id: score, …}"
            hint = f"write {usual}; {self._none} if it cites nothing"
            message = f"expected citations, found {describe(cited)}"
            self.wrong("citation_format", message, path, hint)
            return self._none
        for place, each in enumerate(cited):
            if type(each) is not str and type(each) is not int:
                message = f"expected a document id or an index, found {describe(each)}"
                hint = "remove its brackets" if type(each) is list else "correct or remove it"
                self.wrong("citation_format", message, (*path, place), hint)
        good = [each for each in cited if type(each) is str or type(each) is int]
        return good if good or not cited else self._none

    def _check_score(self, score: Any, path: JsonPath) -> None:
        if type(score) is float and isfinite(score):
            return
        if type(score) is int and abs(score) < _HUGE:
            return
        code = "unusual_score" if score is None or type(score) is int else "citation_score"
        message = f"expected a number as score, found {describe(score)}"
        self.wrong(code, message, path, "write a number, or a plain list of ids")

    def references(self, rest: dict[str, Any]) -> list[str] | None:
        """Returns the references, taken out of the rest unless they are null."""
        references = rest.get("references")
        if references is None:
            return None
        del rest["references"]
        if type(references) is not list:
            self.expected("a list of document ids", references, ("references",))
            return None
        for index, item in enumerate(references):
            if type(item) is not str:
                hint = "put it in quotes" if type(item) is int else ""
                self.expected("a document id in quotes", item, ("references", index), hint)
        return [item if type(item) is str else "" for item in references]
