"""Measures: one file per family. A measure is a function that explains itself in its docstring.

`MeasureFamily` says what the module of a family has. The modules are those of the folder
``families``; third parties add theirs by an entry point in the group ``argue_eval.measures``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from inspect import cleandoc
from operator import attrgetter
from sys import modules
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

from argue_eval import _registry
from argue_eval.errors import UsageError, unknown_name
from argue_eval.records import AVERAGES_BY_SUFFIX, Average, Bounds, TopicEvidence

Value = Callable[[Any], float | None]
"""From a family's statistics to a value; None if it is undefined."""

_SECTIONS = ("Numerator", "Denominator", "Empty", "Example", "Source")


class Explanation(NamedTuple):
    """What people must know to read a measure.

    Attributes:
        rewards: what a high value says about a report, in one line.
        empty: the value where there is nothing to measure.
        example: a worked example, with numbers.
    """

    rewards: str
    numerator: str
    denominator: str
    empty: str
    example: str
    source: str

    @classmethod
    def parse(cls, docstring: str, of_family: str = "") -> Explanation:
        """Read the first line of a docstring and its sections ``Numerator:`` to ``Source:``.

        Args:
            of_family: a docstring with the sections that the other one lacks.

        Raises:
            ValueError: neither of them has one of the sections.
        """
        found = {**_sections(of_family), "": "", **_sections(docstring)}
        missing = [name for name in ("", *_SECTIONS) if not found.get(name)]
        if missing:
            raise ValueError(f"the docstring has no {missing[0] or 'first line'}")
        rewards, *rest = (found[name] for name in ("", *_SECTIONS))
        if rewards[1:2].islower():
            rewards = rewards[0].lower() + rewards[1:]
        return cls(rewards.removesuffix("."), *rest)


def _sections(docstring: str) -> dict[str, str]:
    """Split a docstring: its first paragraph, by the empty name, and the sections by theirs."""
    found: dict[str, str] = {}
    name: str | None = ""
    for line in cleandoc(docstring).splitlines():
        head, colon, text = line.partition(":")
        if not line.strip():
            name = None
        elif colon and head in _SECTIONS:
            name, found[head] = head, text.strip()
        elif name is not None:
            found[name] = f"{found.get(name, '')} {line.strip()}".strip()
    return found


class Measure(NamedTuple):
    """One measure: how it is computed, and what people must know to read it.

    Attributes:
        value: its function, which has the measure's name and explains it: the first line of the
            docstring says what it rewards, the sections of `Explanation` the rest. A section that
            it lacks is taken from the docstring of its module.
        unit: the units it looks at: ``sentence``, ``citation`` or ``nugget``.
        needs: what must be judged for it, in the words of its protocol.
        is_judged: does it rest on judgments at all? The length of a report does not.
        is_default: is it computed where its family is asked for, or by its own name alone?
        parts: the fields of the statistics that are the numerator and the denominator of its
            value, or of the two ratios whose harmonic mean is its value. They are kept for
            intervals of the average `Average.MICRO`, which has none without them.
        is_loss: is a low value good?
        is_graded: does it count grades that only assessors give? No judge is asked for them.
    """

    value: Value
    unit: str
    needs: frozenset[str] = frozenset()
    average: Average = Average.MEAN
    is_count: bool = False
    is_judged: bool = True
    is_default: bool = True
    parts: tuple[str, ...] = ()
    is_loss: bool = False
    is_graded: bool = False

    @property
    def name(self) -> str:
        """The name under which it is printed."""
        return self.value.__name__

    @property
    def explanation(self) -> Explanation:
        """What people must know to read it.

        Raises:
            ValueError: the docstring lacks a section.
        """
        of_family = modules[self.value.__module__].__doc__
        return Explanation.parse(self.value.__doc__ or "", of_family or "")


def count(
    name: str,
    docstring: str,
    *,
    unit: str,
    needs: frozenset[str] = frozenset(),
    average: Average = Average.SUM,
) -> Measure:
    """A measure that is a count: the field of that name of the family's statistics.

    Args:
        docstring: explains it; has no need to say that there is no denominator.
    """
    get = attrgetter(name)

    def value(stats: Any) -> float:
        return float(get(stats))

    value.__name__ = name
    value.__doc__ = cleandoc(docstring) + "\n\nDenominator: none: a count\nEmpty: 0"
    return Measure(value, unit=unit, needs=needs, average=average, is_count=True)


class MeasureFamily(Protocol):
    """What the module of a family has."""

    @property
    def PROTOCOL(self) -> str | None:  # noqa: N802
        """The protocol whose outcomes it reads, and under which it is computed without being named;
        None if it reads none.
        """

    @property
    def MEASURES(self) -> Sequence[Measure]:  # noqa: N802
        """What it measures, each a function of its counts."""

    def tally(self, evidence: TopicEvidence, /) -> Bounds:
        """Its counts for one topic: as judged, and in the worst and the best case."""


@runtime_checkable
class OpenMeasureFamily(MeasureFamily, Protocol):
    """What a family with more measures than it can list has besides."""

    def make(self, name: str, /) -> Measure | None:
        """The measure of a name; None if it is none of the family's.

        Raises:
            UsageError: the family has the measure, but not in this way.
        """

    def require(self, measure: Measure, /) -> None:
        """Make sure that a measure can be computed here.

        Raises:
            MissingResourceError: it needs a package that is not installed.
        """


class Family(NamedTuple):
    """The requested measures of one family, with the module that computes them."""

    name: str
    module: MeasureFamily
    measures: tuple[Measure, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles names: neither a module nor a measure's function can be pickled."""
        return _named_again, (self.name, [(each.name, each.average) for each in self.measures])


def _named_again(family: str, measures: Iterable[tuple[str, Average]]) -> Family:
    found = load_family(family)
    listed = {each.name: each for each in found.measures}
    made = cast(OpenMeasureFamily, found.module)  # unless all are listed
    again = [
        cast(Measure, listed.get(name) or made.make(name))._replace(average=average)
        for name, average in measures
    ]
    return found._replace(measures=tuple(again))


DEFAULT_FAMILIES = ("argue", "auto_argue")
"""The families of the protocol `argue`: the first by name, so that they stand before all others."""

COUNTS = {
    "num_q": "the number of topics that are averaged over",
    "num_q_run": "how many of these topics the run has a report for",
    "num_unjudged": "the number of units with a question that has no judgment",
    "num_undefined": "the number of topics in which some measure is undefined",
}
"""What is printed before every score, whatever measures are asked for."""


def protocol_names() -> list[str]:
    """The names of all protocols, as users write them: ``key-points``."""
    return [name.replace("_", "-") for name in _registry.all_names("protocols")]


def of_protocol(protocol: str) -> list[str]:
    """The names of the families that are computed by default under a protocol.

    A family of a third party is computed by default only under a protocol of a third party:
    installing a package changes nothing under ours.

    Raises:
        UsageError: no family is of the protocol.
    """
    is_ours = protocol.replace("-", "_") in _registry.files_of("protocols")
    names = list(_registry.files_of("measures") if is_ours else _registry.installed("measures"))
    protocols = {name: load_family(name).module.PROTOCOL or "" for name in names}
    of_it = [name for name, found in protocols.items() if found.replace("_", "-") == protocol]
    if not of_it:
        message = f"no measure is of the protocol {protocol!r}: name measures with -m, or install "
        raise UsageError(f"{message}a family of measures with PROTOCOL = {protocol!r}")
    return of_it


def load_family(name: str) -> Family:
    """A family with all its measures.

    Raises:
        UsageError: there is no such family, or one of a third party is not as it must be.
    """
    module = _registry.load("measures", name)
    return Family(name=name, module=cast(MeasureFamily, module), measures=tuple(module.MEASURES))


def is_loss(name: str) -> bool:
    """Whether a low value of a measure is good. Measures of others are taken for gains."""
    return name.partition("[")[0] in _losses()


@cache
def _losses() -> frozenset[str]:
    measures = (
        each for name in _registry.files_of("measures") for each in load_family(name).measures
    )
    return frozenset(each.name for each in measures if each.is_loss)


def load_families() -> list[Family]:
    """All families: the default ones, our others, those of third parties.

    A measure of a third party that has the name of another is not among them.
    """
    return _with_installed(map(load_family, _registry.files_of("measures")))


def _with_installed(families: Iterable[Family]) -> list[Family]:
    found = list(families)
    have = {family.name for family in found}
    for name in _registry.installed("measures"):
        if name not in have:
            taken = {measure.name for family in found for measure in family.measures}
            family = load_family(name)
            kept = tuple(each for each in family.measures if each.name not in taken)
            found.append(family._replace(measures=kept))
    return found


def select(names: Sequence[str], protocol: str = "argue") -> list[Family]:
    """The families and measures that were asked for, in the order of their files.

    A name is a measure's, a family's or ``all`` (its default measures, or those of all families),
    or one of a measure's two averages, such as ``nugget_coverage_macro``. Several may stand in one
    text, as in ``AP,P@5``. Measures of grades, which only the files of a track have, are among
    ``all`` only under its protocol.
    Without names, or with those of `COUNTS` alone, they are those of the protocol.

    Raises:
        UsageError: a name is unknown.
        MissingResourceError: a measure needs a package that is not installed.
    """
    ours = [name.replace("_", "-") for name in _registry.files_of("protocols")]
    to_load = map(load_family, _registry.files_of("measures"))
    if protocol not in ours and protocol not in protocol_names():
        raise unknown_name("protocol", protocol, protocol_names())
    wanted = [name for each in names for name in split_names(each) if name not in COUNTS]
    if not wanted or "all" in wanted:
        wanted += of_protocol(protocol)
    families: list[Family] = []
    chosen: dict[str, Measure] = {}
    for name in wanted:
        found = _matching(name, families)
        while not found or name == "all":
            if (further := next(to_load, None)) is None:
                # Only now, since the packages that are installed are slow to look through.
                families = _with_installed(families)
                found = _matching(name, families) or [_make(name, families)]
                break
            families.append(further)
            found = _matching(name, [further])
        for measure in found:
            earlier = chosen.get(measure.name, measure)
            chosen[measure.name] = measure if earlier.average is measure.average else _both(measure)
    selected = []
    for family in families:
        measures = tuple(chosen[each.name] for each in family.measures if each.name in chosen)
        if measures:
            selected.append(family._replace(measures=measures))
        if isinstance(family.module, OpenMeasureFamily):
            for measure in measures:
                family.module.require(measure)
    return selected


def split_names(names: str) -> list[str]:
    """The names in a text, at commas and spaces; those in parentheses belong to a name.

    >>> split_names("AP, RBP(rel=1,p=0.8)@5 ALL")
    ['AP', 'RBP(rel=1,p=0.8)@5', 'all']
    """
    found = re.findall(r"(?:\([^()]*\)|[^\s,])+", names) or [names]
    return ["all" if name == "ALL" else name for name in found]


def _both(measure: Measure) -> Measure:
    """The measure with both averages, as the requests for it name one each."""
    both = [pair for pair, parts in AVERAGES_BY_SUFFIX.items() if measure.average in parts.values()]
    return measure._replace(average=both[0]) if both else measure


def _matching(name: str, families: Iterable[Family]) -> list[Measure]:
    """The listed measures that a name stands for."""
    found: list[Measure] = []
    for family in families:
        for measure in family.measures:
            if name == measure.name:
                return [measure]
            is_of_all = name == "all" and not measure.is_graded
            if (is_of_all or name == family.name) and measure.is_default:
                found.append(measure)
            for suffix, average in AVERAGES_BY_SUFFIX.get(measure.average, {}).items():
                if name == measure.name + suffix:
                    return [measure._replace(average=average)]
    return found


def _make(name: str, families: list[Family]) -> Measure:
    """A measure that no family lists but one can make. It is added to those of its family."""
    refused: UsageError | None = None
    base, at, _ = name.partition("@")
    for place, family in enumerate(families):
        listed = [measure.name for measure in family.measures]
        if isinstance(family.module, OpenMeasureFamily):
            try:
                measure = family.module.make(name)
            except UsageError as exc:
                refused = refused or exc
                continue
            if measure is not None:
                if measure.name not in listed:
                    families[place] = family._replace(measures=(*family.measures, measure))
                return measure
        elif at and base in listed:
            refused = UsageError(f"unknown measure {name!r}: {base!r} takes no cutoff")
    measure_name, bracket, group = name.partition("[")
    if bracket and _matching(measure_name, families):
        option = f"score --by {group.partition('=')[0].rstrip(']') or 'KEY'}"
        message = f"name {measure_name!r}, without a group of topics; {option} gives all groups"
        raise UsageError(f"unknown measure {name!r}: {message}")
    of_all = [measure.name for family in families for measure in family.measures]
    raise refused or unknown_name(
        "measure", name, [*of_all, *(family.name for family in families), "all"]
    )
