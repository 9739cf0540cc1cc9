"""A report as it stands in the file, before anything is known to be right."""

from __future__ import annotations

from typing import Any

from argue_eval.formats.jsonl import JsonPath

Cited = dict[str, float] | list[str] | list[int] | list[str | int]


class Draft:
    """One report in columns, so that what is usually right is checked in one go.

    Attributes:
        line: where it starts.
        base: its JSON path in the line or document.
        metadata: the keys beside the sentences, where the form has no object for them.
        meta_path: the path of the metadata.
        key: the key of the list of sentences; empty if there is none.
        texts: of the sentences, in order; an empty one where there is no text.
        cited: of the sentences: document ids with scores, document ids, or indexes.
        joined: the texts, joined by one space, as the tracks count them.
        doc_ids: all documents that are cited, those that are cited by an index too.
        has_lists: whether some sentences cite in a list, not with scores.
        has_indexes: whether some citations are indexes into the references.
        is_mixed: whether some sentences cite in a list, and some with scores.
        is_inline: whether the sentences were cut out of one text, the path of which is the key's.
        is_plain: whether the texts are known to have no control and no invisible characters.
        unread: indexes of the sentences that have no text that could be read; 0 too if there is
            no list of sentences.
    """

    __slots__ = (
        "_first_cited",
        "_first_listed",
        "base",
        "cited",
        "doc_ids",
        "has_indexes",
        "has_lists",
        "is_inline",
        "is_mixed",
        "is_plain",
        "joined",
        "key",
        "line",
        "meta_path",
        "metadata",
        "references",
        "texts",
        "topic_id",
        "unread",
    )

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
        self.key = key
        self.texts = texts
        self.cited: list[Cited] = cited
        self.references = references
        self.joined = " ".join(texts)
        self.topic_id = ""
        self.is_inline = False
        self.is_plain = False
        self.unread: frozenset[int] = frozenset()
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

    def sentence_path(self, index: int, *steps: str | int) -> JsonPath:
        """Returns the path of a sentence, or of what is in it."""
        return (self.key,) if self.is_inline else (self.key, index, *steps)

    def citing(self, doc_id: str) -> tuple[int, JsonPath]:
        """Returns the first sentence that cites a document, and the path of the citation."""
        if self._first_cited is None:
            first: dict[str | None, tuple[int, str | int]] = {}
            for index, cited in enumerate(self.cited):
                for place, item in enumerate(cited):
                    step = item if isinstance(cited, dict) else place
                    first.setdefault(self.doc_id(item), (index, step))
            self._first_cited = first
        index, step = self._first_cited[doc_id]
        return index, self.sentence_path(index, "citations", step)

    def listing(self, doc_id: str) -> int:
        """Returns the first place of a document among the references."""
        if self._first_listed is None:
            backwards = enumerate(reversed(self.references or []), 1)
            num = len(self.references or [])
            self._first_listed = {each: num - place for place, each in backwards}
        return self._first_listed[doc_id]
