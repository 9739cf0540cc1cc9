"""Reads judgments and assessments, by judge and question, and what is known about the reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from argue_eval import formats
from argue_eval.errors import Finding, shorten
from argue_eval.formats.jsonl import Source
from argue_eval.formats.judgments import summhay_labels
from argue_eval.records import Judgment, Kind, Verdict

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

Place = tuple[str, int | None]
"""A run and a sentence's index in its report; None for the report as a whole."""

Key = tuple[str, str | Place, str | tuple[str, str]]
"""What a question is about: topic, sentence by text or place, and document, nugget or answer."""

_DATABASE = b"SQLite format 3\0"

Said = tuple[Verdict, float | None]
"""A verdict and the probability of a yes, if the judge gives one."""


@dataclass(slots=True)
class Judge:
    """What one judge said, by kind and question; `failures` are the questions it failed on."""

    name: str
    answers: dict[Kind, dict[Key, Said]] = field(default_factory=dict)
    failures: set[Key] = field(default_factory=set)


class Facts(NamedTuple):
    """What is known about a report besides its judgments; None where it is not known."""

    system: str
    num_bullets: int | None
    num_words: int | None


@dataclass(slots=True)
class Reports:
    """Which sentences stand where.

    Attributes:
        facts: by topic and run.
        runs: the runs of a sentence, by topic and text.
    """

    facts: dict[tuple[str, str], Facts] = field(default_factory=dict)
    runs: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)
    _texts: dict[tuple[str, str, int], str] = field(default_factory=dict)
    _places: dict[tuple[str, str], dict[Place, None]] = field(default_factory=dict)

    def add(self, topic_id: str, text: str, run_id: str, index: int | None) -> None:
        """Notes where a sentence stands; its index may be unknown."""
        self.runs.setdefault((topic_id, text), {})[run_id] = None
        if index is not None:
            self._texts[topic_id, run_id, index] = text
            self._places.setdefault((topic_id, text), {})[run_id, index] = None

    def text(self, topic_id: str, place: Place) -> str | None:
        """Returns the text at a place, if it is known."""
        run_id, index = place
        return None if index is None else self._texts.get((topic_id, run_id, index))

    def places(self, topic_id: str, text: str) -> Iterable[Place]:
        """Returns every place at which a sentence is known to stand."""
        return self._places.get((topic_id, text), ())

    def bullets(self, topic_id: str, run_id: str) -> set[int]:
        """Returns the places of a report's sentences, without blank ones, which cover nothing."""
        facts = self.facts.get((topic_id, run_id))
        places = range((facts and facts.num_bullets) or 0)
        return {index for index in places if self.text(topic_id, (run_id, index)) != ""}

    def system(self, topic_id: str, run_id: str) -> str:
        """Returns whose report it is: the run's id, unless the file knows better."""
        facts = self.facts.get((topic_id, run_id))
        return facts.system if facts else run_id


class Files(NamedTuple):
    """Where everything is. Without `truth`, the assessors are looked for in `judgments`."""

    judgments: Sequence[str] = ()
    truth: Sequence[str] = ()
    qrels: str | None = None
    runs: Sequence[str] = ()


class Reader:
    """Reads the judgments of one file after the other.

    Attributes:
        reports: what is known about reports so far.
        notes: what people must know about the judges.
    """

    def __init__(self, files: Files, warnings: list[Finding]) -> None:
        self.reports = Reports()
        self.notes: list[str] = []
        self._warnings = warnings
        self._nuggets = formats.read_nuggets(files.qrels, warnings=warnings) if files.qrels else []
        for path in files.runs:
            self._read_run(path)

    def _read_run(self, path: str) -> None:
        for report in formats.read_run(path, warnings=self._warnings):
            texts = [_normal(sentence.text) for sentence in report.sentences]
            for index, text in enumerate(texts):
                self.reports.add(report.topic_id, text, report.run_id, index)
            self.reports.facts[report.topic_id, report.run_id] = Facts(
                report.run_id, len(texts), sum(len(text.split()) for text in texts)
            )

    def judges(self, path: str) -> dict[str, Judge]:
        """Returns the judges of a file, in order of their first appearance."""
        if _is_store(path):
            return self._by_judge(self._stored(path))
        source = Source(path)
        found = formats.read_judgments(source, self._nuggets, warnings=self._warnings)
        judges = self._by_judge(found)
        self._add_summaries(source, judges)
        return judges

    def _by_judge(self, found: Iterable[Judgment]) -> dict[str, Judge]:
        judges: dict[str, Judge] = {}
        last: tuple[str | None, str] = (None, "")
        for judgment in found:
            if judgment.sentence is not None and judgment.sentence != last[0]:
                last = (judgment.sentence, _normal(judgment.sentence))
            judge = judges.get(judgment.judge)
            if judge is None:
                judge = judges[judgment.judge] = Judge(judgment.judge)
            key = self._key(judgment, last[1])
            judge.answers.setdefault(judgment.kind, {})[key] = (judgment.verdict, judgment.prob)
        return judges

    def _stored(self, path: str) -> Iterator[Judgment]:
        """Returns the judgments of a store, and notes on what its judges failed."""
        from argue_eval.judgments import sharing, verifying

        for kind, judge, reason, number, _ in verifying.info(path).failures:
            self.notes.append(f"{shorten(judge)} failed on {number} {kind} questions: {reason}")
        return sharing.judgments(path)

    def _key(self, judgment: Judgment, text: str) -> Key:
        """Returns what a judgment is about, and notes what it tells about places."""
        kind, topic_id, run_id = judgment.kind, judgment.topic_id, judgment.run_id
        if kind is Kind.RELEVANT:
            return topic_id, "", judgment.doc_id
        target: str | tuple[str, str] = judgment.doc_id or judgment.nugget_id
        if kind is Kind.ANSWERS:
            target = (judgment.nugget_id, judgment.answer)
        if judgment.sentence is None:
            return topic_id, (run_id, judgment.sentence_index), target
        if run_id:
            self.reports.add(topic_id, text, run_id, judgment.sentence_index)
        if kind is Kind.FIRST_INSTANCE:
            return topic_id, (run_id, judgment.sentence_index), target
        return topic_id, text, target

    def _add_summaries(self, source: Source, judges: dict[str, Judge]) -> None:
        for each in summhay_labels.read_summaries(source):
            facts = Facts(each.system, each.num_bullets, each.num_words)
            self.reports.facts[each.topic_id, each.run_id] = facts
            for name, nugget_id in each.failures:
                judge = judges.setdefault(name, Judge(name))
                judge.failures.add((each.topic_id, (each.run_id, None), nugget_id))


def _is_store(path: str) -> bool:
    """Returns whether a file is a database, as ``score --store`` writes."""
    if path == "-" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as stream:
        return stream.read(len(_DATABASE)) == _DATABASE


def _normal(text: str) -> str:
    """Returns a text such that equal is what looks equal."""
    text = text.strip()
    return text if text.isascii() else normalize("NFC", text)
