"""JSON lines with `theme`, `author` and `essay`, a list of sentences."""

from collections.abc import Iterable, Iterator
from typing import Any

from argue_eval.formats.checking import Check, Fields, as_fields
from argue_eval.records import Citation, Report, Sentence

SHAPES = (("theme", "author", "essay"),)


def read(values: Iterable[Any], check: Check) -> Iterator[Report]:
    """Yields a report for each essay."""
    for value in values:
        fields = as_fields(check, value)
        if fields is not None:
            yield Report(
                topic_id=fields.identifier("theme"),
                run_id=fields.identifier("author"),
                sentences=tuple([_sentence(each) for each in fields.objects("essay")]),
                line=check.here(),
            )


def _sentence(fields: Fields) -> Sentence:
    cited = tuple([Citation(doc_id=each) for each in fields.identifiers("citations")])
    return Sentence(text=fields.text("text"), citations=cited)


def encode(report: Report) -> dict[str, Any]:
    """A report as a JSON value."""
    sentences = [
        {"text": each.text, "citations": [citation.doc_id for citation in each.citations]}
        for each in report.sentences
    ]
    return {"theme": report.topic_id, "author": report.run_id, "essay": sentences}
