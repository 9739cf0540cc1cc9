"""Guesses the track of a run from how its first report is written."""

from __future__ import annotations

import re
from typing import Any

from argue_eval.validation.tracks import Form, Track, load, load_all

MAX_LOOKED_AT = 20


def guess_track(value: Any) -> Track:
    """Returns the one track that a report fits, or the generic one if there are several or none."""
    fitting: list[Track] = []
    named: list[Track] = []
    for track in load_all():
        if track.name != "generic" and type(value) is dict and _fits(value, track):
            fitting.append(track)
            if track.form.topics and _topic_fits(value, track.form):
                named.append(track)
    best = named or fitting
    if best and all(track.form.results for track in best):
        return max(best, key=lambda track: track.revision)  # the generic one has no such form
    return best[0] if len(best) == 1 else load("generic")


def _fits(value: dict[str, Any], track: Track) -> bool:
    form = track.form
    if form.results:
        return type(value.get(form.results)) is list and form.run_id in value
    metadata = value.get("metadata", {}) if form.metadata == "metadata" else value
    items = value.get(next((key for key in form.sentences if key in value), ""))
    if type(items) is not list or type(metadata) is not dict or form.topic_id[0] not in metadata:
        return False
    if form.metadata == "beside" and "metadata" in value:
        return False
    if form.topics and not _topic_fits(value, form):
        return False
    return all(_cites_as(item, track) for item in items[:MAX_LOOKED_AT])


def _topic_fits(value: dict[str, Any], form: Form) -> bool:
    metadata = value.get("metadata", value)
    topic_id = str(metadata.get(form.topic_id[0], ""))
    return re.fullmatch(form.topics, topic_id, re.ASCII) is not None


def _cites_as(item: Any, track: Track) -> bool:
    """Returns whether a sentence cites as the track wants it, documents of its collection."""
    cited = item.get("citations") if type(item) is dict else None
    if type(cited) not in (list, dict) or not cited:
        return True
    shapes = track.form.citations
    first = next(iter(cited))
    shape = "indexes" if type(first) is int else "doc_ids"
    if type(cited) is dict:
        shape = "scores"
    if shape not in shapes:
        return False
    rule = track.rule("docid_pattern")
    if rule is None or type(first) is not str:
        return True
    return re.fullmatch(rule.values["pattern"], first, re.ASCII) is not None
