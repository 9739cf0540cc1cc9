"""Compares what two versions did, apart from wording that was corrected on purpose."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any, NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_HELP = "Usage: argue-eval"
"""Is in all help texts, whose lines break where the wording has them break."""

_PLACE = re.compile(r"\{([1-9])\}")
_OPEN = re.compile(r"^\{[1-9]\}|\{[1-9]\}$")
"""At its begin or end, a wording would not say where that which varies begins or ends."""

Outcome = Mapping[str, Any]
"""What a case did: `steps`, each of command, end, stdout and stderr, and `files` by name."""


class Wording(NamedTuple):
    """A text that was corrected. `{1}` to `{9}` stand for anything within a line."""

    old: str
    new: str

    def correct(self, text: str) -> tuple[str, int]:
        """Returns a text with this wording corrected, and how often it was found."""
        if not _PLACE.search(self.old):
            return text.replace(self.old, self.new), text.count(self.old)
        pattern = _PLACE.sub(
            r"(?P<p\1>.+?)", re.escape(self.old).replace(r"\{", "{").replace(r"\}", "}")
        )
        return re.subn(pattern, self._filled, text)

    def _filled(self, found: re.Match[str]) -> str:
        return _PLACE.sub(lambda place: found[f"p{place[1]}"], self.new)


class Part(NamedTuple):
    """One text of a case's outcome that differs, with wording corrected in the old one."""

    title: str
    old: str
    new: str

    def diff(self, num_context: int = 2) -> list[str]:
        """Returns the lines of a unified diff, without its head."""
        old, new = (text.splitlines() for text in (self.old, self.new))
        return list(unified_diff(old, new, n=num_context, lineterm=""))[2:]


class Comparison(NamedTuple):
    """How a case differs; equal if there is neither a part nor a used wording."""

    parts: list[Part]
    used: Counter[Wording]


def read_wordings(path: Path) -> list[Wording]:
    """Returns the wording that was corrected."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("wording", [])
    wordings = [Wording(entry["old"], entry["new"]) for entry in entries]
    for wording in wordings:
        places, new_places = (set(_PLACE.findall(text)) for text in wording)
        if not wording.old or not places >= new_places or _OPEN.search(wording.old):
            raise SystemExit(f"{path.name}: this cannot be replaced: {wording.old!r}")
    return wordings


def compare(old: Outcome, new: Outcome, wordings: Sequence[Wording]) -> Comparison:
    """Compares what a case did before and does now."""
    parts: list[Part] = []
    used: Counter[Wording] = Counter()
    old_texts, new_texts = dict(_texts(old)), dict(_texts(new))
    for title in {**old_texts, **new_texts}:
        before, now = old_texts.get(title), new_texts.get(title)
        if before == now:
            continue
        if before is None or now is None:
            parts.append(Part(f"{title}: only {'now' if before is None else 'before'}", "", ""))
            continue
        corrected, found = _corrected(before, wordings)
        is_equal = corrected == now
        if not is_equal and _HELP in before:
            flat, flat_found = _corrected(_flat(before), wordings)
            if flat_found and flat == _flat(now):
                is_equal, found = True, flat_found
        used.update(found)
        if not is_equal:
            parts.append(Part(title, corrected, now))
    return Comparison(parts, used)


def _texts(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Yields all that is compared, with titles. Equal commands of a case have a number."""
    for number, (command, end, stdout, stderr) in enumerate(outcome["steps"], 1):
        yield f"{number}. {command}: exit code", end
        yield f"{number}. {command}: stdout", stdout
        yield f"{number}. {command}: stderr", stderr
    for name, content in outcome["files"].items():
        yield f"file {name}", content


def _corrected(text: str, wordings: Sequence[Wording]) -> tuple[str, Counter[Wording]]:
    used: Counter[Wording] = Counter()
    for wording in wordings:
        text, number = wording.correct(text)
        if number:
            used[wording] = number
    return text, used


def _flat(text: str) -> str:
    return " ".join(text.split())
