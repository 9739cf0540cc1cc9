"""Whatever is in a file, there are findings or records: no crash, no hang, no flood.

10,000 cases here, 100,000 other ones in ``make fuzz``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.formats.segmenting import PLACES, TextOptions
from argue_eval.validation import Job, tracks
from tests.formats.test_broken_files import READERS
from tests.fuzz import goods
from tests.fuzz.budget import HUNDREDS, NUM_CASES, cases
from tests.fuzz.values import any_value, damaged, lines, spoiled_often, texts
from tests.fuzz.watching import read, segment, validate


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz")
    folder.joinpath("requests.jsonl").write_bytes(goods.REQUESTS)
    folder.joinpath("references.txt").write_text("1 ex-1\n2 ex-2\nD12 ex-12\n")
    folder.joinpath("ids.txt").write_text("d1\nshard_1_2\n")
    return folder


@pytest.fixture(scope="module", autouse=True)
def _rules_are_read_once() -> Iterator[None]:
    """Keeps the tracks: to read them anew would take most of the time of a case."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tracks, "load_file", cache(tracks.load_file))
        yield


@st.composite
def jobs(draw: st.DrawFn) -> tuple[str | None, bool, bool, bool]:
    """A track or none, and whether there are requests, a collection, and strictness."""
    track = draw(st.sampled_from([None, *tracks.names()]))
    return (track, draw(st.booleans()), draw(st.integers(0, 3)) == 0, draw(st.booleans()))


def _validate(folder: Path, raw: bytes, options: tuple[str | None, bool, bool, bool]) -> None:
    track, has_requests, has_collection, is_strict = options
    path = folder / "run"
    path.write_bytes(raw)
    requests = str(folder / "requests.jsonl") if has_requests else None
    collections = [str(folder / "ids.txt")] if has_collection else []
    validate(path, Job(track, None, requests, collections, is_strict))


def test_all_cases_together_are_as_many_as_promised() -> None:
    assert sum(HUNDREDS.values()) * 100 == NUM_CASES


@cases("run-like values")
@given(values=st.lists(spoiled_often(goods.REPORTS), min_size=1, max_size=2), options=jobs())
def test_run_with_wrong_types_is_validated(
    folder: Path, values: list[Any], options: tuple[str | None, bool, bool, bool]
) -> None:
    _validate(folder, lines(*values), options)


@cases("any values")
@given(values=st.lists(any_value, min_size=1, max_size=3), options=jobs())
def test_any_json_is_validated(
    folder: Path, values: list[Any], options: tuple[str | None, bool, bool, bool]
) -> None:
    _validate(folder, lines(*values), options)


@cases("damaged runs")
@given(raw=damaged(goods.RUNS), options=jobs())
def test_damaged_run_is_validated(
    folder: Path, raw: bytes, options: tuple[str | None, bool, bool, bool]
) -> None:
    _validate(folder, raw, options)


@cases("any bytes")
@given(raw=st.binary(max_size=60), options=jobs())
def test_any_bytes_are_validated(
    folder: Path, raw: bytes, options: tuple[str | None, bool, bool, bool]
) -> None:
    _validate(folder, raw, options)


@st.composite
def like_an_input(draw: st.DrawFn) -> tuple[str, bytes]:
    kind = draw(st.sampled_from(list(READERS)))
    values = draw(st.lists(spoiled_often(goods.INPUTS[kind]), min_size=1, max_size=2))
    return kind, lines(*values)


@st.composite
def damaged_input(draw: st.DrawFn) -> tuple[str, bytes]:
    kind = draw(st.sampled_from(list(READERS)))
    return kind, draw(damaged(goods.RAW_INPUTS[kind]))


@cases("like the inputs")
@given(case=like_an_input())
def test_input_with_wrong_types_is_read_or_refused(folder: Path, case: tuple[str, bytes]) -> None:
    kind, raw = case
    path = folder / "input"
    path.write_bytes(raw)
    read(kind, path)


@cases("damaged inputs")
@given(case=damaged_input())
def test_damaged_input_is_read_or_refused(folder: Path, case: tuple[str, bytes]) -> None:
    kind, raw = case
    path = folder / "input"
    path.write_bytes(raw)
    read(kind, path)


@st.composite
def options(draw: st.DrawFn) -> TextOptions:
    """One of the ways in which texts may be read."""
    language = draw(st.sampled_from([None, None, "en", "zh", "ar"]))
    return TextOptions(language, draw(st.sampled_from(PLACES)), draw(st.booleans()))


@cases("texts")
@given(raw=texts(), options=options(), has_references=st.booleans())
def test_any_text_is_segmented(
    folder: Path, raw: bytes, options: TextOptions, has_references: bool
) -> None:
    path = folder / "text"
    path.write_bytes(raw)
    segment(path, options, str(folder / "references.txt") if has_references else None)


@cases("references")
@given(raw=texts())
def test_any_file_of_references_is_read_or_refused(folder: Path, raw: bytes) -> None:
    (folder / "text").write_bytes(b"It fell [1].")
    (folder / "any_references").write_bytes(raw)
    segment(folder / "text", TextOptions("en"), str(folder / "any_references"))
