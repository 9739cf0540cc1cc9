"""Prompts: text files with placeholders, checked, hashed, and filled with the texts of a call.

A prompt has two parts, with a line ``=====`` between them: what the model is told first, which is
equal in all calls of a task, and the call with its texts. Whoever writes prompts of their own can
leave out files: those of the package are used instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import Finding, InputError, MissingResourceError, shorten, unknown_name
from argue_eval.records import Verdict

FOLDER = Path(__file__).with_name("prompts")
CODE = "wrong_prompt"

YES_NO = (Verdict.YES, Verdict.NO)
GRADED = (Verdict.YES, Verdict.PARTIAL, Verdict.NO)

_SEPARATOR = re.compile(r"^=====[^\S\n]*\n", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{\s*([^{}\n]{0,40}?)\s*\}\}")
_MAX_BYTES = 100_000
_CONSTANT = frozenset({"rules", "scale"})
_OPTIONAL = _CONSTANT | {"request"}


class Task(NamedTuple):
    """What calls of one prompt have in common.

    Attributes:
        shared: the names of the blocks that many calls have in common, `own` of that of each call.
        scale: the verdicts that are possible.
    """

    shared: tuple[str, ...]
    own: str
    scale: tuple[Verdict, ...] = YES_NO


TASKS: Mapping[str, Task] = {
    "support": Task(("document",), "sentences", GRADED),
    "answers": Task(("request", "nuggets"), "sentence"),
    "covers": Task(("request", "claims"), "sentence", GRADED),
    "agrees": Task(("request", "questions"), "sentence"),
    "sentences": Task(("request",), "sentences"),
}
"""What is asked with one prompt, by the prompt's name."""

_PARTS: Mapping[str, frozenset[str]] = {
    "rules": frozenset({"scale"}),
    "repair": frozenset({"problems", "keys", "scale"}),
}
"""The other files, and their placeholders."""


class _Prompt(NamedTuple):
    system: str
    user: str


class Prompts:
    """The prompts of a folder, or of the package where the folder has none.

    Attributes:
        digest: eight hexadecimal digits that stand for the prompts' content.

    Raises:
        InputError: a prompt has a placeholder that is unknown, lacks one, or is no text.
        MissingResourceError: there is no such folder, or a file cannot be read.
        UsageError: the folder has a prompt that nothing asks for.
    """

    def __init__(self, folder: str | None = None) -> None:
        own = _checked_folder(folder) if folder is not None else None
        names = [*_PARTS, *TASKS]
        files = {name: _file(own, name) for name in names}
        texts = {name: _read(path) for name, path in files.items()}
        findings = [
            finding for name in names for finding in _findings(name, texts[name], str(files[name]))
        ]
        if findings:
            raise InputError(findings)
        self._repair = texts["repair"].strip()
        self._prompts = {
            name: _prompt_of(texts[name], texts["rules"], scale_shown(task.scale))
            for name, task in TASKS.items()
        }
        digest = sha256()
        for name in names:
            digest.update(f"{name}\0{texts[name]}\0".encode())
        self.digest = digest.hexdigest()[:8]

    def first_turn(self, task: str, texts: Mapping[str, str]) -> tuple[str, str]:
        """Returns what the model is told, and the call.

        Args:
            texts: the blocks between their delimiters and the keys, by placeholder.
        """
        prompt = self._prompts[task]
        return prompt.system, _filled(prompt.user, texts)

    def repair(self, task: str, problems: str, keys: str) -> str:
        """Returns what the model is told after a reply that cannot be used."""
        scale = scale_shown(TASKS[task].scale)
        return _filled(self._repair, {"problems": problems, "keys": keys, "scale": scale})


def scale_shown(scale: Sequence[Verdict]) -> str:
    """Returns the possible verdicts in words.

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
        if entry.stem not in (*TASKS, *_PARTS):
            raise unknown_name("prompt", entry.stem, [*TASKS, *_PARTS])
    return path


def _file(folder: Path | None, name: str) -> Path:
    own = folder / f"{name}.txt" if folder is not None else None
    return own if own is not None and own.exists() else FOLDER / f"{name}.txt"


def _read(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            raw = stream.read(_MAX_BYTES + 1)
    except OSError as exc:
        raise MissingResourceError(f"{path}: {exc.strerror or exc}") from None
    if len(raw) > _MAX_BYTES:
        message = f"expected a prompt of at most {_MAX_BYTES} bytes, found more"
        raise InputError(Finding(CODE, message, "shorten it", str(path)))
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as exc:
        line = raw[: exc.start].count(b"\n") + 1
        message = "expected UTF-8, found other bytes"
        raise InputError(Finding(CODE, message, "save it as UTF-8", str(path), line)) from None


def _findings(name: str, text: str, file: str) -> list[Finding]:
    """Returns what is wrong with a prompt."""
    task = TASKS.get(name)
    known = {*task.shared, task.own, "keys", "rules", "scale"} if task else {*_PARTS[name]}
    listed = ", ".join(sorted(f"{{{{{each}}}}}" for each in known))
    findings = []
    found = set()
    separator = _SEPARATOR.search(text) if task else None
    for match in _PLACEHOLDER.finditer(text):
        found.add(match[1])
        line = text.count("\n", 0, match.start()) + 1
        if separator and match.start() < separator.start() and match[1] not in _CONSTANT:
            message = f"{{{{{match[1]}}}}} differs from call to call, and stands before the ====="
            findings.append(Finding(CODE, message, "move it to the second part", file, line))
        elif match[1] not in known:
            message = f"unknown placeholder {shorten(match[1])}; expected one of {listed}"
            findings.append(Finding(CODE, message, "correct its name, or drop it", file, line))
    required = sorted(known - found - _OPTIONAL)
    if required:
        message = f"expected the placeholders {listed}, found no {', '.join(required)}"
        findings.append(Finding(CODE, message, f"add {{{{{required[0]}}}}}", file))
    if task and len(_SEPARATOR.findall(text)) != 1:
        message = "expected two parts with one line ===== between them"
        hint = "first what is equal in all calls, then ===== on a line of its own, then the texts"
        findings.append(Finding(CODE, message, hint, file))
    return findings


def _prompt_of(text: str, rules: str, scale: str) -> _Prompt:
    system, user = _SEPARATOR.split(text)
    told = {"rules": _filled(rules.strip(), {"scale": scale}), "scale": scale}
    return _Prompt(_filled(system.strip(), told), _filled(user.strip(), told))


def _filled(template: str, texts: Mapping[str, str]) -> str:
    """Returns a template with its placeholders filled, once: what is filled in is left alone."""
    return _PLACEHOLDER.sub(lambda match: texts.get(match[1], match[0]), template)
