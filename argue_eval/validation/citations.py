"""Checks of citations and of the list of references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from argue_eval.errors import describe, shorten
from argue_eval.formats.jsonl import JsonPath
from argue_eval.validation.audit import Audit
from argue_eval.validation.draft import Cited, Draft

_SHAPES = {
    "scores": "{doc_id: score}",
    "doc_ids": "[doc_id, …]",
    "indexes": "[index into references, …]",
    "inline": "[doc_id, …] in the text",
}
_ALL_SHAPES = frozenset({"scores", "doc_ids", "indexes"})
_LISTED = ("references_missing", "references_duplicate", "references_undeclared",
           "references_uncited", "references_max")  # fmt: skip


def check_format(draft: Draft, audit: Audit) -> None:
    """Checks that the citations have a shape that the track takes, the same in all sentences."""
    shapes = audit.track.form.citations
    if draft.is_inline:
        return
    is_fine = True
    if draft.has_indexes or "doc_ids" not in shapes or "scores" not in shapes:
        expected = " or ".join(_SHAPES[shape] for shape in shapes)
        usual = _usual_shape(draft)
        hint = f"write {_SHAPES[usual] if usual in shapes else expected}"
        for index, cited in enumerate(draft.cited):
            wrong = sorted(_shapes_of(cited).difference(shapes))
            if wrong:
                message = f"the citations are {_SHAPES[wrong[0]]}, which the track does not take"
                path = draft.sentence_path(index, "citations")
                audit.found("citation_format", message, draft, path, hint=hint,
                            expected=expected, sentence=index)  # fmt: skip
                is_fine = False
    if is_fine:
        check_one_shape(draft, audit)


def check_one_shape(draft: Draft, audit: Audit) -> None:
    """Checks that all sentences cite in the same shape: the tracks' readers take no mixture."""
    if not (draft.is_mixed or draft.has_indexes):
        return
    if _ALL_SHAPES.issubset(audit.track.form.citations):
        return  # who takes every shape takes a mixture too
    cited_by = draft.cited
    if not draft.is_mixed and len(set(map(type, chain.from_iterable(cited_by)))) < 2:
        return
    usual = _usual_shape(draft)
    none = "{}" if usual == "scores" else "[]"
    for index, cited in enumerate(cited_by):
        others = sorted(_shapes_of(cited) - {usual})
        if others or (not cited and str(cited) != none):
            shown = _SHAPES[others[0]] if cited else str(cited)
            message = f"the citations are {shown}, those of most other sentences {_SHAPES[usual]}"
            path = draft.sentence_path(index, "citations")
            hint = f"write {_SHAPES[usual] if cited else none}"
            audit.found("citation_format", message, draft, path, hint=hint,
                        expected=_SHAPES[usual], sentence=index)  # fmt: skip


def _usual_shape(draft: Draft) -> str:
    """Returns the shape in which most sentences cite; that with scores if none cites anything."""
    shapes = Counter(min(_shapes_of(cited)) for cited in draft.cited if cited)
    return max(shapes, key=lambda shape: shapes[shape], default="scores")


def _shapes_of(cited: Cited) -> set[str]:
    """Returns the shapes of a sentence's citations; none for an empty list."""
    if isinstance(cited, dict):
        return {"scores"}
    return {"doc_ids" if isinstance(item, str) else "indexes" for item in cited}


def check_count(draft: Draft, audit: Audit) -> None:
    """Checks how many citations a sentence has."""
    most: int = audit.track.rules["citation_count"].values["max"]
    if not draft.cited or max(map(len, draft.cited)) <= most:
        return
    for index, cited in enumerate(draft.cited):
        if len(cited) > most:
            message = f"the sentence has {len(cited)} citations, {most} are allowed"
            path = draft.sentence_path(index, "citations")
            hint = f"keep the best {most}; the others may not be judged"
            expected = f"at most {most}"
            audit.found("citation_count", message, draft, path, hint=hint, expected=expected,
                        sentence=index)  # fmt: skip


def check_duplicates(draft: Draft, audit: Audit) -> None:
    """Checks that no sentence cites a document twice."""
    if not draft.has_lists:
        return
    for index, cited in enumerate(draft.cited):
        if type(cited) is dict or len(cited) < 2 or len(set(cited)) == len(cited):
            continue
        seen = set()
        for place, item in enumerate(cited):
            if item in seen:
                message = f"the sentence cites {shorten(item)} twice"
                path = draft.sentence_path(index, "citations", place)
                audit.found("citation_duplicate", message, draft, path, hint="remove one",
                            sentence=index)  # fmt: skip
            seen.add(item)


def check_indexes(draft: Draft, audit: Audit) -> None:
    """Checks that every index points at a reference."""
    if not draft.has_indexes or "indexes" not in audit.track.form.citations:
        return
    num_references = len(draft.references or ())
    for index, cited in enumerate(draft.cited):
        for place, item in enumerate(cited):
            if isinstance(item, int) and not 0 <= item < num_references:
                path = draft.sentence_path(index, "citations", place)
                message = f"the index {shorten(item)} points at none of the references"
                expected = f"0 to {num_references - 1}" if num_references else ""
                hint = "indexes count from 0" if num_references else "add the list of references"
                message += f" ({num_references} of them)" if num_references else ": there are none"
                audit.found("reference_index", message, draft, path, hint=hint, expected=expected,
                            sentence=index)  # fmt: skip


def check_doc_ids(draft: Draft, audit: Audit) -> None:
    """Checks that document ids match the track's pattern from their first to their last letter."""
    matches = audit.pattern("docid_pattern").fullmatch
    doc_ids = draft.doc_ids
    lists_references = draft.references and any(map(audit.track.rule, _LISTED))
    if lists_references:
        doc_ids = doc_ids.union(draft.references or ())
    if all(map(matches, doc_ids)):
        return
    pattern = audit.pattern("docid_pattern")
    for doc_id in sorted(doc_id for doc_id in doc_ids if not matches(doc_id)):
        index, path = _place(doc_id, draft)
        match = pattern.search(doc_id) or pattern.search(doc_id.lower())
        message = f"the document id {shorten(doc_id, 80)} does not match the track's pattern"
        hint = "correct the id"
        if match and match.group():
            hint = f"is {shorten(match.group(), 80)} meant?"
        audit.found("docid_pattern", message, draft, path, hint=hint, expected=pattern.pattern,
                    sentence=index)  # fmt: skip


def check_readable_ids(draft: Draft, audit: Audit) -> None:
    """Checks that document ids are such as every reader of runs takes, where no pattern says so."""
    if audit.track.rule("docid_pattern"):
        return
    doc_ids = draft.doc_ids.union(draft.references or ())
    if all(map(str.isprintable, doc_ids)) and all(map(str.strip, doc_ids)):
        return
    for doc_id in sorted(each for each in doc_ids if not (each.isprintable() and each.strip())):
        index, path = _place(doc_id, draft)
        what = f"the document id {shorten(doc_id, 80)} has a character that is not printable"
        if not doc_id.strip():
            what = f"the document id is {describe(doc_id)}"
        hint = "write the id, or remove the citation" if index is not None else "write the id"
        audit.found("docid_readable", what, draft, path, hint=hint, sentence=index)


def _place(doc_id: str, draft: Draft) -> tuple[int | None, JsonPath]:
    if doc_id in draft.doc_ids:
        return draft.citing(doc_id)
    return None, ("references", draft.listing(doc_id))


def check_references(draft: Draft, audit: Audit) -> None:
    """Checks the list of references against what is cited."""
    track, found = audit.track, audit.found
    references = draft.references
    path = ("references",)
    if references is None:
        hint = "add the list of all cited documents; [] if there are none"
        found("references_missing", "there is no list of references", draft, hint=hint)
        return
    rule = track.rule("references_max")
    if rule and len(references) > rule.values["max"]:
        most = rule.values["max"]
        message = f"there are {len(references)} references, {most} are allowed"
        found("references_max", message, draft, path, hint=f"keep the best {most}")
    listed = set(references)
    if len(listed) < len(references):
        for place, doc_id in _repeated(references):
            message = f"the reference {shorten(doc_id, 80)} is listed twice"
            hint = "remove one" + (" and correct the indexes" if draft.has_indexes else "")
            found("references_duplicate", message, draft, (*path, place), hint=hint)
    if draft.doc_ids != listed:
        _check_cited(draft, audit, listed)


def _check_cited(draft: Draft, audit: Audit, listed: set[str]) -> None:
    found = audit.found
    for doc_id in sorted(draft.doc_ids - listed):
        index, path = draft.citing(doc_id)
        message = f"the cited document {shorten(doc_id, 80)} is not among the references"
        hint = "add it to the references"
        found("references_undeclared", message, draft, path, hint=hint, sentence=index)
    if audit.track.rule("references_uncited"):
        unique = dict.fromkeys(draft.references or ())
        for doc_id in unique:
            if doc_id not in draft.doc_ids:
                message = f"the reference {shorten(doc_id, 80)} is cited by no sentence"
                hint = "remove it, or cite it"
                path = ("references", draft.listing(doc_id))
                found("references_uncited", message, draft, path, hint=hint)


def _repeated(items: list[str]) -> Iterator[tuple[int, str]]:
    seen: set[str] = set()
    for place, item in enumerate(items):
        if item in seen:
            yield place, item
        seen.add(item)


def check_present(draft: Draft, audit: Audit) -> None:
    """Checks that there are no references, where a track has none."""
    if draft.references:
        message = "the track's reports have no list of references"
        audit.found("references_present", message, draft, ("references",), hint="remove it")


def note_cited(draft: Draft, audit: Audit) -> None:
    """Notes where documents are first cited, to look them up in the collection."""
    from argue_eval.formats.jsonl import json_path

    cited = audit.cited
    if cited is None:
        return
    for doc_id in draft.doc_ids - cited.keys():
        index, path = draft.citing(doc_id)
        full = draft.base + path
        line = audit.found.locate(full) if audit.found.locate else draft.line
        cited[doc_id] = (line, json_path(full), draft.topic_id, index)
