"""Reads texts and files of references, with every mistake located."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from argue_eval.errors import Finding, InputError, shorten
from argue_eval.formats.jsonl import MAX_DOCUMENT_BYTES, Source
from argue_eval.formats.segmenting.references import doc_id_of

MAX_TEXT_BYTES = 1 << 20
"""No report is longer: such a file is no report."""

_ENDINGS = (".gz", ".txt", ".text", ".md", ".markdown")


@dataclass(slots=True)
class ReferenceTable:
    """Document ids by label, for all topics and for single ones."""

    shared: dict[str, str] = field(default_factory=dict)
    by_topic: dict[str, dict[str, str]] = field(default_factory=dict)

    def of(self, topic_id: str) -> dict[str, str]:
        """Returns the document ids by label of a topic."""
        return {**self.shared, **self.by_topic.get(topic_id, {})}


def stem(name: str) -> str:
    """Returns a file's name without folder and ending, which is its topic id.

    >>> stem("reports/2000.md"), stem("a.b.txt.gz"), stem("plain")
    ('2000', 'a.b', 'plain')
    """
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    for ending in _ENDINGS:
        base = base.removesuffix(ending)
    return base


def read_text(path: str) -> str:
    """Returns the text of a file.

    Raises:
        InputError: it is empty, longer than any report, or not UTF-8.
        MissingResourceError: there is no such file.
    """
    return _decoded(Source(path), MAX_TEXT_BYTES)


def read_references(path: str) -> ReferenceTable:
    """Returns the references of a file: JSON, or lines of label and document id.

    Raises:
        InputError: the file has errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
    """
    source = Source(path)
    text = _decoded(source)
    is_json = text.lstrip()[:1] == "{" or text.lstrip()[:2] in ('["', "[\n", "[ ", "[]")
    table = ReferenceTable()
    errors = list(_from_json(source, source.document(), table) if is_json else
                  _from_lines(source, text, table))  # fmt: skip
    if errors:
        raise InputError(errors)
    return table


def _decoded(source: Source, max_bytes: int = MAX_DOCUMENT_BYTES) -> str:
    raw = source.read(max_bytes)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as bad:
        raise source.error(
            "encoding",
            f"byte 0x{raw[bad.start]:02x} is not UTF-8",
            line=1 + raw.count(b"\n", 0, bad.start),
            hint="save the file as UTF-8",
        ) from None


def _from_json(source: Source, value: Any, table: ReferenceTable) -> Iterator[Finding]:
    """Takes references from ``{label: id}``, ``[id, …]``, or either of them by topic."""
    for key, item in _numbered(value):
        if isinstance(item, str) and item:
            table.shared[key] = item
        elif isinstance(item, (dict, list)) and isinstance(value, dict):
            own = dict(_numbered(item))
            table.by_topic[key] = {label: each for label, each in own.items() if each}
            wrong = [label for label, each in own.items() if not isinstance(each, str) or not each]
            for label in wrong:
                yield _not_an_id(source, f"$[{shorten(key)}][{shorten(label)}]", own[label])
        else:
            yield _not_an_id(source, f"$[{shorten(key)}]", item)


def _numbered(value: Any) -> list[tuple[str, Any]]:
    """Returns the items of an object, or of a list with their numbers from 1."""
    if isinstance(value, dict):
        return list(value.items())
    return [(str(number), item) for number, item in enumerate(value, 1)]


def _not_an_id(source: Source, path: str, value: object) -> Finding:
    return Finding(
        "wrong_type",
        f"expected a document id (text), found {shorten(value)}",
        'write {"1": "doc-id", …}, or {"topic": {"1": "doc-id", …}, …}',
        source.name,
        None,
        path,
    )


def _from_lines(source: Source, text: str, table: ReferenceTable) -> Iterator[Finding]:
    """Takes references from lines ``[1] id``, ``1 id`` or ``topic 1 id``."""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if len(words) > 1 and words[0].startswith("["):
            words = [words[0].strip("[]:^"), doc_id_of(line.split(maxsplit=1)[1])]
        if len(words) == 2 and all(words):
            table.shared[words[0]] = words[1]
        elif len(words) == 3:
            table.by_topic.setdefault(words[0], {})[words[1]] = words[2]
        elif words:
            message = f"expected a label and a document id, found {shorten(line.strip())}"
            hint = "write '1 doc-id', '[1] doc-id' or 'topic-id 1 doc-id'"
            yield Finding("reference_line", message, hint, source.name, number)
