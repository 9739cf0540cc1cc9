"""Broken runs, checked by us and by autojudge-base: same verdict, same categories.

Every mutation alone and every two of them, for every track that both know. What differs on
purpose is listed in ``differences.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, combinations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from argue_eval.validation.runs import Job, check_runs
from tests.differential.autojudge import REJECTED, Autojudge
from tests.differential.listed import Difference, differences
from tests.differential.mutations import CORE, Mutation, mutations_of
from tests.differential.runs import FORMS, Form, Run, UnfitError, write_requests

NUM_OTHER_PAIRS = 100
KIDDIE = str(Path(__file__).with_name("kiddie.toml"))


class Compared(NamedTuple):
    """A run that both have checked.

    Attributes:
        mutations: the names of what was done to it.
        here: what we found, as ``error length``.
        there: what the other found.
    """

    track: str
    mutations: tuple[str, ...]
    here: frozenset[str]
    there: frozenset[str]

    @property
    def verdicts(self) -> tuple[bool, bool]:
        """Whether the run passes, here and there."""
        return _passes(self.here), _passes(self.there) and REJECTED not in self.there

    @property
    def differing(self) -> set[tuple[str, str]]:
        """What one side found alone. Where the other can't read the run, that is all there is."""
        if REJECTED in self.there:
            return {("there", REJECTED)}
        return {("here", each) for each in self.here - self.there} | {
            ("there", each) for each in self.there - self.here
        }


def _passes(found: frozenset[str]) -> bool:
    return not any(each.startswith("error ") for each in found)


@pytest.fixture(scope="module")
def autojudge(autojudge_base: Callable[[str], Any]) -> Autojudge:
    return Autojudge(autojudge_base)


@pytest.fixture(scope="module")
def compared(autojudge: Autojudge, tmp_path_factory: pytest.TempPathFactory) -> list[Compared]:
    """Every mutation and every pair of mutations of every track, checked by both."""
    folder = tmp_path_factory.mktemp("runs")
    return [each for form in FORMS.values() for each in _compare(form, autojudge, folder)]


def _compare(form: Form, autojudge: Autojudge, folder: Path) -> Iterator[Compared]:
    ours, theirs = write_requests(form, folder)
    requests = autojudge.requests(theirs)
    is_kiddie = form.track == "kiddie"
    job = Job(None if is_kiddie else form.track, KIDDIE if is_kiddie else None, str(ours))
    path = folder / "run.jsonl"
    for changes in _changes(form):
        run = _changed(form, changes)
        if run is not None:
            path.write_bytes(run.encoded())
            (checked,) = check_runs([str(path)], job)
            here = frozenset(f"{severity.value} {code}" for severity, code in checked.counts)
            assert checked.num_errors == 0 or not _passes(here)
            there = frozenset(autojudge.categories(path, form.spec, requests))
            yield Compared(form.track, tuple(each.name for each in changes), here, there)


def _changes(form: Form) -> Iterator[tuple[Mutation, ...]]:
    """Yields no change, every one, every two that break a rule each, and some other pairs."""
    mutations = mutations_of(form)
    pairs = list(combinations(mutations, 2))
    core = [pair for pair in pairs if {each.name for each in pair} <= CORE]
    others = Random(form.track).sample(pairs, NUM_OTHER_PAIRS)
    return chain([()], combinations(mutations, 1), core, others)


def _changed(form: Form, changes: tuple[Mutation, ...]) -> Run | None:
    """The changed run; None if the first change takes away what the second would change."""
    run = Run(form)
    for place, mutation in enumerate(changes):
        try:
            mutation.change(run)
        except UnfitError:
            assert place, f"{mutation.name} does not fit a good run"
            return None
    return run


@pytest.fixture(scope="module")
def listed() -> dict[tuple[str, str], list[Difference]]:
    fitting = {name: [each.name for each in mutations_of(form)] for name, form in FORMS.items()}
    by_change: dict[tuple[str, str], list[Difference]] = {}
    for each in differences(fitting):
        assert each.mutation in fitting[each.track], f"no such change: {each}"
        by_change.setdefault((each.track, each.mutation), []).append(each)
    return by_change


Listed = dict[tuple[str, str], list[Difference]]


def _explained(case: Compared, listed: Listed) -> set[tuple[str, str]]:
    """The differences that are listed for what was done to a run."""
    rows = [row for name in case.mutations for row in listed.get((case.track, name), [])]
    return {("there", each) for row in rows for each in row.there} | {
        ("here", each) for row in rows if not row.is_rejected for each in row.here
    }


def test_good_runs_are_clean_on_both_sides(compared: list[Compared]) -> None:
    good = [case for case in compared if not case.mutations]
    assert {case.track for case in good} == set(FORMS)
    assert all(not case.here and not case.there for case in good)


def test_core_mutations_are_named_as_they_are() -> None:
    names = {each.name for form in FORMS.values() for each in mutations_of(form)}
    assert names >= CORE


def test_thousands_of_runs_are_compared_and_most_mutations_fit_each_other(
    compared: list[Compared],
) -> None:
    singles = [case for case in compared if len(case.mutations) == 1]
    pairs = [case for case in compared if len(case.mutations) == 2]
    assert len(singles) > 500
    assert len(pairs) > 2_000


def test_every_category_of_the_other_is_compared(
    compared: list[Compared], autojudge: Autojudge
) -> None:
    found = {each.split()[-1] for case in compared for each in case.there} - {REJECTED}
    assert found >= autojudge.known_categories - NEVER


NEVER = {"citation_score", "references_present"}
"""Its parser refuses what is no score; no track has ``references_kind: none``."""


@pytest.mark.parametrize("track", FORMS)
def test_no_difference_is_unlisted(compared: list[Compared], listed: Listed, track: str) -> None:
    unlisted = [
        (case.mutations, sorted(case.differing - _explained(case, listed)))
        for case in compared
        if case.track == track and case.differing - _explained(case, listed)
    ]
    assert unlisted == []


@pytest.mark.parametrize("track", FORMS)
def test_verdict_is_the_same_unless_a_listed_error_makes_the_difference(
    compared: list[Compared], listed: Listed, track: str
) -> None:
    for case in compared:
        passes_here, passes_there = case.verdicts
        if case.track == track and passes_here != passes_there:
            decisive = {what for _, what in _explained(case, listed) & case.differing}
            errors = {each for each in decisive if each.startswith("error ") or each == REJECTED}
            assert errors, case


def test_what_its_parser_rejects_fails_here_for_the_listed_reason(
    compared: list[Compared], listed: Listed
) -> None:
    for case in compared:
        if REJECTED in case.there and len(case.mutations) == 1:
            rows = listed[case.track, case.mutations[0]]
            named = frozenset(chain.from_iterable(row.here for row in rows if row.is_rejected))
            assert named
            assert named <= case.here, case


def test_what_its_parser_rejects_never_passes_here_but_for_a_cosmetic_value(
    compared: list[Compared],
) -> None:
    passing = {
        case.mutations
        for case in compared
        if REJECTED in case.there and _passes(case.here) and len(case.mutations) == 1
    }
    assert passing == {("task_blank",)}


def test_every_listed_difference_still_occurs(compared: list[Compared], listed: Listed) -> None:
    seen = {
        (case.track, name, side, what)
        for case in compared
        for name in case.mutations
        for side, what in case.differing
    }
    gone = [
        (row.track, row.mutation, side, what)
        for rows in listed.values()
        for row in rows
        for side, each in (("there", row.there), ("here", row.here))
        for what in each
        if not (row.is_rejected and side == "here")
        if (row.track, row.mutation, side, what) not in seen
    ]
    assert gone == []
