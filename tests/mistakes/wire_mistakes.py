"""Mistakes in how a file is written: encoding, JSON, lines."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable

from argue_eval.errors import Finding
from tests.mistakes.editing import LINE, Mend, Mistake, Place, RunFile

_MISSING = frozenset({"missing_topics"})


def _on_line(change: Callable[[bytes], bytes]) -> Callable[[RunFile], tuple[bytes, Place]]:
    def spoil(run: RunFile) -> tuple[bytes, Place]:
        run.replace(change(run.line()))
        return run.raw, Place(LINE)

    return spoil


def _in_line(change: Callable[[bytes], bytes]) -> Mend:
    """Changes the line that a finding names."""

    def mend(raw: bytes, finding: Finding) -> bytes:
        run = RunFile(raw)
        assert finding.line is not None
        run.replace(*change(run.line(finding.line)).split(b"\n"), number=finding.line)
        return run.raw

    return mend


def _everywhere(old: bytes, new: bytes) -> Mend:
    return lambda raw, finding: raw.replace(old, new)


def _dumped(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _instead(old: bytes, new: bytes) -> Callable[[RunFile], tuple[bytes, Place]]:
    """Writes something else for its first occurrence on the line."""
    return _on_line(lambda line: line.replace(old, new, 1))


def _cut(run: RunFile) -> tuple[bytes, Place]:
    number = len(run)
    run.replace(run.line(number)[:700], number=number)
    return run.raw.rstrip(b"\n"), Place(number)


def _first_sentences(line: bytes) -> bytes:
    return _dumped(json.loads(line.decode(errors="ignore").rpartition("}, {")[0] + "}]}"))


def _two_on_a_line(run: RunFile) -> tuple[bytes, Place]:
    run.replace(run.line() + run.line(LINE + 1))
    run.replace(number=LINE + 1)
    return run.raw, Place(LINE)


def _over_lines(run: RunFile) -> tuple[bytes, Place]:
    values = [run.report(number) for number in range(1, len(run) + 1)]
    return json.dumps(values, indent=2, ensure_ascii=False).encode(), Place(1)


def _one_a_line(raw: bytes, finding: Finding) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in json.loads(raw))


def _nan(run: RunFile) -> tuple[bytes, Place]:
    report = run.report()
    first = report["responses"][0]["citations"]
    first[next(iter(first))] = float("nan")
    run.write(report)
    return run.raw, Place(LINE)


# fmt: off
MISTAKES = [
    Mistake("single quotes, as Python prints a dict", "json_syntax",
            _on_line(lambda line: repr(json.loads(line)).encode()), "not valid JSON",
            "double quotes", also=_MISSING,
            mend=_in_line(lambda line: _dumped(ast.literal_eval(line.decode())))),
    Mistake("a comma after a line", "run_together", _on_line(lambda line: line + b","),
            "something follows the end", "on a line of its own", also=_MISSING,
            mend=_in_line(lambda line: line.rstrip(b","))),
    Mistake("a comma after the last sentence", "json_syntax",
            _instead(b'}], "references"', b'},], "references"'), "trailing comma",
            "remove the comma", also=_MISSING),
    Mistake("the last line was cut off", "json_truncated", _cut, "before it is complete", "cut off",
            also=_MISSING, mend=_in_line(_first_sentences)),
    Mistake("two reports on one line", "run_together", _two_on_a_line, "something follows the end",
            "on a line of its own", also=_MISSING),
    Mistake("one JSON list over many lines", "not_json_lines", _over_lines, "a JSON list",
            "one object a line", mend=_one_a_line),
    Mistake("a score is NaN", "not_a_number", _nan, "NaN is not JSON", "write a number",
            also=_MISSING, mend=_everywhere(b": NaN", b": 0.0")),
    Mistake("a key occurs twice", "duplicate_key",
            _instead(b'"text":', b'"text": "An old draft.", "text":'), "'text' occurs twice",
            "keep one of the two", also=_MISSING,
            mend=_in_line(lambda line: _dumped(json.loads(line)))),
    Mistake("an emoji was cut in half", "lone_surrogate",
            _instead(b'"text": "', b'"text": "\\ud83d '), "half of a surrogate pair", "both halves",
            also=_MISSING, mend=_everywhere(b"\\ud83d ", b"\\ud83d\\ude00 ")),
    Mistake("a line in Latin-1", "encoding", _instead(b'"text": "', b'"text": "Caf\xe9: '), "0xe9",
            "write this line again", also=_MISSING,
            mend=_in_line(lambda line: line.replace(b"\xe9", "é".encode()))),
    Mistake("a byte order mark", "byte_order_mark",
            lambda run: (b"\xef\xbb\xbf" + run.raw, Place(1)), "byte order mark", "without BOM",
            mend=lambda raw, finding: raw.decode("utf-8-sig").encode()),
    Mistake("saved as UTF-16", "encoding",
            lambda run: (run.raw.decode().encode("utf-16"), Place(1)), "UTF-16", "iconv -f UTF-16",
            mend=lambda raw, finding: raw.decode("utf-16").encode()),
]
# fmt: on
