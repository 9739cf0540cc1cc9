"""Values of score files by measure, system and topic, and which measures are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from argue_eval.errors import Finding, InputError, UsageError, check_names, some
from argue_eval.formats.jsonl import Source
from argue_eval.formats.scores import ALL, Score, read_scores
from argue_eval.records import MeasureValue

Table = dict[str, dict[str, dict[str, float]]]
"""Values by measure, system and topic."""

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
    for _, about, scores in scores_in(paths):
        for score in scores:
            systems = table.setdefault(score.measure, {})
            run_id = about.get("run_id") or score.run_id
            if score.value is not None:
                systems.setdefault(run_id, {})[score.topic_id] = score.value
            elif score.topic_id != ALL:
                num_open[score.measure] += 1
    for systems in table.values():
        for topics in systems.values():
            if len(topics) > 1:
                topics.pop(ALL, None)
    return table, num_open


def scores_in(paths: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Any], list[Score]]]:
    """Yields all files with what stands beside them, and their scores.

    Raises:
        InputError: a file has errors, or a folder has none.
    """
    for path in paths:
        if isinstance(path, Held):
            for run_id, run in path.content.items():
                yield path, {"run_id": run_id}, [_score(run_id, row) for row in run.table.rows]
            continue
        files = files_of(path, f"*{_SUFFIXES[0]}")
        if not files:
            message = f"the folder has no file *{_SUFFIXES[0]}"
            hint = "name a folder that argue-eval score -o wrote, or the score files"
            raise InputError(Finding("no_scores", message, hint, path))
        for file in files:
            yield file, _about(file), read_scores(file)


def _score(run_id: str, row: MeasureValue) -> Score:
    value = 0.0 if row.is_undefined else row.value
    return Score(run_id, row.topic_id, row.measure, value, is_count=row.is_count)


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
