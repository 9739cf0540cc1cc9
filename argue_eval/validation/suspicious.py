"""Finds text that is meant for something else than a reader: judges, renderers, terminals."""

from __future__ import annotations

import re
from functools import cache

from argue_eval.errors import shorten
from argue_eval.validation.audit import Audit
from argue_eval.validation.draft import Draft
from argue_eval.validation.instructions import instruction_in, may_instruct

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


@cache
def _markup() -> re.Pattern[str]:
    return re.compile(
        r"</?[a-zA-Z][\w-]*(?:\s[^<>]{0,200})?/?>|<!--|<\||\[/?(?:INST|inst)\]|<<(?:SYS|sys)>>"
        r"|\*\*[^*\n]{1,200}\*\*|(?:^|\n)#{1,6} |```|\]\((?:https?:|#|/)"
    )


@cache
def _odd_chars() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Returns the patterns of direction controls and of other invisible characters."""
    return re.compile(f"[{_CONTROLS}]"), re.compile(f"[{_INVISIBLE}{_HIDDEN_LETTERS}]")


def check_suspicious(draft: Draft, audit: Audit) -> None:
    """Checks for instructions to a judge, invisible characters, direction controls and markup."""
    joined = draft.joined
    if "<" in joined or "*" in joined or "`" in joined or "#" in joined or "[" in joined:
        _search_markup(draft, audit)
    if not draft.is_plain and (not joined.isprintable() or _has_hidden_letters(joined)):
        _search_invisible(draft, audit)
    if may_instruct(joined):
        _search_instructions(draft, audit)


def _has_hidden_letters(text: str) -> bool:
    return not text.isascii() and any(char in text for char in _HIDDEN_LETTERS)


def _search_instructions(draft: Draft, audit: Audit) -> None:
    for index, text in enumerate(draft.texts):
        words = instruction_in(text)
        if words:
            message = f"the sentence has what reads as an instruction to a judge: {shorten(words)}"
            hint = "a report is for its reader: rephrase it, unless it is a quotation"
            path = draft.sentence_path(index, "text")
            audit.found("suspicious_text", message, draft, path, hint=hint, sentence=index)


def _search_markup(draft: Draft, audit: Audit) -> None:
    joined = draft.joined
    if not any(sign in joined for sign in ("<", "**", "# ", "```", "](", "[/", "[I", "[i")):
        return
    for index, text in enumerate(draft.texts):
        match = _markup().search(text)
        if match:
            start = match.start()
            message = f"the sentence has markup: {shorten(match.group())} at character {start}"
            path = draft.sentence_path(index, "text")
            hint = "write plain text"
            audit.found("suspicious_text", message, draft, path, hint=hint, sentence=index)


def _search_invisible(draft: Draft, audit: Audit) -> None:
    controls, invisible = _odd_chars()
    for index, text in enumerate(draft.texts):
        turned = controls.findall(text)
        hidden = [match.group() for match in invisible.finditer(text) if _is_odd(match)]
        for chars, what, hint in (
            (turned, "direction controls", "remove them: they make a text look like another"),
            (hidden, "invisible characters", "remove them: they may hide text from readers"),
        ):
            if chars:
                message = f"the sentence has {what}: {_names(chars)}"
                path = draft.sentence_path(index, "text")
                audit.found("suspicious_text", message, draft, path, hint=hint, sentence=index)


def _is_odd(match: re.Match[str]) -> bool:
    """Returns whether an invisible character has no business where it stands.

    Joiners belong into Persian and Indic words and into pictures, direction marks beside
    right-to-left text.
    """
    char, text, place = match.group(), match.string, match.start()
    near = text[max(0, place - 1) : place + 2]
    if char in _JOINERS:
        return not (re.search(_CONNECTED, near) or re.search(_PICTURE, near))
    if char in _MARKS:
        return not re.search(_CONNECTED, text)
    return True


def _names(chars: list[str]) -> str:
    unique = list(dict.fromkeys(f"U+{ord(char):04X}" for char in chars))
    more = f" and {len(unique) - 4} more" if len(unique) > 4 else ""
    return ", ".join(unique[:4]) + more
