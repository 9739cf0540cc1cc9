"""Prompts: text files with placeholders, checked, hashed, and filled with the texts of a call.

A prompt has two parts with a line ``=====`` between them: what the model is told first, equal in
all calls of a task, and the call with its texts. Users may replace any of the files; the others are
those of the package.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import Finding, InputError, MissingResourceError, shorten, unknown_name
from argue_eval.judges.model import squeezed
from argue_eval.records import Verdict

FOLDER = Path(__file__).with_name("prompts")
CODE = "wrong_prompt"

YES_NO = (Verdict.YES, Verdict.NO)
GRADED = (Verdict.YES, Verdict.PARTIAL, Verdict.NO)
OPPOSED = (*GRADED, Verdict.CONTRADICTS)

_SEPARATOR = re.compile(r"^=====[^\S\n]*\n", re.MULTILINE)
_NAMED = r"\{\{\s*(?P<named>[^{}\n]{0,40}?)\s*\}\}"
_PLACEHOLDER = re.compile(_NAMED)
_MAX_BYTES = 100_000
_CONSTANT = frozenset({"rules", "scale"})
_OPTIONAL = _CONSTANT | {"request"}


class _Template(string.Template):
    """A text with placeholders such as ``{{keys}}``: what is filled in is left alone."""

    pattern = rf"{_NAMED}|(?P<escaped>(?!))|(?P<braced>(?!))|(?P<invalid>(?!))"  # type: ignore[assignment]


class Task(NamedTuple):
    """What calls of one prompt have in common.

    Attributes:
        shared: the names of the blocks that many calls have in common; `own`: that of each call.
        scale: the possible verdicts.
        system: what the model is told first.
        user: the call: to be filled with the blocks between their delimiters, and the keys.
        told: all that is the same in every call, as `squeezed`.
    """

    shared: tuple[str, ...]
    own: str
    scale: tuple[Verdict, ...] = YES_NO
    system: str = ""
    user: string.Template = string.Template("")
    told: str = ""


TASKS: Mapping[str, Task] = {
    "support": Task(("document",), "sentences", GRADED),
    "answers": Task(("request", "nuggets"), "sentence"),
    "covers": Task(("request", "claims"), "sentence", GRADED),
    "agrees": Task(("request", "questions"), "sentence"),
    "sentences": Task(("request",), "sentences"),
}
"""The prompts that ask something, by name."""

_OPPOSED = {"support": "support_opposed", "covers": "covers_opposed"}
"""The files that stand in the place of others where a contradiction is told from a no."""
_CRITERIA = {"covers": "covers_criteria"}
"""The same where claims are the criteria of a rubric."""

_PARTS: Mapping[str, frozenset[str]] = {
    "rules": frozenset({"scale"}),
    "repair": frozenset({"problems", "keys", "scale"}),
}
"""The other files, and their placeholders."""


class Prompts:
    """The prompts of a folder, or of the package where the folder has none.

    Args:
        contradictions: ask whether texts contradict each other too.
        criteria: ask whether reports satisfy criteria, not whether they cover claims.

    Attributes:
        tasks: as `TASKS`, with the texts and verdicts of these prompts.
        repair: what the model is told after a reply that cannot be used.
        digest: eight hexadecimal digits that stand for the prompts' content.

    Raises:
        InputError: a prompt has an unknown placeholder, lacks one, or is not text.
        MissingResourceError: there is no such folder, or a file cannot be read.
        UsageError: the folder has a prompt that nothing uses.
    """

    def __init__(
        self, folder: str | None = None, *, contradictions: bool = False, criteria: bool = False
    ) -> None:
        own = FOLDER if folder is None else _checked_folder(folder)
        names = [*_PARTS, *TASKS]
        opposed = _OPPOSED if contradictions else {}
        others = opposed | (_CRITERIA if criteria else {})
        stems = {name: others.get(name, name) for name in names}
        files = {
            name: path if (path := own / f"{stems[name]}.txt").exists() else FOLDER / path.name
            for name in names
        }
        texts = {name: _read(path) for name, path in files.items()}
        findings = [
            finding for name in names for finding in _findings(name, texts[name], str(files[name]))
        ]
        if findings:
            raise InputError(findings)
        self.repair = _Template(texts["repair"].strip())
        self.tasks: dict[str, Task] = {}
        for name, task in TASKS.items():
            scale = OPPOSED if others.get(name) in opposed.values() else task.scale
            shown = scale_shown(scale)
            rules = _Template(texts["rules"].strip()).safe_substitute(scale=shown)
            system, user = [
                _Template(part.strip()).safe_substitute(rules=rules, scale=shown)
                for part in _SEPARATOR.split(texts[name])
            ]
            told = squeezed(f"{system}{_PLACEHOLDER.sub('', user)}")
            self.tasks[name] = task._replace(
                scale=scale, system=system, user=_Template(user), told=told
            )
        digest = sha256()
        for name in names:
            digest.update(f"{stems[name]}\0{texts[name]}\0".encode())
        self.digest = digest.hexdigest()[:8]


def scale_shown(scale: Sequence[Verdict]) -> str:
    """The possible verdicts in words.

    >>> scale_shown(GRADED)
    '"yes", "partial" or "no"'
    """
    words = [f'"{verdict.value}"' for verdict in scale]
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _checked_folder(folder: str) -> Path:
    path = Path(folder)
    if not path.is_dir():
        raise MissingResourceError(f"--prompts {shorten(folder)}: there is no such folder")
    for entry in sorted(path.glob("*.txt")):
        if entry.stem not in (known := (*TASKS, *_PARTS, *_OPPOSED.values(), *_CRITERIA.values())):
            raise unknown_name("prompt", entry.stem, known)
    return path


def _read(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            raw = stream.read(_MAX_BYTES + 1)
    except OSError as exc:
        raise MissingResourceError(f"{path}: {exc.strerror or exc}") from None
    if len(raw) > _MAX_BYTES:
        message = f"expected a prompt of at most {_MAX_BYTES:,} bytes, found more"
        raise InputError(Finding(CODE, message, "shorten it", str(path)))
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as exc:
        line = raw[: exc.start].count(b"\n") + 1
        message = "expected UTF-8, found other bytes"
        raise InputError(Finding(CODE, message, "save it as UTF-8", str(path), line)) from None


def _findings(name: str, text: str, file: str) -> Iterator[Finding]:
    task = TASKS.get(name)
    known = {*task.shared, task.own, "keys", "rules", "scale"} if task else {*_PARTS[name]}
    listed = ", ".join(sorted(f"{{{{{each}}}}}" for each in known))
    found = set()
    separator = _SEPARATOR.search(text) if task else None
    for match in _PLACEHOLDER.finditer(text):
        found.add(match[1])
        line = text.count("\n", 0, match.start()) + 1
        if separator and match.start() < separator.start() and match[1] not in _CONSTANT:
            message = f"{{{{{match[1]}}}}} stands before the =====, but differs from call to call"
            yield Finding(CODE, message, "move it to the second part", file, line)
        elif match[1] not in known:
            message = f"unknown placeholder {shorten(match[1])}; expected one of {listed}"
            yield Finding(CODE, message, "correct its name, or remove it", file, line)
    required = sorted(known - found - _OPTIONAL)
    if required:
        message = f"expected the placeholders {listed}, found no {', '.join(required)}"
        yield Finding(CODE, message, f"add {{{{{required[0]}}}}}", file)
    if task and len(_SEPARATOR.findall(text)) != 1:
        message = "expected two parts with one line ===== between them"
        hint = "write first what is equal in all calls, then a line =====, then the texts"
        yield Finding(CODE, message, hint, file)
