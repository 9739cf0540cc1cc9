"""Compares what two versions did: the words of messages may differ, what they say may not."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.unchanged.values import agree, compare_scores

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_HELP = "Usage: argue-eval"
_OPTION = re.compile(r"--[a-z][a-z-]+")
_VALUE = re.compile(
    r"\d[\d,]*(?:\.\d+)?"  # numbers, whose thousands may be separated
    r"|\[[a-z_]+\]|--[a-z][a-z-]+"  # codes, options
    r"|[\w.-]+/[\w./-]+"  # files
    r"|\"[a-z_]+\":|\b(?:null|true|false)\b"  # keys and values of JSON
    r"|(?<!\S)-(?!\S)"  # no value
)

_QUOTED = re.compile(r"'[^']*'")

Outcome = Mapping[str, Any]
"""What a case did: `steps`, each of command, end, stdout and stderr, and `files` by name."""


class Wording(NamedTuple):
    """A text that has other words than before."""

    old: str
    new: str


class Change(NamedTuple):
    """A change that is no matter of words, and is meant.

    Attributes:
        why: the reason.
        case: what the names of its cases match, at their beginning.
        part: what is in the titles of the texts that it changes.
        cut: what it changes in them: is left out of both. None: anything.
        has_values: the form is another: scores are compared, whatever the layout.
        has_order: lines may be in another order.
        codes: the exit codes that may take each other's place.
    """

    why: str
    case: re.Pattern[str]
    part: re.Pattern[str]
    cut: re.Pattern[str] | None
    has_values: bool
    has_order: bool
    codes: str

    def is_of(self, name: str, title: str) -> bool:
        """Returns whether it may change a text of a case."""
        return bool(self.case.match(name) and self.part.search(title))

    def leave_out(self, old: str, new: str) -> tuple[str, str]:
        """Returns both texts without what it changes, and as they are where it changes nothing."""
        if self.has_order:
            return _sorted(old), _sorted(new)
        if self.cut is None:
            return (old, new) if self.has_values and not agree(old, new) else ("", "")
        found = [[match[0] for match in self.cut.finditer(text)] for text in (old, new)]
        if found[0] == found[1]:
            return old, new
        return self.cut.sub("", old), self.cut.sub("", new)


class Part(NamedTuple):
    """What differs in one text of a case's outcome: lines that are gone, marked -, or new, +."""

    title: str
    lines: list[str]


class Comparison(NamedTuple):
    """How a case differs; equal if `parts`, `wordings` and `changes` are empty.

    Attributes:
        scores: how many of its scores are equal, and of which measures others are not.
    """

    parts: list[Part]
    wordings: Counter[Wording]
    changes: Counter[Change]
    scores: Counter[str]

    @property
    def is_equal(self) -> bool:
        """Returns whether nothing differs."""
        return not (self.parts or self.wordings or self.changes)


def read_changes(path: Path) -> list[Change]:
    """Returns the changes that are meant."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["change"]
    return [_change(**each) for each in entries]


def _change(
    why: str,
    case: str = "",
    part: str = "",
    cut: str = "",
    values: bool = False,
    order: bool = False,
    codes: str = "",
) -> Change:
    pattern = re.compile(cut, re.MULTILINE) if cut else None
    return Change(why, re.compile(case), re.compile(part), pattern, values, order, codes)


def compare(name: str, old: Outcome, new: Outcome, changes: list[Change]) -> Comparison:
    """Compares what the case of a name did before and does now."""
    found = Comparison([], Counter(), Counter(), Counter())
    commands = [step[0] for step in max(new["steps"], old["steps"], key=len)]
    commands[: len(new["steps"])] = [step[0] for step in new["steps"]]
    old_texts, new_texts = dict(_texts(old, commands)), dict(_texts(new, commands))
    for title in {**old_texts, **new_texts}:
        before, now = old_texts.get(title), new_texts.get(title)
        if before and now and "runid" in before:
            found.scores.update(compare_scores(before, now))
        if before == now:
            continue
        text = title.partition(". ")[2] or title
        meant = [each for each in changes if now is not None and each.is_of(name, text)]
        if text.endswith(": exit code"):
            meant = [each for each in meant if {before, now} <= set(each.codes)]
            found.changes.update(meant[:1])
            found.parts.extend([] if meant else [Part(title, [f"-{before}", f"+{now}"])])
        else:
            _compare_text(Part(title, []), (before, now), meant, found)
    return found


def _compare_text(
    part: Part, texts: tuple[str | None, str | None], meant: list[Change], found: Comparison
) -> None:
    """Adds how a text differs, without what is meant; what may be anything, where more differs."""
    old, new = (_spread(text or "") for text in texts)
    for change in sorted(meant, key=lambda each: (not each.has_values, each.cut is None)):
        if change.cut is None and not _compare_lines(old, new)[1]:
            continue
        left = change.leave_out(old, new)
        if left != (old, new):
            found.changes[change] += 1
            old, new = left
    wordings, lines = _compare_lines(old, new)
    found.wordings.update(wordings)
    if lines:
        found.parts.append(part._replace(lines=lines))


def _sorted(text: str) -> str:
    return "\n".join(sorted(text.splitlines()))


def _spread(text: str) -> str:
    """Returns JSON with a line for each object, and any other text as it is."""
    if not text.startswith(("{", "[")):
        return text
    spread = text.replace("{", "\n{").replace("},", "}").replace("}", "}\n")
    return "".join(f"{line.strip()}\n" for line in spread.splitlines() if line.strip())


def _texts(outcome: Outcome, commands: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields all that is compared, with titles. Equal commands of a case have a number."""
    for number, (_, *step) in enumerate(outcome["steps"], 1):
        command = commands[number - 1]
        for what, text in zip(("exit code", "stdout", "stderr"), step, strict=True):
            yield f"{number}. {command}: {what}", text
    for name, content in outcome["files"].items():
        yield f"file {name}", content


def _compare_lines(old: str, new: str) -> tuple[list[Wording], list[str]]:
    """Returns how the words of a text differ, and the lines in which more than words does."""
    if _HELP in old:
        before, now = (set(_OPTION.findall(re.sub(r"-\n\s+", "-", text))) for text in (old, new))
        lost = [f"-{option}" for option in sorted(before - now)]
        return [Wording(f"the help {old.splitlines()[0]}", "has other words")], lost
    old_lines, new_lines = old.splitlines(), new.splitlines()
    wordings: list[Wording] = []
    rest: list[str] = []
    if len(old_lines) == len(new_lines):  # to match them takes long, and these are in place
        blocks = [(end, end + 1, end, end + 1) for end in range(len(old_lines))]
    else:
        matcher = SequenceMatcher(None, old_lines, new_lines)
        blocks = [each[1:] for each in matcher.get_opcodes()]
    for start, end, new_start, new_end in blocks:
        gone, come = old_lines[start:end], new_lines[new_start:new_end]
        if gone == come:
            continue
        if len(gone) == len(come):
            pairs = list(zip(gone, come, strict=True))
        else:
            pairs = [(" ".join(gone), " ".join(come))]
        if not (gone and come) or any(
            "\t" in old or _values(old) - _values(new) for old, new in pairs
        ):
            rest += [*(f"-{line}" for line in gone), *(f"+{line}" for line in come)]
        else:
            wordings += [_template(*pair) for pair in pairs if pair[0].split() != pair[1].split()]
    return wordings, rest


def _values(line: str) -> Counter[str]:
    return Counter(value.replace(",", "") for value in _VALUE.findall(line))


def _template(old: str, new: str) -> Wording:
    """Returns a wording with `…` for values, which are the same in many lines but for them."""
    old_text, new_text = (_VALUE.sub("…", _QUOTED.sub("…", text.strip())) for text in (old, new))
    return Wording(old_text, new_text)
