"""Measures and protocols of third parties: what they have and what they give is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from math import inf, isfinite
from typing import Any, SupportsFloat

from argue_eval._registry import ThirdParty, all_names, load
from argue_eval.errors import shorten, unknown_name
from argue_eval.formats.installed import check_fields
from argue_eval.measures import Measure, Value
from argue_eval.measures.protocols import ReportProtocol, Wanted
from argue_eval.records import Bounds, Grade, Question, Report, Topic, TopicEvidence

_NEEDS = "step: the needs of an outcome"


def check(plugin: ThirdParty, module: Any) -> None:
    """Makes of a module one that gives what it must.

    Raises:
        UsageError: it has something else.
    """
    if plugin.family == "protocols":
        module.PROTOCOL_CLASS = _checked(plugin, module.PROTOCOL_CLASS)
    else:
        _check_measures(plugin, module)


def _check_measures(plugin: ThirdParty, module: Any) -> None:
    """Refuses an unknown protocol, what is no measure, two of one name, one without explanation."""
    protocol, protocols = module.PROTOCOL, all_names("protocols")
    if protocol is not None and plugin.expect("PROTOCOL", protocol, str) not in protocols:
        raise plugin.wrong(f"PROTOCOL: {unknown_name('protocol', protocol, protocols)}")
    listed: Any = module.MEASURES
    is_one = isinstance(listed, Measure) or not isinstance(listed, Sequence)
    for each in [listed] if is_one else listed:
        if is_one or not isinstance(each, Measure) or not hasattr(each.value, "__name__"):
            message = "MEASURES: expected a tuple of Measure, each of a function, found"
            raise plugin.wrong(f"{message} {shorten(each)}")
        if each.name.startswith("num_") and not each.is_count:  # which analyses leave out
            raise plugin.wrong(f"MEASURES: only the name of a count starts so: {each.name!r}")
        try:
            each.explanation  # noqa: B018
        except ValueError as exc:
            raise plugin.wrong(f"the measure {each.name!r}: {exc}") from None
    names = [each.name for each in listed]
    if twice := [each for each in names if names.count(each) > 1]:
        raise plugin.wrong(f"MEASURES: two measures have the name {twice[0]!r}")
    measures = tuple(each._replace(value=_as_number(plugin, each)) for each in listed)
    given_tally = plugin.giving("tally", module.tally, Bounds)

    def tally(evidence: TopicEvidence) -> Bounds:
        found: Bounds = given_tally(evidence)
        unknown = [each for each in measures if each.unit not in found.num_units]
        has_rest = hasattr(found.num_units, "__missing__")  # a Counter lacks what there is none of
        if unknown and found.num_units and not has_rest:
            message = f"the measure {unknown[0].name!r} has the unit {unknown[0].unit!r}, and tally"
            raise plugin.wrong(f"{message} counts {', '.join(found.num_units)}")
        return found

    module.MEASURES, module.tally = measures, tally
    if hasattr(module, "make"):
        given_make = plugin.giving("make", module.make, Measure, type(None))

        def make(name: str) -> Measure | None:
            found: Measure | None = given_make(name)
            return found and found._replace(value=_as_number(plugin, found))

        module.make = make


def _as_number(plugin: ThirdParty, measure: Measure) -> Value:
    """The function of a measure, of which nothing but numbers comes."""

    def number(stats: Any) -> float | None:
        try:
            found: Any = measure.value(stats)
        except ZeroDivisionError:
            found = "a division by zero"
        if found is None:
            return None
        number = float(found) if isinstance(found, SupportsFloat) else inf
        if isfinite(number) or any(each != each for each in stats):
            return number
        message = f"the measure {measure.name!r} must give a finite number, or None where it is "
        raise plugin.wrong(f"{message}undefined; found {shorten(found)}")

    return wraps(measure.value)(lambda stats: plugin.call(number, stats))


def _checked(plugin: ThirdParty, given: Any) -> Any:
    """The class of a protocol, of which nothing but units and outcomes comes."""
    if not (isinstance(given, type) and issubclass(given, ReportProtocol)):
        message = "PROTOCOL_CLASS: expected a class that is derived from ReportProtocol"
        raise plugin.wrong(f"{message}, found {shorten(given)}")
    plugin.expect("options", given.options, frozenset)
    base: Any = given
    ended = Grade if given.grades_each_nugget else object

    class Checked(base):  # type: ignore[misc]
        units = plugin.giving("units", base.units, Sequence)
        conclude = plugin.giving("conclude", base.conclude, object)
        records = _recording(plugin, "records", base.records)
        nugget_records = _recording(plugin, "nugget_records", base.nugget_records)

        def __init__(self, topic: Topic, wanted: Wanted) -> None:
            plugin.call(base.__init__, self, topic, wanted)

        def step(self, unit: Any, known: Any) -> Any:
            outcome = plugin.expect("step", plugin.call(base.step, self, unit, known), ended)
            if not hasattr(outcome, "needs"):
                found = shorten(outcome)
                raise plugin.wrong(f"step: expected an outcome with needs, found {found}")
            if outcome.needs != ():
                for each in plugin.expect(_NEEDS, outcome.needs, tuple):
                    plugin.expect(_NEEDS, each, Question)
                check_fields(plugin, _NEEDS, outcome.needs)
            return outcome

        def __reduce__(self) -> tuple[Any, ...]:
            """Pickles the name: the class itself is made where the plug-in is loaded."""
            return _made_again, (plugin.name, self.topic, self.wanted)

    return Checked


def _recording(
    plugin: ThirdParty, name: str, records: Callable[..., Any]
) -> Callable[..., Iterator[dict[str, Any]]]:
    """Makes of what yields records one whose records can be shown: they name run and topic, and
    keys that mean something to others have what these expect.
    """
    yielding = plugin.yielding(name, records, dict)
    needed = {"nugget_id", "is_correct"} if name == "nugget_records" else set()

    def checked(self: Any, report: Report, *args: Any) -> Iterator[dict[str, Any]]:
        ids = {"run_id": report.run_id, "topic_id": report.topic_id}
        for record in yielding(self, report, *args):
            if (taken := _TAKEN & record.keys()) and not record.keys() >= _OF_ARGUE:
                message = f"{name}: the key {min(taken)!r} is one of the protocol argue, whose "
                raise plugin.wrong(f"{message}others are missing: choose another")
            if lacking := sorted(needed - record.keys()):
                raise plugin.wrong(f"{name}: the key {lacking[0]!r} is missing")
            for key in _SHOWN.keys() & record.keys():
                plugin.expect(f"{name}: {key}", record[key], *_SHOWN[key])
            yield {**ids, **record, **ids}

    return checked


_TAKEN = {"outcome", "effect", "possible", "path"}
_OF_ARGUE = {*_TAKEN, "text", "citations", "credited"}
_SHOWN: dict[str, tuple[type, ...]] = {
    "sentence_index": (int, type(None)),
    "nugget_id": (str,),
    "claim": (str,),
    "coverage": (str, type(None)),
    "is_covered": (bool, type(None)),
    "is_entailed": (bool, type(None)),
    "is_correct": (bool, type(None)),
    "bullet": (int, type(None)),
    "judge": (str,),
    "outcome": (int, type(None)),
    "effect": (str,),
    **dict.fromkeys(["possible", "path", "sentences", "citations", "credited"], (list, tuple)),
}
"""What pages read of an object."""


def _made_again(protocol: str, topic: Topic, wanted: Wanted) -> Any:
    return load("protocols", protocol).PROTOCOL_CLASS(topic, wanted)
