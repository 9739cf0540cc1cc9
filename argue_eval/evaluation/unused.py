"""Options that change nothing, since what is computed does not look at them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from argue_eval.errors import UsageError
from argue_eval.evaluation.plan import GRADES_CLAIMS, NEEDS_NO_ATTESTATION, SEEKS_CLAIMS
from argue_eval.records import ScoringOptions

_ALL = GRADES_CLAIMS | NEEDS_NO_ATTESTATION | {"argue"}

_LOOKED_AT_BY: Mapping[str, frozenset[str]] = {
    "reading": frozenset({"argue"}),
    "citations": frozenset({"argue"}),
    "attestation": _ALL - NEEDS_NO_ATTESTATION,
    "weights": frozenset({"argue"}),
    "covers": SEEKS_CLAIMS,
}
_POINTS_LOOKED_AT_BY = frozenset({"key_points"})


def check_used(
    options: ScoringOptions, response_points: Sequence[str], protocols: Collection[str | None]
) -> None:
    """Checks that every option that was set can change something.

    Args:
        protocols: those whose outcomes the requested measures read. A measure that reads none
            may look at any option.

    Raises:
        UsageError: one cannot.
    """
    if None in protocols:
        return
    default = ScoringOptions()
    for name, looked_at_by in _LOOKED_AT_BY.items():
        if getattr(options, name) != getattr(default, name):
            _check(f"--{name}", looked_at_by, protocols)
    if response_points:
        _check("--response-points", _POINTS_LOOKED_AT_BY, protocols)


def _check(option: str, looked_at_by: Collection[str], protocols: Collection[str | None]) -> None:
    if set(looked_at_by).isdisjoint(protocols):
        names = " and ".join(sorted(each.replace("_", "-") for each in looked_at_by))
        of = "protocol" if len(looked_at_by) == 1 else "protocols"
        raise UsageError(
            f"{option} is for measures of the {of} {names}, and none of these is asked for: leave "
            "it out, or see --protocol and -m"
        )
