"""DRAGUN's assessments as CSV: `run_tag`, `answer_id`, `annotation` or `auto_assessment`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from argue_eval.errors import describe, shorten
from argue_eval.formats import assessments
from argue_eval.formats.checking import Check
from argue_eval.formats.judgments.canonical import KnownNuggets
from argue_eval.records import Judgment, Kind, TopicNuggets, Verdict

_COLUMNS = {
    "annotation": ("assessor:dragun", "rationale"),
    "auto_assessment": ("auto:dragun", "auto_rationale"),
}
"""Who is behind a column, people or the track's automatic judge, and where they say why."""

_VERDICTS = {
    "supports": Verdict.YES,
    "support": Verdict.YES,
    "partial": Verdict.PARTIAL,
    "partial_support": Verdict.PARTIAL,
    "none": Verdict.NO,
    "contradicts": Verdict.CONTRADICTS,
    "contradict": Verdict.CONTRADICTS,
}
_NUMBERS = {1.0: Verdict.YES, 0.5: Verdict.PARTIAL, 0.0: Verdict.NO, -1.0: Verdict.CONTRADICTS}


def read(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
) -> Iterator[Judgment]:
    """Yields for each row how far the report as a whole covers the answer.

    A row without an assessment says nothing.
    """
    known = KnownNuggets(nuggets, check)
    lines: dict[tuple[str, str, str], int | None] = {}
    for topic_id, run_id, answer_id, fields in assessments.dragun_rows(values, check):
        first = lines.setdefault((topic_id, run_id, answer_id), check.line)
        if first != check.line:
            message = f"the answer {shorten(answer_id)} of {shorten(run_id)} is assessed again"
            message += f"; first on line {first}"
            check.error("duplicate_label", message, ("answer_id",), hint="keep one of the two rows")
        columns = [name for name in _COLUMNS if name in fields.rest]
        if not columns:
            fields.missing(*_COLUMNS)
        for name in columns:
            judge, reasons = _COLUMNS[name]
            word, path = fields.take(name)
            rationale = fields.text(reasons, required=False)
            verdict = _verdict(word)
            if verdict is not None:
                judgment = Judgment(
                    Kind.COVERS,
                    topic_id,
                    verdict,
                    judge,
                    run_id=run_id,
                    nugget_id=answer_id,
                    rationale=rationale,
                )
                yield known.look_up(judgment)
            elif str(word).strip():
                words = "supports, partial, none, contradicts, or 1, 0.5, 0, -1"
                message = f"expected one of {words}, found {describe(word)}"
                hint = "leave it empty if nobody has assessed it"
                check.error("bad_verdict", message, path, hint=hint)
            else:
                message = f"a row without {name!r} is left out"
                hint = "what it is about stays unjudged"
                check.warn("no_verdict", message, path, hint=hint, once=True)


def _verdict(word: Any) -> Verdict | None:
    """What a word or number of an assessment says; None if it says nothing."""
    text = str(word).strip().lower().replace(" ", "_")
    try:
        return _VERDICTS.get(text) or _NUMBERS.get(float(text))
    except ValueError:
        return None
