"""Reads the judgments of truth and judges by question, and what is known about the reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from argue_eval import formats
from argue_eval.analysis.scores import Held
from argue_eval.errors import Finding, InputError, UsageError, check_names, shorten, some
from argue_eval.formats.jsonl import STORE, Source
from argue_eval.formats.judgments import summhay_labels
from argue_eval.formats.processes import Progress
from argue_eval.formats.sheets import is_assessor
from argue_eval.records import Judgment, Kind, Report, Run, Verdict, nfc

Place = tuple[str, int | None]
"""A run and a sentence's index in its report; None for the report as a whole."""

Key = tuple[str, str | Place, str | tuple[str, str]]
"""What a question is about: topic, sentence by text or place, and document, nugget or answer."""

Said = tuple[Verdict, float | None]
"""A verdict and the probability of a yes, if the judge gives one."""

NUM_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be compared, and how: the arguments of `argue_eval.meta_eval`.

    Attributes:
        judgments: files, or what is `Held`; so `truth`, `scores` and `truth_scores`.
        qrels: a file of nuggets.
        is_panel: compare the judges, by default all assessors, among themselves: no truth.
        is_calibrated: fit how the judges' probabilities are best read.
        notes: caveats about what is held in memory.
    """

    judgments: Sequence[str] = ()
    truth: Sequence[str] = ()
    qrels: str | None = None
    runs: Sequence[str | Run] = ()
    judges: Sequence[str] = ()
    truth_judges: Sequence[str] = ()
    kinds: Sequence[str] = ()
    scores: Sequence[str] = ()
    truth_scores: Sequence[str] = ()
    measures: Sequence[str] = ()
    labels: str | None = None
    truth_labels: str | None = None
    relevant_from: str = "1"
    unlabelled: int | None = None
    is_panel: bool = False
    is_calibrated: bool = False
    num_resamples: int = NUM_RESAMPLES
    top: int = 10
    notes: Sequence[str] = ()


@dataclass(slots=True)
class Judge:
    """The answers of one judge by kind and question.

    Attributes:
        failures: the questions that it failed on.
        drawn: the probability with which a question was drawn to be judged, where a sheet says so
            and it matters.
    """

    name: str
    answers: dict[Kind, dict[Key, Said]] = field(default_factory=dict)
    failures: set[Key] = field(default_factory=set)
    drawn: dict[tuple[Kind, Key], float] = field(default_factory=dict)

    def update(self, other: Judge) -> None:
        """Adds the answers of a later file, which replace earlier ones to the same questions."""
        for kind, answers in other.answers.items():
            for key, said in answers.items():
                self.say(kind, key, said)
        self.failures |= other.failures
        self.drawn |= other.drawn

    def say(self, kind: Kind, key: Key, said: Said) -> None:
        """Adds an answer. It comes last, since it also replaces one that names the sentence in
        another way.
        """
        answers = self.answers.setdefault(kind, {})
        answers.pop(key, None)
        answers[key] = said


class Facts(NamedTuple):
    """What is known about a report besides its judgments; None where it is not known."""

    system: str
    num_bullets: int | None
    num_words: int | None


@dataclass(slots=True)
class Reports:
    """Which sentences are in which reports.

    Attributes:
        facts: by topic and run.
        runs: the runs of a sentence, by topic and text.
    """

    facts: dict[tuple[str, str], Facts] = field(default_factory=dict)
    runs: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)
    _texts: dict[tuple[str, str, int], str] = field(default_factory=dict)
    _places: dict[tuple[str, str], dict[Place, None]] = field(default_factory=dict)

    def add(self, topic_id: str, text: str, run_id: str, index: int | None) -> None:
        """Records the run of a sentence, and its place if that is known."""
        self.runs.setdefault((topic_id, text), {})[run_id] = None
        if index is not None:
            self._texts[topic_id, run_id, index] = text
            self._places.setdefault((topic_id, text), {})[run_id, index] = None

    def text(self, topic_id: str, place: Place) -> str | None:
        """The text at a place, if it is known."""
        run_id, index = place
        return None if index is None else self._texts.get((topic_id, run_id, index))

    def named(self, kind: Kind, key: Key) -> Key:
        """What a question is about, with the sentence's text for its place where that is known."""
        topic_id, place, target = key
        if kind is Kind.FIRST_INSTANCE or isinstance(place, str):
            return key
        text = self.text(topic_id, place)
        return (topic_id, text, target) if text else key

    def places(self, topic_id: str, text: str) -> Iterable[Place]:
        """All known places of a sentence."""
        return self._places.get((topic_id, text), ())

    def bullets(self, topic_id: str, run_id: str) -> set[int]:
        """The indexes of a report's sentences, without blank ones, which cover nothing."""
        facts = self.facts.get((topic_id, run_id))
        places = range((facts and facts.num_bullets) or 0)
        return {index for index in places if self.text(topic_id, (run_id, index)) != ""}

    def system(self, topic_id: str, run_id: str) -> str:
        """The system behind a report: the run's id, unless the file names the system."""
        facts = self.facts.get((topic_id, run_id))
        return facts.system if facts else run_id


class Material(NamedTuple):
    """Everything that was read.

    Attributes:
        truth: the judges that count as right, merged into one.
        truth_names: their names.
        notes: caveats for the reader.
    """

    truth: Judge
    truth_names: tuple[str, ...]
    judges: tuple[Judge, ...]
    reports: Reports
    notes: tuple[str, ...]


def read(job: Job, warnings: list[Finding], progress: Progress | None = None) -> Material:
    """Reads all judgments, and separates the truth from the judges that are compared with it.

    Raises:
        InputError: a file has errors, or there is no judge to compare.
        UsageError: it is ambiguous which judge is the truth, or a name is unknown.
        MissingResourceError: a file does not exist.
    """
    reader = _Reader(job, warnings)
    truth_files = list(dict.fromkeys(job.truth or job.judgments))
    by_file = _read_all(reader, [*job.judgments, *truth_files], progress)
    names = _truth_names(truth_files, by_file, job.truth_judges)
    truth, num_conflicts = _merged_truth(
        names, [by_file[path] for path in truth_files], reader.reports
    )
    notes = reader.notes
    if num_conflicts:
        notes.append(
            f"questions with several verdicts in the truth: {num_conflicts:,}; the first of "
            f"{_listed(names)} counts"
        )
    found = _by_name(by_file[path] for path in dict.fromkeys(job.judgments))
    found = {name: judge for name, judge in found.items() if name not in names}
    if not found:
        message = f"there is no judge to compare: all judgments are by {_listed(names)}"
        hint = "name a file with a judge's judgments, before --truth"
        raise InputError(Finding("no_judge", message, hint, job.judgments[0]))
    check_names("judge", job.judges, found)
    chosen = tuple(judge for name, judge in found.items() if name in (job.judges or found))
    return Material(
        truth=truth,
        truth_names=tuple(names),
        judges=chosen,
        reports=reader.reports,
        notes=tuple(notes),
    )


def read_panel(
    job: Job, warnings: list[Finding], progress: Progress | None = None
) -> tuple[list[Judge], Reports, list[str]]:
    """Reads the judges that are compared among themselves, what is known of reports, and notes.

    Raises:
        InputError: a file has errors, or there are fewer than two judges.
        UsageError: a name is unknown.
        MissingResourceError: a file does not exist.
    """
    reader = _Reader(job, warnings)
    found = _by_name(_read_all(reader, job.judgments, progress).values())
    check_names("judge", job.judges, found)
    names = dict.fromkeys(job.judges) or [name for name in found if is_assessor(name)]
    if len(names) < 2:
        what = "judges" if job.judges else "assessors"
        message = f"expected two or more {what}, found {len(names)}; judgments by: {_listed(found)}"
        hint = "name a file of another assessor too, or choose any judges with --judge"
        raise InputError(Finding("no_panel", message, hint, job.judgments[0]))
    return [found[name] for name in names], reader.reports, reader.notes


def _read_all(
    reader: _Reader, files: Sequence[str], progress: Progress | None
) -> dict[str, dict[str, Judge]]:
    """Reads the judges of every file; the errors of all files are raised together."""
    paths = list(dict.fromkeys(files))
    by_file: dict[str, dict[str, Judge]] = {}
    errors: list[Finding] = []
    for number, path in enumerate(paths):
        if progress:
            progress("reading judgments: files", number, len(paths))
        try:
            by_file[path] = reader.judges(path)
        except InputError as exc:
            errors.extend(exc.findings)
    if errors:
        raise InputError(errors)
    return by_file


def _by_name(files: Iterable[Mapping[str, Judge]]) -> dict[str, Judge]:
    """The judges of several files, in order of their first appearance."""
    found: dict[str, Judge] = {}
    for judge in (judge for each in files for judge in each.values()):
        found.setdefault(judge.name, Judge(judge.name)).update(judge)
    return found


def _truth_names(
    paths: Sequence[str], by_file: dict[str, dict[str, Judge]], wanted: Sequence[str]
) -> list[str]:
    """Chooses the truth: the wanted judges, otherwise the assessors, otherwise the only judge."""
    names = list(dict.fromkeys(name for path in paths for name in by_file[path]))
    check_names("--truth-judge", wanted, names)
    chosen = list(wanted) or [name for name in names if is_assessor(name)]
    if chosen:
        return chosen
    if not names:
        raise InputError(
            Finding("no_judgments", "there are no judgments", "name another file", paths[0])
        )
    if len(names) > 1:
        raise UsageError(
            f"{some(paths)}: judgments by {_listed(names)}, and none by an assessor; choose "
            "with --truth-judge which of them count as right"
        )
    return names


def _listed(names: Iterable[str]) -> str:
    return ", ".join(shorten(name) for name in names)


def _merged_truth(
    names: Sequence[str], files: Iterable[dict[str, Judge]], reports: Reports
) -> tuple[Judge, int]:
    """Merges the truth into one judge, and counts the questions with different verdicts."""
    judges = _by_name(files)
    truth, conflicts = Judge(", ".join(names)), set()
    said: dict[tuple[Kind, Key], Said] = {}
    for judge in (judges[name] for name in names):
        own: dict[tuple[Kind, Key], Said] = {}
        for kind, answers in judge.answers.items():
            for key, answer in answers.items():
                about = kind, reports.named(kind, key)
                earlier = said.get(about)
                if earlier is None:
                    truth.say(kind, key, answer)
                    own[about] = answer
                elif earlier[0] is not answer[0]:
                    conflicts.add(about)
        said |= own
        truth.drawn = judge.drawn | truth.drawn
    return truth, len(conflicts)


class _Reader:
    """Reads one file of judgments after the other, and collects what they say about reports."""

    def __init__(self, job: Job, warnings: list[Finding]) -> None:
        self.reports = Reports()
        self.notes: list[str] = []
        self._warnings = warnings
        self._is_calibrated = job.is_calibrated
        self._nuggets = formats.read_nuggets(job.qrels, warnings=warnings) if job.qrels else []
        for given in job.runs:
            if isinstance(given, Run):
                self._add_run(given)
            else:
                for source in formats.sources(given, "runs", warnings):
                    self._add_run(formats.read_run(source.name, warnings=warnings))

    def _add_run(self, reports: Iterable[Report]) -> None:
        for report in reports:
            texts = [nfc(sentence.text.strip()) for sentence in report.sentences]
            for index, text in enumerate(texts):
                self.reports.add(report.topic_id, text, report.run_id, index)
            self.reports.facts[report.topic_id, report.run_id] = Facts(
                system=report.run_id,
                num_bullets=len(texts),
                num_words=sum(len(text.split()) for text in texts),
            )

    def judges(self, path: str) -> dict[str, Judge]:
        """Reads the judges of a file, in order of their first appearance."""
        if isinstance(path, Held):
            return self._by_judge(path.content)
        source = Source(path)
        if source.starts_with(STORE):
            from argue_eval.judgments import exchange, verifying

            for kind, name, reason, number, _ in verifying.info(path).failures:
                failed = f"{shorten(name)} failed on {number:,} {kind} questions: {reason}"
                self.notes.append(failed)
            return self._by_judge(exchange.judgments(path))
        if self._is_calibrated:
            judges = self._drawn(source)
        else:
            found = formats.iter_judgments(source, self._nuggets, warnings=self._warnings)
            judges = self._by_judge(found)
        for each in summhay_labels.read_summaries(source):
            facts = Facts(each.system, each.num_bullets, each.num_words)
            self.reports.facts[each.topic_id, each.run_id] = facts
            for name, nugget_id in each.failures:
                judge = judges.setdefault(name, Judge(name))
                judge.failures.add((each.topic_id, (each.run_id, None), nugget_id))
        return judges

    def _drawn(self, source: Source) -> dict[str, Judge]:
        """Reads judgments with the probabilities with which they were drawn."""
        found = list(formats.iter_assessed(source, self._nuggets, warnings=self._warnings))
        judges = self._by_judge(judgment for judgment, *_ in found)
        for judgment, prob, _ in found:
            if prob is not None:
                key = self._key(judgment, nfc((judgment.sentence or "").strip()))
                judges[judgment.judge].drawn[judgment.kind, key] = prob
        return judges

    def _by_judge(self, found: Iterable[Judgment]) -> dict[str, Judge]:
        judges: dict[str, Judge] = {}
        last: tuple[str | None, str] = (None, "")
        for judgment in found:
            if judgment.sentence is not None and judgment.sentence != last[0]:
                last = (judgment.sentence, nfc(judgment.sentence.strip()))
            judge = judges.get(judgment.judge)
            if judge is None:
                judge = judges[judgment.judge] = Judge(judgment.judge)
            key = self._key(judgment, last[1])
            judge.say(judgment.kind, key, (judgment.verdict, judgment.prob))
        return judges

    def _key(self, judgment: Judgment, text: str) -> Key:
        """What a judgment is about. If it names both text and place, the place is recorded."""
        kind, topic_id, run_id = judgment.kind, judgment.topic_id, judgment.run_id
        if kind is Kind.RELEVANT:
            return topic_id, "", judgment.doc_id
        target: str | tuple[str, str] = judgment.doc_id or judgment.nugget_id
        if kind is Kind.ANSWERS:
            target = (judgment.nugget_id, judgment.answer)
        place = (run_id, judgment.sentence_index)
        if judgment.sentence is None:
            return topic_id, place, target
        if run_id:
            self.reports.add(topic_id, text, *place)
        return topic_id, place if kind is Kind.FIRST_INSTANCE else text, target
