"""The thorough reading of a report: a problem for every key and type that does not fit."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from argue_eval.errors import VERY_CLOSE, describe, nearest, shorten
from argue_eval.formats.detection import meant
from argue_eval.formats.jsonl import JsonPath
from argue_eval.formats.runs._draft import (
    SENTENCE_KEYS,
    Columns,
    Draft,
    Layout,
    Problem,
    further_keys,
)

_HUGE = 1 << 1000
_CONVERTED = {"responses": "canonical", "answer": "rag", "sentences": "neuclir"}
"""The format to which ``convert`` writes the sentences under a key."""


class Shape:
    """The thorough reading of one report."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._none: Any = []  # what this report writes where nothing is cited
        self._problems: list[Problem] = []
        self._unread: set[int] = set()

    def draft(self, value: dict[str, Any], line: int) -> Draft:
        """Makes the draft, with all problems."""
        rest = dict(value)
        metadata = self._metadata(rest)
        key = self._key(value)
        items = rest.pop(key, [])
        if type(items) is not list:
            hint = "argue-eval segment makes sentences of texts with citations in brackets"
            self._expected("a list of sentences", items, (key,), hint * (type(items) is str))
            self._unread.add(0)
            items = []
        texts, cited, further = self._columns(items, key)
        references = self._references(rest, cited)
        draft = Draft(line, rest if metadata is None else metadata, key, texts, cited, references)
        draft.rest, draft.further = rest, further
        draft.meta_path = () if metadata is None else ("metadata",)
        draft.problems, draft.unread = self._problems, frozenset(self._unread)
        return draft

    def _wrong(self, code: str, message: str, path: JsonPath, hint: str = "") -> None:
        self._problems.append(Problem(code, message, path, hint))

    def _expected(self, what: str, value: Any, path: JsonPath, hint: str = "") -> None:
        self._wrong("wrong_type", f"expected {what}, found {describe(value)}", path, hint)

    def _metadata(self, rest: dict[str, Any]) -> dict[str, Any] | None:
        """Takes the object with the ids out of the rest; None if they stand beside it."""
        layout = self._layout
        if layout.metadata == "flat":
            return None
        if "metadata" not in rest:
            if layout.metadata == "metadata":
                hint = f"put {layout.topic_id[0]!r} and {layout.run_id!r} into it, "
                hint += "and all other ids"
                self._wrong("missing_key", "the key 'metadata' is missing", (), hint)
            return None
        metadata = rest.pop("metadata")
        if type(metadata) is dict:
            return metadata
        self._expected("an object", metadata, ("metadata",))
        return {}

    def _key(self, value: dict[str, Any]) -> str:
        """Finds the key of the sentences; an empty text if the report has none."""
        keys = self._layout.sentences
        for key in keys:
            if key in value:
                return key
        message = f"the key {keys[0]!r} is missing"
        lists = [key for key, each in value.items() if type(each) is list and key != "references"]
        for key in (*SENTENCE_KEYS, nearest(keys[0], lists, VERY_CLOSE)):
            if key in value:
                hint = f"call it {keys[0]!r}"
                if key in SENTENCE_KEYS and keys[0] in _CONVERTED:
                    form = _CONVERTED[keys[0]]
                    hint += f"; for another track's run: argue-eval convert RUN --to {form} -o NEW"
                self._wrong("missing_key", f"{message}; found {key!r}", (), hint)
                return key
        hint = "add the list of sentences; [] if there is no report"
        self._wrong("missing_key", message, (), hint)
        self._unread.add(0)
        return ""

    def _columns(self, items: list[Any], key: str) -> Columns:
        texts: list[str] = []
        cited: list[Any] = []
        if any(type(item) is dict and type(item.get("citations")) is dict for item in items):
            self._none = {}
        has_pairs = key == "report" or self._layout.has_pairs
        for index, item in enumerate(items):
            path = (key, index)
            if type(item) is list and len(item) == 2 and has_pairs:
                texts.append(self._text(item[0], index, (*path, 0)))
                cited.append(self._citations(item[1], (*path, 1)))
            elif type(item) is dict:
                if "text" in item:
                    texts.append(self._text(item["text"], index, (*path, "text")))
                else:
                    words = [key for key, each in item.items() if type(each) is str and " " in each]
                    hint = f"rename {shorten(words[0])} to 'text'" if len(words) == 1 else ""
                    message = "the key 'text' is missing"
                    self._wrong("missing_key", message, path, hint or "add the text")
                    self._unread.add(index)
                    texts.append("")
                if "citations" in item:
                    cited.append(self._citations(item["citations"], (*path, "citations")))
                else:
                    keys = [key for key in item if key != "text"]
                    near = meant("citations", keys)
                    hint = f"rename {near!r} to 'citations'" if near else self._add_none
                    self._wrong("missing_citations", "no citations are given", path, hint)
                    cited.append(self._none)
            else:
                hint = f'write {{"text": …, "citations": {self._none}}}' if item else "remove it"
                self._expected("a sentence (an object with text and citations)", item, path, hint)
                self._unread.add(index)
                texts.append("")
                cited.append(self._none)
        return texts, cited, further_keys(items)

    @property
    def _add_none(self) -> str:
        return f'write "citations": {self._none} for a sentence that cites nothing'

    def _text(self, text: Any, index: int, path: JsonPath) -> str:
        if type(text) is str:
            return text
        hint = "write the sentence, or remove it" if text is None else ""
        self._expected("text", text, path, hint)
        self._unread.add(index)
        return ""

    def _citations(self, cited: Any, path: JsonPath) -> Any:
        if type(cited) is dict:
            for doc_id, score in cited.items():
                self._check_score(score, (*path, doc_id))
            return cited
        if type(cited) is not list:
            usual = "[doc_id, …]" if self._none == [] else "{doc_id: score, …}"
            is_id = type(cited) is str and 0 < len(cited) < 60 and not {*cited} & {*" ,;[{"}
            is_index = type(cited) is int and cited in range(1000)
            if self._none == [] and (is_id or (is_index and "indexes" in self._layout.citations)):
                usual = json.dumps([cited])
            hint = f"write {usual}; {self._none} if it cites nothing"
            code = "citation_format" if cited is not None else "null_citations"
            message = f"expected citations, found {describe(cited)}"
            self._wrong(code, message, path, hint if cited is not None else self._add_none)
            return self._none
        good = []
        for place, each in enumerate(cited):
            if type(each) is str or type(each) is int:
                good.append(each)
            else:
                or_index = " or an index" if "indexes" in self._layout.citations else ""
                message = f"expected a document id{or_index}, found {describe(each)}"
                hint = "correct or remove it"
                if type(each) is float and each in range(1000) and or_index:
                    hint = f"write {int(each)}"
                if type(each) in (list, dict) and each:
                    is_id = type(each) is list and len(each) == 1
                    hint = "remove its brackets" if is_id else "write the document id alone"
                self._wrong("citation_format", message, (*path, place), hint)
        return good if good or not cited else self._none

    def _check_score(self, score: Any, path: JsonPath) -> None:
        if type(score) is float and isfinite(score):
            return
        if type(score) is int and abs(score) < _HUGE:
            return
        code = "unusual_score" if score is None or type(score) is int else "citation_score"
        message = f"expected a number as score, found {describe(score)}"
        self._wrong(code, message, path, "write a number, or a plain list of ids")

    def _references(self, rest: dict[str, Any], cited: list[Any]) -> list[str] | None:
        """Takes the references out of the rest, unless they are null."""
        if rest.get("references") is None:
            return None
        references = rest.pop("references")
        if type(references) is not list:
            self._expected("a list of document ids", references, ("references",))
            return None
        for index, item in enumerate(references):
            if type(item) is not str:
                indexes = {each for found in cited for each in found if type(each) is int}
                hint = "remove it"
                if type(item) is int:
                    hint = f'put it in quotes: "{shorten(item)}"'
                elif type(item) in (list, dict) and item:
                    hint = "write the document id alone"
                elif index in indexes:
                    hint = f"write the document id that is cited by the index {index}"
                elif indexes:
                    hint += f" and subtract 1 from every index above {index}"
                self._expected("a document id in quotes", item, ("references", index), hint)
        return [item if type(item) is str else "" for item in references]
