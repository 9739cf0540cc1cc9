"""Key points that were extracted from the responses of runs: ``--response-points``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from argue_eval.errors import Finding, Findings, InputError, count, shorten, some
from argue_eval.evaluation.scoring import of_nuggets
from argue_eval.formats.reading import read_nuggets
from argue_eval.records import TopicNuggets

_HINT = "argue-eval curate extract --run RUN writes such files, one for each run"


class ResponsePoints(NamedTuple):
    """The claims of reports by topic and run, and a digest of them all; empty without any."""

    by_topic: Mapping[str, Mapping[str, tuple[str, ...]]]
    digest: str


def read_response_points(
    paths: Sequence[str], run_ids: Collection[str], topic_ids: Collection[str], findings: Findings
) -> ResponsePoints:
    """Reads the key points of the runs; a topic that a run's file lacks has none.

    Raises:
        InputError: a file has errors, or does not say whose responses it is about.
        MissingResourceError: there is no such file.
    """
    by_topic: dict[str, dict[str, tuple[str, ...]]] = {topic_id: {} for topic_id in topic_ids}
    digests = []
    file_of: dict[str, str] = {}
    for path in paths:
        topics = read_nuggets(path)
        digests.append(of_nuggets(topics))
        of_runs: dict[str, dict[str, tuple[str, ...]]] = {}
        for topic in topics:
            claims = [each.answers[0].answer for each in topic.nuggets if each.is_claim]
            of_runs.setdefault(_run_id(topic, path), {})[topic.topic_id] = tuple(claims)
        for run_id, claims_of in of_runs.items():
            if run_id in file_of:
                message = (
                    f"the key points of the run {shorten(run_id)} are in {file_of[run_id]} too"
                )
                hint = "put those of all its topics into one file"
                raise InputError(Finding("duplicate_run", message, hint, path))
            file_of[run_id] = path
            if run_id not in run_ids:
                message = f"key points of the run {shorten(run_id)}, which is not scored"
                findings.warn("unknown_run", message, "check the run ids", file=path)
            lacking = [topic_id for topic_id in topic_ids if topic_id not in claims_of]
            if lacking:
                message = f"no key points for {count(len(lacking), 'topic')}: {some(lacking)}"
                hint = "kpp is undefined there if the run has a report"
                findings.warn("topic_without_points", message, hint, file=path)
            for topic_id in topic_ids:
                by_topic[topic_id][run_id] = claims_of.get(topic_id, ())
    others = sorted(set(run_ids) - file_of.keys())
    if file_of and others:
        message = f"no key points for {count(len(others), 'run')}: {some(others)}"
        hint = "kpp there is over key points of the question: it does not compare; name their files"
        findings.warn("run_without_points", message, hint, file=paths[0])
    return ResponsePoints(by_topic, "+".join(digests))


def _run_id(topic: TopicNuggets, path: str) -> str:
    run_id = topic.extra.get("run_id")
    if isinstance(run_id, str) and run_id:
        return run_id
    message = f"topic {shorten(topic.topic_id)} does not say whose response it is: no 'run_id'"
    raise InputError(Finding("missing_key", message, _HINT, path, topic_id=topic.topic_id))
