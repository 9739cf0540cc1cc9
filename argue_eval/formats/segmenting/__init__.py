"""Plain-text and Markdown reports with citations in brackets, into a run sentence by sentence."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from operator import itemgetter
from shlex import quote
from typing import Any, NamedTuple

from argue_eval.errors import (
    Finding,
    Findings,
    InputError,
    UsageError,
    count,
    shorten,
    some,
    unknown_name,
)
from argue_eval.formats.jsonl import Source
from argue_eval.formats.segmenting.markdown import (
    CODE,
    HEADING,
    ROW,
    Block,
    Marker,
    Plain,
    blocks,
    unwrapped,
)
from argue_eval.formats.segmenting.references import (
    Reference,
    is_number,
    read_references,
    read_text,
    take_references,
)
from argue_eval.records import Citation, Report, Sentence
from argue_eval.text import sentences
from argue_eval.text.languages import base_code

__all__ = ["PLACES", "Segmented", "TextOptions", "segment", "segment_files"]

AFTER = "after"
BEFORE = "before"
PLACES = (AFTER, BEFORE)
"""Where a citation between two sentences stands: after the one that it is for, or before it."""

_TOPIC_IDS = ("topic_id", "request_id", "query_id", "narrative_id", "qid", "id")
_REWRITE = "rewrite it as sentences, or leave it out"
_ENDINGS = (".gz", ".txt", ".text", ".md", ".markdown")
_CJK_BREAK = re.compile(
    r"(?<=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])[ \t]*\n\s*(?=[\u3000-\u9fff\uff00-\uffef])"
)


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How texts are read.

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


@dataclass(frozen=True, slots=True)
class Segmented:
    """The reports of a run and the warnings about them, in the order of the files.

    Attributes:
        num_headings: how many sentences are headings.
    """

    reports: tuple[Report, ...]
    warnings: tuple[Finding, ...]
    num_headings: int = 0

    @property
    def summary(self) -> str:
        """Counts reports, sentences, citations and warnings; says that headings are among them."""
        segments = [segment for report in self.reports for segment in report.sentences]
        cited = [citation.doc_id for segment in segments for citation in segment.citations]
        headings = ""
        if self.num_headings:
            number = count(self.num_headings, "sentence is a heading", "sentences are headings")
            headings = f"\n{number}, which cites nothing; --no-headings leaves headings out"
        return (
            f"{count(len(self.reports), 'report')}, {count(len(segments), 'sentence')}, "
            f"{count(len(cited), 'citation')} of {count(len(set(cited)), 'document')}; "
            f"{count(len(self.warnings), 'warning')}{headings}"
        )


def segment_files(
    paths: Sequence[str],
    run_id: str,
    options: TextOptions | None = None,
    *,
    team_id: str = "",
    topic_id: str | None = None,
    references: str | None = None,
) -> Segmented:
    """Makes a run of several files, one topic each.

    Args:
        paths: files of plain text or Markdown; ``-`` is standard input.
        topic_id: of the one file; without it, a file's name without its ending is its topic id.
        references: a file with document ids by label.

    Raises:
        InputError: files have errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
        UsageError: the files do not have distinct topics.
    """
    options = options or TextOptions()
    if options.place not in PLACES:
        raise unknown_name("--citations", options.place, PLACES)
    if options.language and not base_code(options.language):
        message = f"expected a code such as en or zh, found {options.language!r}"
        raise UsageError(f"--language: {message}")
    topics = _topics(paths, topic_id)
    table = read_references(references) if references else None
    reports: list[Report] = []
    findings = Findings()
    num_headings = 0
    for path, topic in zip(paths, topics, strict=True):
        own = options
        if table is not None:
            own = replace(options, references=table[None] | table[topic])
        try:
            text = read_text(path)
            _check_is_text(text, path)
            found = segment(text, topic, run_id, own, path, team_id)
        except InputError as exc:
            findings.add(*exc.findings)
        else:
            reports += found.reports
            findings.add(*found.warnings)
            num_headings += found.num_headings
    findings.raise_errors()
    findings.sum_up()
    return Segmented(tuple(reports), tuple(findings), num_headings)


def _check_is_text(text: str, path: str) -> None:
    """Refuses a file that is no text, but records in some format."""
    if text.lstrip()[:1] not in ("{", "["):
        return
    from argue_eval.formats.detection import CALLED
    from argue_eval.formats.files import kinds_of
    from argue_eval.formats.runs import SENTENCE_KEYS

    first: Any = None
    with suppress(ValueError, RecursionError):  # such as a citation at the start
        first = json.loads(text.lstrip().partition("\n")[0])
    kinds = kinds_of(Source.of_bytes(path, text.encode("utf-8", "replace")))
    is_text = type(first) is dict and any(type(first.get(key)) is str for key in SENTENCE_KEYS)
    if kinds and not is_text:
        message = f"expected a text, found {CALLED[kinds[0]]}"
        hint = "segment reads plain text or Markdown; argue-eval convert changes formats"
        raise InputError(Finding("unknown_format", message, hint, path))
    if type(first) is dict:
        hint = "write each text to a file that is named after its topic"
        texts = [key for key, value in first.items() if type(value) is str]
        ids, place = first, "each"
        if type(first.get("metadata")) is dict:
            ids, place = first["metadata"], 'each["metadata"]'
        topic = next((key for key in _TOPIC_IDS if type(ids.get(key)) is str), "")
        if topic and texts:
            body = max(texts, key=lambda key: len(first[key]))
            command = (
                f'import json, sys; [open({place}["{topic}"] + ".txt", "w").write(each['
                f"{json.dumps(body)}]) for each in map(json.loads, sys.stdin)]"
            )
            hint += f": python3 -c {quote(command)} < {quote(path)}"
        raise InputError(Finding("unknown_format", "expected a text, found JSON", hint, path))


def _topics(paths: Sequence[str], topic_id: str | None) -> list[str]:
    if topic_id is not None:
        if len(paths) > 1:
            raise UsageError("--topic is for one file; each of several is named after its topic")
        return [topic_id]
    if "-" in paths:
        raise UsageError("standard input has no name to take the topic id from: use --topic ID")
    first: dict[str, str] = {}
    for path in paths:
        topic = stem(path)
        if not topic:
            raise UsageError(f"{path} has no name to take the topic id from")
        if topic in first:
            message = f"the topic {shorten(topic)} is also that of {first[topic]}"
            hint = "rename one of the files"
            raise InputError(Finding("duplicate_topic", message, hint, path, topic_id=topic))
        first[topic] = path
    return list(first)


def stem(name: str) -> str:
    """A file's name without folder and ending, which is its topic id.

    >>> stem("reports/2000.md"), stem("a.b.txt.gz"), stem("plain")
    ('2000', 'a.b', 'plain')
    """
    base = name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    for ending in _ENDINGS:
        base = base.removesuffix(ending)
    return base


def segment(
    text: str, topic_id: str, run_id: str, options: TextOptions, name: str = "", team_id: str = ""
) -> Segmented:
    """Makes one report of a text, and warns of what is doubtful about it, in text order.

    A citation belongs to the sentence in which it stands, or to the one before it if it stands
    between two; with ``before``, to the one after it.

    Args:
        name: the file's, for findings.

    >>> (report,) = segment("It fell. [D1] It broke [D2].", "t", "r", TextOptions()).reports
    >>> [(each.text, [cited.doc_id for cited in each.citations]) for each in report.sentences]
    [('It fell.', ['D1']), ('It broke.', ['D2'])]
    """
    reading = _Reading(options, name, topic_id)
    found = tuple(reading.sentences(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")))
    reading.findings.sum_up()
    report = Report(
        topic_id=topic_id,
        run_id=run_id,
        sentences=found,
        team_id=team_id,
        metadata={"language": options.language} if options.language else {},
    )
    warnings = sorted(reading.findings, key=lambda finding: finding.line or 0)
    return Segmented((report,), tuple(warnings), reading.num_headings)


class _Draft(NamedTuple):
    """A sentence whose citations are still being gathered."""

    text: str
    labels: list[str]


class _Reading:
    """One text on its way to a report.

    Attributes:
        num_headings: how many sentences are headings.
    """

    def __init__(self, options: TextOptions, name: str, topic_id: str) -> None:
        self.findings = Findings(name)
        self._options = options
        self._topic_id = topic_id
        self._doc_ids = dict(options.references)
        self._drafts: list[_Draft] = []
        self._unresolved: dict[str, int] = {}
        self._unread: dict[str, int] = {}
        self._has_citations = False
        self.num_headings = 0

    def sentences(self, lines: list[str]) -> Iterator[Sentence]:
        lines, references = take_references(unwrapped(lines))
        self._add_references(references)
        language = self._options.language or sentences.guess_language("\n".join(lines))
        for block in blocks(lines):
            if block.kind != HEADING or self._options.has_headings:
                self._read(block, language)
        for draft in self._drafts:
            doc_ids = dict.fromkeys(self._doc_ids.get(label, label) for label in draft.labels)
            yield Sentence(draft.text, tuple(map(Citation, doc_ids)))
        self._report_labels()
        if not self._drafts:
            self._warn("empty_report", "the text has no sentences", 1, "check the file")
        elif not self._has_citations:
            hint = "write citations as [1] or [doc-id] in the sentences that they are for"
            self._warn("no_citations", "no citation was found in the text", 1, hint)

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
            message = "a code block is kept as one segment"
            hint = f"if it is the report, remove the lines ```; otherwise {_REWRITE}"
            self._warn("code_block", message, block.line, hint, once=True)
            self._drafts += [_Draft(block.text, [])] if block.text.strip() else []
            return
        if block.kind == ROW:
            message = "the rows of a table are kept as segments"
            self._warn("table", message, block.line, _REWRITE, once=True)
        plain = Plain(block.text, self._doc_ids)
        self._has_citations |= bool(plain.markers or plain.unread)
        for label, target in plain.targets.items():
            self._doc_ids.setdefault(label, target)
        for brackets, line in plain.unread:
            self._unread.setdefault(brackets, block.line + line)
        text = plain.text
        spans = list(_spans(text, block.kind, language))
        drafts = [_Draft(_one_line(text[start:end]), []) for start, end in spans]
        for marker in plain.markers:
            self._attach(marker, spans, drafts, block)
        self._drafts += drafts
        self.num_headings += len(drafts) if block.kind == HEADING else 0

    def _attach(
        self, marker: Marker, spans: list[tuple[int, int]], drafts: list[_Draft], block: Block
    ) -> None:
        line = block.line + marker.line
        for label in marker.labels:
            if label not in self._doc_ids and (is_number(label) or self._doc_ids):
                self._unresolved.setdefault(label, line)
        if self._options.place == BEFORE:
            at = bisect_right(spans, marker.place, key=itemgetter(1))
        else:
            at = bisect_left(spans, marker.place, key=itemgetter(0)) - 1
        is_inside = 0 <= at < len(drafts)
        target = drafts[at] if is_inside else self._beside(marker, drafts, line)
        if target:
            target.labels.extend(marker.labels)

    def _beside(self, marker: Marker, drafts: list[_Draft], line: int) -> _Draft | None:
        """Finds the sentence for a citation that has none on its side in its block."""
        shown = f"the citation {shorten(', '.join(marker.labels))}"
        hint = "put it at the end of the sentence that it is for"
        if self._options.place == AFTER and drafts:
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

    def _report_labels(self) -> None:
        """Warns of what has no reference."""
        if found := list(self._unread):
            number = count(len(found), "pair")
            message = f"{number} of brackets without a reference stay in the text: {some(found)}"
            hint = "if they cite documents, add their numbers to the references, "
            hint += "or use --references"
            self._warn("unread_citation", message, self._unread[found[0]], hint)
        if found := list(self._unresolved):
            number = count(len(found), "citation")
            message = f"{number} without a reference, kept as document ids: {some(found)}"
            hint = "add lines such as [1] doc-id under the title References, or use --references"
            self._warn("unresolved_citation", message, self._unresolved[found[0]], hint)

    def _warn(self, code: str, message: str, line: int, hint: str, once: bool = False) -> None:
        self.findings.warn(code, message, hint, line=line, topic_id=self._topic_id, once=once)


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
    """Removes line breaks; between Chinese characters no space is left."""
    return " ".join(_CJK_BREAK.sub("", text).split())
