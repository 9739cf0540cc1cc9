"""Converts runs, nuggets and report requests between the formats of the tracks.

Every record is written in the new format and read back at once. What is not read back as it was is
lost there, and is reported; nothing can be lost unseen.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval import formats
from argue_eval.errors import (
    Finding,
    Findings,
    InputError,
    MissingResourceError,
    Severity,
    UsageError,
    describe,
    shorten,
    unknown_name,
)
from argue_eval.formats import detection, plugins, tables
from argue_eval.formats.checking import Check, TooManyError, json_items, text_lines
from argue_eval.formats.jsonl import Source, atomic_writer
from argue_eval.formats.losses import Difference, Rewritten, differences
from argue_eval.formats.plugins import WRITTEN_KINDS, Format, Framed, Itemized, Plain
from argue_eval.formats.writing import joined, texts_of
from argue_eval.records import Report, TopicNuggets

__all__ = ["HINT", "Conversion", "FileNames", "Loss", "convert", "detected"]

HINT = "choose another format, or accept the loss: --lossy"
"""What to do about a loss that has no hint of its own."""

_IN_FOLDERS = ("nuggets", "auto_argue")
_WITH_NARRATIVES = ("runs", "rag")


class Loss(NamedTuple):
    """One thing that a format cannot hold (severity error), or that it adds (severity warning).

    Attributes:
        what: its kind, such as ``scores``.
    """

    what: str
    nugget_id: str
    finding: Finding


class Conversion(NamedTuple):
    """What was converted, and what is lost.

    Attributes:
        kind: ``runs``, ``nuggets`` or ``requests``.
        source_format: empty where a kind was forced and no format.
        is_written: False if something would be lost and that was not allowed.
        num_records: how many reports, or topics, are written, or would be.
        text: what is written, if no output was named; else empty.
    """

    kind: str
    source_format: str
    format_name: str
    is_written: bool
    num_records: int
    losses: tuple[Loss, ...]
    additions: tuple[Loss, ...]
    text: str = ""

    def counts(self) -> Counter[str]:
        """How many things of which kind are lost."""
        return Counter(loss.what for loss in self.losses)


class _RefusedError(Exception):
    """Takes back what was written so far."""


def convert(
    path: str,
    format_name: str,
    output: str | None = None,
    *,
    kind: str | None = None,
    source_format: str | None = None,
    requests: str | None = None,
    is_lossy: bool = False,
    warnings: list[Finding] | None = None,
) -> Conversion:
    """Writes a file in another format.

    Args:
        path: a file, a directory of Auto-ARGUE banks, or ``-``.
        format_name: the format to write, such as ``rag``.
        output: a file, which appears when it is complete; for Auto-ARGUE's format also a directory
            (an existing one, or a name that ends in ``/``), which then holds a file per topic.
        kind: what the source holds; detected if None.
        source_format: the source's format; detected if None.
        requests: a file of report requests, whose texts become the narratives of a run in the
            format ``rag``, where it has none.
        is_lossy: write what the format can hold, though something is lost.
        warnings: warnings about the source are added to this.

    Raises:
        InputError: the source has errors, or nothing of it can be written.
        UsageError: there is no such format of this kind, or no such kind; requests are given for
            anything but a run in the format ``rag``.
        MissingResourceError: a file cannot be read or written.
    """
    source = Source(path)
    if kind is None and source_format is None:
        kind = _kind_for(source, format_name)
    kind, source_format = _kind_and_format(source, kind, source_format)
    _check_writable(kind, format_name)
    is_folder = _is_folder(output, kind, format_name)
    narratives = _narratives(requests, kind, format_name)
    work = _Work(source, kind, source_format, format_name, is_lossy, narratives)
    text = ""
    is_written = True
    try:
        texts = work.texts(warnings)
        if is_folder:
            write_folder(Path(str(output)), texts)
        else:
            content = joined(work.target, (each for _, each in texts))
            if output is None:
                text = "".join(content)
            else:
                with atomic_writer(output) as stream:
                    stream.writelines(content)
    except _RefusedError:
        is_written = False
    return Conversion(
        kind=kind,
        source_format=source_format,
        format_name=format_name,
        is_written=is_written,
        num_records=work.num_records,
        losses=tuple(each for each in work.found if each.finding.severity is Severity.ERROR),
        additions=tuple(each for each in work.found if each.finding.severity is Severity.WARNING),
        text=text,
    )


def _kind_for(source: Source, format_name: str) -> str | None:
    """Of the kinds that one file holds, the only one that has the format; None if nothing says."""
    held = formats.kinds_in(source.name)
    found = [
        each for each in WRITTEN_KINDS if each in held and plugins.is_written(each, format_name)
    ]
    return found[0] if len(held) > 1 and len(found) == 1 else None


def _kind_and_format(source: Source, kind: str | None, name: str | None) -> tuple[str, str]:
    if kind is not None and kind not in WRITTEN_KINDS:
        raise unknown_name("--kind", kind, WRITTEN_KINDS)
    if source.name != "-" and Path(source.name).is_dir():
        if kind not in (None, "nuggets"):
            raise UsageError(f"--kind: a directory holds nuggets, found {kind!r}")
        kinds = formats.kinds_in(source.name)
        if kinds and "nuggets" not in kinds:
            found = " and ".join(sorted(kinds))
            message = f"a folder of nuggets can be converted as a whole, found one with {found}"
            raise UsageError(f"{message}: name one file at a time")
        return "nuggets", name or ""
    if kind is None and name:
        kind = next(filter(partial(_is_of_text, name), WRITTEN_KINDS), None)
    if kind is None:
        kind, found = detected(source)
        name = name or found
    if name:
        plugins.load(kind, name)
    return kind, name or ""


def _is_of_text(name: str, kind: str) -> bool:
    """Whether a kind has a format of this name whose files are not JSON: they are not detected."""
    if name not in plugins.all_names(kind):
        return False
    return isinstance(plugins.load(kind, name), (Plain, Itemized))


def detected(source: Source) -> tuple[str, str]:
    """The kind of a file, and in which format it is written.

    Raises:
        InputError: it is nothing that can be written in another format.
    """
    if tables.is_table(source):
        return "requests", "rag_tsv"
    check = Check(source)
    value = next(json_items(check, is_split=True), None)
    if value is None:
        check.finish()
    found = detection.kind_of(value)
    if found is None:
        kinds = "runs, nuggets or requests"
        message = f"this is no known format of {kinds}: found {describe(value)}"
        raise source.error("unknown_format", message, hint="check that this is the right file")
    if found[0] not in WRITTEN_KINDS:
        message = f"expected runs, nuggets or report requests, found {found[0]}"
        hint = "files of this kind have only one format"
        raise source.error("unknown_format", message, hint=hint)
    return found


def _check_writable(kind: str, name: str) -> None:
    if plugins.is_written(kind, name):
        return
    choices = plugins.written(kind)
    others = [each for each in WRITTEN_KINDS if name in plugins.written(each)]
    if others:
        message = f"--to: {name!r} is a format of {' and '.join(others)}; the source holds {kind}"
        raise UsageError(f"{message}, which can be written as {', '.join(choices)}")
    raise unknown_name(f"format of {kind} in --to", name, choices)


def _is_folder(output: str | None, kind: str, name: str) -> bool:
    if output is None or not (output.endswith("/") or Path(output).is_dir()):
        return False
    if (kind, name) != _IN_FOLDERS:
        raise UsageError(f"-o: expected a file, found the directory {output}")
    return True


def _narratives(requests: str | None, kind: str, name: str) -> Mapping[str, str] | None:
    """The narratives by topic; None if they are not asked for."""
    if requests is None:
        return None
    if (kind, name) != _WITH_NARRATIVES:
        message = f"--requests: only a run in the format 'rag' repeats them, not {kind} as {name!r}"
        raise UsageError(message)
    return {each.topic_id: each.narrative for each in formats.read_topics(requests)}


@dataclass
class _Work:
    """Records of one source on their way into another format."""

    source: Source
    kind: str
    source_format: str
    format_name: str
    is_lossy: bool
    narratives: Mapping[str, str] | None

    def __post_init__(self) -> None:
        self.target = plugins.load(self.kind, self.format_name)
        self.found: list[Loss] = []
        self.num_records = 0
        self._places: dict[str, str] = {}

    def texts(self, warnings: list[Finding] | None) -> Iterator[tuple[str, str]]:
        """Yields topic ids with the records' texts in the new format.

        Raises:
            _RefusedError: at the end, if something is lost and that is not allowed.
            InputError: the source has errors, or nothing is left of it.
        """
        has_losses = False
        for record in self._records(warnings):
            filled = record if self.narratives is None else self._filled(record, warnings)
            held = rewrite(self.kind, self.target, filled)
            for found in differences(record, held, self.source_format):
                self.found.append(self._loss(record, found))
                has_losses = has_losses or not found.is_added
            if held.text is not None:
                self.num_records += 1
                if self.is_lossy or not has_losses:
                    yield record.topic_id, held.text
        if has_losses and not self.is_lossy:
            raise _RefusedError
        if not self.num_records:
            message = f"nothing of it can be written in the format {self.format_name!r}"
            raise self.source.error("nothing_left", message, hint="choose another format")

    def _records(self, warnings: list[Finding] | None) -> Iterable[Any]:
        name = self.source_format or None
        if self.kind == "runs":
            return formats.read_run(self.source, name, warnings)
        read = formats.read_nuggets if self.kind == "nuggets" else formats.read_topics
        is_folder = Path(self.source.name).is_dir()
        return read(self.source.name if is_folder else self.source, name, warnings, self._places)

    def _filled(self, report: Report, warnings: list[Finding] | None) -> Report:
        narrative = (self.narratives or {}).get(report.topic_id)
        if narrative is not None:
            return report._replace(metadata={"narrative": narrative, **report.metadata})
        Findings(self.source.name, listed=warnings).warn(
            "new_topics",
            f"the topic {shorten(report.topic_id)} is not requested, and has no narrative",
            "correct the topic, or add its request",
            line=report.line,
            topic_id=report.topic_id,
        )
        return report

    def _loss(self, record: Any, found: Difference) -> Loss:
        places = Findings(self.source.name, places=self._places)
        file, line = places.place(record.topic_id, getattr(record, "line", None))
        finding = Finding(
            code="added" if found.is_added else "lossy",
            message=found.message,
            hint=found.hint or ("" if found.is_added else HINT),
            file=file,
            line=line,
            path=found.path,
            topic_id=record.topic_id,
            severity=Severity.WARNING if found.is_added else Severity.ERROR,
            sentence=found.sentence,
        )
        return Loss(found.what, found.nugget_id, finding)


# --- a record in another format, read back at once ---

_EXTRAS = ("extra", "metadata")


def rewrite(kind: str, target: Format[Any], record: Any) -> Rewritten:
    """Writes a record in a format, and reads it back."""
    if isinstance(record, TopicNuggets):
        return _rewrite_nuggets(target, record)
    reason = target.why_not(record) if isinstance(target, plugins.Selective) else ""
    return Rewritten(None, None, reason) if reason else _read_back(kind, target, record)


def _rewrite_nuggets(target: Format[Any], topic: TopicNuggets) -> Rewritten:
    kept = list(enumerate(topic.nuggets))
    left_out: tuple[tuple[int, str], ...] = ()
    if isinstance(target, plugins.Selective):
        reasons = [(place, target.why_not(nugget)) for place, nugget in kept]
        left_out = tuple((place, reason) for place, reason in reasons if reason)
        kept = [(place, topic.nuggets[place]) for place, reason in reasons if not reason]
    if isinstance(target, plugins.Arranging):
        kept = target.arranged(kept)
    fitting = topic._replace(nuggets=tuple(nugget for _, nugget in kept))
    places = tuple(place for place, _ in kept)
    return _read_back("nuggets", target, fitting)._replace(places=places, left_out=left_out)


def _read_back(kind: str, target: Format[Any], record: Any) -> Rewritten:
    try:
        text, values = _values(target, record)
        if values and not detection.is_detected(kind, values[0], target):
            text, values = _values(target, _without_marks(kind, record))
    except InputError as exc:
        return Rewritten(None, None, exc.findings[0].message)
    except RecursionError:
        return Rewritten(None, None, "its further keys are nested too deeply")
    check = Check(Source(""))
    records: list[Any] = []
    with suppress(TooManyError):  # the first error is the reason
        records += target.read(values, check)
    if check.errors or len(records) != 1:
        reason = check.errors[0].message if check.errors else "it would be read as something else"
        return Rewritten(None, None, reason)
    return Rewritten(text, records[0])


def _values(target: Format[Any], record: Any) -> tuple[str, list[Any]]:
    (text,) = texts_of(target, [record])
    if isinstance(target, Plain):
        return text, list(text_lines(Check(Source.of_bytes("", text.encode()))))
    source = Source("")
    value = source.decode(text.encode())
    if isinstance(target, Framed):
        value = source.decode("".join(joined(target, [text])).encode())
    return text, [value]


def _without_marks(kind: str, record: Any) -> Any:
    mistaken = detection.marks(kind)
    changes = {
        name: {key: each for key, each in getattr(record, name).items() if key not in mistaken}
        for name in _EXTRAS
        if hasattr(record, name)
    }
    return record._replace(**changes)


# --- a directory with a file per topic, which is whole or absent ---


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
        """A name of letters, digits, ``.``, ``_`` and ``-``, without an ending.

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
