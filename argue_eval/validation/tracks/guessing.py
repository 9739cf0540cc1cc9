"""Guesses the track of a run from how its first report is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from argue_eval import _registry
from argue_eval.errors import ArgueEvalError
from argue_eval.validation.tracks import Track, load, names

MAX_LOOKED_AT = 20

_OF_TABLES = ("retrieval", "questions")
"""How the names of tracks end whose runs are lines of columns."""


def guess_track(value: Any) -> Track:
    """The one track that a report fits, or the generic one if there are several or none."""
    if type(value) is dict:
        # To look for tracks of third parties is slow.
        of_reports = [name for name in names() if not name.endswith(_OF_TABLES)]
        for group in (map(load, of_reports), _installed()):
            fitting = [track for track in group if _fits(value, track)]
            best = [track for track in fitting if track.topics] or fitting
            if best and all(track.layout.results for track in best):
                return max(best, key=lambda track: track.revision)
            if best:
                return best[0] if len(best) == 1 else load("generic")
    return load("generic")


def _installed() -> Iterator[Track]:
    """Yields the tracks of other packages. One that can't be read is for them to correct."""
    for name in _registry.installed("tracks"):
        with suppress(ArgueEvalError):
            yield load(name)


def _fits(value: dict[str, Any], track: Track) -> bool:
    layout = track.layout
    if track.name == "generic" or layout.table:
        return False
    if layout.results:
        return type(value.get(layout.results)) is list and layout.run_id in value
    if layout.nuggets and layout.sentences[0] not in value:
        return False
    metadata = value.get("metadata", {}) if layout.metadata == "metadata" else value
    items = value.get(next((key for key in layout.sentences if key in value), ""))
    if type(items) is not list or type(metadata) is not dict or layout.topic_id[0] not in metadata:
        return False
    if layout.metadata == "beside" and "metadata" in value:
        return False
    if track.topics:
        topic_id = str(value.get("metadata", value).get(layout.topic_id[0], ""))
        if not track.topics.fullmatch(topic_id):
            return False
    return all(_cites_as(item, track) for item in items[:MAX_LOOKED_AT])


def _cites_as(item: Any, track: Track) -> bool:
    """Whether a sentence cites as the track wants it, documents of its collection."""
    cited = item.get("citations") if type(item) is dict else None
    if type(cited) not in (list, dict) or not cited:
        return True
    shapes = track.layout.citations
    first = next(iter(cited))
    shape = "indexes" if type(first) is int else "doc_ids"
    if type(cited) is dict:
        shape = "scores"
    if shape not in shapes:
        return False
    rule = track.rule("docid_pattern")
    if rule is None or type(first) is not str:
        return True
    return rule.values["pattern"].fullmatch(first) is not None
