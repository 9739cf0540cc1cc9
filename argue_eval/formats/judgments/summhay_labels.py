"""SummHay's labels: a list of summaries with `annotation` and `predictions_…` (insight, bullet)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from argue_eval.errors import describe, shorten
from argue_eval.formats._check import Check
from argue_eval.formats._fields import MISSING, Fields, as_fields
from argue_eval.formats._items import json_items
from argue_eval.formats.judgments._known import KnownNuggets
from argue_eval.jsonl import JsonPath, Source
from argue_eval.records import Judgment, Kind, TopicNuggets, Verdict

SHAPES = (("subtopic_id", "summary_key", "annotation"),)

ASSESSOR = "assessor:annotation"
"""The judge of `annotation`: the people who annotated the summaries."""

_ANNOTATION, _PREDICTIONS = "annotation", "predictions_"
_VERDICTS = {
    "fully_covered": Verdict.YES,
    "partially_covered": Verdict.PARTIAL,
    "not_covered": Verdict.NO,
    "FULL_COVERAGE": Verdict.YES,
    "PARTIAL_COVERAGE": Verdict.PARTIAL,
    "NO_COVERAGE": Verdict.NO,
}
_NO_BULLET = ("no_selection", "NA")


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

    The subtopic is the topic, the summary's key the run, the insight the nugget. Bullets count
    from 0 in `candidate_id` and from 1 in `bullet_id`. Where several bullets are named, none is
    the one that covers the insight.
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
        num_bullets = _num_bullets(top)
        for key in [key for key in top.rest() if key == _ANNOTATION or _is_prediction(key)]:
            for label in _labels(top, key, num_bullets):
                if label.verdict is None:
                    continue
                judgment = Judgment(
                    Kind.COVERS,
                    topic_id,
                    label.verdict,
                    _judge(key),
                    run_id=run_id,
                    nugget_id=label.nugget_id,
                )
                known.look_up(judgment)
                yield judgment
                if label.bullet is not None:
                    yield judgment._replace(sentence_index=label.bullet)


def read_summaries(source: Source) -> Iterator[Summary]:
    """Yields what a file in this form tells about its summaries; nothing from another file.

    The file has been read before, and found good.
    """
    check = Check(source)
    for value in json_items(check):
        if type(value) is not dict or any(key not in value for key in SHAPES[0]):
            return
        top = Fields(check, value)
        texts = value.get("summary")
        num_bullets = _num_bullets(top)
        num_words = top.whole("num_words")
        if num_words is None and type(texts) is list:
            num_words = sum(len(str(text).split()) for text in texts)
        failures = [
            (_judge(key), label.nugget_id)
            for key in value
            if _is_prediction(key)
            for label in _labels(top, key, num_bullets)
            if label.verdict is None
        ]
        yield Summary(
            value["subtopic_id"],
            value["summary_key"],
            top.text("generator", required=False) or value["summary_key"],
            num_bullets,
            num_words,
            tuple(failures),
        )


class _Label(NamedTuple):
    nugget_id: str
    verdict: Verdict | None
    bullet: int | None


def _is_prediction(key: str) -> bool:
    return key.startswith(_PREDICTIONS) and len(key) > len(_PREDICTIONS)


def _judge(key: str) -> str:
    return ASSESSOR if key == _ANNOTATION else key.removeprefix(_PREDICTIONS)


def _num_bullets(top: Fields) -> int | None:
    """Returns how many bullets the summary has: as it says, or as it has texts."""
    number = top.whole("n_bullets")
    if number is not None or "summary" not in top:
        return number
    texts, path = top.take("summary")
    if type(texts) is not list:
        top.check.wrong_type("a list of bullets", texts, path)
        return None
    return len(texts)


def _labels(top: Fields, key: str, num_bullets: int | None) -> Iterator[_Label]:
    """Yields the labels of one judge for one summary."""
    seen = set()
    for entry in top.objects(key):
        nugget_id = entry.identifier("insight_id")
        if nugget_id in seen:
            message = f"the insight {shorten(nugget_id)} is labelled again"
            top.check.error("duplicate_label", message, entry.path, hint="keep one of the two")
        seen.add(nugget_id)
        word, path = entry.take("coverage")
        verdict = _verdict(top.check, word, path) if word is not MISSING else None
        first = 0 if "candidate_id" in entry else 1
        bullet = _bullet(entry, first, num_bullets)
        if bullet is not None and verdict is Verdict.NO:
            message = "a bullet is named for an insight that is not covered"
            hint = "the bullet is left out"
            top.check.warn("unused_key", message, entry.path, hint=hint, once=True)
            bullet = None
        yield _Label(nugget_id, verdict, bullet)


def _verdict(check: Check, word: Any, path: JsonPath) -> Verdict | None:
    """Returns the verdict; None for null, which says that the judge failed."""
    if type(word) is str and word in _VERDICTS:
        return _VERDICTS[word]
    if word is not None:
        words = ", ".join(repr(each) for each in _VERDICTS)
        message = f"expected one of {words}, found {describe(word)}"
        hint = "null says that the judge gave no label"
        check.error("bad_verdict", message, path, hint=hint)
    return None


def _bullet(entry: Fields, first: int, num_bullets: int | None) -> int | None:
    """Returns the one bullet that is named, counted from 0; None if none or several are."""
    value, path = entry.take("candidate_id", "bullet_id", required=False)
    check = entry.check
    if type(value) is list and len(value) == 1:
        value, path = value[0], (*path, 0)
    if value is MISSING or type(value) is list or value in _NO_BULLET:
        return None
    if type(value) is str and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if type(value) is not int:
        check.wrong_type("the number of a bullet", value, path)
        return None
    place = value - first
    if place < 0 or (num_bullets is not None and place >= num_bullets):
        least, most = first, "" if num_bullets is None else f" to {num_bullets - 1 + first}"
        message = f"the summary has the bullets {least}{most or ' and above'}, found {value}"
        check.error("no_such_bullet", message, path, hint="name a bullet that it has")
        return None
    return place
