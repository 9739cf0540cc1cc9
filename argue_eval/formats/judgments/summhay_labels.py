"""SummHay's labels: a list of summaries with `annotation` and `predictions_…` (insight, bullet)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from argue_eval.errors import shorten
from argue_eval.formats.checking import Check, Fields, as_fields
from argue_eval.formats.items import json_items
from argue_eval.formats.jsonl import Source
from argue_eval.formats.judgments._known import KnownNuggets
from argue_eval.formats.judgments._labels import judgments_of, labels
from argue_eval.records import Judgment, TopicNuggets

SHAPES = (("subtopic_id", "summary_key", "annotation"),)

ASSESSOR = "assessor:annotation"
"""The judge of `annotation`: the people who annotated the summaries."""

_ANNOTATION, _PREDICTIONS = "annotation", "predictions_"


class Summary(NamedTuple):
    """What the file tells about a summary besides its labels.

    Attributes:
        system: who wrote it: `generator`, or `summary_key` where that is absent.
        num_bullets: None if the file does not tell.
        num_words: of all bullets, as the file says or, where it has their texts, between white
            space; None if it does not tell.
        failures: (judge, nugget_id) where a judge was asked and gave no label (null).
    """

    topic_id: str
    run_id: str
    system: str
    num_bullets: int | None
    num_words: int | None
    failures: tuple[tuple[str, str], ...] = ()


def read(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
) -> Iterator[Judgment]:
    """Yields for each label the judgment of the summary as a whole and, where one bullet is named,
    that of the bullet.

    The subtopic is the topic, the summary's key the run, the insight the nugget.
    """
    known = KnownNuggets(nuggets, check)
    seen: set[tuple[str, str]] = set()
    for value in values:
        top = as_fields(check, value)
        if top is None:
            continue
        topic_id, run_id = top.identifier("subtopic_id"), top.identifier("summary_key")
        if (topic_id, run_id) in seen:
            message = f"the summary {shorten(run_id)} of {shorten(topic_id)} occurs again"
            check.error("duplicate_report", message, hint="keep one of the two", topic_id=topic_id)
        seen.add((topic_id, run_id))
        num_bullets = _facts(top, run_id).num_bullets
        for key in [key for key in top.rest() if key == _ANNOTATION or _is_prediction(key)]:
            for label in labels(top, key, num_bullets):
                for judgment in judgments_of(label, topic_id, run_id, _judge(key)):
                    known.look_up(judgment)
                    yield judgment


def read_summaries(source: Source) -> Iterator[Summary]:
    """Yields what a file in this format tells about its summaries; nothing from another file.

    The file has been read before, and found good.
    """
    check = Check(source)
    for value in json_items(check):
        if type(value) is not dict or any(key not in value for key in SHAPES[0]):
            return
        top = Fields(check, value)
        topic_id, run_id = top.identifier("subtopic_id"), top.identifier("summary_key")
        facts = _facts(top, run_id)
        failures = [
            (_judge(key), label.nugget_id)
            for key in value
            if _is_prediction(key)
            for label in labels(top, key, facts.num_bullets)
            if label.verdict is None
        ]
        yield Summary(topic_id, run_id, *facts, tuple(failures))


def _is_prediction(key: str) -> bool:
    return key.startswith(_PREDICTIONS) and len(key) > len(_PREDICTIONS)


def _judge(key: str) -> str:
    return ASSESSOR if key == _ANNOTATION else key.removeprefix(_PREDICTIONS)


class _Facts(NamedTuple):
    system: str
    num_bullets: int | None
    num_words: int | None


def _facts(top: Fields, run_id: str) -> _Facts:
    """Returns what a summary says about itself, or what can be told from its bullets' texts."""
    system = top.text("generator", required=False) or run_id
    num_bullets, num_words = top.whole("n_bullets"), top.whole("num_words")
    if "summary" in top:
        texts = [text for text, _ in top.items("summary")]
        num_bullets = len(texts) if num_bullets is None else num_bullets
        if num_words is None:
            num_words = sum(len(str(text).split()) for text in texts)
    return _Facts(system, num_bullets, num_words)
