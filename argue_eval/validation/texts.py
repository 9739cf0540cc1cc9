"""Checks of what is written: whether there is any, how much, in what pieces, and for whom.

Some text is meant for something else than a reader: for judges, renderers, terminals. Other text is
what the way from a model to a file leaves in a report: replies of a chat, texts that were decoded
wrongly, entities of HTML, citations in the text, rows of tables. Each kind is looked for in the
whole report first, which costs next to nothing; only what may have it is looked at by sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from operator import itemgetter
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

_ENCODED = tuple((needle, needle.encode()) for needle in NEEDLES)
_PRINTABLE = bytes(range(0x20, 0x7F))


def note_empty(draft: Draft, audit: Audit) -> None:
    """Notes that a report has no text."""
    texts = draft.texts
    if draft.unread and len(draft.unread) >= len(texts):
        return  # what is wrong with each of them, or with their list, is reported already
    key = draft.key or audit.track.layout.sentences[0]
    noun = "nuggets" if audit.track.layout.nuggets else "sentences"
    what = f"there are no {noun}" if not texts else "all sentences are blank"
    message = f"the key {key!r} is missing" if not draft.key else what
    path = (draft.key,) if draft.key else ()
    hint = f"write the {audit.track.layout.noun}: it counts as 0 as it is"
    audit.found("empty_answer", message, draft, path, hint=hint)


def check_blank(draft: Draft, audit: Audit) -> None:
    """Checks that every sentence has text."""
    if all(draft.texts) and not any(map(str.isspace, draft.texts)):
        return
    for index, text in enumerate(draft.texts):
        if not text.strip() and index not in draft.unread:
            message = f"the text {'is white space' if text else 'is empty'}"
            hint = "write the sentence, or remove it"
            audit.found("blank_sentence", message, draft, ("text",), index=index, hint=hint)


def check_length(draft: Draft, audit: Audit) -> None:
    """Checks the length: sentences joined by one space, in NFKC characters or in words."""
    values = audit.rules["length"].values
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
    audit.found("length", message, draft, index=index, hint=hint, expected=expected)


def check_stated_length(draft: Draft, audit: Audit) -> None:
    """Checks that the length which the metadata state is that of the report."""
    stated = draft.metadata.get("response_length")
    unit: str = audit.rules["response_length"].values["unit"]
    length = measure(draft.joined, unit)
    if stated is None or (type(stated) is int and stated == length):
        return
    message = f"response_length is {describe(stated)}, the report has {length:,} {unit}"
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
        audit.found("segmentation", message, draft, ("text",), index=index, hint=hint)


def check_suspicious(draft: Draft, audit: Audit) -> None:
    """Checks for instructions to a judge, invisible characters, direction controls and markup."""
    joined = draft.joined
    searches: list[Callable[[str], Iterator[tuple[str, str]]]] = []
    has_signs = "<" in joined or "*" in joined or "`" in joined or "#" in joined or "[" in joined
    if has_signs and any(sign in joined for sign in _SIGNS):
        searches.append(_markup_in)
    raw = joined.encode("utf-8", "surrogatepass")  # to look at bytes is quicker than at text
    if not draft.is_plain:
        rest = raw.translate(None, _PRINTABLE).decode("utf-8", "surrogatepass")
        if not rest.isprintable() or any(char in rest for char in _HIDDEN_LETTERS):
            searches.append(_invisible_in)
    lower = raw.lower()
    if needles := [needle for needle, encoded in _ENCODED if encoded in lower]:
        from argue_eval.validation import instructions

        if instructions.may_instruct(joined, needles):
            searches.append(instructions.found_in)
    for search in searches:
        for index, text in enumerate(draft.texts):
            for what, hint in search(text):
                message = f"the text has {what}"
                audit.found("suspicious_text", message, draft, ("text",), index=index, hint=hint)


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


# --- what the way from a model to a file leaves --------------------------------------------------

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


def check_artifacts(draft: Draft, audit: Audit) -> None:
    """Checks for what no reader wants in a report. A run has one finding for each kind."""
    joined = draft.joined
    likely = {
        "chat_reply": not _HEADS.isdisjoint(map(_head, draft.texts)),
        "garbled_text": not joined.isascii(),
        "html_entities": "&" in joined,
        "inline_citations": "(" in joined or "[" in joined or "【" in joined,
        "markdown_table": "|" in joined,
    }
    for code, (look, hint) in _KINDS.items():
        find = look(draft, audit) if likely[code] else None
        if find is None:
            continue
        for index, text in enumerate(draft.texts):
            if found := find(text):
                message = f"the text {found}"
                audit.found(code, message, draft, ("text",), index=index, hint=hint, is_once=True)


def _replies(draft: Draft, audit: Audit) -> Find:
    pattern = re.compile(_REPLY, re.IGNORECASE)
    return lambda text: f"is a model's reply: {shorten(text)}" if pattern.match(text) else ""


def _garbled(draft: Draft, audit: Audit) -> Find | None:
    joined = draft.joined
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
    rule = audit.rules.get("docid_pattern")
    pattern = rule.values["pattern"] if rule else None

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


_KINDS: dict[str, tuple[Callable[[Draft, Audit], Find | None], str]] = {
    "chat_reply": (_replies, "write the report, or remove the sentence"),
    "garbled_text": (_garbled, "decode its source as UTF-8 and write the run again"),
    "html_entities": (_entities, "write characters for entities, as Python's html.unescape does"),
    "inline_citations": (
        _inline,
        "remove it from the text, and list the document among the citations of the sentence",
    ),
    "markdown_table": (_rows, "write sentences: a row is judged as a sentence is"),
}
"""How to look for the sentences that have something of a kind, and what to do about them."""

OF_ARTIFACTS = tuple(_KINDS)
"""The rules that `check_artifacts` serves."""
