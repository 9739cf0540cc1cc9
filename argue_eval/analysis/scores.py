"""Values of score files by measure, system and topic, and which measures are compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from argue_eval.errors import Finding, InputError, UsageError, shorten, some, unknown_name
from argue_eval.formats.jsonl import Source
from argue_eval.formats.scores import ALL, read_scores
from argue_eval.records import ScoreTable

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
        for score in (score for file in _in_folder(path) for score in read_scores(file)):
            systems = table.setdefault(score.measure, {})
            systems.setdefault(score.run_id, {})[score.topic_id] = score.value
    for systems in table.values():
        for topics in systems.values():
            if len(topics) > 1:
                topics.pop(ALL, None)
    return table


class ScoredRun(Protocol):
    """A run that was scored just now, such as `argue_eval.RunScores`."""

    @property
    def table(self) -> ScoreTable:
        """Its values, by topic and averaged."""


class System(NamedTuple):
    """What is known of one run's scores.

    Attributes:
        values: by measure and topic; without the averages.
        unjudged: by measure the topics in which its value depends on missing judgments. Where
            nothing is judged, there is no value.
        signature: how they were made; empty if a file does not say.
    """

    run_id: str
    values: dict[str, dict[str, float]]
    unjudged: dict[str, set[str]]
    signature: str = ""
    file: str = ""


_BOUND = "_lower"
_META = ".meta.json"


def read_systems(paths: Sequence[str]) -> list[System]:
    """Reads the scores of systems, in the order of the files.

    Args:
        paths: files with values per topic, or folders that ``argue-eval score -o`` wrote.

    Raises:
        InputError: a file has errors, or two files have the same run.
    """
    found: dict[str, System] = {}
    for file in (file for path in paths for file in _in_folder(path)):
        signature = _signature(file)
        for score in read_scores(file):
            system = found.setdefault(score.run_id, System(score.run_id, {}, {}, signature, file))
            if system.file != file:
                message = f"the run {shorten(score.run_id)} is in {system.file} too"
                hint = "name each run once"
                raise InputError(Finding("duplicate_run", message, hint, file))
            if score.topic_id == ALL or score.measure.endswith("_upper"):
                continue
            measure = score.measure.removesuffix(_BOUND)
            if measure != score.measure:
                system.unjudged.setdefault(measure, set()).add(score.topic_id)
            else:
                system.values.setdefault(measure, {})[score.topic_id] = score.value
    return list(found.values())


def of_scores(runs: Iterable[ScoredRun]) -> list[System]:
    """Takes the values of runs that were scored just now."""
    found = []
    for table in (run.table for run in runs):
        system = System(table.run_id, {}, {}, table.signature)
        for row in table.rows:
            if row.topic_id == ALL:
                continue
            if row.is_bounded:
                system.unjudged.setdefault(row.measure, set()).add(row.topic_id)
            if row.value is not None or row.is_undefined:
                system.values.setdefault(row.measure, {})[row.topic_id] = row.value or 0.0
        found.append(system)
    return found


def _signature(file: str) -> str:
    """The signature that ``score -o`` wrote beside a file of scores."""
    meta = Path(file.removesuffix(_IN_FOLDER[1:]) + _META)
    if not file.endswith(_IN_FOLDER[1:]) or not meta.is_file():
        return ""
    source = Source(str(meta))
    value = source.decode(meta.read_bytes(), 1)
    signature = value.get("signature") if isinstance(value, dict) else None
    return signature if isinstance(signature, str) else ""


def _in_folder(path: str) -> list[str]:
    """The file itself, or the score files of a folder.

    Raises:
        InputError: the folder has none.
    """
    found = files_of(path, _IN_FOLDER)
    if not found:
        message = f"the folder has no file {_IN_FOLDER}"
        hint = "name a folder that argue-eval score -o wrote, or the score files"
        raise InputError(Finding("no_scores", message, hint, path))
    return found


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
