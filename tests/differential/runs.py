"""Good runs and requests of the tracks that both implementations know."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]
TEXT = "The old stone bridge was rebuilt in nine months."


class UnfitError(Exception):
    """What a mutation would change is no longer there."""


class Form(NamedTuple):
    """How the runs of a track are written.

    Attributes:
        track: its name here.
        spec: its name there.
        cites: ``scores``, ``doc_ids`` or ``indexes``.
        metadata: what the track asks for beside the team, the run and the topic.
    """

    track: str
    spec: str
    topic_key: str
    topics: tuple[str, ...]
    sentences: str
    cites: str
    doc_id: str
    metadata: Json
    has_references: bool = False
    has_narrative: bool = False
    limit: int | None = None
    unit: str = "words"

    def doc_ids(self, num: int = 6) -> list[str]:
        return [self.doc_id.format(n=n) for n in range(1, num + 1)]

    def cite(self, places: list[int], shape: str) -> Any:
        """Citations of documents, by their places among the references."""
        doc_ids = self.doc_ids()
        if shape == "indexes":
            return places
        if shape == "doc_ids":
            return [doc_ids[place] for place in places]
        return {doc_ids[place]: round(0.9 - place / 10, 1) for place in places}


_RAGTIME = Form(
    track="ragtime26",
    spec="ragtime26",
    topic_key="topic_id",
    topics=("2001", "2002", "2003"),
    sentences="responses",
    cites="scores",
    doc_id="{n:08x}-1111-4222-8333-{n:012x}_{n}",
    metadata={"run_desc": "d"},
    has_references=True,
    limit=400,
    unit="characters",
)
_RAG = Form(
    track="rag26",
    spec="rag26",
    topic_key="narrative_id",
    topics=("rag2026-1", "rag2026-2", "rag2026-3"),
    sentences="answer",
    cites="indexes",
    doc_id="shard_00001_{n}",
    metadata={"run_desc": "d"},
    has_references=True,
    has_narrative=True,
    limit=1024,
)
_SEGMENT = "msmarco_v2.1_doc_00_{n}#1_{n}"
FORMS = {
    form.track: form
    for form in (
        _RAGTIME,
        _RAGTIME._replace(
            track="ragtime25",
            spec="ragtime25",
            topics=("1001", "1002", "1003"),
            metadata={"task": "english"},
        ),
        _RAG,
        _RAG._replace(
            track="rag25",
            spec="rag25",
            topics=("101", "102", "103"),
            doc_id=_SEGMENT,
            metadata={"type": "automatic"},
            limit=400,
        ),
        Form(
            track="dragun25",
            spec="dragun25",
            topic_key="topic_id",
            topics=tuple(f"msmarco_v2.1_doc_04_{n}" for n in (420, 421, 422)),
            sentences="responses",
            cites="doc_ids",
            doc_id=_SEGMENT,
            metadata={"type": "automatic", "use_starter_kit": 0},
            limit=250,
        ),
        Form(
            track="kiddie",
            spec="kiddie",
            topic_key="topic_id",
            topics=("k1", "k2", "k3"),
            sentences="responses",
            cites="doc_ids",
            doc_id="Page {n}",
            metadata={},
        ),
    )
}


class Run:
    """A run to be changed: its reports, and what is done to its bytes after that."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.reports: list[Json] = [good_report(form, topic_id) for topic_id in form.topics]
        self.edits: list[Callable[[bytes], bytes]] = []

    @property
    def report(self) -> Json:
        """The report that is changed."""
        return self.reports[0]

    @property
    def meta(self) -> Json:
        """Its metadata."""
        if "metadata" not in self.report:
            raise UnfitError
        found: Json = self.report["metadata"]
        return found

    def sentence(self, index: int) -> Json:
        items = self.report.get(self.form.sentences)
        if type(items) is not list or index >= len(items) or type(items[index]) is not dict:
            raise UnfitError
        item: Json = items[index]
        return item

    def cite(self, index: int, cited: Any) -> None:
        """Changes the citations of a sentence."""
        self.sentence(index)["citations"] = cited

    @property
    def shape(self) -> str:
        """How its first sentence cites."""
        cited = self.sentence(0).get("citations")
        if type(cited) is dict:
            return "scores"
        if type(cited) is not list or not cited:
            raise UnfitError
        return "doc_ids" if type(cited[0]) is str else "indexes"

    def write(self, items: Any) -> None:
        """Changes the list of sentences."""
        if self.form.sentences not in self.report:
            raise UnfitError
        self.report[self.form.sentences] = items

    def rename(self, old: str, new: str) -> None:
        """Changes a document id wherever the report has it."""
        if old not in json.dumps(self.report):
            raise UnfitError
        raw = json.dumps(self.report).replace(json.dumps(old), json.dumps(new))
        self.report.update(json.loads(raw))

    def references(self) -> list[Any]:
        found = self.report.get("references")
        if type(found) is not list:
            raise UnfitError
        return found

    def encoded(self) -> bytes:
        lines = (json.dumps(report, ensure_ascii=False).encode() for report in self.reports)
        raw = b"".join(line + b"\n" for line in lines)
        for edit in self.edits:
            raw = edit(raw)
        return raw


def good_report(form: Form, topic_id: str) -> Json:
    metadata = {"team_id": "team", "run_id": "run-1", form.topic_key: topic_id, **form.metadata}
    if form.has_narrative:
        metadata["narrative"] = narrative(topic_id)
    cited: list[list[int]] = [[0, 1], [2], [3, 1, 0], []]
    text = TEXT.replace("old", ("old", "new", "big")[form.topics.index(topic_id)])
    sentences = [{"text": text, "citations": form.cite(each, form.cites)} for each in cited]
    report: Json = {"metadata": metadata, form.sentences: sentences}
    if form.has_references:
        report["references"] = form.doc_ids(4)
    return report


def narrative(topic_id: str) -> str:
    return f"Which bridges were rebuilt, and why ({topic_id})?"


def write_requests(form: Form, folder: Path) -> tuple[Path, Path]:
    """Writes the requests in the track's form, and in the form that is read there."""
    ours, theirs = folder / "requests", folder / "requests.jsonl"
    asked = [(topic_id, narrative(topic_id)) for topic_id in form.topics]
    limit = {"limit": form.limit} if form.unit == "characters" else {}
    rows: list[Json]
    if form.track == "rag26":
        ours.write_text("".join(f"{topic_id}\t{text}\n" for topic_id, text in asked))
    else:
        key = {"rag25": "id", "dragun25": "docid"}.get(form.track, "request_id")
        rows = [{key: topic_id, "title": text, **limit} for topic_id, text in asked]
        if key == "request_id":
            rows = [{**row, "problem_statement": "p", "background": "b"} for row in rows]
        ours.write_text("".join(json.dumps(row) + "\n" for row in rows))
    rows = [{"request_id": topic_id, "title": text, **limit} for topic_id, text in asked]
    theirs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ours, theirs
