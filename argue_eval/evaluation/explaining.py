"""Why a score is what it is: the judgments that it rests on, and a sentence's way in words; and
what is judged without some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
    Knowledge,
    Known,
    ReportProtocol,
    Target,
    View,
)
from argue_eval.measures.protocols.argue import OUTCOMES
from argue_eval.records import Judgment, Kind, Question, Report, TopicEvidence

Name = int | str | None
"""What is judged: a sentence by its index, another text, or None for the report as a whole."""

_Question = tuple[Kind, Target]

Told = Callable[[_Question, Judged | None], Judged | None]
"""What is told of a text: from a question, and the answer that is known, to the answer."""

_Notes = dict[Name, dict[_Question, Judged | None]]
"""What was looked up of each, with the answers that were found."""


class Watched(NamedTuple):
    """What is judged about one report, where every answer is watched and may be replaced.

    Attributes:
        watch: from the name of a text to what is told of it.
    """

    known: Known
    watch: Callable[[Name], Told]

    def sentence(self, index: int) -> View:
        """As `Known.sentence`."""
        return _WatchedView(self.known.sentence(index), self.watch(index))

    def whole(self) -> View:
        """As `Known.whole`."""
        return _WatchedView(self.known.whole(), self.watch(None))

    def text(self, text: str) -> View:
        """As `Known.text`."""
        return _WatchedView(self.known.text(text), self.watch(text))


class _WatchedView(NamedTuple):
    view: View
    told: Told

    def get(self, question: _Question, /) -> Judged | None:
        return self.told(question, self.view.get(question))


def view_of(known: Known, name: Name) -> View:
    """What is judged about a text, by its name."""
    if name is None:
        return known.whole()
    return known.text(name) if isinstance(name, str) else known.sentence(name)


def _noting(known: Known, notes: _Notes, *, is_blind: bool = False) -> Known:
    """What is known, with a note of everything that is looked up.

    Args:
        is_blind: tell of nothing, so that whatever could matter is looked up.
    """

    def watch(name: Name) -> Told:
        noted = notes.setdefault(name, {})

        def told(question: _Question, judged: Judged | None) -> Judged | None:
            if judged is not None or question[0] is not Kind.RELEVANT:  # the nuggets say it else
                noted[question] = judged
            return None if is_blind else judged

        return told

    return Watched(known, watch)


class Found(NamedTuple):
    """A judgment that was looked up for a report.

    Attributes:
        text: what is judged: a sentence, the report as a whole, or another text.
    """

    report: Report
    text: str
    kind: Kind
    target: Target
    judged: Judged


IsGone = Callable[[Found], bool]


class Without(NamedTuple):
    """What is judged, without what is gone.

    Attributes:
        anew: where answers are looked up that are gone, or never were there.
    """

    knowledge: Knowledge
    is_gone: IsGone
    anew: Knowledge

    def about(self, report: Report) -> Known:
        """What is known about one report."""
        anew = self.anew.about(report)

        def watch(name: Name) -> Told:
            other = view_of(anew, name)
            text = name if isinstance(name, str) else report.text
            if isinstance(name, int):
                text = report.sentences[name].text

            def told(question: _Question, judged: Judged | None) -> Judged | None:
                if judged is None or self.is_gone(Found(report, text, *question, judged)):
                    return other.get(question)
                return judged

            return told

        return Watched(self.knowledge.about(report), watch)


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


class Explained(NamedTuple):
    """A report, and all that its scores rest on.

    Attributes:
        protocols: those of its topic, by name.
        known: what is judged about it.
    """

    evidence: TopicEvidence
    report: Report
    protocols: Mapping[str, ReportProtocol[Any, Any]]
    known: Known

    def outcome_records(self) -> Iterator[dict[str, Any]]:
        """Yields a JSON object per unit: its outcome, and why."""
        for name, protocol in self.protocols.items():
            yield from protocol.records(self.report, self.evidence.outcomes[name], self.known)

    def nugget_records(self) -> Iterator[dict[str, Any]]:
        """Yields a JSON object per nugget: whether it is answered, and where."""
        for name, protocol in self.protocols.items():
            yield from protocol.nugget_records(self.report, self.evidence.outcomes[name])

    def asked(self) -> Iterator[Asked]:
        """Yields every question that the protocols may look up about the report, in its order.

        Those too that would be asked if others were answered in another way. Whether a document is
        relevant is not among them: the nuggets say it, if nobody does.
        """
        notes = self._noted()
        self._take_steps(_noting(self.known, notes, is_blind=True))
        needs = {(each.sentence_index, each.kind, target_of(each)) for each in self.evidence.needs}
        for name, text, noted in _in_order(notes, self.report):
            index = name if isinstance(name, int) else None
            place = NO_SENTENCE if index is None else index
            for (kind, target), judged in sorted(noted.items(), key=lambda each: each[1] is None):
                if kind is not Kind.RELEVANT:
                    is_needed = (place, kind, target) in needs
                    yield Asked(self.evidence, index, text, kind, target, judged, is_needed)

    def used_judgments(self) -> Iterator[Judgment]:
        """Yields every judgment on which the scores of the report rest, in report order.

        A judgment names its sentence by place or by text as it did where it was found: equal ones
        may be judged differently.
        """
        topic_id, run_id = self.report.topic_id, self.report.run_id
        for name, text, noted in _in_order(self._noted(), self.report):
            named = self.known.text(text)
            for question, judged in noted.items():
                if judged is None:
                    continue
                kind = question[0]
                if name is None:
                    yield _judgment(question, judged, topic_id, None, run_id)
                elif isinstance(name, str):
                    yield _judgment(question, judged, topic_id, text)
                elif kind is Kind.FIRST_INSTANCE or named.get(question) != judged:
                    yield _judgment(question, judged, topic_id, None, run_id, name)
                else:
                    about = None if kind is Kind.RELEVANT else text
                    yield _judgment(question, judged, topic_id, about)

    def answered(self, others: Known) -> Iterator[Answered]:
        """Yields every question on which the scores of the report rest, in report order."""
        for name, text, noted in _in_order(self._noted(), self.report):
            view = view_of(others, name)
            for (kind, target), judged in noted.items():
                if judged is not None:
                    about = "" if kind is Kind.RELEVANT else text
                    other = view.get((kind, target))
                    yield Answered(self.report.topic_id, kind, target, about, judged, other)

    def compared(self, others: Known) -> Iterator[Compared]:
        """Yields every sentence, as the scores take it and as somebody else judges it."""
        report = self.report
        of_sentences = {
            name: each for name, each in self.protocols.items() if each.counts_sentences
        }
        for name, protocol in of_sentences.items():
            for unit in protocol.units(report):
                notes: _Notes = {}
                ends = protocol.step(unit, self.known), protocol.step(unit, _noting(others, notes))
                protocol.step(unit, _noting(others, notes, is_blind=True))
                looked_up = [
                    each
                    for _, _, noted in _in_order(notes, report)
                    for each in noted.items()
                    if each[0][0] is not Kind.RELEVANT
                ]
                said = {question: judged for question, judged in looked_up if judged is not None}
                own, other = (
                    self.evidence._replace(
                        outcomes={name: protocol.conclude(report, (end,))}, needs=()
                    )
                    for end in ends
                )
                kinds = frozenset(kind for (kind, _), _ in looked_up)
                yield Compared(name, own, other, tuple(said.values()), kinds)

    def _noted(self) -> _Notes:
        """What the protocols look up about the report, every unit of which takes its step again."""
        notes: _Notes = {}
        self._take_steps(_noting(self.known, notes))
        return notes

    def _take_steps(self, known: Known) -> None:
        for protocol in self.protocols.values():
            for unit in protocol.units(self.report):
                protocol.step(unit, known)


def _in_order(
    notes: _Notes, report: Report
) -> Iterator[tuple[Name, str, dict[_Question, Judged | None]]]:
    """Yields what was looked up, with its text: sentences as they come, the report, other texts."""
    for index, sentence in enumerate(report.sentences):
        if index in notes:
            yield index, sentence.text, notes[index]
    if None in notes:
        yield None, report.text, notes[None]
    for name, noted in notes.items():
        if isinstance(name, str):
            yield name, name, noted


def _judgment(
    question: _Question,
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
