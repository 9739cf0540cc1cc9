"""Tells the truth from the judges that are compared with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from argue_eval.analysis.agreement.reading import Files, Judge, Progress, Reader, Reports
from argue_eval.errors import Finding, InputError, UsageError, shorten, unknown_name

_ASSESSOR = "assessor"


class Material(NamedTuple):
    """Everything that was read.

    Attributes:
        truth: the judges that are taken for right, as one.
        truth_names: their names.
        notes: what people must know about truth and judges.
    """

    truth: Judge
    truth_names: tuple[str, ...]
    judges: tuple[Judge, ...]
    reports: Reports
    notes: tuple[str, ...]


class Wanted(NamedTuple):
    """Which judges are to be compared with which; empty for the natural choice."""

    judges: Sequence[str] = ()
    truth: Sequence[str] = ()


def read(
    files: Files, wanted: Wanted, warnings: list[Finding], progress: Progress | None = None
) -> Material:
    """Returns the judges and the truth.

    Raises:
        InputError: a file has errors, or there is no judge to compare.
        UsageError: it is not clear which judge is the truth, or a name is unknown.
        MissingResourceError: there is no such file.
    """
    reader = Reader(files, warnings)
    truth_files = list(dict.fromkeys(files.truth or files.judgments))
    paths = list(dict.fromkeys([*files.judgments, *truth_files]))
    by_file: dict[str, dict[str, Judge]] = {}
    errors: list[Finding] = []
    for number, path in enumerate(paths):
        if progress:
            progress("reading judgments: files", number, len(paths))
        try:
            by_file[path] = reader.judges(path)
        except InputError as exc:
            errors.extend(exc.findings)
    if errors:
        raise InputError(errors)
    names = _truth_names(truth_files, by_file, wanted.truth)
    truth, num_conflicts = _merged_truth(names, [by_file[path] for path in truth_files])
    notes = reader.notes
    if num_conflicts:
        notes.append(
            f"{num_conflicts} questions have several verdicts in the truth; the first of "
            f"{_listed(names)} is taken"
        )
    judges: dict[str, Judge] = {}
    for path in dict.fromkeys(files.judgments):
        for name, judge in by_file[path].items():
            if name not in names:
                _merge(judges.setdefault(name, Judge(name)), judge)
    if not judges:
        message = f"there is no judge to compare: all judgments are by {_listed(names)}"
        hint = "name a file with a judge's judgments, before --truth"
        raise InputError(Finding("no_judge", message, hint, files.judgments[0]))
    for name in wanted.judges:
        if name not in judges:
            raise unknown_name("judge", name, judges)
    chosen = [judge for name, judge in judges.items() if name in (wanted.judges or judges)]
    return Material(truth, tuple(names), tuple(chosen), reader.reports, tuple(notes))


def _truth_names(
    paths: Sequence[str], by_file: dict[str, dict[str, Judge]], wanted: Sequence[str]
) -> list[str]:
    """Returns who is taken for right: who is wanted, else the assessors, else the only judge."""
    names = list(dict.fromkeys(name for path in paths for name in by_file[path]))
    for name in wanted:
        if name not in names:
            raise unknown_name("--truth-judge", name, names)
    chosen = list(wanted) or [name for name in names if name.split(":")[0] == _ASSESSOR]
    if chosen:
        return chosen
    if not names:
        raise InputError(
            Finding("no_judgments", "there are no judgments", "name another file", paths[0])
        )
    if len(names) > 1:
        raise UsageError(
            f"{', '.join(paths)}: judgments by {_listed(names)}, and none by an assessor; say with "
            "--truth-judge who is right"
        )
    return names


def _listed(names: Iterable[str]) -> str:
    return ", ".join(shorten(name) for name in names)


def _merge(target: Judge, other: Judge) -> None:
    """Adds what a judge says in a later file; it replaces what the same judge said before."""
    for kind, answers in other.answers.items():
        target.answers.setdefault(kind, {}).update(answers)
    target.failures |= other.failures


def _merged_truth(names: Sequence[str], files: Iterable[dict[str, Judge]]) -> tuple[Judge, int]:
    """Returns the truth as one judge, and on how many questions several people differ."""
    judges = {name: Judge(name) for name in names}
    for by_name in files:
        for name in names:
            if name in by_name:
                _merge(judges[name], by_name[name])
    truth, conflicts = Judge(", ".join(names)), set()
    for judge in judges.values():
        for kind, answers in judge.answers.items():
            said = truth.answers.setdefault(kind, {})
            for key, answer in answers.items():
                if said.setdefault(key, answer)[0] is not answer[0]:
                    conflicts.add((kind, key))
    return truth, len(conflicts)
