"""Values of score files by measure, system and topic, and which measures are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from argue_eval.errors import Finding, InputError, UsageError, check_names, some
from argue_eval.formats.files import files_in
from argue_eval.formats.jsonl import Source
from argue_eval.formats.scores import ALL, Score, read_scores
from argue_eval.records import MeasureValue

Table = dict[str, dict[str, dict[str, float]]]
"""Values by measure, system and topic."""

Rows = dict[str, dict[str, MeasureValue]]
"""Those of a run by measure and topic, ``all`` among them."""

_COUNTS = "num_"
_SUFFIXES = (".scores.jsonl", ".scores.txt", ".auto_argue.tsv")
"""The score files that ``argue-eval score -o`` writes for a run; of a folder, the first is read."""


class Held(str):
    """Judgments or scores in memory, in place of a file; messages call them by this name.

    Attributes:
        content: judgments, or runs that were scored by their ids.
    """

    __slots__ = ("content",)
    content: Any


def held(name: str, content: Any) -> Held:
    """Puts what is in memory in the place of a file."""
    found = Held(name)
    found.content = content
    return found


def read_tables(paths: Sequence[str]) -> tuple[Table, Counter[str]]:
    """Reads several score files; the later of two values for the same cell counts.

    A system with values for topics keeps only these; otherwise the value of ``all`` is used.

    Args:
        paths: files, or folders that ``argue-eval score -o`` wrote.

    Returns:
        The values, and by measure the number of those that missing judgments leave open.
    """
    table: Table = {}
    num_open: Counter[str] = Counter()
    for _, _, runs in rows_in(paths):
        for run_id, rows_of in runs.items():
            for row in chain.from_iterable(rows.values() for rows in rows_of.values()):
                systems = table.setdefault(row.measure, {})
                value = 0.0 if row.is_undefined else row.value
                if value is not None:
                    systems.setdefault(run_id, {})[row.topic_id] = value
                elif row.topic_id != ALL:
                    num_open[row.measure] += 1
    for systems in table.values():
        for topics in systems.values():
            if len(topics) > 1:
                topics.pop(ALL, None)
    return table, num_open


def rows_in(paths: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Any], dict[str, Rows]]]:
    """Yields all files with what stands beside them, and their rows by run.

    Raises:
        InputError: a file has errors, or a folder has none.
    """
    for path in paths:
        if isinstance(path, Held):
            runs = {name: by_measure(run.table.rows) for name, run in path.content.items()}
            yield path, {}, runs
            continue
        files = files_of(path, f"*{_SUFFIXES[0]}")
        if not files:
            message = f"the folder has no file *{_SUFFIXES[0]}"
            hint = "name a folder that argue-eval score -o wrote, or the score files"
            raise InputError(Finding("no_scores", message, hint, path))
        for file in files:
            about = _about(file)
            runs = {}
            for score in read_scores(file):
                _add(runs.setdefault(about.get("run_id") or score.run_id, {}), score)
            yield file, about, runs


def by_measure(rows: Iterable[MeasureValue]) -> Rows:
    """The rows of a run by measure and topic."""
    found: Rows = {}
    for row in rows:
        found.setdefault(row.measure, {})[row.topic_id] = row
    return found


def _add(rows_of: Rows, score: Score) -> None:
    """Adds a value. trec_eval's layout has a line more for each bound."""
    measure, topic_id, value = score.measure, score.topic_id, score.value
    lower, upper = score.bounds or (value or 0.0, value or 0.0)
    if measure.endswith(("_lower", "_upper")):
        stem, _, end = measure.rpartition("_")
        rows = rows_of.setdefault(stem, {})
        row = rows.get(topic_id) or MeasureValue(stem, topic_id, None, lower, upper)
        bound = value or 0.0
        is_lower = end == "lower"
        rows[topic_id] = row._replace(lower=bound) if is_lower else row._replace(upper=bound)
        return
    rows_of.setdefault(measure, {})[topic_id] = MeasureValue(
        measure, topic_id, value, lower, upper, is_count=score.is_count, parts=score.parts
    )


def _about(file: str) -> dict[str, Any]:
    """What stands beside a file of ``score -o``: run, team, signature, the topics of groups and
    those without a report; empty if nothing does.
    """
    stem = next((file.removesuffix(each) for each in _SUFFIXES if file.endswith(each)), None)
    path = Path(f"{stem}.meta.json")
    content = Source(str(path)).document() if stem is not None and path.is_file() else None
    about = content if isinstance(content, dict) else {}
    given = about.get("groups")
    groups = given.items() if isinstance(given, dict) else ()
    known = {name: value for name, value in about.items() if isinstance(value, str)}
    return {
        **known,
        "groups": {label: _texts(topics) for label, topics in groups if isinstance(topics, list)},
        "missing_topics": frozenset(_texts(about.get("missing_topics"))),
    }


def _texts(value: object) -> list[str]:
    """The texts of a list; none of anything else."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def files_of(path: str, pattern: str) -> list[str]:
    """The file itself, or the files of a folder with a pattern.

    Raises:
        MissingResourceError: the folder cannot be read.
    """
    if not Path(path).is_dir():
        return [path]
    return [str(each) for each in files_in(path)[0] if each.match(pattern)]


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
                check_names(f"measure of {side}", [name], table)
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
    hint = (
        "the run ids must be the same, and for each run the topics; where judgments are missing "
        "there is no value, unless scored with --judged-only"
    )
    return InputError(Finding("no_overlap", message, hint, file))


def _sides(truth: Mapping[str, object], judge: Mapping[str, object]) -> str:
    return f"{some(list(judge), 4)} in --scores, {some(list(truth), 4)} in --truth-scores"
