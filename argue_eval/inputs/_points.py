"""Key points that were extracted from the responses of runs: ``--response-points``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from argue_eval import formats, signature
from argue_eval.crosschecks import Warnings, some
from argue_eval.errors import Finding, InputError, shorten
from argue_eval.records import TopicNuggets

_HINT = "argue-eval nuggets extract --run RUN writes such files, one for each run"


class ResponsePoints(NamedTuple):
    """The claims of reports by topic and run, and a digest of them all; empty without any."""

    by_topic: Mapping[str, Mapping[str, tuple[str, ...]]]
    digest: str


def read_response_points(
    paths: Sequence[str], run_ids: Collection[str], odd: Warnings
) -> ResponsePoints:
    """Returns the key points of the runs at hand.

    Raises:
        InputError: a file has errors, or does not say whose responses it is about.
        MissingResourceError: there is no such file.
    """
    by_topic: dict[str, dict[str, tuple[str, ...]]] = {}
    digests = []
    for path in paths:
        topics = formats.read_nuggets(path)
        others = dict.fromkeys(_run_id(topic, path) for topic in topics)
        for topic in topics:
            claims = [each.answers[0].answer for each in topic.nuggets if each.is_claim]
            by_topic.setdefault(topic.topic_id, {})[_run_id(topic, path)] = tuple(claims)
        digests.append(signature.of_nuggets(topics))
        unknown = [run_id for run_id in others if run_id not in run_ids]
        if unknown:
            message = f"key points of a run that is not scored: {some(unknown)}"
            odd.add(path, "unknown_run", message, "check the run ids")
    return ResponsePoints(by_topic, "+".join(digests))


def _run_id(topic: TopicNuggets, path: str) -> str:
    run_id = topic.extra.get("run_id")
    if isinstance(run_id, str) and run_id:
        return run_id
    message = f"topic {shorten(topic.topic_id)} does not say whose response it is: no 'run_id'"
    raise InputError(Finding("missing_key", message, _HINT, path, topic_id=topic.topic_id))
