"""Drafts to reports, for scoring: ids, citations and embedded documents that can be used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, repeat
from typing import Any

from argue_eval.errors import InputError, shorten
from argue_eval.formats.checking import MISSING, Check, Fields, as_fields
from argue_eval.formats.detection import meant
from argue_eval.formats.jsonl import ForeignError, JsonPath
from argue_eval.formats.jsonl.source import SMALL_BYTES
from argue_eval.formats.runs._draft import (
    NUMBERED,
    TOPIC_KEYS,
    Decoder,
    Draft,
    Layout,
    Problem,
    draft_of,
)
from argue_eval.formats.runs._inline import drafts_of_document
from argue_eval.records import Citation, Document, Report, Sentence

_CODES = {
    "citation_format": "wrong_type",
    "citation_score": "wrong_type",
    "null_citations": "wrong_type",
}
"""How scoring calls what validation has finer names for."""

_NO_EXTRA: dict[str, Any] = {}
_as_citation = lru_cache(maxsize=100_000)(Citation)  # runs of a track cite the same documents


def read_values(layout: Layout, values: Iterable[Any], check: Check) -> Iterator[Report]:
    """Yields the reports of JSON values. One with errors is left out, and the errors are noted."""
    reader = _Reader(check, layout)
    for value in values:
        base, line = check.base, check.line or 1
        drafts: Iterable[Draft] = [draft_of(value, line, layout)] if not layout.results else ()
        for draft in drafts or drafts_of_document(value, layout):
            check.base = *base, *draft.base
            report = reader.report(draft)
            if report is not None:
                yield report
        check.base = base


def read_lines(layout: Layout, check: Check) -> Iterator[Report]:
    """Yields the reports of the lines of a source, as `read_values` does."""
    reader = _Reader(check, layout)
    decoder = Decoder(check.source, layout, SMALL_BYTES)
    for number, raw in check.source.lines():
        check.line = number
        try:
            report = reader.report(decoder.draft(number, raw))
        except ForeignError:
            raise
        except InputError as exc:
            check.add(*exc.findings)
            continue
        if report is not None:
            yield report


@dataclass
class _Reader:
    """Makes reports of drafts; knows what must hold for the file as a whole.

    Attributes:
        run_id: that of the first report.
        are_references_read: whether those of the report at hand have no problem.
    """

    check: Check
    layout: Layout
    run_id: str = ""
    are_references_read: bool = True

    def report(self, draft: Draft) -> Report | None:
        """Makes a report; None if it has errors, which are noted."""
        check = self.check
        num_errors = len(check.errors)
        problems = draft.problems
        self.are_references_read = all(each.path[:1] != ("references",) for each in problems)
        meta = Fields(check, {**draft.metadata}, draft.meta_path)
        topic_id = run_id = team_id = ""
        has_ids = bool(draft.meta_path) or self.layout.metadata != "metadata"
        if draft.is_report and has_ids and all(each.path != ("metadata",) for each in problems):
            topic_id = meta.identifier(*TOPIC_KEYS, or_number=NUMBERED in meta.rest)
            check.new_topic(topic_id, meta.path, "a run has one report for a topic: remove one")
            run_id = meta.identifier(self.layout.run_id, required=False)
            self.run_id = self.run_id or run_id
            if not run_id or run_id != self.run_id:
                run_id = self._other_run(run_id, meta)
            team_id = meta.text("team_id", required=False)
        for problem in problems:
            self._note(problem, is_inline=draft.is_inline)
        top = Fields(check, {**draft.rest}) if draft.meta_path else meta
        has_references = top.rest.pop("references", MISSING) is not MISSING
        references = [] if draft.references is None and has_references else draft.references
        if references and self.are_references_read and not check.are_good(set(references)):
            for place, doc_id in enumerate(references):
                check.identifier(doc_id, ("references", place))
        sentences = self._sentences(draft)
        documents = self._documents(top) if "documents" in top.rest else {}
        if len(check.errors) > num_errors:
            return None
        return Report(
            topic_id=topic_id,
            run_id=run_id,
            sentences=sentences,
            team_id=team_id,
            references=None if references is None else tuple(references),
            documents=documents,
            metadata=meta.rest,
            line=check.line or check.here(),
            extra=_NO_EXTRA if top is meta else top.rest,
        )

    def _note(self, problem: Problem, *, is_inline: bool) -> None:
        code, message, path, hint = problem
        if code == "unusual_score":
            return  # null stands for no score, and any number will do
        if code == "missing_citations":
            message += "; the sentence is read as citing nothing"
            self.check.warn(code, message, path, hint=hint, once=True)
        elif is_inline and code == "citation_format":
            self.check.warn(code, message, path, hint=hint, once=True)
        else:
            self.check.error(_CODES.get(code, code), message, path, hint=hint)

    def _other_run(self, run_id: str, meta: Fields) -> str:
        """The run id of a report that has none, or another one than the reports before it."""
        check, key = self.check, self.layout.run_id
        if run_id:
            message = f"the run_id is {shorten(run_id)}, and {shorten(self.run_id)} before"
            hint = "one file holds one run: split the file, or correct the id"
            check.error("run_id_differs", message, (*meta.path, key), hint=hint)
            return run_id
        self.run_id = self.run_id or check.source.stem
        message = f"the {key} is missing; {self.run_id!r} is used"
        near = meant(key, meta.rest)
        hint = f"rename {near!r} to {key!r}" if near else f"add {key}"
        check.warn("missing_run_id", message, meta.path, hint=hint, once=True)
        return self.run_id

    def _sentences(self, draft: Draft) -> tuple[Sentence, ...]:
        if draft.has_indexes:
            cited = [self._resolved(each, draft, index) for index, each in enumerate(draft.cited)]
        else:
            cited = draft.cited
        if not self.check.are_good(draft.doc_ids):
            self._check_doc_ids(cited, draft)
        # By position, and without a loop in Python: this takes most of the time.
        citations = [
            tuple(
                map(Citation._make, each.items()) if type(each) is dict else map(_as_citation, each)
            )
            for each in cited
        ]
        is_repeated = draft.has_lists and sum(map(len, cited)) > sum(map(len, map(set, cited)))
        if is_repeated:
            self._cite_once(citations, draft)
        extra = map(draft.further.get, count(), repeat(_NO_EXTRA))
        rows = zip(draft.texts, citations, extra)  # noqa: B905 (there is no end of extra)
        return tuple(map(tuple.__new__, repeat(Sentence), rows))

    def _cite_once(self, citations: list[tuple[Citation, ...]], draft: Draft) -> None:
        for index, found in enumerate(citations):
            if type(draft.cited[index]) is list and len(set(found)) < len(found):
                message = "the sentence cites a document more than once; it is counted once"
                path = (draft.key, index, "citations")
                self.check.warn("duplicate_citation", message, path,
                                 hint="cite each document once")  # fmt: skip
                citations[index] = tuple(dict.fromkeys(found))

    def _check_doc_ids(self, cited: list[Any], draft: Draft) -> None:
        for index, each in enumerate(cited):
            for place, doc_id in enumerate(each):
                step = doc_id if type(each) is dict else place
                self.check.identifier(doc_id, (draft.key, index, "citations", step))

    def _resolved(self, cited: Any, draft: Draft, index: int) -> Any:
        if type(cited) is dict:
            return cited
        found = [
            item if type(item) is str else self._referenced(item, draft, (index, place))
            for place, item in enumerate(cited)
        ]
        return [doc_id for doc_id in found if doc_id is not None]

    def _referenced(self, index: int, draft: Draft, place: tuple[int, int]) -> str | None:
        references = draft.references
        path: JsonPath = (draft.key, place[0], "citations", place[1])
        if not self.are_references_read:
            return None  # what is wrong with the references is reported already
        if references is None and "references" not in draft.rest:
            message = f"the citation {index} is an index, but the report has no 'references'"
            hint = "add the list of references, or cite documents by their ids"
            self.check.error("no_references", message, path, hint=hint)
            return None
        num = len(references or ())
        if not 0 <= index < num:
            message = f"the citation {index} points at none of the {num} references"
            hint = "indexes count from 0"
            if draft.is_from_one:
                hint += ", and these look as if they counted from 1: subtract 1 from each"
            self.check.error("citation_index", message, path, hint=hint)
            return None
        return draft.doc_id(index)

    def _documents(self, top: Fields) -> dict[str, Document]:
        documents: dict[str, Document] = {}
        embedded = top.object("documents", required=False)
        for doc_id, value in embedded.rest.items() if embedded else ():
            path = ("documents", doc_id)
            self.check.identifier(doc_id, path)
            fields = as_fields(self.check, value, path)
            if fields is not None:
                documents[doc_id] = Document(
                    doc_id=doc_id,
                    title=fields.text("title", required=False),
                    text=fields.text("text"),
                    language=fields.text("language", required=False) or None,
                    extra=fields.rest,
                )
        return documents
