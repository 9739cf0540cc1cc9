"""Edits of nuggets by several people, made in a bank one after the other.

An edit is made if the nuggets that it replaces are still as they were. Otherwise somebody else has
changed them: the edit is left out and reported, and so are later ones that rest on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from argue_eval.errors import Findings, shorten, some
from argue_eval.formats.files import Files, sources
from argue_eval.formats.nugget_edits import Edit, read
from argue_eval.records import EMPTY, Nugget, TopicNuggets


@dataclass(slots=True)
class Edited:
    """A bank with edits.

    Attributes:
        num_made: edits that were made; `num_repeated`: those that somebody had made before.
        left_out: edits of what somebody else had changed otherwise.
        renamed: new nuggets that got another id, since theirs was taken: the old id and the new.
    """

    topics: list[TopicNuggets]
    num_made: int = 0
    num_repeated: int = 0
    left_out: list[Edit] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)


def edit(topics: Sequence[TopicNuggets], files: Files, findings: Findings) -> Edited:
    """Makes the edits of some files in a bank; of two that contradict each other, the first one.

    Args:
        findings: a warning is added for every edit that is left out.

    Raises:
        InputError: a file has no edits, or has errors.
        MissingResourceError: there is no such file.
    """
    done = Edited(list(topics))
    places = {topic.topic_id: place for place, topic in enumerate(topics)}
    given = [{one.nugget_id: one for one in topic.nuggets} for topic in topics]
    known: set[tuple[str, ...]] = set()
    for source in sources(files, "nuggets"):
        ids: dict[tuple[str, str], str] = {}
        before = frozenset(known)
        own: set[tuple[str, str]] = set()
        for each in read(source):
            place = places.get(each.topic_id)
            known.add(_name(each))
            if each.time and _name(each) in before:  # an earlier export of the same person has it
                done.num_repeated += 1
            elif place is None:
                message = f"the bank has no topic {shorten(each.topic_id)}"
                _leave_out(each, message, _OTHER_BANK, done, findings)
            elif (edited := _edited(done.topics[place], each, ids, done)) is not None:
                done.topics[place] = edited
            else:
                told = f"{each.kind} {some([one.nugget_id for one in each.replaces])}"
                new = [one for one in each.replaces if (each.topic_id, one.nugget_id) not in own]
                if _are_there(new, given[place]):
                    message, hint = f"{told}: somebody else has changed it in another way", _LATER
                else:
                    message, hint = f"{told}: the bank has it otherwise than the sheet", _OTHER_BANK
                _leave_out(each, message, hint, done, findings)
            own |= {(each.topic_id, one.nugget_id) for one in each.by}
    return done


def _name(each: Edit) -> tuple[str, ...]:
    return each.judge, each.time, each.topic_id, each.kind, *(one.nugget_id for one in each.by)


def _edited(
    topic: TopicNuggets, each: Edit, ids: dict[tuple[str, str], str], done: Edited
) -> TopicNuggets | None:
    """The topic after an edit; None if it cannot be made.

    Args:
        ids: the new ids that nuggets of the file at hand got, by topic and old id.
    """
    replaces = [_with_id(nugget, topic.topic_id, ids) for nugget in each.replaces]
    by = [_with_id(nugget, topic.topic_id, ids) for nugget in each.by]
    there = {nugget.nugget_id: nugget for nugget in topic.nuggets}
    if not _are_there(replaces, there):
        gone = [one for one in replaces if one.nugget_id not in {new.nugget_id for new in by}]
        if _are_there(by, there) and not any(one.nugget_id in there for one in gone):
            done.num_repeated += 1
            return topic
        return None
    if not replaces and any(_core(one) == _core(new) for new in by for one in there.values()):
        done.num_repeated += 1
        return topic
    own = {one.nugget_id for one in replaces}
    taken = there.keys() - own
    for place, new in enumerate(by):
        if new.nugget_id in taken:
            names = (f"{new.nugget_id}-{number}" for number in count(2))
            ids[topic.topic_id, new.nugget_id] = next(each for each in names if each not in taken)
            done.renamed.append((new.nugget_id, ids[topic.topic_id, new.nugget_id]))
            by[place] = _with_id(new, topic.topic_id, ids)
        taken = taken | {by[place].nugget_id}
    done.num_made += 1
    nuggets = topic.nuggets  # in the place of the first that is replaced, or at the end
    first = next((at for at, one in enumerate(nuggets) if one.nugget_id in own), len(nuggets))
    kept = [one for one in nuggets if one.nugget_id not in own]
    return topic._replace(nuggets=(*kept[:first], *by, *kept[first:]))


_LATER = "the edit is left out: name its file first to prefer it, or make it by hand"
_OTHER_BANK = (
    "the edit is left out: with --bank, name the bank that the sheet was made of, or make it by "
    "hand"
)


def _leave_out(each: Edit, message: str, hint: str, done: Edited, findings: Findings) -> None:
    done.left_out.append(each)
    findings.warn(
        "edit_left_out",
        f"topic {each.topic_id}: {message}",
        hint,
        file=each.file,
        line=each.line,
        topic_id=each.topic_id,
    )


def _with_id(nugget: Nugget, topic_id: str, ids: Mapping[tuple[str, str], str]) -> Nugget:
    own = ids.get((topic_id, nugget.nugget_id))
    return nugget._replace(nugget_id=own) if own else nugget


def _are_there(wanted: Sequence[Nugget], there: Mapping[str, Nugget]) -> bool:
    """Whether nuggets are as they are wanted."""
    found = [there.get(each.nugget_id) for each in wanted]
    return all(
        own is not None and _core(own) == _core(each)
        for own, each in zip(found, wanted, strict=True)
    )


def _core(nugget: Nugget) -> Nugget:
    """What an edit can change. What else a nugget has may look different to JavaScript."""
    answers = tuple(each._replace(extra=EMPTY) for each in nugget.answers)
    return nugget._replace(answers=answers, extra=EMPTY)
