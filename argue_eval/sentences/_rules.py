"""Whether a place where spaCy's sentencizer breaks a text is the end of a sentence.

The sentencizer breaks after every mark such as a full stop. That is right for ``。`` and ``؟``; for
a full stop it depends on the word before it and the word after it. A sentence does not end inside
brackets or a short quotation.
"""

from __future__ import annotations

import re

from argue_eval.sentences._abbreviations import Abbreviations

CLOSERS = "\"'”’»›)]}」』》〉】）］｝*_"
OPENERS = "\"'“‘«‹„‚([{「『《〈【（［｛¿¡*_-–—•· \t\n"
CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
MARKER = re.compile(r"(?:\s?\[\^?[A-Za-z]?\d+(?:\s?[,;–-]\s?[A-Za-z]?\d+)*\])+")
"""Inline citations, which belong to the sentence before them."""

_CLOSING = re.compile(rf"[{re.escape(CLOSERS)}]*(?:[“‘«]+(?=\s|$))?(?:\s+»(?=\s|$))?")
_QUOTED = 300
_ENCLOSED = re.compile(
    "|".join(
        f"{opening}{inner}{{1,{_QUOTED}}}?{closing}"
        for opening, inner, closing in (
            (r"\(", "[^()]", r"\)"),
            ("（", "[^（）]", "）"),
            ("《", "[^《》]", "》"),
            ("「", "[^「」]", "」"),
            ("『", "[^『』]", "』"),
            ("“", "[^“”]", "”"),
            ("„", "[^„“”]", "[“”]"),
            ("«", "[^«»]", "»"),
            (r'(?<!\d)"(?=\S)', '[^"]', '"'),
            (r"(?<!\w)['‘](?=\w)", r"""[^"‘“]""", r"(?<=[\w.,!?…])['’](?!\w)"),
        )
    )
)
_STOPS = ".．"
_ELLIPSIS = re.compile(r"(?:…|\.{2,}|(?:\. ){2,}\.)$")
_BEFORE_WORD = re.compile(r"^.*[(\[{\"“«„/]", re.DOTALL)
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_INITIAL = re.compile(r"(?:[^\W\d_]\.-?)*[^\W\d_]")
_ROMAN = re.compile(r"[IVXLC]+\b")
_LIST_NUMBER = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-zА-Яа-я]|[ivxIVX]{1,4})(?:\.\d{1,2}){0,3}[.．]")
_SAID = re.compile("[^，。！？,]{0,8}(?:[说說问問]|表示|回答|と)")
_SPACELESS = re.compile(f"[{CJK}\u0e00-\u0e7f]")


def without_markers(text: str) -> str:
    """Returns the text with spaces in the place of inline citations, all else where it was."""
    return MARKER.sub(lambda match: " " * len(match.group()), text) if "[" in text else text


def enclosed(text: str) -> list[tuple[int, int]]:
    """Returns start and end of what stands in brackets or short quotations, in text order."""
    return [match.span() for match in _ENCLOSED.finditer(text)]


def after_closers(text: str, mark_end: int) -> int:
    """Returns where the quotation marks, brackets and citations end that follow a mark.

    >>> after_closers('He said: "Go." Then', 13)
    14
    """
    closing = _CLOSING.match(text, mark_end)
    place = closing.end() if closing else mark_end
    marker = MARKER.match(text, place)
    return marker.end() if marker else place


def ends_here(before: str, after: str, is_spaced: bool, words: Abbreviations) -> bool:
    """Returns whether a sentence ends between two parts of a text.

    Args:
        before: the text from the sentence's start, without space at the end.
        after: what follows, without space at the start.
        is_spaced: there was white space between them.
        words: the abbreviations of the text's language.
    """
    bare = MARKER.sub("", before[-80:]).rstrip(CLOSERS + " ") if before else ""
    if not bare or not after:
        return False
    mark = bare[-1]
    following = after.lstrip(OPENERS)
    if mark.isalnum() or mark in ",;:،؛，、；：" or not following:
        return False
    if not is_spaced and not _may_touch(mark, following[0]):
        return False
    if _continues(following) or (mark not in _STOPS and _is_title_or_speech(before, following)):
        return False
    if _ELLIPSIS.search(bare):
        return following[0].isupper()
    return mark not in _STOPS or _stop_ends(before, bare, following, words)


def _may_touch(mark: str, first: str) -> bool:
    """Returns whether a mark ends a sentence without a space after it."""
    if mark == "…":
        return False
    return not mark.isascii() or _SPACELESS.match(first) is not None


def _continues(following: str) -> bool:
    """Returns whether a word in small letters follows; a name such as iPhone is none."""
    return following[0].islower() and not following[1:2].isupper()


def _is_title_or_speech(before: str, following: str) -> bool:
    """Returns whether Chinese goes on after a mark: 《…？》 is a book, “…。” was said."""
    if before[-1] in "》〉":
        return True
    return before[-1] in "”」』" and before[0] in "“「『" and _SAID.match(following) is not None


def _stop_ends(before: str, bare: str, following: str, words: Abbreviations) -> bool:
    """Returns whether a full stop ends the sentence, by the words on both sides of it."""
    if _LIST_NUMBER.fullmatch(before) or never_ends(bare, following, words):
        return False
    last = _last_word(bare)
    is_ordinal = words.has_ordinals and last.isdigit() and len(last) < 3
    if not is_ordinal and last.lower() not in words.final and not _INITIAL.fullmatch(last):
        return True
    first = _FIRST_WORD.match(following)
    if first is None or following[first.end() : first.end() + 1] == ".":
        return False
    return first.group().lower() in words.starters


def never_ends(bare: str, following: str, words: Abbreviations) -> bool:
    """Returns whether the full stop is one of an abbreviation that what follows goes on with.

    Args:
        bare: the text up to the full stop.
        following: what comes after it, from its first word on.
        words: the abbreviations of the text's language.
    """
    last = _last_word(bare).lower()
    elided = last.replace("’", "'").rpartition("'")[2]  # l'art. 3
    last = elided if len(elided) > 1 else last
    if last in words.inner:
        return True
    if last in words.numbered and (following[0].isdigit() or _ROMAN.match(following)):
        return True
    return last in words.final and _continues(following)


def _last_word(bare: str) -> str:
    """Returns the word before the full stop at the end, without the marks around it."""
    word = bare.rsplit(None, 1)[-1] if bare[-1] in _STOPS else ""
    return _BEFORE_WORD.sub("", word[:-1]).strip("'’‘")
