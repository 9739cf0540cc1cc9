"""What the keys of an item say: in which format a file is, and which of them nobody reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, NamedTuple, cast

from argue_eval import _registry
from argue_eval.errors import VERY_CLOSE, count, describe, nearest, shorten
from argue_eval.formats.checking import Check
from argue_eval.formats.plugins import Detected, Format, Plain, Shape, load
from argue_eval.formats.shapes import BUILT_IN, Candidate
from argue_eval.records import Judgment, Report, ReportRequest, TopicNuggets

CALLED = {
    "runs": "a run",
    "nuggets": "nuggets",
    "judgments": "judgments",
    "requests": "report requests",
    "documents": "documents",
}
"""How messages call what the files of a kind hold."""

_USES = {
    "runs": "check a run with: argue-eval validate FILE",
    "nuggets": "check nuggets with: argue-eval ingest qrels FILE -o qrels.json",
    "judgments": "name judgments in: argue-eval score RUN QRELS --judgments FILE",
    "requests": "name report requests with --requests FILE; check them with: argue-eval ingest "
    "requests FILE -o topics.jsonl",
    "documents": "name documents with --collection FILE",
}
_ORDER = "where runs and nuggets are named, the runs come first"
_MANY_KEYS = 4
_OWN = {
    "nugget-edits": (
        "edits that a sheet exported",
        "make them in the bank: argue-eval curate collect FILE --bank BANK -o NEW",
    ),
    "bank-history": (
        "the history of a bank",
        "name the bank itself; the history is printed by: argue-eval curate diff FILE",
    ),
    "calibration": ("a calibration", "name it with --calibration FILE"),
    "replies": ("replies of a model", "name what the command wrote that keeps them"),
}
"""What else argue-eval writes, by its key `format`, and what it is for."""


def detect(kind: str, value: Any, check: Check) -> Format[Any] | None:
    """The format of the first item of a file.

    If none fits, that is noted as an error which names the nearest format and what it lacks.

    Args:
        kind: the kind of file, such as ``runs``.
    """
    best = _best(kind, value) or _best(kind, value, is_built_in=False)
    if best is None:
        message, hint = _unknown(kind, value, check.source.name)
        check.error("unknown_format", message, hint=hint)
        return None
    return cast("Format[Any]", _registry.load(f"formats.{kind}", best.name))


def kind_of(value: Any) -> tuple[str, str] | None:
    """Kind and name of the format that fits an item with the most keys; None if none does.

    Installed ones count where no built-in fits.
    """
    best = _best_of_all(value) or _best_of_all(value, is_built_in=False)
    return best and (best.kind, best.name)


def called(value: Any) -> str:
    """How messages call what an item is; an empty text if no format fits it."""
    found = kind_of(value)
    return CALLED[found[0]] if found else ""


def fits(kind: str, value: Any) -> bool:
    """Whether an item fits some format of a kind. Installed ones count where no built-in fits."""
    if _best(kind, value):
        return True
    return _best_of_all(value) is None and _best(kind, value, is_built_in=False) is not None


def installed_format(kind: str, value: Any) -> str:
    """The format of another package that reads an item; an empty text where none does, or a
    built-in one.
    """
    best = None if _best(kind, value) else _best(kind, value, is_built_in=False)
    return best.name if best else ""


def is_detected(kind: str, value: Any, target: Format[Any]) -> bool:
    """Whether an item is detected as one of this format; that of a text always is."""
    if isinstance(target, Plain):
        return True
    best = _best(kind, value) or _best(kind, value, is_built_in=False)
    return best is not None and load(kind, best.name) is target


def marks(kind: str) -> set[str]:
    """The keys by which the formats of a kind are distinguished."""
    return {key.partition(".")[0] for each in BUILT_IN[kind] for key in each.shape}


@cache
def _installed(kind: str) -> list[Candidate]:
    """The candidates of the formats that other packages have, which are slow to look up."""
    names = _registry.installed(f"formats.{kind}")
    found = [cast(Detected, load(kind, name)) for name in names]
    return [
        Candidate(len(".".join(shape).split(".")), tuple(shape), kind, name)
        for name, each in zip(names, found, strict=True)
        for shape in each.SHAPES
    ]


def _best(kind: str, value: Any, is_built_in: bool = True) -> Candidate | None:
    candidates = BUILT_IN[kind] if is_built_in else _installed(kind)
    found = _keys_in(value, candidates)
    fitting = (each for each in candidates if found.issuperset(each.shape))
    best = max(fitting, key=attrgetter("num_keys"), default=None)
    if best and best.num_keys <= (2 if kind == "requests" else 1):
        # They say little where many of another kind are there: sheets have an "answer" too, and
        # nuggets the "topic_id" and "question" of requests.
        others = [each for other in CALLED if other != kind for each in BUILT_IN[other]]
        found = _keys_in(value, others)
        if any(each.num_keys >= _MANY_KEYS and found.issuperset(each.shape) for each in others):
            return None
    return best


def _best_of_all(value: Any, is_built_in: bool = True) -> Candidate | None:
    found = [_best(kind, value, is_built_in) for kind in CALLED]
    return max(filter(None, found), key=attrgetter("num_keys"), default=None)


def _keys_in(value: Any, candidates: Iterable[Candidate]) -> set[str]:
    """The keys of candidates that an item has."""
    found = set()
    for key in {key for each in candidates for key in each.shape}:
        inner = value
        for step in key.split("."):
            inner = inner[0] if type(inner) is list and inner else inner
            if type(inner) is not dict or step not in inner:
                break
            inner = inner[step]
        else:
            found.add(key)
    return found


def other_kind(kind: str, value: Any, file: str) -> tuple[str, str]:
    """What an item of another kind is, and what it is for; empty texts for any other value."""
    from shlex import quote

    if kind == "runs" and fits("runs", value) and fits("judgments", value):
        hint = f"score them with: argue-eval score {quote(file)} {quote(file)} --protocol NAME"
        return "expected a run, found reports with judgments of them", hint
    stated = value.get("format") if type(value) is dict else None
    if type(stated) is str and stated.startswith("argue-eval/") and not fits(kind, value):
        what, hint = _OWN.get(stated.split("/")[1], ("", ""))
        if what:
            return f"expected {CALLED[kind]}, found {what}", hint.replace("FILE", quote(file))
    for other, name in CALLED.items():
        if other != kind and fits(other, value):
            hint = _USES[other].replace("FILE", quote(file))
            return f"expected {CALLED[kind]}, found {name}", hint
    return "", ""


def _unknown(kind: str, value: Any, file: str) -> tuple[str, str]:
    message, hint = other_kind(kind, value, file)
    if message:
        is_swapped = kind in ("runs", "nuggets") and message.endswith(("a run", "nuggets"))
        return message, f"{_ORDER}; {hint}" if is_swapped else hint
    candidates = (*BUILT_IN[kind], *_installed(kind))
    names = ", ".join(dict.fromkeys(each.name for each in candidates))
    message = f"this is no known format of {kind} ({names}): found {describe(value)}"
    if type(value) is dict:
        found = _keys_in(value, candidates)
        best = max(candidates, key=lambda each: _share(found, each.shape))
        near = "nearest" if _share(found, best.shape) else "the usual one"
        lacking = " and ".join(repr(key) for key in best.shape if key not in found)
        message = f"{message}; {near} is {best.name!r}, which also needs {lacking}"
    return message, "add what is missing, or check that this is the right file"


def _share(found: set[str], shape: Shape) -> float:
    """How many of the keys are there, from 0 to 1."""
    return len(found.intersection(shape)) / len(shape)


# --- Keys that are not read, though their names or contents are those of known ones ---

# Whatever a format does not know is kept, and nothing is lost when a file is converted. But ids of
# documents under `citations`, where the format has `doc_ids`, would silently be without effect.


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
    "question": _Known("query querytext questiontext prompt", _is_text),
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
