"""Input files, read in bounded memory, and the JSON in them.

What is no plain file is in `streams`, what is wrong with a JSON text in `malformed`: few need them.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from math import inf, isinf
from pathlib import Path
from typing import IO, Any, ClassVar

from argue_eval.errors import Finding, InputError, MissingResourceError, shorten

JSON = (b"{", b"[")
"""What JSON starts with here: an object, or a list."""
STORE = b"SQLite format 3\x00"
"""What a database starts with, as ``score --store`` writes it."""

MAX_LINE_BYTES = 64 << 20
MAX_DOCUMENT_BYTES = 512 << 20
BLOCK_BYTES = 128 << 10  # what is made of a block fits into a cache of the processor
MAX_BLANK_LINES = 1_000_000
MAX_GZIP_RATIO = 200
SMALL_BYTES = 1 << 20
"""So much is decoded by the standard library: to import a faster decoder takes longer."""

MAX_VALUES = 4_000_000
"""In one text, by its commas and brackets. What takes two bytes there can take 200 in memory."""

JsonPath = tuple[str | int, ...]
_MAX_STEP = 60
_BUFFER_BYTES = 256 << 10
_CHECK_WRITER = "check the step that wrote it"

_SAMPLE_BYTES = 1 << 20
_starts_as_json = re.compile(rb"[\[{][^\x00]{0,3}").fullmatch
_SPACED_KEY = re.compile(rb'"[ \t\r\n]+:')


class ForeignError(InputError):
    """The whole file is of another kind: nothing is gained by reading on."""


class Source:
    """One input file, standard input (``-``), or bytes that were already read.

    Attributes:
        name: how messages call it: the path as the user gave it.
        size: of a file that can be read in any order, when it was opened; None for any other.
        ahead: what several processes make of it already, for the reader of its format.
        num_decoded: how many bytes the process has decoded: many are worth an import.
    """

    num_decoded: ClassVar[int] = 0

    def __init__(self, name: str) -> None:
        self.name = name
        self.size: int | None = None
        self.ahead: Iterator[Any] | None = None
        self._is_sampled = False
        self._other_kind: Finding | None = None
        self._is_mixed: bool | None = None
        self._start: bytes | None = None
        self._spool: IO[bytes] | None = None
        self._most_bytes = inf

    @classmethod
    def of_bytes(cls, name: str, content: bytes) -> Source:
        """A source of bytes that were already read."""
        source = cls(name)
        source._spool = io.BytesIO(content)
        return source

    @property
    def stem(self) -> str:
        """The name without folder and endings, by which a run is called that has no id.

        >>> Source("runs/a.b.jsonl.gz").stem, Source("-").stem
        ('a.b', 'stdin')
        """
        base = self.name.replace("\\", "/").rsplit("/", 1)[-1]
        for ending in (".gz", ".jsonl", ".json"):
            base = base.removesuffix(ending)
        return base if base not in ("", "-") else "stdin"

    def error(
        self, code: str, message: str, *, line: int | None = None, path: str = "", hint: str = ""
    ) -> InputError:
        """An error that is located in this source."""
        return InputError(Finding(code, message, hint, self.name, line, path))

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Opens the source for reading, unpacking gzip. Standard input can be opened again.

        Raises:
            MissingResourceError: there is no such file, or it may not or cannot be read.
            InputError: it is a directory, or is named ``.gz`` but is not gzip.
        """
        is_file = self._spool is None and self.name != "-"
        try:
            stream: IO[bytes]
            if is_file:
                stream = Path(self.name).open("rb", buffering=_BUFFER_BYTES)  # noqa: SIM115
            if not is_file or not stream.seekable():
                from argue_eval.formats.jsonl import streams

                self._spool = self._spool or streams.kept(self, stream if is_file else None)
                stream, is_file = streams.view(self._spool), False
        except (OSError, ValueError) as exc:
            from argue_eval.formats.jsonl import streams

            raise streams.unopened(self, exc) from exc
        try:
            with stream:
                packed = stream.read(2) == b"\x1f\x8b"
                if is_file and not packed:
                    self.size = stream.seek(0, io.SEEK_END)
                stream.seek(0)
                if self.name.endswith(".gz") and not packed:
                    message = "the name ends in .gz but the content is not gzip"
                    hint = "rename the file, or pack it with gzip"
                    raise self.error("not_gzip", message, hint=hint)
                if packed:
                    from argue_eval.formats.jsonl import streams

                    self._most_bytes = streams.most_unpacked(stream)
                    yield from streams.unpacked(self, stream)
                else:
                    yield stream
        except OSError as exc:  # while it is read
            reason = exc.strerror or exc
            raise MissingResourceError(f"{self.name}: cannot be read: {reason}") from exc

    def lines(self, max_bytes: int = MAX_LINE_BYTES) -> Iterator[tuple[int, bytes]]:
        """Yields (1-based number, content) of every line that is not blank.

        Args:
            max_bytes: the longest that a line may be.

        Raises:
            InputError: the source is empty, in another encoding, or a line is too long.
        """
        is_empty = True
        with self.open() as stream:
            number = num_blank = 0
            num_left = self._most_bytes
            while raw := stream.readline(max_bytes + 1):
                number += 1
                num_left -= len(raw)
                if len(raw) > max_bytes:
                    raise self.too_long(number, max_bytes)
                if num_left < 0:
                    message = f"the gzip data unpacks to more than {MAX_GZIP_RATIO} times its size"
                    hint = "no text compresses this well: write the file again"
                    raise self.error("gzip_bomb", message, line=number, hint=hint)
                if number == 1 and not _starts_as_json(raw[:4]):
                    self._check_start(raw)
                if raw[0] > 32 or raw.strip():
                    is_empty = False
                    yield number, raw
                    continue
                num_blank += 1
                if num_blank > MAX_BLANK_LINES:
                    message = f"more than {MAX_BLANK_LINES:,} lines are blank"
                    raise self.error("too_large", message, line=number, hint=_CHECK_WRITER)
        if is_empty:
            raise self.error("empty_file", "the file is empty", line=1, hint=_CHECK_WRITER)

    def too_long(self, line: int, max_bytes: int) -> InputError:
        """The error for a line with more bytes than it may have."""
        message = f"the line is longer than {max_bytes >> 20} MiB"
        return self.error("too_large", message, line=line, hint="put one object on each line")

    def blocks(self) -> Iterator[bytes]:
        """Yields blocks of whole lines, blank ones included, about 128 kB each.

        Raises:
            InputError: the source is in another encoding, or a line is too long.
        """
        with self.open() as stream:
            num_left = self._most_bytes
            is_first = True
            while block := stream.read(BLOCK_BYTES):
                rest = stream.readline(MAX_LINE_BYTES + 1)
                last_line = len(block) - block.rfind(b"\n") - 1 + len(rest)
                block += rest
                num_left -= len(block)
                if last_line > MAX_LINE_BYTES or num_left < 0:
                    for _ in self.lines():
                        pass  # until the error is raised, in the line where it is
                if is_first and not _starts_as_json(block[:4]):
                    self._check_start(block)
                yield block
                is_first = False

    def starts_with(self, *starts: bytes) -> bool:
        """Whether it is of a kind, by what it starts with: `JSON`, or `STORE`."""
        if self._start is None:
            with self.open() as stream:
                # A database that is packed, or comes through a pipe, cannot be opened as one.
                self._start = stream.read(len(STORE) if self.size is not None else 1)
        return self._start.startswith(starts)

    def slice(self, start: int, end: int) -> bytes:
        """A part of a file with a `size`."""
        with Path(self.name).open("rb", buffering=0) as stream:
            stream.seek(start)
            return stream.read(end - start)

    def digest(self) -> str:
        """The SHA-256 of the unpacked content, as ``sha256sum`` prints it."""
        from hashlib import sha256

        found = sha256()
        with self.open() as stream:
            while block := stream.read(BLOCK_BYTES):
                found.update(block)
        return found.hexdigest()

    def read(self, max_bytes: int = MAX_DOCUMENT_BYTES) -> bytes:
        """Reads the whole content.

        Args:
            max_bytes: the most that it may be.

        Raises:
            InputError: the source is empty, too large or in another encoding.
        """
        with self.open() as stream:
            raw = stream.read(max_bytes + 1)
        if len(raw) > max_bytes:
            message = f"the file is larger than {max_bytes >> 20} MiB"
            raise self.error("too_large", message, hint="split it by topic")
        if not _starts_as_json(raw[:4]):
            self._check_start(raw)
        if not raw.strip():
            raise self.error("empty_file", "the file is empty", line=1, hint=_CHECK_WRITER)
        return raw

    def _check_start(self, raw: bytes) -> None:
        """Ends here if the file starts as one of another kind does."""
        from argue_eval.formats.jsonl import foreign

        self._refuse(foreign.by_magic(raw[:512], self.name), 1)

    def _refuse(self, found: Finding | None, line: int) -> None:
        """Ends here if the file is of another kind."""
        if found:
            raise ForeignError(found._replace(file=self.name, line=line))

    def decode(self, raw: bytes, line: int = 1) -> Any:
        """The JSON value of a line or document that starts at this line.

        Raises:
            ForeignError: no line is, since the file is of another kind.
            InputError: it is not strict JSON.
        """
        Source.num_decoded += len(raw)
        if len(raw) > MAX_VALUES and sum(map(raw.count, (b",", b"[", b"{"))) > MAX_VALUES:
            message = f"more than {MAX_VALUES:,} values in one JSON text"
            raise self.error("too_large", message, line=line, hint="put one object on each line")
        try:
            value = (decode_plain if Source.num_decoded < SMALL_BYTES else fast_decoder())(raw)
        except (ValueError, RecursionError) as exc:
            value = self._second_look(raw, line, exc)
        # Every key leaves a quote and a colon in the text. With fewer keys than those, one may
        # have been there twice (or a text has a quote and a colon too): then it is looked at.
        num_colons = raw.count(b'":')
        if _SPACED_KEY.search(raw) is not None:
            num_colons += len(_SPACED_KEY.findall(raw))
        is_flat = type(value) is dict and len(value) == num_colons
        if not is_flat and _num_keys(value) != num_colons:
            self._second_look(raw, line)
        return value

    def _second_look(self, raw: bytes, line: int, wrong: Exception | None = None) -> Any:
        """The value of a text that the first decoder refused; checks one for keys that are there
        twice if it did not.
        """
        from argue_eval.formats.jsonl import malformed

        try:
            return malformed.decode(raw, wrong) if wrong else malformed.check_keys(raw)
        except InputError as exc:
            (bad,) = exc.findings
            if bad.code == "encoding":
                raise self.encoding_error(raw, line) from None
            if bad.code in ("json_syntax", "run_together"):
                if not self._is_sampled:
                    from argue_eval.formats.jsonl import foreign

                    self._is_sampled = True
                    with self.open() as stream:
                        start = stream.read(_SAMPLE_BYTES)
                    self._other_kind = foreign.by_content(start, self.name)
                self._refuse(self._other_kind, line)
            found = bad._replace(file=self.name, line=line + (bad.line or 0))
            raise InputError(found) from None

    def encoding_error(self, raw: bytes, line: int) -> InputError:
        """The error for a text that is not UTF-8, or for the file if it has no text that is."""
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as exc:
            line += raw.count(b"\n", 0, exc.start)
            message = f"byte 0x{raw[exc.start]:02x} is not UTF-8, as other lines are"
        if self._is_mixed is None:
            from argue_eval.formats.jsonl import foreign

            found = foreign.by_encoding((each for _, each in self.lines()), self.name)
            self._is_mixed, self._other_kind = found is None, found
        self._refuse(self._other_kind, line)
        return self.error("encoding", message, line=line, hint="write this line again, as UTF-8")

    def document_error(self, value: Any, line: int) -> ForeignError:
        """The error for one document where JSON lines are expected."""
        from argue_eval.formats.jsonl import foreign

        return ForeignError(foreign.document(value, self.name)._replace(file=self.name, line=line))

    def document(self) -> Any:
        """The one JSON value of the source."""
        return self.decode(self.read())


def json_path(path: JsonPath) -> str:
    """A path as people write it.

    >>> json_path(("topics", 3, "nuggets", "a b"))
    "$.topics[3].nuggets['a b']"
    """
    parts = ["$"]
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif step.isidentifier() and len(step) <= _MAX_STEP:
            parts.append(f".{step}")
        else:
            parts.append(f"[{shorten(step)}]")
    return "".join(parts)


def decode_plain(raw: bytes) -> Any:
    """Decodes a JSON text with the standard library. A key may have been there twice.

    Raises:
        ValueError: there may be something wrong with the text.
        RecursionError: it is nested too deeply.
    """
    text = raw.decode("utf-8")
    if "\\u" in text and ("\\ud" in text or "\\uD" in text):
        raise ValueError("perhaps half of a surrogate pair")
    return _decode_plain(text)


def _refused(word: str) -> Any:
    raise ValueError(word)


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise ValueError(digits)
    return number


_decode_plain = json.JSONDecoder(parse_constant=_refused, parse_float=_finite).decode


@cache
def fast_decoder() -> Callable[[bytes], Any]:
    """What decodes much JSON in little time. A key may have been there twice.

    It raises ValueError and RecursionError as `decode_plain` does.
    """
    import msgspec

    return msgspec.json.decode


def _num_keys(value: Any) -> int:
    count = 0
    stack = [value]
    while stack:
        item = stack.pop()
        if type(item) is dict:
            count += len(item)
            item = item.values()
        elif type(item) is not list:
            continue
        for inner in item:
            if type(inner) is dict or type(inner) is list:
                stack.append(inner)
    return count
