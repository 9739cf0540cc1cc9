"""The items of one input file, and what is wrong with them, gathered while it is read."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from argue_eval.errors import ArgueEvalError, Finding, Findings, InputError, describe, shorten
from argue_eval.formats.jsonl import JSON, ForeignError, JsonPath, Source, json_path

if TYPE_CHECKING:
    from argue_eval.formats.jsonl.locator import Locator

MAX_FINDINGS = 1000
"""Reading stops after so many errors: the file is of another kind, or broken throughout."""

MAX_WARNINGS = 100
"""So many warnings of one code are listed one by one; of the others, only the number is told."""

MAX_IDS = 1_000_000

MAX_NUMBER = sys.float_info.max
"""JSON has whole numbers of any size; those that are larger do not become a float."""


Explain = Callable[[bytes, InputError], InputError]
"""May replace the error of a malformed text by a better one."""


class TooManyError(ArgueEvalError):
    """Ends the reading of a file that has more errors than anybody will read."""


@dataclass(slots=True, eq=False)
class Check:
    """Where reading stands in one source, and what was found so far.

    Attributes:
        warnings: what is warned of is added to this.
        topics: where each topic was first seen.
        repeated: what every line about a topic must repeat, in formats whose lines do; of all
            files that are read together.
        line: of the item at hand; None if the file is one JSON document.
        base: the JSON path of the item at hand.
        document: the whole JSON text, if the file is one document.
        errors: all of them; reading stops after `MAX_FINDINGS`.
        ids: ids that were seen and found good, so that each is looked at only once.
    """

    source: Source
    warnings: list[Finding] | None = None
    topics: dict[str, str] = field(default_factory=dict)
    line: int | None = None
    base: JsonPath = ()
    document: bytes | None = None
    errors: list[Finding] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    repeated: dict[str, Any] = field(default_factory=dict)
    _warned: Findings | None = None  # most files have none
    _locator: Locator | None = None

    def here(self, path: JsonPath = ()) -> int | None:
        """The line of the item at hand, or of a value in it."""
        if self.document is None:
            return self.line
        if self._locator is None:
            from argue_eval.formats.jsonl.locator import Locator

            self._locator = Locator(self.document)
        return self._locator.line(self.base + path)

    def error(
        self, code: str, message: str, path: JsonPath = (), *, hint: str = "", topic_id: str = ""
    ) -> None:
        """Notes an error at a path in the item at hand."""
        where = json_path(self.base + path)
        self.add(Finding(code, message, hint, self.source.name, self.here(path), where, topic_id))

    def add(self, *findings: Finding) -> None:
        """Notes errors that are already located."""
        for finding in findings:
            if len(self.errors) >= MAX_FINDINGS:
                raise TooManyError
            self.errors.append(finding)

    def warn(
        self,
        code: str,
        message: str,
        path: JsonPath = (),
        *,
        hint: str = "",
        line: int | None = None,
        once: bool = False,
    ) -> None:
        """Notes a warning. One that is given `once` stands for all further ones of its code."""
        line, where = line or self.here(path), json_path(self.base + path)
        if self._warned is None:
            name = self.source.name
            self._warned = Findings(name, listed=self.warnings, max_listed=MAX_WARNINGS)
        self._warned.warn(code, message, hint, line=line, path=where, once=once)

    @contextmanager
    def finishing(self, collected: list[Finding] | None = None) -> Iterator[None]:
        """Completes what is read inside, however reading ends there, as `finish` does."""
        try:
            yield
        except InputError as exc:
            self.errors.extend(exc.findings)
        except TooManyError:
            self.note_cut("file")
        if self.errors or self._warned is not None:
            self.finish(collected)

    def finish(self, collected: list[Finding] | None = None) -> None:
        """Completes the list of warnings, and raises what was found wrong.

        Args:
            collected: errors are added to this instead.

        Raises:
            InputError: there are errors; it has them all.
        """
        if self._warned is not None:
            self._warned.sum_up()
        if collected is not None:
            collected += self.errors
        elif self.errors:
            raise InputError(self.errors)

    def note_cut(self, what: str) -> None:
        """Notes that there are too many errors in a file, or in a line of one, to read it on."""
        message = f"more than {MAX_FINDINGS:,} errors; the rest of the {what} was not read"
        hint = "correct these first, or check that this is the right file"
        line = self.line if what == "line" else None
        self.errors.append(Finding("too_many_errors", message, hint, self.source.name, line))

    def new_topic(self, topic_id: str, path: JsonPath, hint: str = "keep one of the two") -> None:
        """Notes an error if the topic was seen before. An empty id is none: it is wrong already."""
        if not topic_id:
            return
        line = self.line or self.here(path)
        place = self.source.name if line is None else f"{self.source.name}:{line}"
        first = self.topics.setdefault(topic_id, place)
        if first is not place:
            message = f"the topic {shorten(topic_id)} occurs again; it was first at {first}"
            if not first.startswith(f"{self.source.name}:"):
                hint = "name one of the two files only, or take the topic out of one"
            self.error("duplicate_topic", message, path, hint=hint, topic_id=topic_id)

    def wrong_type(self, expected: str, value: Any, path: JsonPath, hint: str = "") -> None:
        """Notes that a value is not of the type that the format asks for."""
        self.error("wrong_type", f"expected {expected}, found {describe(value)}", path, hint=hint)

    def are_good(self, ids: set[str]) -> bool:
        """Whether there is nothing to say about any of some ids; these are remembered."""
        new = ids - self.ids
        if not new:
            return True
        if "" in new or new != set(map(str.strip, new)) or not "".join(new).isprintable():
            return False
        if len(self.ids) + len(new) > MAX_IDS:
            self.ids.clear()
        self.ids |= new
        return True

    def identifier(self, value: Any, path: JsonPath, *, or_number: bool = False) -> str:
        """An id as it stands in the file; notes an error if it can't be one."""
        if type(value) is int and or_number:
            return str(value)
        if type(value) is not str:
            hint = f'put it in quotes: "{shorten(value)}"' if type(value) is int else ""
            self.wrong_type("an id in quotes", value, path, hint)
            return ""
        if value in self.ids:
            return value
        if not value.strip():
            hint = "write the id, or leave the whole entry out"
            self.error("empty_id", f"expected an id, found {describe(value)}", path, hint=hint)
            return value
        if not value.isprintable():
            hint = "remove tabs, line breaks and other invisible characters from the id"
            message = f"the id {shorten(value)} has a character that is not printable"
            self.error("bad_id", message, path, hint=hint)
            return value
        if value.strip() != value:
            message = f"the id {shorten(value)} starts or ends with white space"
            self.warn("id_whitespace", message, path, hint="ids are compared as they are")
        if len(self.ids) >= MAX_IDS:
            self.ids.clear()
        self.ids.add(value)
        return value


# --- The items of a file: its lines or rows, the elements of its one list, or its one document ---


def json_items(
    check: Check,
    lines: Iterable[tuple[int, bytes]] | None = None,
    *,
    is_split: bool = False,
    explain: Explain | None = None,
) -> Iterator[Any]:
    """Yields the JSON values of a source; `check` knows where the value at hand stands.

    The rows of a table of requests, nuggets or assessments, with a header, are objects of texts. A
    file whose first line is a complete JSON value is read line by line in bounded memory. A line
    that is malformed is noted, and the next one is read.

    Args:
        lines: numbered lines of the source, each a value; None for the whole source, whatever it
            has in it.
        is_split: read objects that stand on one line (and warn), rather than note an error.
        explain: where a malformed text may have a better error.
    """
    start: list[tuple[int, bytes]] = []
    if lines is None:
        is_json = check.source.starts_with(*JSON)
        if not is_json:
            from argue_eval.formats import tables

            if tables.has_header(check.source):
                yield from tables.items(check)
                return
        rest = check.source.lines()
        start.append(next(rest))
        raw = start[0][1]
        is_object = raw[:1] == b"{" and raw.rstrip()[-1:] == b"}"
        others = None
        if not is_json and tables.is_of_assessments(raw):
            others = tables.assessments(check, chain(start, rest))
        elif not is_object or raw.count(b"{") != raw.count(b"}"):
            others = _as_document(check, start, rest, explain)
        if others is not None:
            yield from others
            return
        lines = chain(start, rest)
    decode = check.source.decode
    for number, raw in lines:
        check.line = number
        try:
            value = decode(raw, number)
        except ForeignError:
            raise
        except InputError as wrong:
            if wrong.findings[0].code == "json_truncated" and [(number, raw)] == start:
                # A brace in a text closes the first line of a document.
                check.line = None
                others = _as_document(check, start, rest, explain)
                if others is not None:
                    yield from others
                    return
                check.line = number
            if is_split and wrong.findings[0].code == "run_together":
                yield from _split(check, number, raw)
            else:
                check.add(*(explain(raw, wrong) if explain else wrong).findings)
            continue
        yield value


def _as_document(
    check: Check,
    start: list[tuple[int, bytes]],
    rest: Iterator[tuple[int, bytes]],
    explain: Explain | None,
) -> Iterator[Any] | None:
    """The items of a file that is one JSON document; None if it is JSON lines.

    Args:
        start: the first line; the second is added if it is looked at.
    """
    number, raw = start[0]
    try:
        value = check.source.decode(raw, number)
    except ForeignError:
        raise
    except InputError as exc:
        start += islice(rest, 1 if exc.findings[0].code == "json_truncated" else 0)
        if len(start) == 1:
            return None
    else:
        start += islice(rest, 1 if type(value) is list else 0)
        is_list = type(value) is list and len(start) == 1
        return _elements(check, value, b"\n" * (number - 1) + raw) if is_list else None
    raw = b""
    try:
        raw = check.source.read()
        value = check.source.decode(raw)
    except ForeignError:
        raise
    except InputError as exc:
        with suppress(InputError):
            if type(check.source.decode(start[1][1])) is dict:
                return None
        check.add(*(explain(raw, exc) if explain else exc).findings)
        return iter(())
    if type(value) is list:
        return _elements(check, value, raw)
    check.document = raw
    return iter([value])


def _split(check: Check, number: int, raw: bytes) -> Iterator[Any]:
    text = raw.decode("utf-8").rstrip()
    decoder = json.JSONDecoder()
    at = 0
    parts: list[bytes] = []
    while at < len(text):
        start = at
        try:
            _, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = len(text)
        parts.append(text[start:at].encode())
        at += len(text[at:]) - len(text[at:].lstrip())
    message = f"{len(parts)} JSON objects run together on one line"
    check.warn("run_together", message, hint="put each object on a line of its own", once=True)
    for part in parts:
        try:
            value = check.source.decode(part, number)
        except InputError as exc:
            check.add(*exc.findings)
            return
        yield value


def _elements(check: Check, values: list[Any], raw: bytes) -> Iterator[Any]:
    check.document = raw
    if not values:
        check.error("empty_file", "the list is empty", hint="check the step that wrote it")
    for index, value in enumerate(values):
        check.base = (index,)
        yield value
    check.base = ()


def first_item(source: Source, *, is_split: bool = False) -> Any:
    """The first item of a file; None if there is none, or its start is malformed."""
    with suppress(InputError):
        return next(json_items(Check(source), is_split=is_split), None)
    return None


def text_lines(check: Check) -> Iterator[str]:
    """Yields the lines of a text file without their ends; notes an error for other encodings."""
    for number, raw in check.source.lines():
        check.line = number
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            check.add(*check.source.encoding_error(raw, number).findings)
            continue
        if "\x00" in line:
            hint = "the file is damaged or not text: write it again"
            check.error("null_byte", "the line has a null byte", hint=hint)
            continue
        yield line.rstrip("\r\n")


# --- Typed access to the keys of one JSON object, with an error for whatever does not fit ---


T = TypeVar("T")

MISSING: Any = object()
"""What `Fields.take` returns for a key that is absent."""


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """A key whose value is one of a few words.

    Attributes:
        words: what each stands for.
        code: of the error for anything else; `expected`: how its message calls the words.
    """

    words: Mapping[str, T]
    default: T
    code: str = "bad_value"
    expected: str = ""
    hint: str = ""


@dataclass(slots=True)
class Fields:
    """One JSON object from which keys are taken one by one; what is left is kept as `extra`.

    A method that takes a key notes an error if the value does not fit, and returns a value of the
    right type all the same, so that one pass finds every error. A key that may be absent may
    be null too. Of several names for one key, the first that the object has is taken.

    Attributes:
        rest: the keys that nobody has taken: an object of its own.
        path: of the object in the item at hand.
    """

    check: Check
    rest: dict[str, Any]
    path: JsonPath = ()

    def take(
        self, *names: str, required: bool = True, of: type | None = None
    ) -> tuple[Any, JsonPath]:
        """A value and its path; a value that is absent is `MISSING`.

        Args:
            of: a list, or a dict for an object: for anything else, an error is noted.
        """
        for name in names:
            if name in self.rest:
                value, path = self.rest.pop(name), (*self.path, name)
                if value is None and not required:
                    return MISSING, self.path
                if of is not None and type(value) is not of:
                    hint = "put it in square brackets" if of is list and type(value) is str else ""
                    what = "a list" if of is list else "an object"
                    self.check.wrong_type(what, value, path, hint)
                    return MISSING, path
                return value, path
        if required:
            self.missing(*names)
        return MISSING, self.path

    def missing(self, *names: str) -> None:
        """Notes that a key is missing."""
        from argue_eval.formats.detection import meant

        name, others = names[0], ", ".join(map(repr, names[1:]))
        near = meant(name, self.rest)
        hint = f"if {shorten(near)} is meant, rename it to {name!r}" if near else "add it"
        self.check.error(
            "missing_key",
            f"the key {name!r}{others and f' (or {others})'} is missing",
            self.path,
            hint=hint,
        )

    def identifier(self, *names: str, required: bool = True, or_number: bool = False) -> str:
        """An id; an empty text if it is absent."""
        value, path = self.take(*names, required=required)
        if value is MISSING:
            return ""
        return self.check.identifier(value, path, or_number=or_number)

    def own_identifier(self, name: str, seen: set[str], what: str) -> str:
        """The id of a nugget; notes an error if it was seen before, unless it is wrong already.

        Args:
            what: to which two things it is given, such as "the topic has two nuggets".
        """
        found = self.identifier(name)
        if found and found in seen:
            hint = "give each an id of its own"
            message = f"{what} {shorten(found)}"
            self.check.error("duplicate_nugget", message, self.path, hint=hint)
        seen.add(found)
        return found

    def text(self, *names: str, required: bool = True, blank: bool = True) -> str:
        """Text; an empty one if it is absent. It may be `blank`, or not."""
        value, path = self.take(*names, required=required)
        if value is MISSING:
            return ""
        if type(value) is not str:
            hint = f'put it in quotes: "{shorten(value)}"' if type(value) is int else ""
            self.check.wrong_type("text", value, path, hint)
            return ""
        if not blank and not value.strip():
            found = "an empty text" if not value else "white space"
            self.check.error("blank_text", f"expected text, found {found}", path)
        return value

    def whole(self, name: str, least: int = 0) -> int | None:
        """A whole number; None if it is absent."""
        value, path = self.take(name, required=False)
        if value is MISSING:
            return None
        if type(value) is not int:
            self.check.wrong_type("a whole number", value, path)
        elif value < least:
            self.check.error(
                "out_of_range", f"expected {least} or more, found {describe(value)}", path
            )
        else:
            return value
        return None

    def number(self, name: str, least: float, most: float) -> float | None:
        """A number in a range; None if it is absent."""
        value, path = self.take(name, required=False)
        if value is MISSING:
            return None
        if type(value) not in (int, float):
            self.check.wrong_type("a number", value, path)
        elif not least <= value <= min(most, MAX_NUMBER):
            message = f"expected a number from {least:g} to {most:g}, found {describe(value)}"
            self.check.error("out_of_range", message, path)
        else:
            return float(value)
        return None

    def choice(self, choice: Choice[T], *names: str) -> T:
        """What a word stands for; the default if the key is absent, or the word is none of them."""
        value, path = self.take(*names, required=False)
        if type(value) is str and value in choice.words:
            return choice.words[value]
        if value is not MISSING:
            words = choice.expected or f"one of {', '.join(map(repr, choice.words))}"
            message = f"expected {words}, found {describe(value)}"
            meant = value.upper() if type(value) is str and value.upper() in choice.words else ""
            hint = f"write {meant!r}" if meant else choice.hint
            self.check.error(choice.code, message, path, hint=hint)
        return choice.default

    def items(self, *names: str, required: bool = True) -> Iterator[tuple[Any, JsonPath]]:
        """Yields the values of a list with their paths."""
        value, path = self.take(*names, required=required, of=list)
        for index, item in enumerate(value if value is not MISSING else ()):
            yield item, (*path, index)

    def objects(self, *names: str, required: bool = True) -> Iterator[Fields]:
        """Yields the objects of a list."""
        for item, path in self.items(*names, required=required):
            if fields := as_fields(self.check, item, path):
                yield fields

    def identifiers(self, *names: str, required: bool = True) -> tuple[str, ...]:
        """The ids of a list."""
        listed = self.items(*names, required=required)
        return tuple([self.check.identifier(*each) for each in listed])

    def object(self, *names: str, required: bool = True) -> Fields | None:
        """An object; None if it is absent or something else."""
        value, path = self.take(*names, required=required, of=dict)
        return None if value is MISSING else Fields(self.check, {**value}, path)


def as_fields(check: Check, value: Any, path: JsonPath = ()) -> Fields | None:
    """The value as fields; notes an error and returns None if it is not an object."""
    if type(value) is dict:
        return Fields(check, {**value}, path)
    check.wrong_type("an object", value, path)
    return None


def each_object(check: Check, values: Iterable[Any]) -> Iterator[Fields]:
    """Yields the items of a file as fields; notes an error for each that is not an object."""
    for value in values:
        if fields := as_fields(check, value):
            yield fields
