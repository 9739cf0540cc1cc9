"""Mutations of document ids, of the references, of the report as a whole and of its bytes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.differential.changes import Mutations, drop, has_references
from tests.differential.runs import Run, UnfitError

MUTATIONS = Mutations()

# --- document ids ------------------------------------------------------------------------------


def _rename(template: str, run: Run) -> None:
    old = run.form.doc_ids()[2]
    run.rename(old, template.format(old))


for _name, _template in (
    ("tail", "{}#junk"),
    ("head", "x{}"),
    ("space", "{} "),
    ("empty", ""),
    ("line_end", "{}\n"),
):
    MUTATIONS.add(f"doc_id_{_name}", partial(_rename, _template))


@MUTATIONS("doc_id_upper_case")
def _doc_id_upper_case(run: Run) -> None:
    old = run.form.doc_ids()[2]
    run.rename(old, "ABCDEF" + old.upper()[6:])


# --- references --------------------------------------------------------------------------------


def _refer(references: Any, run: Run) -> None:
    run.report["references"] = copy.deepcopy(references)


for _name, _references in (("null", None), ("text", "d1"), ("object", {}), ("empty", [])):
    MUTATIONS.add(f"references_{_name}", partial(_refer, _references))


@MUTATIONS("references_missing", has_references)
def _references_missing(run: Run) -> None:
    drop(run.report, "references")


@MUTATIONS("references_given", lambda form: not form.has_references)
def _references_given(run: Run) -> None:
    run.report["references"] = run.form.doc_ids(4)


@MUTATIONS("reference_twice", has_references)
def _reference_twice(run: Run) -> None:
    run.references().append(run.form.doc_ids()[0])


@MUTATIONS("reference_uncited", has_references)
def _reference_uncited(run: Run) -> None:
    run.references().append(run.form.doc_ids()[4])


@MUTATIONS("reference_uncited_and_bad", has_references)
def _reference_uncited_and_bad(run: Run) -> None:
    run.references().append("no id")


@MUTATIONS("reference_undeclared", has_references)
def _reference_undeclared(run: Run) -> None:
    run.references()
    if run.shape == "indexes" != run.form.cites:
        raise UnfitError
    run.cite(3, run.form.cite([5], "doc_ids" if run.shape == "indexes" else run.shape))


@MUTATIONS("reference_number", has_references)
def _reference_number(run: Run) -> None:
    run.references().append(3)


@MUTATIONS("references_101", has_references)
def _references_101(run: Run) -> None:
    run.references().extend(run.form.doc_ids(101)[4:])


# --- the report as a whole ---------------------------------------------------------------------


@MUTATIONS("report_has_a_further_key")
def _report_has_a_further_key(run: Run) -> None:
    run.report["my_key"] = {"a": [1]}


# --- bytes -------------------------------------------------------------------------------------


def _edit(name: str, edit: Callable[[bytes], bytes]) -> None:
    """Adds a mutation of the bytes."""
    MUTATIONS.add(name, lambda run: run.edits.append(edit))


def _second(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    """Returns an edit of the second report, which has nothing else wrong in it."""

    def edit(raw: bytes) -> bytes:
        first, line_end, rest = raw.partition(b"\n")
        return first + line_end + rest.replace(old, new, 1)

    return edit


_edit("report_is_list", lambda raw: b"[]\n" + raw.split(b"\n", 1)[1])
_edit("byte_order_mark", lambda raw: b"\xef\xbb\xbf" + raw)
_edit("line_ends_crlf", lambda raw: raw.replace(b"\n", b"\r\n"))
_edit("blank_lines", lambda raw: raw.replace(b"\n", b"\n \n"))
_edit("no_last_line_end", lambda raw: raw[:-1])
_edit("cut_in_the_middle", lambda raw: raw[: len(raw) // 2])
_edit("two_on_one_line", lambda raw: raw.replace(b"}\n{", b"}{", 1))
_edit("single_quotes", lambda raw: raw.replace(b'"', b"'"))
_edit("trailing_comma", lambda raw: raw.replace(b"}\n", b",}\n", 1))
_edit("null_byte", lambda raw: raw.replace(b"months", b"mon\x00ths", 1))
_edit("not_utf_8", lambda raw: raw.replace(b"months", b"mon\xe9ths", 1))
_edit("key_twice", _second(b'"text"', b'"text": "a", "text"'))
_edit("half_a_surrogate_pair", _second(b"months", rb"mon\ud800ths"))
_edit("utf_16", lambda raw: raw.decode(errors="replace").encode("utf-16"))
_edit("empty_file", lambda raw: b"")
