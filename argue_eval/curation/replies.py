"""What a model replied, word for word, in a file that a later run goes on from.

A line per call, added as soon as the reply is there. A call is known by what is asked: the step,
the model, the prompt and the texts; the delimiters between them are random and no part of it.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

from argue_eval.errors import Finding, InputError, MissingResourceError
from argue_eval.formats.jsonl import encode

FORMAT = "argue-eval/replies/1"


class Kept(NamedTuple):
    """A usable reply.

    Attributes:
        text: what the model wrote.
        yes_prob: how probable a yes was, where that was asked and told.
    """

    text: str
    yes_prob: float | None = None


def key_of(step: str, signature: str, *texts: str) -> str:
    """Returns the key of a call: equal for equal questions.

    >>> key_of("filter", "m", "a", "b") == key_of("filter", "m", "ab", "")
    False
    """
    line = json.dumps([step, signature, *texts], ensure_ascii=False)
    return sha256(line.encode("utf-8", "surrogatepass")).hexdigest()


class Replies:
    """The replies of a file, which is made with the first of them. A context manager.

    Raises:
        InputError: the file is another one.
        MissingResourceError: it cannot be read or written.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self._found: dict[str, Kept] = {}
        self._stream: IO[str] | None = None
        if self.path.exists():
            self._read()

    def __enter__(self) -> Replies:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        if self._stream is not None:
            self._stream.close()

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: str) -> Kept | None:
        """Returns the usable reply to a call; None if there is none yet."""
        return self._found.get(key)

    def add(self, key: str, kept: Kept, about: dict[str, Any], reason: str = "") -> None:
        """Adds a reply.

        Args:
            about: what the call was, for people: step, topic, document, model.
            reason: why it cannot be used; it will be asked for again.
        """
        if not reason:
            self._found[key] = kept
        line = {"key": key, **about, "reply": kept.text}
        if kept.yes_prob is not None:
            line["yes_prob"] = kept.yes_prob
        if reason:
            line["unusable"] = reason
        try:
            if self._stream is None:
                self._stream = self._opened()
            self._stream.write(encode(line) + "\n")
            self._stream.flush()
        except OSError as exc:
            raise self._trouble(exc) from exc

    def _opened(self) -> IO[str]:
        is_new = not self.path.exists() or self.path.stat().st_size == 0
        stream = self.path.open("a", encoding="utf-8", errors="surrogatepass", newline="\n")
        if is_new:
            stream.write(encode({"format": FORMAT}) + "\n")
        elif not self._ends_with_line():
            stream.write("\n")  # a line that was cut off: the program was stopped while it wrote
        return stream

    def _ends_with_line(self) -> bool:
        with self.path.open("rb") as stream:
            stream.seek(-1, os.SEEK_END)
            return stream.read(1) == b"\n"

    def _read(self) -> None:
        try:
            with self.path.open(encoding="utf-8", errors="replace") as stream:
                for number, line in enumerate(stream, 1):
                    self._read_line(number, line)
        except OSError as exc:
            raise self._trouble(exc) from exc

    def _read_line(self, number: int, line: str) -> None:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if number == 1 and not (isinstance(value, dict) and value.get("format") == FORMAT):
            message = f"expected a file of replies ({FORMAT!r}), found another"
            hint = "name a file that this command wrote, or one that does not exist yet"
            raise InputError(Finding("unknown_format", message, hint, str(self.path), 1))
        # A line that was cut off when the program was stopped is asked for again.
        if isinstance(value, dict) and isinstance(value.get("key"), str):
            text, prob = value.get("reply"), value.get("yes_prob")
            if isinstance(text, str) and "unusable" not in value:
                self._found[value["key"]] = Kept(text, prob if isinstance(prob, float) else None)

    def _trouble(self, exc: OSError) -> MissingResourceError:
        return MissingResourceError(f"{self.path}: cannot be used: {exc.strerror}")
