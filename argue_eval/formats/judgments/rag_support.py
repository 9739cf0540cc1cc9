"""JSON lines with `run_id` and `sentences` with graded `citations` (RAG 2024)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from argue_eval.errors import describe
from argue_eval.formats import assessments
from argue_eval.formats.checking import MISSING, Check, Fields
from argue_eval.formats.judgments.canonical import KnownNuggets
from argue_eval.records import Judgment, Kind, TopicNuggets, Verdict

JUDGE = "citation_judgments"
"""Who judged is not in the file: assessors, or a language model."""

VERDICTS = {"2": Verdict.YES, "1": Verdict.PARTIAL, "0": Verdict.NO}
_UNJUDGED = "-1"


def read(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
) -> Iterator[Judgment]:
    """Yields the judgment of each citation. A sentence is named by its run and place."""
    known = KnownNuggets(nuggets, check)
    for top, topic_id, run_id in assessments.support_reports(values, check):
        for index, sentence in enumerate(top.objects("sentences")):
            for doc_id, citation in assessments.support_citations(sentence).items():
                verdict = _verdict(citation)
                if verdict is None:
                    continue
                judgment = Judgment(
                    kind=Kind.SUPPORT,
                    topic_id=topic_id,
                    verdict=verdict,
                    judge=JUDGE,
                    run_id=run_id,
                    sentence_index=index,
                    doc_id=doc_id,
                )
                yield known.look_up(judgment)


def _verdict(citation: Fields) -> Verdict | None:
    """The verdict; None if nobody has judged it, or there is an error."""
    grade, path = citation.take("support")
    word = str(grade) if type(grade) in (str, int) else ""
    if word not in (*VERDICTS, _UNJUDGED) and grade is not MISSING:
        message = f'expected a grade of support from "-1" to "2", found {describe(grade)}'
        hint = '"2" is full support, "1" partial, "0" none, and "-1" is not judged'
        citation.check.error("bad_verdict", message, path, hint=hint)
    elif word == _UNJUDGED:
        message = "the citation is not judged: its grade is -1"
        hint = "--judged-only leaves it out, as the track does; otherwise, scores have bounds"
        citation.check.warn("no_verdict", message, path, hint=hint, once=True)
    return VERDICTS.get(word)
