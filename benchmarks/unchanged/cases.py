"""The cases of `cases.txt`: command lines, as this version and as the earlier one has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from benchmarks.unchanged.inputs import MISTAKES, REAL, broken_name
from tests.formats import broken_files

_FILE = Path(__file__).with_name("cases.txt")
_CHOICE = re.compile(r"\[(.*?)\]")
_JUDGED_ONLY = " --judged-only"
"""What versions with the command `nuggets` did wherever judgments are missing."""


class Case(NamedTuple):
    """Commands that run one after the other in the same folder."""

    name: str
    commands: tuple[str, ...]

    @property
    def needs_data(self) -> bool:
        """Returns whether the case reads data that is not in the repository."""
        words = " ".join(self.commands).split()
        return any(word.partition("/")[0] in REAL for word in words if "/" in word)

    @property
    def earlier(self) -> tuple[str, ...]:
        """Returns the commands as versions with the command `nuggets` have them."""
        return tuple(
            re.sub("^curate", "nuggets", each).replace(_JUDGED_ONLY, "") for each in self.commands
        )


def all_cases() -> list[Case]:
    """Returns all cases. Their names are unique."""
    cases = [case for case in _of_file() if not case.name.startswith("judged ")]
    cases += _broken()
    names = [case.name for case in cases]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"cases with the same name: {', '.join(twice)}")
    return [
        case
        if case.name.startswith("table:")
        else case._replace(commands=tuple(map(_as_before, case.commands)))
        for case in cases
    ]


def judged(*, has_data: bool) -> Iterator[tuple[str, str]]:
    """Yields names, and commands that judge what is scored with the judgments of these names."""
    for case in _of_file():
        if case.name.startswith("judged ") and (has_data or not case.needs_data):
            yield case.name.partition(":")[0].split()[1], case.commands[0]


def _of_file() -> Iterator[Case]:
    return _read(_lines(_FILE.read_text(encoding="utf-8")))


def _as_before(command: str) -> str:
    """Returns a command that scores in the form that the earlier version printed by default."""
    if not command.startswith("score "):
        return command
    line, _, source = command.partition(" < ")
    line += "" if "--format" in line else " --format trec_eval"
    line += "" if "qrels/example.judgments.jsonl --judge none" in line else _JUDGED_ONLY
    return f"{line} < {source}" if source else line


def _lines(text: str) -> Iterator[str]:
    """Yields lines without comments; what is indented continues the line before."""
    joined = re.sub(r"(?<=[|\[])\n +", "", text)
    joined = re.sub(r"\n +", " ", joined)
    return (line for line in joined.splitlines() if not line.startswith("#"))


def _read(lines: Iterator[str]) -> Iterator[Case]:
    names = {"MISTAKES": "|".join(MISTAKES)}
    for line in lines:
        if defined := re.fullmatch(r"([A-Z_]+) = (.*)", line):
            names[defined[1]] = _filled(defined[2], names)
        elif line.startswith("== "):
            template = _filled(line[3:], names)
            commands = [_filled(each, names) for each in iter(lambda: next(lines, ""), "")]
            for name, chosen in _choices(template):
                yield Case(name, tuple(_commands(commands, chosen)))
        elif line:
            name, _, template = _filled(line, names).partition(": ")
            for command in _commands([template], []):
                yield Case(f"{name}: {command}", (command,))


def _filled(line: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\$([A-Z_]+)", lambda match: names[match[1]], line)


def _choices(template: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yields a text for every combination of its choices, and what is chosen."""
    fixed = _CHOICE.split(template)[::2]
    for chosen in product(*(each.split("|") for each in _CHOICE.findall(template))):
        pairs = zip(fixed, (*chosen, ""), strict=True)
        yield " ".join("".join(part + choice for part, choice in pairs).split()), chosen


def _commands(templates: Sequence[str], chosen: Sequence[str]) -> Iterator[str]:
    """Yields commands, with what is chosen in the place of %, and of %2."""
    for template in templates:
        filled = template.replace("%2", chosen[-1]).replace("%", chosen[0]) if chosen else template
        for command, _ in _choices(filled):
            yield command


def _broken() -> Iterator[Case]:
    """Yields every kind of broken file, read by the commands that read such files."""
    judged = "--judgments tiny/assessors.judgments.jsonl --judge none"
    score = "score tiny/alpha.jsonl tiny/nuggets.json"
    for number, broken in enumerate(broken_files.CASES):
        path = broken_name(number)
        commands = {
            "requests": [f"ingest requests {path}", f"{score} {judged} --requests {path}"],
            "nuggets": [f"ingest qrels {path}", f"score tiny/alpha.jsonl {path} {judged}"],
            "runs": [
                f"validate {path}",
                f"score {path} tiny/nuggets.json {judged}",
                f"convert {path} --to canonical --kind runs",
            ],
            "documents": [f"{score} {judged} --collection {path}"],
            "judgments": [
                f"{score} --judge none --judgments {path}",
                f"meta-eval {path} --truth tiny/assessors.judgments.jsonl",
            ],
        }[broken.kind]
        yield Case(f"broken {number}: {broken.name}", tuple(commands))
