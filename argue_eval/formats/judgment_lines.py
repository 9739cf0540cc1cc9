"""Judgments by the block of lines: a fraction of the time of one by one, if nothing is wrong.

A block with anything unusual is left to the reader of single lines, which says what and where.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Collection
from functools import cache
from itertools import compress, count
from operator import attrgetter, itemgetter, ne
from sys import intern
from typing import Annotated, Any, Final, NamedTuple

from argue_eval.records import VERDICTS, Judgment, Kind, Verdict, digest_of

_SPACED_KEY = re.compile(rb'"[ \t\r\n]+:')
_ESCAPED = (b"\\u0022", b"\\u003a", b"\\u003A")  # a quote and a colon
TARGETS: dict[Kind, tuple[str, ...]] = {
    Kind.RELEVANT: ("doc_id",),
    Kind.ANSWERS: ("nugget_id", "answer"),
    Kind.SUPPORT: ("doc_id",),
    Kind.AGREES: ("nugget_id",),
    Kind.COVERS: ("nugget_id",),
}
"""The keys that say beside the sentence what a kind of question is about."""

_HAS_TARGET = {
    kind: tuple(name in TARGETS.get(kind, ()) for name in ("doc_id", "nugget_id", "answer"))
    for kind in Kind
}
_MAX_KEPT = 100_000
_RELEVANT, _FIRST_INSTANCE = Kind.RELEVANT, Kind.FIRST_INSTANCE
_COVERS = Kind.COVERS
_PLACED = frozenset((_RELEVANT, _FIRST_INSTANCE))
"""Kinds whose judgments are named in one way alone."""

Said = tuple[Kind, Verdict, bool, bool, bool, str, str, str, str, str]
"""What a judgment says: kind, verdict, whether sentence, index and run are missing, answer, ids."""

_judge_of = itemgetter(7)
_text_of = attrgetter("topic_id", "sentence")


class _Blocks:
    """Decodes blocks of judgments, and checks what they say.

    Args:
        is_known: whether the nuggets have this topic_id, nugget_id and answer.
    """

    def __init__(self, is_known: Callable[[str, str, str], bool]) -> None:
        self._is_known = is_known
        self._ids = {""}

    def _lines(self, block: bytes) -> list[Any] | None:
        """The objects of a block of one object a line; None if it is anything else."""
        codec = _codec()
        try:
            lines = codec.decode(block)
        except codec.errors:
            return None
        if not lines or not _is_one_object_a_line(block, lines, codec.encode(lines)):
            return None
        return lines if self._are_plain_ids({line.run_id for line in lines}) else None

    def _is_plain(self, said: Said) -> bool:
        """Whether a judgment has the keys of its kind, and nothing unusual in them."""
        kind, verdict, is_unnamed, is_placeless, is_runless, answer, *ids = said
        topic_id, judge, doc_id, nugget_id = ids
        if (bool(doc_id), bool(nugget_id), bool(answer)) != _HAS_TARGET[kind]:
            return False
        if kind is _RELEVANT:
            is_named = is_unnamed and is_placeless and is_runless
        elif is_placeless and is_unnamed:
            is_named = kind is _COVERS and not is_runless
        elif is_placeless:
            is_named = kind is not _FIRST_INSTANCE and is_runless
        else:
            is_named = not is_runless
        return (
            is_named
            and verdict in VERDICTS[kind]
            and bool(topic_id and judge)
            and self._are_plain_ids(ids)
            and bool(answer.strip() or not answer)
            and self._is_known(topic_id, nugget_id, answer)
        )

    def _are_plain_ids(self, ids: Collection[str]) -> bool:
        if self._ids.issuperset(ids):
            return True
        if len(self._ids) > _MAX_KEPT:
            self._ids = {""}
        self._ids.update(each for each in ids if each.isprintable() and each.strip() == each)
        return self._ids.issuperset(ids)


class BlockReader(_Blocks):
    """Reads blocks of judgments; remembers what it has checked, since many lines say the same."""

    def __init__(self, is_known: Callable[[str, str, str], bool]) -> None:
        super().__init__(is_known)
        self._good: set[Said] = set()

    def read(self, block: bytes) -> list[Judgment] | None:
        """The judgments of whole lines, one each; None if anything about them is unusual."""
        lines = self._lines(block)
        if lines is None:
            return None
        said = set(_all_said(lines)) - self._good
        sentences = {line.sentence for line in lines}
        sentences.discard(None)
        if not all(map(str.strip, sentences)) or not all(map(self._is_plain, said)):
            return None
        if len(self._good) > _MAX_KEPT:
            self._good.clear()
        self._good |= said
        # By position, since it is done a million times for a track: by keyword, reading takes a
        # quarter longer.
        new, row = tuple.__new__, _codec().row
        return [new(Judgment, row(line)) for line in lines]


def _all_said(lines: list[Any]) -> list[Said]:
    return [
        (
            line.kind,
            line.verdict,
            line.sentence is None,
            line.sentence_index is None,
            not line.run_id,
            line.answer,
            line.topic_id,
            line.judge,
            line.doc_id,
            line.nugget_id,
        )
        for line in lines
    ]


# --- packed, to be looked up ---

Subject = bytes | tuple[str, str, int | None] | tuple[str]
"""What is judged: a text, by the digest of its topic and itself; a place in a report, by topic, run
and sentence index (None for the report as a whole); or a topic."""

Fact = tuple[str, str | tuple[str, str], str, str, float | None, str]
"""What is said about a subject: kind, target, verdict, judge, prob, rationale. Plain values, so
that a process can hand millions of judgments to another."""

NUMBERS: Final = "Q"
"""The type code of the numbers of facts, as `array` has it."""
NUMBER_BYTES = array(NUMBERS).itemsize


class Part(NamedTuple):
    """The judgments of some lines, packed. Most facts are judged of many subjects.

    Attributes:
        judges: in order of their first appearance, with their numbers of judgments.
        facts: those that did not occur in an earlier part of the same packer, by number.
        subjects: the numbers of the facts about each, in the order of the lines.
        is_placed: do all lines name their sentences by place, where they could by text? None if
            there is no such line.
    """

    num_lines: int
    judges: dict[str, int]
    facts: dict[int, Fact]
    subjects: dict[Subject, bytes]
    is_placed: bool | None


class Packer(_Blocks):
    """Packs blocks of judgments; remembers what it has checked, since many lines say the same."""

    def __init__(self, is_known: Callable[[str, str, str], bool]) -> None:
        super().__init__(is_known)
        self._marks: dict[Said, int] = {}
        self._numbers: dict[Fact, int] = {}
        self._unsent: dict[int, Fact] = {}
        self._next = 0

    def pack(self, block: bytes, start: int) -> Part | None:
        """The judgments of whole lines, one each; None if anything about them is unusual, or some
        name sentences by text and some by place.

        Args:
            start: new facts are numbered from here on: fewer than the block has bytes.
        """
        lines = self._lines(block)
        if lines is None:
            return None
        self._next = start + 1
        get, learn = self._marks.get, self._learn
        all_said = _all_said(lines)
        marks = [get(said) or learn(said) for said in all_said]
        if 0 in marks:
            return None
        for at, line in enumerate(lines):
            if line.prob is not None or line.rationale:
                number = self._number((*_fact(all_said[at])[:4], line.prob, line.rationale))
                marks[at] = number if marks[at] > 0 else -number
        subjects: dict[Subject, bytes] = {}
        judges = dict(Counter(map(_judge_of, all_said)))
        about_texts = lines
        is_placed: bool | None = False
        if min(marks) < 0:
            for line, mark in zip(lines, marks, strict=True):
                if mark < 0:
                    if line.sentence is not None and not line.sentence.strip():
                        return None
                    place = _place(line)
                    subjects[place] = subjects.get(place, b"") + _packed([-mark])
                    if line.sentence is None and line.kind not in _PLACED:
                        is_placed = True
            about_texts = [line for line, mark in zip(lines, marks, strict=True) if mark > 0]
            marks = [mark for mark in marks if mark > 0]
            if is_placed and marks:
                return None
            is_placed = is_placed or (False if marks else None)
        # Judgments of one sentence mostly follow each other. Without a loop over the lines in
        # Python, this takes half of the time.
        texts = list(map(_text_of, about_texts))
        ends = [*compress(count(1), map(ne, texts, texts[1:])), len(texts)]
        packed, start = _packed(marks), 0
        for end in ends if texts else ():
            topic_id, sentence = texts[start]
            if not sentence.strip():
                return None
            digest = digest_of(topic_id, sentence)
            facts = packed[start * NUMBER_BYTES : end * NUMBER_BYTES]
            subjects[digest] = subjects[digest] + facts if digest in subjects else facts
            start = end
        unsent, self._unsent = self._unsent, {}
        return Part(len(lines), judges, unsent, subjects, is_placed)

    def _learn(self, said: Said) -> int:
        """The number of what a judgment says, negative if that is not about a text.

        0 if something unusual is said.
        """
        if not self._is_plain(said):
            return 0
        if len(self._marks) > _MAX_KEPT:
            self._marks.clear()
        number = self._number(_fact(said))
        is_placed = said[2] or said[0] is _FIRST_INSTANCE
        # Millions of lines are compared with what is learned, whose texts are to be together.
        key: Any = (*said[:5], *map(intern, said[5:]))
        mark = self._marks[key] = -number if is_placed else number
        return mark

    def _number(self, fact: Fact) -> int:
        number = self._numbers.get(fact)
        if number is None:
            number, self._next = self._next, self._next + 1
            self._unsent[number] = fact
            if fact[4] is None and not fact[5]:  # others hardly occur again
                self._numbers[fact] = number
        return number


def _fact(said: Said) -> Fact:
    kind, verdict, _, _, _, answer, _, judge, doc_id, nugget_id = said
    target = (nugget_id, answer) if answer else doc_id or nugget_id
    return (kind.value, target, verdict.value, judge, None, "")


def _packed(numbers: list[int]) -> bytes:
    return array(NUMBERS, numbers).tobytes()


def _place(line: Any) -> Subject:
    if line.kind is _RELEVANT:
        return (line.topic_id,)
    return (line.topic_id, line.run_id, line.sentence_index)


# --- what is a block of lines ---


def _is_one_object_a_line(block: bytes, lines: list[Any], encoded: bytes) -> bool:
    """Whether each line is one object, with each of its keys once.

    The decoder takes objects that run together or spread over lines, and of a key that occurs
    twice the last. So the block is compared with the same objects written again: that is the
    shortest JSON that says the same (but for fractions, such as 1 for 1.0), so a block of that
    length holds nothing else. In a longer one, the keys are counted by what follows them.
    """
    if block.count(b"}\n{") != len(lines) - 1:
        return False
    if len(block) == len(encoded) and all(line.prob is None for line in lines):
        return True
    return (
        block.count(b"\n") == len(lines) - (not block.endswith(b"\n"))
        and block.count(b'":') == encoded.count(b'":')
        and _SPACED_KEY.search(block) is None
        and not any(escaped in block for escaped in _ESCAPED)
    )


class _Codec(NamedTuple):
    decode: Callable[[bytes], list[Any]]
    encode: Callable[[list[Any]], bytes]
    row: Callable[[Any], tuple[Any, ...]]
    errors: tuple[type[Exception], ...]


@cache
def _codec() -> _Codec:
    """Reads and writes lines with the fields of `Judgment`, in their order."""
    import msgspec

    line = msgspec.defstruct(
        "Line",
        [
            ("kind", Kind),
            ("topic_id", str),
            ("verdict", Verdict),
            ("judge", str),
            ("sentence", str | None, None),
            ("run_id", str, ""),
            ("sentence_index", Annotated[int, msgspec.Meta(ge=0)] | None, None),
            ("doc_id", str, ""),
            ("nugget_id", str, ""),
            ("answer", str, ""),
            ("prob", Annotated[float, msgspec.Meta(ge=0, le=1)] | None, None),
            ("rationale", str, ""),
        ],
        forbid_unknown_fields=True,
        omit_defaults=True,
        gc=False,  # texts and numbers hold no cycles
    )
    return _Codec(
        msgspec.json.Decoder(line).decode_lines,
        msgspec.json.Encoder().encode_lines,
        msgspec.structs.astuple,
        (msgspec.DecodeError, UnicodeDecodeError, RecursionError),
    )
