"""One sentence's way through the flowchart, with the judgments that decided it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from argue_eval.judgments.index import Layers, Stored, View
from argue_eval.measures.protocols import Target, argue, key_points
from argue_eval.records import (
    CitationOutcome,
    Grade,
    Judgment,
    KeyPointOutcome,
    Kind,
    Report,
    SentenceOutcome,
    TopicEvidence,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One question of the chart and its answer: `yes`, `no`, `partial` or `unjudged`."""

    question: str
    answer: str
    evidence: str = ""
    judge: str = ""


def steps(outcome: SentenceOutcome, evidence: TopicEvidence, view: View) -> list[Step]:
    """Returns the questions that the chart asked about a sentence, in its order."""
    if not outcome.citations:
        return [Step("has it citations?", "no"), *_uncited_steps(outcome, evidence, view)]
    path = [Step("has it citations?", "yes")]
    for citation in outcome.citations:
        path.extend(_citation_steps(citation, evidence, view))
    return path


def _citation_steps(
    citation: CitationOutcome, evidence: TopicEvidence, view: View
) -> Iterator[Step]:
    doc_id = citation.doc_id
    yield _step(
        f"is {doc_id} relevant?", _verdict(citation.is_relevant), view, Kind.RELEVANT, doc_id
    )
    questions = {nugget.nugget_id: nugget.question for nugget in evidence.nuggets}
    for nugget_id, answer in citation.answered:
        question = questions.get(nugget_id)
        what = f"does it answer {nugget_id} ({question}) with {answer!r}?"
        if question is None:
            what = f"does it make the claim {nugget_id}, {answer!r}?"
        yield _step(what, "yes", view, Kind.ANSWERS, (nugget_id, answer))
    for nugget_id, answer in citation.unanswered:
        yield Step(f"does it answer {nugget_id} with {answer!r}?", "unjudged")
    if citation.is_relevant and not citation.answered and not citation.unanswered:
        yield Step(f"does it answer a nugget with an answer that {doc_id} attests?", "no")
    support = citation.support.value if citation.support else "unjudged"
    if citation.support is not None or citation.outcome is None:
        yield _step(f"does {doc_id} support it?", support, view, Kind.SUPPORT, doc_id)


def _uncited_steps(outcome: SentenceOutcome, evidence: TopicEvidence, view: View) -> Iterator[Step]:
    wording = {
        Kind.NEGATIVE: "is it a negative assertion?",
        Kind.REQUIRES_CITATION: "does it require a citation?",
        Kind.FIRST_INSTANCE: "is it the first instance of its claim?",
    }
    for kind, verdict in outcome.answers:
        yield _step(wording[kind], verdict.value, view, kind, "")
    is_negative = (Kind.NEGATIVE, Verdict.YES) in outcome.answers
    for nugget in evidence.nuggets if is_negative else ():
        if nugget.is_absence:
            agrees = (
                "yes"
                if nugget.nugget_id in outcome.agreeing
                else "unjudged"
                if nugget.nugget_id in outcome.unagreed
                else "no"
            )
            what = f"does the absence nugget {nugget.nugget_id} ({nugget.question}) agree?"
            yield _step(what, agrees, view, Kind.AGREES, nugget.nugget_id)
    for question in outcome.needs:
        if question.kind in wording:
            yield Step(wording[question.kind], "unjudged")


def _step(question: str, answer: str, view: View, kind: Kind, target: Target) -> Step:
    stored = view.get((kind, target))
    if stored is None:
        return Step(question, answer, judge="looked up in the nuggets" * (kind is Kind.RELEVANT))
    prob = "" if stored.prob is None else f"p={stored.prob:.2f} "
    return Step(question, answer, (prob + stored.rationale).strip(), stored.judge)


def _verdict(flag: bool | None) -> str:
    return "unjudged" if flag is None else "yes" if flag else "no"


def effect(outcome: SentenceOutcome) -> str:
    """Returns what a sentence does to the score: reward, ignore or penalise.

    Otherwise ``unjudged``; ``by citation`` if its citations are counted one by one; ``not asked``
    if no measure needed to know.
    """
    if outcome.outcome:
        return argue.OUTCOMES[outcome.outcome][0]
    if outcome.needs:
        return "unjudged"
    is_by_citation = not outcome.possible and bool(outcome.citations)
    if is_by_citation and all(each.outcome for each in outcome.citations):
        return "by citation"
    return "not asked"


def used_judgments(
    evidence: TopicEvidence, report: Report, knowledge: Layers
) -> Iterator[Judgment]:
    """Yields every judgment about a report that the scores could rest on, in report order."""
    lookup = argue.prepare(evidence.nuggets)
    claims = [nugget.nugget_id for nugget in evidence.nuggets if nugget.is_claim]
    of_report = list(_of_whole_report(report, claims, knowledge))
    said_of_report = {(judgment.nugget_id, judgment.judge) for judgment in of_report}
    for index, sentence in enumerate(report.sentences):
        view = knowledge.of_sentence(report, index)
        doc_ids = dict.fromkeys(citation.doc_id for citation in sentence.citations)
        asked: dict[tuple[Kind, Target], str] = {}
        for doc_id in doc_ids:
            asked[Kind.RELEVANT, doc_id] = doc_id
            asked[Kind.SUPPORT, doc_id] = doc_id
            is_any = evidence.options.attestation == "any-document"
            for pair in lookup.pairs if is_any else lookup.attested.get(doc_id, ()):
                asked[Kind.ANSWERS, pair] = ""
        if not doc_ids:
            for kind in (Kind.NEGATIVE, Kind.REQUIRES_CITATION, Kind.FIRST_INSTANCE):
                asked[kind, ""] = ""
            for nugget_id in lookup.absence_ids:
                asked[Kind.AGREES, nugget_id] = ""
        for nugget_id in claims:
            asked[Kind.COVERS, nugget_id] = ""
        for (kind, target), doc_id in asked.items():
            stored = view.get((kind, target))
            if stored is None:
                continue
            judgment = _judgment(report, index, kind, target, doc_id, stored)
            if kind is Kind.COVERS and (target, stored.judge) in said_of_report:
                # It is the bullet of a label, and so about this report alone.
                judgment = judgment._replace(
                    sentence=None, run_id=report.run_id, sentence_index=index
                )
            yield judgment
    yield from of_report
    if evidence.key_points:
        yield from _of_key_points(evidence, report, knowledge)


def _of_whole_report(
    report: Report, claims: Sequence[str], knowledge: Layers
) -> Iterator[Judgment]:
    view = knowledge.of_report(report)
    for nugget_id in claims:
        stored = view.get((Kind.COVERS, nugget_id))
        if stored is not None:
            yield Judgment(
                Kind.COVERS,
                report.topic_id,
                stored.verdict,
                stored.judge,
                run_id=report.run_id,
                nugget_id=nugget_id,
                prob=stored.prob,
                rationale=stored.rationale,
            )


def _of_key_points(
    evidence: TopicEvidence, report: Report, knowledge: Layers
) -> Iterator[Judgment]:
    """Yields which of the retrieved documents entail which key point."""
    points = key_points.units(evidence.nuggets)
    doc_ids = key_points.retrieved(report, points)
    claims = [point.answers[0].answer for point in points]
    own = [outcome.unit_id for outcome in evidence.response_points or ()]
    for claim in dict.fromkeys([*claims, *own]):
        view = knowledge.of_text(report.topic_id, claim)
        for doc_id in doc_ids:
            stored = view.get((Kind.SUPPORT, doc_id))
            if stored is not None:
                yield Judgment(
                    Kind.SUPPORT,
                    report.topic_id,
                    stored.verdict,
                    stored.judge,
                    claim,
                    doc_id=doc_id,
                    prob=stored.prob,
                    rationale=stored.rationale,
                )


def _judgment(
    report: Report, index: int, kind: Kind, target: Target, doc_id: str, stored: Stored
) -> Judgment:
    nugget_id, answer = target if isinstance(target, tuple) else (target, "")
    if kind in (Kind.SUPPORT, Kind.RELEVANT):
        nugget_id = ""
    text = report.sentences[index].text
    is_placed = kind is Kind.FIRST_INSTANCE or (kind is not Kind.RELEVANT and not text.strip())
    return Judgment(
        kind,
        report.topic_id,
        stored.verdict,
        stored.judge,
        None if is_placed or kind is Kind.RELEVANT else text,
        report.run_id if is_placed else "",
        index if is_placed else None,
        doc_id,
        nugget_id,
        answer,
        stored.prob,
        stored.rationale,
    )


def insight_record(evidence: TopicEvidence, grade: Grade, knowledge: Layers) -> dict[str, Any]:
    """Returns one line of ``outcomes.jsonl``: an insight of SummHay, its coverage and bullet."""
    report = evidence.report
    if report is None:
        raise KeyError(evidence.topic_id)
    (claim,) = [each.answers[0] for each in evidence.nuggets if each.nugget_id == grade.unit_id]
    bullet = grade.possible[0][1] if len(grade.possible) == 1 else -1
    question = (Kind.COVERS, grade.unit_id)
    judged = knowledge.of_report(report).get(question)
    if judged is None and bullet >= 0:
        judged = knowledge.of_sentence(report, bullet).get(question)
    sentence = report.sentences[bullet] if bullet >= 0 else None
    return {
        "run_id": report.run_id,
        "topic_id": report.topic_id,
        "nugget_id": grade.unit_id,
        "claim": claim.answer,
        "coverage": grade.verdict.value if grade.verdict else None,
        "bullet": bullet if bullet >= 0 else None,
        "text": sentence.text if sentence else None,
        "possible": [[verdict.value, place] for verdict, place in grade.possible],
        "judge": judged.judge if judged else "",
        "citations": [each.doc_id for each in sentence.citations] if sentence else [],
        "attesting": list(claim.doc_ids),
    }


def key_point_record(
    evidence: TopicEvidence, outcome: KeyPointOutcome, knowledge: Layers
) -> dict[str, Any]:
    """Returns one line of ``outcomes.jsonl``: a key point, what says it and what entails it."""
    report = evidence.report
    if report is None:
        raise KeyError(evidence.topic_id)
    points = key_points.units(evidence.nuggets)
    (claim,) = [each.answers[0] for each in points if each.nugget_id == outcome.unit_id]
    question = (Kind.COVERS, outcome.unit_id)
    whole = knowledge.of_report(report).get(question)
    said = [
        (index, stored)
        for index in range(len(report.sentences))
        if (stored := knowledge.of_sentence(report, index).get(question)) is not None
        and stored.verdict is Verdict.YES
    ]
    judged = whole or (said[0][1] if said else None)
    retrieved, supporting = _documents_of(evidence, report, claim.answer, knowledge)
    return {
        "run_id": report.run_id,
        "topic_id": report.topic_id,
        "nugget_id": outcome.unit_id,
        "claim": claim.answer,
        "is_covered": outcome.is_covered,
        "coverage": whole.verdict.value if whole else None,
        "sentences": [index for index, _ in said],
        "judge": judged.judge if judged else "",
        "is_entailed": outcome.is_entailed,
        "retrieved": retrieved,
        "attesting": [doc_id for doc_id in retrieved if doc_id in claim.doc_ids],
        "supporting": supporting,
    }


def response_point_record(
    evidence: TopicEvidence, outcome: KeyPointOutcome, knowledge: Layers
) -> dict[str, Any]:
    """Returns one line of ``outcomes.jsonl``: a key point of the report's own, what entails it."""
    report = evidence.report
    if report is None:
        raise KeyError(evidence.topic_id)
    retrieved, supporting = _documents_of(evidence, report, outcome.unit_id, knowledge)
    return {
        "run_id": report.run_id,
        "topic_id": report.topic_id,
        "claim": outcome.unit_id,
        "is_entailed": outcome.is_entailed,
        "retrieved": retrieved,
        "supporting": supporting,
    }


def _documents_of(
    evidence: TopicEvidence, report: Report, claim: str, knowledge: Layers
) -> tuple[list[str], list[str]]:
    """Returns the documents retrieved for a report, and those that are judged to entail a claim."""
    retrieved = key_points.retrieved(report, key_points.units(evidence.nuggets))
    about = knowledge.of_text(report.topic_id, claim)
    judged = {doc_id: about.get((Kind.SUPPORT, doc_id)) for doc_id in retrieved}
    supporting = [
        doc_id for doc_id, stored in judged.items() if stored and stored.verdict is Verdict.YES
    ]
    return list(retrieved), supporting


def outcome_record(evidence: TopicEvidence, index: int, view: View) -> dict[str, Any]:
    """Returns one line of ``outcomes.jsonl``: a sentence, its outcome and why."""
    report = evidence.report
    if report is None:
        raise KeyError(evidence.topic_id)
    outcome = evidence.outcomes[index]
    credited = [
        {"nugget_id": each.nugget.nugget_id, "answer": answer}
        for each in evidence.answered
        for place, answer in each.credited
        if place == index
    ]
    return {
        "run_id": report.run_id,
        "topic_id": report.topic_id,
        "sentence_index": index,
        "text": report.sentences[index].text,
        "outcome": outcome.outcome,
        "effect": effect(outcome),
        "possible": list(outcome.possible),
        "path": [
            {
                "question": step.question,
                "answer": step.answer,
                "judge": step.judge,
                "evidence": step.evidence,
            }
            for step in steps(outcome, evidence, view)
        ],
        "citations": [
            {
                "doc_id": each.doc_id,
                "outcome": each.outcome,
                "possible": list(each.possible),
                "is_relevant": each.is_relevant,
                "support": each.support.value if each.support else None,
                "answered": [list(pair) for pair in each.answered],
                "unanswered": [list(pair) for pair in each.unanswered],
            }
            for each in outcome.citations
        ],
        "credited": credited,
    }
