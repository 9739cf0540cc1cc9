"""What the readers of assignments have in common: a line per run and topic.

A line is a report, the topic's nuggets or criteria, and how each of them was assigned, at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from argue_eval.errors import describe, shorten
from argue_eval.formats.checking import MISSING, Check, Fields, each_object
from argue_eval.records import Judgment, Kind, Report, Sentence, TopicNuggets, Verdict, nfc

ASSIGNED = ("run_id", "answer_text", "response_length")
"""The keys of a line that are about the report, not about the topic."""

SUB_NARRATIVE = "mapped_sub_narrative"
"""The key of the part of the topic's narrative to which a nugget belongs (RAG 2025)."""

_FAILED = "failed"


class Layout(NamedTuple):
    """The names that differ.

    Attributes:
        items: the key of the list of nuggets or criteria.
        label: the key of what an item was assigned.
        verdicts: what the words under it say.
        judge: who assigned them, which the files do not say.
        has_answers: has every line the text of the answer, and the id of its run?
    """

    items: str
    label: str
    verdicts: Mapping[str, Verdict]
    judge: str
    has_answers: bool = True


NUGGETIZER = Layout(
    items="nuggets",
    label="assignment",
    verdicts={
        "support": Verdict.YES,
        "partial_support": Verdict.PARTIAL,
        "not_support": Verdict.NO,
    },
    judge="nugget_assignment",
)

RUBRICS = Layout(
    items="criteria",
    label="verdict",
    verdicts={
        "satisfied": Verdict.YES,
        "partially_satisfied": Verdict.PARTIAL,
        "not_satisfied": Verdict.NO,
    },
    judge="rubric_grading",
    has_answers=False,
)


def squeezed(text: str) -> str:
    """A text by which nuggets are compared: files differ in spaces.

    >>> squeezed(" Two  pumps\\nfailed. ")
    'Two pumps failed.'
    """
    return " ".join(nfc(text).split())


# --- the reports ---


def reports(values: Iterable[Any], check: Check, *, layout: Layout) -> Iterator[Report]:
    """Yields a report for each line: a single sentence, since only its whole text is there.

    Without a ``run_id``, where a line need not have one, its run is called as the file is.
    """
    seen: set[tuple[str, str]] = set()
    left_out = (layout.items, *ASSIGNED)
    for top in each_object(check, values):
        num_errors = len(check.errors)
        topic_id = top.identifier("qid", or_number=True)
        run_id = _run_id(top, layout)
        has_text = layout.has_answers or top.rest.get("answer_text") is not None
        text = top.text("answer_text", required=has_text)
        if (topic_id, run_id) in seen:
            message = f"the answer of {shorten(run_id)} to {shorten(topic_id)} occurs again"
            check.error("duplicate_report", message, hint="keep one of the two", topic_id=topic_id)
        if len(check.errors) > num_errors:
            continue
        seen.add((topic_id, run_id))
        yield Report(
            topic_id=topic_id,
            run_id=run_id,
            sentences=(Sentence(text=text),) if text.strip() else (),
            line=check.line,
            extra={key: value for key, value in top.rest.items() if key not in left_out},
            has_text=has_text,
        )


def _run_id(top: Fields, layout: Layout) -> str:
    if layout.has_answers or "run_id" in top.rest:
        return top.identifier("run_id")
    return top.check.source.stem


# --- the judgments ---

_Assigned = list[tuple[str, Verdict | None]]
"""The texts of an answer's nuggets with their verdicts; None if a nugget is not judged."""


def judgments(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = (), *, layout: Layout
) -> Iterator[Judgment]:
    """Yields how far each answer as a whole supports each nugget. The files name nuggets by their
    texts: without any at hand, the first line of a topic numbers them.
    """
    topics = {topic.topic_id: _IdsByText.of_topic(topic) for topic in nuggets}
    new, covers, judge = tuple.__new__, Kind.COVERS, layout.judge
    for top in each_object(check, values):
        topic_id = top.identifier("qid", or_number=True)
        run_id = _run_id(top, layout)
        if nuggets and topic_id not in topics:
            message = f"no nuggets for the topic {shorten(topic_id)} of these assignments"
            hint = "they have no effect; are these the assignments of these nuggets?"
            check.warn("unknown_topic", message, ("qid",), hint=hint, once=True)
            continue
        assigned = _plain(top.rest.get(layout.items), layout) or _checked(top, layout)
        texts = [text for text, _ in assigned]
        ids = topics.setdefault(topic_id, _IdsByText())
        if not nuggets:
            ids.number(texts)
        for place, nugget_id in enumerate(ids.find(texts)):
            text, verdict = assigned[place]
            if not nugget_id:
                message = f"the topic {shorten(topic_id)} has no nugget {shorten(text)}"
                hint = "the assignment has no effect; is it one of these nuggets?"
                path = (layout.items, place)
                check.warn("unknown_nugget", message, path, hint=hint, once=True)
            elif verdict is not None:
                # By position, since there are millions: by keyword, it takes twice as long.
                about = (None, run_id, None, "", nugget_id, "", None, "")
                yield new(Judgment, (covers, topic_id, verdict, judge, *about))


class _IdsByText:
    """The ids of a topic's nuggets by their texts, whatever spaces these have."""

    def __init__(self) -> None:
        self._by_text: dict[str, list[str]] = {}
        self._last: tuple[list[str], list[str]] = ([], [])

    @classmethod
    def of_topic(cls, topic: TopicNuggets) -> _IdsByText:
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


def _plain(entries: Any, layout: Layout) -> _Assigned | None:
    """The nuggets of a line; None if anything about them is unusual."""
    label, verdicts = layout.label, layout.verdicts
    try:
        found: _Assigned = [(each["text"].strip(), verdicts[each[label]]) for each in entries]
    except (AttributeError, KeyError, TypeError):
        return None
    return found if all(text for text, _ in found) else None


def _checked(top: Fields, layout: Layout) -> _Assigned:
    """The nuggets of a line; what is wrong with them is noted."""
    entries = top.objects(layout.items)
    return [(entry.text("text", blank=False), _verdict(entry, layout)) for entry in entries]


def _verdict(entry: Fields, layout: Layout) -> Verdict | None:
    """The verdict; None if the nugget could not be assigned, or there is an error."""
    word, path = entry.take(layout.label)
    if type(word) is str and word in layout.verdicts:
        return layout.verdicts[word]
    if word is None or word == _FAILED:
        message = f"a nugget whose {layout.label} is {describe(word)} is not judged"
        entry.check.warn("no_verdict", message, path, hint="assign it again", once=True)
    elif word is not MISSING:
        words = ", ".join(map(repr, (*layout.verdicts, _FAILED)))
        message = f"expected one of {words}, found {describe(word)}"
        entry.check.error("bad_verdict", message, path)
    return None
