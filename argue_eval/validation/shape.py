"""JSON values to drafts, with a finding for every key and type that is not as the form has it."""

from __future__ import annotations

from math import isfinite
from typing import Any

from argue_eval.errors import describe
from argue_eval.formats.jsonl import JsonPath
from argue_eval.validation.draft import Draft
from argue_eval.validation.found import Found
from argue_eval.validation.tracks import Form

KEYS = ("responses", "answer", "sentences", "report")
TOPIC_KEYS = ("topic_id", "narrative_id", "request_id")
NUMBERED = ("narrative_id",)
"""Ids that the guidelines allow to be written as numbers."""


def draft_of(value: Any, line: int, form: Form, found: Found, base: JsonPath = ()) -> Draft | None:
    """Returns the draft of a report; None if the value is no report at all."""
    if type(value) is not dict:
        hint = "write one report a line, each an object"
        found.at(line, "wrong_type", f"expected an object, found {describe(value)}", base, hint)
        found.note_useless()
        return None
    shape = _Shape(line, found, base)
    metadata, meta_path = shape.metadata(value, form)
    shape.topic_id = topic_in(metadata, form)
    key = shape.key(value, form)
    if not key and not shape.topic_id:
        found.note_useless()
    items = shape.items(value, key)
    texts, cited = shape.sentences(items, key)
    draft = Draft(line, metadata, key, texts, cited, shape.references(value))
    draft.base, draft.meta_path, draft.unread = base, meta_path, frozenset(shape.unread)
    return draft


class _Shape:
    """The reading of one report."""

    def __init__(self, line: int, found: Found, base: JsonPath) -> None:
        self._found = found
        self._place = Draft(line, {}, "", [], [], None)
        self._place.base = base
        self._none: Any = []  # what this report writes where nothing is cited
        self.topic_id = ""
        self.unread: set[int] = set()

    def wrong(self, code: str, message: str, path: JsonPath, hint: str = "") -> None:
        sentence = path[1] if len(path) > 1 and isinstance(path[1], int) else None
        self._place.topic_id = self.topic_id
        self._found(code, message, self._place, path, hint=hint, sentence=sentence)

    def expected(self, what: str, value: Any, path: JsonPath, hint: str = "") -> None:
        self.wrong("wrong_type", f"expected {what}, found {describe(value)}", path, hint)

    def metadata(self, value: dict[str, Any], form: Form) -> tuple[dict[str, Any], JsonPath]:
        """Returns the keys that say what report this is, and where they are."""
        if "metadata" not in value:
            if form.metadata == "metadata":
                hint = f"put {form.topic_id[0]!r} and {form.run_id!r} into it, and all other ids"
                self.wrong("missing_key", "the key 'metadata' is missing", (), hint)
            rest = {key: each for key, each in value.items() if key not in (*KEYS, "references")}
            return rest, ()
        metadata = value["metadata"]
        if type(metadata) is not dict:
            self.expected("an object", metadata, ("metadata",))
            return {}, ("metadata",)
        return metadata, ("metadata",)

    def key(self, value: dict[str, Any], form: Form) -> str:
        """Returns the key of the sentences; an empty text if the report has none."""
        for key in form.sentences:
            if key in value:
                return key
        lists = [key for key, each in value.items() if type(each) is list and key != "references"]
        for key in (*KEYS, _near(form.sentences[0], lists)):
            if key in value:
                hint = f"call it {form.sentences[0]!r}"
                message = f"the key {form.sentences[0]!r} is missing; found {key!r}"
                self.wrong("missing_key", message, (), hint)
                return key
        hint = "add the list of sentences; [] if there is no report"
        self.wrong("missing_key", f"the key {form.sentences[0]!r} is missing", (), hint)
        self.unread.add(0)
        return ""

    def items(self, value: dict[str, Any], key: str) -> list[Any]:
        items = value.get(key, [])
        if type(items) is list:
            return items
        self.expected("a list of sentences", items, (key,))
        self.unread.add(0)
        return []

    def sentences(self, items: list[Any], key: str) -> tuple[list[str], list[Any]]:
        """Returns the texts and the citations of the sentences."""
        texts: list[str] = []
        cited: list[Any] = []
        is_scored = any(
            type(item) is dict and type(item.get("citations")) is dict for item in items
        )
        self._none = {} if is_scored else []
        for index, item in enumerate(items):
            if type(item) is list and len(item) == 2 and key == "report":
                item = {"text": item[0], "citations": item[1]}
            if type(item) is not dict:
                self.expected("a sentence (an object with text and citations)", item, (key, index))
                self.unread.add(index)
                texts.append("")
                cited.append(self._none)
                continue
            text = item.get("text")
            if type(text) is not str:
                self._no_text(item, key, index)
                text = ""
            texts.append(text)
            found = item.get("citations")
            if type(found) is dict and all(type(each) is float for each in found.values()):
                if all(map(isfinite, found.values())):
                    cited.append(found)
                    continue
            elif type(found) is list and all(type(each) is str for each in found):
                cited.append(found)
                continue
            cited.append(self._citations(item, (key, index, "citations")))
        return texts, cited

    def _no_text(self, item: dict[str, Any], key: str, index: int) -> None:
        self.unread.add(index)
        if "text" in item:
            hint = "write the sentence, or remove it" if item["text"] is None else ""
            self.expected("text", item["text"], (key, index, "text"), hint)
        else:
            self.wrong("missing_key", "the key 'text' is missing", (key, index), "add the text")

    def _citations(self, item: dict[str, Any], path: JsonPath) -> Any:
        """Returns the citations that can be read, of those that are not as usual."""
        cited = item.get("citations")
        if cited is None:
            hint = f'write "citations": {self._none} for a sentence that cites nothing'
            if "citations" in item:
                self.wrong("missing_citations", "the citations are null", path, hint)
                return self._none
            if near := _near("citations", [key for key in item if key != "text"]):
                hint = f"rename {near!r} to 'citations'"
            self.wrong("missing_citations", "no citations are given", path[:-1], hint)
            return self._none
        if type(cited) is dict:
            return {
                doc_id: float(score) if self._is_score(score, (*path, doc_id)) else 0.0
                for doc_id, score in cited.items()
            }
        if type(cited) is not list:
            usual = "[doc_id, …]" if self._none == [] else "{doc_id: score, …}"
            hint = f"write {usual}; {self._none} if it cites nothing"
            message = f"expected citations, found {describe(cited)}"
            self.wrong("citation_format", message, path, hint)
            return self._none
        good = []
        for place, each in enumerate(cited):
            if type(each) is str or type(each) is int:
                good.append(each)
            else:
                message = f"expected a document id or an index, found {describe(each)}"
                hint = "take its brackets away" if type(each) is list else "correct or remove it"
                self.wrong("citation_format", message, (*path, place), hint)
        return good or self._none

    def _is_score(self, score: Any, path: JsonPath) -> bool:
        if type(score) is int and abs(score) < 1 << 1000:
            return True
        if type(score) is float and isfinite(score):
            return True
        message = f"expected a number as score, found {describe(score)}"
        self.wrong("citation_score", message, path, "write a number, or a plain list of ids")
        return False

    def references(self, value: dict[str, Any]) -> list[str] | None:
        references = value.get("references")
        if references is None:
            return None
        if type(references) is not list:
            self.expected("a list of document ids", references, ("references",))
            return None
        for index, item in enumerate(references):
            if type(item) is not str:
                hint = "put it in quotes" if type(item) is int else ""
                self.expected("a document id in quotes", item, ("references", index), hint)
        return [item if type(item) is str else "" for item in references]


def topic_in(metadata: dict[str, Any], form: Form) -> str:
    """Returns the topic id; an empty text if there is none that can be read."""
    for key in (*form.topic_id, *TOPIC_KEYS):
        value = metadata.get(key)
        if type(value) is str or (type(value) is int and key in NUMBERED):
            return str(value)
    return ""


def _near(key: str, others: list[str]) -> str:
    """Returns the key that may stand for one that is missing; an empty text if there is none."""
    from difflib import get_close_matches

    near = get_close_matches(key, [each for each in others if len(each) < 100], n=1, cutoff=0.75)
    return near[0] if near else ""
