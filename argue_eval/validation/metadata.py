"""Checks of what the reports of a run share: metadata, the ids of run and team, the topics."""

from __future__ import annotations

import re
from typing import Any

from argue_eval.errors import describe, likely, shorten
from argue_eval.formats.jsonl import JsonPath
from argue_eval.formats.runs import NUMBERED, SENTENCE_KEYS, TOPIC_KEYS, Draft
from argue_eval.validation.audit import Audit
from argue_eval.validation.tracks import Track

MAX_GUESSED = 25
"""For so many unknown topics the one that was meant is looked for."""

_LOOKALIKES = str.maketrans("oil", "011")
_OF_METADATA = ("metadata", "metadata_recommended", "metadata_extra")
_ALIASES = (*TOPIC_KEYS, "run_id", "run_name")


def check_metadata(draft: Draft, audit: Audit) -> None:
    """Checks that the keys that a track asks for are there, and no others."""
    metadata = draft.metadata
    if "narrative" in metadata:
        _check_narrative(draft, audit)
    for code in _OF_METADATA[:2]:
        rule = audit.rules.get(code)
        for key in rule.values["keys"] if rule else ():
            value = metadata.get(key)
            if value is None or (type(value) is str and (not value or value.isspace())):
                what = "is missing" if key not in metadata else f"is {describe(value)}"
                hint = _instead(key, metadata, audit)
                audit.found(code, f"metadata.{key} {what}", draft, draft.meta_path, hint=hint)
    rule = audit.rules.get("metadata_extra")
    if rule and not metadata.keys() <= set(rule.values["keys"]):
        keys = ", ".join(rule.values["keys"])
        known = {*rule.values["keys"], *(() if draft.meta_path else SENTENCE_KEYS)}
        for key in [key for key in metadata if key not in known]:
            message = f"the track has no metadata {shorten(key)}"
            path = (*draft.meta_path, key)
            audit.found("metadata_extra", message, draft, path, hint="remove it", expected=keys)


def _instead(key: str, metadata: dict[str, Any], audit: Audit) -> str:
    """What to do where a key is missing or empty; one that the track asks for is no other's."""
    if key in metadata:
        return f"write a value for {key!r} that is not empty"
    for other in _ALIASES if key in _ALIASES else ():
        if metadata.get(other) and other.startswith("run") == key.startswith("run"):
            return f"rename {other!r} to {key!r}"
    rules = filter(None, map(audit.rules.get, _OF_METADATA))
    known = {each for rule in rules for each in rule.values["keys"]}
    if others := [each for each in metadata if each not in known]:
        from argue_eval.formats.detection import meant

        if near := meant(key, others):
            return f"rename {near!r} to {key!r}"
    return f"add {key!r} with a value that is not empty"


def check_ids(draft: Draft, audit: Audit) -> None:
    """Checks the run id and the team id, which all reports of a run share."""
    known = {audit.track.layout.run_id: audit.run_id, "team_id": audit.team_id}
    for key, before in known.items():
        value = draft.metadata.get(key)
        if value == before or value is None or value == "":
            continue
        path = (*draft.meta_path, key)
        if type(value) is not str:
            message, (_, hint) = f"expected text, found {describe(value)}", _id_of(value)
            audit.found("wrong_type", message, draft, path, hint=hint)
            continue
        what = "team" if key == "team_id" else "run"
        if before:
            message = f"the {what} id is {shorten(value)}, before it was {shorten(before)}"
            hint = f"write the same {what} id in every {audit.track.layout.noun}"
            if what == "run":
                hint = f"one file holds one run: {hint}, or write each run to a file of its own"
            expected = shorten(before) if what == "run" else ""
            audit.found(f"{what}_id_differs", message, draft, path, hint=hint, expected=expected)
        if what == "team":
            audit.team_id = before or value
        else:
            audit.run_id = before or value
            _check_run_id(value, draft, audit, path)


def _id_of(value: Any) -> tuple[str, str]:
    """The id that stands for a number, empty for another value; and what to do."""
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is int and value.bit_length() < 100:
        return str(value), f'put it in quotes: "{value}"'
    return "", "write the id alone, in quotes"


def _check_run_id(run_id: str, draft: Draft, audit: Audit, path: JsonPath) -> None:
    rule = audit.rules.get("run_id_length")
    if rule and len(run_id) > rule.values["max"]:
        most = rule.values["max"]
        message = f"the run id {shorten(run_id)} has {len(run_id):,} characters, {most} are allowed"
        hint = f"shorten it, such as to {_allowed_id(run_id, audit.track)!r}, in every report"
        audit.found("run_id_length", message, draft, path, hint=hint)
    rule = audit.rules.get("run_id_alphabet")
    if rule and not rule.values["pattern"].fullmatch(run_id):
        others = {char for char in run_id if not (char.isascii() and char.isalnum())} - {*"._-"}
        what = "starts with a full stop"
        if others:
            what = f"has {', '.join(map(shorten, sorted(others)))}"
        message = f"the run id {shorten(run_id)} {what}"
        hint = "use ASCII letters, digits, '.', '_' and '-', and do not start with '.', "
        hint += f"such as {_allowed_id(run_id, audit.track)!r}, in every report"
        audit.found("run_id_alphabet", message, draft, path, hint=hint)


def _allowed_id(run_id: str, track: Track) -> str:
    """An id like this one that passes the track's rules for run ids."""
    import unicodedata

    plain = unicodedata.normalize("NFKD", run_id)
    if track.rule("run_id_alphabet"):
        plain = "".join(char for char in plain if not unicodedata.combining(char))
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-").lstrip(".")
    length = track.rule("run_id_length")
    if length and len(plain) > length.values["max"]:
        plain = plain[: length.values["max"]].rstrip(" ._-")
    return plain if plain.strip() else "run-1"


def check_topic(draft: Draft, audit: Audit) -> None:
    """Checks the topic id, and that the topic is asked for and has no report yet."""
    key, topic_id = read_topic(draft, audit)
    if not topic_id:
        return
    path = (*draft.meta_path, key)
    if topic_id in audit.topics:
        first = audit.topics[topic_id]
        noun = audit.track.layout.noun
        message = f"the topic {shorten(topic_id)} has a {noun} already, on line {first:,}"
        hint = f"keep one of the two {noun}s"
        if audit.track.layout.table:
            hint = f"put the lines of a topic together; of two {noun}s, keep one"
        audit.found("duplicate_topics", message, draft, path, hint=hint)
        return
    audit.topics[topic_id] = draft.line
    if audit.requests is not None and topic_id not in audit.requests:
        near = _meant(topic_id, audit)
        audit.broken.add(near or topic_id)
        hint = f"is {shorten(near)} meant?" if near else ""
        hint = hint or f"remove the {audit.track.layout.noun}, or correct its topic"
        message = f"the topic {shorten(topic_id)} is not in the request file"
        audit.found("new_topics", message, draft, path, hint=hint)


def read_topic(draft: Draft, audit: Audit) -> tuple[str, str]:
    """The key and the value of the topic id; an empty one, with a finding, if it is bad."""
    keys = audit.track.layout.topic_id
    key = keys[0]
    value = draft.metadata.get(key)
    if type(value) is str and value and value.isprintable():
        draft.topic_id = value
        return key, value
    key = next((key for key in (*keys, *TOPIC_KEYS) if key in draft.metadata), "")
    value = draft.metadata.get(key)
    path = (*draft.meta_path, key) if key else draft.meta_path
    if type(value) is int and key == NUMBERED:
        value = draft.topic_id = str(value)
    elif type(value) is str:
        draft.topic_id = value
    if value is None or value == "":
        if not audit.rules.get("metadata"):
            hint = f"add {keys[0]!r}"
            audit.found("missing_key", "the topic id is missing", draft, path, hint=hint)
        audit.broken.add("")
        return key, ""
    if type(value) is not str:
        message, (topic_id, hint) = f"expected a topic id, found {describe(value)}", _id_of(value)
        audit.found("wrong_type", message, draft, path, hint=hint)
        if not topic_id:
            audit.broken.add("")
        return key, topic_id
    if not value.isprintable():
        hint = "remove tabs, line breaks and other invisible characters from the id"
        message = f"the topic id {shorten(value)} has a character that is not printable"
        audit.found("bad_id", message, draft, path, hint=hint)
    return key, value


def _meant(topic_id: str, audit: Audit) -> str:
    """The requested topic that is likely to be meant; an empty text if none is, or several are."""
    audit.num_guessed += 1
    if audit.num_guessed > MAX_GUESSED:
        return ""  # another request file altogether: guesses would be slow and wrong
    requests = audit.requests or {}
    for bare in (_bare, _in_digits):
        alike = [each for each in requests if bare(each) == bare(topic_id)]
        if alike:
            return alike[0] if len(alike) == 1 else ""
    numbers = re.findall(r"\d+", topic_id)  # an id with other numbers is that of another topic
    alike = [each for each in requests if re.findall(r"\d+", each) == numbers]
    inside = [each for each in alike if numbers and (each in topic_id or topic_id in each)]
    near = inside[0] if len(inside) == 1 else likely(topic_id, alike)
    return near if near not in audit.topics else ""


def _bare(topic_id: str) -> str:
    """Without what writers add or change: case, signs, the ``.0`` of spreadsheets.

    >>> _bare(" RAG_2026-1.0"), _bare("rag2026-1")
    ('rag20261', 'rag20261')
    """
    return re.sub(r"[\W_]", "", re.sub(r"(?<=\d)\.0+$", "", topic_id.strip().casefold()))


def _in_digits(topic_id: str) -> str:
    """Without leading zeros and letters that look like digits.

    >>> _in_digits("topic-02O17"), _in_digits("topic-2017")
    ('t0p1c2017', 't0p1c2017')
    """
    return _bare(re.sub(r"(?<!\d)0+(?=\d)", "", topic_id.casefold().translate(_LOOKALIKES)))


def _check_narrative(draft: Draft, audit: Audit) -> None:
    """Checks that the narrative is the request's, to the letter."""
    request = (audit.requests or {}).get(draft.topic_id)
    narrative = draft.metadata["narrative"]
    if request is None or narrative is None or narrative == request.narrative:
        return
    expected = request.narrative
    message = f"expected text, found {describe(narrative)}"
    if type(narrative) is str:
        pairs = enumerate(zip(narrative, expected, strict=False))
        least = min(len(narrative), len(expected))
        same = next((place for place, (one, other) in pairs if one != other), least)
        message = f"the narrative differs from the request's text from character {same:,}: "
        message += shorten(narrative[same : same + 40], 40)
    hint = "copy the text of the request as it is, white space included"
    path = (*draft.meta_path, "narrative")
    expected = shorten(expected, 200)
    audit.found("narrative", message, draft, path, hint=hint, expected=expected)


def topic_in_broken(raw: bytes) -> str:
    """The topic that a line which can't be read seems to have; an empty text if none.

    >>> topic_in_broken(b'{"metadata": {"topic_id": "2001", "run_id": "r')
    '2001'
    """
    keys = "|".join(TOPIC_KEYS)
    found = re.search(rf'"(?:{keys})"\s*:\s*"?([^"\\,}}]+)', raw.decode("utf-8", "replace"))
    return found.group(1).strip() if found else ""


def check_missing(audit: Audit) -> None:
    """Checks, after the last report, that every topic has one."""
    noun = audit.track.layout.noun
    hint = f"add a {noun} for it: a missing topic counts as 0"
    if "" in audit.broken:
        hint = "correct the lines that can't be read first: it may be in one of them"
    for topic_id in audit.requests or ():
        if topic_id not in audit.topics and topic_id not in audit.broken:
            message = f"the requested topic {shorten(topic_id)} has no {noun}"
            audit.findings.error("missing_topics", message, hint, topic_id=topic_id)
