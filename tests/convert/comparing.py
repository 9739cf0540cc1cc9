"""What differs between two lists of records, found without the code under test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from argue_eval.records import Nugget, Report, ReportRequest, TopicNuggets

Told = tuple[str, str, int | None]
"""A topic, the kind of difference, and the sentence where there is one."""


def told(topic_id: str, names: Iterable[str], sentence: int | None = None) -> set[Told]:
    """Returns differences of one topic."""
    return {(topic_id, name, sentence) for name in names}


def compared(before: list[Any], after: list[Any]) -> set[Told]:
    """Returns all differences between the records of two files, by topic."""
    found = {record.topic_id: record for record in after}
    return {
        each
        for record in before
        for each in (
            _compare(record, found[record.topic_id])
            if record.topic_id in found
            else told(record.topic_id, ["topic"])
        )
    }


def _compare(before: Any, after: Any) -> set[Told]:
    if isinstance(before, Report):
        return _reports(before, after)
    if isinstance(before, TopicNuggets):
        return _topics(before, after)
    return _requests(before, after)


def _requests(before: ReportRequest, after: ReportRequest) -> set[Told]:
    names = ("title", "problem_statement", "background", "limit", "limit_unit", "collection_ids",
             "language", "extra")  # fmt: skip
    return told(before.topic_id, _unequal(before, after, names))


def _reports(before: Report, after: Report) -> set[Told]:
    assert before.run_id == after.run_id
    names = ("team_id", "references", "documents", "metadata", "extra")
    differ = told(before.topic_id, _unequal(before, after, names))
    assert len(before.sentences) == len(after.sentences)
    for index, (old, new) in enumerate(zip(before.sentences, after.sentences, strict=True)):
        assert old.text == new.text
        assert [doc_id for doc_id, _ in old.citations] == [doc_id for doc_id, _ in new.citations]
        changed = ["scores"] if old.citations != new.citations else []
        changed += ["further_key"] if old.extra != new.extra else []
        differ |= told(before.topic_id, changed, index)
    return differ


def _topics(before: TopicNuggets, after: TopicNuggets) -> set[Told]:
    """Compares nuggets, told apart by what they say: a conversion may change their ids."""
    names: list[str] = ["further_key"] if before.extra != after.extra else []
    left = list(after.nuggets)
    places = []
    for nugget in before.nuggets:
        may_be = [each for each in left if _says(each, nugget)]
        match = next((each for each in may_be if each.question == nugget.question), None)
        match = match or next(iter(may_be), None)
        if match is None:
            names.append("nugget")
            continue
        places.append([each is match for each in after.nuggets].index(True))
        left.remove(match)
        names += _nuggets(nugget, match)
    assert not left, "a nugget out of nowhere"
    names += ["order"] if places != sorted(places) else []
    return told(before.topic_id, names)


def _says(after: Nugget, before: Nugget) -> bool:
    """Returns whether a nugget may be what became of another."""
    if after.is_claim:
        return before.is_claim and after.answers[0].answer.startswith(before.answers[0].answer)
    texts = [answer.answer for answer in before.answers]
    same = [answer.answer for answer in after.answers] == texts
    is_longer = before.question is not None and (after.question or "").startswith(before.question)
    return same and is_longer


def _nuggets(before: Nugget, after: Nugget) -> list[str]:
    fields = ("nugget_id", "question", "aggregator", "importance", "weight", "group", "extra")
    names = _unequal(before, after, fields)
    for old, new in zip(before.answers, after.answers, strict=True):
        names += ["claim"] if old.answer != new.answer else []
        names += ["doc_ids"] if old.doc_ids != new.doc_ids else []
        names += ["further_key"] if old.extra != new.extra else []
    return names


def _unequal(before: Any, after: Any, names: Iterable[str]) -> list[str]:
    changed = [name for name in names if getattr(before, name) != getattr(after, name)]
    return ["further_key" if name == "extra" else name for name in changed]
