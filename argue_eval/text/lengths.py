"""How long a report is, as the tracks count: in NFKC characters, or in words."""

from __future__ import annotations

_NFKC_GROWTH = 17
"""NFKC turns one character into 18 at most, and never lengthens ASCII."""


def measure(text: str, unit: str) -> int:
    """The length of a text in ``characters`` (NFKC) or ``words`` (between white space).

    >>> measure("ﬁve words", "characters"), measure("two  words", "words")
    (10, 2)
    """
    if unit == "words":
        return len(text.split())
    if text.isascii():
        return len(text)
    from unicodedata import normalize

    return len(normalize("NFKC", text))


def may_exceed(text: str, limit: int, unit: str) -> bool:
    """Whether a text may be longer than a limit. False is certain, and costs next to nothing."""
    if unit == "words":
        return len(text) >= 2 * limit
    if text.isascii():
        return len(text) > limit
    num_beyond_ascii = len(text.encode("utf-8", "surrogatepass")) - len(text)
    return len(text) + _NFKC_GROWTH * num_beyond_ascii > limit
