"""Measures of third parties: what a module has and what its functions give is checked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, wraps
from math import inf, isfinite
from types import ModuleType, SimpleNamespace
from typing import Any, SupportsFloat, cast

from argue_eval._registry import failure
from argue_eval.errors import ArgueEvalError, UsageError, shorten
from argue_eval.measures import Family, Measure, MeasureFamily, Value
from argue_eval.records import Bounds, TopicEvidence


@cache
def checked(name: str, module: ModuleType) -> Family:
    """A family of a third party. What its functions do wrong is a `UsageError` that names it.

    Raises:
        UsageError: it lists something else than measures, two of one name, or one that nothing
            explains.
    """
    plugin = f"the plug-in {name!r} of argue_eval.measures"
    listed: Any = module.MEASURES
    is_one = isinstance(listed, Measure) or not isinstance(listed, Sequence)
    for each in [listed] if is_one else listed:
        if is_one or not isinstance(each, Measure) or not hasattr(each.value, "__name__"):
            message = "MEASURES: expected a tuple of Measure, each of a function, found"
            raise UsageError(f"{plugin}: {message} {shorten(each)}")
        try:
            each.explanation  # noqa: B018
        except ValueError as exc:
            message = f"the measure {each.name!r}: {exc}; see docs/plugins.md"
            raise UsageError(f"{plugin}: {message}") from None
    names = [each.name for each in listed]
    if twice := [each for each in names if names.count(each) > 1]:
        raise UsageError(f"{plugin}: MEASURES: two measures have the name {twice[0]!r}")
    measures = tuple(each._replace(value=_as_number(plugin, each)) for each in listed)

    def tally(evidence: TopicEvidence) -> Bounds:
        try:
            found: Any = module.tally(evidence)
        except ArgueEvalError:
            raise
        except Exception as exc:
            raise failure(exc, plugin) from exc
        if not isinstance(found, Bounds):
            raise UsageError(f"{plugin}: tally: expected Bounds, found {shorten(found)}")
        unknown = [each for each in measures if each.unit not in found.num_units]
        has_rest = hasattr(found.num_units, "__missing__")  # a Counter lacks what there is none of
        if unknown and found.num_units and not has_rest:
            message = f"the measure {unknown[0].name!r} has the unit {unknown[0].unit!r}, and tally"
            raise UsageError(f"{plugin}: {message} counts {', '.join(found.num_units)}")
        return found

    own = SimpleNamespace(**{**vars(module), "tally": tally})
    return Family(name=name, module=cast(MeasureFamily, own), measures=measures)


def _as_number(plugin: str, measure: Measure) -> Value:
    """The function of a measure, of which nothing but numbers comes."""

    @wraps(measure.value)
    def value(stats: Any) -> float | None:
        try:
            found: Any = measure.value(stats)
        except ZeroDivisionError:
            found = "a division by zero"
        except ArgueEvalError:
            raise
        except Exception as exc:
            raise failure(exc, plugin) from exc
        if found is None:
            return None
        number = float(found) if isinstance(found, SupportsFloat) else inf
        if isfinite(number) or any(each != each for each in stats):
            return number
        message = f"the measure {measure.name!r} must give a finite number, or None where it is "
        raise UsageError(f"{plugin}: {message}undefined; found {shorten(found)}")

    return value
