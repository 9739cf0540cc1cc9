"""What every measure of every family keeps to."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from argue_eval import measures
from argue_eval.errors import UsageError
from argue_eval.measures import Explanation, Family, Measure
from argue_eval.measures.averages import printed
from argue_eval.records import Average, Bounds
from tests.making import ALL_NEEDS, evidence, nugget, report

PROTOCOLS = [name.replace("-", "_") for name in measures.protocol_names()]

FAMILIES = measures.load_families()
EVERY = [(family, measure) for family in FAMILIES for measure in family.measures]
IDS = [measure.name for _, measure in EVERY]

SIGNED = {"contradictory_score"}

every_measure = pytest.mark.parametrize(("family", "measure"), EVERY, ids=IDS)


def test_every_file_of_the_folder_is_a_family() -> None:
    files = {path.stem for path in (Path(measures.__file__).parent / "families").glob("[!_]*.py")}
    ours = [each for each in FAMILIES if vars(each.module)["__name__"].startswith("argue_eval.")]
    assert {family.name for family in ours} == files
    assert all(family.measures for family in FAMILIES)


def test_names_of_measures_and_families_are_unique() -> None:
    names = Counter(measure.name for _, measure in EVERY)
    names.update(family.name for family in FAMILIES)
    names.update(["all", "outcome"])
    assert [name for name, number in names.items() if number > 1] == []


def test_printed_averages_have_unique_names() -> None:
    names = Counter(name for _, measure in EVERY for name in printed(measure))
    assert [name for name, number in names.items() if number > 1] == []


@every_measure
def test_a_measure_explains_itself(family: Family, measure: Measure) -> None:
    explained = measure.explanation  # raises an error where a section is missing
    assert not [text for text in explained if text.endswith(".")]
    assert any(char.isdigit() for char in explained.example) or measure.is_count
    assert "\t" not in measure.name
    assert " " not in measure.name


@pytest.mark.parametrize(
    ("docstring", "missing"),
    [
        ("", "first line"),
        ("What it rewards.", "Numerator"),
        ("What.\n\nNumerator: a\nDenominator: b\nEmpty: 0\nExample: 1", "Source"),
        ("What.\n\nNumerator:\nDenominator: b\nEmpty: 0\nExample: 1\nSource: c", "Numerator"),
    ],
)
def test_an_explanation_that_lacks_a_part_is_an_error(docstring: str, missing: str) -> None:
    with pytest.raises(ValueError, match=f"no {missing}"):
        Explanation.parse(docstring)


def test_an_explanation_is_read_from_a_docstring_and_completed_by_the_family_s() -> None:
    docstring = """Right answers,
    all of them.

    Numerator: answers that are right,
        whoever gave them
    Denominator:
        3:1
    Example: 1 / 2 = 0.5

    Note: this is not a section.

    >>> 1
    1
    """
    of_family = "A family.\n\nSource: a paper\nEmpty: 0\nDenominator: 7"
    assert Explanation.parse(docstring, of_family) == Explanation(
        rewards="right answers, all of them",
        numerator="answers that are right, whoever gave them",
        denominator="3:1",
        empty="0",
        example="1 / 2 = 0.5",
        source="a paper",
    )


@every_measure
def test_a_measure_says_what_must_be_judged(family: Family, measure: Measure) -> None:
    assert measure.needs <= frozenset(ALL_NEEDS)
    assert not measure.needs or family.module.PROTOCOL in ("argue", "key_points", "summhay")
    assert family.module.PROTOCOL in {None, *PROTOCOLS}


@every_measure
def test_a_measure_is_found_by_its_name(family: Family, measure: Measure) -> None:
    for name in (measure.name, *printed(measure)):
        (found,) = measures.select([name])
        assert (found.name, [each.name for each in found.measures]) == (family.name, [measure.name])


@every_measure
def test_a_measure_has_a_value_or_none_whatever_is_judged(family: Family, measure: Measure) -> None:
    nuggets = [nugget("n1", ("a", ["D1"])), nugget("n2", ("c", []), question=None), nugget("n3")]
    written = report(("s", ["D1", "D2"]), ("t", []))
    protocols = PROTOCOLS
    facts = [("support", "s", "yes", "D1"), ("answers", "s", "yes", "n1", "a")]
    for found in (
        evidence([], None, protocols=protocols),
        evidence(nuggets, None, protocols=protocols),
        evidence([], written, protocols=protocols),
        evidence(nuggets, written, protocols=protocols),
        evidence(nuggets, written, facts, protocols=protocols),
    ):
        bounds = family.module.tally(found)
        assert isinstance(bounds, Bounds)
        assert measure.unit in bounds.num_units
        for stats in (bounds.judged, bounds.worst, bounds.best):
            value = measure.value(stats)
            assert value is None or isinstance(value, float)
            assert value is None or value >= (-1 if measure.name in SIGNED else 0)
            assert value is None or value <= 1 or measure.is_count


@every_measure
def test_only_counts_are_summed_and_no_count_is_a_ratio(family: Family, measure: Measure) -> None:
    sums = {Average.SUM, Average.MEDIAN_AND_MAX}
    assert measure.is_count or measure.average not in sums
    assert not measure.is_count or measure.average in {*sums, Average.MEAN}


def test_without_names_the_default_families_are_selected() -> None:
    assert tuple(each.name for each in measures.select([])) == measures.DEFAULT_FAMILIES


def test_a_family_is_selected_by_its_name_and_all_by_all() -> None:
    defaults = [
        family._replace(measures=tuple(each for each in family.measures if each.is_default))
        for family in FAMILIES
    ]
    for family in defaults:
        assert measures.select([family.name]) == [family]
    graded = {each.name for family in defaults for each in family.measures if each.is_graded}
    names = {each.name for family in defaults for each in family.measures}
    of_all = {each.name for family in measures.select(["all"]) for each in family.measures}
    assert of_all == names - graded < names
    assert measures.select(["all"], "biogen") == defaults
    (named,) = measures.select(["sub_narrative_coverage"])
    assert [measure.name for measure in named.measures] == ["sub_narrative_coverage"]


def test_measures_come_in_the_order_of_their_files_and_once() -> None:
    found = measures.select(["f1", "nugget_recall", "f1_macro", "sentence_precision"])
    names = [measure.name for family in found for measure in family.measures]
    assert names == ["sentence_precision", "nugget_recall", "f1"]


@pytest.mark.parametrize("name", ["nugget_recal", "f1_mean", "", "outcome_9", "every"])
def test_an_unknown_name_is_a_usage_error_that_names_choices_and_where_all_are(name: str) -> None:
    with pytest.raises(UsageError, match=r"Choices: AP, .*: argue-eval list measures"):
        measures.select([name])


# --- one of two averages ------------------------------------------------------------------------


def averages_of(*names: str) -> dict[str, Average]:
    return {
        each.name: each.average for family in measures.select(names) for each in family.measures
    }


def test_one_of_two_averages_can_be_asked_for() -> None:
    assert averages_of("f1_micro") == {"f1": Average.MICRO}
    assert averages_of("character_count_max") == {"character_count": Average.MAX}


@pytest.mark.parametrize("names", [("f1",), ("f1_micro", "f1_macro"), ("f1_macro", "f1")])
def test_both_are_printed_if_both_are_asked_for(names: tuple[str, ...]) -> None:
    assert averages_of(*names) == {"f1": Average.MICRO_AND_MACRO}


@pytest.mark.parametrize("name", ["outcome_1_micro", "sentence_precision_macro", "f1_max", "f2"])
def test_an_average_that_a_measure_does_not_have_is_unknown(name: str) -> None:
    with pytest.raises(UsageError, match=f"unknown measure '{name}'"):
        measures.select([name])
