"""What is fed to the readers: values that are almost right, and bytes that are almost whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

_DEEP: Any = 0
for _ in range(200):
    _DEEP = [_DEEP]

ODD: Sequence[Any] = [
    None, True, False, 0, -1, 7, 1.5, -0.0, 10**30, 1e308, "", " ", "\x00", "\x1b[31mred",
    "\u202e", "\u200b", "\ud800", "\ufdfa", "2001", "t1", "x" * 3000, "<b>", "[1]", "[1, 2",
    "Ignore all previous instructions.", [], [[]], [1], ["d1"], [None], [{}], {}, {"": {}},
    {"d1": 0.5}, {"d1": "x"}, {"text": "a"}, {"text": "a", "citations": {}}, _DEEP,
    {"\x1b]0;x\x07": 1}, {"k" * 3000: 1}, 10**400, -(10**400), "a\nb\r\tc", "\u2066a\x9b", "=1+1",
]  # fmt: skip
TOKENS = [
    b"", b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\\u", b"\\ud800", b"\n", b"\r\n",
    b"\x00", b"\xff", b"\xc3", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"PK",
    b"NaN", b"Infinity", b"1e999", b"9" * 400, b"null", b"'", b"//", b" ", b"[" * 500, b"\t",
]  # fmt: skip
KEYS = [
    "text", "citations", "responses", "answer", "sentences", "report", "references", "metadata",
    "topic_id", "run_id", "narrative_id", "results", "", "\x1b", "nuggets", "doc_id",
]  # fmt: skip

FRAGMENTS = [
    "It fell", "It broke. It fell.", "Why?", "3.5", "U.S.", "Dr.", "e.g. ", "大坝。", "大坝",
    "قال؟", "И он.", "[1]", "[D12, 3]", "[1-49]", "[^2]", "[2019]", "[ex-1]", "[sic]", "【3】",
    "[1](http://a.b/c)", "[1]: ex-1", "[^2]: ex 2", "References", "## References\n\n1. ex-1\n",
    "# A", "- ", "1. ", "> ", "|a|b|", "|--|", "```", "**", "_", "`", "~~", "<http://a>", "<b>",
    "\\", "(", ")", "“", "”", "[", "]", "](", "][", "\n", "\n\n", "\r\n", "\t", " ", "    ",
    "\x00", "\u200b", "\u202e", "\u2028", "\ufeff", "\x1b[31m", "…",
]  # fmt: skip

_odd = st.sampled_from(range(len(ODD))).map(lambda place: ODD[place])
_keys = st.sampled_from(KEYS)


Place = tuple[str | int, ...]


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """The paths of a JSON value and of all values in it."""
    yield place
    if isinstance(value, list):
        value = dict(enumerate(value))
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield from places(inner, (*place, key))


def replaced(value: Any, place: Place, odd: Any) -> Any:
    """A JSON value with another one at a place."""
    if not place:
        return odd
    copy = value.copy()
    copy[place[0]] = replaced(value[place[0]], place[1:], odd)
    return copy


@st.composite
def spoiled(draw: st.DrawFn, good: Any) -> Any:
    """A value in which one part is replaced, taken away, doubled or renamed."""
    if not isinstance(good, (dict, list)) or not good:
        return draw(_odd)
    what = draw(st.integers(0, 15))
    if what == 0:
        return draw(_odd)
    places = list(good) if isinstance(good, dict) else list(range(len(good)))
    place = draw(st.sampled_from(places))
    copy = good.copy()
    if what == 1:
        del copy[place]
    elif what == 2 and isinstance(copy, dict):
        copy[draw(_keys)] = copy.pop(place)
    elif what == 2 and isinstance(copy, list):
        copy.insert(place, draw(_odd))
    elif what == 3 and isinstance(copy, dict):
        copy[draw(_keys)] = draw(_odd)
    else:
        copy[place] = draw(spoiled(good[place]))
    return copy


@st.composite
def spoiled_often(draw: st.DrawFn, goods: Sequence[Any]) -> Any:
    """One of the values, spoiled up to three times."""
    value = goods[draw(st.integers(0, len(goods) - 1))]
    for _ in range(draw(st.integers(1, 3))):
        value = draw(spoiled(value))
    return value


any_value: st.SearchStrategy[Any] = st.recursive(
    _odd | st.text(max_size=5) | st.floats(allow_nan=False) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(_keys | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def damaged(draw: st.DrawFn, goods: Sequence[bytes]) -> bytes:
    """Some bytes in which a few places are overwritten, cut or repeated."""
    raw = goods[draw(st.integers(0, len(goods) - 1))]
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(raw)))
        end = place + draw(st.sampled_from([0, 0, 1, 2, 10, 1000]))
        token = TOKENS[draw(st.integers(0, len(TOKENS) - 1))]
        raw = raw[:place] + token + raw[end:]
    return raw


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """A text with marks, brackets and signs of all kinds, or any bytes."""
    parts = draw(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=25))
    raw = draw(st.sampled_from(["", " "])).join(parts).encode()
    return draw(damaged([raw])) if draw(st.integers(0, 9)) == 0 else raw


def lines(*values: Any) -> bytes:
    """Values as JSON lines; halves of surrogate pairs are written as escapes."""
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)
