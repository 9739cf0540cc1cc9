"""Which documents brackets cite: labels, a text's own reference list, files of references."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple
from unicodedata import normalize

from argue_eval.errors import Findings, shorten
from argue_eval.formats.jsonl import MAX_DOCUMENT_BYTES, Source

_TITLES = (
    "references?|reference list|sources?|citations?|cited documents|bibliography|works cited|"
    "参考文献|參考文獻|参考资料|引用|来源|список литературы|литература|источники|ссылки|"
    "منابع|مراجع|المراجع|المصادر|"
    "referencias|bibliografía|fuentes|literatur|literaturverzeichnis|quellen|"
    "références|bibliographie"
)
_TITLE = re.compile(rf"[#*_\s]*(?:\d+\.\s*)?({_TITLES})[*_]*\s*[:：]?[#*_\s]*", re.I)
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
WORD = (
    r"(?i:(?:docs?|documents?|documentos?|dokumente?|sources?|refs?|references?|citations?|cite|"
    r"passages?|articles?|chunks?|snippets?|文[档檔献獻]|来源|來源|источник|документ|fuentes?|quellen?)"
    r"(?:[.:#№_-]? ?))"
)
"""What may stand before the number of a reference, as in ``[Doc 5]`` and ``(source: 8)``."""

_WORD = re.compile(WORD)
_NAMED = re.compile(rf"{WORD}(?=[A-Za-z]{{0,2}}\d)")
_LABEL = rf"(?:{WORD}(?=\d))?[^\[\]\s]+"
_DEFINITION = re.compile(rf" {{0,3}}\[\^?({_LABEL})\]:\s*(\S.*)")
_ENTRY = re.compile(
    rf"\s*(?:[-*+•]\s+)?(?:\[\^?({_LABEL})\](?::|(?!\())|((?:{WORD})?\d{{1,4}})[.):])\s*(\S.*)"
)
_LINKED_NUMBER = re.compile(r"\s*(?:[-*+•]\s+)?\[\^?(\d{1,4})\](\(.*)")
_BULLET = re.compile(r"\s*[-*+•]\s+(\S.*)")
_RAISED = re.compile(r"^\s*(?:<sup>(\d{1,3})</sup>|([⁰¹²³⁴-⁹]{1,3}))\s*(\S.*)")
_BARE = re.compile(rf"\s*\[\^?({_LABEL})\]\s+(\S+)\s*")
_LINK = re.compile(r"\[([^\[\]]*)\]\(\s*<?([^\s()<>]+)>?[^()]*\)")
_URL = re.compile(r"https?://[^\s<>()\[\]]+")
_YEAR = re.compile(r"(?:19|20)\d\d")


class Reference(NamedTuple):
    """An entry of a reference list; `doc_id` is empty if it names no document."""

    label: str
    doc_id: str
    line: int


def take_references(lines: list[str]) -> tuple[list[str], list[Reference]]:
    """Separates the reference list, whose lines become empty, from the text.

    A reference list is what follows a title such as "References", definitions such as
    ``[1]: doc-id`` and ``[^1]: doc-id`` anywhere, and lines ``[1] doc-id`` at the end of the text.
    """
    lines = [_RAISED.sub(_bracketed, line, count=1) for line in lines]
    text = list(lines)
    found: list[Reference] = []
    for index in _unfenced(lines):
        match = _DEFINITION.match(lines[index])
        if match:
            found.append(_reference(match[1], match[2], index))
            text[index] = ""
    for start, end in _sections(text):
        found += _entries(text, start, end)
        text[start:end] = [""] * (end - start)
    for index in range(len(text) - 1, -1, -1):
        match = _BARE.fullmatch(text[index])
        if match and _is_id(match[2]):
            found.append(_reference(match[1], match[2], index))
            text[index] = ""
        elif text[index].strip():
            break
    return text, found


def doc_id_of(entry: str) -> str:
    """The document id in an entry of a reference list; empty if it has none.

    Of a link it is the title if that is a document id, and the target otherwise; else the only
    word, a first word with a digit, or the only URL.

    >>> doc_id_of("ex-0001"), doc_id_of("ex-0001, The dam (2019)"), doc_id_of("[Dam](ex-0001)")
    ('ex-0001', 'ex-0001', 'ex-0001')
    >>> doc_id_of("[ex-0001](https://a.org/1)"), doc_id_of("[The dam](https://a.org/1)")
    ('ex-0001', 'https://a.org/1')
    >>> doc_id_of("Smith, J.: The dam. 2019.")
    ''
    """
    if not entry.isprintable():
        return ""
    link = _LINK.search(entry)
    if link:
        return link[1] if is_document_id(link[1]) else link[2]
    words = entry.split()
    first = words[0].strip("<>`\"'").rstrip(".,;:")
    if len(words) == 1 or (_is_id(first) and not _YEAR.fullmatch(first)):
        return first
    urls = _URL.findall(entry)
    return urls[0].rstrip(".,;") if len(urls) == 1 else ""


def is_document_id(label: str) -> bool:
    """Whether a label looks like the id of a document, not like a number or words.

    >>> is_document_id("ex-0001"), is_document_id("12"), is_document_id("The dam")
    (True, False, False)
    """
    return _DOC_ID.fullmatch(label) is not None


def _reference(label: str, entry: str, index: int) -> Reference:
    return Reference(_NAMED.sub("", label, count=1), doc_id_of(entry), index + 1)


def _bracketed(match: re.Match[str]) -> str:
    """A reference such as ``¹ doc-id`` with its number in brackets."""
    number = normalize("NFKC", match[1] or match[2])
    return f"[{number}] {match[3]}" if doc_id_of(match[3]) else match[0]


def _is_id(word: str) -> bool:
    return any(char.isdigit() for char in word)


def _unfenced(lines: list[str]) -> Iterator[int]:
    fence = ""
    for index, line in enumerate(lines):
        match = _FENCE.match(line)
        if match and not fence:
            fence = match[1]
        elif match and match[1].startswith(fence):
            fence = ""
        elif not fence:
            yield index


def _sections(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yields first and last line of the parts that have a title and entries under it."""
    end = 0
    for index in _unfenced(lines):
        if not _TITLE.fullmatch(lines[index]):
            continue
        if end <= index:  # otherwise it is the end of this part too
            body = range(index + 1, len(lines))
            end = next((at for at in body if _HEADING.match(lines[at])), len(lines))
        first = next((at for at in range(index + 1, end) if _is_text(lines[at])), None)
        if first is not None and (_entry(lines[first]) or _is_id_item(lines[first])):
            yield index, end


def _entry(line: str) -> tuple[str, str] | None:
    """Label and rest of an entry that says its label; None of any other line."""
    match = _ENTRY.match(line)
    if match:
        return match[1] or match[2], match[3]
    linked = _LINKED_NUMBER.match(line)
    return (linked[1], f"[{linked[1]}]{linked[2]}") if linked else None


def _is_text(line: str) -> bool:
    return bool(line.strip("-=_* \t"))


def _is_id_item(line: str) -> bool:
    item = _BULLET.match(line)
    return item is not None and bool(doc_id_of(item[1]))


def _entries(lines: list[str], start: int, end: int) -> Iterator[Reference]:
    """List items without numbers count from 1."""
    num_items = 0
    for index in range(start + 1, end):
        entry, item = _entry(lines[index]), _BULLET.match(lines[index])
        if entry:
            yield _reference(*entry, index)
        elif item:
            num_items += 1
            yield _reference(str(num_items), item[1], index)


# --- brackets in a text: citations, or words of the text ---


_AND = re.compile(r"\s(?:and|&)\s")
_PART = re.compile(rf"\s*[,;，；、]\s*|{_AND.pattern}")
_RANGE = re.compile(r"([A-Za-z]{0,3})(\d{1,5})\s*[-–—]\s*([A-Za-z]{0,3})(\d{1,5})")
_NUMBER = re.compile(r"\d{1,3}|\d{5,9}")
_LETTERED = re.compile(r"[A-Za-z]{1,3}\d{1,6}")
_DOC_ID = re.compile(r"(?!\d+$)[A-Za-z0-9][\w.:#/-]*(?:\d[\w.:#/-]*){3,}|[a-z]+[-_]\d+")
_MAX_RANGE = 50


def cited_labels(inner: str, known: Collection[str]) -> list[str]:
    """The labels that brackets cite, in order; none if they hold words of the text.

    A label is cited if a reference has it, also after a word such as "Doc". Without a reference,
    numbers (but not years), letters with a number and what looks like a document id are.

    Args:
        inner: what stands between the brackets.
        known: the labels that have a reference.

    >>> cited_labels("1, 3-5", ()), cited_labels("D12; D14", ()), cited_labels("^2", ())
    (['1', '3', '4', '5'], ['D12', 'D14'], ['2'])
    >>> cited_labels("Doc 5; source: 8", {"5", "8"}), cited_labels("Doc 5", ())
    (['5', '8'], [])
    >>> cited_labels("sic", ()), cited_labels("2019", ()), cited_labels("2019", {"2019"})
    ([], [], ['2019'])
    """
    labels: list[str] = []
    for part in _PART.split(inner.strip()):
        label = part.partition("†")[0].removeprefix("^").strip()
        number = _expanded(_NAMED.sub("", label, count=1))
        is_known = label not in known and number and all(each in known for each in number)
        expanded = number if is_known else [label] if label in known else _expanded(label)
        if not all(each in known or _looks_cited(each) for each in expanded or [""]):
            return []
        labels += expanded
    if _AND.search(inner) and not all(label in known for label in labels):
        return []
    return list(dict.fromkeys(labels))


def looks_unread(inner: str, known: Collection[str]) -> bool:
    """Whether brackets that are no citation probably were meant as one.

    >>> looks_unread("Doc 7", ()), looks_unread("1, p. 5", {"1"}), looks_unread("source: Li", ())
    (True, True, True)
    >>> looks_unread("sic", {"1"}), looks_unread("sources of water", {"1"})
    (False, False)
    """
    first = _PART.split(inner.strip())[0].removeprefix("^")
    word = _WORD.match(first)
    return first in known or bool(word and (":" in word[0] or _NAMED.match(first)))


def is_number(label: str) -> bool:
    """Whether a label is the number of a reference, not the id of a document.

    >>> is_number("12"), is_number("12345678"), is_number("D12")
    (True, False, False)
    """
    return label.isdecimal() and len(label) < 4


def _looks_cited(label: str) -> bool:
    return any(pattern.fullmatch(label) for pattern in (_NUMBER, _LETTERED, _DOC_ID, _URL))


def _expanded(label: str) -> list[str]:
    """All labels of a range, or the label itself; nothing for a range that runs backwards."""
    match = _RANGE.fullmatch(label)
    if match is None or match[3] not in ("", match[1]):
        return [label]
    first, last = int(match[2]), int(match[4])
    if not first < last <= first + _MAX_RANGE:
        return []
    return [f"{match[1]}{number}" for number in range(first, last + 1)]


# --- files of reports and of references ---


MAX_TEXT_BYTES = 1 << 20
"""No report is longer: such a file is no report."""


Table = defaultdict[str | None, dict[str, str]]
"""Document ids by label, of each topic; those for all topics under None."""


def read_text(path: str) -> str:
    """Reads a report.

    Raises:
        InputError: it is empty, longer than any report, or not UTF-8.
        MissingResourceError: there is no such file.
    """
    return _decoded(Source(path), MAX_TEXT_BYTES)


def read_references(path: str) -> Table:
    """Reads references from JSON, or from lines of label and document id.

    Raises:
        InputError: the file has errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
    """
    source = Source(path)
    text = _decoded(source)
    is_json = text.lstrip()[:1] == "{" or text.lstrip()[:2] in ('["', "[\n", "[ ", "[]")
    table: Table = defaultdict(dict)
    findings = Findings(path)
    if is_json:
        _from_json(source.document(), table, findings)
    else:
        _from_lines(text, table, findings)
    findings.raise_errors()
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


def _from_json(value: Any, table: Table, findings: Findings) -> None:
    """Reads ``{label: id}``, ``[id, …]``, or either of them by topic."""
    for key, item in _numbered(value):
        if _is_id_text(item):
            table[None][key] = item
        elif isinstance(item, (dict, list)) and isinstance(value, dict):
            own = dict(_numbered(item))
            table[key] = {label: each for label, each in own.items() if _is_id_text(each)}
            for label in (each for each in own if each not in table[key]):
                _not_an_id(findings, f"$[{shorten(key)}][{shorten(label)}]", own[label])
        else:
            _not_an_id(findings, f"$[{shorten(key)}]", item)


def _numbered(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return [(str(number), item) for number, item in enumerate(value, 1)]


def _is_id_text(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and bool(value.strip())


def _not_an_id(findings: Findings, path: str, value: object) -> None:
    message = f"expected a document id (text), found {shorten(value)}"
    hint = 'write {"1": "doc-id", …}, or {"topic": {"1": "doc-id", …}, …}'
    findings.error("wrong_type", message, hint, path=path)


def _from_lines(text: str, table: Table, findings: Findings) -> None:
    """Reads lines ``[1] id``, ``1 id`` or ``topic 1 id``."""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if len(words) > 1 and words[0].startswith("["):
            words = [words[0].strip("[]:^"), doc_id_of(line.split(maxsplit=1)[1])]
        if not "".join(words).isprintable():
            words = words[:1]  # no id has invisible characters
        if len(words) == 2 and all(words):
            table[None][words[0]] = words[1]
        elif len(words) == 3:
            table[words[0]][words[1]] = words[2]
        elif words:
            message = f"expected a label and a document id, found {shorten(line.strip())}"
            hint = "write '1 doc-id', '[1] doc-id' or 'topic-id 1 doc-id'"
            findings.error("reference_line", message, hint, line=number)
