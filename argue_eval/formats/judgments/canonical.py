"""JSON lines with `topic_id`, `kind`, `verdict`, `judge` and the keys of the kind."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import chain
from typing import Any

from argue_eval.errors import nearest, shorten
from argue_eval.formats.checking import Check, as_fields, json_items
from argue_eval.formats.jsonl import Source
from argue_eval.formats.jsonl.source import BLOCK_BYTES, MAX_LINE_BYTES
from argue_eval.formats.judgment_lines import TARGETS, BlockReader, Packer, Part
from argue_eval.formats.processes import line_slices, num_usable, side_by_side
from argue_eval.records import VERDICTS, Judgment, Kind, TopicNuggets

_KINDS: dict[str, Kind] = {kind.value: kind for kind in Kind}
_VERDICTS = {kind: {each.value: each for each in verdicts} for kind, verdicts in VERDICTS.items()}
_LARGE_BYTES = 8 << 20
"""From here on several processes are faster than one."""
_RUN_BYTES = 4
"""As many bytes of judgments are read in the time of one of a run."""
_ALL_KEYS = ("doc_id", "nugget_id", "answer", "sentence", "run_id", "sentence_index")


def read(
    values: Iterable[Any],
    check: Check,
    nuggets: Sequence[TopicNuggets] = (),
    known: KnownNuggets | None = None,
) -> Iterator[Judgment]:
    """Yields a judgment for each value."""
    known = known or KnownNuggets(nuggets, check)
    for value in values:
        judgment = _checked(value, check)
        if judgment is not None:
            yield known.look_up(judgment)


def read_blocks(check: Check, nuggets: Sequence[TopicNuggets] = ()) -> Iterator[Judgment]:
    """Yields the judgments of a file of lines, read by the block."""
    known = KnownNuggets(nuggets, check)
    reader = BlockReader(known.is_known)
    number = 1
    for block in check.source.blocks():
        judgments = reader.read(block)
        if judgments is None:
            yield from _singles(block, number, check, known)
        else:
            yield from judgments
        number += block.count(b"\n")


def read_parts(
    check: Check, nuggets: Sequence[TopicNuggets] = (), start: int = 0
) -> Iterator[Judgment | Part]:
    """Yields the judgments of a file of lines, packed by the block; single ones of blocks with
    anything unusual. A large file is read by several processes side by side.

    Args:
        start: facts are numbered from here on.
    """
    known = KnownNuggets(nuggets, check)
    number = 1
    packed, check.source.ahead = check.source.ahead, None
    for part, block in packed or _packed(check.source, Packer(known.is_known), start):
        if part is None:
            yield from _singles(block, number, check, known)
            number += block.count(b"\n")
        else:
            yield part
            number += part.num_lines


def read_ahead(source: Source, nuggets: Sequence[TopicNuggets], num_bytes: int) -> None:
    """Has other processes read a large file from now on, for a later `read_parts` of it.

    Args:
        num_bytes: of the runs that this process reads first.
    """
    packer = Packer(KnownNuggets(nuggets, Check(source)).is_known)
    source.ahead = _packed(source, packer, 0, num_bytes)


def _packed(
    source: Source, packer: Packer, start: int, num_before: int = 0
) -> Iterator[tuple[Part | None, bytes]]:
    """The part of every block; where it is None, with the block.

    Args:
        num_before: so many bytes of runs are read before the first is wanted.
    """
    size = source.size or 0
    num_processes = num_usable() if size >= _LARGE_BYTES else 1
    slices = _slices(source) if num_processes > 1 else []
    if not slices:
        return _packed_here(source.blocks(), packer, start)

    def work(ends: tuple[int, int]) -> bytes | None:
        part = packer.pack(source.slice(*ends), start + ends[0])
        # Several times faster than pickling.
        return None if part is None else marshal.dumps(tuple(part))

    # All processes, this one among them, are to end at the same time.
    other_work = _RUN_BYTES * num_before
    num_own = len(slices) * max(0, (size + other_work) // num_processes - other_work) // size
    own, others = slices[:num_own], slices[num_own:]
    results = side_by_side(others, work, num_processes - 1, is_ahead=True)
    received = (
        (None, source.slice(*ends)) if packed is None else (Part._make(marshal.loads(packed)), b"")
        for ends, packed in zip(others, results, strict=True)
    )
    return chain(_packed_here((source.slice(*ends) for ends in own), packer, start), received)


def _packed_here(
    blocks: Iterable[bytes], packer: Packer, start: int
) -> Iterator[tuple[Part | None, bytes]]:
    for block in blocks:
        yield packer.pack(block, start), block
        start += len(block)


def _slices(source: Source) -> list[tuple[int, int]]:
    """The slices of a large file; none if it has a line that is too long."""
    slices = list(line_slices(source.name, BLOCK_BYTES, MAX_LINE_BYTES))
    return slices if all(end - start < MAX_LINE_BYTES // 2 for start, end in slices) else []


def _singles(block: bytes, number: int, check: Check, known: KnownNuggets) -> Iterator[Judgment]:
    """Yields the judgments of a block line by line; it begins with the line of this number."""
    lines = [(at, raw) for at, raw in enumerate(BytesIO(block), number) if raw.strip()]
    yield from read(json_items(check, lines), check, known=known)


def _checked(value: Any, check: Check) -> Judgment | None:
    """Makes a judgment, or notes all that is wrong with it."""
    num_errors = len(check.errors)
    fields = as_fields(check, value)
    if fields is None:
        return None
    topic_id = fields.identifier("topic_id")
    judge = fields.identifier("judge")
    word = fields.text("kind")
    kind = _KINDS.get(word)
    if kind is None:
        _note_kind(check, word)
        return None
    word = fields.text("verdict", blank=False)
    verdict = _VERDICTS[kind].get(word)
    if verdict is None:
        _note_verdict(check, kind, word)
    keys = TARGETS.get(kind, ())
    doc_id = fields.identifier("doc_id") if "doc_id" in keys else ""
    nugget_id = fields.identifier("nugget_id") if "nugget_id" in keys else ""
    answer = fields.text("answer", blank=False) if "answer" in keys else ""
    sentence, run_id, index = None, "", None
    if kind is not Kind.RELEVANT:
        sentence = fields.text("sentence") if "sentence" in fields.rest else None
        has_index = "sentence_index" in fields.rest
        run_id = fields.identifier("run_id", required=has_index)
        index = fields.whole("sentence_index") if has_index else None
        # Of the report as a whole, the run alone: that is how a claim may be judged.
        is_whole = kind is Kind.COVERS and bool(run_id)
        is_shown = sentence is not None and kind is not Kind.FIRST_INSTANCE
        if not (has_index or is_whole or is_shown):
            _note_unnamed(check, kind)
        if sentence is not None and not sentence.strip():
            message = "'sentence' is blank: the judgment holds for sentences without text only"
            hint = "no report has such a sentence? then its text was lost: write the file again"
            check.warn("blank_sentence", message, ("sentence",), hint=hint, once=True)
    prob = fields.number("prob", 0, 1) if "prob" in fields.rest else None
    rationale = fields.text("rationale", required=False)
    unused = [key for key in _ALL_KEYS if key in fields.rest]
    if unused:
        message = f"{', '.join(map(repr, unused))} not used for the kind {kind.value!r}"
        check.warn("unused_key", message, hint="leave it out", once=True)
    if len(check.errors) > num_errors or verdict is None:
        return None
    return Judgment(
        kind=kind,
        topic_id=topic_id,
        verdict=verdict,
        judge=judge,
        sentence=sentence,
        run_id=run_id,
        sentence_index=index,
        doc_id=doc_id,
        nugget_id=nugget_id,
        answer=answer,
        prob=prob,
        rationale=rationale,
    )


def _note_kind(check: Check, word: str) -> None:
    if word:
        near = nearest(word, _KINDS)
        guess = f"did you mean {near!r}?" if near else "use one of the kinds"
        message = f"there is no kind {shorten(word)}; kinds: {', '.join(_KINDS)}"
        check.error("unknown_kind", message, ("kind",), hint=guess)


def _note_verdict(check: Check, kind: Kind, word: str) -> None:
    if word:
        words = ", ".join(repr(each) for each in _VERDICTS[kind])
        message = f"the kind {kind.value!r} has the verdicts {words}; found {shorten(word)}"
        hint = "leave the line out if nobody has judged it"
        check.error("bad_verdict", message, ("verdict",), hint=hint)


def _note_unnamed(check: Check, kind: Kind) -> None:
    how = "'run_id' and 'sentence_index'"
    if kind is not Kind.FIRST_INSTANCE:
        how = f"'sentence', or {how}"
    message = f"the sentence is not named: a judgment of the kind {kind.value!r} needs {how}"
    check.error("missing_key", message, hint="add it")


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

    def look_up(self, judgment: Judgment) -> Judgment:
        """The judgment; warns if its topic, nugget or answer is unknown."""
        topic_id, nugget_id = judgment.topic_id, judgment.nugget_id
        hint = "it has no effect; are these the judgments of these nuggets?"
        if self._topics and topic_id not in self._topics:
            message = f"no nuggets for the topic {shorten(topic_id)} of this judgment"
            self._check.warn("unknown_topic", message, ("topic_id",), hint=hint, once=True)
        elif self._topics and nugget_id:
            answers = self._nuggets.get((topic_id, nugget_id))
            if answers is None:
                message = f"the topic {shorten(topic_id)} has no nugget {shorten(nugget_id)}"
                self._check.warn("unknown_nugget", message, ("nugget_id",), hint=hint, once=True)
            elif judgment.answer and judgment.answer not in answers:
                message = f"the nugget {shorten(nugget_id)} has no such answer"
                self._check.warn("unknown_answer", message, ("answer",), hint=hint, once=True)
        return judgment
