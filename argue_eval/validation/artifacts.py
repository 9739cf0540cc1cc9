"""Checks for what the way from a model to a file leaves in a report, and no reader wants there.

These are replies of a chat, texts that were decoded wrongly, entities of HTML, citations in the
text, rows of tables. Each kind is looked for in the whole report first, which costs next to
nothing; only what may have it is looked at by sentence. A run has one finding for each kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from operator import itemgetter

from argue_eval.errors import shorten
from argue_eval.formats.runs import Draft
from argue_eval.validation.audit import Audit

Find = Callable[[str], str]
"""Gives what a sentence has of a kind, in words; an empty text if it has none."""

_head = itemgetter(slice(4))
_HEADS = frozenset(
    (
        *("As a", "As A", "Sorr", "Unfo", "I ap", "I'm ", "I’m ", "I am", "I ca", "I wo"),
        *("Sure", "Cert", "Of c", "Abso", "Here", "Als ", "En t", "Como", "Как ", "به ع", "بصفت"),
        *("كنمو", "作为一个", "作为一名", "作为AI", "作为人工", "作为语言", "作为大型", "抱歉，作"),
    )
)
"""How `_REPLY` starts."""

_AN_AI = (
    r"(?:as an? (?:large |ai )?(?:language model|ai model|ai assistant|ai|llm)\b"
    r"|als (?:eine? )?(?:ki|künstliche intelligenz|(?:großes )?sprachmodell)\b"
    r"|en tant qu(?:e modèle|['\u2019](?:ia|intelligence artificielle|assistant))\b"
    r"|como (?:un modelo de|modelo de|una ia|una? inteligencia artificial|um modelo de)\b"
    r"|как (?:большая )?(?:языковая модель|искусственный интеллект|ии)\b"
    r"|(?:抱歉[，,])?作为(?:一个|一名)?(?:ai|人工智能|大?(?:型)?语言模型)"
    r"|به عنوان یک (?:مدل زبانی|هوش مصنوعی)|بصفتي نموذج|كنموذج لغوي)"
    r"[^.。]{0,80}?"
    r"(?:\b(?:i|my|ich|mir|je|mon|puedo|tengo|posso|tenho|я|мне|меня)\b|\bj['\u2019]"
    r"|我|من|يمكنني|أستطيع|لدي)"
)
_REPLY = (
    r"(?:(?:sorry|unfortunately|i apologi[sz]e)[,.!]? (?:but )?)?(?:"
    rf"{_AN_AI}"
    r"|i(?:['\u2019]m| am) (?:just )?an? (?:large |ai )?(?:language model|ai|llm)\b"
    r"|i(?:['\u2019]m| am) sorry[,.]? (?:but )?i\b"
    r"|i(?: cannot| can['\u2019]t| won['\u2019]t|(?:['\u2019]m| am) (?:unable|not able) to) "
    r"(?:help|assist|fulfill?|comply|provide|answer|write|generate|create|complete|produce)\b"
    r"|(?:sure|certainly|of course|absolutely)[,!] (?:here\b|i(?:['\u2019]ll| will| can)\b)"
    r"|here(?:['\u2019]s| is) (?:the|an?|your) (?:[\w-]{1,20} ){0,3}"
    r"(?:report|summary|answer|response)\b[^.]{0,80}:"
    r")"
)
"""How a model's reply starts that does not write the report, or that says that it does."""

_MISREAD = rb"\xc3[\x82-\xb4](?:\xc2|\xc5|\xc6|\xcb|\xe2[\x80\x82\x84])"
"""A letter such as Ã with a sign such as © behind it, in UTF-8."""

_UNLIKELY = "[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]+"
_BEHIND_LETTERS = frozenset("\u00a0\u00ab\u00ae\u00b0\u00bb–—‘’“”…‹›")
_LOST = "\ufffd"
_ENTITY = r"&(?:[A-Za-z]{2,8}[0-9]?|#[0-9]{2,6}|#[xX][0-9A-Fa-f]{2,5});"
_BRACKETED = r"\[([^\[\]\n]{1,200})\]|【([^【】\n]{1,200})】|\(([^()\s]{4,100})\)"
_NUMBERED = r"(?:\[\d{1,3}(?:[ ,;–-]{1,3}\d{1,3})*\]\s*)+[.!?]?$"
_ROW = (
    r"^[ \t]*\|[^|\n]+\|[^\n]*\|[ \t]*$"
    r"|\|[ \t]*:?-{2,}:?[ \t]*\||^[ \t]*:?-{3,}:?[ \t]*\|[ \t]*:?-{3,}"
)


def check(draft: Draft, audit: Audit) -> None:
    """Checks the sentences of a report."""
    for code, (signs, look, hint) in _KINDS.items():
        if signs and not any(sign in draft.joined for sign in signs):
            continue
        find = look(draft, audit)
        if find is None:
            continue
        for index, text in enumerate(draft.texts):
            if found := find(text):
                message = f"the text {found}"
                audit.found_in(code, message, draft, index, "text", hint=hint, is_once=True)


def _replies(draft: Draft, audit: Audit) -> Find | None:
    if _HEADS.isdisjoint(map(_head, draft.texts)):
        return None
    pattern = re.compile(_REPLY, re.IGNORECASE)
    return lambda text: f"is a model's reply: {shorten(text)}" if pattern.match(text) else ""


def _garbled(draft: Draft, audit: Audit) -> Find | None:
    joined = draft.joined
    if joined.isascii():
        return None
    raw = joined.encode("utf-8", "surrogatepass")
    is_misread = b"\xc3" in raw and re.search(_MISREAD, raw) is not None
    return _garbled_in if is_misread or _LOST in joined else None


def _garbled_in(text: str) -> str:
    if _LOST in text:
        return "has '\ufffd', which stands for letters that were lost"
    found = {match: _as_meant(match) for match in re.findall(_UNLIKELY, text)}
    garbled = [letters for letters, meant in found.items() if meant]
    # One capital letter and a sign may stand side by side; those of Â, Ã and â, or many, do not.
    is_sure = len(garbled) > 1 or any(letters[0] in "ÂÃâ" for letters in garbled)
    if not is_sure:
        return ""
    return f"is garbled: it has {shorten(garbled[0])} for {shorten(found[garbled[0]])}"


def _as_meant(letters: str) -> str:
    """What letters stand for, if they are UTF-8 that was read as Windows-1252; else nothing."""
    if letters[0] != "Â" and _BEHIND_LETTERS.issuperset(letters[1:]):
        return ""
    try:
        return b"".join(
            each.encode("latin-1" if ord(each) < 256 else "cp1252") for each in letters
        ).decode("utf-8")
    except UnicodeError:
        return ""


def _entities(draft: Draft, audit: Audit) -> Find | None:
    if not re.search(_ENTITY, draft.joined):
        return None
    from html import unescape

    def find(text: str) -> str:
        found = (each for each in re.findall(_ENTITY, text) if unescape(each) != each)
        first = next(found, "")
        return f"has the HTML entity {first} for {shorten(unescape(first))}" if first else ""

    return find


def _inline(draft: Draft, audit: Audit) -> Find | None:
    joined = draft.joined
    has_brackets = "[" in joined or "【" in joined
    if draft.is_inline:
        return None
    first = next(iter(next(filter(None, draft.cited), ())), None)
    doc_id = None if first is None else draft.doc_id(first)
    if not has_brackets and doc_id is not None and doc_id not in joined:
        return None  # one is as good as all: it is the same step that writes them
    known = draft.doc_ids.union(draft.references or ())
    pattern = audit.track.pattern("docid_pattern") if audit.track.rule("docid_pattern") else None

    def find(text: str) -> str:
        for match in re.finditer(_BRACKETED, text):
            inner = "".join(filter(None, match.groups()))
            for part in (inner, *re.split(r"[\s,;]+", inner)):
                if part in known or "†" in part or (pattern and pattern.fullmatch(part)):
                    return f"has a citation in it: {shorten(match.group())}"
        number = _number_in(text)
        others = (each for each in draft.texts if _number_in(each))
        is_usual = number and next(islice(others, 1, None), "")
        return f"has a citation in it: {shorten(number)}" if is_usual else ""

    return find


def _number_in(text: str) -> str:
    """Numbers in brackets with which a text ends."""
    match = re.search(_NUMBERED, text[-60:]) if "[" in text else None
    return match.group().rstrip(".!? ") if match else ""


def _rows(draft: Draft, audit: Audit) -> Find:
    pattern = re.compile(_ROW, re.MULTILINE)

    def find(text: str) -> str:
        match = pattern.search(text) if "|" in text else None
        return f"has a row of a table: {shorten(match.group().strip())}" if match else ""

    return find


_KINDS: dict[str, tuple[str, Callable[[Draft, Audit], Find | None], str]] = {
    "chat_reply": ("", _replies, "write the report, or remove the sentence"),
    "garbled_text": ("", _garbled, "decode its source as UTF-8 and write the run again"),
    "html_entities": (
        "&",
        _entities,
        "write characters for entities, as Python's html.unescape does",
    ),
    "inline_citations": (
        "[【(",
        _inline,
        "remove it from the text, and list the document among the citations of the sentence",
    ),
    "markdown_table": ("|", _rows, "write sentences: a row is judged as a sentence is"),
}
"""Signs of which such a report has one, if any; how to look for the sentences; what to do."""

CODES = tuple(_KINDS)
