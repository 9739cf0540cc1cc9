"""Keys that are not read, though their names or contents are those of known ones.

Whatever a format does not know is kept, and nothing is lost when a file is converted. But document
ids under `citations`, where the format has `doc_ids`, would silently be without effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from argue_eval.errors import VERY_CLOSE, count, nearest, shorten
from argue_eval.formats.checking import Check
from argue_eval.records import Judgment, Nugget, Report, ReportRequest, TopicNuggets


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
        names: what others call it, in lower case, without separators and plural.
        fits: whether a value may be one of it.
        is_telling: whether the value alone shows it.
    """

    names: frozenset[str]
    fits: Callable[[Any], Any]
    is_telling: Callable[[Any], Any] = lambda value: False


_DOCUMENTS = """
    doc docid document documentid reference citation cite source evidence attestedby attestation
    supportedby supportingdoc supportingdocument supportingdocid refid passage passageid pmid
"""


def _known(names: str, *tests: Callable[[Any], Any]) -> _Known:
    return _Known(frozenset(names.split()), *tests)


_KEYS = {
    "doc_ids": _known(_DOCUMENTS, _ids, lambda value: type(value) is not str and _ids(value)),
    "citations": _known(_DOCUMENTS, _ids, lambda value: type(value) is not str and _ids(value)),
    "answers": _known(
        "answer goldanswer shortanswer response acceptableanswer",
        lambda value: value and type(value) in (list, dict),
        lambda value: type(value) is list and value and _all_have(value, "answer"),
    ),
    "nuggets": _known(
        "nugget nuggetbank claimbank item question claim rubric keypoint",
        lambda value: value and type(value) in (list, dict),
        lambda value: type(value) is list and value and _all_have(value, "answers"),
    ),
    "importance": _known(
        "vitality priority importancelabel label weight",
        lambda value: str(value).lower() in ("vital", "okay"),
        lambda value: type(value) is str and value.lower() in ("vital", "okay"),
    ),
    "aggregator": _known(
        "aggregatortype aggregation operator andor", lambda value: value in ("AND", "OR")
    ),
    "problem_statement": _known(
        "problem statement narrative question query description informationneed need request "
        "prompt task topic text",
        _is_text,
    ),
    "background": _known("context userbackground persona userstory", _is_text),
    "limit": _known(
        "maxlength lengthlimit charlimit characterlimit maxchar maxcharacter wordlimit maxword",
        lambda value: type(value) is int,
    ),
    "team_id": _known("team teamname group groupid participant", _is_text),
    "run_id": _known("run runname runtag system systemid", _is_text),
    "topic_id": _known("topic requestid queryid qid narrativeid", bool),
    "prob": _known("probability confidence score p likelihood", lambda value: value is not None),
    "rationale": _known("reason reasoning explanation justification comment", _is_text),
}


def _all_have(items: list[Any], key: str) -> bool:
    return all(type(each) is dict and key in each for each in items)


@lru_cache(maxsize=10_000)
def _is_like(key: str, name: str) -> bool:
    plain = _plain(key)
    is_known = name in _KEYS and plain in _KEYS[name].names
    return is_known or bool(nearest(plain, [_plain(name)], VERY_CLOSE))


def _plain(key: str) -> str:
    return "".join(filter(str.isalnum, key.casefold())).removesuffix("s")


def meant(name: str, keys: Iterable[str]) -> str:
    """The key that probably stands for a known one; an empty text if none does.

    >>> meant("doc_id", ["text", "docid"]), meant("run_id", ["run_name"]), meant("prob", ["x"])
    ('docid', 'run_name', '')
    """
    return next((key for key in keys if _is_like(key, name)), "")


class Unread:
    """The keys of the records of one file that are not read and look like known ones."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._found: dict[tuple[str, str, bool], tuple[int, int | None, str]] = {}

    def seen(self, records: Iterator[Any], kind: str) -> Iterator[Any]:
        """Yields records as they are read, having looked at each.

        Args:
            kind: of judgments and documents nothing is kept that is not read.
        """
        return self._seen(records) if kind in ("nuggets", "runs", "requests") else records

    def _seen(self, records: Iterator[Any]) -> Iterator[Any]:
        for record in records:
            if isinstance(record, TopicNuggets):
                self._see_nuggets(record)
            elif isinstance(record, Report):
                self._see_report(record)
            elif isinstance(record, ReportRequest) and record.extra:
                where = f"the request of topic {shorten(record.topic_id)}"
                for name in ("problem_statement", "background", "limit"):
                    self._look(name, getattr(record, name), record.extra, where)
            yield record

    def see_judgment(self, value: Any) -> None:
        """Looks at a judgment as it stands in a file; of many lines, the first one is enough."""
        if type(value) is dict and "kind" in value and "row" not in value:  # which a sheet has
            for name in ("prob", "rationale"):
                extra = {key: each for key, each in value.items() if key not in _OF_JUDGMENTS}
                self._look(name, value.get(name), extra, "the first judgment")

    def report(self) -> None:
        """Warns of every such key, once."""
        for (key, name, is_name), (number, line, where) in self._found.items():
            alike = "name" if is_name else "content"
            message = (
                f"the key {shorten(key)} is not read, though its {alike} is like that of {name!r}, "
                f"which is missing or empty there: {count(number, 'time')}, first in {where}"
            )
            hint = f"rename it to {name!r}, or remove it if it is something else"
            self._check.warn("unread_key", message, hint=hint, line=line)

    def _see_nuggets(self, topic: TopicNuggets) -> None:
        extras = [topic.extra, *(nugget.extra for nugget in topic.nuggets)]
        extras += [answer.extra for nugget in topic.nuggets for answer in nugget.answers]
        if not any(extras):
            return
        of_topic = f"topic {shorten(topic.topic_id)}"
        self._look("nuggets", topic.nuggets, topic.extra, of_topic)
        for nugget in topic.nuggets:
            where = f"nugget {shorten(nugget.nugget_id)} of {of_topic}"
            if nugget.extra:
                self._see_nugget(nugget, where)
            for answer in nugget.answers:
                self._look("doc_ids", answer.doc_ids, answer.extra, f"an answer of {where}")

    def _see_nugget(self, nugget: Nugget, where: str) -> None:
        extra = {key: each for key, each in nugget.extra.items() if key != "importance"}
        attesting = [doc_id for answer in nugget.answers for doc_id in answer.doc_ids]
        self._look("answers", nugget.answers, extra, where)
        self._look("importance", nugget.importance, extra, where)
        self._look("doc_ids", attesting, extra, where)
        if "AND" in extra.values():
            self._look("aggregator", None, extra, where)

    def _see_report(self, report: Report) -> None:
        if not report.metadata and not any(each.extra for each in report.sentences):
            return
        where = f"the report of topic {shorten(report.topic_id)}"
        self._look("team_id", report.team_id, report.metadata, where)
        for place, sentence in enumerate(report.sentences):
            if sentence.extra:
                of_sentence = f"sentence {place} of {where}"
                self._look("citations", sentence.citations, sentence.extra, of_sentence)

    def _look(self, name: str, value: Any, extra: Mapping[str, Any], where: str) -> None:
        """Notes the keys that look like a known one, if that has no value."""
        if extra and not value:
            for key, is_name in _alike(name, extra):
                found = self._found.get((key, name, is_name)) or (0, self._check.here(), where)
                self._found[key, name, is_name] = found[0] + 1, *found[1:]


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
