"""SummHay's haystacks with `summaries`, or its annotated summaries: a run for each summary key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import argue_eval.formats.summhay_files as summhay
from argue_eval.errors import shorten
from argue_eval.formats.checking import MISSING, Check, Fields, as_fields
from argue_eval.formats.jsonl import JsonPath
from argue_eval.records import Citation, Report, Sentence


def read(values: Iterable[Any], check: Check) -> Iterator[Report]:
    """Yields a report for each summary. Its run is named by the summary's key, its sentences are
    the bullets.
    """
    seen: set[tuple[str, str]] = set()
    num_found = 0
    for value in values:
        summaries = _of_haystack if summhay.is_haystack(value) else _annotated
        for report, fields in summaries(value, check):
            num_found += 1
            place = (report.topic_id, report.run_id)
            if place in seen:
                message = f"the summary {shorten(report.run_id)} of {shorten(report.topic_id)}"
                message += " occurs again"
                check.error("duplicate_report", message, fields.path, hint="keep one of the two")
                continue
            seen.add(place)
            yield report
    if not num_found and not check.errors:
        hint = "write them to 'summaries' of each subtopic, or name the file that has them"
        check.error("no_summaries", "the file has no summaries", hint=hint)


def _of_haystack(value: Any, check: Check) -> Iterator[tuple[Report, Fields]]:
    documents = Fields(check, {**value}).items("documents", required=False)
    num_documents = len(list(documents)) or None
    for _, subtopic in summhay.subtopics([value], check):
        topic_id = subtopic.identifier("subtopic_id")
        summaries = subtopic.object("summaries", required=False)
        for key in summaries.rest.copy() if summaries else ():
            run_id = check.identifier(key, (*subtopic.path, "summaries", key))
            report = _report(topic_id, run_id, summaries, key, num_documents)
            if report is not None:
                yield report, subtopic


def _annotated(value: Any, check: Check) -> Iterator[tuple[Report, Fields]]:
    top = as_fields(check, value)
    if top is not None:
        topic_id, run_id = top.identifier("subtopic_id"), summhay.run_id_of(top)
        report = _report(topic_id, run_id, top, "summary", None)
        if report is not None:
            yield report, top


def _report(
    topic_id: str, run_id: str, fields: Fields | None, key: str, num_documents: int | None
) -> Report | None:
    """A summary; None if it has errors, which are noted.

    Args:
        fields: has the list of bullets under the key.
    """
    if fields is None:
        return None
    check = fields.check
    num_errors = len(check.errors)
    bullets = []
    value, path = fields.take(key)
    if value is not MISSING and type(value) is not list:
        hint = "split the summary where its lines end"
        check.wrong_type("a list of bullets", value, path, hint)
        return None
    for place, bullet in enumerate(value if value is not MISSING else ()):
        if type(bullet) is not str:
            check.wrong_type("a bullet's text", bullet, (*path, place))
            continue
        numbers = summhay.cited_numbers(bullet) if "[" in bullet else []
        if summhay.has_range(bullet):
            message = "a range in brackets is not read as citations"
            hint = "write every number: [1,2,3]"
            check.warn("citation_range", message, (*path, place), hint=hint, once=True)
        _check_numbers(check, numbers, num_documents, (*path, place))
        cited = tuple(Citation(number) for number in numbers)
        words = {"num_words": len(bullet.split())} if numbers else {}
        bullets.append(Sentence(summhay.without_marks(bullet), cited, words))
    if len(check.errors) > num_errors:
        return None
    return Report(topic_id, run_id, tuple(bullets), line=check.line)


def _check_numbers(
    check: Check, numbers: list[str], num_documents: int | None, path: JsonPath
) -> None:
    if num_documents is None:
        return
    for number in numbers:
        if len(number) > 9 or not 1 <= int(number) <= num_documents:
            message = f"[{shorten(number)}] is cited, and the documents are 1 to {num_documents}"
            hint = "it is counted as a wrong citation"
            check.warn("unknown_document", message, path, hint=hint, once=True)
            return
