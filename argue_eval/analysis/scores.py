"""Values of score files by measure, system and topic, and which measures are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from argue_eval.errors import Finding, InputError, UsageError, shorten, some, unknown_name
from argue_eval.formats.jsonl import Source
from argue_eval.formats.scores import ALL, Score, read_scores
from argue_eval.records import MeasureValue, ScoreTable

Table = dict[str, dict[str, dict[str, float]]]
"""Values by measure, system and topic."""

_COUNTS = "num_"
_SUFFIXES = (".scores.jsonl", ".scores.txt", ".auto_argue.tsv")
"""The score files that ``argue-eval score -o`` writes for a run; of a folder, the first is read."""


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
    for _, score, _ in _scores_in(paths):
        systems = table.setdefault(score.measure, {})
        if score.value is not None:
            systems.setdefault(score.run_id, {})[score.topic_id] = score.value
        elif score.topic_id != ALL:
            num_open[score.measure] += 1
    for systems in table.values():
        for topics in systems.values():
            if len(topics) > 1:
                topics.pop(ALL, None)
    return table, num_open


class ScoredRun(Protocol):
    """A run that was scored just now, such as `argue_eval.RunScores`."""

    @property
    def table(self) -> ScoreTable:
        """Its values, by topic and averaged."""


class System(NamedTuple):
    """What is known of one run's scores.

    Attributes:
        rows: by measure and topic, ``all`` among them.
        signature: how they were made; empty if a file does not say.
    """

    run_id: str
    rows: dict[str, dict[str, MeasureValue]]
    signature: str = ""
    file: str = ""

    def values(self, measure: str) -> dict[str, float]:
        """The values by topic. One that is undefined is 0; one that is open is not there."""
        rows = self.rows.get(measure, {})
        return {
            topic_id: row.value or 0.0
            for topic_id, row in rows.items()
            if topic_id != ALL and (row.value is not None or row.is_undefined)
        }

    def unjudged(self, measure: str) -> set[str]:
        """The topics in which missing judgments leave the value open."""
        rows = self.rows.get(measure, {})
        return {topic for topic, row in rows.items() if row.is_bounded and topic != ALL}


def read_systems(paths: Sequence[str]) -> list[System]:
    """Reads the scores of systems, in the order of the files.

    Args:
        paths: score files, or folders that ``argue-eval score -o`` wrote.

    Raises:
        InputError: a file has errors, or two files have the same run.
    """
    found: dict[str, System] = {}
    for file, score, signature in _scores_in(paths):
        system = found.setdefault(score.run_id, System(score.run_id, {}, signature, file))
        if system.file != file:
            message = f"the run {shorten(score.run_id)} is in {system.file} too"
            hint = "name each run once"
            raise InputError(Finding("duplicate_run", message, hint, file))
        _add(system, score)
    return list(found.values())


def _add(system: System, score: Score) -> None:
    """Adds a value. trec_eval's layout has a line more for each bound."""
    measure, topic_id, value = score.measure, score.topic_id, score.value
    lower, upper = score.bounds or (value or 0.0, value or 0.0)
    for end in ("lower", "upper"):
        stem = measure.removesuffix(f"_{end}")
        if stem != measure:
            rows = system.rows.setdefault(stem, {})
            row = rows.get(topic_id) or MeasureValue(stem, topic_id, None, lower, upper)
            bound = value or 0.0
            rows[topic_id] = (
                row._replace(lower=bound) if end == "lower" else row._replace(upper=bound)
            )
            return
    system.rows.setdefault(measure, {})[topic_id] = MeasureValue(
        measure, topic_id, value, lower, upper, is_count=score.is_count
    )


def of_scores(runs: Iterable[ScoredRun]) -> list[System]:
    """Takes the values of runs that were scored just now."""
    found = []
    for table in (run.table for run in runs):
        system = System(table.run_id, {}, table.signature)
        for row in table.rows:
            system.rows.setdefault(row.measure, {})[row.topic_id] = row
        found.append(system)
    return found


def _scores_in(paths: Sequence[str]) -> Iterator[tuple[str, Score, str]]:
    """Yields the scores of all files, each with its file and the signature that stands beside it.

    Raises:
        InputError: a file has errors, or a folder has none.
    """
    for path in paths:
        files = files_of(path, f"*{_SUFFIXES[0]}")
        if not files:
            message = f"the folder has no file *{_SUFFIXES[0]}"
            hint = "name a folder that argue-eval score -o wrote, or the score files"
            raise InputError(Finding("no_scores", message, hint, path))
        for file in files:
            run_id, signature = _meta(file)
            for score in read_scores(file):
                yield file, score._replace(run_id=run_id) if run_id else score, signature


def _meta(file: str) -> tuple[str, str]:
    """The run id and the signature that stand beside a file of ``score -o``; empty if none do."""
    stem = next((file.removesuffix(each) for each in _SUFFIXES if file.endswith(each)), None)
    path = Path(f"{stem}.meta.json")
    content = Source(str(path)).document() if stem is not None and path.is_file() else None
    about = content if isinstance(content, dict) else {}
    run_id, signature = about.get("run_id"), about.get("signature")
    return (
        run_id if isinstance(run_id, str) else "",
        signature if isinstance(signature, str) else "",
    )


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
