"""Reads relevance labels of documents: TREC qrels, a line ``topic 0 document grade`` each."""

from __future__ import annotations

from argue_eval.errors import shorten
from argue_eval.formats.checking import Check, text_lines
from argue_eval.formats.jsonl import Source

MAX_GRADE = 10
_COLUMNS = 4

Labels = dict[str, dict[str, int]]
"""Grades by topic and document."""


def read_labels(path: str) -> Labels:
    """Reads the grades of documents; one below 0, as tracks give to spam, becomes 0.

    Raises:
        InputError: the file has errors, or is empty.
        MissingResourceError: there is no such file.
    """
    check = Check(Source(path))
    found: Labels = {}
    with check.finishing():
        for line in text_lines(check):
            if cells := line.split():
                _note_grade(cells, check, found)
            if check.errors and not found:
                break  # another kind of file
    return found


def _note_grade(cells: list[str], check: Check, found: Labels) -> None:
    if len(cells) != _COLUMNS:
        message = f"expected 'topic 0 document grade', found {shorten(' '.join(cells))}"
        check.error("wrong_columns", message, hint="name TREC qrels of documents")
        return
    topic_id, _, doc_id, grade = cells
    try:
        value = int(grade)
    except ValueError:
        value = MAX_GRADE + 1
    if value > MAX_GRADE:
        message = f"expected a whole number up to {MAX_GRADE} as the grade, found {shorten(grade)}"
        check.error("bad_grade", message, hint="write the grade of the document")
    elif doc_id in found.setdefault(topic_id, {}):
        message = f"the document {shorten(doc_id)} of topic {shorten(topic_id)} occurs again"
        check.error("duplicate_label", message, hint="keep one line: a document has one grade")
    else:
        found[topic_id][doc_id] = max(value, 0)
