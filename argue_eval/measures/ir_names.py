"""Names of ir_measures: what they mean, and which are well formed."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

from argue_eval.errors import UsageError


class Explained(NamedTuple):
    """What `argue_eval.measures.Measure` says about a measure, for any cutoff."""

    rewards: str
    numerator: str
    denominator: str
    example: str


_CASE = "cited D9, D1, D2; D1 attests nuggets n1 and n2, D2 and D3 attest n3: "

EXPLAINED = {
    "P": Explained(
        "relevant documents among the first k that are cited",
        "relevant documents among the first k cited",
        "k, the cutoff, even if fewer are cited",
        _CASE + "P@5 = 2 / 5 = 0.4",
    ),
    "R": Explained(
        "the part of the relevant documents that is among the first k cited",
        "relevant documents among the first k cited",
        "relevant documents of the topic",
        _CASE + "R@10 = 2 / 3 = 0.6667",
    ),
    "nDCG": Explained(
        "relevant documents, the more the earlier they are cited",
        "sum of 1 / log2(rank + 1) over the relevant documents among the first k cited",
        "the same sum for the best possible ranking",
        _CASE + "nDCG@10 = (0.6309 + 0.5) / (1 + 0.6309 + 0.5) = 0.5307",
    ),
    "AP": Explained(
        "relevant documents, the more the fewer others are cited before them",
        "sum of the precision at the rank of every relevant document that is cited",
        "relevant documents of the topic",
        _CASE + "AP = (1 / 2 + 2 / 3) / 3 = 0.3889",
    ),
    "RR": Explained(
        "an early first relevant document",
        "1",
        "rank of the first relevant document",
        _CASE + "RR = 1 / 2 = 0.5",
    ),
    "Success": Explained(
        "a relevant document among the first k cited",
        "1 if a relevant document is among the first k cited, else 0",
        "1",
        _CASE + "Success@5 = 1",
    ),
    "SetP": Explained(
        "citing relevant documents only",
        "relevant documents cited",
        "documents cited",
        _CASE + "SetP = 2 / 3 = 0.6667",
    ),
    "SetR": Explained(
        "citing all relevant documents",
        "relevant documents cited",
        "relevant documents of the topic",
        _CASE + "SetR = 2 / 3 = 0.6667",
    ),
    "StRecall": Explained(
        "nuggets for which a document is among the first k cited",
        "nuggets that one of the first k documents attests",
        "nuggets of the topic that some document attests",
        _CASE + "StRecall@2 = 2 / 3 = 0.6667",
    ),
    "alpha_nDCG": Explained(
        "documents for nuggets that those cited before do not attest",
        "discounted gain; a nugget's n-th document counts (1 - alpha) ** (n - 1)",
        "the same for the best ranking that a greedy search finds",
        _CASE + "alpha_nDCG@10 = (2 x 0.6309 + 0.5) / (2 + 0.6309 + 0.5 x 0.5) = 0.6116",
    ),
}


def parse(name: str) -> Any:
    """Returns the ir_measures measure of a name; None if there is none.

    Raises:
        UsageError: the measure exists but does not take these parameters.
    """
    import ir_measures

    with warnings.catch_warnings():
        # Its parser uses parts of `ast` that are deprecated since Python 3.12.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            measure = ir_measures.parse_measure(name)
        except NameError:
            _suggest(name, list(ir_measures.measures.registry))
            return None
        except (AttributeError, KeyError, TypeError, ValueError):
            if "@" in name or "(" in name:
                raise UsageError(
                    f"cannot read the measure {name!r}. Expected NAME@CUTOFF or "
                    "NAME(PARAMETER=VALUE)@CUTOFF, such as nDCG@10 or P(rel=1)@5"
                ) from None
            return None
    _check_parameters(name, measure)
    return measure


def _suggest(name: str, known: list[str]) -> None:
    """Raises a UsageError for what is written as only ir_measures' names are."""
    from difflib import get_close_matches

    base, at, cutoff = name.partition("@")
    if not at:
        return
    # Of NDCG and nDCG, the name that ir_measures itself prints: aliases come later.
    lowered = {each.lower(): each for each in reversed(known)}
    near = get_close_matches(base.lower(), lowered, n=1)
    guess = f" Did you mean {lowered[near[0]] + at + cutoff!r}?" if near else ""
    raise UsageError(
        f"unknown measure {name!r}.{guess} ir_measures has: {', '.join(sorted(known))}"
    )


def _check_parameters(name: str, measure: Any) -> None:
    """Raises a UsageError for parameters that a measure does not take.

    A cutoff or relevance level below 1 would crash the compiled code below ir_measures.
    """
    allowed = measure.SUPPORTED_PARAMS
    unknown = sorted(measure.params.keys() - allowed.keys())
    if unknown:
        raise UsageError(
            f"measure {name!r}: no parameter {unknown[0]!r}. It takes: "
            f"{', '.join(sorted(allowed)) or 'none'}"
        )
    for key, info in allowed.items():
        if key not in measure.params:
            if info.required:
                example = f"{measure.NAME}@10" if key == "cutoff" else f"{measure.NAME}({key}=…)"
                raise UsageError(f"measure {name!r} needs a {key}, such as {example}")
            continue
        value = measure.params[key]
        is_whole = key in ("cutoff", "rel")
        if is_whole and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise UsageError(f"measure {name!r}: expected a {key} of 1 or more, found {value!r}")
        if not info.validate(value):
            raise UsageError(f"measure {name!r}: {key} can't be {value!r}; {info.desc or ''}")
