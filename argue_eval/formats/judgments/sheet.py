"""Sheets of `argue-eval sample` and `pool` as JSON lines: questions with a `verdict` to fill in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from argue_eval.errors import count, shorten
from argue_eval.formats.checking import Check
from argue_eval.formats.judgments import canonical
from argue_eval.formats.plugins import Assessed
from argue_eval.formats.sheets import ASSESSOR
from argue_eval.records import Judgment, TopicNuggets, Verdict

WORDS = {
    word: verdict
    for verdict, words in {
        Verdict.YES: "yes y 1 1.0 1,0 true t ja j oui o si sí wahr vrai",
        Verdict.PARTIAL: "partial p 0.5 0,5 .5 partly partially part teilweise partiel",
        Verdict.CONTRADICTS: "contradicts contradict -1 -1.0 -1,0",
        Verdict.NO: "no n 0 0.0 0,0 false f nein non nao não falsch faux",
    }.items()
    for word in words.split()
}
"""What people write for a verdict, in lower case."""

OPEN = frozenset(("", "?", "??", "-", "n/a", "na", "unsure", "unclear", "unknown", "skip", "todo"))
"""What they write where they give none."""

_KEYS = (
    "topic_id", "kind", "judge", "doc_id", "nugget_id", "answer", "sentence", "run_id",
    "sentence_index",
)  # fmt: skip
_PLACE = re.compile(r"([0-9]{1,9}) of ([0-9]{1,9})")


def read(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
) -> Iterator[Judgment]:
    """Yields the judgments of the rows that are filled in, and warns of those that are not."""
    for each in read_assessed(values, check, nuggets):
        yield each.judgment


def read_assessed(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
) -> Iterator[Assessed]:
    """Yields the same, each with the probability with which its row was drawn, and the time."""
    rows = _Rows(check)
    for judgment in canonical.read(rows.filled(values), check, nuggets):
        yield Assessed(judgment, rows.probability, rows.time)
    rows.report()


class _Rows:
    """The rows of one sheet.

    Attributes:
        probability: that of the row at hand.
        time: when the row at hand was filled in; empty if it does not say.
    """

    def __init__(self, check: Check) -> None:
        self.probability: float | None = None
        self.time = ""
        self._check = check
        self._num_open = self._num_filled = self._total = 0
        self._numbers: set[int] = set()
        self._seen: dict[tuple[Any, ...], tuple[Any, int | None]] = {}

    def filled(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yields the rows that have a verdict, as lines of canonical judgments."""
        for value in values:
            if type(value) is not dict:
                yield value  # whose reader says what is wrong with it
                continue
            self._count(value.get("row"))
            written = value.get("verdict")
            word = "" if written is None else str(written).strip().casefold()
            if word in OPEN:
                self._num_open += 1
                continue
            self._num_filled += 1
            verdict = WORDS.get(word) or WORDS.get(word.strip(" .!"))
            if verdict is None:
                self._check.error(
                    "bad_verdict",
                    f"expected yes, no or partial in 'verdict', found {shorten(str(written))}",
                    ("verdict",),
                    hint="write one of these, or nothing; remarks belong into 'note'",
                )
            elif self._is_new(value, verdict):
                self.probability = self._probability_of(value)
                self.time = value["time"] if type(value.get("time")) is str else ""
                keys = {key: value[key] for key in _KEYS if key in value}
                if type(keys.get("judge")) is str:
                    keys["judge"] = judge_of(keys["judge"])
                note = value.get("note")
                yield {**keys, "verdict": verdict.value, **({"rationale": note} if note else {})}

    def _is_new(self, value: Mapping[str, Any], verdict: Verdict) -> bool:
        """Whether no row before has the same question by the same assessor."""
        key = tuple(str(value.get(key)) for key in _KEYS)
        if key not in self._seen:
            self._seen[key] = verdict, self._check.line
            return True
        first, line = self._seen[key]
        if first is not verdict:
            where = f"on line {line:,}" if line else "in a row before"
            message = f"the same question has the verdict {first.value!r} {where}"
            hint = "keep one of the two rows, or name two assessors"
            self._check.error("conflicting_verdicts", message, ("verdict",), hint=hint)
        return False

    def _probability_of(self, value: Mapping[str, Any]) -> float | None:
        found = value.get("probability")
        if found is None or (type(found) in (int, float) and 0 < found <= 1):
            return found
        message = f"expected a number above 0 and up to 1, found {shorten(found)}"
        self._check.error("out_of_range", message, ("probability",), hint="leave it as it was")
        return None

    def _count(self, place: Any) -> None:
        found = _PLACE.fullmatch(place) if type(place) is str else None
        if found:
            self._numbers.add(int(found[1]))
            self._total = max(self._total, int(found[2]))

    def report(self) -> None:
        """Warns of rows that are open or missing; a sheet that nobody filled in is an error."""
        self._check.line = None
        if not self._num_filled:
            hint = "fill in the column 'verdict' with yes, no or partial"
            self._check.error("empty_sheet", "no row of the sheet has a verdict", hint=hint)
            return
        if self._num_open:
            message = f"{count(self._num_open, 'row')} without a verdict"
            hint = "these questions stay unjudged"
            self._check.warn("open_rows", message, hint=hint)
        missing = self._total - len(self._numbers)
        if missing > 0:
            message = f"{missing:,} of {count(self._total, 'row')} of the sheet are not there"
            hint = "if they were not deleted on purpose, look for the rest of the sheet"
            self._check.warn("missing_rows", message, hint=hint)


def judge_of(assessor: str) -> str:
    """The judge of a person's judgments. Whoever has a name such as ``llm:x`` is none.

    >>> judge_of("A1"), judge_of(""), judge_of("assessor:A1"), judge_of("llm:x")
    ('assessor:A1', 'assessor', 'assessor:A1', 'llm:x')
    """
    name = assessor.strip()
    if ":" in name or name in ("", ASSESSOR):
        return name or ASSESSOR
    return f"{ASSESSOR}:{name}"
