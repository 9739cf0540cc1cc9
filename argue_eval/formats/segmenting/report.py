"""A text's blocks, sentences and citations, put together to a report."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter

from argue_eval.errors import Finding, Severity, shorten
from argue_eval.formats.segmenting.blocks import CODE, HEADING, ROW, Block, blocks
from argue_eval.formats.segmenting.citations import is_number
from argue_eval.formats.segmenting.inline import Marker, Plain
from argue_eval.formats.segmenting.references import Reference, take_references
from argue_eval.records import Citation, Report, Sentence
from argue_eval.text import sentences

AFTER = "after"
BEFORE = "before"
PLACES = (AFTER, BEFORE)
"""Where a citation between two sentences stands: after the one that it is for, or before it."""

_CJK_BREAK = re.compile(
    r"(?<=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])[ \t]*\n\s*(?=[\u3000-\u9fff\uff00-\uffef])"
)
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Form:
    """How texts are to be read.

    Attributes:
        language: a code, or None to guess it from each text.
        place: one of `PLACES`.
        has_headings: headings become segments; otherwise they are left out.
        references: document ids by label, for what a text's own reference list does not have.
    """

    language: str | None = None
    place: str = AFTER
    has_headings: bool = True
    references: Mapping[str, str] = field(default_factory=dict)


def segment(
    text: str, topic_id: str, run_id: str, form: Form, name: str = "", team_id: str = ""
) -> tuple[Report, list[Finding]]:
    """Returns the report that a text holds, and what is doubtful about it.

    A citation belongs to the sentence in which it stands, or to the one before it if it stands
    between two; with ``before``, to the one after it.

    Args:
        name: the file's, for findings.

    >>> report, _ = segment("It fell. [D1] It broke [D2].", "t", "r", Form())
    >>> [(each.text, [cited.doc_id for cited in each.citations]) for each in report.sentences]
    [('It fell.', ['D1']), ('It broke.', ['D2'])]
    """
    reading = _Reading(form, name, topic_id)
    found = reading.sentences(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    metadata = {"language": form.language} if form.language else {}
    report = Report(topic_id, run_id, tuple(found), team_id, metadata=metadata)
    return report, sorted(reading.findings, key=lambda finding: finding.line or 0)


class _Draft:
    """A sentence whose citations are still being gathered."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.labels: list[str] = []


class _Reading:
    """One text on its way to a report."""

    def __init__(self, form: Form, name: str, topic_id: str) -> None:
        self.findings: list[Finding] = []
        self._form = form
        self._name = name
        self._topic_id = topic_id
        self._doc_ids = dict(form.references)
        self._drafts: list[_Draft] = []
        self._unresolved: dict[str, int] = {}
        self._seen: set[str] = set()

    def sentences(self, lines: list[str]) -> Iterator[Sentence]:
        """Yields the sentences of a text with their citations."""
        lines, references = take_references(lines)
        self._add_references(references)
        language = self._form.language or sentences.guess_language("\n".join(lines))
        for block in blocks(lines):
            if block.kind != HEADING or self._form.has_headings:
                self._read(block, language)
        for draft in self._drafts:
            doc_ids = dict.fromkeys(self._doc_ids.get(label, label) for label in draft.labels)
            yield Sentence(draft.text, tuple(map(Citation, doc_ids)))
        self._report_unresolved()
        if not self._drafts:
            self._warn("empty_report", "the text has no sentence", 1, "check the file")

    def _add_references(self, references: list[Reference]) -> None:
        own: dict[str, str] = {}
        for label, doc_id, line in references:
            if not doc_id:
                message = f"the reference {shorten(label)} names no document id; it is left out"
                hint = f"write [{label}] and the id, or use --references"
                self._warn("reference_unclear", message, line, hint)
            elif own.setdefault(label, doc_id) != doc_id:
                message = f"the reference {shorten(label)} was {shorten(own[label])} before"
                self._warn("reference_differs", message, line, "give each document its own number")
        self._doc_ids.update(own)
        self._doc_ids.update({doc_id: doc_id for doc_id in own.values() if doc_id not in own})

    def _read(self, block: Block, language: str) -> None:
        if block.kind == CODE:
            self._warn_once("code_block", "a code block is kept as one segment", block.line)
            self._drafts += [_Draft(block.text)] if block.text.strip() else []
            return
        if block.kind == ROW:
            self._warn_once("table", "the rows of a table are kept as segments", block.line)
        plain = Plain(block.text, self._doc_ids)
        for label, target in plain.targets.items():
            self._doc_ids.setdefault(label, target)
        text = plain.text
        spans = list(_spans(text, block.kind, language))
        drafts = [_Draft(_one_line(text[start:end])) for start, end in spans]
        for marker in plain.markers:
            self._attach(marker, spans, drafts, block)
        self._drafts += drafts

    def _attach(
        self, marker: Marker, spans: list[tuple[int, int]], drafts: list[_Draft], block: Block
    ) -> None:
        """Gives a citation to its sentence."""
        line = block.line + marker.line
        for label in marker.labels:
            if label not in self._doc_ids and (is_number(label) or self._doc_ids):
                self._unresolved.setdefault(label, line)
        if self._form.place == BEFORE:
            at = bisect_right(spans, marker.place, key=itemgetter(1))
        else:
            at = bisect_left(spans, marker.place, key=itemgetter(0)) - 1
        is_inside = 0 <= at < len(drafts)
        target = drafts[at] if is_inside else self._beside(marker, drafts, line)
        if target:
            target.labels += marker.labels

    def _beside(self, marker: Marker, drafts: list[_Draft], line: int) -> _Draft | None:
        """Returns the sentence for a citation that has none on its side in its block."""
        shown = f"the citation {shorten(', '.join(marker.labels))}"
        hint = "put it at the end of the sentence that it is for"
        if self._form.place == AFTER and drafts:
            message = f"{shown} stands before the paragraph's first sentence, and is given to it"
            hint += "; if all are before their sentences, use --citations before"
            self._warn("citation_at_start", message, line, hint)
            return drafts[0]
        nearest = (drafts or self._drafts)[-1:]
        if not nearest:
            self._warn("citation_without_text", f"{shown} has no sentence; left out", line, hint)
            return None
        if not drafts:
            message = f"{shown} is a paragraph of its own, and is given to the sentence before it"
            self._warn("citation_alone", message, line, hint)
        else:
            message = f"{shown} has no sentence after it, and is given to the last one"
            self._warn("citation_at_end", message, line, "use --citations after")
        return nearest[0]

    def _report_unresolved(self) -> None:
        if not self._unresolved:
            return
        labels = list(self._unresolved)
        more = f" and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else ""
        message = (
            f"no reference for {', '.join(labels[:_SHOWN])}{more}: "
            "kept as the ids of documents, as they are"
        )
        hint = "add lines such as [1] doc-id under the title References, or use --references"
        self._warn("unresolved_citation", message, self._unresolved[labels[0]], hint)

    def _warn_once(self, code: str, message: str, line: int) -> None:
        if code not in self._seen:
            self._seen.add(code)
            self._warn(code, message, line, "rewrite it as sentences, or leave it out")

    def _warn(self, code: str, message: str, line: int, hint: str) -> None:
        self.findings.append(
            Finding(code, message, hint, self._name, line, "", self._topic_id, Severity.WARNING)
        )


def _spans(text: str, kind: str, language: str) -> Iterator[tuple[int, int]]:
    """Yields start and end of the segments of a block: a heading or a table's row is one."""
    if kind in (HEADING, ROW):
        bare = text.strip()
        if bare:
            start = text.index(bare)
            yield start, start + len(bare)
    else:
        yield from sentences.spans(text, language)


def _one_line(text: str) -> str:
    """Returns a sentence without its line breaks; between Chinese characters no space is left."""
    return " ".join(_CJK_BREAK.sub("", text).split())
