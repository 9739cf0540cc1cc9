"""Sheets for people as one HTML file, which works offline and keeps what is entered in the browser.

The page holds the rows as JSON. It shows neither the run nor what a machine said; where a row has
to name a run, the name is packed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from argue_eval.formats.html import HIDDEN, TITLES, as_json, harmless, part, policy
from argue_eval.formats.sheets import Row
from argue_eval.records import VERDICTS, Kind
from argue_eval.text.deciding import deciding

FORMAT = "argue-eval/sheet/1"

_BLIND = ("run_id", "sentence_index")
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.S)
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_DIGEST_CHARACTERS = 16


def judging(rows: Iterable[Row], assessor: str) -> Iterator[str]:
    """Yields the text of a sheet on which questions are answered, one at a time."""
    texts: dict[str, int] = {}
    values = [_value(row, texts) for row in rows]
    data = {"format": FORMAT, "assessor": assessor, "rows": values, "texts": list(texts)}
    return page(data, "judging", "judgments")


def page(data: Mapping[str, Any], mode: str, file: str) -> Iterator[str]:
    """Yields the text of a page.

    Args:
        data: what it holds; its digest names what the browser keeps of it.
        mode: what is done on it, one of `TITLES`.
        file: how the name of an export starts.
    """
    script, style = part("sheet.js") + part(f"{mode}.js"), part("base.css") + part("sheet.css")
    digest = hashlib.sha256(harmless(as_json(data)).encode()).hexdigest()[:_DIGEST_CHARACTERS]
    held = {**data, "sheet": digest, "file": file, "hidden": HIDDEN.pattern}
    values = {
        "title": escape(TITLES[mode]),
        "policy": policy(script, style),
        "script": script,
        "style": style,
        "main": part(f"{mode}.html"),
        "data": harmless(as_json(held)),
    }
    pieces = _PLACE.split(part("sheet.html"))
    return (values[each] if at % 2 else each for at, each in enumerate(pieces))


def _value(row: Row, texts: dict[str, int]) -> dict[str, Any]:
    """A row as the page holds it; its texts are numbers, since rows have many in common."""

    def number(text: str) -> int:
        return texts.setdefault(text, len(texts))

    keys = dict(row.keys)
    blind = {key: keys.pop(key) for key in _BLIND if key in keys}
    kind = Kind(keys["kind"])
    value: dict[str, Any] = {"q": number(row.question.rpartition(" (")[0] or row.question)}
    if "sentence" in keys:
        value["n"] = number(keys.pop("sentence"))
    if row.sentence:
        value["s"] = number(row.sentence)
    if row.evidence:
        value["e"] = number(row.evidence)
        passage = deciding(row.evidence, "", row.sentence)
        if passage is not None and row.sentence:
            value["m"] = [_units(row.evidence[:each]) for each in passage[:2]]
    if blind:
        value["h"] = base64.b64encode(json.dumps(blind).encode()).decode()
    if row.probability is not None:
        value["p"] = row.probability
    value["t"] = number(row.topic)
    return {"k": keys, "c": [each.value for each in VERDICTS[kind]], **value}


def _units(text: str) -> int:
    """How long a text is for JavaScript."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def data_of(text: str) -> dict[str, Any] | None:
    """What a page of ours holds; None if the text is none."""
    found = _DATA.search(text)
    try:
        value = json.loads(found[1]) if found else None
    except (ValueError, RecursionError):
        return None
    return value if type(value) is dict and value.get("format") == FORMAT else None


def rows_of(data: Mapping[str, Any]) -> Iterator[Row]:
    """Yields the rows of a page on which questions are answered."""
    texts = data["texts"]
    for each in data["rows"]:
        keys = dict(each["k"])
        if "h" in each:
            keys |= json.loads(base64.b64decode(each["h"]))
        if "n" in each:
            keys["sentence"] = texts[each["n"]]
        *first, last = each["c"]
        shown = {name: texts[each[key]] for name, key in _SHOWN.items() if key in each}
        shown["question"] += f" ({', '.join(first)} or {last})"
        yield Row(keys=keys, probability=each.get("p"), **shown)


_SHOWN = {"question": "q", "sentence": "s", "evidence": "e", "topic": "t"}
