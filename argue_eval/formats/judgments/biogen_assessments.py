"""BioGen's assessments: whether each cited document supports or contradicts its sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from argue_eval.errors import describe, shorten
from argue_eval.formats import assessments
from argue_eval.formats.checking import MISSING, Check, Fields
from argue_eval.formats.judgments.canonical import KnownNuggets
from argue_eval.records import Judgment, Kind, TopicNuggets, Verdict

JUDGE = "assessor:biogen"

_RELATIONS = {
    "supporting": Verdict.YES,
    "contradicting": Verdict.CONTRADICTS,
    "neutral": Verdict.NO,
    "not relevant": Verdict.NO,
    "invalid citation": Verdict.NO,
}


def read(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
) -> Iterator[Judgment]:
    """Yields a judgment for each citation. One whose relation is null stays unjudged."""
    known = KnownNuggets(nuggets, check)
    for topic_id, run_id, fields in assessments.biogen_answers(values, check):
        for place, sentence in enumerate(fields.objects("answer_sentences")):
            said: dict[str, Verdict] = {}
            for doc_id, citation in assessments.biogen_citations(sentence):
                verdict = _verdict(citation)
                if said.setdefault(doc_id, verdict or Verdict.NO) is not (verdict or said[doc_id]):
                    message = f"the document {shorten(doc_id)} is assessed in two ways"
                    check.error("duplicate_label", message, citation.path, hint="keep one of them")
                if verdict is not None:
                    judgment = Judgment(
                        Kind.SUPPORT,
                        topic_id,
                        verdict,
                        JUDGE,
                        run_id=run_id,
                        sentence_index=place,
                        doc_id=doc_id,
                        rationale=citation.text("evidence_support", required=False),
                    )
                    yield known.look_up(judgment)


def _verdict(citation: Fields) -> Verdict | None:
    """What the relation of a document to a sentence says; None if there is none."""
    value, path = citation.take("evidence_relation")
    word = value.strip().lower().replace("_", " ") if type(value) is str else ""
    if word in _RELATIONS or value is MISSING:
        return _RELATIONS.get(word)
    if value is None:
        message = "a citation without a relation is left out"
        hint = "whether the document supports the sentence stays unjudged"
        citation.check.warn("no_verdict", message, path, hint=hint, once=True)
        return None
    words = ", ".join(map(repr, _RELATIONS))
    message = f"expected one of {words}, found {describe(value)}"
    citation.check.error("bad_verdict", message, path, hint="null says that nobody assessed it")
    return None
