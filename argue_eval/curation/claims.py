"""Makes claim nuggets of what the cited sentences of several runs say.

The documents of a claim are those that its sentences cite, or those of them that support the
sentence where that is known. The text of a claim does not say whose it is; its record does.
Without a model, a sentence is a claim, and sentences with the same words are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from argue_eval.curation.model import Call, Kept, Model, Progress
from argue_eval.curation.texts import (
    Listing,
    ReplyError,
    list_of,
    numbered,
    object_with,
    request_block,
)
from argue_eval.judges import Judge
from argue_eval.judges.lexical.text import analyse
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.records import (
    Answer,
    Document,
    Kind,
    Nugget,
    Question,
    Report,
    ReportRequest,
    Run,
    TopicNuggets,
    Verdict,
    nfc,
)
from argue_eval.text.words import words

CLAIMED_BY = "claimed_by"
"""The further key of a claim that says which sentences of which runs claim it."""

MAX_SENTENCES = 40
"""Sentences that a model is shown in one call."""

_REPLY_TOKENS, _REPLY_TOKENS_PER_SENTENCE = 512, 120
_CLAIMS = Listing("claims", point="string", numbers=list_of("integer"))


class Support(NamedTuple):
    """What is known of which documents support which sentences.

    Attributes:
        known: judgments; None if there are none.
        judge: who is asked about what they leave open; None for nobody.
        documents: the texts for the judge, by id.
    """

    known: JudgmentIndex | None = None
    judge: Judge | None = None
    documents: Mapping[str, Document] = {}


class Said(NamedTuple):
    """A sentence with the documents that attest it."""

    run_id: str
    sentence: int
    text: str
    doc_ids: tuple[str, ...]


@dataclass(slots=True)
class Claimed:
    """The claims of runs.

    Attributes:
        num_sentences: cited sentences; `num_unattested`: those of them without a document that
            supports them, whose claims are left out.
        num_citations: citations of them; `num_unsupported`: those whose document does not support
            the sentence; `num_unjudged`: those of which nobody said whether it does.
        num_changed: claims of a model that were left out, since they have a number that their
            sentence has not.
    """

    topics: list[TopicNuggets] = field(default_factory=list)
    num_sentences: int = 0
    num_unattested: int = 0
    num_citations: int = 0
    num_unsupported: int = 0
    num_unjudged: int = 0
    num_changed: int = 0


def said_in(
    runs: Sequence[Run], topic_ids: Iterable[str] | None, support: Support
) -> tuple[dict[str, list[Said]], Claimed]:
    """The cited sentences of all runs by topic, with the documents that attest them.

    Args:
        topic_ids: the topics, in the order of the output; None for those of the runs.
    """
    reports = [report for run in runs for report in run]
    wanted = list(dict.fromkeys(topic_ids or [report.topic_id for report in reports]))
    said: dict[str, list[Said]] = {topic_id: [] for topic_id in wanted}
    found = Claimed()
    for report in reports:
        if report.topic_id in said:
            said[report.topic_id] += _attested(report, support, found)
    return said, found


def _attested(report: Report, support: Support, found: Claimed) -> Iterator[Said]:
    verdicts = _verdicts(report, support)
    for index, sentence in enumerate(report.sentences):
        cited = list(dict.fromkeys(each.doc_id for each in sentence.citations))
        if not cited or not sentence.text.strip():
            continue
        found.num_sentences += 1
        found.num_citations += len(cited)
        known = [verdicts.get((index, doc_id)) for doc_id in cited]
        kept = cited
        if support.known is not None or support.judge is not None:
            kept = [doc for doc, each in zip(cited, known, strict=True) if each is Verdict.YES]
            num_unjudged = sum(each is None for each in known)
            found.num_unjudged += num_unjudged
            found.num_unsupported += len(cited) - len(kept) - num_unjudged
        if kept:
            yield Said(report.run_id, index, sentence.text, tuple(kept))
        else:
            found.num_unattested += 1


def _verdicts(report: Report, support: Support) -> dict[tuple[int, str], Verdict]:
    """Which documents support which sentences, as judgments say, then the judge."""
    found: dict[tuple[int, str], Verdict] = {}
    about = (support.known or JudgmentIndex()).about(report)
    open_: list[tuple[int, str]] = []
    for index, sentence in enumerate(report.sentences):
        for doc_id in dict.fromkeys(each.doc_id for each in sentence.citations):
            known = about.sentence(index).get((Kind.SUPPORT, doc_id))
            if known is not None and known.verdict is not None:
                found[index, doc_id] = known.verdict
            elif support.judge is not None and doc_id in support.documents:
                open_.append((index, doc_id))
    if support.judge is not None and open_:
        questions = [
            Question(
                kind=Kind.SUPPORT,
                topic_id=report.topic_id,
                run_id=report.run_id,
                sentence_index=index,
                doc_id=doc_id,
                text=nfc(report.sentences[index].text),
                document=support.documents[doc_id],
            )
            for index, doc_id in open_
        ]
        for reply in support.judge.answer(questions):
            if reply.verdict is not None:
                found[open_[reply.index]] = reply.verdict
    return found


def by_sentence(said: Mapping[str, Sequence[Said]], found: Claimed) -> Claimed:
    """Makes a claim of every sentence."""
    found.topics = [
        _topic(topic_id, [(each.text, [each]) for each in own], "claims sentences")
        for topic_id, own in said.items()
    ]
    return found


def by_model(
    said: Mapping[str, Sequence[Said]],
    requests: Mapping[str, ReportRequest],
    model: Model,
    found: Claimed,
    progress: Progress | None = None,
) -> Claimed:
    """Has a language model split the sentences into claims; its tally has the calls that failed."""
    parts = [(topic_id, part) for topic_id, own in said.items() for part in _parts(own)]
    calls = [
        Call(
            "claims",
            about={"topic_id": topic_id, "run_id": part[0].run_id},
            shared=(request_block(requests.get(topic_id) or ReportRequest(topic_id)),),
            own=numbered("sentences", [each.text for each in part]),
            max_tokens=_REPLY_TOKENS + _REPLY_TOKENS_PER_SENTENCE * len(part),
            schema=_CLAIMS.schema,
        )
        for topic_id, part in parts
    ]
    claims: dict[str, list[tuple[str, list[Said]]]] = {topic_id: [] for topic_id in said}
    for (topic_id, part), read in zip(parts, model.ask(calls, _read, progress), strict=True):
        for text, numbers in read or ():
            sources = [part[number - 1] for number in numbers]
            if _adds_number(text, sources):
                found.num_changed += 1
            else:
                claims[topic_id].append((text, sources))
    made_by = f"claims {model.signature('claims')}"
    found.topics = [_topic(topic_id, own, made_by) for topic_id, own in claims.items()]
    return found


def _parts(said: Sequence[Said]) -> Iterator[list[Said]]:
    """Yields the sentences of each report, in parts; a model is not told whose they are."""
    of_report: dict[str, list[Said]] = {}
    for each in said:
        of_report.setdefault(each.run_id, []).append(each)
    for sentences in of_report.values():
        for start in range(0, len(sentences), MAX_SENTENCES):
            yield sentences[start : start + MAX_SENTENCES]


def _read(call: Call, kept: Kept) -> list[tuple[str, list[int]]]:
    """The claims of a reply, each with the numbers of its sentences."""
    claims = object_with(kept.text, "claims")["claims"]
    if not isinstance(claims, list) or not all(isinstance(claim, dict) for claim in claims):
        raise ReplyError("the claims of the reply are not a list of objects")
    found = []
    for claim in claims:
        numbers, text = claim.get("numbers"), claim.get("point")
        if not isinstance(text, str) or not isinstance(numbers, list) or not numbers:
            raise ReplyError("a claim of the reply has no text, or no sentences")
        if not all(type(each) is int and 1 <= each <= len(call.own.lines) for each in numbers):
            raise ReplyError("a claim of the reply names a sentence that does not exist")
        if text.strip():
            found.append((" ".join(text.split()), sorted(set(numbers))))
    return found


def _adds_number(text: str, sources: Sequence[Said]) -> bool:
    """Whether a claim has a number or date that no sentence has from which it was made."""
    keys = frozenset(key for each in sources for key in analyse(each.text).keys)
    return any(keys.isdisjoint(need) for need in analyse(text).needs)


def _topic(
    topic_id: str, claims: Sequence[tuple[str, Sequence[Said]]], made_by: str
) -> TopicNuggets:
    """The claims of a topic; those with the same words are one."""
    same: dict[Any, list[tuple[str, Sequence[Said]]]] = {}
    for text, sources in claims:
        same.setdefault(words(text) or text, []).append((text, sources))
    nuggets = []
    for number, group in enumerate(same.values(), 1):
        sources = list(dict.fromkeys(each for _, own in group for each in own))
        doc_ids = dict.fromkeys(doc_id for each in sources for doc_id in each.doc_ids)
        extra = {
            CLAIMED_BY: [{"run_id": each.run_id, "sentence": each.sentence} for each in sources],
            "made_by": [made_by],
        }
        answer = Answer(group[0][0], tuple(doc_ids))
        nuggets.append(Nugget(f"{topic_id}-c{number}", None, (answer,), extra=extra))
    return TopicNuggets(topic_id, tuple(nuggets))
