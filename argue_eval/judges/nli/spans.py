"""Which parts of a sentence a document does not support, from the probabilities of its tokens."""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.judges.local.tokens import Encoded
from argue_eval.records import Verdict


def unsupported(tokens: Encoded, probs: Sequence[float], threshold: float) -> list[tuple[int, int]]:
    """Start and end of the parts, in characters: tokens in a row whose support is below it.

    Args:
        probs: the probability that each token is supported.
    """
    found: list[tuple[int, int]] = []
    was_below = False
    for start, end, prob in zip(tokens.starts, tokens.ends, probs, strict=True):
        is_below = prob < threshold
        if is_below and was_below:
            found[-1] = found[-1][0], end
        elif is_below:
            found.append((start, end))
        was_below = is_below
    return found


def verdict(tokens: Encoded, parts: Sequence[tuple[int, int]]) -> Verdict:
    """What unsupported parts make of a sentence: partial if they are less than half of it."""
    whole = tokens.ends[-1] - tokens.starts[0]
    return Verdict.PARTIAL if 2 * sum(b - a for a, b in parts) < whole else Verdict.NO
