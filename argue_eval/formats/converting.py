"""Converts runs, nuggets and report requests between the tracks' forms.

Every record is written in the new form and read back at once. What is not read back as it was is
lost there, and is told; nothing can be lost unseen.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval import formats
from argue_eval.errors import (
    Finding,
    MissingResourceError,
    Severity,
    UsageError,
    shorten,
    unknown_name,
)
from argue_eval.formats import writing
from argue_eval.formats.jsonl import Source, atomic_writer
from argue_eval.formats.losses import Difference, differences
from argue_eval.records import Report

__all__ = ["HINT", "Conversion", "Loss", "convert"]

HINT = "choose another form, or go without it: --lossy"
"""What to do about a loss of which nothing else is to be said."""

_IN_FOLDERS = ("nuggets", "auto_argue")
_WITH_NARRATIVES = ("runs", "rag")


class Loss(NamedTuple):
    """One thing that a form cannot hold (severity error), or that it adds (severity warning).

    Attributes:
        what: its kind, such as ``scores``.
    """

    what: str
    nugget_id: str
    finding: Finding


class Conversion(NamedTuple):
    """What was converted, and what that costs.

    Attributes:
        kind: ``runs``, ``nuggets`` or ``requests``.
        source_form: empty where a kind was forced and no form.
        is_written: False if something would be lost and that was not allowed.
        num_records: how many reports, or topics, are written, or would be.
        text: what is written, if no output was named; else empty.
    """

    kind: str
    source_form: str
    form: str
    is_written: bool
    num_records: int
    losses: tuple[Loss, ...]
    additions: tuple[Loss, ...]
    text: str = ""

    def counts(self) -> Counter[str]:
        """Returns how many things of which kind are lost."""
        return Counter(loss.what for loss in self.losses)


class _RefusedError(Exception):
    """Takes back what was written so far."""


def convert(
    path: str,
    form: str,
    output: str | None = None,
    *,
    kind: str | None = None,
    source_form: str | None = None,
    requests: str | None = None,
    is_lossy: bool = False,
    warnings: list[Finding] | None = None,
) -> Conversion:
    """Returns what came of writing a file in another form.

    Args:
        path: a file, a directory of Auto-ARGUE banks, or ``-``.
        form: the form to write, such as ``rag``.
        output: a file, which appears when it is complete; for Auto-ARGUE's form also a directory
            (one that is there, or a name that ends in ``/``), which then holds a file per topic.
        kind: what the source holds; found out by its content if None.
        source_form: the source's form; found out by its content if None.
        requests: a file of report requests, whose texts become the narratives of a run in the
            form ``rag``, where it has none.
        is_lossy: write what the form can hold, though something is lost.
        warnings: what is odd in the source is added to this.

    Raises:
        InputError: the source has errors, or nothing of it can be written.
        UsageError: there is no such form of this kind, or no such kind; requests are given for
            anything but a run in the form ``rag``.
        MissingResourceError: a file cannot be read or written.
    """
    source = Source(path)
    kind, source_form = _kind_and_form(source, kind, source_form)
    _check_form(kind, form)
    is_folder = _is_folder(output, kind, form)
    narratives = _narratives(requests, kind, form)
    work = _Work(source, kind, source_form, form, is_lossy, narratives)
    text = ""
    is_written = True
    try:
        texts = work.texts(warnings)
        if output is None:
            text = "".join(writing.content(kind, form, (each for _, each in texts)))
        elif is_folder:
            write_folder(Path(output), texts)
        else:
            with atomic_writer(output) as stream:
                stream.writelines(writing.content(kind, form, (each for _, each in texts)))
    except _RefusedError:
        is_written = False
    found = [(loss, loss.finding.severity is Severity.ERROR) for loss in work.losses]
    losses = tuple(loss for loss, is_error in found if is_error)
    additions = tuple(loss for loss, is_error in found if not is_error)
    number = work.num_records
    return Conversion(kind, source_form, form, is_written, number, losses, additions, text)


def _kind_and_form(source: Source, kind: str | None, form: str | None) -> tuple[str, str]:
    if kind is not None and kind not in writing.KINDS:
        raise unknown_name("--kind", kind, writing.KINDS)
    if source.name != "-" and Path(source.name).is_dir():
        if kind not in (None, "nuggets"):
            raise UsageError(f"--kind: a directory holds nuggets, found {kind!r}")
        return "nuggets", form or "auto_argue"
    if kind is None:
        kind, found = writing.kind_of(source)
        form = form or found
    if form and form not in formats.form_names(kind):
        raise unknown_name(f"form of {kind}", form, formats.form_names(kind))
    return kind, form or ""


def _check_form(kind: str, form: str) -> None:
    choices = writing.written_forms(kind)
    if form in choices:
        return
    others = [each for each in writing.KINDS if form in writing.written_forms(each)]
    if others:
        names = ", ".join(choices)
        message = f"--to: {form!r} is a form of {' and '.join(others)}; the source holds {kind}"
        raise UsageError(f"{message}, which can be written as {names}")
    raise unknown_name(f"form of {kind} in --to", form, choices)


def _is_folder(output: str | None, kind: str, form: str) -> bool:
    if output is None or not (output.endswith("/") or Path(output).is_dir()):
        return False
    if (kind, form) != _IN_FOLDERS:
        raise UsageError(f"-o: expected a file, found the directory {output}")
    return True


def _narratives(requests: str | None, kind: str, form: str) -> Mapping[str, str] | None:
    """Returns the narratives by topic; None if they are not asked for."""
    if requests is None:
        return None
    if (kind, form) != _WITH_NARRATIVES:
        message = f"--requests: only a run in the form 'rag' repeats them, not {kind} as {form!r}"
        raise UsageError(message)
    return {each.topic_id: each.narrative for each in formats.read_requests(requests)}


class _Work:
    """Records of one source on their way into another form."""

    def __init__(
        self,
        source: Source,
        kind: str,
        source_form: str,
        form: str,
        is_lossy: bool,
        narratives: Mapping[str, str] | None,
    ) -> None:
        self._source = source
        self._kind = kind
        self._source_form = source_form
        self._form = form
        self._is_lossy = is_lossy
        self._narratives = narratives
        self._places: dict[str, str] = {}
        self.losses: list[Loss] = []
        self.num_records = 0

    def texts(self, warnings: list[Finding] | None) -> Iterator[tuple[str, str]]:
        """Yields topic ids with the records' texts in the new form.

        Raises:
            _RefusedError: at the end, if something is lost and that is not allowed.
            InputError: the source has errors, or nothing is left of it.
        """
        has_losses = False
        for record in self._records(warnings):
            filled = record if self._narratives is None else self._filled(record, warnings)
            held = writing.rewrite(self._kind, self._form, filled)
            for found in differences(record, held, self._source_form):
                self.losses.append(self._loss(record, found))
                has_losses = has_losses or not found.is_added
            if held.text is not None:
                self.num_records += 1
                if self._is_lossy or not has_losses:
                    yield record.topic_id, held.text
        if has_losses and not self._is_lossy:
            raise _RefusedError
        if not self.num_records:
            message = f"nothing of it can be written in the form {self._form!r}"
            raise self._source.error("nothing_left", message, hint="choose another form")

    def _records(self, warnings: list[Finding] | None) -> Iterable[Any]:
        form = self._source_form or None
        if self._kind == "runs":
            return formats.read_run(self._source, form, warnings)
        read = formats.read_nuggets if self._kind == "nuggets" else formats.read_requests
        return read(self._source, form, warnings, self._places)

    def _filled(self, report: Report, warnings: list[Finding] | None) -> Report:
        """Returns a report with the narrative of its request."""
        narrative = (self._narratives or {}).get(report.topic_id)
        if narrative is not None:
            return report._replace(metadata={"narrative": narrative, **report.metadata})
        if warnings is not None:
            place = (self._source.name, report.line, "", report.topic_id)
            message = f"the topic {shorten(report.topic_id)} is not requested, and has no narrative"
            hint = "correct the topic, or name its requests"
            warnings.append(Finding("new_topics", message, hint, *place, Severity.WARNING))
        return report

    def _loss(self, record: Any, found: Difference) -> Loss:
        file, line = self._source.name, getattr(record, "line", None)
        if record.topic_id in self._places:
            file, line = _place(self._places[record.topic_id])
        finding = Finding(
            "added" if found.is_added else "lossy",
            found.message,
            found.hint or ("" if found.is_added else HINT),
            file,
            line,
            found.path,
            record.topic_id,
            Severity.WARNING if found.is_added else Severity.ERROR,
            sentence=found.sentence,
        )
        return Loss(found.what, found.nugget_id, finding)


def _place(place: str) -> tuple[str, int | None]:
    """Returns file and line of a place as the readers note it."""
    file, colon, line = place.rpartition(":")
    return (file, int(line)) if colon and line.isdecimal() else (place, None)


# --- A directory with a file per topic, which is whole or absent ---


def write_folder(folder: Path, texts: Iterable[tuple[str, str]]) -> None:
    """Writes a JSON file per topic into a new or empty directory, all of them or none.

    Args:
        texts: topic ids with their files' content.

    Raises:
        UsageError: there are other files in the directory.
        MissingResourceError: it cannot be written.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(
            f"-o: the directory {folder} is not empty, and all files in it would be read together; "
            "name a new one"
        )
    names = FileNames()
    part: Path | None = None
    try:
        part = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".argue-eval-"))
        for topic_id, text in texts:
            part.joinpath(f"{names.unique(topic_id)}.json").write_bytes(f"{text}\n".encode())
        part.chmod(0o755)
        part.replace(folder)
    except OSError as exc:
        raise MissingResourceError(f"{folder}: cannot be written: {exc.strerror}") from exc
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)


class FileNames:
    """Gives every topic a file name of its own, also where names differ by case alone."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unique(self, topic_id: str) -> str:
        """Returns a name of letters, digits, ``.``, ``_`` and ``-``, without an ending.

        >>> names = FileNames()
        >>> [names.unique(each) for each in ("../a", "A", "a-2", "тема", "")]
        ['a', 'A-2', 'a-2-2', 'topic', 'topic-2']
        """
        plain = re.sub(r"[^A-Za-z0-9._-]+", "_", topic_id).strip("._-")[:100] or "topic"
        name, number = plain, 2
        while name.lower() in self._taken:
            name, number = f"{plain}-{number}", number + 1
        self._taken.add(name.lower())
        return name
