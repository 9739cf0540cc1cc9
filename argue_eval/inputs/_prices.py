"""What models cost: a TOML file with one table per model."""

from __future__ import annotations

from math import isfinite
from typing import Any

from argue_eval import toml
from argue_eval.errors import Finding, InputError, shorten
from argue_eval.limits import Price

_NAMES = ("prompt", "reply")
_HINT = (
    'write a table per model, prices per million tokens: ["my-model"], prompt = 0.15, reply = 0.6'
)


def read_prices(path: str) -> dict[str, Price]:
    """Returns prices by model.

    Raises:
        InputError: the file is not TOML, or says something else.
        MissingResourceError: it cannot be read.
    """
    findings: list[Finding] = []
    prices: dict[str, Price] = {}
    for model, row in toml.read(path, "wrong_prices", _HINT).items():
        numbers = row if isinstance(row, dict) else {}
        if sorted(numbers) == sorted(_NAMES) and all(map(_is_price, numbers.values())):
            prices[model] = Price(float(numbers["prompt"]), float(numbers["reply"]))
            continue
        message = f"expected prompt and reply, numbers of 0 or more, found {shorten(row)}"
        findings.append(Finding("wrong_prices", message, _HINT, path, path=f"$.{model}"))
    if findings:
        raise InputError(findings)
    return prices


def _is_price(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and isfinite(value) and value >= 0
