"""From every format to every other: what is lost is told, and only what is lost."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from argue_eval import formats
from argue_eval.errors import InputError
from argue_eval.formats import plugins
from argue_eval.formats.converting import Conversion, convert
from tests.convert.comparing import compared
from tests.convert.records import RECORDS

MORE = 30 if settings().max_examples >= 1000 else 1
"""In the profile ``fuzz`` there are more cases: other ones each time."""

PAIRS = [
    (kind, first, second)
    for kind in plugins.WRITTEN_KINDS
    for first in plugins.written(kind)
    for second in plugins.written(kind)
]
WRITE: dict[str, Any] = {
    "runs": formats.write_run,
    "nuggets": formats.write_nuggets,
    "requests": formats.write_requests,
}
READ: dict[str, Any] = {
    "runs": formats.read_run,
    "nuggets": formats.read_nuggets,
    "requests": formats.read_topics,
}

KEYS = {"further_key", "metadata"}
RUBRIC = KEYS | {"weight", "group"}
QUESTIONS = RUBRIC | {"nugget", "nugget_id"}
FIELDS = KEYS | {"title", "background", "limit", "limit_unit", "collection_ids", "language"}
MAY_LOSE = {
    ("runs", "canonical"): KEYS,
    ("runs", "rag"): KEYS | {"scores", "documents", "references"},
    ("runs", "neuclir"): KEYS | {"scores", "documents", "references", "team_id"},
    ("nuggets", "canonical"): KEYS,
    ("nuggets", "auto_argue"): RUBRIC | {"question", "claim", "order"},
    ("nuggets", "ragtime26"): QUESTIONS,
    ("nuggets", "neuclir"): QUESTIONS - {"nugget_id"} | {"aggregator"},
    ("nuggets", "rubrics"): QUESTIONS - {"weight"} | {"aggregator", "importance", "doc_ids"},
    ("nuggets", "dragun"): KEYS | {"nugget", "aggregator", "importance", "doc_ids", "order"},
    ("nuggets", "nuggetizer"): QUESTIONS | {"aggregator", "doc_ids"},
    ("requests", "canonical"): KEYS,
    ("requests", "neuclir"): KEYS | {"limit_unit", "language"},
    ("requests", "dragun"): (FIELDS | {"problem_statement"}) - {"title"},
    ("requests", "rag25"): FIELDS,
    ("requests", "rag_tsv"): FIELDS | {"problem_statement", "topic"},
}
"""What a format cannot hold. Whatever else it is given, it holds."""


def _read(kind: str, path: Path) -> list[Any]:
    records = list(READ[kind](str(path)))
    return [each._replace(line=None) for each in records] if kind == "runs" else records


def _convert(
    kind: str,
    source: Path,
    format_name: str,
    output: Path,
    *,
    is_lossy: bool,
    source_format: str = "",
) -> Conversion:
    return convert(
        str(source),
        format_name,
        str(output),
        kind=kind,
        source_format=source_format or None,
        is_lossy=is_lossy,
    )


def _file(kind: str, format_name: str, records: list[Any], folder: Path) -> Path:
    """Writes what a format can hold of some records, if anything."""
    canonical, path = folder / "canonical", folder / "first"
    with canonical.open("w", encoding="utf-8", newline="") as stream:
        WRITE[kind](records, stream)
    with _nothing_left() as nothing_left:
        _convert(kind, canonical, format_name, path, is_lossy=True, source_format="canonical")
    assume(not nothing_left)
    return path


@contextmanager
def _nothing_left() -> Iterator[list[str]]:
    """Gathers the code of the one error that a conversion may end with."""
    codes: list[str] = []
    try:
        yield codes
    except InputError as exc:
        codes += [finding.code for finding in exc.findings]
        if codes != ["nothing_left"]:
            raise


@pytest.mark.parametrize(("kind", "first", "second"), PAIRS)
@settings(max_examples=7 * MORE, deadline=None)
@given(st.data())
def test_every_difference_is_reported_and_without_one_the_way_back_leads_to_the_same(
    kind: str, first: str, second: str, data: st.DataObject
) -> None:
    records = data.draw(RECORDS[kind])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, there, back = _file(kind, first, records, folder), folder / "there", folder / "back"
        before = _read(kind, source)
        with _nothing_left() as nothing_left:
            done = _convert(kind, source, second, there, is_lossy=True)
        if nothing_left:
            return
        after = _read(kind, there)
        reported = {
            (each.finding.topic_id, each.what, each.finding.sentence)
            for each in done.losses + done.additions
        }
        assert reported == compared(before, after)
        assert (after == before) == (not reported)
        assert {what for _, what, _ in reported} <= MAY_LOSE[kind, second]
        refused = _convert(kind, source, second, folder / "strict", is_lossy=False)
        assert refused.losses == done.losses
        assert refused.is_written == (not done.losses) == (folder / "strict").exists()
        if not reported:
            assert not _convert(kind, there, first, back, is_lossy=False).losses
            assert _read(kind, back) == before


@pytest.mark.parametrize(
    ("kind", "format_name"), [(kind, first) for kind, first, second in PAIRS if first == second]
)
@settings(max_examples=10 * MORE, deadline=None)
@given(st.data())
def test_what_a_format_holds_it_holds_again(
    kind: str, format_name: str, data: st.DataObject
) -> None:
    records = data.draw(RECORDS[kind])
    with tempfile.TemporaryDirectory() as name:
        source, again = _file(kind, format_name, records, Path(name)), Path(name, "again")
        done = _convert(kind, source, format_name, again, is_lossy=False)
        assert not done.losses + done.additions
        assert again.read_bytes() == source.read_bytes()
