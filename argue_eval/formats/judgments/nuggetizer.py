"""JSON lines with `qid`, `run_id` and `nuggets` of `text` and `assignment` (nuggetizer)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from argue_eval.errors import describe, shorten
from argue_eval.formats.assignments import squeezed
from argue_eval.formats.checking import MISSING, Check, Fields, each_object
from argue_eval.records import Judgment, Kind, TopicNuggets, Verdict

SHAPES = (("qid", "run_id", "nuggets.assignment"),)

JUDGE = "nugget_assignment"
"""Who assigned the nuggets is not in the file: assessors, or a language model."""

VERDICTS = {
    "support": Verdict.YES,
    "partial_support": Verdict.PARTIAL,
    "not_support": Verdict.NO,
}
_FAILED = "failed"

_Assigned = list[tuple[str, Verdict | None]]
"""The texts of an answer's nuggets with their verdicts; None if a nugget is not judged."""


def read(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
) -> Iterator[Judgment]:
    """Yields how far each answer as a whole supports each nugget. The files name nuggets by their
    texts: without any at hand, the first line of a topic numbers them.
    """
    topics = {topic.topic_id: _Ids.of_topic(topic) for topic in nuggets}
    for top in each_object(check, values):
        topic_id = top.identifier("qid", or_number=True)
        run_id = top.identifier("run_id")
        if nuggets and topic_id not in topics:
            message = f"no nuggets for the topic {shorten(topic_id)} of these assignments"
            hint = "they have no effect; are these the assignments of these nuggets?"
            check.warn("unknown_topic", message, ("qid",), hint=hint, once=True)
            continue
        assigned = _plain(top.rest.get("nuggets")) or _checked(top)
        texts = [text for text, _ in assigned]
        ids = topics.setdefault(topic_id, _Ids())
        if not nuggets:
            ids.number(texts)
        for place, nugget_id in enumerate(ids.find(texts)):
            text, verdict = assigned[place]
            if not nugget_id:
                message = f"the topic {shorten(topic_id)} has no nugget {shorten(text)}"
                hint = "the assignment has no effect; is it one of these nuggets?"
                path = ("nuggets", place)
                check.warn("unknown_nugget", message, path, hint=hint, once=True)
            elif verdict is not None:
                yield Judgment(
                    kind=Kind.COVERS,
                    topic_id=topic_id,
                    verdict=verdict,
                    judge=JUDGE,
                    run_id=run_id,
                    nugget_id=nugget_id,
                )


class _Ids:
    """The ids of a topic's nuggets by their texts, whatever spaces these have."""

    def __init__(self) -> None:
        self._by_text: dict[str, list[str]] = {}
        self._last: tuple[list[str], list[str]] = ([], [])

    @classmethod
    def of_topic(cls, topic: TopicNuggets) -> _Ids:
        """Those of nuggets that are at hand."""
        ids = cls()
        for nugget in topic.nuggets:
            if nugget.is_claim:
                ids._add(nugget.answers[0].answer, nugget.nugget_id)
        return ids

    def number(self, texts: Iterable[str]) -> None:
        """Gives ids to the first nuggets that are seen: those that they have when they are read."""
        if not self._by_text:
            for place, text in enumerate(texts, 1):
                self._add(text, f"n{place}")

    def find(self, texts: list[str]) -> list[str]:
        """The id of each nugget, empty for one that is unknown. Of several with the same text, the
        ids are in their order.
        """
        if texts != self._last[0]:  # mostly, all runs have the same nuggets in the same order
            taken: dict[str, int] = {}
            found = []
            for key in map(squeezed, texts):
                ids, place = self._by_text.get(key, ()), taken.get(key, 0)
                taken[key] = place + 1
                found.append(ids[place] if place < len(ids) else "")
            self._last = (texts, found)
        return self._last[1]

    def _add(self, text: str, nugget_id: str) -> None:
        self._by_text.setdefault(squeezed(text), []).append(nugget_id)


def _plain(entries: Any) -> _Assigned | None:
    """The nuggets of a line; None if anything about them is unusual."""
    try:
        found: _Assigned = [
            (each["text"].strip(), VERDICTS[each["assignment"]]) for each in entries
        ]
    except (AttributeError, KeyError, TypeError):
        return None
    return found if all(text for text, _ in found) else None


def _checked(top: Fields) -> _Assigned:
    """The nuggets of a line; what is wrong with them is noted."""
    entries = top.objects("nuggets")
    return [(entry.text("text", blank=False), _verdict(entry)) for entry in entries]


def _verdict(entry: Fields) -> Verdict | None:
    """The verdict; None if the nugget could not be assigned, or there is an error."""
    word, path = entry.take("assignment")
    if type(word) is str and word in VERDICTS:
        return VERDICTS[word]
    if word is None or word == _FAILED:
        message = f"a nugget whose assignment is {describe(word)} is not judged"
        entry.check.warn("no_verdict", message, path, hint="assign it again", once=True)
    elif word is not MISSING:
        words = ", ".join(map(repr, (*VERDICTS, _FAILED)))
        message = f"expected one of {words}, found {describe(word)}"
        entry.check.error("bad_verdict", message, path)
    return None
