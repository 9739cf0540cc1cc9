"""Whatever is in a file, a command ends with a documented exit code: no crash, no hang, no flood.

Nothing that a terminal obeys is printed, and no file is half-written. 4,000 cases here, 100,000
other ones in ``make fuzz``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.validation import tracks
from tests.fuzz import goods
from tests.fuzz.budget import HUNDREDTHS, NUM_CASES, cases, is_fuzzing, number_of
from tests.fuzz.targets import COMMANDS, attack
from tests.fuzz.values import (
    ODD,
    Place,
    any_value,
    damaged,
    lines,
    places,
    replaced,
    spoiled_often,
    texts,
)


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The working directory, with good files. Tracks are read once: that takes most of the time."""
    folder = tmp_path_factory.mktemp("fuzz")
    goods.write(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(tracks, "load_file", cache(tracks.load_file))
        yield folder


def test_all_cases_together_are_as_many_as_promised() -> None:
    assert sum(map(number_of, HUNDREDTHS)) == (100_000 if is_fuzzing else NUM_CASES)


@pytest.mark.parametrize(
    ("kind", "command"), [(kind, each) for kind, found in COMMANDS.items() for each in found]
)
def test_command_reads_a_good_file(folder: Path, kind: str, command: str) -> None:
    """Otherwise nothing behind the first check would be reached."""
    ran = [attack(folder, raw, command) for raw in goods.raws(kind)]
    assert command.startswith("validate") or any(each.code in (0, 4) for each in ran), ran[0]


@st.composite
def with_command(draw: st.DrawFn, kind: str, raw: bytes) -> tuple[bytes, str]:
    return raw, draw(st.sampled_from(COMMANDS[kind]))


@st.composite
def like_good_ones(draw: st.DrawFn) -> tuple[bytes, str]:
    kind = draw(st.sampled_from(list(goods.VALUES)))
    values = draw(st.lists(spoiled_often(goods.VALUES[kind]), min_size=1, max_size=2))
    return draw(with_command(kind, lines(*values)))


@st.composite
def any_json(draw: st.DrawFn) -> tuple[bytes, str]:
    kind = draw(st.sampled_from(list(goods.VALUES)))
    values = draw(st.lists(any_value, min_size=1, max_size=3))
    return draw(with_command(kind, lines(*values)))


@st.composite
def damaged_files(draw: st.DrawFn) -> tuple[bytes, str]:
    kind = draw(st.sampled_from(list(COMMANDS)))
    return draw(with_command(kind, draw(damaged(goods.raws(kind)))))


@st.composite
def any_bytes(draw: st.DrawFn) -> tuple[bytes, str]:
    kind = draw(st.sampled_from(list(COMMANDS)))
    return draw(with_command(kind, draw(st.binary(max_size=60))))


@st.composite
def any_texts(draw: st.DrawFn) -> tuple[bytes, str]:
    kind = draw(st.sampled_from(["texts", "texts", "texts", "references"]))
    return draw(with_command(kind, draw(texts())))


@cases("several values")
@given(case=like_good_ones())
def test_values_of_wrong_types(folder: Path, case: tuple[bytes, str]) -> None:
    attack(folder, *case)


@cases("any values")
@given(case=any_json())
def test_any_json(folder: Path, case: tuple[bytes, str]) -> None:
    attack(folder, *case)


@cases("damaged")
@given(case=damaged_files())
def test_damaged_files(folder: Path, case: tuple[bytes, str]) -> None:
    attack(folder, *case)


@cases("any bytes")
@given(case=any_bytes())
def test_any_bytes(folder: Path, case: tuple[bytes, str]) -> None:
    attack(folder, *case)


@cases("texts")
@given(case=any_texts())
def test_any_texts(folder: Path, case: tuple[bytes, str]) -> None:
    attack(folder, *case)


# --- every place, every nasty value ---------------------------------------------------------------


def _cases() -> Iterator[tuple[Any, Place, Any, str]]:
    """Every value of every file with every odd one in its place, for every command."""
    for kind, values in goods.VALUES.items():
        for value in values:
            for place in places(value):
                for odd, command in itertools.product(ODD, COMMANDS[kind]):
                    yield value, place, odd, command


@pytest.mark.hypothesis
def test_every_value_at_every_place(folder: Path) -> None:
    """In the tests some of them, the same in every run; in ``make fuzz`` others."""
    draw = Random() if is_fuzzing else Random(1)
    for value, place, odd, command in draw.sample(list(_cases()), number_of("one value")):
        raw = lines(replaced(value, place, odd))
        try:
            attack(folder, raw, command)
        except Exception:
            print(command, raw)  # noqa: T201
            raise
