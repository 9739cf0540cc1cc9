"""Which documents are read for which request: those of a TREC run or qrels, or all for all."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from argue_eval import formats
from argue_eval.errors import Finding, InputError, UsageError, shorten
from argue_eval.formats.jsonl import Source
from argue_eval.measures.rankings import plain_id, trec_id
from argue_eval.records import Document, ReportRequest

_RUN_COLUMNS, _QRELS_COLUMNS = 6, 4
_MAX_ERRORS = 20


class Retrieved(NamedTuple):
    """The documents of each topic, best first.

    Attributes:
        tags: the names that the lines of a run give it; qrels have none.
    """

    by_topic: dict[str, list[str]]
    tags: tuple[str, ...]

    def of(self, topic_id: str) -> list[str]:
        """The documents of a topic, whether or not white space in its id is written out."""
        return self.by_topic.get(topic_id) or self.by_topic.get(trec_id(topic_id), [])


def pairs_of(
    requests: Sequence[ReportRequest],
    collections: Sequence[str],
    retrieved: str | None,
    depth: int | None,
) -> tuple[list[tuple[ReportRequest, Document]], list[tuple[str, str]]]:
    """Pairs every request with each of its documents; and lists topic and document where no
    collection has a document.

    Args:
        collections: files of documents, or ``irds:ID``.
        retrieved: a TREC run (six columns) or qrels (four); None for all documents.
        depth: number of documents of a run for each request; None for all.

    Raises:
        InputError: a file has errors.
        MissingResourceError: a file or data set does not exist.
        UsageError: all documents of a data set are requested.
    """
    if retrieved is None:
        if any(path.startswith("irds:") for path in collections):
            raise UsageError("--collection irds:ID needs --retrieved FILE: which documents to read")
        documents = documents_of(collections, None)
        return [(request, each) for request in requests for each in documents.values()], []
    ranked = read_retrieved(retrieved)
    chosen = [(each, doc_id) for each in requests for doc_id in ranked.of(each.topic_id)[:depth]]
    documents = named_documents(collections, {doc_id for _, doc_id in chosen})
    found, missing = [], []
    for request, doc_id in chosen:
        if doc_id in documents:
            found.append((request, documents[doc_id]))
        else:
            missing.append((request.topic_id, doc_id))
    return found, missing


def responses_of(
    requests: Sequence[ReportRequest], run: str
) -> tuple[list[tuple[ReportRequest, Document]], str]:
    """Pairs every request with the report of a run as a document; also gives the run's id.

    Raises:
        InputError: the file has errors, or several runs.
        MissingResourceError: the file does not exist.
    """
    found = list(formats.read_run(run))
    run_ids = list(dict.fromkeys(report.run_id for report in found))
    if len(run_ids) != 1:
        message = f"expected the reports of one run, found {len(run_ids)}"
        raise InputError(Finding("several_runs", message, "name a file with one run", run))
    reports = {report.topic_id: report for report in found}
    pairs = [
        (request, Document(f"{run_ids[0]}/{request.topic_id}", text=report.text))
        for request in requests
        if (report := reports.get(request.topic_id)) is not None
    ]
    return pairs, run_ids[0]


def documents_of(collections: Sequence[str], wanted: set[str] | None) -> dict[str, Document]:
    """The documents of collections by their ids: those that are wanted, or all.

    Raises:
        InputError: a file has errors.
        MissingResourceError: a file or data set does not exist.
    """
    found: dict[str, Document] = {}
    for path in collections:
        for document in formats.iter_documents(path, wanted):
            found.setdefault(document.doc_id, document)
    return found


def named_documents(collections: Sequence[str], names: set[str]) -> dict[str, Document]:
    """The documents of collections by what a TREC run calls them; those that are there.

    Raises:
        InputError, MissingResourceError: as `documents_of`.
    """
    own = {name: plain_id(name) for name in names}
    found = documents_of(collections, {*own, *own.values()})
    either = {name: found.get(name) or found.get(plain) for name, plain in own.items()}
    return {name: document for name, document in either.items() if document is not None}


def read_retrieved(path: str) -> Retrieved:
    """Reads the documents of each topic: those of a run by score, the relevant ones of qrels.

    Raises:
        InputError: a line has other columns.
        MissingResourceError: the file does not exist.
    """
    scored: dict[str, dict[str, float]] = {}
    tags: dict[str, None] = {}
    findings: list[Finding] = []
    for number, raw in Source(path).lines():
        line = raw.decode("utf-8", "replace").strip()
        if not line:
            continue
        try:
            topic_id, doc_id, score, tag = _row(line)
        except ValueError:
            message = f"expected 'topic Q0 document rank score tag', found {shorten(line)}"
            hint = "name a TREC run, or qrels: 'topic 0 document relevance'"
            findings.append(Finding("wrong_columns", message, hint, path, number))
            if len(findings) == _MAX_ERRORS:
                break
            continue
        if score is not None:
            scored.setdefault(topic_id, {}).setdefault(doc_id, score)
            tags.update(dict.fromkeys(tag))
    if findings:
        raise InputError(findings)
    by_topic = {
        topic_id: sorted(found, key=lambda doc_id: -found[doc_id])
        for topic_id, found in scored.items()
    }
    return Retrieved(by_topic, tuple(tags))


def _row(line: str) -> tuple[str, str, float | None, list[str]]:
    """Topic, document, score and tag of a line; no score for an irrelevant document of qrels."""
    columns = line.split()
    if len(columns) == _QRELS_COLUMNS:
        relevance = int(columns[3])
        return columns[0], columns[2], relevance if relevance > 0 else None, []
    if len(columns) != _RUN_COLUMNS or not isfinite(score := float(columns[4])):
        raise ValueError(line)
    return columns[0], columns[2], score, columns[5:]
