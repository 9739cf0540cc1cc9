"""What kind of file is given as a run: reports, the nugget banks of a track, or something else."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from argue_eval.errors import Finding, InputError, describe
from argue_eval.formats.jsonl import ForeignError, Source
from argue_eval.formats.runs import SENTENCE_KEYS, TOPIC_KEYS, Layout
from argue_eval.validation.tracks import Track

MAX_VALUES = 100_000
"""No report has so many texts, ids and numbers. In memory, each takes a hundred bytes and more."""

_OF_REPORTS = ("metadata", "team_id", "run_id", "run_name", *TOPIC_KEYS)
_JUDGMENT = {"kind", "verdict", "judge"}
_SHORT = 1000
_TOKEN = rb'\\.|[",{\[]'


def track_of(source: Source, number: int, raw: bytes, track: Track | None) -> Track | None:
    """The track for a file by its first line: its rules for tables or nugget banks, where it has
    these.

    Args:
        track: that was named; None to guess it.

    Returns:
        None where it is still to be guessed.

    Raises:
        ForeignError: the file holds something else, such as report requests.
    """
    if raw.lstrip()[:1] not in b"{[":
        from argue_eval.validation import tables

        if kind := tables.kind_of(raw):  # lines of columns
            track = tables.track_of(kind, raw, track)
    if track and track.layout.table:
        return track
    value = None
    with suppress(ValueError, RecursionError):
        value = None if has_too_many_values(raw) else json.loads(raw)
    return track_of_value(source, number, value, track)


def refuse_document(source: Source, number: int, raw: bytes, track: Track | None) -> None:
    """Refuses a file that is one JSON document, a list on one line or spread over lines."""
    if raw.lstrip()[:1] not in b"{[" or has_too_many_values(raw):
        return
    is_spread = False
    try:
        value = source.decode(raw, number)
    except ForeignError:
        raise
    except InputError as exc:
        is_start = len(raw) < _SHORT or raw.lstrip()[:1] == b"["
        is_spread = is_start and exc.findings[0].code == "json_truncated"
        if not is_spread:
            return
        value = source.document()
        track_of_value(source, number, value, track)
    if is_spread or type(value) is list:
        raise source.document_error(value, number)


def track_of_value(source: Source, number: int, value: Any, track: Track | None) -> Track | None:
    """The same as `track_of`, by the first value."""
    if type(value) is list and value:
        value = value[0]
    own = track.layout if track else Layout(())
    keys = {*SENTENCE_KEYS, *own.sentences, own.results}
    is_report = type(value) is dict and not (keys.isdisjoint(value) or value.keys() >= _JUDGMENT)
    if type(value) is not dict or (is_report and not _is_judged(value)):
        return track
    from argue_eval.formats import detection
    from argue_eval.validation.tracks.guessing import guess_track

    found = track.for_nuggets() if track else guess_track(value)
    has_nuggets = found.layout.sentences[0] in value or value.keys() >= {"metadata", "nuggets"}
    is_bank = found.layout.nuggets and has_nuggets
    if is_bank or (track is None and found.name != "generic"):
        return found
    message, hint = detection.other_kind("runs", value, source.name)
    inner = value.values()
    if inner and all(type(each) is dict and not keys.isdisjoint(each) for each in inner):
        raise source.document_error(inner, number)  # a report under each topic
    if not message and value and value.keys().isdisjoint(_OF_REPORTS):
        message = f"expected a run, found {describe(value)}"
        hint = (
            "a report needs 'metadata' and 'responses' (argue-eval explain generic); of texts that "
        )
        hint += "cite as [1], argue-eval segment makes a run"
    if message:
        raise ForeignError(Finding("unknown_format", message, hint, source.name, number))
    return track


def _is_judged(value: dict[str, Any]) -> bool:
    """Whether a report is one of the RAG track's judgments of support."""
    sentences = value.get("sentences")
    first = sentences[0] if type(sentences) is list and sentences else None
    return type(first) is dict and "sentenceID" in first


def check_size(source: Source, number: int, raw: bytes) -> None:
    """Refuses a line with more values than any report has."""
    if has_too_many_values(raw):
        message = f"the line has more than {MAX_VALUES:,} values, which no report has"
        hint = "check the step that wrote it: a report has some hundred sentences at most"
        raise source.error("too_large", message, line=number, hint=hint)


def has_too_many_values(raw: bytes) -> bool:
    """Whether a JSON text has more values than any report; costs little if it is short.

    >>> has_too_many_values(b"{}," * 100_000), has_too_many_values(b'"' + b"," * 500_000 + b'"')
    (True, False)
    """
    if len(raw) <= MAX_VALUES or sum(map(raw.count, (b",", b"{", b"["))) <= MAX_VALUES:
        return False
    import re

    num_signs, is_text = 0, False
    for token in re.finditer(_TOKEN, raw):  # one by one: all together take more memory than JSON
        if token.group() == b'"':
            is_text = not is_text
        elif not is_text:
            num_signs += 1
            if num_signs > MAX_VALUES:
                return True
    return False
