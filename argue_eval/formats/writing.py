"""Writes records in a form, such that reading them gives equal records.

A form that can be written has ``encode(record)``, which returns a JSON value, or a line if the
form is a text. What stands before, between and after the records is in `START`, `BETWEEN` and
`END` of its module, where it is not one record a line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import ModuleType
from typing import IO, Any, NamedTuple

from argue_eval import _registry
from argue_eval.errors import InputError, describe
from argue_eval.formats import detection as detect
from argue_eval.formats.checking import Check
from argue_eval.formats.items import is_table, json_items, text_lines
from argue_eval.formats.jsonl import Source, encode
from argue_eval.records import Report, ReportRequest, TopicNuggets


def write_requests(requests: Iterable[ReportRequest], stream: IO[str]) -> None:
    """Writes report requests in the canonical form, one a line."""
    _write("requests", requests, stream)


def write_nuggets(topics: Iterable[TopicNuggets], stream: IO[str]) -> None:
    """Writes nugget qrels in the canonical form: one JSON document with a topic a line."""
    _write("nuggets", topics, stream)


def write_run(reports: Iterable[Report], stream: IO[str]) -> None:
    """Writes a run in the canonical form, one report a line."""
    _write("runs", reports, stream)


def _write(kind: str, records: Iterable[Any], stream: IO[str]) -> None:
    module = _registry.load(f"formats.{kind}", "canonical")
    stream.writelines(joined(module, (text_of(module, record) for record in records)))


def text_of(module: ModuleType, record: Any) -> str:
    """Returns one record in a form, without the end of the line."""
    value = module.encode(record)
    return value if getattr(module, "IS_TEXT", False) else encode(value)


def joined(module: ModuleType, texts: Iterable[str]) -> Iterator[str]:
    """Yields the content of a file of these records."""
    before = getattr(module, "START", "")
    between = getattr(module, "BETWEEN", "\n")
    for text in texts:
        yield before + text
        before = between
    if before == between:
        yield getattr(module, "END", "\n")
    else:
        yield before + getattr(module, "END", "")


def with_further(
    value: Mapping[str, Any], extra: Mapping[str, Any], reserved: Collection[str] = ()
) -> dict[str, Any]:
    """Returns an object of a form with the further keys of a record.

    Those that mean something in the form are left out: they would be read as what they are not.

    Args:
        reserved: keys that mean something in the form, besides those of the value.

    >>> with_further({"text": "A."}, {"text": "B.", "span": 1, "score": 2}, ("score",))
    {'text': 'A.', 'span': 1}
    """
    further = {key: each for key, each in extra.items() if key not in value and key not in reserved}
    return {**value, **further}


# --- A record in another form, read back at once: what differs then is what the form cannot hold


_EXTRAS = ("extra", "metadata")

KINDS = ("runs", "nuggets", "requests")
"""The kinds of files that have forms to be written in."""


class Rewritten(NamedTuple):
    """A record as a form holds it.

    Attributes:
        text: None if the form cannot hold it at all.
        record: what is read back; None without text.
        reason: why there is no text.
        places: of nuggets: where each one of `record` was in the source.
        left_out: of nuggets: the places of those that the form cannot hold, with the reasons.
    """

    text: str | None
    record: Any
    reason: str = ""
    places: tuple[int, ...] = ()
    left_out: tuple[tuple[int, str], ...] = ()


def written_forms(kind: str) -> list[str]:
    """Returns the names of the forms of a kind that can be written."""
    family = f"formats.{kind}"
    return [
        name for name in _registry.names(family) if hasattr(_registry.load(family, name), "encode")
    ]


def kind_of(source: Source) -> tuple[str, str]:
    """Returns which kind of file a source is, and in which form it is written.

    Raises:
        InputError: it is nothing that can be written in another form.
    """
    if is_table(source):
        return "requests", "rag_tsv"
    check = Check(source)
    value = next(json_items(check, is_split=True), None)
    if value is None:
        check.finish()
    found = detect.kind_of(value)
    if found is None:
        kinds = ", ".join(KINDS[:-1])
        message = f"this fits no form of {kinds} or {KINDS[-1]}: found {describe(value)}"
        raise source.error("unknown_format", message, hint="check that this is the right file")
    if found[0] not in KINDS:
        message = f"expected runs, nuggets or report requests, found {found[0]}"
        raise source.error("unknown_format", message, hint="files of this kind have one form only")
    return found


def content(kind: str, form: str, texts: Iterable[str]) -> Iterator[str]:
    """Yields the content of a file of rewritten records."""
    return joined(_registry.load(f"formats.{kind}", form), texts)


def rewrite(kind: str, form: str, record: Any) -> Rewritten:
    """Returns a record in a form that can be written."""
    module = _registry.load(f"formats.{kind}", form)
    if isinstance(record, TopicNuggets):
        return _nuggets(module, record)
    reason = module.why_not(record) if hasattr(module, "why_not") else ""
    return Rewritten(None, None, reason) if reason else _written(kind, module, record)


def _nuggets(module: ModuleType, topic: TopicNuggets) -> Rewritten:
    why_not = getattr(module, "why_not", lambda nugget: "")
    reasons = [(place, why_not(nugget)) for place, nugget in enumerate(topic.nuggets)]
    left_out = tuple((place, reason) for place, reason in reasons if reason)
    kept = [(place, topic.nuggets[place]) for place, reason in reasons if not reason]
    if hasattr(module, "arranged"):
        kept = module.arranged(kept)
    fitting = topic._replace(nuggets=tuple(nugget for _, nugget in kept))
    places = tuple(place for place, _ in kept)
    return _written("nuggets", module, fitting)._replace(places=places, left_out=left_out)


def _written(kind: str, module: ModuleType, record: Any) -> Rewritten:
    try:
        text, values = _values(module, record)
        if values and not detect.is_detected(kind, values[0], module):
            text, values = _values(module, _without_marks(kind, record))
    except InputError as exc:
        return Rewritten(None, None, exc.findings[0].message)
    except RecursionError:
        return Rewritten(None, None, "its further keys are nested too deeply")
    check = Check(Source(""))
    records = list(module.read(values, check))
    if check.errors or len(records) != 1:
        reason = check.errors[0].message if check.errors else "it would be read as something else"
        return Rewritten(None, None, reason)
    return Rewritten(text, records[0])


def _values(module: ModuleType, record: Any) -> tuple[str, list[Any]]:
    """Returns the text of a record, and the values that a reader is given for it."""
    text = text_of(module, record)
    source = Source.of_bytes("", text.encode())
    if getattr(module, "IS_TEXT", False):
        return text, list(text_lines(Check(source)))
    value = source.decode(text.encode())
    if not hasattr(module, "START"):
        return text, [value]
    return text, [source.decode("".join(joined(module, [text])).encode())]


def _without_marks(kind: str, record: Any) -> Any:
    """Returns a record without the further keys by which other forms are made out."""
    mistaken = detect.marks(kind)
    changes = {
        name: {key: each for key, each in getattr(record, name).items() if key not in mistaken}
        for name in _EXTRAS
        if hasattr(record, name)
    }
    return record._replace(**changes)
