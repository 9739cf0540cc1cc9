"""Why a score is what it is: the judgments that it rests on, and a sentence's way in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill
from typing import Any

from argue_eval.errors import ascii_controls, plain
from argue_eval.formats.jsonl import encode
from argue_eval.measures.protocols import Judged, Known, ReportProtocol, Target, View
from argue_eval.measures.protocols.argue import OUTCOMES
from argue_eval.records import Judgment, Kind, Report

_Found = dict[tuple[Kind, Target], Judged]


class _Recorder:
    """What is judged about one report, with a note of everything that was looked up and found.

    Attributes:
        sentences: by sentence index and question.
        texts: by text and question.
    """

    def __init__(self, known: Known) -> None:
        self._known = known
        self.sentences: dict[int, _Found] = {}
        self.report: _Found = {}
        self.texts: dict[str, _Found] = {}

    def sentence(self, index: int) -> View:
        return _RecordingView(self._known.sentence(index), self.sentences.setdefault(index, {}))

    def whole(self) -> View:
        return _RecordingView(self._known.whole(), self.report)

    def text(self, text: str) -> View:
        return _RecordingView(self._known.text(text), self.texts.setdefault(text, {}))


class _RecordingView:
    def __init__(self, view: View, found: _Found) -> None:
        self._view = view
        self._found = found

    def get(self, question: tuple[Kind, Target], /) -> Judged | None:
        judged = self._view.get(question)
        if judged is not None:
            self._found[question] = judged
        return judged


def used_judgments(
    protocols: Mapping[str, ReportProtocol[Any, Any]], report: Report, known: Known
) -> Iterator[Judgment]:
    """Yields every judgment on which the scores of a report rest, in report order.

    Every unit takes its step once more, and what it looks up is noted. A judgment names its
    sentence by place or by text as it did where it was found: equal ones may be judged differently.
    """
    recorder = _Recorder(known)
    for protocol in protocols.values():
        for unit in protocol.units(report):
            protocol.step(unit, recorder)
    for index, found in sorted(recorder.sentences.items()):
        text = report.sentences[index].text
        named = known.text(text)
        for (kind, target), judged in found.items():
            judgment = _judgment(report, kind, target, judged)
            if kind is Kind.FIRST_INSTANCE or named.get((kind, target)) != judged:
                yield judgment._replace(run_id=report.run_id, sentence_index=index)
            else:
                yield judgment._replace(sentence=None if kind is Kind.RELEVANT else text)
    for (kind, target), judged in recorder.report.items():
        yield _judgment(report, kind, target, judged)._replace(run_id=report.run_id)
    for text, found in recorder.texts.items():
        for (kind, target), judged in found.items():
            yield _judgment(report, kind, target, judged)._replace(sentence=text)


def _judgment(report: Report, kind: Kind, target: Target, judged: Judged) -> Judgment:
    nugget_id, answer = target if isinstance(target, tuple) else (target, "")
    is_document = kind in (Kind.SUPPORT, Kind.RELEVANT)
    return Judgment(
        kind=kind,
        topic_id=report.topic_id,
        verdict=judged.verdict,
        judge=judged.judge,
        doc_id=nugget_id if is_document else "",
        nugget_id="" if is_document else nugget_id,
        answer=answer,
        prob=judged.prob,
        rationale=judged.rationale,
    )


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
    lines = [head, f"  {ascii_controls(record['text'])}", ""]
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
        answer = f", answer {ascii_controls(credit['answer'])}" if credit["answer"] else ""
        lines.append(f"  credited: nugget {plain(credit['nugget_id'])}{answer}")
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    return ascii_controls(value) if isinstance(value, str) else plain(encode(value))


def _end_of(record: Mapping[str, Any]) -> str:
    outcome = record["outcome"]
    if outcome:
        return f"{outcome}, {OUTCOMES[outcome][1]}"
    possible = " or ".join(str(each) for each in record["possible"])
    return f"unjudged, {possible} possible" if possible else "counted citation by citation"
