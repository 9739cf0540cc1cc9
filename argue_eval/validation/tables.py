"""Runs that are lines of columns, not reports: rankings of documents, and lists of questions.

A line is one document or question of a topic, the best first. The ids of topic, run and team are
checked as those of reports are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import inf, isfinite, nan

from argue_eval.errors import Finding, describe, shorten
from argue_eval.formats.jsonl import Source
from argue_eval.formats.runs import Draft
from argue_eval.validation.audit import Audit
from argue_eval.validation.metadata import check_ids, check_topic
from argue_eval.validation.tracks import Track, load, names

COLUMNS = {
    "retrieval": ("topic_id", "Q0", "doc_id", "rank", "score", "run_id"),
    "questions": ("topic_id", "team_id", "run_id", "rank", "question"),
}
BETWEEN = {"retrieval": "white space", "questions": "tabs"}
"""The columns of each kind of table, and what separates them."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_RANK = 3
"""The place of the rank in both."""
_Q0 = ("Q0", "0")
_HEAD = "rank"
"""What a line of names has for a rank."""
_IDS = ("run_id", "team_id")


def kind_of(raw: bytes) -> str:
    r"""The kind of table of which a line may be, though not all its columns are there; empty for
    any other line.

    >>> kind_of(b"t1 Q0 d1 1 9.5 run\n"), kind_of(b"t1\tteam\trun\t1\tWho says so?"), kind_of(b"{}")
    ('retrieval', 'questions', '')
    """
    line = raw.decode("utf-8", "replace")
    num_columns = len(COLUMNS["retrieval"])
    cells = [cell.strip() for cell in line.split("\t")]
    has_tabs = len(cells) > _RANK
    if not has_tabs:
        cells = line.split(maxsplit=num_columns)
        cells = line.split(",") if len(cells) == 1 else cells  # which is refused, line by line
    if len(cells) <= _RANK:
        return ""
    is_whole = len(cells) == num_columns
    is_head = cells[_RANK].casefold() == _HEAD
    if has_tabs and (is_head or _is_whole(cells[_RANK])):
        return "retrieval" if cells[1].upper() in _Q0 or (is_whole and is_head) else "questions"
    is_row = is_whole and (is_head or (cells[1] == _Q0[1] and _is_whole(cells[_RANK])))
    return "retrieval" if is_row or cells[1].upper() == _Q0[0] or _lacks_q0(cells) else ""


def _lacks_q0(cells: list[str]) -> bool:
    """Whether a line has the columns of a ranking but for the second."""
    is_short = len(cells) == len(COLUMNS["retrieval"]) - 1
    return is_short and _is_whole(cells[2]) and _NUMBER.fullmatch(cells[3]) is not None


def track_of(kind: str, raw: bytes, track: Track | None) -> Track:
    """The rules for a table by its first line: those of the track, where it has some.

    Args:
        track: that was named; None to guess it.
    """
    ending = f"-{kind}"
    if track is not None:
        if track.layout.table == kind:
            return track
        name = f"{track.name}{ending}"
        return load(name if name in names() else kind)
    cells = _cells(kind, raw.decode("utf-8", "replace"))
    row = dict(zip(COLUMNS[kind], cells, strict=False))
    own = [load(name) for name in names() if name.endswith(ending)]
    fitting = [found for found in own if _fits(row, found)]
    return fitting[0] if len(fitting) == 1 else load(kind)


def _fits(row: dict[str, str], track: Track) -> bool:
    if track.topics and not track.topics.fullmatch(row["topic_id"]):
        return False
    rule = track.rule("docid_pattern")
    return rule is None or rule.values["pattern"].fullmatch(row["doc_id"]) is not None


def check(source: Source, lines: Iterable[tuple[int, bytes]], audit: Audit) -> None:
    """Checks the lines of a table."""
    table = _Table(audit)
    for number, raw in lines:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            audit.note_broken(*source.encoding_error(raw, number).findings)
            continue
        table.row(number, text.rstrip("\r\n"))
    table.finish_topic()


class _Table:
    """A table while it is checked, a topic after the other."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        self._kind = audit.track.layout.table
        self._columns = COLUMNS[self._kind]
        self._is_active = audit.track.rule
        self._topic_id = ""
        self._line = 0
        self._rank, self._score = 0, inf  # those of the line before
        self._seen: dict[str, int] = {}
        self._ids: dict[str, str] = {}

    def row(self, number: int, text: str) -> None:
        """Checks a line."""
        self._line = number
        cells = _cells(self._kind, text)
        if len(cells) != len(self._columns):
            self._wrong_columns(cells)
            return
        row: dict[str, str] = dict(zip(self._columns, cells, strict=True))
        if row["rank"].casefold() == _HEAD:
            self._found("wrong_columns", "the line has the names of the columns", "remove it")
            return
        ids = {key: cell for key, cell in row.items() if key in _IDS}
        if not all(ids.values()):
            self._found("empty_id", "the id of the run or of the team is empty", "write it")
        if row["topic_id"] != self._topic_id:
            self.finish_topic()
            self._start_topic(row["topic_id"], ids)
        elif ids != self._ids:
            check_ids(self._draft(ids), self._audit)
        self._ids = ids
        self._check_rank(row["rank"])
        self._check_score(row.get("score", "0"))
        if self._kind == "retrieval":
            self._check_document(row)
        else:
            self._check_question(row["question"])

    def finish_topic(self) -> None:
        """Checks what is known of a topic after its last line."""
        rule = self._is_active("question_count")
        if rule and len(self._seen) > rule.values["max"]:
            message = (
                f"the topic has {len(self._seen):,} questions, {rule.values['max']} are judged"
            )
            self._found("question_count", message, "keep the best", topic_id=self._topic_id)
        self._seen = {}

    def _start_topic(self, topic_id: str, ids: dict[str, str]) -> None:
        self._topic_id = topic_id
        self._rank, self._score = 0, inf
        self._audit.num_reports += topic_id not in self._audit.topics
        draft = self._draft({"topic_id": topic_id, **ids})
        check_topic(draft, self._audit)
        check_ids(draft, self._audit)

    def _draft(self, metadata: dict[str, str]) -> Draft:
        draft = Draft(self._line, dict(metadata), "", [], [], None)
        draft.meta_path = ()
        draft.topic_id = self._topic_id
        return draft

    def _wrong_columns(self, cells: list[str]) -> None:
        expected = ", ".join(self._columns)
        found = "an empty line" if not any(cells) else f"{len(cells):,}"
        message = (
            f"expected {len(self._columns)} columns between {BETWEEN[self._kind]}, found {found}"
        )
        hint = "write the columns in their order"
        if len(cells) == 1 and cells[0].count(",") == len(self._columns) - 1:
            hint = f"write {BETWEEN[self._kind]} between the columns, not commas"
        elif self._kind == "retrieval" and _lacks_q0(cells):
            hint = "write Q0 between the ids of topic and document"
        self._found("wrong_columns", message, hint, expected)
        self._audit.note_broken()

    def _check_rank(self, cell: str) -> None:
        self._rank, last = self._rank + 1, self._rank
        if not _is_whole(cell):
            message = f"expected a rank, a whole number from 1, found {describe(cell)}"
            self._found("rank_order", message, f"write {self._rank}")
        elif int(cell) != self._rank:
            before = f"after rank {last:,}" if last else "first"
            message = f"the rank is {int(cell):,}, and {self._rank:,} is expected {before}"
            self._found("rank_order", message, "number the lines of a topic from 1, the best first")
            self._rank = int(cell)

    def _check_score(self, cell: str) -> None:
        score = float(cell) if _NUMBER.fullmatch(cell) else nan
        if not isfinite(score):
            message = f"expected a score, a number, found {describe(cell)}"
            self._found("score_order", message, "write digits with a decimal point")
            return
        if score > self._score:
            message = f"the score rises from {self._score:g} to {score:g}"
            hint = "trec_eval ranks by the scores, whatever the ranks say: sort the lines by score"
            self._found("score_order", message, hint)
        self._score = score

    def _check_document(self, row: dict[str, str]) -> None:
        doc_id = row["doc_id"]
        first = self._seen.setdefault(doc_id, self._line)
        if first != self._line:
            message = f"the document {shorten(doc_id)} is ranked already, on line {first:,}"
            self._found("duplicate_document", message, "keep the first of the two")
        if row["Q0"].upper() not in _Q0:
            message = f"expected Q0 in the second column, found {describe(row['Q0'])}"
            self._found("wrong_columns", message, "write Q0")
        rule = self._is_active("docid_pattern")
        if rule and not rule.values["pattern"].fullmatch(doc_id):
            pattern = rule.values["pattern"].pattern
            message = f"the document id {shorten(doc_id)} does not match {pattern}"
            self._found("docid_pattern", message, "write the ids of the track's collection")
        if self._is_active("unknown_document"):
            place = (self._line, "", self._topic_id, None)
            self._audit.cited.setdefault(doc_id, place)

    def _check_question(self, question: str) -> None:
        if not question.strip():
            self._found("blank_text", "the question is empty", "write it, or leave the line out")
            return
        first = self._seen.setdefault(" ".join(question.split()).casefold(), self._line)
        if first != self._line:
            message = f"the question is that of line {first:,}"
            self._found("duplicate_question", message, "keep the first of the two")

    def _found(
        self, code: str, message: str, hint: str, expected: str = "", topic_id: str = ""
    ) -> None:
        file, topic_id = self._audit.findings.file, topic_id or self._topic_id
        finding = Finding(code, message, hint, file, self._line, "", topic_id, expected=expected)
        self._audit.findings.add(finding)


def _cells(kind: str, line: str) -> list[str]:
    if kind == "questions":
        return [cell.strip() for cell in line.split("\t")]
    return line.split()


def _is_whole(cell: str) -> bool:
    return cell.isascii() and cell.isdigit() and len(cell) < 10
