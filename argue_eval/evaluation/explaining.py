"""Why a score is what it is: the judgments that it rests on, and a sentence's way in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill
from typing import Any, NamedTuple

from argue_eval.errors import plain
from argue_eval.formats.jsonl import encode
from argue_eval.judgments.index import target_of
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

_Name = int | str | None
"""What is judged: a sentence by its index, another text, or None for the report as a whole."""

_Notes = dict[_Name, dict[tuple[Kind, Target], Judged | None]]
"""What was looked up of each, with the answers that were found."""


class _Recorder:
    """What is judged about one report, with a note of everything that is looked up.

    Args:
        notes: what is looked up is added to these.
        is_blind: tell of nothing, so that whatever could matter is looked up.
    """

    def __init__(self, known: Known, notes: _Notes, *, is_blind: bool = False) -> None:
        self._known = known
        self._notes = notes
        self._is_blind = is_blind

    def sentence(self, index: int) -> View:
        return self._noting(index, self._known.sentence(index))

    def whole(self) -> View:
        return self._noting(None, self._known.whole())

    def text(self, text: str) -> View:
        return self._noting(text, self._known.text(text))

    def _noting(self, name: _Name, view: View) -> View:
        return _NotingView(view, self._notes.setdefault(name, {}), self._is_blind)


class _NotingView:
    def __init__(
        self, view: View, noted: dict[tuple[Kind, Target], Judged | None], is_blind: bool
    ) -> None:
        self._view = view
        self._noted = noted
        self._is_blind = is_blind

    def get(self, question: tuple[Kind, Target], /) -> Judged | None:
        judged = self._view.get(question)
        if judged is not None or question[0] is not Kind.RELEVANT:  # the nuggets say it else
            self._noted[question] = judged
        return None if self._is_blind else judged


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
    protocols: Mapping[str, ReportProtocol[Any, Any]],
    evidence: TopicEvidence,
    report: Report,
    known: Known,
) -> Iterator[Asked]:
    """Yields every question that the protocols may look up about a report, in its order.

    Those too that would be asked if others were answered in another way. Whether a document is
    relevant is not among them: the nuggets say it, if nobody does.
    """
    notes = _noted(protocols, report, known)
    _take_steps(protocols, report, _Recorder(known, notes, is_blind=True))
    needs = {(each.sentence_index, each.kind, target_of(each)) for each in evidence.needs}
    for name, text, noted in _in_order(notes, report):
        index = name if isinstance(name, int) else None
        place = NO_SENTENCE if index is None else index
        for (kind, target), judged in sorted(noted.items(), key=lambda each: each[1] is None):
            if kind is not Kind.RELEVANT:
                is_needed = (place, kind, target) in needs
                yield Asked(evidence, index, text, kind, target, judged, is_needed)


def _noted(
    protocols: Mapping[str, ReportProtocol[Any, Any]], report: Report, known: Known
) -> _Notes:
    """What the protocols look up about a report, every unit of which takes its step once more."""
    notes: _Notes = {}
    _take_steps(protocols, report, _Recorder(known, notes))
    return notes


def _take_steps(
    protocols: Mapping[str, ReportProtocol[Any, Any]], report: Report, known: Known
) -> None:
    for protocol in protocols.values():
        for unit in protocol.units(report):
            protocol.step(unit, known)


def _in_order(
    notes: _Notes, report: Report
) -> Iterator[tuple[_Name, str, dict[tuple[Kind, Target], Judged | None]]]:
    """Yields what was looked up, with its text: sentences as they come, the report, other texts."""
    for index, sentence in enumerate(report.sentences):
        if index in notes:
            yield index, sentence.text, notes[index]
    if None in notes:
        yield None, report.text, notes[None]
    for name, noted in notes.items():
        if isinstance(name, str):
            yield name, name, noted


def used_judgments(
    protocols: Mapping[str, ReportProtocol[Any, Any]], report: Report, known: Known
) -> Iterator[Judgment]:
    """Yields every judgment on which the scores of a report rest, in report order.

    A judgment names its sentence by place or by text as it did where it was found: equal ones may
    be judged differently.
    """
    for name, text, noted in _in_order(_noted(protocols, report, known), report):
        named = known.text(text)
        for question, judged in noted.items():
            if judged is None:
                continue
            kind = question[0]
            if name is None:
                yield _judgment(question, judged, report.topic_id, None, report.run_id)
            elif isinstance(name, str):
                yield _judgment(question, judged, report.topic_id, text)
            elif kind is Kind.FIRST_INSTANCE or named.get(question) != judged:
                yield _judgment(question, judged, report.topic_id, None, report.run_id, name)
            else:
                about = None if kind is Kind.RELEVANT else text
                yield _judgment(question, judged, report.topic_id, about)


def answered(
    protocols: Mapping[str, ReportProtocol[Any, Any]], report: Report, known: Known, others: Known
) -> Iterator[Answered]:
    """Yields every question on which the scores of a report rest, in report order."""
    for name, text, noted in _in_order(_noted(protocols, report, known), report):
        if name is None:
            view = others.whole()
        else:
            view = others.text(name) if isinstance(name, str) else others.sentence(name)
        for (kind, target), judged in noted.items():
            if judged is not None:
                about = "" if kind is Kind.RELEVANT else text
                other = view.get((kind, target))
                yield Answered(report.topic_id, kind, target, about, judged, other)


def compared(
    protocols: Mapping[str, ReportProtocol[Any, Any]],
    evidence: TopicEvidence,
    report: Report,
    known: Known,
    others: Known,
) -> Iterator[Compared]:
    """Yields every sentence of a report, as its scores take it and as somebody else judges it."""
    of_sentences = {name: each for name, each in protocols.items() if each.counts_sentences}
    for name, protocol in of_sentences.items():
        for unit in protocol.units(report):
            notes: _Notes = {}
            ends = protocol.step(unit, known), protocol.step(unit, _Recorder(others, notes))
            protocol.step(unit, _Recorder(others, notes, is_blind=True))
            looked_up = [
                each
                for _, _, noted in _in_order(notes, report)
                for each in noted.items()
                if each[0][0] is not Kind.RELEVANT
            ]
            said = {question: judged for question, judged in looked_up if judged is not None}
            own, other = (
                evidence._replace(outcomes={name: protocol.conclude(report, (end,))}, needs=())
                for end in ends
            )
            kinds = frozenset(kind for (kind, _), _ in looked_up)
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
