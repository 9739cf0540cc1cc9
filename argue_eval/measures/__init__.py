"""Measures: one file per family. A measure explains itself and knows its empty case.

A family module has

* ``PROTOCOL``: the protocol whose outcomes it reads, and under which it is computed without being
  named; None if it reads none,
* ``tally(evidence) -> Bounds``: its counts for one topic, as judged and at both ends,
* ``MEASURES``: what it measures, each a function of these counts.

A family with more measures than it can list has two functions besides:

* ``make(name) -> Measure | None``: the measure of a name, if it is one of the family's,
* ``require(measure)``: raises a MissingResourceError if it needs what is not installed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from argue_eval import _registry
from argue_eval.errors import unknown_name
from argue_eval.records import AVERAGES_BY_SUFFIX, Average


class Measure(NamedTuple):
    """One measure: how it is computed, and what people must know to read it.

    Attributes:
        rewards: what a high value says about a report, in one line.
        empty: the value where there is nothing to measure.
        example: a worked example, with numbers.
        value: from the family's counts to the value; None if undefined.
        unit: the units it looks at: ``sentence``, ``citation`` or ``nugget``.
        needs: what must be judged for it.
        is_judged: does it rest on judgments at all? The length of a report does not.
    """

    name: str
    rewards: str
    numerator: str
    denominator: str
    empty: str
    source: str
    example: str
    value: Callable[[Any], float | None]
    unit: str
    needs: frozenset[str] = frozenset()
    average: Average = Average.MEAN
    is_count: bool = False
    is_judged: bool = True


class Family(NamedTuple):
    """The requested measures of one family, with the module that computes them."""

    name: str
    module: ModuleType
    measures: tuple[Measure, ...]


def count_of(name: str) -> Callable[[Any], float | None]:
    """Returns the value function of a count: the field of that name."""
    return lambda stats: float(getattr(stats, name))


DEFAULT_FAMILIES = ("argue", "auto_argue")


def family_names() -> list[str]:
    """Returns the names of all families, the default ones first."""
    rest = [name for name in _registry.names("measures") if name not in DEFAULT_FAMILIES]
    return [*DEFAULT_FAMILIES, *rest]


def protocol_names() -> list[str]:
    """Returns the names of all protocols, as users write them: ``key-points``."""
    return [name.replace("_", "-") for name in _registry.names("protocols")]


def of_protocol(protocol: str) -> list[str]:
    """Returns the names of the families that are computed by default under a protocol.

    Raises:
        UsageError: there is no such protocol.
    """
    if protocol not in protocol_names():
        raise unknown_name("protocol", protocol, protocol_names())
    protocols = {name: load_family(name).module.PROTOCOL for name in family_names()}
    return [name for name, of in protocols.items() if of == protocol.replace("-", "_")]


def load_family(name: str) -> Family:
    """Returns a family with all its measures."""
    module = _registry.load("measures", name)
    return Family(name, module, tuple(module.MEASURES))


def select(names: Sequence[str], protocol: str = "argue") -> list[Family]:
    """Returns the families and measures that were asked for, in the order of their files.

    A name is a measure's, a family's (all its measures) or ``all``; or one of a measure's two
    averages, such as ``nugget_coverage_macro``. Without names, they are those of the protocol.

    Raises:
        UsageError: a name is unknown.
        MissingResourceError: a measure needs a package that is not installed.
    """
    of_its_own = of_protocol(protocol)
    selected = _choose(list(names) or of_its_own)
    for family in selected:
        if hasattr(family.module, "require"):
            for measure in family.measures:
                family.module.require(measure)
    return selected


def _choose(wanted: Sequence[str]) -> list[Family]:
    everything = {name: load_family(name) for name in family_names()}
    chosen: dict[str, Measure] = {}
    for name in wanted:
        found = _matching(name, list(everything.values()))
        if not found:
            family, measure = _make(name, list(everything.values()))
            found = [measure]
            if measure.name not in {each.name for each in family.measures}:
                family = family._replace(measures=(*family.measures, measure))
                everything[family.name] = family
        for measure in found:
            chosen[measure.name] = _both(measure, chosen.get(measure.name))
    selected = [
        family._replace(
            measures=tuple(chosen[each.name] for each in family.measures if each.name in chosen)
        )
        for family in everything.values()
    ]
    return [family for family in selected if family.measures]


def _both(measure: Measure, earlier: Measure | None) -> Measure:
    """Returns a measure with the averages of both requests for it."""
    if earlier is None or earlier.average is measure.average:
        return measure
    both = [pair for pair, parts in AVERAGES_BY_SUFFIX.items() if measure.average in parts.values()]
    return measure._replace(average=both[0]) if both else measure


def _matching(name: str, everything: Sequence[Family]) -> list[Measure]:
    """Returns the listed measures that a name stands for."""
    found = [
        each
        for family in everything
        for each in family.measures
        if name in ("all", family.name, each.name)
    ]
    exact = [each for each in found if each.name == name]
    return exact or found or _one_average(name, everything)


def _one_average(name: str, everything: Sequence[Family]) -> list[Measure]:
    """Returns the measure of which a name is one of two averages."""
    for family in everything:
        for measure in family.measures:
            for suffix, average in AVERAGES_BY_SUFFIX.get(measure.average, {}).items():
                if name == measure.name + suffix:
                    return [measure._replace(average=average)]
    return []


def _make(name: str, everything: Sequence[Family]) -> tuple[Family, Measure]:
    """Returns a measure that no family lists but one can make."""
    for family in everything:
        make = getattr(family.module, "make", None)
        measure = make(name) if make else None
        if measure is not None:
            return family, measure
    listed = [measure.name for family in everything for measure in family.measures]
    raise unknown_name("measure", name, [*listed, *(each.name for each in everything), "all"])


def find(name: str) -> tuple[Family, Measure]:
    """Returns the measure of a name, with its family.

    Raises:
        UsageError: no measure has the name.
    """
    selected = _choose([name])
    if len(selected) == 1 and len(selected[0].measures) == 1:
        return selected[0], selected[0].measures[0]
    raise unknown_name("measure", name, [each.name for fam in selected for each in fam.measures])
