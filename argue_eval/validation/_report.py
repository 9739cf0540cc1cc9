"""All checks of one report that can be made without the others of its run."""

from __future__ import annotations

from collections.abc import Callable

from argue_eval.jsonl import Source
from argue_eval.tracks import Track
from argue_eval.validation import _citations, _ids, _texts
from argue_eval.validation._audit import Audit
from argue_eval.validation._decode import Decoder
from argue_eval.validation._draft import Draft
from argue_eval.validation._found import Found
from argue_eval.validation._suspicious import check_suspicious

Check = Callable[[Draft, Audit], None]

_CHECKS: tuple[tuple[tuple[str, ...], Check], ...] = (
    (("blank_sentence",), _texts.check_blank),
    (("citation_format",), _citations.check_format),
    (("citation_count",), _citations.check_count),
    (("citation_duplicate",), _citations.check_duplicates),
    (("reference_index",), _citations.check_indexes),
    (("docid_pattern",), _citations.check_doc_ids),
    (("docid_readable",), _citations.check_readable_ids),
    (("references_present",), _citations.check_present),
    (
        (
            "references_missing",
            "references_duplicate",
            "references_undeclared",
            "references_uncited",
            "references_max",
        ),
        _citations.check_references,
    ),
    (("length",), _texts.check_length),
    (("response_length",), _texts.check_stated_length),
    (("suspicious_text",), check_suspicious),
)
"""The checks of a report that has text, and the rules that they serve."""


def checks_of(track: Track, is_segmented: bool, has_collection: bool) -> list[Check]:
    """Returns the checks of a report with text that a track asks for."""
    checks = [check for codes, check in _CHECKS if any(map(track.rule, codes))]
    if is_segmented and track.rule("segmentation"):
        checks.append(_texts.check_segments)
    if has_collection and track.rule("unknown_document"):
        checks.append(_citations.note_cited)
    return checks


def check_report(draft: Draft, audit: Audit, checks: list[Check]) -> None:
    """Checks what can be told of a report by itself."""
    _ids.check_ids(draft, audit)
    _ids.check_metadata(draft, audit)
    if "narrative" in draft.metadata:
        _ids.check_narrative(draft, audit)
    if _texts.is_empty(draft, audit):
        _citations.check_one_shape(draft, audit)
        return
    for check in checks:
        check(draft, audit)


def sift_alone(source: Source, audit: Audit, checks: list[Check]) -> Callable[[bytes], str]:
    """Returns a function that gives the topic of a line in which, by itself, nothing is wrong.

    Args:
        audit: that of the run, which has seen its first report. It is left as it is.
    """
    found = Found(source.name, audit.track)
    alone = Audit(audit.track, found, audit.requests)
    decoder = Decoder(source, audit.track.form, found, is_large=True)
    ids = audit.run_id, audit.team_id

    def sift(raw: bytes) -> str:
        alone.run_id, alone.team_id = ids
        draft = decoder.draft(1, raw)
        if draft is not None:
            _ids.read_topic(draft, alone)
            check_report(draft, alone, checks)
        is_odd = found.take() or draft is None or ids != (alone.run_id, alone.team_id)
        return "" if is_odd or draft is None else draft.topic_id

    return sift
