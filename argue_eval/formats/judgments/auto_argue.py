"""Auto-ARGUE's judgments: JSON lines with `report` and `judgments` or `sentence_judgments`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from argue_eval.errors import shorten
from argue_eval.formats.checking import Check, Fields, as_fields
from argue_eval.records import Judgment, Kind, TopicNuggets, Verdict

Pair = tuple[str, str]
"""A nugget's id and one of its answers."""


class _NuggetTexts:
    """The nuggets of all topics, by question and answer and by attesting document.

    The files know no ids.
    """

    def __init__(self, nuggets: Sequence[TopicNuggets]) -> None:
        self._topics = {topic.topic_id for topic in nuggets}
        self._by_text: dict[tuple[str, str, str], list[Pair]] = {}
        self._by_document: dict[tuple[str, str], list[Pair]] = {}
        self._by_topic: dict[str, dict[Pair, None]] = {}
        for topic in nuggets:
            for nugget in topic.nuggets:
                question = (nugget.question or "").strip()
                for answer in nugget.answers:
                    pair = (nugget.nugget_id, answer.answer)
                    key = (topic.topic_id, question, answer.answer.strip())
                    self._by_text.setdefault(key, []).append(pair)
                    self._by_topic.setdefault(topic.topic_id, {})[pair] = None
                    for doc_id in answer.doc_ids:
                        self._by_document.setdefault((topic.topic_id, doc_id), []).append(pair)

    def __contains__(self, topic_id: str) -> bool:
        return topic_id in self._topics

    def find(self, topic_id: str, question: str, answer: str) -> list[Pair]:
        """All nuggets with this question that have this answer."""
        return self._by_text.get((topic_id, question.strip(), answer.strip()), [])

    def answers(self, topic_id: str) -> Iterable[Pair]:
        """All answers of the topic, each once."""
        return self._by_topic.get(topic_id, ())

    def attested(self, topic_id: str, doc_ids: Iterable[str]) -> list[Pair]:
        """All answers of the topic that one of the documents attests, each once."""
        found: dict[Pair, None] = {}
        for doc_id in doc_ids:
            found.update(dict.fromkeys(self._by_document.get((topic_id, doc_id), ())))
        return list(found)


_YES_OR_NO = {
    "SENTENCE_ATTESTED": (Kind.SUPPORT, "is_attested"),
    "CITED_DOCUMENT_RELEVANCE": (Kind.RELEVANT, "is_relevant"),
}
_LISTS = ("judgments", "sentence_judgments")
_MATCHES = "SENTENCE_ANSWERS_QUESTION"
_JUDGE = "auto_argue"


def read(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
) -> Iterator[Judgment]:
    """Yields the judgments of each report.

    A sentence is named by its run and place, so that equal sentences of two runs keep their own
    verdicts; by its text if the file does not say which run it is.

    The file lists the answers that a sentence gives. An answer that is attested by a document
    about which the sentence was asked, and is not in the list, is a `no`. So is any other answer of
    the topic if the judge was asked about all of them, as is seen where it lists one that no such
    document attests; otherwise nothing is known of it.
    """
    reader = _Reader(check, _NuggetTexts(nuggets))
    for value in values:
        top = as_fields(check, value)
        if not top:
            continue
        # Those of RAGTIME 2025 may have the ids of the report beside the judgments.
        is_flat = "sentence_judgments" in top.rest
        report = top.object("report", required=not is_flat) or (top if is_flat else None)
        meta = report and (
            report.object("metadata", required=not is_flat) or (report if is_flat else None)
        )
        if report and meta:
            yield from reader.report(top, report, meta)


class _Reader:
    """Reads one report after the other.

    While it is not known of a judge whether it was asked about all answers, the sentences of which
    it was asked wait, with the answers that are judged for them.
    """

    def __init__(self, check: Check, texts: _NuggetTexts) -> None:
        self._check = check
        self._texts = texts
        self._asked_all: set[str] = set()
        self._waiting: dict[str, list[tuple[Judgment, tuple[Pair, ...]]]] = {}

    def report(self, top: Fields, report: Fields, meta: Fields) -> Iterator[Judgment]:
        keys = ("topic_id", "narrative_id", "request_id")
        topic_id = meta.identifier(*keys, or_number="narrative_id" in meta.rest)
        run_id = meta.identifier("run_id", required=False)
        model = top.text("model", "llm_model", required=False)
        judge = f"{_JUDGE}:{model}" if model else _JUDGE
        if topic_id and topic_id not in self._texts:
            message = f"no nuggets for the topic {shorten(topic_id)} of these judgments"
            hint = "without them, it is unknown which answers a sentence gives"
            self._check.warn("unknown_topic", message, meta.path, hint=hint, once=True)
        sentences = list(report.objects("responses", "answer", "sentences", required=False))
        for index, entry in enumerate(top.objects(*_LISTS)):
            sentence = None
            if not run_id:
                if index >= len(sentences):
                    message = "the sentence is not named: the report has no run_id and no such text"
                    self._check.error("missing_key", message, entry.path, hint="add run_id")
                    return
                sentence = sentences[index].text("text", blank=False)
            of_sentence = Judgment(
                kind=Kind.ANSWERS,
                topic_id=topic_id,
                verdict=Verdict.NO,
                judge=judge,
                sentence=sentence,
                run_id=run_id,
                sentence_index=None if sentence else index,
            )
            yield from self._sentence(entry, of_sentence)

    def _sentence(self, entry: Fields, of_sentence: Judgment) -> Iterator[Judgment]:
        cited = list(_cited(entry))
        matched: list[list[Pair]] | None = None
        asked: dict[str, None] = {}
        for item in entry.objects("judgments"):
            word = item.text("judgment_type_id")
            source = item.object("provenance", required=False)
            doc_id = source.identifier("doc_id", required=False) if source else ""
            if word in _YES_OR_NO:
                kind, key = _YES_OR_NO[word]
                doc_id = doc_id or self._only(cited, item)
                verdict = self._verdict(item, key)
                if verdict is None or not doc_id:
                    continue
                found = of_sentence._replace(kind=kind, verdict=verdict, doc_id=doc_id)
                if kind is Kind.RELEVANT:
                    found = found._replace(sentence=None, run_id="", sentence_index=None)
                yield found
            elif word == _MATCHES:
                pairs = self._matches(item, of_sentence.topic_id)
                if pairs is not None:
                    matched = [*(matched or ()), *pairs]
                    asked.update(dict.fromkeys([doc_id] if doc_id else cited))
            elif word:
                message = f"judgments of the type {shorten(word)} are not read"
                self._check.warn("unknown_kind", message, item.path, once=True)
        if matched is not None:
            attested = self._texts.attested(of_sentence.topic_id, asked)
            yield from self._answers(of_sentence, matched, attested)

    def _answers(
        self, of_sentence: Judgment, matched: Sequence[Sequence[Pair]], attested: Sequence[Pair]
    ) -> Iterator[Judgment]:
        """Yields the answers of a sentence, and of those that waited for what it shows.

        Args:
            matched: for each listed answer, the nuggets that have it.
            attested: the answers about which the judge was asked in any case.
        """
        given = dict.fromkeys(chain(*matched))
        for pair in given:
            yield _answer(of_sentence, Verdict.YES, pair)
        judge = of_sentence.judge
        waiting = self._waiting.setdefault(judge, [])
        if any(not set(pairs).intersection(attested) for pairs in matched):
            self._asked_all.add(judge)
        if judge not in self._asked_all:
            for pair in attested:
                if pair not in given:
                    yield _answer(of_sentence, Verdict.NO, pair)
            waiting.append((of_sentence, (*given, *attested)))
            return
        for sentence, judged in (*waiting, (of_sentence, tuple(given))):
            known = set(judged)
            for pair in self._texts.answers(sentence.topic_id):
                if pair not in known:
                    yield _answer(sentence, Verdict.NO, pair)
        waiting.clear()

    def _only(self, cited: Sequence[str], item: Fields) -> str:
        if len(cited) == 1:
            return cited[0]
        message = "the judgment does not say about which document it is: 'provenance.doc_id'"
        self._check.error("missing_key", message, item.path, hint="add it")
        return ""

    def _verdict(self, item: Fields, key: str) -> Verdict | None:
        """The answer; None if there is none, as after a failure of the judge."""
        response = self._response(item, key)
        value = response.rest.get(key) if response else None
        if type(value) is bool:
            return Verdict.YES if value else Verdict.NO
        if value is None:
            message = f"a judgment without {key!r} is left out"
            hint = "what it is about stays unjudged"
            self._check.warn("no_verdict", message, item.path, hint=hint, once=True)
        elif response:
            self._check.wrong_type("true or false", value, (*response.path, key))
        return None

    def _response(self, item: Fields, key: str) -> Fields | None:
        """The object with the judge's answer, which may be the judgment itself."""
        return item if key in item.rest else item.object("response", required=False)

    def _matches(self, item: Fields, topic_id: str) -> list[list[Pair]] | None:
        """For each answer that the sentence gives, the nuggets that have it; None if unjudged."""
        key = "matched_nuggets"
        response = self._response(item, key)
        if response is None or response.rest.get(key) is None:
            self._verdict(item, key)
            return None
        found: list[list[Pair]] = []
        for match in response.objects(key):
            question = match.text("question_text")
            for value, path in match.items("matched_answer"):
                if type(value) is not str:
                    self._check.wrong_type("an answer's text", value, path)
                    continue
                pairs = self._texts.find(topic_id, question, value)
                if pairs:
                    found.append(pairs)
                elif topic_id in self._texts:
                    message = f"no nugget has the answer {shorten(value)} to {shorten(question)}"
                    hint = "are these the nuggets with which it was judged?"
                    self._check.warn("unknown_answer", message, path, hint=hint, once=True)
        return found


def _cited(entry: Fields) -> Iterator[str]:
    """Yields the documents of a list of ids or of objects with them."""
    for value, path in entry.items("citations", required=False):
        if type(value) is str:
            yield entry.check.identifier(value, path)
        elif fields := as_fields(entry.check, value, path):
            yield fields.identifier("doc_id")


def _answer(of_sentence: Judgment, verdict: Verdict, pair: Pair) -> Judgment:
    nugget_id, answer = pair
    return of_sentence._replace(verdict=verdict, nugget_id=nugget_id, answer=answer)
