"""What a file is that is not JSON lines in UTF-8, and the shell command that makes it so.

A file of another kind is wrong in every line. It is reported once, as what it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import PurePath
from shlex import quote
from typing import Any

from argue_eval.errors import Finding, count, shorten

SAMPLE_LINES = 20

_NOT_IN_1252 = frozenset(b"\x81\x8d\x8f\x90\x9d")
_AROUND = 10_000
_FEW_ACCENTS = 20
_MOST_ACCENTS = 0.2
"""Texts with accents have a smaller share of letters that are not ASCII, JSON included."""

_MAGIC = (
    (b"\xff\xfe\x00\x00", "UTF-32", "iconv -f UTF-32 -t UTF-8"),
    (b"\xff\xfe", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
    (b"\xfe\xff", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
    (b"\x1f\x8b", "gzip", "gzip -dc"),
    (b"BZh91AY&SY", "bzip2", "bzip2 -dc"),
    (b"\xfd7zXZ", "xz", "xz -dc"),
    (b"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"),
)
_OFFICE = (b"[Content_Types].xml", b"mimetypeapplication/vnd.oasis")
_UNQUOTED = (
    "import ast, json, sys; [print(json.dumps(ast.literal_eval(each))) for each in sys.stdin]"
)
_UNQUOTED_WHOLE = "import ast, json, sys; print(json.dumps(ast.literal_eval(sys.stdin.read())))"
_ROWS = "import csv, json, sys; [print(json.dumps(row)) for row in csv.DictReader(sys.stdin{})]"
_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_RANKING = rf"\S+\s+\S+\s+\S+\s+\d+\s+{_NUMBER}\s+\S+\s*"
_QRELS = r"\S+\s+\S+\s+\S+\s+-?\d+\s*"


def by_magic(start: bytes, name: str) -> Finding | None:
    """What the first bytes of a file say; None if it may be text in UTF-8."""
    if start.startswith(b"\xef\xbb\xbf"):
        if sheet := _sheet(start.decode("utf-8-sig", "replace"), name):
            return sheet
        hint = f"save it as UTF-8 without BOM: {_piped('tail -c +4', name)}"
        return Finding("byte_order_mark", "the file starts with a byte order mark", hint)
    found, hint = "", ""
    for magic, what, command in _MAGIC:
        if start.startswith(magic):
            found, hint = what, _piped(command, name)
            break
    if start.startswith(b"PK\x03\x04"):
        found, hint = "a zip archive", f"unzip -p {quote(name)} > {_new(name)}"
        if any(mark in start[:200] for mark in _OFFICE):
            found = "a document of an office program, such as a spreadsheet"
            hint = f"libreoffice --headless --convert-to csv {quote(name)}"
    elif start[257:262] == b"ustar":
        found, hint = "a tar archive", f"tar -xOf {quote(name)} > {_new(name)}"
    elif start.startswith(b"%PDF"):
        text = quote(str(PurePath(name).with_suffix(".txt")))
        found, hint = "a PDF", f"pdftotext {quote(name)} {text}; argue-eval segment {text}"
    elif start.startswith(b"SQLite format 3\x00"):
        found = "a store of judgments"
        hint = f"argue-eval store export {quote(name)} -o {_new(name)}"
    elif not found and b"\x00" in start[:4]:
        found, hint = "null bytes (UTF-16 or binary data)", "save it as UTF-8"
        if start[1:2] == b"\x00" or start[:1] == b"\x00":
            order = "LE" if start[1:2] == b"\x00" else "BE"
            hint = _piped(f"iconv -f UTF-16{order} -t UTF-8", name)
    return Finding("encoding", f"expected UTF-8, found {found}", hint) if found else None


def by_encoding(lines: Iterable[bytes], name: str) -> Finding | None:
    """What a file is that is not UTF-8; None if other lines have such letters in UTF-8."""
    wrong: list[bytes] = []
    num_wrong, first = 0, b""
    for line in lines:
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as exc:
            num_wrong += 1
            first = first or line[exc.start : exc.start + 1]
            around = line[max(0, exc.start - _AROUND) : exc.start + _AROUND]
            wrong += [around] if len(wrong) < SAMPLE_LINES else []
        else:
            return None
    text = b"".join(wrong)
    high = text.translate(None, bytes(range(128)))
    shown = f"byte 0x{first.hex()} on {count(num_wrong, 'line')}"
    num_letters = len(re.findall(rb"[A-Za-z]", text)) + len(high)
    if _NOT_IN_1252.isdisjoint(high) and len(high) < max(_FEW_ACCENTS, _MOST_ACCENTS * num_letters):
        message = f"the file is not UTF-8, but probably Windows-1252: {shown}"
        hint = _piped("iconv -f WINDOWS-1252 -t UTF-8", name)
    else:
        message = f"the file is not UTF-8, but in another encoding: {shown}"
        hint = f"find out in which one it was written, then: {_piped('iconv -f … -t UTF-8', name)}"
    return Finding("encoding", message, hint)


def by_content(start: bytes, name: str) -> Finding | None:
    """What a file is of which some line is no JSON; None if it is JSON lines with a mistake.

    Args:
        start: so much of it that there are several lines.
    """
    lines = [line for line in start.decode("utf-8", "replace").splitlines() if line.strip()]
    sample = lines[:SAMPLE_LINES]
    first = sample[0].strip() if sample else ""
    if sheet := _sheet(first, name):
        return sheet
    if first[:1] in ("{", "["):
        return _near_json(sample, start, name)
    if first[:1] in ('"', "") or re.match(rf"(?:{_NUMBER}|true|false|null)\s*$", first):
        return None
    return _no_json(sample, name)


def _sheet(start: str, name: str) -> Finding | None:
    """A sheet of questions as a table, by the names of its columns; None for anything else."""
    names = re.split(r"[\s\";,]+", start.partition("\n")[0])
    if not {"verdict", "assessor", "question", "key"} <= {*names}:
        return None
    message = "expected JSON lines, found a sheet of questions for people"
    hint = f"once it is filled in: argue-eval score RUN QRELS --judgments {quote(name)}"
    return Finding("unknown_format", message, hint)


def document(value: Any, name: str) -> Finding:
    """What one JSON document is, where lines are expected.

    Args:
        value: a list, an object, or the values of an object that has a record under each key.
    """
    what, values = "one JSON object, spread over several lines", "[json.load(sys.stdin)]"
    if type(value) is list:
        what, values = "a JSON list", "json.load(sys.stdin)"
    elif type(value) is not dict:
        what, values = "one JSON object with all records", "json.load(sys.stdin).values()"
    command = f"import json, sys; [print(json.dumps(each)) for each in {values}]"
    hint = f"write one object a line: {_piped(f'python3 -c {quote(command)}', name)}"
    return Finding("not_json_lines", f"expected JSON lines, found {what}", hint)


def _near_json(sample: list[str], start: bytes, name: str) -> Finding | None:
    ends = [line.rstrip()[-1:] for line in sample if line.strip() not in "[]"]
    starts = [line.lstrip()[:2] for line in sample]
    if starts[0] == "{'" and not sample[0].rstrip().endswith("}"):
        hint = f"write it as JSON: {_piped(f'python3 -c {quote(_UNQUOTED_WHOLE)}', name)}"
        message = "the file is a Python dictionary, with single quotes"
        return Finding("not_json_lines", message, hint)
    if starts.count("{'") > len(sample) / 2:
        message = "the lines are Python dictionaries, with single quotes"
        hint = _piped(f"python3 -c {quote(_UNQUOTED)}", name)
    elif ends.count(",") > 1 and {each[:1] for each in starts} <= {"{", "[", "]"}:
        if not _is_json(next((line for line in sample if line.strip() not in "[]"), "")):
            return None  # one document, whose own lines end like this
        message = "the lines end with commas, as in a list"
        hint = _piped(r"sed 's/,[[:space:]]*$//; /^[][[:space:]]*$/d'", name)
    elif len(re.findall(rb"^\{\s*$", start, re.MULTILINE)) > 1:
        message = "each object is spread over several lines"
        hint = _piped("jq -c .", name)
    else:
        return None
    return Finding("not_json_lines", message, f"write one object a line: {hint}")


def _is_json(line: str) -> bool:
    """Whether a line is a complete JSON value, but for a comma at its end."""
    try:
        json.loads(line.strip().removesuffix(","))
    except ValueError:
        return False
    return True


def _no_json(sample: list[str], name: str) -> Finding:
    """What a text is that does not start as JSON does."""
    from argue_eval.formats.html import EXPORT, TITLES

    first = sample[0].strip()
    head = sample[:5]
    hint = "check that this is the right file"
    if re.match(r"<(?:!doctype|html|head|body)\b", first, re.IGNORECASE):
        what, hint = "a page of HTML", "download the file itself: this is a page about it"
        if any(f"<title>{title}</title>" in line for line in sample for title in TITLES.values()):
            what, hint = "a sheet for the browser, without the answers", EXPORT
    elif first.startswith("```"):
        what = "a code block, as chat models write it"
        hint = "remove the lines that set it off: " + _piped("sed '/^[[:space:]]*```/d'", name)
    elif first.startswith("<"):
        what = "XML or other markup"
    elif all(re.fullmatch(_RANKING, line) for line in head):
        what = "a ranked list of documents (a TREC run)"
        hint = f"evaluate it as a ranking: ir_measures QRELS {quote(name)} nDCG@10"
    elif all(re.fullmatch(_QRELS, line) for line in head):
        what, hint = "relevance judgments (TREC qrels)", "they are for rankings: see ir_measures"
    elif all("\t" in line for line in head):
        what = f"a table with tabs (TSV): {shorten(first)}"
        is_requests = all(line.count("\t") == 1 for line in head)
        hint = "name report requests with --requests; for rows as JSON: " if is_requests else ""
        hint += _piped(f"python3 -c {quote(_ROWS.format(', delimiter=chr(9)'))}", name)
    elif _num_columns(head) > 1:
        what = f"a table with commas (CSV): {shorten(first)}"
        hint = _piped(f"python3 -c {quote(_ROWS.format(''))}", name)
        if "answer_id" in first:
            what = f"assessments as a table (CSV): {shorten(first)}"
            hint = f"score them: argue-eval score {quote(name)} RUBRICS --protocol dragun"
    else:
        what = f"text: {shorten(first)}"
        hint = f"if it is a report: argue-eval segment {quote(name)} -o {_new(name)}"
    return Finding("unknown_format", f"expected JSON lines, found {what}", hint)


def _num_columns(lines: list[str]) -> int:
    """How many columns several lines have that are separated by commas; 0 if they differ."""
    import csv

    try:
        widths = {len(row) for row in csv.reader(lines)}
    except csv.Error:
        return 0
    return widths.pop() if len(lines) > 1 and len(widths) == 1 else 0


def _piped(command: str, name: str) -> str:
    """A command that reads the file and writes another."""
    if name == "-":
        return f"… | {command}"
    if name.endswith(".gz"):
        return f"gzip -dc {quote(name)} | {command} > {_new(name)}"
    return f"{command} < {quote(name)} > {_new(name)}"


def _new(name: str) -> str:
    """A name for the converted file."""
    stem = str(PurePath(name.removesuffix(".gz")).with_suffix(""))
    new = f"{stem}.jsonl"
    return quote(f"{stem}.new.jsonl" if new == name else new)
