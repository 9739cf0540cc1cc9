"""Keys that are not read, though their names or contents are those of known ones.

Whatever a format does not know is kept, and nothing is lost when a file is converted. But document
ids under `citations`, where the format has `doc_ids`, would silently be without effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from argue_eval.errors import VERY_CLOSE, count, nearest, shorten
from argue_eval.formats.checking import Check
from argue_eval.records import Judgment, Report, ReportRequest, TopicNuggets


def _is_text(value: Any) -> bool:
    return type(value) is str and bool(value.strip())


def _ids(value: Any) -> bool:
    """Whether a value is a document id, or has several and nothing else."""
    items = [value] if type(value) is str else list(value) if type(value) in (list, dict) else []
    ids: list[Any] = [each.get("doc_id") if type(each) is dict else each for each in items]
    are_words = all(_is_text(each) and len(each.split()) == 1 for each in ids)
    return are_words and any(char.isdigit() for each in ids for char in each)


class _Known(NamedTuple):
    """A key that is read.

    Attributes:
        names: what others call it, in lower case, without separators and plural; between spaces.
        fits: whether a value may be one of it.
        is_telling: whether the value alone shows it.
    """

    names: str
    fits: Callable[[Any], Any]
    is_telling: Callable[[Any], Any] = lambda value: False


_DOCUMENTS = """
    doc docid document documentid reference citation cite source evidence attestedby attestation
    supportedby supportingdoc supportingdocument supportingdocid refid passage passageid pmid
"""


Place = tuple[str, Any, Mapping[str, Any], str]
"""A known key, its value, the keys beside it that are not read, and where this is."""

_KEYS = {
    "doc_ids": _Known(_DOCUMENTS, _ids, lambda value: type(value) is not str and _ids(value)),
    "citations": _Known(_DOCUMENTS, _ids, lambda value: type(value) is not str and _ids(value)),
    "answers": _Known(
        "answer goldanswer shortanswer response acceptableanswer",
        lambda value: value and type(value) in (list, dict),
        lambda value: type(value) is list and value and _all_have(value, "answer"),
    ),
    "nuggets": _Known(
        "nugget nuggetbank claimbank item question claim rubric keypoint",
        lambda value: value and type(value) in (list, dict),
        lambda value: type(value) is list and value and _all_have(value, "answers"),
    ),
    "importance": _Known(
        "vitality priority importancelabel label weight",
        lambda value: str(value).lower() in ("vital", "okay"),
        lambda value: type(value) is str and value.lower() in ("vital", "okay"),
    ),
    "aggregator": _Known(
        "aggregatortype aggregation operator andor", lambda value: value in ("AND", "OR")
    ),
    "problem_statement": _Known(
        "problem statement narrative question query description informationneed need request "
        "prompt task topic text",
        _is_text,
    ),
    "background": _Known("context userbackground persona userstory", _is_text),
    "limit": _Known(
        "maxlength lengthlimit charlimit characterlimit maxchar maxcharacter wordlimit maxword",
        lambda value: type(value) is int,
    ),
    "team_id": _Known("team teamname group groupid participant", _is_text),
    "run_id": _Known("run runname runtag system systemid", _is_text),
    "topic_id": _Known("topic requestid queryid qid narrativeid", bool),
    "prob": _Known("probability confidence score p likelihood", lambda value: value is not None),
    "rationale": _Known("reason reasoning explanation justification comment", _is_text),
}


def _all_have(items: list[Any], key: str) -> bool:
    return all(type(each) is dict and key in each for each in items)


@lru_cache(maxsize=10_000)
def _is_like(key: str, name: str) -> bool:
    plain, known = (
        "".join(filter(str.isalnum, each.casefold())).removesuffix("s") for each in (key, name)
    )
    is_known = name in _KEYS and plain in _KEYS[name].names.split()
    return is_known or bool(nearest(plain, [known], VERY_CLOSE))


def meant(name: str, keys: Iterable[str]) -> str:
    """The key that probably stands for a known one; an empty text if none does.

    >>> meant("doc_id", ["text", "docid"]), meant("run_id", ["run_name"]), meant("prob", ["x"])
    ('docid', 'run_name', '')
    """
    return next((key for key in keys if _is_like(key, name)), "")


Unread = dict[tuple[str, str, bool], tuple[int, int | None, str]]
"""Keys that are not read, each with the known one that it is like, and whether by its name: how
often they were seen, and the line and the place of the first."""


def note_unread(item: Any, found: Unread, check: Check) -> None:
    """Notes the keys of a record, or of a judgment as it stands in a file, that are not read and
    look like known ones.
    """
    places: Iterable[Place] = ()
    if isinstance(item, TopicNuggets):
        extras = [item.extra, *[nugget.extra for nugget in item.nuggets]]
        extras += [answer.extra for nugget in item.nuggets for answer in nugget.answers]
        places = _places_in_nuggets(item) if any(extras) else ()
    elif isinstance(item, Report) and (item.metadata or any(map(_extra_of, item.sentences))):
        places = _places_in_report(item)
    elif isinstance(item, ReportRequest) and item.extra:
        where = f"the request of topic {shorten(item.topic_id)}"
        asked = ("problem_statement", "background", "limit")
        places = [(name, getattr(item, name), item.extra, where) for name in asked]
    elif type(item) is dict and "kind" in item and "row" not in item:  # which a sheet has
        rest = {key: each for key, each in item.items() if key not in _OF_JUDGMENTS}
        said = ("prob", "rationale")
        places = [(name, item.get(name), rest, "the first judgment") for name in said]
    for name, value, extra, where in places:
        for key, is_name in _alike(name, extra) if extra and not value else ():
            seen = found.get((key, name, is_name)) or (0, check.here(), where)
            found[key, name, is_name] = seen[0] + 1, *seen[1:]


def warn_of_unread(found: Unread, check: Check) -> None:
    """Warns, once each, of the keys of a file that were noted."""
    for (key, name, is_name), (number, line, where) in found.items():
        alike = "name" if is_name else "content"
        message = (
            f"the key {shorten(key)} is not read, though its {alike} is like that of {name!r}, "
            f"which is missing or empty there: {count(number, 'time')}, first in {where}"
        )
        hint = f"rename it to {name!r}, or remove it if it is something else"
        check.warn("unread_key", message, hint=hint, line=line)


_extra_of = attrgetter("extra")


def _places_in_report(report: Report) -> Iterator[Place]:
    where = f"the report of topic {shorten(report.topic_id)}"
    yield "team_id", report.team_id, report.metadata, where
    for place, each in enumerate(report.sentences):
        yield "citations", each.citations, each.extra, f"sentence {place} of {where}"


def _places_in_nuggets(topic: TopicNuggets) -> Iterator[Place]:
    of_topic = f"topic {shorten(topic.topic_id)}"
    yield "nuggets", topic.nuggets, topic.extra, of_topic
    for nugget in topic.nuggets:
        where = f"nugget {shorten(nugget.nugget_id)} of {of_topic}"
        extra = {key: each for key, each in nugget.extra.items() if key != "importance"}
        attesting = [doc_id for answer in nugget.answers for doc_id in answer.doc_ids]
        yield "answers", nugget.answers, extra, where
        yield "importance", nugget.importance, extra, where
        yield "doc_ids", attesting, extra, where
        if "AND" in extra.values():
            yield "aggregator", None, extra, where
        for answer in nugget.answers:
            yield "doc_ids", answer.doc_ids, answer.extra, f"an answer of {where}"


_OF_JUDGMENTS = frozenset(Judgment._fields)


def misplaced(name: str, extra: Mapping[str, Any]) -> str:
    """The key that has what a known one should have; an empty text if there is none.

    >>> misplaced("citations", {"section": "1", "docs": ["d-1"]})
    'docs'
    """
    return next((key for key, _ in _alike(name, extra)), "")


def _alike(name: str, extra: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    known = _KEYS[name]
    for key, value in extra.items():
        if known.fits(value) and _is_like(key, name):
            yield key, True
        elif known.is_telling(value):
            yield key, False
