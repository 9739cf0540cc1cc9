"""Lines of `id<TAB>text` (TREC RAG 2024 and 2026)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from argue_eval.errors import describe, shorten
from argue_eval.formats.checking import Check
from argue_eval.records import ReportRequest

IS_TEXT = True
_NOT_A_TABLE = ("{", "[", "PK")
"""What a table cannot start with, since JSON (or a zip archive) does."""

_HEADERS = frozenset(("id", "qid", "query_id", "request_id", "narrative_id", "topic", "topic_id"))


def read(values: Iterable[str], check: Check) -> Iterator[ReportRequest]:
    """Yields a request for each line."""
    for line in values:
        topic_id, tab, text = line.partition("\t")
        if not tab:
            message = f"expected id<TAB>text, found {describe(line)}"
            check.error("missing_column", message, hint="separate id and text by one tab")
            continue
        if topic_id.casefold() in _HEADERS:
            hint = "leave it out, or write topic_id and title or problem_statement over the columns"
            check.error("table_header", f"the line is a header: {shorten(line)}", hint=hint)
            continue
        check.new_topic(check.identifier(topic_id, ()), ())
        if not text.strip():
            hint = "write the text of the request after the tab"
            check.error("blank_text", "the text of the request is missing", hint=hint)
        yield ReportRequest(topic_id=topic_id, problem_statement=text)


def why_not(request: ReportRequest) -> str:
    """Why a request cannot be a line of a table; an empty text if it can."""
    if not _on_one_line(request.problem_statement).strip():
        return "the problem statement, which is all that a line has besides the id, is empty"
    if request.topic_id.casefold() in _HEADERS:
        return "its id is read as the header of a table"
    if request.topic_id.startswith(_NOT_A_TABLE):
        return f"the table would look like JSON, its first id being {shorten(request.topic_id)}"
    return ""


def encode(request: ReportRequest) -> str:
    """A request as a line; line breaks in its text become spaces."""
    return f"{request.topic_id}\t{_on_one_line(request.problem_statement)}"


def _on_one_line(text: str) -> str:
    return text.replace("\r\n", " ").translate({10: " ", 13: " ", 0: " "})
