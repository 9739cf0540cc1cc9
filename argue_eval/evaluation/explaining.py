"""Why a score is what it is: the judgments that it rests on, and a sentence's way in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill
from typing import Any, NamedTuple

from argue_eval.errors import plain
from argue_eval.formats.jsonl import encode
from argue_eval.measures.protocols import (
    NO_SENTENCE,
    Answered,
    Asking,
    Compared,
    Judged,
    Known,
    ReportProtocol,
    Target,
    View,
)
from argue_eval.measures.protocols.argue import OUTCOMES
from argue_eval.records import Judgment, Kind, Question, Report, TopicEvidence

_Found = dict[tuple[Kind, Target], Judged]


class _Recorder:
    """What is judged about one report, with a note of everything that was looked up and found.

    Attributes:
        sentences: by sentence index and question.
        texts: by text and question.
        missing: likewise, what was looked up and not found, with None for the report as a whole.
    """

    def __init__(self, known: Known) -> None:
        self._known = known
        self.sentences: dict[int, _Found] = {}
        self.report: _Found = {}
        self.texts: dict[str, _Found] = {}
        self.missing: dict[int | str | None, dict[tuple[Kind, Target], None]] = {}

    def sentence(self, index: int) -> View:
        found = self.sentences.setdefault(index, {})
        return _RecordingView(self._known.sentence(index), found, self.missing, index)

    def whole(self) -> View:
        return _RecordingView(self._known.whole(), self.report, self.missing, None)

    def text(self, text: str) -> View:
        found = self.texts.setdefault(text, {})
        return _RecordingView(self._known.text(text), found, self.missing, text)


class _RecordingView:
    def __init__(
        self,
        view: View,
        found: _Found,
        missing: dict[int | str | None, dict[tuple[Kind, Target], None]],
        name: int | str | None,
    ) -> None:
        self._view = view
        self._found = found
        self._missing = missing
        self._name = name

    def get(self, question: tuple[Kind, Target], /) -> Judged | None:
        judged = self._view.get(question)
        if judged is not None:
            self._found[question] = judged
        elif question[0] is not Kind.RELEVANT:  # it is looked up in the nuggets then
            self._missing.setdefault(self._name, {})[question] = None
        return judged


class _Blind:
    """Knows nothing, so that whatever could matter is looked up, and lets another note it."""

    def __init__(self, view: View) -> None:
        self._view = view

    def get(self, question: tuple[Kind, Target], /) -> None:
        self._view.get(question)


class _BlindRecorder:
    def __init__(self, recorder: _Recorder) -> None:
        self._recorder = recorder

    def sentence(self, index: int) -> View:
        return _Blind(self._recorder.sentence(index))

    def whole(self) -> View:
        return _Blind(self._recorder.whole())

    def text(self, text: str) -> View:
        return _Blind(self._recorder.text(text))


class Asked(NamedTuple):
    """A question that a protocol asks about a report, answered or not.

    Attributes:
        index: the sentence, from 0; None for the report as a whole, or for a text.
        text: what is asked about.
        judged: None if nobody has answered it.
        is_needed: does an outcome wait for the answer?
    """

    evidence: TopicEvidence
    index: int | None  # type: ignore[assignment]  # nobody calls the tuple's method of this name
    text: str
    kind: Kind
    target: Target
    judged: Judged | None
    is_needed: bool

    def question(self) -> Question:
        """The question with all texts that are at hand."""
        report = self.evidence.report
        assert report is not None
        doc_id, nugget_id, answer = _ids(self.kind, self.target)
        is_text = self.index is None and self.kind is Kind.SUPPORT
        return Asking(self.evidence.topic, report).question(
            self.kind,
            NO_SENTENCE if self.index is None else self.index,
            doc_id=doc_id,
            nugget_id=nugget_id,
            answer=self.text if is_text else answer,
        )


def asked(
    protocols: Mapping[str, ReportProtocol[Any, Any]], evidence: TopicEvidence, known: Known
) -> Iterator[Asked]:
    """Yields every question that the protocols may look up about a report, in its order.

    Those too that would be asked if others were answered in another way. Whether a document is
    relevant is not among them: the nuggets say it, if nobody does.
    """
    report = evidence.report
    if report is None:
        return
    recorder = _recorded(protocols, report, known)
    _take_steps(protocols, report, _BlindRecorder(recorder))
    needs = {(each.sentence_index, each.kind, _target(each)) for each in evidence.needs}
    names: list[int | str | None] = [*range(len(report.sentences)), None, *recorder.texts]
    for name in names:
        if isinstance(name, str):
            found, text, index = recorder.texts[name], name, None
        elif name is None:
            found, text, index = recorder.report, report.text, None
        else:
            found, text, index = recorder.sentences.get(name, {}), report.sentences[name].text, name
        place = NO_SENTENCE if index is None else index
        every: dict[tuple[Kind, Target], Judged | None] = {**found}
        every |= recorder.missing.get(name, {})
        for (kind, target), judged in every.items():
            if kind is not Kind.RELEVANT:
                is_needed = (place, kind, target) in needs
                yield Asked(evidence, index, text, kind, target, judged, is_needed)


def _target(question: Question) -> Target:
    if question.kind is Kind.ANSWERS:
        return question.nugget_id, question.answer
    return question.doc_id if question.kind is Kind.SUPPORT else question.nugget_id


def _recorded(
    protocols: Mapping[str, ReportProtocol[Any, Any]], report: Report, known: Known
) -> _Recorder:
    """What the protocols look up about a report, every unit of which takes its step once more."""
    recorder = _Recorder(known)
    _take_steps(protocols, report, recorder)
    return recorder


def _take_steps(
    protocols: Mapping[str, ReportProtocol[Any, Any]], report: Report, known: Known
) -> None:
    for protocol in protocols.values():
        for unit in protocol.units(report):
            protocol.step(unit, known)


def used_judgments(
    protocols: Mapping[str, ReportProtocol[Any, Any]], report: Report, known: Known
) -> Iterator[Judgment]:
    """Yields every judgment on which the scores of a report rest, in report order.

    A judgment names its sentence by place or by text as it did where it was found: equal ones may
    be judged differently.
    """
    recorder = _recorded(protocols, report, known)
    for index, found in sorted(recorder.sentences.items()):
        text = report.sentences[index].text
        named = known.text(text)
        for question, judged in found.items():
            kind = question[0]
            if kind is Kind.FIRST_INSTANCE or named.get(question) != judged:
                yield _judgment(question, judged, report.topic_id, None, report.run_id, index)
            else:
                about = None if kind is Kind.RELEVANT else text
                yield _judgment(question, judged, report.topic_id, about)
    for question, judged in recorder.report.items():
        yield _judgment(question, judged, report.topic_id, None, report.run_id)
    for text, found in recorder.texts.items():
        for question, judged in found.items():
            yield _judgment(question, judged, report.topic_id, text)


def answered(
    protocols: Mapping[str, ReportProtocol[Any, Any]], report: Report, known: Known, others: Known
) -> Iterator[Answered]:
    """Yields every question on which the scores of a report rest, in report order."""
    recorder = _recorded(protocols, report, known)
    places = [
        *(
            (report.sentences[index].text, found, others.sentence(index))
            for index, found in sorted(recorder.sentences.items())
        ),
        (report.text, recorder.report, others.whole()),
        *((text, found, others.text(text)) for text, found in recorder.texts.items()),
    ]
    for text, found, view in places:
        for (kind, target), judged in found.items():
            about = "" if kind is Kind.RELEVANT else text
            other = view.get((kind, target))
            yield Answered(report.topic_id, kind, target, about, judged, other)


def compared(
    protocols: Mapping[str, ReportProtocol[Any, Any]],
    evidence: TopicEvidence,
    known: Known,
    others: Known,
) -> Iterator[Compared]:
    """Yields every sentence of a report, as its scores take it and as somebody else judges it."""
    report = evidence.report
    if report is None:
        return
    of_sentences = {name: each for name, each in protocols.items() if each.counts_sentences}
    for name, protocol in of_sentences.items():
        for unit in protocol.units(report):
            recorder = _Recorder(others)
            ends = protocol.step(unit, known), protocol.step(unit, recorder)
            protocol.step(unit, _BlindRecorder(recorder))
            found = [*recorder.sentences.values(), recorder.report, *recorder.texts.values()]
            said = {
                question: judged
                for each in found
                for question, judged in each.items()
                if question[0] is not Kind.RELEVANT
            }
            questions = [*said, *(one for each in recorder.missing.values() for one in each)]
            own, other = (
                evidence._replace(outcomes={name: protocol.conclude(report, (end,))}, needs=())
                for end in ends
            )
            kinds = frozenset(kind for kind, _ in questions)
            yield Compared(name, own, other, tuple(said.values()), kinds)


def _judgment(
    question: tuple[Kind, Target],
    judged: Judged,
    topic_id: str,
    sentence: str | None,
    run_id: str = "",
    index: int | None = None,
) -> Judgment:
    doc_id, nugget_id, answer = _ids(*question)
    return Judgment(
        kind=question[0],
        topic_id=topic_id,
        verdict=judged.verdict,
        judge=judged.judge,
        sentence=sentence,
        run_id=run_id,
        sentence_index=index,
        doc_id=doc_id,
        nugget_id=nugget_id,
        answer=answer,
        prob=judged.prob,
        rationale=judged.rationale,
    )


def _ids(kind: Kind, target: Target) -> tuple[str, str, str]:
    """The document, the nugget and the answer that a question is about; empty where none is."""
    if isinstance(target, tuple):
        return "", *target
    return (target, "", "") if kind in (Kind.SUPPORT, Kind.RELEVANT) else ("", target, "")


def in_words(record: Mapping[str, Any]) -> str:
    """Where a sentence ends, for people: its way through the chart, or what its protocol says.

    Args:
        record: an object of ``outcomes.jsonl`` with a ``sentence_index``.
    """
    place = ("run_id", "topic_id", "sentence_index")
    head = plain("run {}, topic {}, sentence {}".format(*(record[key] for key in place)))
    if "path" not in record:
        others = {key: value for key, value in record.items() if key not in place}
        return "\n".join([head, *(f"  {key}: {_shown(each)}" for key, each in others.items()), ""])
    lines = [head, f"  '{plain(record['text'])}'", ""]
    for step in record["path"]:
        lines.append(f"  {plain(step['question'])}  {step['answer']}")
        details = ", ".join(plain(each) for each in (step["judge"], step["evidence"]) if each)
        if details:
            lines.append(fill(details, 96, initial_indent=" " * 6, subsequent_indent=" " * 6))
    lines.append("")
    lines += [
        f"  citation {plain(each['doc_id'])}: {_end_of(each)}" for each in record["citations"]
    ]
    effect = f" ({record['effect']})" if record["outcome"] else ""
    lines.append(f"  outcome: {_end_of(record)}{effect}")
    for credit in record["credited"]:
        answer = f", answer '{plain(credit['answer'])}'" if credit["answer"] else ""
        lines.append(f"  credited: nugget {plain(credit['nugget_id'])}{answer}")
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    return f"'{plain(value)}'" if isinstance(value, str) else plain(encode(value))


def _end_of(record: Mapping[str, Any]) -> str:
    outcome = record["outcome"]
    if outcome:
        return f"{outcome}, {OUTCOMES[outcome][1]}"
    possible = " or ".join(str(each) for each in record["possible"])
    return f"unjudged, {possible} possible" if possible else "counted citation by citation"
