"""SummHay's labels: a list of summaries with `annotation` and `predictions_…` (insight, bullet)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import argue_eval.formats.summhay_files as summhay
from argue_eval.errors import InputError, describe, shorten
from argue_eval.formats.checking import MISSING, Check, Fields, each_object, json_items
from argue_eval.formats.jsonl import JsonPath, Source
from argue_eval.formats.judgments.canonical import KnownNuggets
from argue_eval.formats.shapes import BUILT_IN
from argue_eval.records import Judgment, Kind, TopicNuggets, Verdict

VERDICTS = {
    "fully_covered": Verdict.YES,
    "partially_covered": Verdict.PARTIAL,
    "not_covered": Verdict.NO,
    "FULL_COVERAGE": Verdict.YES,
    "PARTIAL_COVERAGE": Verdict.PARTIAL,
    "NO_COVERAGE": Verdict.NO,
}
_SHAPES = [{*each.shape} for each in BUILT_IN["judgments"] if each.name == "summhay_labels"]
_NO_BULLET = ("no_selection", "NA")
_SEVERAL = re.compile(r"[0-9]+( *, *[0-9]+)+")


class Label(NamedTuple):
    """What a judge says about one insight.

    Attributes:
        verdict: None if the judge gave none.
        bullet: the one that covers it, counted from 0; None if none or several are named.
    """

    nugget_id: str
    verdict: Verdict | None
    bullet: int | None


def labels(fields: Fields, key: str, num_bullets: int | None) -> Iterator[Label]:
    """Yields the labels of one judge for one summary.

    Bullets count from 0 in `candidate_id` and from 1 in `bullet_id`.

    Args:
        num_bullets: of the summary; None if the file does not say.
    """
    seen = set()
    for entry in fields.objects(key):
        nugget_id = entry.identifier("insight_id")
        if nugget_id in seen:
            message = f"the insight {shorten(nugget_id)} is labelled again"
            fields.check.error("duplicate_label", message, entry.path, hint="keep one of the two")
        seen.add(nugget_id)
        word, path = entry.take("coverage")
        verdict = _verdict(fields.check, word, path) if word is not MISSING else None
        first = 0 if "candidate_id" in entry.rest else 1
        # Whatever bullet is named for an insight that is not covered, it covers nothing.
        bullet = None if verdict is Verdict.NO else _bullet(entry, first, num_bullets)
        yield Label(nugget_id, verdict, bullet)


def judgments_of(
    found: Iterable[Label], topic_id: str, run_id: str, judge: str, known: KnownNuggets
) -> Iterator[Judgment]:
    """Yields what labels say: a judgment of the summary as a whole and, where one bullet is named,
    that of the bullet.
    """
    for label in found:
        for place in (None,) if label.bullet is None else (None, label.bullet):
            if label.verdict is not None:
                judgment = Judgment(
                    kind=Kind.COVERS,
                    topic_id=topic_id,
                    verdict=label.verdict,
                    judge=judge,
                    run_id=run_id,
                    sentence_index=place,
                    nugget_id=label.nugget_id,
                )
                yield known.look_up(judgment)


def _verdict(check: Check, word: Any, path: JsonPath) -> Verdict | None:
    """The verdict; None for null, which means that the judge failed."""
    if type(word) is str and word in VERDICTS:
        return VERDICTS[word]
    if word is not None:
        words = ", ".join(repr(each) for each in VERDICTS)
        message = f"expected one of {words}, found {describe(word)}"
        hint = "null says that the judge gave no label"
        check.error("bad_verdict", message, path, hint=hint)
    return None


def _bullet(entry: Fields, first: int, num_bullets: int | None) -> int | None:
    """The one bullet that is named, counted from 0; None if none or several are."""
    value, path = entry.take("candidate_id", "bullet_id", required=False)
    check = entry.check
    if type(value) is list and len(value) == 1:
        value, path = value[0], (*path, 0)
    if value is MISSING or type(value) is list or value in _NO_BULLET:
        return None
    if type(value) is str and _SEVERAL.fullmatch(value):
        return None
    if type(value) is str and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if type(value) is not int:
        check.wrong_type("the number of a bullet", value, path)
        return None
    place = value - first
    if place < 0 or (num_bullets is not None and place >= num_bullets):
        known = f"bullets from {first} on"
        if num_bullets is not None:
            known = f"{num_bullets} bullets, from {first} on"
        message = f"there is no bullet {shorten(value)}: the summary has {known}"
        check.error("no_such_bullet", message, path, hint="name a bullet that it has")
        return None
    return place


# --- the file: a list of summaries ---

ASSESSOR = "assessor:annotation"
"""The judge of `annotation`: the people who annotated the summaries."""

_ANNOTATION, _PREDICTIONS = "annotation", "predictions_"


class Summary(NamedTuple):
    """What the file says about a summary besides its labels.

    Attributes:
        system: who wrote it: `generator`, or `summary_key` where that is absent.
        num_bullets: None if the file does not say.
        num_words: of all bullets, as the file says or, where it has their texts, between white
            space; None if it does not say.
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
    for top in each_object(check, values):
        topic_id, run_id = top.identifier("subtopic_id"), summhay.run_id_of(top)
        if (topic_id, run_id) in seen:
            message = f"the summary {shorten(run_id)} of {shorten(topic_id)} occurs again"
            check.error("duplicate_report", message, hint="keep one of the two", topic_id=topic_id)
        seen.add((topic_id, run_id))
        num_bullets = _summary(top, topic_id, run_id).num_bullets
        for key in [key for key in top.rest if key == _ANNOTATION or _is_prediction(key)]:
            found = labels(top, key, num_bullets)
            yield from judgments_of(found, topic_id, run_id, _judge(key), known)


def read_summaries(source: Source) -> Iterator[Summary]:
    """Yields what a file in this format says about its summaries; nothing from other files.

    The file has been read before, and found good.
    """
    check = Check(source)
    values = json_items(check)
    try:
        first = next(values, None)
    except InputError:  # a table, say
        return
    for value in chain([first], values):
        if type(value) is not dict or not any(value.keys() >= shape for shape in _SHAPES):
            return
        top = Fields(check, {**value})
        topic_id, run_id = top.identifier("subtopic_id"), summhay.run_id_of(top)
        summary = _summary(top, topic_id, run_id)
        failures = [
            (_judge(key), label.nugget_id)
            for key in value
            if _is_prediction(key)
            for label in labels(top, key, summary.num_bullets)
            if label.verdict is None
        ]
        yield summary._replace(failures=tuple(failures))


def _is_prediction(key: str) -> bool:
    return key.startswith(_PREDICTIONS) and len(key) > len(_PREDICTIONS)


def _judge(key: str) -> str:
    return ASSESSOR if key == _ANNOTATION else key.removeprefix(_PREDICTIONS)


def _summary(top: Fields, topic_id: str, run_id: str) -> Summary:
    """What a summary says about itself, or what its bullets' texts show."""
    system = top.text("generator", required=False) or run_id
    num_bullets, num_words = top.whole("n_bullets"), top.whole("num_words")
    if "summary" in top.rest:
        texts = [text for text, _ in top.items("summary")]
        num_bullets = len(texts) if num_bullets is None else num_bullets
        if num_words is None:
            num_words = sum(len(str(text).split()) for text in texts)
    return Summary(topic_id, run_id, system, num_bullets, num_words)
