"""Whatever is in a file, a command ends with a documented exit code: no crash, no hang, no flood.

Nothing that a terminal obeys is printed, and no file is half-written. 4,000 cases here, 100,000
other ones in ``make fuzz``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
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


_VALUES, _FILES = list(goods.VALUES), list(COMMANDS)
ATTACKS: dict[str, tuple[Sequence[str], Callable[[str], st.SearchStrategy[bytes]]]] = {
    "several values": (_VALUES, lambda kind: _lines(spoiled_often(goods.VALUES[kind]), 2)),
    "any values": (_VALUES, lambda kind: _lines(any_value, 3)),
    "damaged": (_FILES, lambda kind: damaged(goods.raws(kind))),
    "any bytes": (_FILES, lambda kind: st.binary(max_size=60)),
    "texts": (["texts", "texts", "texts", "references"], lambda kind: texts()),
}
"""By share of the cases: the kinds of file, and what is in one."""


def _lines(values: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[bytes]:
    return st.lists(values, min_size=1, max_size=most).map(lambda drawn: lines(*drawn))


@pytest.mark.parametrize("share", ATTACKS)
@pytest.mark.hypothesis
def test_whatever_is_in_a_file(folder: Path, share: str) -> None:
    kinds, raws = ATTACKS[share]

    @cases(share)
    @given(data=st.data())
    def attacked(data: st.DataObject) -> None:
        kind = data.draw(st.sampled_from(kinds))
        attack(folder, data.draw(raws(kind)), data.draw(st.sampled_from(COMMANDS[kind])))

    attacked()


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
