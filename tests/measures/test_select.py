"""Which measures a name stands for."""

from __future__ import annotations

import pytest

from argue_eval import measures
from argue_eval.errors import UsageError
from argue_eval.records import Average


def averages(*names: str) -> dict[str, Average]:
    return {
        each.name: each.average for family in measures.select(names) for each in family.measures
    }


def test_one_of_two_averages_can_be_asked_for() -> None:
    assert averages("f1_micro") == {"f1": Average.MICRO}
    assert averages("character_count_max") == {"character_count": Average.MAX}


@pytest.mark.parametrize("names", [("f1",), ("f1_micro", "f1_macro"), ("f1_macro", "f1")])
def test_both_are_printed_if_both_are_asked_for(names: tuple[str, ...]) -> None:
    assert averages(*names) == {"f1": Average.MICRO_AND_MACRO}


def test_a_family_stands_for_all_its_measures() -> None:
    assert set(averages("support")) == {"weighted_precision", "weighted_recall"}


@pytest.mark.parametrize("name", ["outcome_1_micro", "sentence_precision_macro", "f1_max", "f2"])
def test_an_average_that_a_measure_does_not_have_is_unknown(name: str) -> None:
    with pytest.raises(UsageError, match=f"unknown measure '{name}'"):
        measures.select([name])
