"""Values of score files by measure, system and topic, and which measures are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from argue_eval.errors import Finding, InputError, UsageError, some, unknown_name
from argue_eval.formats.scores import ALL, read_scores

Table = dict[str, dict[str, dict[str, float]]]
"""Values by measure, system and topic."""

_COUNTS = "num_"
_IN_FOLDER = "*.auto_argue.tsv"
"""The only layout that preserves the names of runs."""


def read_tables(paths: Sequence[str]) -> Table:
    """Reads several score files; the later of two values for the same cell counts.

    A system with values for topics keeps only these; otherwise the value of ``all`` is used.

    Args:
        paths: files, or folders that ``argue-eval score -o`` wrote.
    """
    table: Table = {}
    for path in paths:
        files = files_of(path, _IN_FOLDER)
        if not files:
            message = f"the folder has no file {_IN_FOLDER}"
            hint = "name a folder that argue-eval score -o wrote, or the score files"
            raise InputError(Finding("no_scores", message, hint, path))
        for score in (score for file in files for score in read_scores(file)):
            systems = table.setdefault(score.measure, {})
            systems.setdefault(score.run_id, {})[score.topic_id] = score.value
    for systems in table.values():
        for topics in systems.values():
            if len(topics) > 1:
                topics.pop(ALL, None)
    return table


def files_of(path: str, pattern: str) -> list[str]:
    """The file itself, or the files of a folder with a pattern."""
    folder = Path(path)
    return sorted(map(str, folder.glob(pattern))) if folder.is_dir() else [path]


def measure_pairs(truth: Table, judge: Table, wanted: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs each measure of the truth with one of the judge.

    Args:
        wanted: names, or ``NAME=TRUTH_NAME`` where the truth uses another name; empty for all
            measures that both have, or for the only one of each.

    Raises:
        UsageError: a measure is unknown, or the pairs are ambiguous.
    """
    if wanted:
        pairs = []
        for each in wanted:
            mine, _, other = each.partition("=")
            theirs = other or mine
            for name, table, side in ((mine, judge, "--scores"), (theirs, truth, "truth")):
                if name not in table:
                    raise unknown_name(f"measure of {side}", name, table)
            pairs.append((theirs, mine))
        return pairs
    common = [name for name in judge if name in truth and not name.startswith(_COUNTS)]
    if common:
        return [(name, name) for name in common]
    if len(truth) == len(judge) == 1:
        return [(next(iter(truth)), next(iter(judge)))]
    raise UsageError(
        f"no measure in common: {_sides(truth, judge)}; pair them with -m NAME=TRUTH_NAME"
    )


def no_common_systems(
    truth: Mapping[str, object], judge: Mapping[str, object], file: str
) -> InputError:
    """The error for score files with fewer than two systems in common."""
    message = f"fewer than two runs in common: {_sides(truth, judge)}"
    hint = "the run ids must be the same, and for each run the topics"
    return InputError(Finding("no_overlap", message, hint, file))


def _sides(truth: Mapping[str, object], judge: Mapping[str, object]) -> str:
    return f"{some(list(judge), 4)} in --scores, {some(list(truth), 4)} in --truth-scores"
