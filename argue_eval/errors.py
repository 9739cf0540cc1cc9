"""What can go wrong, at a glance; findings, and how messages are worded.

::

    ArgueEvalError                 exit code
    ├── InputError                 1   the input has errors; carries every Finding
    ├── UsageError                 2   an option or argument makes no sense
    └── MissingResourceError       3   a file, a collection or an optional package is missing

Units that are left unjudged raise nothing: the command reports them and ends with 4.

User mistakes are values (`Finding`) or one of these exceptions, never an assertion and never a
traceback. A judge that fails gives a reply without a verdict (`argue_eval.records.Reply`).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

EXIT_OK = 0
EXIT_INPUT = 1
EXIT_USAGE = 2
EXIT_MISSING = 3
EXIT_UNJUDGED = 4

MAX_LISTED = 2000
"""Findings of one code that are kept; of further ones, only the number is known."""

T = TypeVar("T")

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Severity(str, Enum):
    """How bad a finding is: an error stops the command, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Finding(NamedTuple):
    """One problem in one place of one input file.

    Attributes:
        code: stable and machine-readable, such as ``duplicate_key``.
        message: what was found and what was expected.
        hint: what to do about it.
        file: the file's name as the user gave it, ``-`` for standard input.
        line: 1-based line, or None where a file has no lines (a directory, a broken archive).
        path: JSON path inside the line or document, such as ``$.responses[3].citations``.
        expected: what would have been right, where the message does not say so in full.
        sentence: 0-based index of the sentence in its report, if it is about one.
    """

    code: str
    message: str
    hint: str = ""
    file: str = ""
    line: int | None = None
    path: str = ""
    topic_id: str = ""
    severity: Severity = Severity.ERROR
    expected: str = ""
    sentence: int | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        head = f"{place}: " if place else ""
        path = f"at {self.path}: " if self.path and self.path != "$" else ""
        text = plain(f"{head}{self.severity.value} [{self.code}] {path}{self.message}")
        return text + (f"\n    fix: {plain(self.hint)}" if self.hint else "")


class Findings:
    """The collector of findings, for everything that reads or checks input.

    Attributes:
        file: the file of a finding that names no other.
        listed: the findings that are kept, in the order in which they were added.
        counts: how often each code was found, by severity and code; all are counted, also those
            that are not listed.
    """

    def __init__(
        self,
        file: str = "",
        *,
        places: Mapping[str, str] = _NOTHING,
        severities: Mapping[str, Severity | None] = _NOTHING,
        listed: list[Finding] | None = None,
        max_listed: int = MAX_LISTED,
    ) -> None:
        """Starts with no findings.

        Args:
            places: where each topic stands, ``file:line``; a finding about a topic that names no
                file is located there.
            severities: the severity of a code, whatever it was added with; None ignores the code.
            listed: the list to add to, for callers that collect from several files.
            max_listed: of one code and severity, no more are listed.
        """
        self.file = file
        self.listed: list[Finding] = [] if listed is None else listed
        self.counts: Counter[tuple[Severity, str]] = Counter()
        self._places = places
        self._severities = severities
        self._max_listed = max_listed
        self._summed: dict[tuple[Severity, str], tuple[int, dict[str, None]]] = {}

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    def error(
        self,
        code: str,
        message: str,
        hint: str = "",
        *,
        file: str = "",
        line: int | None = None,
        path: str = "",
        topic_id: str = "",
    ) -> None:
        """Adds an error."""
        file, line = (file, line) if file else self.place(topic_id, line)
        self.add(Finding(code, message, hint, file, line, path, topic_id))

    def warn(
        self,
        code: str,
        message: str,
        hint: str = "",
        *,
        file: str = "",
        line: int | None = None,
        path: str = "",
        topic_id: str = "",
        once: bool = False,
    ) -> None:
        """Adds a warning. One that is given `once` stands for all further ones of its code."""
        file, line = (file, line) if file else self.place(topic_id, line)
        self.add(
            Finding(code, message, hint, file, line, path, topic_id, Severity.WARNING), once=once
        )

    def add(self, *findings: Finding, once: bool = False) -> None:
        """Adds findings that are located already."""
        for finding in findings:
            severity = self._severities.get(finding.code, finding.severity)
            if severity is None:
                continue
            key = severity, finding.code
            self.counts[key] += 1
            if once:
                _, topics = self._summed.setdefault(key, (len(self.listed), {}))
                topics.update(dict.fromkeys([finding.topic_id] if finding.topic_id else ()))
            if self.counts[key] <= (1 if once else self._max_listed):
                is_same = severity is finding.severity
                self.listed.append(finding if is_same else finding._replace(severity=severity))

    def place(self, topic_id: str, line: int | None = None) -> tuple[str, int | None]:
        """The file and the line where a topic stands, or the collector's own file."""
        where = self._places.get(topic_id, "")
        file, colon, number = where.rpartition(":")
        if colon and number.isdigit():
            return file, int(number)
        return where or self.file, line

    def clear(self) -> None:
        """Forgets all findings."""
        self.listed.clear()
        self.counts.clear()
        self._summed.clear()

    def sum_up(self) -> None:
        """Says in the list how many findings of a code it leaves out. Counting then starts anew."""
        self.sum_up_once()
        for (severity, code), number in self.counts.items():
            if number > self._max_listed:
                more = f"{number - self._max_listed:,} more {severity.value}s"
                message = f"{more} of this kind are not listed"
                self.listed.append(Finding(code, message, file=self.file, severity=severity))
        self.counts.clear()

    def sum_up_once(self) -> None:
        """Says how many findings stand behind each that was added `once`, and counts it as one."""
        for key, (first, topics) in self._summed.items():
            if self.counts[key] > 1:
                where = f", in topics {some([*topics])}" if len(topics) > 1 else ""
                more = f"(and {self.counts[key] - 1:,} more like this{where})"
                found = self.listed[first]
                self.listed[first] = found._replace(message=f"{found.message} {more}")
            self.counts[key] = 1
        self._summed.clear()

    def raise_errors(self) -> None:
        """Ends here if there are errors.

        Raises:
            InputError: it has all listed errors.
        """
        if errors := [each for each in self.listed if each.severity is Severity.ERROR]:
            raise InputError(errors)


class ArgueEvalError(Exception):
    """Base of every error that argue-eval raises on purpose."""

    exit_code = EXIT_INPUT


class InputError(ArgueEvalError):
    """The input has errors. All that were found are in `findings`, in input order."""

    def __init__(self, findings: Finding | Sequence[Finding]) -> None:
        self.findings: tuple[Finding, ...] = (
            (findings,) if isinstance(findings, Finding) else tuple(findings)
        )
        super().__init__("\n".join(str(finding) for finding in self.findings))

    def __reduce__(self) -> "tuple[type[InputError], tuple[Sequence[Finding]]]":
        return InputError, (self.findings,)  # so that it travels between processes


class UsageError(ArgueEvalError):
    """An option or argument makes no sense."""

    exit_code = EXIT_USAGE


class MissingResourceError(ArgueEvalError):
    """A file, a collection or an optional package is missing."""

    exit_code = EXIT_MISSING


def unknown_name(kind: str, name: str, choices: Iterable[str]) -> UsageError:
    """The error for a name that is not among the choices, with those that may be meant."""
    known = list(choices)
    guess = did_you_mean(suggested(name, known)) if isinstance(name, str) else ""
    listed = some(sorted(known), 20)
    all_of_them = "; all of them: argue-eval list measures" if kind == "measure" else ""
    return UsageError(f"unknown {kind} {shorten(name)}.{guess} Choices: {listed}{all_of_them}")


def check_names(kind: str, names: Iterable[str], choices: Collection[str]) -> None:
    """Refuses names that are not among the choices.

    Raises:
        UsageError: with those that may be meant.
    """
    for name in names:
        if name not in choices:
            raise unknown_name(kind, name, choices)


def check_range(name: str, found: Any, least: float, most: float) -> None:
    """Refuses what is no number of a range: no whole one, if the least is one.

    Raises:
        UsageError: with the range.
    """
    is_number = isinstance(found, (int, float))
    if not (isinstance(found, (int, type(least))) and least <= found <= most):
        shown = f"{found:,}" if is_number else shorten(found)
        whole = "whole " if isinstance(found, float) and isinstance(least, int) else ""
        message = f"expected a {whole}number from {least:,} to {most:,}, found {shown}"
        raise UsageError(f"{name}: {message}")


def option(name: str, given: T | None, kind: type[T]) -> T:
    """What a caller gave for a record of options; the defaults if that is nothing.

    Raises:
        UsageError: it is something else, such as a dict.
    """
    if given is None:
        return kind()
    if not isinstance(given, kind):
        message = f"{name}: expected {kind.__name__}, found {type(given).__name__}"
        raise UsageError(message)
    return given


def unknown_id(kind: str, name: str, ids: Iterable[str]) -> UsageError:
    """The error for an id that is not among some, of which many may differ in one digit only."""
    known = sorted(ids)
    near = likely(name, known)
    guess = did_you_mean([near] if near else [])
    return UsageError(f"unknown {kind} {name!r}.{guess} Choices: {some(known, 20)}")


def did_you_mean(names: Sequence[str]) -> str:
    """A question that starts with a space; nothing without names.

    >>> did_you_mean(["map", "ndcg", "P_10"]), did_you_mean([])
    (" Did you mean 'map', 'ndcg' or 'P_10'?", '')
    """
    *first, last = [""] if not names else map(repr, names)
    either = f"{', '.join(first)} or {last}" if first else last
    return f" Did you mean {either}?" if names else ""


def suggested(name: str, choices: Sequence[str], most: int = 3) -> list[str]:
    """The choices that were probably meant: the nearest one, or those that have the name as a word,
    start with it, or have its letters in another order.

    >>> suggested("recall", ["all", "nugget_recall", "recalls"])
    ['recalls']
    >>> suggested("recall", ["all", "nugget_recall", "citation_recall"])
    ['nugget_recall', 'citation_recall']
    >>> suggested("trec", ["csv", "trec_eval"]), suggested("nuggets", ["judges"])
    (['trec_eval'], [])
    >>> suggested("rga", ["rag"]), suggested("gpu", ["cpu", "cuda"])
    (['rag'], [])
    """
    near = nearest(name, choices, VERY_CLOSE)
    word = f"_{name.casefold()}_"
    having = [each for each in choices if not near and word in f"_{each.casefold()}_"]
    near = near or ("" if having else nearest(name, choices))
    low = name.casefold()
    starting = [each for each in choices if low and each.casefold().startswith(low)]
    exchanged = [each for each in choices if sorted(each.casefold()) == sorted(low)]
    return [near] if near else (having or starting or exchanged)[:most]


CLOSE = 0.7
"""How alike a name and the one of our own that was meant are, at least."""

VERY_CLOSE = 0.8
"""How alike ids and keys that other people chose have to be: many differ in one digit only."""

_MAX_COMPARED = 100


def nearest(name: str, choices: Iterable[str], cutoff: float = CLOSE) -> str:
    """The choice that was probably meant, whatever its case; an empty text if none is close enough.

    >>> nearest("citatons", ["text", "citations"], VERY_CLOSE)
    'citations'

    Args:
        cutoff: `CLOSE` for a fixed list of names, `VERY_CLOSE` for ids and keys.
    """
    from difflib import get_close_matches  # many commands never need it

    known = {each.casefold(): each for each in choices if len(each) < _MAX_COMPARED}
    near = get_close_matches(name[:_MAX_COMPARED].casefold(), known, n=1, cutoff=cutoff)
    return known[near[0]] if near else ""


def likely(name: str, ids: Iterable[str]) -> str:
    """The id that was probably meant; an empty text if others are about as close.

    >>> likely("exmaple-1", ["example-1", "other"]), likely("d13", ["d12", "d23"])
    ('example-1', '')
    """
    from difflib import SequenceMatcher, get_close_matches

    known = [each for each in dict.fromkeys(ids) if len(each) < _MAX_COMPARED]
    near = get_close_matches(name[:_MAX_COMPARED], known, n=2, cutoff=VERY_CLOSE)
    far = [1 - SequenceMatcher(None, each, name).ratio() for each in near]
    return near[0] if len(near) == 1 or (near and far[1] >= 2 * far[0]) else ""


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> count(1, "topic"), count(0, "topic"), count(2500, "summary", "summaries")
    ('1 topic', '0 topics', '2,500 summaries')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def some(names: Sequence[object], most: int = 5) -> str:
    """The first few of some names. Those that could be misread are quoted.

    >>> some(["d1", "d 2", 0.5]), some(["a", "b", "c"], most=2)
    ("d1, 'd 2', 0.5", 'a, b, …')
    """
    shown = [_bare(str(name)) for name in names[:most]]
    return ", ".join([*shown, "…"] if len(names) > most else shown)


def _bare(name: str) -> str:
    is_clear = name.isprintable() and len(name) <= _WIDTH and not {*" ,'"} & {*name}
    return name if name and is_clear else shorten(name)


_WIDTH = 60


def shorten(text: object, width: int = _WIDTH) -> str:
    """A value's repr, safe for a terminal and cut to a width.

    >>> shorten("a\\x1b[31mb")
    "'a\\\\x1b[31mb'"
    """
    shown = f"'{plain(text[: 4 * width])}'" if isinstance(text, str) else ascii(text)
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def plain(text: str, kept: str = "") -> str:
    """The text with every character escaped that could control a terminal or break a line.

    >>> plain("a b"), plain("a\\x1b[1m\\n"), plain("a" + chr(0x202E)) == "a" + chr(92) + "u202e"
    ('a b', 'a\\\\x1b[1m\\\\n', True)

    Args:
        kept: characters that stay what they are.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in kept else char.encode("unicode_escape").decode()
        for char in text
    )


def describe(value: Any) -> str:
    """What a JSON value is, in words, for "expected …, found …".

    >>> describe([1, 2]), describe(True), describe("x")
    ('a list of 2', 'true', "the text 'x'")
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {shorten(value)}" if value else "an empty text"
    if isinstance(value, (int, float)):
        # Python refuses to write out numbers of some thousand digits.
        is_huge = isinstance(value, int) and value.bit_length() >= 1000
        return "a huge number" if is_huge else f"the number {shorten(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    keys = ", ".join(shorten(key, 20) for key in list(value)[:5])
    more = ", …" if len(value) > 5 else ""
    return f"an object with the keys {keys}{more}" if value else "an empty object"
