"""Little JSON is decoded by the standard library, much of it by a faster decoder: all the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from argue_eval.errors import InputError
from argue_eval.formats.jsonl import Source, source

_CUTS = st.tuples(st.integers(0, 40), st.sampled_from(["", "{", "}", ",", '"', "\\", "\x00", "e9"]))
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def _outcome(raw: bytes, small_bytes: int) -> Any:
    """What is decoded, written out, or what is said to be wrong."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source, "num_decoded", 0)
        patch.setattr(source, "SMALL_BYTES", small_bytes)
        try:
            return repr(Source.of_bytes("file", raw).decode(raw))
        except InputError as exc:
            return exc.findings


@given(_VALUES, _CUTS, st.booleans())
@example("\ud83d", (40, ""), True)
@example(10**400, (40, ""), False)
def test_both_decoders_agree(value: Any, cut: tuple[int, str], is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii)
    place, inserted = cut
    raw = (text[:place] + inserted + text[place:]).encode("utf-8", "surrogatepass")
    assert _outcome(raw, 1 << 20) == _outcome(raw, 0)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": 1} {"b": 2}', '{"é": 1}{"b": 2}'.encode(), b'{"a": NaN} {"b": 2}',
        b'{}\n\n{"a": 1}', b'{"a": 1, "a": 2}', b'{"a" : 1, "a": 2}', b"1e400", b"-1e999",
        b'{"a": 1e400}', b"1" * 5000, b"01", b"1.", b"NaN", b'"\\ud800"', b'"\\\\ud800"',
        b'"\\uD83D\\uDE00"', b'"\xff"', b'"\x00"', b'"\t"', b"\xef\xbb\xbf{}", b"[" * 100_000,
        b"{'a': 1}", b'{"a": 1', b"",
    ],
    ids=lambda raw: repr(raw[:24]),
)  # fmt: skip
def test_both_decoders_say_the_same_of_what_is_odd(raw: bytes) -> None:
    assert _outcome(raw, 1 << 20) == _outcome(raw, 0)


def test_much_json_is_left_to_the_faster_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[bytes] = []

    def noted(raw: bytes) -> Any:
        lines.append(raw)
        return json.loads(raw)

    monkeypatch.setattr(source, "decode_plain", noted)
    monkeypatch.setattr(Source, "num_decoded", 0)
    line = b'"' + b"x" * 1000 + b'"'
    for _ in range(2000):
        Source("file").decode(line)
    assert len(lines) == source.SMALL_BYTES // len(line)
