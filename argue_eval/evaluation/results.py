"""What came of scoring: every run's values, and why they are what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from argue_eval.errors import Finding, UsageError, count, unknown_id
from argue_eval.evaluation.asking import Engine, OpenReasons
from argue_eval.evaluation.explaining import Asked, Explained, IsGone, Without, in_words
from argue_eval.evaluation.scoring import score
from argue_eval.evaluation.walking import RunWalk, TopicPlan, ask
from argue_eval.formats.frames import dataframe
from argue_eval.judges.cascade import Judges
from argue_eval.measures import Family
from argue_eval.measures.protocols import Answered, Compared, Knowledge
from argue_eval.records import Judgment, MeasureValue, Nugget, ScoreTable, TopicEvidence

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True, repr=False)
class RunScores(Mapping[str, MeasureValue]):
    """One run's scores, with all that they rest on.

    ``scores["nugget_recall"]`` is an average, ``scores["nugget_recall", "ex1"]`` a topic's value.
    As a mapping, it has the averages by measure.

    Attributes:
        evidence: one per topic that is averaged over, in output order.
        judges: the judges' signatures by kind of question.
        open_reasons: why questions about the run stayed open.
    """

    table: ScoreTable
    evidence: tuple[TopicEvidence, ...]
    judges: Mapping[str, str]
    open_reasons: OpenReasons
    _topics: Mapping[str, TopicPlan]
    _knowledge: Knowledge
    _families: Sequence[Family]
    _judges: Judges

    def __repr__(self) -> str:
        return f"<RunScores of {self.run_id}: {count(len(self.table.averages()), 'average')}>"

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.table.run_id

    @property
    def signature(self) -> str:
        """Everything that could change a number, in one line."""
        return self.table.signature

    def __getitem__(self, key: str | tuple[str, str]) -> MeasureValue:
        if isinstance(key, str):
            return self.table.row(key)
        if not isinstance(key, tuple) or len(key) != 2:
            raise KeyError(f"expected [MEASURE] or [MEASURE, TOPIC], found {key!r}")
        return self.table.row(*key)

    def __iter__(self) -> Iterator[str]:
        return (row.measure for row in self.table.averages())

    def __len__(self) -> int:
        return len(self.table.averages())

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def outcome_records(self, topic_id: str | None = None) -> Iterator[dict[str, Any]]:
        """Yields a JSON object per unit of the run, its outcome and why.

        Args:
            topic_id: only units of this topic.

        Raises:
            UsageError: there is no such topic.
        """
        if topic_id is not None:
            self._evidence_of(topic_id)
        for each in self._explained():
            if topic_id in (None, each.report.topic_id):
                yield from each.outcome_records()

    def nugget_records(self) -> Iterator[dict[str, Any]]:
        """Yields a JSON object per nugget and report: whether it is answered, and where."""
        for each in self._explained():
            yield from each.nugget_records()

    def used_judgments(self) -> Iterator[Judgment]:
        """Yields every judgment that the scores rest on."""
        for each in self._explained():
            yield from each.used_judgments()

    def answered_by(self) -> Counter[tuple[str, str]]:
        """How many of the judgments that the scores rest on are whose: by (kind, judge)."""
        return Counter((each.kind.value, each.judge) for each in self.used_judgments())

    def asked(self) -> Iterator[Asked]:
        """Yields every question about the run's reports, answered or not."""
        for each in self._explained():
            yield from each.asked()

    def rescored(
        self, nuggets: Mapping[str, Sequence[Nugget]], is_gone: IsGone | None = None
    ) -> ScoreTable:
        """The scores of some topics with other nuggets.

        Args:
            is_gone: which judgments are not there any more. What they leave open, the judges answer
                that answered the rest.
        """
        found = [each for each in self.evidence if each.topic_id in nuggets]
        plans = []
        for each in found:
            plan = self._topics[each.topic_id]
            topic = plan.topic._replace(nuggets=tuple(nuggets[each.topic_id]))
            protocols = {name: type(one)(topic, one.wanted) for name, one in plan.protocols.items()}
            plans.append(plan._replace(topic=topic, protocols=protocols))
        reports = {each.topic_id: each.report for each in found if each.report is not None}
        if is_gone is None:
            (walk,) = RunWalk.side_by_side(plans, [reports], self._knowledge)
        else:
            engine = Engine(self._judges)
            left = Without(self._knowledge, is_gone, engine.judged)
            (walk,) = RunWalk.side_by_side(plans, [reports], left)
            if self._judges:
                ask([walk], engine.answer)
        evidence = walk.evidence
        return score(self.run_id, self.table.team_id, self.signature, evidence, self._families)

    def judged_by(self, others: Knowledge) -> tuple[TopicEvidence, ...]:
        """The evidence for the same topics if nothing were known but what others judged."""
        reports = {each.topic_id: each.report for each in self.evidence if each.report is not None}
        topics = [self._topics[each.topic_id] for each in self.evidence]
        (walk,) = RunWalk.side_by_side(topics, [reports], others)
        return tuple(walk.evidence)

    def answered(self, others: Knowledge) -> Iterator[Answered]:
        """Yields every question that the scores rest on, and what others answer."""
        for each in self._explained():
            yield from each.answered(others.about(each.report))

    def compared(self, others: Knowledge) -> Iterator[Compared]:
        """Yields every sentence of the run's reports, and as others judge it."""
        for each in self._explained():
            yield from each.compared(others.about(each.report))

    def _explained(self) -> Iterator[Explained]:
        """Yields every report with what its scores rest on."""
        for evidence in self.evidence:
            if (report := evidence.report) is not None:
                protocols = self._topics[evidence.topic_id].protocols
                yield Explained(evidence, report, protocols, self._knowledge.about(report))

    def outcome_record(self, topic_id: str, sentence: int) -> dict[str, Any]:
        """A sentence's outcome and its way through the chart.

        Raises:
            UsageError: there is no such topic or sentence, or the run has no report for the topic.
        """
        return self._records_of(topic_id, sentence)[0]

    def _evidence_of(self, topic_id: str) -> TopicEvidence:
        found = {each.topic_id: each for each in self.evidence}
        if topic_id not in found:
            raise unknown_id("topic", str(topic_id), found)
        return found[topic_id]

    def _records_of(self, topic_id: str, sentence: int) -> list[dict[str, Any]]:
        report = self._evidence_of(topic_id).report
        if report is None:
            raise UsageError(f"the run has no report for topic {topic_id!r}")
        if not isinstance(sentence, int) or not 0 <= sentence < len(report.sentences):
            last = len(report.sentences) - 1
            expected = f"expected 0 to {last}" if last >= 0 else "the report has none"
            raise UsageError(f"sentence: {expected}, found {sentence!r}; it is counted from 0")
        records = self.outcome_records(topic_id)
        of_sentence = [each for each in records if each.get("sentence_index") == sentence]
        if not of_sentence:
            raise UsageError("no protocol of the requested measures says where a sentence ends")
        return of_sentence

    def explain(self, topic_id: str, sentence: int) -> str:
        """Why a sentence (0-based) got its outcome, in words.

        Raises:
            UsageError: as `outcome_record`.
        """
        return "\n".join(map(in_words, self._records_of(topic_id, sentence)))


class Scores(Mapping[str, RunScores]):
    """The scores of all runs by run id, in the order in which the runs were given.

    Further runs of one id have their number behind it: ``run``, ``run (2)``.

    Attributes:
        warnings: what was found in the input that is no error.
    """

    def __init__(self, runs: Iterable[RunScores], warnings: Sequence[Finding] = ()) -> None:
        self._runs: dict[str, RunScores] = {}
        for run in runs:
            name, number = run.run_id, 2
            while name in self._runs:
                name, number = f"{run.run_id} ({number})", number + 1
            self._runs[name] = run
        self.warnings = tuple(warnings)

    def __repr__(self) -> str:
        return f"<Scores of {', '.join(self._runs) or 'no run'}>"

    def __getitem__(self, run_id: str) -> RunScores:
        given: Any = run_id
        if isinstance(given, tuple):
            raise KeyError(f"a run's value is scores[{given[0]!r}][MEASURE] or [MEASURE, TOPIC]")
        if run_id not in self._runs:
            raise KeyError(str(unknown_id("run", str(run_id), self._runs)))
        return self._runs[run_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __len__(self) -> int:
        return len(self._runs)

    def rows(self, *, per_topic: bool = False) -> Iterator[dict[str, Any]]:
        """Yields a row per run, topic and measure.

        Args:
            per_topic: the topics' values too, not only the averages.
        """
        for run_id, scores in self._runs.items():
            for row in scores.table.rows:
                if per_topic or row.topic_id == "all":
                    cells = row._asdict()
                    del cells["parts"]  # no cell of a table
                    yield {"run_id": run_id, "team_id": scores.table.team_id, **cells}

    def to_dataframe(self, *, per_topic: bool = False) -> pandas.DataFrame:
        """The rows as a pandas DataFrame.

        Raises:
            MissingResourceError: pandas is not installed.
        """
        return dataframe(self.rows(per_topic=per_topic))
