"""JSON lines with `theme`, `claim`, `source` and a `mark` from 0 to 2."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from argue_eval.formats.checking import Check, as_fields
from argue_eval.records import Judgment, Kind, TopicNuggets, Verdict

SHAPES = (("theme", "claim", "mark"),)

_VERDICTS = (Verdict.NO, Verdict.PARTIAL, Verdict.YES)


def read(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
) -> Iterator[Judgment]:
    """Yields whether each source supports a claim."""
    for value in values:
        fields = as_fields(check, value)
        mark = fields.whole("mark") if fields is not None else None
        if fields is None or mark is None:
            continue
        if mark >= len(_VERDICTS):
            check.error("bad_mark", f"expected a mark from 0 to 2, found {mark}", ("mark",))
            continue
        yield Judgment(
            kind=Kind.SUPPORT,
            topic_id=fields.identifier("theme"),
            verdict=_VERDICTS[mark],
            judge="marker",
            sentence=fields.text("claim"),
            doc_id=fields.identifier("source"),
        )
