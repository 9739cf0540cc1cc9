"""Checks of what is written: whether there is any, how much, in what pieces, and for whom.

Some text is meant for something else than a reader: for judges, renderers, terminals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from argue_eval.errors import describe, shorten
from argue_eval.formats.runs import Draft
from argue_eval.text.lengths import may_exceed, measure
from argue_eval.validation.audit import Audit

if TYPE_CHECKING:
    from argue_eval.records import ReportRequest


_CONTROLS = "\u202a-\u202e\u2066-\u2069"
_HIDDEN_LETTERS = "\u034f\u115f\u3164"
"""Those of the invisible characters that Python calls printable."""

_INVISIBLE = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2065"
    "\u206a-\u206f\ufeff\ufff9-\ufffb\ufdd0-\ufdef\ufffe\uffff\U000e0000-\U000e0fff"
)
_JOINERS = "\u200c\u200d"
_MARKS = "\u200e\u200f\u061c"
_CONNECTED = "[\u0590-\u08ff\u0900-\u0dff\u1000-\u109f\ufb1d-\ufdff\ufe70-\ufefc]"
_PICTURE = "[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]"
_SIGNS = ("<", "**", "# ", "```", "](", "[/", "[I", "[i")
_MARKUP = (
    r"</?[a-zA-Z][\w-]*(?:\s[^<>]{0,200})?/?>|<!--|<\||\[/?(?:INST|inst)\]|<<(?:SYS|sys)>>"
    r"|\*\*[^*\n]{1,200}\*\*|(?:^|\n)#{1,6} |```|\]\((?:https?:|#|/)"
)

NEEDLES = ("instruction", "prompt", "judge", "grader", "evaluator", "score")
"""One of them is in every instruction to a judge."""

_ENCODED = tuple(needle.encode() for needle in NEEDLES)


def is_empty(draft: Draft, audit: Audit) -> bool:
    """Whether a report has no text, which is noted."""
    if draft.joined and not draft.joined.isspace():
        return False
    texts = draft.texts
    if draft.unread and len(draft.unread) >= len(texts):
        return True  # what is wrong with each of them, or with their list, is reported already
    key = draft.key or audit.track.layout.sentences[0]
    noun = "nuggets" if audit.track.layout.nuggets else "sentences"
    what = f"there are no {noun}" if not texts else "all sentences are blank"
    message = f"the key {key!r} is missing" if not draft.key else what
    path = (draft.key,) if draft.key else ()
    hint = f"write the {audit.track.layout.noun}: it counts as 0 as it is"
    audit.found("empty_answer", message, draft, path, hint=hint)
    return True


def check_blank(draft: Draft, audit: Audit) -> None:
    """Checks that every sentence has text."""
    if all(draft.texts) and not any(map(str.isspace, draft.texts)):
        return
    for index, text in enumerate(draft.texts):
        if not text.strip() and index not in draft.unread:
            message = f"the text {'is white space' if text else 'is empty'}"
            hint = "write the sentence, or remove it"
            audit.found_in("blank_sentence", message, draft, index, "text", hint=hint)


def check_length(draft: Draft, audit: Audit) -> None:
    """Checks the length: sentences joined by one space, in NFKC characters or in words."""
    values = audit.track.rules["length"].values
    limit, unit = values["limit"], values["unit"]
    if limit == "request":
        request: ReportRequest | None = (audit.requests or {}).get(draft.topic_id)
        if request is None or request.limit is None:
            return
        limit, unit = request.limit, request.limit_unit
    if not may_exceed(draft.joined, limit, unit):
        return
    length = measure(draft.joined, unit)
    if length <= limit:
        return
    from bisect import bisect_left

    texts = draft.texts
    index = bisect_left(
        range(len(texts)),
        True,
        key=lambda last: measure(" ".join(texts[: last + 1]), unit) > limit,
    )
    more = length - limit
    message = f"the report has {length:,} {unit}, {more:,} more than the limit of {limit:,}; "
    message += f"sentence {index} crosses it"
    hint = f"end the report before sentence {index}, or shorten it by {more:,} {unit}"
    expected = f"at most {limit:,} {unit}"
    audit.found_in("length", message, draft, index, hint=hint, expected=expected)


def check_stated_length(draft: Draft, audit: Audit) -> None:
    """Checks that the length which the metadata state is that of the report."""
    stated = draft.metadata.get("response_length")
    unit: str = audit.track.rules["response_length"].values["unit"]
    length = measure(draft.joined, unit)
    if stated is None or (type(stated) is int and stated == length):
        return
    message = f"response_length is {describe(stated)}, the report has {length} {unit}"
    path = (*draft.meta_path, "response_length")
    audit.found("response_length", message, draft, path, hint=f"write {length}")


def check_segments(draft: Draft, audit: Audit) -> None:
    """Checks that a segment is one sentence."""
    from argue_eval.text.sentences import SEVERAL, check

    request = (audit.requests or {}).get(draft.topic_id)
    for misfit in check(draft.texts, request.language if request else None):
        index = misfit.sentence_index
        if misfit.kind == SEVERAL:
            message = f"the segment holds {len(misfit.pieces)} sentences"
            hint = "split it, and give each sentence the citations that support it"
        else:
            message = "the segment breaks off inside a sentence, which the next one continues"
            hint = "join the two"
        shown = shorten(" | ".join(piece[:60] for piece in misfit.pieces[:3]), 160)
        message = f"{message}: {shown}"
        audit.found_in("segmentation", message, draft, index, "text", hint=hint)


def check_suspicious(draft: Draft, audit: Audit) -> None:
    """Checks for instructions to a judge, invisible characters, direction controls and markup."""
    joined = draft.joined
    searches: list[Callable[[str], Iterator[tuple[str, str]]]] = []
    has_signs = "<" in joined or "*" in joined or "`" in joined or "#" in joined or "[" in joined
    if has_signs and any(sign in joined for sign in _SIGNS):
        searches.append(_markup_in)
    if not draft.is_plain and (
        not joined.isprintable() or any(char in joined for char in _HIDDEN_LETTERS)
    ):
        searches.append(_invisible_in)
    lower = joined.encode("utf-8", "surrogatepass").lower()  # of bytes this is quicker than of text
    if any(needle in lower for needle in _ENCODED):
        from argue_eval.validation import instructions

        if instructions.may_instruct(joined):
            searches.append(instructions.found_in)
    for search in searches:
        for index, text in enumerate(draft.texts):
            for what, hint in search(text):
                message = f"the text has {what}"
                audit.found_in("suspicious_text", message, draft, index, "text", hint=hint)


def _markup_in(text: str) -> Iterator[tuple[str, str]]:
    if match := re.search(_MARKUP, text):
        yield f"markup: {shorten(match.group())} at character {match.start()}", "write plain text"


def _invisible_in(text: str) -> Iterator[tuple[str, str]]:
    turned = re.findall(f"[{_CONTROLS}]", text)
    hidden = re.finditer(f"[{_INVISIBLE}{_HIDDEN_LETTERS}]", text)
    odd = [match.group() for match in hidden if not _belongs(match)]
    if turned:
        hint = "remove them: they make a text look like another"
        yield f"direction controls: {_names(turned)}", hint
    if odd:
        hint = "remove them: they may hide text from readers"
        yield f"invisible characters: {_names(odd)}", hint


def _belongs(match: re.Match[str]) -> bool:
    """Whether an invisible character may stand where it does.

    Joiners belong into Persian and Indic words and into pictures, direction marks beside
    right-to-left text.
    """
    char, text, place = match.group(), match.string, match.start()
    near = text[max(0, place - 1) : place + 2]
    if char in _JOINERS:
        return bool(re.search(_CONNECTED, near) or re.search(_PICTURE, near))
    return char in _MARKS and bool(re.search(_CONNECTED, text))


def _names(chars: list[str]) -> str:
    unique = list(dict.fromkeys(f"U+{ord(char):04X}" for char in chars))
    more = f" and {len(unique) - 4} more" if len(unique) > 4 else ""
    return ", ".join(unique[:4]) + more
