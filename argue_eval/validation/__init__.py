"""Checks runs against the rules of a track.

``validate(path, track)`` returns what is wrong with one run; `check_runs` checks several, and
tells what they were checked against.
"""

from __future__ import annotations

from argue_eval.errors import Finding
from argue_eval.validation.run import Checked, Job, check_runs

__all__ = ["Checked", "Job", "check_runs", "validate"]


def validate(
    path: str,
    track: str | None = None,
    *,
    requests: str | None = None,
    collections: tuple[str, ...] = (),
    rules: str | None = None,
    is_strict: bool = False,
    is_segmented: bool = False,
) -> list[Finding]:
    """Returns everything that is wrong with a run, in file order; nothing if it is clean.

    Args:
        path: of the run; ``-`` is standard input.
        track: such as ``ragtime26``; None to guess it from the first report.
        requests: a file of report requests: topics, limits and narratives are checked with it.
        collections: files or ``irds:`` names of the documents that may be cited.
        rules: a file that overrides the track's rules, or describes a track of its own.
        is_strict: warnings become errors.
        is_segmented: compare segments with sentences, which loads spaCy.

    Raises:
        UsageError: there is no such track.
        InputError: the requests, the collection or the rules have errors.
        MissingResourceError: there is no such file.
    """
    job = Job(track, rules, requests, collections, is_strict, is_segmented)
    (checked,) = check_runs([path], job)
    return list(checked.findings)
