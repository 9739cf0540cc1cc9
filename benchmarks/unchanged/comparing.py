"""Compares what two versions did: the words of messages may differ, what they say may not."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher, unified_diff
from pathlib import Path
from typing import Any, NamedTuple

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
        case: how the names of its cases begin.
        part: what is in the titles of the texts that it changes, such as `stderr`.
        why: the reason.
    """

    case: str
    part: str
    why: str


class Part(NamedTuple):
    """One text of a case's outcome that differs."""

    title: str
    old: str
    new: str

    def diff(self, num_context: int = 2) -> list[str]:
        """Returns the lines of a unified diff, without its head."""
        old, new = (text.splitlines() for text in (self.old, self.new))
        return list(unified_diff(old, new, n=num_context, lineterm=""))[2:]


class Comparison(NamedTuple):
    """How a case differs; equal if all are empty."""

    parts: list[Part]
    wordings: Counter[Wording]
    changes: Counter[Change]


def read_changes(path: Path) -> list[Change]:
    """Returns the changes that are meant."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["change"]
    return [Change(each["case"], each.get("part", ""), each["why"]) for each in entries]


def compare(name: str, old: Outcome, new: Outcome, changes: list[Change]) -> Comparison:
    """Compares what the case of a name did before and does now."""
    found = Comparison([], Counter(), Counter())
    old_texts, new_texts = dict(_texts(old)), dict(_texts(new))
    for title in {**old_texts, **new_texts}:
        before, now = old_texts.get(title), new_texts.get(title)
        if before == now:
            continue
        text = title.partition(". ")[2] or title
        meant = [each for each in changes if name.startswith(each.case) and each.part in text]
        if before is None or now is None:
            wordings = None
            before, now = before or "", now or ""
        else:
            wordings = _wordings(before, now)
        if wordings is not None:
            found.wordings.update(wordings)
        elif meant:
            found.changes[meant[0]] += 1
        else:
            found.parts.append(Part(title, before, now))
    return found


def _texts(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Yields all that is compared, with titles. Equal commands of a case have a number."""
    for number, (command, end, stdout, stderr) in enumerate(outcome["steps"], 1):
        yield f"{number}. {command}: exit code", end
        yield f"{number}. {command}: stdout", stdout
        yield f"{number}. {command}: stderr", stderr
    for name, content in outcome["files"].items():
        yield f"file {name}", content


def _wordings(old: str, new: str) -> list[Wording] | None:
    """Returns how the words of a text differ; None if more than words does."""
    if _HELP in old:
        kept = set(_OPTION.findall(old)) <= set(_OPTION.findall(new))
        return [Wording(f"the help {old.splitlines()[0]}", "has other words")] if kept else None
    old_lines, new_lines = old.splitlines(), new.splitlines()
    wordings = []
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
        elif gone and come:
            pairs = [(" ".join(gone), " ".join(come))]
        else:
            return None
        for before, now in pairs:
            if "\t" in before or _values(before) - _values(now):
                return None
            if before.split() != now.split():
                wordings.append(_template(before, now))
    return wordings


def _values(line: str) -> Counter[str]:
    return Counter(value.replace(",", "") for value in _VALUE.findall(line))


def _template(old: str, new: str) -> Wording:
    """Returns a wording with `…` for values, which are the same in many lines but for them."""
    old_text, new_text = (_VALUE.sub("…", _QUOTED.sub("…", text.strip())) for text in (old, new))
    return Wording(old_text, new_text)
