"""Checks of citations, of the list of references, and of what the collection holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any, TypeVar

from argue_eval.errors import Finding, describe, shorten
from argue_eval.formats.jsonl import Source
from argue_eval.formats.runs import Draft
from argue_eval.validation.audit import Audit, digest_of
from argue_eval.validation.tracks import OF_REFERENCES

Item = TypeVar("Item")

_SHAPES = {
    "scores": "{doc_id: score}",
    "doc_ids": "[doc_id, …]",
    "indexes": "[index into references, …]",
    "inline": "[doc_id, …] in the text",
}
_ALL_SHAPES = frozenset({"scores", "doc_ids", "indexes"})


def check_format(draft: Draft, audit: Audit) -> None:
    """Checks that the citations have a shape that the track takes, the same in all sentences."""
    shapes = audit.track.layout.citations
    if draft.is_inline:
        return
    is_fine = True
    if draft.has_indexes or "doc_ids" not in shapes or "scores" not in shapes:
        expected = " or ".join(_SHAPES[shape] for shape in shapes)
        usual = _usual_shape(draft)
        hint = f"write {_SHAPES[usual] if usual in shapes else expected}"
        is_known = draft.has_indexes and draft.doc_ids and "indexes" not in shapes
        if is_known and draft.key == "responses":
            hint += "; argue-eval convert RUN --to canonical -o NEW writes the ids for the indexes"
        for index, cited in enumerate(draft.cited):
            if wrong := sorted(_shapes_of(cited).difference(shapes)):
                message = f"the citations are {_SHAPES[wrong[0]]}, which the track does not take"
                audit.found("citation_format", message, draft, ("citations",), index=index,
                               hint=hint, expected=expected)  # fmt: skip
                is_fine = False
    if is_fine and (draft.is_mixed or draft.has_indexes):
        check_one_shape(draft, audit)


def check_one_shape(draft: Draft, audit: Audit) -> None:
    """Checks that all sentences cite in the same shape: the tracks' readers take no mixture."""
    if not (draft.is_mixed or draft.has_indexes):
        return
    if _ALL_SHAPES.issubset(audit.track.layout.citations):
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
            hint = f"write {_SHAPES[usual] if cited else none}"
            audit.found("citation_format", message, draft, ("citations",), index=index,
                           hint=hint, expected=_SHAPES[usual])  # fmt: skip


def _usual_shape(draft: Draft) -> str:
    """The shape in which most sentences cite; that with scores if none cites anything."""
    shapes = Counter(min(_shapes_of(cited)) for cited in draft.cited if cited)
    return max(shapes, key=lambda shape: shapes[shape], default="scores")


def _shapes_of(cited: Any) -> set[str]:
    """The shapes of a sentence's citations; none for an empty list."""
    if isinstance(cited, dict):
        return {"scores"}
    return {"doc_ids" if isinstance(item, str) else "indexes" for item in cited}


def check_any(draft: Draft, audit: Audit) -> None:
    """Checks that a report cites something, unless it is a notice that nothing was found."""
    if digest_of(draft) == 0 or any(code == "citation_format" for code, *_ in draft.problems):
        return
    message, hint = "the report cites no document", "cite what supports its sentences"
    if audit.track.layout.nuggets:
        message = "no answer of the bank names a document"
        hint = "list the documents that attest each answer under 'references'"
    audit.found("uncited_report", message, draft, (draft.key,), hint=hint, is_once=True)


def check_count(draft: Draft, audit: Audit) -> None:
    """Checks how many citations a sentence has."""
    most: int = audit.rules["citation_count"].values["max"]
    if max(map(len, draft.cited)) <= most:
        return
    for index, cited in enumerate(draft.cited):
        if len(cited) > most:
            message = f"the sentence has {len(cited):,} citations, {most:,} are allowed"
            hint = f"keep the best {most}; the others may not be judged"
            audit.found("citation_count", message, draft, ("citations",), index=index,
                           hint=hint, expected=f"at most {most}")  # fmt: skip


def check_further(draft: Draft, audit: Audit) -> None:
    """Checks that no sentence without citations has them under another key."""
    from argue_eval.formats.detection import misplaced

    noted = {problem.path for problem in draft.problems if problem.code == "missing_citations"}
    for index, further in draft.further.items():
        key = "" if draft.cited[index] else misplaced("citations", further)
        if key and (draft.key, index) not in noted:
            message = f"no citations are given, and {shorten(key)} has document ids"
            hint = f"rename {shorten(key)} to 'citations'"
            audit.found("missing_citations", message, draft, index=index, hint=hint)


def check_duplicates(draft: Draft, audit: Audit) -> None:
    """Checks that no sentence cites a document twice."""
    for index, cited in enumerate(draft.cited):
        if type(cited) is list and len(set(cited)) < len(cited):
            for place, item in _repeated(cited):
                message = f"the sentence cites {shorten(item)} twice"
                audit.found("citation_duplicate", message, draft, ("citations", place), index=index,
                               hint="remove one")  # fmt: skip


def check_indexes(draft: Draft, audit: Audit) -> None:
    """Checks that every index points at a reference."""
    num = len(draft.references or ())
    lowest, highest = draft.places or (0, -1)
    if lowest >= 0 and highest < num:
        return
    is_from_one = draft.is_from_one
    end = f" ({num:,} of them)" if num else ": there are none"
    hint = "indexes count from 0" if num else "add the list of references"
    if is_from_one:
        end += "; the indexes look as if they counted from 1: "
        end += f"they are {lowest} to {highest}, and never 0"
        hint = "indexes count from 0: subtract 1 from every index of the report"
    for index, cited in enumerate(draft.cited):
        for place, item in enumerate(cited):
            if isinstance(item, int) and not 0 <= item < num:
                message = f"the index {shorten(item)} points at none of the references{end}"
                audit.found("reference_index", message, draft, ("citations", place), index=index,
                               hint=hint, expected=f"0 to {num - 1}" if num else "")  # fmt: skip
                if is_from_one:
                    return


def check_doc_ids(draft: Draft, audit: Audit) -> None:
    """Checks that document ids match the track's pattern from their first to their last letter."""
    pattern: re.Pattern[str] = audit.rules["docid_pattern"].values["pattern"]
    doc_ids = draft.doc_ids
    if draft.references and not audit.rules.keys().isdisjoint(OF_REFERENCES):
        doc_ids = doc_ids.union(draft.references)
    if all(map(pattern.fullmatch, doc_ids)):
        return
    doc_ids = {each for each in _without_unread(doc_ids, draft) if not pattern.fullmatch(each)}
    for doc_id in sorted(doc_ids):
        match = pattern.search(doc_id) or pattern.search(doc_id.lower())
        message = f"the document id {shorten(doc_id, 80)} does not match the track's pattern"
        hint = _unquoted(doc_id, draft, audit) or "correct the id"
        if match and match.group():
            hint = f"is {shorten(match.group(), 80)} meant?"
        _found_id("docid_pattern", message, draft, audit, doc_id, hint, pattern.pattern)


def _without_unread(doc_ids: AbstractSet[str], draft: Draft) -> AbstractSet[str]:
    """The ids without the empty one of references that are no texts, unless a sentence cites it."""
    is_cited = any("" in each for each in draft.cited)
    return doc_ids if is_cited or _are_references_read(draft) else doc_ids - {""}


def _are_references_read(draft: Draft) -> bool:
    """Whether all references are texts. Of others, there is an empty one."""
    return all(each.path[:1] != ("references",) for each in draft.problems)


def _unquoted(doc_id: str, draft: Draft, audit: Audit) -> str:
    """What to do about a document id that is an index in quotes; nothing about any other."""
    is_index = "indexes" in audit.track.layout.citations and doc_id.isdecimal() and len(doc_id) < 4
    known = draft.references or ()
    is_index = is_index and doc_id not in known and int(doc_id) < len(known)
    return f"if it is an index, write it without quotes: {int(doc_id)}" if is_index else ""


def check_readable_ids(draft: Draft, audit: Audit) -> None:
    """Checks that document ids are such as every reader of runs takes, where no pattern says so."""
    doc_ids = draft.doc_ids.union(draft.references or ())
    bare = set(map(str.strip, doc_ids))
    if all(map(str.isprintable, doc_ids)) and bare == doc_ids and "" not in bare:
        return
    for doc_id in sorted(_without_unread(doc_ids, draft)):
        if doc_id.isprintable() and doc_id.strip():
            if doc_id != doc_id.strip():
                what = f"the id {shorten(doc_id, 80)} starts or ends with white space"
                hint = "ids are compared as they are: write it without"
                _found_id("id_whitespace", what, draft, audit, doc_id, hint)
            continue
        what = f"the document id {shorten(doc_id, 80)} has a character that is not printable"
        if not doc_id.strip():
            what = f"the document id is {describe(doc_id)}"
        hint = "write the id" + (", or remove the citation" if doc_id in draft.doc_ids else "")
        _found_id("docid_readable", what, draft, audit, doc_id, hint)


def _found_id(
    code: str, message: str, draft: Draft, audit: Audit, doc_id: str, hint: str, expected: str = ""
) -> None:
    """Adds a finding where a document is first cited, or else listed."""
    if doc_id in draft.doc_ids:
        index, step = draft.first_cited[doc_id]
        steps = ("citations", step)
        audit.found(code, message, draft, steps, index=index, hint=hint, expected=expected)
    else:
        path = ("references", draft.first_listed[doc_id])
        audit.found(code, message, draft, path, hint=hint, expected=expected)


def check_references(draft: Draft, audit: Audit) -> None:
    """Checks the list of references against what is cited."""
    references = draft.references
    if references is None:
        hint = "add the list of all cited documents; [] if there are none"
        message = "there is no list of references"
        audit.found("references_missing", message, draft, hint=hint)
        return
    if not _are_references_read(draft):
        return
    rule = audit.rules.get("references_max")
    if rule and len(references) > rule.values["max"]:
        most = rule.values["max"]
        message = f"there are {len(references):,} references, {most:,} are allowed"
        hint = f"keep the best {most}"
        audit.found("references_max", message, draft, ("references",), hint=hint)
    listed = set(references)
    if len(listed) < len(references):
        for place, doc_id in _repeated(references):
            message = f"the reference {shorten(doc_id, 80)} is listed twice"
            hint = _removal(draft, place)
            if draft.has_indexes:
                hint = f"cite {draft.first_listed[doc_id]} for it; then {hint}"
            audit.found("references_duplicate", message, draft, ("references", place), hint=hint)
    has_unread = any(code == "citation_format" for code, *_ in draft.problems)
    for doc_id in sorted(draft.doc_ids - listed):
        message = f"the cited document {shorten(doc_id, 80)} is not among the references"
        index = _unquoted(doc_id, draft, audit)
        has_unread = has_unread or index != ""
        hint = index or "add it to the references"
        _found_id("references_undeclared", message, draft, audit, doc_id, hint)
    is_active = audit.rules.get("references_uncited") and not (has_unread or draft.is_from_one)
    if is_active and not listed <= draft.doc_ids:
        for place, doc_id in enumerate(references):
            if doc_id not in draft.doc_ids and draft.first_listed[doc_id] == place:
                _found_uncited(draft, audit, place)


def _found_uncited(draft: Draft, audit: Audit, place: int) -> None:
    doc_id = (draft.references or ())[place]
    message = f"the reference {shorten(doc_id, 80)} is cited by no sentence"
    hint = f"{_removal(draft, place)}, or cite it"
    lowest, highest = draft.places or (0, 0)
    if place == 0 and lowest == 1:
        message += f"; the indexes may count from 1: they are 1 to {highest}, and never 0"
        hint = "indexes count from 0: if yours count from 1, subtract 1 from every index of the "
        hint += f"report; if not, {_removal(draft, place)}"
    audit.found("references_uncited", message, draft, ("references", place), hint=hint)


def _removal(draft: Draft, place: int) -> str:
    """How to remove a reference, so that the indexes stay right."""
    return "remove it" + (f" and subtract 1 from every index above {place}" * draft.has_indexes)


def _repeated(items: Sequence[Item]) -> Iterator[tuple[int, Item]]:
    seen: set[Item] = set()
    for place, item in enumerate(items):
        if item in seen:
            yield place, item
        seen.add(item)


def check_present(draft: Draft, audit: Audit) -> None:
    """Checks that there are no references, where a track has none."""
    message = "the track's reports have no list of references"
    audit.found("references_present", message, draft, ("references",), hint="remove it")


def note_cited(draft: Draft, audit: Audit) -> None:
    """Notes where documents are first cited, to look them up in the collection."""
    for doc_id in draft.doc_ids - audit.cited.keys():
        index, step = draft.first_cited[doc_id]
        audit.cited[doc_id] = audit.place(draft, ("citations", step), index)


def check_collection(
    names: Sequence[str | Source],
    audits: Sequence[Audit],
    progress: Callable[[str, int, int], None] | None = None,
) -> None:
    """Checks that every cited document is in one of the collections.

    The collections are read once for all runs, and again if there are ids to be guessed.
    """
    from argue_eval.formats.collection import Collection, existing, nearest

    collections = Collection.all_of(names)
    cited = {doc_id for audit in audits for doc_id in audit.cited}
    unknown = cited - existing(collections, cited, progress)
    meant = nearest(sorted(unknown), collections)
    for audit in audits:
        number = len(audit.cited)
        if number > 1 and audit.cited.keys() <= unknown and meant.keys().isdisjoint(audit.cited):
            message = f"none of the {number:,} cited documents is in the collection"
            hint = "check that it is the track's own collection"
            audit.findings.error("unknown_document", message, hint)
            continue
        file = audit.findings.file
        for doc_id, (line, path, topic_id, index) in audit.cited.items():
            if doc_id in unknown:
                near = meant.get(doc_id)
                hint = f"is {shorten(near, 80)} meant?" if near else "correct or remove it"
                message = f"the collection has no document {shorten(doc_id, 80)}"
                audit.findings.add(
                    Finding("unknown_document", message, hint, file, line, path, topic_id,
                            sentence=index)
                )  # fmt: skip
