"""SummHay's labels: how an insight is covered by a summary, and by which bullet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from argue_eval.errors import describe, shorten
from argue_eval.formats.checking import MISSING, Check, Fields
from argue_eval.formats.jsonl import JsonPath
from argue_eval.records import Judgment, Kind, Verdict

VERDICTS = {
    "fully_covered": Verdict.YES,
    "partially_covered": Verdict.PARTIAL,
    "not_covered": Verdict.NO,
    "FULL_COVERAGE": Verdict.YES,
    "PARTIAL_COVERAGE": Verdict.PARTIAL,
    "NO_COVERAGE": Verdict.NO,
}
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
        num_bullets: of the summary; None if the file does not tell.
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
        first = 0 if "candidate_id" in entry else 1
        # Whatever bullet is named for an insight that is not covered, it covers nothing.
        bullet = None if verdict is Verdict.NO else _bullet(entry, first, num_bullets)
        yield Label(nugget_id, verdict, bullet)


def judgments_of(label: Label, topic_id: str, run_id: str, judge: str) -> Iterator[Judgment]:
    """Yields what a label says: a judgment of the summary as a whole and, where one bullet is
    named, that of the bullet.
    """
    if label.verdict is None:
        return
    whole = Judgment(
        Kind.COVERS, topic_id, label.verdict, judge, run_id=run_id, nugget_id=label.nugget_id
    )
    yield whole
    if label.bullet is not None:
        yield whole._replace(sentence_index=label.bullet)


def _verdict(check: Check, word: Any, path: JsonPath) -> Verdict | None:
    """Returns the verdict; None for null, which says that the judge failed."""
    if type(word) is str and word in VERDICTS:
        return VERDICTS[word]
    if word is not None:
        words = ", ".join(repr(each) for each in VERDICTS)
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
