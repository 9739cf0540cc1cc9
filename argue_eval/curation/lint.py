"""What should be looked at in a bank before it is used or published, with a fix for each.

The checks of nuggets by themselves are those of ``ingest``. With runs, judgments or a collection,
more can be told: which nuggets distinguish no run, which documents are missing, and which absence
nuggets some document may answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from sys import maxsize
from typing import NamedTuple

from argue_eval.curation.likeness import Likeness, question_words
from argue_eval.curation.versions import version_of
from argue_eval.errors import Finding, Findings, count, shorten, some
from argue_eval.evaluation.results import Scores
from argue_eval.judges.lexical.overlap import find_evidence, weigh
from argue_eval.judges.lexical.text import analyse, analyse_document
from argue_eval.judges.lexical.weights import TermWeights
from argue_eval.measures.rankings import ranking
from argue_eval.records import Aggregator, Document, Nugget, Run, TopicNuggets
from argue_eval.text.words import FILLERS, contains, words
from argue_eval.validation import nuggets as nugget_checks
from argue_eval.validation.ingest import OWN_CHECKS

ENOUGH = 0.8
"""The share of an absence question's terms, by weight, that a passage has which may answer it."""

OVERLAP = 0.65
"""How alike two questions are that may ask the same."""

_REPLACED = ("near_duplicate_question",)
"""Checks that `overlapping_questions` makes more thoroughly."""

_MAX_ANSWERS = 60
_WIDTH = 90


class Bank(NamedTuple):
    """A bank, the lines on which its topics start, and the warnings of reading it."""

    file: str
    topics: Sequence[TopicNuggets]
    places: Mapping[str, str]
    warnings: Sequence[Finding] = ()


def lint(bank: Bank, others: Iterable[TopicNuggets] = ()) -> Findings:
    """Checks a bank by itself.

    Args:
        others: topics of other banks, which may answer what this one says is absent.
    """
    findings = Findings(
        bank.file, places=bank.places, severities=dict.fromkeys(_REPLACED), max_listed=maxsize
    )
    for each in bank.warnings:
        if each.code not in OWN_CHECKS:
            findings.add(each)
    version = version_of(bank.topics)
    if version.is_edited:
        findings.warn(
            "edited_version",
            f"the bank says that it is version {version.number:,}, and was edited since",
            "give it the next number: argue-eval curate version BANK --since OLD -o NEW",
        )
    nugget_checks.check(findings, bank.topics)
    answered: dict[str, list[Nugget]] = defaultdict(list)
    for topic in others:
        answered[topic.topic_id] += [nugget for nugget in topic.nuggets if nugget.answers]
    factors = question_words(topic.nuggets for topic in bank.topics)
    for topic in bank.topics:
        for nugget in topic.nuggets:
            _check_answers(findings, topic.topic_id, nugget)
        _check_questions(findings, topic, answered[topic.topic_id], factors)
    return findings


# --- answers against each other -------------------------------------------------------------------


def _check_answers(findings: Findings, topic_id: str, nugget: Nugget) -> None:
    is_all = nugget.aggregator is Aggregator.AND
    answers = nugget.answers[:_MAX_ANSWERS]
    texts = [words(each.answer) for each in answers]
    contained: list[str] = []
    alternatives: list[str] = []
    analysed = [analyse(each.answer) for each in answers] if is_all else []
    read = [(set(each.terms), len(each.needs)) for each in analysed]
    for one, other in combinations(range(len(answers)), 2):
        if texts[one] == texts[other]:
            continue  # same_answer
        pair = f"{shorten(answers[one].answer)} and {shorten(answers[other].answer)}"
        if contains(texts[one], texts[other]) or contains(texts[other], texts[one]):
            contained.append(pair)
        elif is_all and read[one] == read[other]:  # but for a number or date, or forms of words
            alternatives.append(pair)
    if contained:
        hint = "OR: whoever gives the longer one gives both; keep it for its documents, or drop it"
        if is_all:
            hint = "whoever gives the longer one gives both: drop the shorter one, or write OR"
        message = f"of the answers of {_named(nugget)}, one contains the other: {contained[0]}"
        findings.warn("contained_answer", message + _more(contained), hint, topic_id=topic_id)
    if alternatives:
        message = (
            f"{_named(nugget)} requires all answers (AND), and these look like alternatives: "
            f"{alternatives[0]}"
        )
        hint = "write OR if one of them is enough"
        findings.warn(
            "alternatives_required", message + _more(alternatives), hint, topic_id=topic_id
        )


def _more(pairs: Sequence[str]) -> str:
    return f" (and {len(pairs) - 1:,} more)" if len(pairs) > 1 else ""


# --- questions against each other -----------------------------------------------------------------


def _check_questions(
    findings: Findings, topic: TopicNuggets, others: Sequence[Nugget], factors: Mapping[str, float]
) -> None:
    own = [nugget for nugget in topic.nuggets if not nugget.is_claim]
    nuggets = [*own, *(nugget for nugget in others if not nugget.is_claim)]
    for one, other, *_ in Likeness(nuggets, factors).pairs(OVERLAP):
        first, second = nuggets[one], nuggets[other]
        if one >= len(own):
            continue
        is_absence = first.is_absence is not second.is_absence
        if is_absence and (first.is_absence or other < len(own)):
            absent, answered = (first, second) if first.is_absence else (second, first)
            _answered_elsewhere(findings, topic.topic_id, absent, answered)
        elif other < len(own) and _words(first) != _words(second):
            apart = some(sorted(_words(first) ^ _words(second)), 6)
            message = (
                f"{_named(second)} overlaps {_named(first)}: "
                f"{_asked(second)} and {_asked(first)} differ in {apart}"
            )
            hint = "if they ask the same, merge them: recall counts every nugget"
            findings.warn("overlapping_questions", message, hint, topic_id=topic.topic_id)


def _answered_elsewhere(
    findings: Findings, topic_id: str, absent: Nugget, answered: Nugget
) -> None:
    doc_ids = [doc_id for each in answered.answers for doc_id in each.doc_ids]
    where = f", attested by {some(doc_ids, 3)}" if doc_ids else ""
    message = (
        f"{_named(absent)} has no answer, and {_named(answered)} of this or another bank has one: "
        f"{shorten(answered.answers[0].answer)}{where}"
    )
    hint = "add the answer and its documents, unless it is wrong"
    findings.warn("absence_answered", message, hint, topic_id=topic_id)


def _words(nugget: Nugget) -> frozenset[str]:
    """The words that matter. Other checks report questions that have the same."""
    return frozenset(words(nugget.question or "")) - FILLERS


# --- with documents -------------------------------------------------------------------------------


def lint_documents(
    findings: Findings, topics: Sequence[TopicNuggets], documents: Mapping[str, Document]
) -> None:
    """Warns of absence nuggets whose question some document has nearly all words of."""
    absent = [
        (topic.topic_id, nugget)
        for topic in topics
        for nugget in topic.nuggets
        if nugget.is_absence and nugget.question
    ]
    if not absent:
        return
    weights = TermWeights(f"{each.title} {each.text}" for each in documents.values())
    claims = [weigh(analyse(nugget.question or ""), weights) for _, nugget in absent]
    found: dict[int, list[tuple[float, str, str]]] = defaultdict(list)
    for document in documents.values():
        text = analyse_document(document.title, document.text)
        for place, claim in enumerate(claims):
            evidence = find_evidence(claim, text)
            if evidence.window >= ENOUGH:
                found[place].append((-evidence.window, document.doc_id, evidence.sentence))
    for place, hits in sorted(found.items()):
        topic_id, nugget = absent[place]
        _, doc_id, sentence = min(hits)
        more = f" (and {count(len(hits) - 1, 'document')} more)" if len(hits) > 1 else ""
        message = (
            f"{_named(nugget)} has no answer, and document {shorten(doc_id)} may have one{more}: "
            f"{shorten(sentence, _WIDTH)}"
        )
        hint = "read it: add the answer if it is there"
        findings.warn("absence_answered", message, hint, topic_id=topic_id)


# --- with runs ------------------------------------------------------------------------------------


def lint_citations(findings: Findings, topics: Sequence[TopicNuggets], runs: Sequence[Run]) -> None:
    """Warns of documents that at least half of the runs cite, and two, and no answer lists."""
    citing: dict[str, Counter[str]] = defaultdict(Counter)
    num_reports: Counter[str] = Counter()
    for run in runs:
        for report in run:
            num_reports[report.topic_id] += 1
            citing[report.topic_id].update(ranking(report))
    for topic in topics:
        least = max(2.0, num_reports[topic.topic_id] / 2)
        listed = topic.doc_ids
        cited = sorted(citing[topic.topic_id].items(), key=lambda each: (-each[1], each[0]))
        for doc_id, number in cited:
            if number < least or doc_id in listed:
                continue
            message = (
                f"{number:,} of {num_reports[topic.topic_id]:,} runs cite the document "
                f"{shorten(doc_id)}, and no answer lists it"
            )
            hint = "read it: if it attests an answer, list it; a citation of it counts for nothing"
            findings.warn("unlisted_document", message, hint, topic_id=topic.topic_id)


def lint_scores(findings: Findings, topics: Sequence[TopicNuggets], scores: Scores) -> int:
    """Warns of nuggets that all runs answer, or none; returns how many are not judged in full."""
    answered: dict[tuple[str, str], list[bool | None]] = defaultdict(list)
    for run in scores.values():
        for record in run.nugget_records():
            key = str(record["topic_id"]), str(record["nugget_id"])
            answered[key].append(record["is_correct"])
    num_unjudged = 0
    for topic in topics:
        for nugget in topic.nuggets:
            verdicts = answered[topic.topic_id, nugget.nugget_id]
            num_unjudged += None in verdicts
            if None in verdicts or len(verdicts) < 2 or len(set(verdicts)) > 1:
                continue
            runs, asked = count(len(verdicts), "run"), f"{_named(nugget)}: {_asked(nugget)}"
            code, message = "answered_by_all", f"all {runs} answer {asked}"
            hint = "it tells no run apart; keep it if it is vital that reports have it"
            if not verdicts[0]:
                code, message = "answered_by_none", f"none of {runs} answers {asked}"
                hint = (
                    "check its answers and documents: a wrong or too narrow one is answered by "
                    "nobody"
                )
            findings.warn(code, message, hint, topic_id=topic.topic_id)
    return num_unjudged


def _named(nugget: Nugget) -> str:
    return f"{'claim' if nugget.is_claim else 'nugget'} {shorten(nugget.nugget_id)}"


def _asked(nugget: Nugget) -> str:
    return shorten(nugget.question or nugget.answers[0].answer, _WIDTH)
