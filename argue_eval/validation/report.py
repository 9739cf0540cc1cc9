"""All checks of one report that can be made without the others of its run."""

from __future__ import annotations

from collections.abc import Callable

from argue_eval.formats.jsonl import Source
from argue_eval.validation import citations, texts
from argue_eval.validation import ids as _ids
from argue_eval.validation.audit import Audit
from argue_eval.validation.decode import Decoder
from argue_eval.validation.draft import Draft
from argue_eval.validation.found import Found
from argue_eval.validation.suspicious import check_suspicious
from argue_eval.validation.tracks import Track

Check = Callable[[Draft, Audit], None]

_CHECKS: tuple[tuple[tuple[str, ...], Check], ...] = (
    (("blank_sentence",), texts.check_blank),
    (("citation_format",), citations.check_format),
    (("citation_count",), citations.check_count),
    (("citation_duplicate",), citations.check_duplicates),
    (("reference_index",), citations.check_indexes),
    (("docid_pattern",), citations.check_doc_ids),
    (("docid_readable",), citations.check_readable_ids),
    (("references_present",), citations.check_present),
    (
        (
            "references_missing",
            "references_duplicate",
            "references_undeclared",
            "references_uncited",
            "references_max",
        ),
        citations.check_references,
    ),
    (("length",), texts.check_length),
    (("response_length",), texts.check_stated_length),
    (("suspicious_text",), check_suspicious),
)
"""The checks of a report that has text, and the rules that they serve."""


def checks_of(track: Track, is_segmented: bool, has_collection: bool) -> list[Check]:
    """Returns the checks of a report with text that a track asks for."""
    checks = [check for codes, check in _CHECKS if any(map(track.rule, codes))]
    if is_segmented and track.rule("segmentation"):
        checks.append(texts.check_segments)
    if has_collection and track.rule("unknown_document"):
        checks.append(citations.note_cited)
    return checks


def check_report(draft: Draft, audit: Audit, checks: list[Check]) -> None:
    """Checks what can be told of a report by itself."""
    _ids.check_ids(draft, audit)
    _ids.check_metadata(draft, audit)
    if "narrative" in draft.metadata:
        _ids.check_narrative(draft, audit)
    if texts.is_empty(draft, audit):
        citations.check_one_shape(draft, audit)
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
