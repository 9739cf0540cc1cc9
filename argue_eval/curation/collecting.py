"""What comes back from assessors, put together: every answer once, and where they differ.

Nothing is lost: answers of several assessors to one question are all kept, and who is named first
counts where only one can.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from argue_eval.errors import Finding, Findings, InputError, count, shorten, some
from argue_eval.formats.files import Files, listed, sources
from argue_eval.formats.html import EXPORT
from argue_eval.formats.jsonl import Source, atomic_writer, encode, visible
from argue_eval.formats.nugget_edits import is_edits
from argue_eval.formats.plugins import Assessed
from argue_eval.formats.reading import iter_assessed
from argue_eval.formats.sheet_parts import write_parts
from argue_eval.formats.sheets import Row, format_of, read_rows
from argue_eval.records import nfc

Key = tuple[Any, ...]
"""What makes a question this one."""


@dataclass(frozen=True)
class Collected:
    """The answers of all assessors.

    Attributes:
        answers: in the order of the files; each assessor has one to a question.
        num_repeated: answers that were in several files; `num_changed`: those that a later answer
            of the same assessor replaces.
        num_shared: questions that several assessors answered; `num_agreed`: alike.
        disputed: the rows of the sheets that they answered differently.
        num_open: questions of the sheets that nobody answered; None without sheets.
    """

    answers: Sequence[Assessed]
    num_repeated: int
    num_changed: int
    num_shared: int
    num_agreed: int
    disputed: Sequence[Row]
    num_open: int | None

    @property
    def assessors(self) -> Mapping[str, int]:
        """How many questions each assessor answered."""
        return Counter(each.judgment.judge for each in self.answers)

    def lines(self) -> Iterator[str]:
        """Yields the answers as the lines of a sheet that is filled in."""
        for place, each in enumerate(self.answers, 1):
            yield visible(encode(_object(each, f"{place} of {len(self.answers)}"))) + "\n"

    def write(self, path: str | PathLike[str]) -> None:
        """Writes the answers.

        Raises:
            MissingResourceError: the file cannot be written.
        """
        with atomic_writer(fspath(path)) as stream:
            stream.writelines(self.lines())

    def write_disputed(self, path: str | PathLike[str], assessor: str = "") -> None:
        """Writes a sheet of what assessors answered differently, for one more of them.

        Raises:
            UsageError: the name of the file says no format.
            MissingResourceError: the file cannot be written.
        """
        write_parts(self.disputed, fspath(path), format_of(fspath(path)), assessor, 0)


def collect(
    files: Files, *, sheets: Files = (), warnings: list[Finding] | None = None
) -> Collected:
    """Puts together what assessors exported from sheets, or filled in.

    Args:
        files: exports, and sheets that were filled in as CSV or JSON lines. What was collected
            before is such a file too.
        sheets: the sheets as they were written: everything answered has to be on one of them.

    Raises:
        InputError: a file has errors, an answer is to no question of the sheets, or somebody
            answered a question in two ways and nobody knows which was the later.
        MissingResourceError: there is no such file.
    """
    findings = Findings(listed=warnings)
    rows = {_key(row.keys): row for file in _sheet_files(sheets) for row in read_rows(file)}
    found = _Answers(findings, rows)
    for source in sources(files, "judgments", warnings):
        _refuse_others(source)
        found.file = source.name
        for each in iter_assessed(source, warnings=warnings):
            found.add(each)
    if found.num_foreign:
        message = (
            f"{count(found.num_foreign, 'answer')} to questions that are on none of the sheets"
        )
        hint = "name the sheet of every assessor, or leave out files that belong to others"
        findings.error("foreign_answer", f"{message}, in {some(found.foreign_files)}", hint)
    findings.raise_errors()
    if found.num_changed:
        message = f"{count(found.num_changed, 'answer')} changed by the same assessor later"
        hint = "the later answer counts; if two people have one name, change 'judge' in one file"
        findings.warn("changed_answers", message, hint)
    return found.collected()


def _sheet_files(sheets: Files) -> Iterator[str]:
    for given in listed("sheets", sheets, Source, may_be_empty=True):
        if isinstance(given, str) and os.path.isdir(given):  # noqa: PTH112
            hint = f"name the sheets in it, such as --sheet '{given}/*.html'"
            message = "expected a sheet, found a folder"
            raise InputError(Finding("is_directory", message, hint, given))
        yield from (each.name for each in sources(given, "judgments"))


def _refuse_others(source: Source) -> None:
    is_page = source.name.casefold().endswith((".html", ".htm"))
    if is_page and os.path.isfile(source.name):  # noqa: PTH113
        message = "this is the sheet itself: what was answered is in the browser"
        raise InputError(Finding("sheet_not_exported", message, EXPORT, source.name))
    if source.name != "-" and is_edits(source):
        message = "expected judgments, found edits of nuggets"
        hint = "name the bank that was edited: --bank BANK"
        raise InputError(Finding("nugget_edits", message, hint, source.name))


class _Answers:
    """The answers that were read."""

    def __init__(self, findings: Findings, rows: Mapping[Key, Row]) -> None:
        self.file = ""
        self.num_changed = self.num_repeated = self.num_foreign = 0
        self.foreign_files: list[str] = []
        self._findings = findings
        self._rows = rows
        self._found: dict[tuple[str, Key], Assessed] = {}

    def add(self, each: Assessed) -> None:
        """Adds an answer."""
        key = _key(_ids(each))
        if self._rows and key not in self._rows:
            self.num_foreign += 1
            if self.file not in self.foreign_files:
                self.foreign_files.append(self.file)
        earlier = self._found.setdefault((each.judgment.judge, key), each)
        if earlier is each:
            return
        is_same = earlier.judgment.verdict is each.judgment.verdict
        self.num_repeated += is_same
        self.num_changed += not is_same
        if not is_same and (not earlier.time or not each.time or earlier.time == each.time):
            message = (
                f"{each.judgment.judge} answered {_called(each)} with "
                f"{earlier.judgment.verdict.value!r} and {each.judgment.verdict.value!r}"
            )
            hint = (
                "keep one of the two, since the files do not say which is the later one; if two "
                "people have this name, change 'judge' in the file of one"
            )
            self._findings.error("conflicting_verdicts", message, hint, file=self.file)
        elif each.time > earlier.time:
            self._found[each.judgment.judge, key] = each

    def collected(self) -> Collected:
        """The answers, and a warning for every question on which assessors differ."""
        by_key: dict[Key, list[Assessed]] = {}
        for (_, key), each in self._found.items():
            by_key.setdefault(key, []).append(each)
        shared = {key: given for key, given in by_key.items() if len(given) > 1}
        disputed = [
            key
            for key, given in shared.items()
            if len({each.judgment.verdict for each in given}) > 1
        ]
        for key in disputed:
            said = [f"{_name(each)} says {each.judgment.verdict.value}" for each in shared[key]]
            message = f"{_called(shared[key][0])}: {', '.join(said)}"
            topic_id = shared[key][0].judgment.topic_id
            self._findings.warn("assessors_differ", message, topic_id=topic_id)
        self._findings.sum_up()
        return Collected(
            tuple(self._found.values()),
            num_repeated=self.num_repeated,
            num_changed=self.num_changed,
            num_shared=len(shared),
            num_agreed=len(shared) - len(disputed),
            disputed=[self._rows[key] for key in disputed if key in self._rows],
            num_open=len(self._rows.keys() - by_key.keys()) if self._rows else None,
        )


def _name(each: Assessed) -> str:
    return each.judgment.judge.partition(":")[2] or each.judgment.judge


def _called(each: Assessed) -> str:
    """A question, as a message names it."""
    found = each.judgment
    place = "" if found.sentence_index is None else f"{found.sentence_index + 1:,}"
    named = {
        "sentence": shorten(found.sentence) if found.sentence else place,
        "run": found.run_id,
        "document": found.doc_id,
        "nugget": found.nugget_id,
        "answer": found.answer and shorten(found.answer),
    }
    parts = ", ".join(f"{what} {name}" for what, name in named.items() if name)
    return f"{found.kind.value} in topic {found.topic_id} ({parts})"


# --- questions ------------------------------------------------------------------------------------


def _ids(each: Assessed) -> dict[str, Any]:
    """What names the question of an answer, as on a sheet."""
    found = each.judgment
    return {
        "topic_id": found.topic_id,
        "kind": found.kind.value,
        "doc_id": found.doc_id or None,
        "nugget_id": found.nugget_id or None,
        "answer": found.answer or None,
        "sentence": found.sentence,
        "run_id": found.run_id or None,
        "sentence_index": found.sentence_index,
    }


def _key(ids: Mapping[str, Any]) -> Key:
    """What makes a question this one, by what names it."""
    named: Any = (ids["run_id"], ids.get("sentence_index")) if ids.get("run_id") else None
    if named is None:
        named = nfc(ids.get("sentence") or "").strip()
    names = ("topic_id", "kind", "doc_id", "nugget_id", "answer")
    return (*(str(ids.get(name) or "") for name in names), named)


def _object(each: Assessed, place: str) -> dict[str, Any]:
    values = {
        "row": place,
        **_ids(each),
        "verdict": each.judgment.verdict.value,
        "note": each.judgment.rationale or None,
        "judge": each.judgment.judge,
        "time": each.time or None,
        "probability": each.probability,
    }
    return {name: value for name, value in values.items() if value is not None}
