"""Document ids that nuggets name and that look like none: placeholders, and ids of another form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from itertools import islice
from typing import NamedTuple

from argue_eval.errors import Findings, count, shorten, some
from argue_eval.records import TopicNuggets

ANY_DOCUMENT = (
    "add the ids, or score with --attestation any-document, which credits an answer whatever "
    "document is cited"
)

_WORDS = """
    none null nil nan na n/a n.a. unknown unk missing empty placeholder dummy fake sample example
    tbd todo tba test foo bar xxx id docid doc_id doc document ? - -- . 0 -1
"""
_PLACEHOLDERS = frozenset(_WORDS.split())
_NUMBERED = re.compile(r"(?:doc|document|docid)[-_ #.]?\d{1,3}")
_MOST_NUMBERED = 20
"""With more ids such as doc1, or one that exists, the collection simply calls its documents so."""
_SAYS_NO = re.compile(
    r"no[-_ ]?(?:ref|reference|doc|document|docid|source|src|id|citation|cite|passage)s?"
    r"(?:[-_ #.:]?\d+)?|"
    r"(?:none|null|nil|unknown|missing|empty|placeholder|dummy|fake|tbd|todo)[-_ #.:]?\d+"
)
_FEWEST_ANSWERS = 4


def doc_ids(topics: Sequence[TopicNuggets]) -> Counter[str]:
    """How many answers name each document, in input order."""
    return Counter(
        doc_id
        for topic in topics
        for nugget in topic.nuggets
        for answer in nugget.answers
        for doc_id in answer.doc_ids
    )


class Expected(NamedTuple):
    """What ids should look like.

    Attributes:
        strangers: those of some ids that do not.
        whose: whose ids these are, such as ``the track``.
    """

    strangers: Callable[[list[str]], list[str]]
    whose: str


def like_cited(cited: Iterable[str]) -> Expected:
    """Ids should look like those that runs cite."""
    return Expected(lambda ids: strangers(ids, cited), "the runs")


def of_track(pattern: re.Pattern[str]) -> Expected:
    """Ids should match the pattern of a track."""
    return Expected(lambda ids: [each for each in ids if not pattern.fullmatch(each)], "the track")


def check_placeholders(
    findings: Findings,
    topics: Sequence[TopicNuggets],
    existing: Set[str] = frozenset(),
    expected: Expected | None = None,
) -> set[str]:
    """Warns of the share of the ids that look like none; returns these.

    Args:
        existing: ids that a collection or a run has. They are never placeholders.
    """
    times = doc_ids(topics)
    unknown = [each for each in times if each not in existing]
    placeholders = _placeholders(unknown, existing)
    strange = set(expected.strangers(unknown)) if expected else set()
    num_answers = sum(len(nugget.answers) for topic in topics for nugget in topic.nuggets)
    is_doubtful = expected is None or bool(placeholders | strange)
    if len(times) == len(unknown) == 1 and num_answers >= _FEWEST_ANSWERS and is_doubtful:
        message = f"all answers name the same document, {shorten(unknown[0])}"
        findings.warn("placeholder_document_ids", message, ANY_DOCUMENT)
        return set(unknown)
    found = [each for each in unknown if each in placeholders or each in strange]
    if found:
        like = f"like no id of {expected.whose}" if expected and strange else "like placeholders"
        verb = "looks" if len(times) == 1 else "look"
        message = f"{len(found):,} of {count(len(times), 'document id')} {verb} {like}: "
        findings.warn("placeholder_document_ids", message + some(found), ANY_DOCUMENT)
    return set(found)


def _placeholders(ids: Collection[str], existing: Iterable[str]) -> set[str]:
    plain = {each: each.strip().casefold() for each in ids}
    numbered = {each for each, word in plain.items() if _NUMBERED.fullmatch(word)}
    if len(numbered) > _MOST_NUMBERED or (
        numbered and any(_NUMBERED.fullmatch(each.casefold()) for each in existing)
    ):
        numbered = set()
    return numbered | {
        each for each, word in plain.items() if word in _PLACEHOLDERS or _SAYS_NO.fullmatch(word)
    }


# --- what ids look like ---

_PART = re.compile(r"[^\W_]+")
_MOST_FORMS = 10
"""Ids of more forms, such as titles, have no form in common."""
_MANY = 10
"""If parts of so many ids have the same length, those of others do not differ by chance."""
_AT_ONCE = 1_000


def strangers(ids: Iterable[str], known: Iterable[str]) -> list[str]:
    """Those of some ids that look like none of the known ones.

    Two ids look alike if the same signs separate as many parts, and each part has no other kind of
    characters than that of some known one, and about as many; as many where all known ones have.

    >>> strangers(["ex-0040", "NOREF-1", "noref"], ["ex-0001", "ex-0002"])
    ['NOREF-1', 'noref']
    """
    left = list(ids)
    forms: dict[str, list[_Part]] = {}
    always_digit = True
    rest = iter(known)
    # A further known id can only make more ids look like one, so that few need to be looked at.
    while left and (some_known := list(islice(rest, _AT_ONCE))):
        for each in some_known:
            parts = _PART.findall(each)
            form = forms.setdefault(_PART.sub("w", each), [_Part() for _ in parts])
            for seen, part in zip(form, parts, strict=True):
                seen.add(part)
            always_digit = always_digit and any(map(str.isdigit, each))
        if len(forms) > _MOST_FORMS or any(" " in form for form in forms):
            return []
        left = [each for each in left if not _is_like(each, forms, always_digit)]
    return left if forms else []


class _Part:
    """What one part of the known ids of a form consists of."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.number = self.shortest = self.longest = 0

    def add(self, part: str) -> None:
        self.number += 1
        self.kinds |= _kinds(part)
        self.shortest = min(self.shortest or len(part), len(part))
        self.longest = max(self.longest, len(part))

    def fits(self, part: str) -> bool:
        least, most = self.shortest / 2, 2 * self.longest
        if self.number >= _MANY and self.shortest == self.longest:
            least = most = self.longest
        return least <= len(part) <= most and _kinds(part) <= self.kinds


def _kinds(part: str) -> set[str]:
    return {"0" if sign.isdigit() else "A" if sign.isupper() else "a" for sign in part}


def _is_like(doc_id: str, forms: dict[str, list[_Part]], always_digit: bool) -> bool:
    form = forms.get(_PART.sub("w", doc_id))
    if form is None or (always_digit and not any(map(str.isdigit, doc_id))):
        return False
    return all(seen.fits(part) for seen, part in zip(form, _PART.findall(doc_id), strict=True))
