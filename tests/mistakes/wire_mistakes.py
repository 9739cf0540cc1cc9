"""Mistakes in how a file is written: encoding, JSON, lines."""

from __future__ import annotations

import ast
import json

from argue_eval.errors import Finding
from tests.mistakes.editing import LINE, Mistake, Place, RunFile

_MISSING = frozenset({"missing_topics"})


def _single_quotes(run: RunFile) -> tuple[bytes, Place]:
    run.replace(repr(run.report()).encode())
    return run.raw, Place(LINE)


def _to_json(raw: bytes, finding: Finding) -> bytes:
    run = RunFile(raw)
    run.write(ast.literal_eval(run.line(finding.line or 0).decode()), finding.line or 0)
    return run.raw


def _trailing_comma(run: RunFile) -> tuple[bytes, Place]:
    run.replace(run.line() + b",")
    return run.raw, Place(LINE)


def _strip_comma(raw: bytes, finding: Finding) -> bytes:
    run = RunFile(raw)
    run.replace(run.line(finding.line or 0).rstrip(b","), number=finding.line or 0)
    return run.raw


def _comma_in_list(run: RunFile) -> tuple[bytes, Place]:
    run.replace(run.line().replace(b'}], "references"', b'},], "references"', 1))
    return run.raw, Place(LINE)


def _drop_comma(raw: bytes, finding: Finding) -> bytes:
    return raw.replace(b"},]", b"}]")


def _cut(run: RunFile) -> tuple[bytes, Place]:
    number = len(run)
    run.replace(run.line(number)[:700], number=number)
    return run.raw.rstrip(b"\n"), Place(number)


def _write_again(raw: bytes, finding: Finding) -> bytes:
    """Writes the report that was cut off once more, with its first sentences."""
    run = RunFile(raw)
    number = finding.line or 0
    whole = run.line(number).decode(errors="ignore").rpartition("}, {")[0]
    run.write(json.loads(whole + "}]}"), number)
    return run.raw


def _two_on_a_line(run: RunFile) -> tuple[bytes, Place]:
    run.replace(run.line() + run.line(LINE + 1))
    run.replace(number=LINE + 1)
    return run.raw, Place(LINE)


def _break_line(raw: bytes, finding: Finding) -> bytes:
    run = RunFile(raw)
    first, _, second = run.line(finding.line or 0).partition(b'}{"metadata"')
    run.replace(first + b"}", b'{"metadata"' + second, number=finding.line or 0)
    return run.raw


def _over_lines(run: RunFile) -> tuple[bytes, Place]:
    values = [run.report(number) for number in range(1, len(run) + 1)]
    return json.dumps(values, indent=2, ensure_ascii=False).encode(), Place(1, "$")


def _one_a_line(raw: bytes, finding: Finding) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in json.loads(raw))


def _nan(run: RunFile) -> tuple[bytes, Place]:
    report = run.report()
    first = report["responses"][0]["citations"]
    first[next(iter(first))] = float("nan")
    run.write(report)
    return run.raw, Place(LINE)


def _number(raw: bytes, finding: Finding) -> bytes:
    return raw.replace(b": NaN", b": 0.0")


def _key_twice(run: RunFile) -> tuple[bytes, Place]:
    run.replace(run.line().replace(b'"text":', b'"text": "An old draft.", "text":', 1))
    return run.raw, Place(LINE)


def _keep_one(raw: bytes, finding: Finding) -> bytes:
    run = RunFile(raw)
    run.write(run.report(finding.line or 0), finding.line or 0)
    return run.raw


def _half_a_pair(run: RunFile) -> tuple[bytes, Place]:
    run.replace(run.line().replace(b'"text": "', b'"text": "\\ud83d ', 1))
    return run.raw, Place(LINE)


def _not_utf_8(run: RunFile) -> tuple[bytes, Place]:
    run.replace(run.line().replace(b'"text": "', b'"text": "Caf\xe9: ', 1))
    return run.raw, Place(LINE)


def _from_latin_1(raw: bytes, finding: Finding) -> bytes:
    run = RunFile(raw)
    line = run.line(finding.line or 0).decode("latin-1").encode()
    run.replace(line, number=finding.line or 0)
    return run.raw


# fmt: off
MISTAKES = [
    Mistake("single quotes, as Python prints a dict", "json_syntax", _single_quotes,
            "not valid JSON", "double quotes", _to_json, also=_MISSING),
    Mistake("a comma after a line", "run_together", _trailing_comma, "something follows the end",
            "on a line of its own", _strip_comma, also=_MISSING),
    Mistake("a comma after the last sentence", "json_syntax", _comma_in_list, "trailing comma",
            "strict JSON", _drop_comma, also=_MISSING),
    Mistake("the last line was cut off", "json_truncated", _cut, "before it is complete", "cut off",
            _write_again, also=_MISSING),
    Mistake("two reports on one line", "run_together", _two_on_a_line, "something follows the end",
            "on a line of its own", _break_line, also=_MISSING),
    Mistake("one JSON list over many lines", "not_json_lines", _over_lines, "spread over lines",
            "one report a line", _one_a_line),
    Mistake("a score is NaN", "not_a_number", _nan, "NaN is not JSON", "write a number", _number,
            also=_MISSING),
    Mistake("a key occurs twice", "duplicate_key", _key_twice, "'text' occurs twice",
            "keep one of the two", _keep_one, also=_MISSING),
    Mistake("an emoji was cut in half", "lone_surrogate", _half_a_pair, "half of a surrogate pair",
            "both halves", lambda raw, finding: raw.replace(b"\\ud83d ", b"\\ud83d\\ude00 "),
            also=_MISSING),
    Mistake("a line in Latin-1", "encoding", _not_utf_8, "0xe9", "save the file as UTF-8",
            _from_latin_1, also=_MISSING),
    Mistake("a byte order mark", "byte_order_mark",
            lambda run: (b"\xef\xbb\xbf" + run.raw, Place(1)), "byte order mark", "without BOM",
            lambda raw, finding: raw.decode("utf-8-sig").encode()),
    Mistake("saved as UTF-16", "encoding",
            lambda run: (run.raw.decode().encode("utf-16"), Place(1)), "UTF-16", "save it as UTF-8",
            lambda raw, finding: raw.decode("utf-16").encode()),
]
# fmt: on
