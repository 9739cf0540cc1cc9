"""Cue phrases by language: absence or ignorance, framing, opinion.

The patterns are in ``cues.json``; ``<NAME>`` in one stands for one of its parts. They are matched
against `Text.flat`: lower-case words with one space between and around them. Gaps span a limited
number of words, so that no text can make a pattern slow. To add a language, add rows.
"""

from __future__ import annotations

import re
from functools import cache

from argue_eval.judges.lexical import tables

_TABLES = tables.read("cues")

CUED_LANGUAGES = frozenset(_TABLES["absence"])
"""Languages in which it is known how to say that something is absent."""


def has_cue(name: str, flat: str) -> bool:
    """Whether a text has a cue: absence, weak_absence, framing or opinion.

    >>> has_cue("absence", " no reports were found on the bridge ")
    True
    >>> has_cue("absence", " the bridge was not damaged ")
    False
    """
    return _pattern(name).search(flat) is not None


@cache
def _pattern(name: str) -> re.Pattern[str]:
    patterns = "|".join(f"(?:{row})" for rows in _TABLES[name].values() for row in rows)
    for part, pattern in _TABLES["parts"].items():
        patterns = patterns.replace(f"<{part}>", pattern)
    return re.compile(patterns)
