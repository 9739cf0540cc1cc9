"""Ids with characters that are likely to get lost on the way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from argue_eval.errors import shorten
from argue_eval.records import TopicNuggets
from argue_eval.validation.ingest.found import Found, some

_ODD = re.compile(r"[^A-Za-z0-9._:#/+@~=%&?$!^-]")


def check_topics(topic_ids: Iterable[str], found: Found) -> None:
    """Warns of topic ids with odd characters."""
    for topic_id in topic_ids:
        _check([topic_id], "topic", topic_id, found)


def check_nuggets(topic: TopicNuggets, found: Found) -> None:
    """Warns of nugget and document ids with odd characters, once for each kind."""
    _check([nugget.nugget_id for nugget in topic.nuggets], "nugget", topic.topic_id, found)
    doc_ids = dict.fromkeys(
        doc_id for nugget in topic.nuggets for answer in nugget.answers for doc_id in answer.doc_ids
    )
    _check(list(doc_ids), "document", topic.topic_id, found)


def _check(ids: Sequence[str], what: str, topic_id: str, found: Found) -> None:
    odd = [each for each in ids if _ODD.search(each)]
    if not odd:
        return
    signs = sorted({sign for each in odd for sign in _ODD.findall(each)})
    is_spaced = any(sign.isspace() for sign in signs)
    which = f"the {what} id" if len(odd) == 1 else f"the {what} ids"
    has = "has" if len(odd) == 1 else "have"
    shown = ", ".join("a space" if sign.isspace() else shorten(sign) for sign in signs[:5])
    message = f"{which} {some(odd, 3)} {has} unusual characters: {shown}"
    hint = "use letters, digits and . _ - : # / as other files of the track do"
    if is_spaced:
        hint = "write it without white space, at which tools part the columns of a file"
    found.warn("unusual_id", message, hint, topic_id)
