"""What a researcher types: `score` and `judge`, over files or over records that were read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from math import isfinite
from os import PathLike, fspath
from typing import Any

from argue_eval.errors import Finding, UsageError, option, unknown_name
from argue_eval.evaluation.inputs import Job, check_choices
from argue_eval.evaluation.judging import JudgeNames
from argue_eval.evaluation.pipeline import evaluate
from argue_eval.evaluation.results import Scores
from argue_eval.evaluation.scoring import nothing_measured
from argue_eval.formats.files import listed, path_of
from argue_eval.judges import Judge, Settings
from argue_eval.records import (
    DEFAULT_WEIGHTS,
    Document,
    Judgment,
    ReportRequest,
    Run,
    ScoringOptions,
    TopicNuggets,
)

File = str | PathLike[str]
Runs = File | Run | Iterable[File | Run]
"""A run, or several: files or runs that were read."""
Nuggets = File | Iterable[File | TopicNuggets]
Topics = File | Iterable[File | ReportRequest]
Collection = File | Iterable[File | Document]
"""Documents, or files of them (``irds:ID`` is a data set of ir_datasets)."""
Judgments = File | Iterable[File | Judgment]
"""Judgments, or files of them, of which the first is used first."""


def score(
    runs: Runs,
    nuggets: Nuggets,
    *,
    topics: Topics | None = None,
    collection: Collection = (),
    judgments: Judgments = (),
    judge: str | Judge = "lexical",
    support: str | Judge | None = None,
    nugget: str | Judge | None = None,
    sentence: str | Judge | None = None,
    store: File | None = None,
    measures: str | Sequence[str] = (),
    protocol: str = "argue",
    reading: str = "argue",
    citations: str = "all",
    attestation: str = "cited-document",
    covers: str = "",
    weights: Mapping[str, float] = DEFAULT_WEIGHTS,
    only_answered: bool = False,
    judged_only: bool = False,
    citation_order: str = "first",
    by: str | Sequence[str] = (),
    response_points: File | Sequence[File] = (),
    settings: Settings | None = None,
) -> Scores:
    """Scores runs against nuggets, as ``argue-eval score`` does.

    Args:
        topics: the report requests: the topics to average over. Without them, all that have
            nuggets.
        collection: the documents that citations name.
        judgments: what is judged already. It is used first.
        judge: who answers what they leave open: ``lexical``, ``nli:MODEL``, ``llm:MODEL``, a
            plug-in, ``cascade:lexical,llm:MODEL``, ``none``, or a judge that you have made.
        support: the judge of support, if another; likewise `nugget` and `sentence`.
        store: a file that keeps what judges answer, so that nothing is asked twice.
        measures: measures, families, or ``all``; by default those of the protocol.
        reading, citations, attestation, covers, weights, only_answered, judged_only,
            citation_order: see docs/measures.md.
        by: keys of the requests or nuggets; every measure is averaged over the topics of each value
            too.
        response_points: files of key points that were extracted from the runs' responses.
        settings: how models are asked.

    Returns:
        The scores of every run. Warnings are in `Scores.warnings`.

    Raises:
        InputError: some input has errors; all of them are in its `findings`.
        UsageError: a name or an option is unknown, or has no effect.
        MissingResourceError: a file, a model or an optional package is missing.
    """
    options = ScoringOptions(
        reading=reading,
        citations=citations,
        attestation=attestation,
        weights=_weights(weights),
        only_answered=only_answered,
        judged_only=judged_only,
        citation_order=citation_order,
        covers=covers or "",
    )
    check_choices(options)
    job = Job(
        runs=listed("runs", runs, Run),
        nuggets=listed("nuggets", nuggets, TopicNuggets),
        topics=[] if topics is None else listed("topics", topics, ReportRequest),
        collections=_several("collection", collection, Document),
        judgments=_several("judgments", judgments, Judgment),
        judges=JudgeNames.of(support or judge, nugget or judge, sentence or judge),
        measures=_names("measures", measures),
        options=options,
        protocol=protocol,
        store=None if store is None else path_of("store", store),
        settings=option("settings", settings, Settings),
        by=_names("by", by),
        response_points=_names("response_points", response_points),
    )
    warnings: list[Finding] = []
    scored = list(evaluate(job, warnings))
    warnings += nothing_measured(each.table for each in scored)
    return Scores(scored, warnings)


def judge(
    runs: Runs,
    nuggets: Nuggets,
    *,
    topics: Topics | None = None,
    collection: Collection = (),
    known: Judgments = (),
    judge: str | Judge = "lexical",
    support: str | Judge | None = None,
    nugget: str | Judge | None = None,
    sentence: str | Judge | None = None,
    store: File | None = None,
    measures: str | Sequence[str] = (),
    protocol: str = "argue",
    reading: str = "argue",
    attestation: str = "cited-document",
    covers: str = "",
    response_points: File | Sequence[File] = (),
    settings: Settings | None = None,
) -> list[Judgment]:
    """Asks judges what the measures depend on, as ``argue-eval judge`` does.

    Args:
        known: what is judged already. It is used first, and not asked again.

    Returns:
        Every judgment on which the scores of the runs rest, known ones too. A question that a judge
        could not answer has none; ``score`` says why.

    Raises:
        InputError, UsageError, MissingResourceError: as `score`, which has the other arguments too.
    """
    scores = score(
        runs,
        nuggets,
        topics=topics,
        collection=collection,
        judgments=known,
        judge=judge,
        support=support,
        nugget=nugget,
        sentence=sentence,
        store=store,
        measures=measures,
        protocol=protocol,
        reading=reading,
        attestation=attestation,
        covers=covers,
        response_points=response_points,
        settings=settings,
    )
    used: Iterable[Judgment] = (each for run in scores.values() for each in run.used_judgments())
    return list(dict.fromkeys(used))


def _weights(given: Any) -> dict[str, float]:
    if given is not None and not isinstance(given, Mapping):
        found = type(given).__name__
        raise UsageError(f"weights: expected numbers by importance, {{'vital': 2}}, found {found}")
    for importance, weight in (given or {}).items():
        if importance not in DEFAULT_WEIGHTS:
            raise unknown_name("importance in weights", importance, DEFAULT_WEIGHTS)
        if not isinstance(weight, (int, float)) or not isfinite(weight) or weight < 0:
            raise UsageError(f"weights: expected 0 or more for {importance!r}, found {weight!r}")
    return {**DEFAULT_WEIGHTS, **(given or {})}


def _names(name: str, given: Any) -> list[str]:
    if given is None:
        return []
    is_one = isinstance(given, (str, PathLike)) or not isinstance(given, Iterable)
    found = [given] if is_one else list(given)
    for each in found:
        if not isinstance(each, (str, PathLike)):
            raise UsageError(f"{name}: expected a name or names, found {type(each).__name__}")
    return [fspath(each) for each in found]


def _several(name: str, given: Any, record: type) -> list[Any]:
    """Files, and one list of all records in the place of the first; empty if nothing is given."""
    if given is None or (isinstance(given, Sized) and not given):
        return []
    found: list[Any] = []
    records: list[Any] = []
    for each in listed(name, given, record):
        if isinstance(each, str):
            found.append(each)
            continue
        if not records:
            found.append(records)
        records.append(each)
    return found
