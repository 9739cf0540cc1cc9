"""Judgments by the block of lines: a fraction of the time of one by one, if nothing is wrong.

A block with anything unusual is left to the reader of single lines, which says what and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, NamedTuple

from argue_eval.errors import shorten
from argue_eval.formats.checking import Check
from argue_eval.records import GRADED_KINDS, Judgment, Kind, TopicNuggets, Verdict

_SPACED_KEY = re.compile(rb'"[ \t\r\n]+:')
_ESCAPED = (b"\\u0022", b"\\u003a", b"\\u003A")  # a quote and a colon
_TARGETS = {
    Kind.RELEVANT: (True, False, False),
    Kind.ANSWERS: (False, True, True),
    Kind.SUPPORT: (True, False, False),
    Kind.AGREES: (False, True, False),
    Kind.COVERS: (False, True, False),
}
_NO_TARGET = (False, False, False)
_MAX_KEPT = 100_000
_PARTIAL, _RELEVANT, _FIRST_INSTANCE = Verdict.PARTIAL, Kind.RELEVANT, Kind.FIRST_INSTANCE
_COVERS = Kind.COVERS

Said = tuple[Kind, Verdict, bool, bool, str, str, str, str, str, str]
"""What a judgment says: kind, verdict, whether sentence and index are missing, answer, ids."""


class BlockReader:
    """Reads blocks of judgments; remembers what it has checked, since many lines say the same.

    Args:
        is_known: whether the nuggets have this topic_id, nugget_id and answer.
    """

    def __init__(self, is_known: Callable[[str, str, str], bool]) -> None:
        self._is_known = is_known
        self._good: set[Said] = set()
        self._ids = {""}

    def read(self, block: bytes) -> list[Judgment] | None:
        """The judgments of whole lines, one each; None if anything about them is unusual."""
        codec = _codec()
        try:
            lines = codec.decode(block)
        except codec.errors:
            return None
        if not lines or not _is_one_object_a_line(block, lines, codec.encode(lines)):
            return None
        said = {
            (
                line.kind,
                line.verdict,
                line.sentence is None,
                line.sentence_index is None,
                line.answer,
                line.topic_id,
                line.judge,
                line.run_id,
                line.doc_id,
                line.nugget_id,
            )
            for line in lines
        }
        said -= self._good
        sentences = {line.sentence for line in lines}
        sentences.discard(None)
        if not all(map(str.strip, sentences)) or not all(map(self._is_plain, said)):
            return None
        if len(self._good) > _MAX_KEPT:
            self._good.clear()
            self._ids = {""}
        self._good |= said
        # By position, since it is done a million times for a track: by keyword, reading takes a
        # quarter longer.
        new, row = tuple.__new__, codec.row
        return [new(Judgment, row(line)) for line in lines]

    def _is_plain(self, said: Said) -> bool:
        """Whether a judgment has the keys of its kind, and nothing unusual in them."""
        kind, verdict, is_unnamed, is_placeless, answer, *ids = said
        topic_id, judge, run_id, doc_id, nugget_id = ids
        if (bool(doc_id), bool(nugget_id), bool(answer)) != _TARGETS.get(kind, _NO_TARGET):
            return False
        if kind is _RELEVANT:
            is_named = is_unnamed and is_placeless and not run_id
        elif is_placeless and is_unnamed:
            is_named = kind is _COVERS and bool(run_id)
        elif is_placeless:
            is_named = kind is not _FIRST_INSTANCE and not run_id
        else:
            is_named = bool(run_id)
        return (
            is_named
            and (verdict is not _PARTIAL or kind in GRADED_KINDS)
            and bool(topic_id and judge)
            and (self._ids.issuperset(ids) or self._are_plain_ids(ids))
            and bool(answer.strip() or not answer)
            and self._is_known(topic_id, nugget_id, answer)
        )

    def _are_plain_ids(self, ids: list[str]) -> bool:
        self._ids.update(each for each in ids if each.isprintable() and each.strip() == each)
        return self._ids.issuperset(ids)


def _is_one_object_a_line(block: bytes, lines: list[Any], encoded: bytes) -> bool:
    """Whether each line is one object, with each of its keys once.

    The decoder takes objects that run together or spread over lines, and of a key that occurs
    twice the last. So the block is compared with the same objects written again: that is the
    shortest JSON that says the same (but for fractions, such as 1 for 1.0), so a block of that
    length holds nothing else. In a longer one, the keys are counted by what follows them.
    """
    if block.count(b"}\n{") != len(lines) - 1:
        return False
    if len(block) == len(encoded) and b'"prob":' not in encoded:
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


# --- the nuggets to which judgments refer ---


class KnownNuggets:
    """The ids and answers of the nuggets. A judgment of any other is without effect.

    Where no nuggets are given, whatever is judged is taken for known.
    """

    def __init__(self, nuggets: Sequence[TopicNuggets], check: Check) -> None:
        self._check = check
        self._topics = {topic.topic_id for topic in nuggets}
        self._nuggets = {
            (topic.topic_id, nugget.nugget_id): frozenset(each.answer for each in nugget.answers)
            for topic in nuggets
            for nugget in topic.nuggets
        }

    def is_known(self, topic_id: str, nugget_id: str, answer: str) -> bool:
        """Whether the nuggets have what a judgment names; a text may be empty."""
        if not nugget_id or not self._topics:
            return not self._topics or topic_id in self._topics
        answers = self._nuggets.get((topic_id, nugget_id))
        return answers is not None and (not answer or answer in answers)

    def look_up(self, judgment: Judgment) -> None:
        """Warns if the judgment's topic, nugget or answer is unknown."""
        topic_id, nugget_id = judgment.topic_id, judgment.nugget_id
        if self.is_known(topic_id, nugget_id, judgment.answer):
            return
        hint = "it has no effect; are these the judgments of these nuggets?"
        if topic_id not in self._topics:
            message = f"no nuggets for the topic {shorten(topic_id)} of this judgment"
            self._check.warn("unknown_topic", message, ("topic_id",), hint=hint, once=True)
        elif nugget_id:
            answers = self._nuggets.get((topic_id, nugget_id))
            if answers is None:
                message = f"the topic {shorten(topic_id)} has no nugget {shorten(nugget_id)}"
                self._check.warn("unknown_nugget", message, ("nugget_id",), hint=hint, once=True)
            elif judgment.kind is Kind.ANSWERS and judgment.answer not in answers:
                message = f"the nugget {shorten(nugget_id)} has no such answer"
                self._check.warn("unknown_answer", message, ("answer",), hint=hint, once=True)
