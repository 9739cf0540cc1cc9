"""Scores that ``score -o DIR`` wrote, as they were when they were made.

No judge is asked: the folder has every judgment that its scores rest on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from argue_eval.errors import (
    Finding,
    InputError,
    MissingResourceError,
    count,
    some,
    unknown_id,
)
from argue_eval.evaluation.inputs import Job
from argue_eval.evaluation.judging import JudgeNames
from argue_eval.evaluation.pipeline import evaluate
from argue_eval.evaluation.results import RunScores
from argue_eval.formats.files import path_of
from argue_eval.formats.jsonl import Source
from argue_eval.formats.reading import read_nuggets, read_topics
from argue_eval.formats.scores import DOCUMENTS, NUGGETS, REQUESTS
from argue_eval.records import DEFAULT_WEIGHTS, ReportRequest, ScoringOptions, TopicNuggets

File = str | PathLike[str]

_REPORTS, _JUDGMENTS, _META = ".reports.jsonl", ".judgments.jsonl", ".meta.json"


def read_scores(folder: File, judge: str = "none") -> ScoredFolder:
    """The scores that ``score -o`` wrote to a folder, by run, each read when it is looked up.

    Args:
        judge: who answers what is asked anew, such as when judgments are left out.

    Raises:
        InputError: the folder lacks what was scored, or was written by different commands.
        MissingResourceError: there is no such folder.
    """
    return ScoredFolder(path_of("folder", folder), judge)


class ScoredFolder(Mapping[str, RunScores]):
    """The runs of a folder that ``score -o`` wrote. None is kept in memory."""

    def __init__(self, path: str, judge: str = "none") -> None:
        self._path = Path(path)
        self._judge = judge
        if not self._path.exists():
            raise MissingResourceError(f"{path}: no such folder")
        found = sorted(self._path.glob(f"*{_REPORTS}"))
        stems = [each.name.removesuffix(_REPORTS) for each in found]
        if not found or not (self._path / NUGGETS).is_file():
            lacking = NUGGETS if found else f"*{_REPORTS}"
            message = f"expected a folder that argue-eval score -o wrote; it has no {lacking}"
            hint = "score the runs again: argue-eval score RUN... QRELS... -o DIR"
            raise InputError(Finding("no_scores", message, hint, path))
        about = {stem: self._meta(stem) for stem in stems}
        self._about = about[stems[0]]
        different = [stem for stem, each in about.items() if _way(each) != _way(self._about)]
        if different:
            message = f"runs that were scored in another way than others: {some(different)}"
            hint = "score all runs in one command, with --clean"
            raise InputError(Finding("different_signatures", message, hint, path))
        self._by_run = {str(each.get("run_id") or stem): stem for stem, each in about.items()}

    def __repr__(self) -> str:
        return f"<ScoredFolder {self._path}: {count(len(self), 'run')}>"

    def __len__(self) -> int:
        return len(self._by_run)

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_run)

    def __getitem__(self, run_id: str) -> RunScores:
        if run_id not in self._by_run:
            raise KeyError(str(unknown_id("run", run_id, self._by_run)))
        stem = self._by_run[run_id]
        judgments = self._path / f"{stem}{_JUDGMENTS}"
        job = Job(
            runs=[str(self._path / f"{stem}{_REPORTS}")],
            nuggets=self._nuggets,
            topics=self._requests,
            judgments=[str(judgments)] if _has_content(judgments) else [],
            judges=JudgeNames.of(self._judge),
            collections=[self.documents] if self.documents and self._judge != "none" else [],
            measures=self._about.get("measures") or (),
            options=self._options,
            protocol=self._about.get("protocol") or "argue",
            is_checked=True,
        )
        scores = next(evaluate(job))
        if self._judge != "none":
            return scores
        # As it was made: from the judgments of all runs, of which each keeps what it rests on.
        signature = str(self._meta(stem).get("signature"))
        return replace(scores, table=scores.table._replace(signature=signature))

    @property
    def documents(self) -> str | None:
        """The file with the texts that runs cite; None if no text was at hand."""
        path = self._path / DOCUMENTS
        return str(path) if _has_content(path) else None

    @cached_property
    def _options(self) -> ScoringOptions:
        said = self._about["options"]
        known = {key: said[key] for key in ScoringOptions._fields if said.get(key)}
        if "covers:report" in _parts(self._about):  # as a judge may have decided
            known["covers"] = "report"
        return ScoringOptions(**known)

    @cached_property
    def _nuggets(self) -> list[TopicNuggets]:
        return read_nuggets(str(self._path / NUGGETS))

    @cached_property
    def _requests(self) -> list[ReportRequest]:
        path = self._path / REQUESTS
        return read_topics(str(path)) if _has_content(path) else []

    def _meta(self, stem: str) -> Mapping[str, Any]:
        source = Source(str(self._path / f"{stem}{_META}"))
        content = source.document()
        is_known = type(content) is dict and type(content.get("options")) is dict
        weights = content["options"].get("weights") if is_known else None
        if type(weights) is not dict or weights.keys() != DEFAULT_WEIGHTS.keys():
            hint = "score the runs again"
            raise source.error("wrong_type", "the file is not as score -o wrote it", hint=hint)
        found: Mapping[str, Any] = content
        return found


def _way(about: Mapping[str, Any]) -> tuple[Any, ...]:
    """How a run was scored: options, nuggets, judgments, whatever its topics."""
    parts = [each for each in _parts(about) if not each.startswith("topics:")]
    return about.get("protocol"), about.get("measures"), parts


def _parts(about: Mapping[str, Any]) -> list[str]:
    return str(about.get("signature")).split("|")


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0
