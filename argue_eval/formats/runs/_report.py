"""What the forms of runs have in common: sentences, three shapes of citations, documents."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from typing import Any

from argue_eval.errors import shorten
from argue_eval.formats.checking import MISSING, Check, Fields, as_fields
from argue_eval.formats.jsonl import JsonPath
from argue_eval.records import Citation, Document, Report, Sentence

TOPIC_KEYS = ("topic_id", "narrative_id", "request_id")
"""Names for the topic id; the first that is there is taken, the others are kept."""

_NO_EXTRA: dict[str, Any] = {}


class ReportReader:
    """Makes reports of JSON objects; knows what must hold for the file as a whole."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._run_id = ""
        self._references: tuple[str, ...] | None = None
        self._is_certain = True

    def report(self, top: Fields, meta: Fields, sentences: str) -> Report | None:
        """Returns a report; None if it has errors, which are noted.

        Args:
            meta: where the ids are; `top` itself in the flat forms.
            sentences: the key of the sentence list.
        """
        check = self._check
        num_errors = len(check.errors)
        topic_id = meta.identifier(*TOPIC_KEYS, or_number="narrative_id" in meta)
        if topic_id:
            check.new_topic(topic_id, meta.path, "a run has one report for a topic: remove one")
        run_id = self._same_run(meta)
        team_id = meta.text("team_id", required=False)
        self._read_references(top)
        texts = tuple(self._sentences(top, sentences))
        documents = self._documents(top)
        if len(check.errors) > num_errors:
            return None
        is_flat = top is meta
        return Report(
            topic_id,
            run_id,
            texts,
            team_id,
            self._references,
            documents,
            meta.rest(),
            check.here(),
            _NO_EXTRA if is_flat else top.rest(),
        )

    def _read_references(self, top: Fields) -> None:
        num_errors = len(self._check.errors)
        is_there = "references" in top
        found = top.identifiers("references", required=False)
        self._references = found if is_there else None
        self._is_certain = len(self._check.errors) == num_errors

    def _same_run(self, meta: Fields) -> str:
        check = self._check
        run_id = meta.identifier("run_id", required=False)
        if not run_id:
            run_id = self._run_id or _stem(check.source.name)
            message = f"the run_id is missing; {run_id!r} is used"
            check.warn("missing_run_id", message, meta.path, hint="add run_id", once=True)
        if not self._run_id:
            self._run_id = run_id
        elif run_id != self._run_id:
            message = f"the run_id is {shorten(run_id)}, and {shorten(self._run_id)} before"
            hint = "one file holds one run: split the file, or correct the id"
            check.error("run_id_differs", message, (*meta.path, "run_id"), hint=hint)
        return run_id

    def _sentences(self, top: Fields, key: str) -> list[Sentence]:
        found = []
        value, path = top.take(key)
        if value is MISSING:
            return []
        if type(value) is not list:
            self._check.wrong_type("a list of sentences", value, path)
            return []
        for index, item in enumerate(value):
            if type(item) is dict and len(item) == 2:
                text = item.get("text")
                cited = item.get("citations")
                if type(text) is str and cited is not None:
                    found.append(Sentence(text, self._citations(cited, path, index)))
                    continue
            found.append(self._odd_sentence(item, (*path, index)))
        return found

    def _odd_sentence(self, item: Any, path: JsonPath) -> Sentence:
        """Returns a sentence that has further keys, or is a pair, or is wrong."""
        if type(item) is list and len(item) == 2 and type(item[0]) is str:
            return Sentence(item[0], self._citations(item[1], path[:-1], path[-1], 1))
        fields = as_fields(self._check, item, path)
        if fields is None:
            return Sentence("")
        text = fields.text("text")
        cited: tuple[Citation, ...] = ()
        if "citations" in fields:
            value, _ = fields.take("citations")
            if value is not MISSING:
                cited = self._citations(value, path[:-1], path[-1])
        else:
            hint = 'write "citations": [] for a sentence that cites nothing'
            message = "the key 'citations' is missing; the sentence is read as citing nothing"
            self._check.warn("missing_citations", message, path, hint=hint, once=True)
        return Sentence(text, cited, fields.rest())

    def _citations(
        self, cited: Any, path: JsonPath, index: str | int, key: str | int = "citations"
    ) -> tuple[Citation, ...]:
        """Returns the citations of the sentence at an index of the list at a path."""
        good = self._check.ids
        if type(cited) is list:
            try:
                found: list[Any] = list(map(_plain, cited))
            except TypeError:
                found = [None]
            if None in found:
                found = self._listed(cited, (*path, index, key))
            if len(found) > 1 and len(set(found)) < len(found):
                found = self._each_once(found, (*path, index, key))
            return tuple(found)
        if type(cited) is dict:
            scored = []
            for doc_id, score in cited.items():
                if doc_id not in good:
                    self._check.identifier(doc_id, (*path, index, key, doc_id))
                if type(score) is not float or not isfinite(score):
                    score = self._score(score, (*path, index, key, doc_id))
                scored.append(Citation(doc_id, score))
            return tuple(scored)
        hint = "write [doc_id, …] or {doc_id: score, …}; [] for a sentence that cites nothing"
        self._check.wrong_type("citations", cited, (*path, index, key), hint)
        return ()

    def _listed(self, cited: list[Any], path: JsonPath) -> list[Citation]:
        found = []
        for place, item in enumerate(cited):
            doc_id = item
            if type(item) is int:
                doc_id = self._referenced(item, (*path, place))
            else:
                doc_id = self._check.identifier(item, (*path, place))
            if doc_id:
                found.append(Citation(doc_id))
        return found

    def _referenced(self, index: int, path: JsonPath) -> str:
        """Returns the id at an index into the report's references."""
        references = self._references
        if not self._is_certain:
            return ""  # what is wrong with the references is told already
        if references is None:
            message = f"the citation {index} is an index, but the report has no 'references'"
            hint = "add the list of references, or cite documents by their ids"
            self._check.error("no_references", message, path, hint=hint)
            return ""
        if not 0 <= index < len(references):
            message = f"the citation {index} points at none of the {len(references)} references"
            hint = "indexes count from 0"
            self._check.error("citation_index", message, path, hint=hint)
            return ""
        return references[index]

    def _score(self, score: Any, path: JsonPath) -> float | None:
        if score is None or type(score) is int:
            return score
        self._check.wrong_type("a score (a number)", score, path)
        return None

    def _each_once(self, found: list[Citation], path: JsonPath) -> list[Citation]:
        message = "the sentence cites a document more than once; it is counted once"
        self._check.warn("duplicate_citation", message, path, hint="cite each document once")
        return list(dict.fromkeys(found))

    def _documents(self, top: Fields) -> dict[str, Document]:
        documents: dict[str, Document] = {}
        embedded = top.object("documents", required=False)
        if embedded is None:
            return documents
        for doc_id, value in embedded.rest().items():
            path = (*embedded.path, doc_id)
            self._check.identifier(doc_id, path)
            fields = as_fields(self._check, value, path)
            if fields is not None:
                title = fields.text("title", required=False)
                text = fields.text("text")
                language = fields.text("language", required=False) or None
                documents[doc_id] = Document(doc_id, title, text, language, fields.rest())
        return documents


@lru_cache(maxsize=100_000)
def _plain(doc_id: Any) -> Citation | None:
    """Returns the citation of an id with which all is well. Runs of a track cite the same ones."""
    if type(doc_id) is not str or not doc_id or not doc_id.isprintable():
        return None
    return Citation(doc_id) if doc_id == doc_id.strip() else None


def _stem(name: str) -> str:
    """Returns a file's name without folder and endings.

    >>> _stem("runs/a.b.jsonl.gz"), _stem("-")
    ('a.b', 'stdin')
    """
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    for ending in (".gz", ".jsonl", ".json"):
        base = base.removesuffix(ending)
    return base if base not in ("", "-") else "stdin"
