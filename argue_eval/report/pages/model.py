"""A track as its pages show it: runs, topics, and the reports of a topic with all that decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from argue_eval.analysis.comparing import ComparisonOptions
from argue_eval.analysis.leaderboard import Leaderboard, leaderboard, sort_key, worst_case
from argue_eval.analysis.systems import topic_measure
from argue_eval.errors import Finding, InputError, MissingResourceError, unknown_name
from argue_eval.formats.processes import Progress
from argue_eval.formats.reading import read_nuggets, read_topics
from argue_eval.formats.scores import DOCUMENTS, NUGGETS, REQUESTS
from argue_eval.records import Nugget, ReportRequest
from argue_eval.report.folder import file_stems
from argue_eval.report.pages import source
from argue_eval.report.pages.rendering import score
from argue_eval.report.pages.source import Answered, Judged, KeptDocument, Lines, Unit

MAIN_MEASURES = ("argue_f1", "joint_score", "kpf", "f1")
"""What runs are sorted by if nobody says, where it is there."""


@dataclass(frozen=True)
class TrackRun:
    """A run of the track.

    Attributes:
        stem: what its files are called.
        tallies: by topic how many sentences ended how: ``1`` to ``8``, or an effect.
        judged: how many judgments there are by kind and judge.
    """

    about: source.About
    stem: str
    outcomes: Lines[Unit]
    nuggets: Lines[Answered]
    judgments: Lines[Judged]
    reports: Lines[source.KeptReport]
    tallies: Mapping[str, Counter[str]]
    judged: Counter[tuple[str, str]]

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.about.run_id

    @property
    def tally(self) -> Counter[str]:
        """How many sentences ended how, over all topics."""
        return sum(self.tallies.values(), Counter[str]())


@dataclass(frozen=True)
class Cited:
    """A document that a sentence cites, and what is judged about it.

    Attributes:
        judged: whether it supports the sentence; None if nobody judged that.
    """

    doc_id: str
    ended: source.Ended | None
    judged: Judged | None


@dataclass(frozen=True)
class ShownSentence:
    """A sentence of a report; `unit` is None where no protocol says where it ends."""

    index: int
    text: str
    cited: Sequence[Cited]
    unit: Unit | None

    @property
    def effect(self) -> str:
        """What it does to the score."""
        return self.unit.effect if self.unit else "not asked"

    @property
    def end(self) -> str:
        """Its outcome, a number; the effect where it has none."""
        return str(self.unit.outcome) if self.unit and self.unit.outcome else self.effect


@dataclass(frozen=True)
class ShownReport:
    """A run's report for a topic, with all that is known of it."""

    run: TrackRun
    topic_id: str
    sentences: Sequence[ShownSentence]
    nuggets: Mapping[str, Answered]
    claims: Sequence[Unit]
    documents: Mapping[str, KeptDocument]

    @property
    def text(self) -> str:
        """The report as one text."""
        return " ".join(each.text for each in self.sentences)


@dataclass(frozen=True)
class Track:
    """A folder of ``score -o``, read for its pages.

    Attributes:
        runs: the best first.
        topic_ids: those that are averaged over, in their order.
        stems: for each topic, what its pages are called.
        scales: the ends of the figures of measures, once they are known.
    """

    title: str
    runs: Sequence[TrackRun]
    topic_ids: Sequence[str]
    requests: Mapping[str, ReportRequest]
    nuggets: Mapping[str, Sequence[Nugget]]
    documents: Lines[KeptDocument]
    board: Leaderboard
    stems: Mapping[str, str]
    scales: dict[str, tuple[float, float]] = field(default_factory=dict, repr=False)
    _values: dict[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict, repr=False)

    @property
    def main(self) -> str:
        """The measure that runs are sorted by."""
        return self.board.measures[0]

    def values(self, measure: str) -> Mapping[str, Mapping[str, float]]:
        """The values of a measure by run and topic; one that is open is not there."""
        if measure not in self._values:
            name = topic_measure(self.board.systems, measure)
            self._values[measure] = {each.run_id: each.values(name) for each in self.board.systems}
        return self._values[measure]

    def value(self, run: TrackRun, topic_id: str) -> float | None:
        """The value of a run on a topic by the main measure; None if it is open or not there."""
        return self.values(self.main)[run.run_id].get(topic_id)

    def shown(self, run: TrackRun, topic_id: str) -> str:
        """The value of a report by the main measure, as pages write it."""
        value = self.value(run, topic_id)
        return "open" if value is None else score(value)

    def run(self, run_id: str) -> TrackRun:
        """The run of an id.

        Raises:
            UsageError: there is none.
        """
        found = {each.run_id: each for each in self.runs}
        if run_id not in found:
            raise unknown_name("run", run_id, found)
        return found[run_id]

    def document(self, doc_id: str, report: ShownReport) -> KeptDocument | None:
        """A document: that of the collection; failing that, the run's own copy."""
        return next(iter(self.documents.of(doc_id)), None) or report.documents.get(doc_id)


def read(
    folder: str,
    measures: Sequence[str] = (),
    *,
    title: str = "",
    force: bool = False,
    progress: Progress | None = None,
) -> Track:
    """Reads a folder that ``score -o`` wrote.

    Args:
        measures: by default all that are no counts; the first sorts the runs.
        force: take scores that were made in different ways; a note says what differs.

    Raises:
        InputError: the folder is none that ``score -o`` wrote, or its files have errors.
        MissingResourceError: there is no such folder.
        UsageError: there is no such measure.
    """
    path = Path(folder)
    if not path.is_dir():
        what = (
            "expected the folder of score -o, found a file" if path.exists() else "no such folder"
        )
        raise MissingResourceError(f"{folder}: {what}")
    how = ComparisonOptions(num_resamples=2000, force=force)
    board = leaderboard(folder, measures, options=how, progress=progress)
    if not measures:
        board = _with_main_first(board)
    for name in (NUGGETS, REQUESTS):
        if not (path / name).is_file():
            hint = "score the runs again: argue-eval score RUN... QRELS... -o DIR"
            message = f"the folder lacks {name}: an earlier version wrote it"
            raise InputError(Finding("no_scores", message, hint, folder))
    runs = [_run(each, each.name.removesuffix(".meta.json")) for each in path.glob("*.meta.json")]
    order = {run_id: place for place, run_id in enumerate(board.run_ids)}
    nuggets = {each.topic_id: each.nuggets for each in read_nuggets([str(path / NUGGETS)])}
    has_requests = bool((path / REQUESTS).stat().st_size)
    requests = read_topics([str(path / REQUESTS)]) if has_requests else []
    topic_ids = list(nuggets)
    return Track(
        title=title or path.resolve().name,
        runs=sorted(
            (run for run in runs if run.run_id in order), key=lambda run: order[run.run_id]
        ),
        topic_ids=topic_ids,
        requests={each.topic_id: each for each in requests},
        nuggets=nuggets,
        documents=Lines(path / DOCUMENTS, KeptDocument),
        board=board,
        stems=dict(zip(topic_ids, file_stems(topic_ids), strict=True)),
    )


def _with_main_first(board: Leaderboard) -> Leaderboard:
    main = next((each for each in MAIN_MEASURES if each in board.measures), board.measures[0])
    rest = [each for each in board.measures if each != main]

    def key(run_id: str) -> float:
        return -worst_case(main, board.entries[run_id].get(main))

    rows = [each[main].average for each in board.entries.values() if main in each]
    return replace(
        board,
        measures=[main, *rest],
        run_ids=sorted(board.run_ids, key=key),
        sort_key=sort_key(main, rows),
    )


def _run(meta: Path, stem: str) -> TrackRun:
    def path(kind: str) -> Path:
        return meta.parent / f"{stem}.{kind}.jsonl"

    def count_end(head: source.Head) -> None:
        if head.sentence_index is not None:
            end = str(head.outcome) if head.outcome else head.effect
            tallies.setdefault(head.topic_id, Counter())[end] += 1

    def count_judgment(head: source.Head) -> None:
        judged[head.kind, head.judge] += 1

    tallies: dict[str, Counter[str]] = {}
    judged: Counter[tuple[str, str]] = Counter()
    return TrackRun(
        source.about(meta),
        stem,
        Lines(path("outcomes"), Unit, count_end),
        Lines(path("nuggets"), Answered),
        Lines(path("judgments"), Judged, count_judgment),
        Lines(path("reports"), source.KeptReport),
        tallies,
        judged,
    )


def report_of(run: TrackRun, topic_id: str) -> ShownReport | None:
    """A run's report for a topic, with its outcomes and judgments; None if it has none."""
    kept = run.reports.of(topic_id)
    if not kept:
        return None
    units = run.outcomes.of(topic_id)
    by_place = {each.sentence_index: each for each in units if each.path}
    supports = {_place(each): each for each in run.judgments.of(topic_id) if each.kind == "support"}
    sentences = []
    for index, sentence in enumerate(kept[0].responses):
        unit = by_place.get(index)
        ended = {each.doc_id: each for each in unit.ended} if unit else {}
        cited = []
        for doc_id in dict.fromkeys(sentence.citations):
            judged = supports.get((sentence.text, doc_id)) or supports.get((index, doc_id))
            cited.append(Cited(doc_id, ended.get(doc_id), judged))
        sentences.append(ShownSentence(index, sentence.text, cited, unit))
    return ShownReport(
        run,
        topic_id,
        sentences,
        nuggets={each.nugget_id: each for each in run.nuggets.of(topic_id)},
        claims=[each for each in units if each.claim],
        documents=kept[0].documents,
    )


def _place(judged: Judged) -> tuple[str | int, str]:
    place = judged.sentence if judged.sentence is not None else judged.sentence_index
    return place if place is not None else -1, judged.doc_id
