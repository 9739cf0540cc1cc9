"""What people did to nuggets on a sheet: lines of edits, each with all that it replaces.

An edit is complete in itself: nuggets as they were, and as they are now. Editing, splitting,
merging, removing and adding are the same with other numbers of nuggets on the two sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from argue_eval.errors import Finding, describe
from argue_eval.formats.checking import Check, as_fields, first_item, json_items
from argue_eval.formats.detection import called
from argue_eval.formats.jsonl import Source
from argue_eval.formats.nuggets import canonical
from argue_eval.records import Nugget

FORMAT = "argue-eval/nugget-edits/1"


class Edit(NamedTuple):
    """One edit.

    Attributes:
        kind: what it was called: ``edited``, ``split``, ``merged``, ``removed`` or ``added``.
        replaces: the nuggets as they were; `by`: what is in their place.
        judge: who did it, such as ``assessor:A``; `time`: when, as ISO 8601.
    """

    topic_id: str
    kind: str
    replaces: tuple[Nugget, ...]
    by: tuple[Nugget, ...]
    judge: str = ""
    time: str = ""
    file: str = ""
    line: int | None = None


def read(source: Source, warnings: list[Finding] | None = None) -> list[Edit]:
    """The edits of a file, in their order.

    Raises:
        InputError: the file has something else, or has errors.
        MissingResourceError: there is no such file.
    """
    check = Check(source, warnings)
    found: list[Edit] = []
    with check.finishing():
        found += _edits(check)
        if not found and not check.errors:
            hint = "export them from the sheet"
            check.error("no_edits", "there are no edits of nuggets", hint=hint)
    return found


def is_edits(source: Source) -> bool:
    """Whether a file has edits, judging by its start."""
    value = first_item(source)
    return type(value) is dict and value.get("format") == FORMAT


def _edits(check: Check) -> Iterator[Edit]:
    for value in json_items(check):
        if type(value) is dict and value.get("format") != FORMAT:
            message = f"expected edits of nuggets, found {called(value) or describe(value)}"
            hint = "name what was exported from a sheet of nuggets"
            if "judgments" in message:
                hint = "judgments are put together without --bank"
            check.error("unknown_format", message, hint=hint)
            return
        fields = as_fields(check, value)
        if fields is None:
            continue
        edit = Edit(
            topic_id=fields.identifier("topic_id"),
            kind=fields.text("kind"),
            replaces=canonical.nuggets_of(fields, "replaces"),
            by=canonical.nuggets_of(fields, "by"),
            judge=fields.text("judge", required=False),
            time=fields.text("time", required=False),
            file=check.source.name,
            line=check.line,
        )
        if not edit.replaces and not edit.by:
            check.error("no_edits", "the edit has no nugget", hint="leave the line out")
        yield edit
