"""What must be judged for the requested measures, and the evidence once it is.

The planner asks the protocols themselves: it walks every unit, has the questions answered that
decide it, and walks it again until nothing new is known. So it asks only what a chart reaches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from argue_eval.measures import Family
from argue_eval.measures.protocols import Known, argue, key_points, nuggetizer, summhay, support
from argue_eval.records import (
    Grade,
    KeyPointOutcome,
    Need,
    Nugget,
    Question,
    Report,
    ScoringOptions,
    SentenceOutcome,
    TopicEvidence,
)

SEEKS_CLAIMS = frozenset({"nuggetizer", "key_points"})
"""The protocols that seek a claim in every sentence, or in the report as a whole."""

GRADES_CLAIMS = SEEKS_CLAIMS | {"summhay"}
"""The protocols whose units are claim nuggets."""

NEEDS_NO_ATTESTATION = GRADES_CLAIMS | {"support"}
"""The protocols that have something to say even if the nuggets name no documents."""

Asked = Sequence[tuple[Report, Sequence[Question]]]
"""Questions about reports, each with its report."""

Answerer = Callable[[Asked], None]
"""Has questions answered, so that they are known the next time."""


class Knowledge(Protocol):
    """Where verdicts are looked up; see `argue_eval.judgments.index`."""

    def of_sentence(self, report: Report, index: int) -> Known:
        """Returns what is judged about a sentence."""

    def of_report(self, report: Report) -> Known:
        """Returns what is judged about a report as a whole."""

    def of_text(self, topic_id: str, text: str) -> Known:
        """Returns what is judged about a text of a topic, say a key point."""


def protocols_of(families: Iterable[Family]) -> frozenset[str | None]:
    """Returns the protocols whose outcomes the requested measures read.

    A length reads none, so that nothing is asked for it.
    """
    return frozenset(
        family.module.PROTOCOL
        for family in families
        if any(measure.is_judged for measure in family.measures)
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """The protocols that the requested measures need, and what each must find out."""

    chart: argue.Chart
    protocols: frozenset[str | None]

    @classmethod
    def for_measures(cls, families: Iterable[Family], options: ScoringOptions) -> Plan:
        """Returns the plan for the requested measures."""
        chosen = list(families)
        needs: set[Need] = set()
        for family in chosen:
            for measure in family.measures:
                needs |= measure.needs
        return cls(
            argue.Chart(options, frozenset(needs)),
            protocols_of(chosen),
        )


@dataclass(slots=True)
class TopicWork:
    """A topic's nuggets, prepared once and used for every run.

    Attributes:
        response_points: key points that were extracted from reports, by run.
    """

    topic_id: str
    nuggets: tuple[Nugget, ...]
    response_points: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lookup: argue.Topic = field(init=False)

    def __post_init__(self) -> None:
        self.lookup = argue.prepare(self.nuggets)


class _HasNeeds(Protocol):
    @property
    def needs(self) -> tuple[Question, ...]: ...


class _Walk:
    """One protocol's way through one report: every unit walked as far as what is known decides it.

    Attributes:
        outcomes: one per unit, in unit order.
    """

    def __init__(
        self, report: Report, units: Sequence[Any], step: Callable[[Any], _HasNeeds]
    ) -> None:
        self.report = report
        self._units = units
        self._step = step
        self._asked: set[Question] = set()
        self.outcomes: list[Any] = [step(unit) for unit in units]

    def needs(self) -> list[Question]:
        """Returns the questions that decide the units, without those that were asked before."""
        new = dict.fromkeys(
            question
            for outcome in self.outcomes
            for question in outcome.needs
            if question not in self._asked
        )
        self._asked.update(new)
        return list(new)

    def go_on(self) -> None:
        """Walks the undecided units again, with what has become known."""
        self.outcomes = [
            self._step(unit) if outcome.needs else outcome
            for unit, outcome in zip(self._units, self.outcomes, strict=True)
        ]


class Walks:
    """The ways of all protocols through the reports of one run.

    Attributes:
        reports: the run's reports by topic.
    """

    def __init__(
        self,
        topics: Sequence[TopicWork],
        reports: Mapping[str, Report],
        plan: Plan,
        knowledge: Knowledge,
    ) -> None:
        self.reports = reports
        self._topics = topics
        self._plan = plan
        names = [name for name in sorted(_WALKS) if name in plan.protocols]
        self._walks = [
            {name: _WALKS[name](topic, report, plan, knowledge) for name in names}
            if (report := reports.get(topic.topic_id)) is not None
            else {}
            for topic in topics
        ]

    def __iter__(self) -> Iterator[_Walk]:
        return (walk for each in self._walks for walk in each.values())

    def evidence(self) -> tuple[TopicEvidence, ...]:
        """Returns the evidence for the topics of the run, in their order."""
        return tuple(
            [
                _evidence(topic, self.reports.get(topic.topic_id), self._plan, found)
                for topic, found in zip(self._topics, self._walks, strict=True)
            ]
        )


def ask(runs: Iterable[Walks], answer: Answerer) -> None:
    """Has all questions answered that decide the units of some runs.

    All runs and topics go through their charts side by side, so that a judge is asked for many
    things at once: it has what it needs to make few calls.
    """
    under_way = [walk for run in runs for walk in run]
    while asking := [(walk, needs) for walk in under_way if (needs := walk.needs())]:
        answer([(walk.report, needs) for walk, needs in asking])
        under_way = [walk for walk, _ in asking]
        for walk in under_way:
            walk.go_on()


def _evidence(
    topic: TopicWork, report: Report | None, plan: Plan, walks: Mapping[str, _Walk]
) -> TopicEvidence:
    options = plan.chart.options
    outcomes: tuple[SentenceOutcome, ...] = ()
    if "argue" in walks:
        outcomes = tuple(walks["argue"].outcomes)
    answered = argue.nugget_outcomes(topic.lookup, outcomes, options.reading)
    return TopicEvidence(
        topic.topic_id,
        report,
        topic.nuggets,
        options,
        outcomes,
        answered,
        answered
        if options.reading == "argue"
        else argue.nugget_outcomes(topic.lookup, outcomes, "argue"),
        {name: tuple(walk.outcomes) for name, walk in walks.items() if name not in _NOT_GRADED},
        *_key_point_outcomes(topic, report, walks.get("key_points")),
    )


def _key_point_outcomes(
    topic: TopicWork, report: Report | None, walk: _Walk | None
) -> tuple[tuple[KeyPointOutcome, ...], tuple[KeyPointOutcome, ...] | None]:
    """Returns the outcomes of a topic's key points, and of those that a report has by itself."""
    if walk is None or report is None:
        return (), None
    num_points = len(key_points.units(topic.nuggets))
    has_own = report.run_id in topic.response_points
    own = tuple(walk.outcomes[num_points:]) if has_own else None
    return tuple(walk.outcomes[:num_points]), own


_NOT_GRADED = frozenset({"argue", "key_points"})
"""The protocols whose outcomes are no grades."""


def _argue(topic: TopicWork, report: Report, plan: Plan, knowledge: Knowledge) -> _Walk:
    sentences, lookup, chart = report.sentences, topic.lookup, plan.chart

    def step(index: int) -> SentenceOutcome:
        known = knowledge.of_sentence(report, index)
        return argue.step(index, sentences[index], lookup, known, chart)

    return _Walk(report, range(len(sentences)), step)


def _nuggetizer(topic: TopicWork, report: Report, plan: Plan, knowledge: Knowledge) -> _Walk:
    covers = plan.chart.options.covers

    def step(nugget: Nugget) -> Grade:
        known = _about_sentences(report, knowledge)
        return nuggetizer.step(nugget.nugget_id, known, knowledge.of_report(report), covers)

    return _Walk(report, nuggetizer.units(topic.nuggets), step)


def _key_points(topic: TopicWork, report: Report, plan: Plan, knowledge: Knowledge) -> _Walk:
    covers = plan.chart.options.covers
    units = key_points.units(topic.nuggets)
    doc_ids = key_points.retrieved(report, units) if Need.ENTAILED in plan.chart.needs else None
    own = topic.response_points.get(report.run_id)

    def step(nugget: Nugget) -> KeyPointOutcome:
        known = _about_sentences(report, knowledge)
        point = knowledge.of_text(report.topic_id, nugget.answers[0].answer)
        whole = knowledge.of_report(report)
        return key_points.step(
            nugget, known, whole, covers, point, doc_ids if own is None else None
        )

    def step_any(unit: Nugget | str) -> KeyPointOutcome:
        if isinstance(unit, Nugget):
            return step(unit)
        return key_points.own_step(unit, knowledge.of_text(report.topic_id, unit), doc_ids)

    return _Walk(report, [*units, *(own or ())], step_any)


def _summhay(topic: TopicWork, report: Report, plan: Plan, knowledge: Knowledge) -> _Walk:
    is_linked = Need.LINK in plan.chart.needs

    def step(nugget: Nugget) -> Grade:
        known = _about_sentences(report, knowledge)
        whole = knowledge.of_report(report)
        return summhay.step(nugget.nugget_id, known, whole, is_linked=is_linked)

    return _Walk(report, summhay.units(topic.nuggets), step)


def _about_sentences(report: Report, knowledge: Knowledge) -> list[Known]:
    return [knowledge.of_sentence(report, index) for index in range(len(report.sentences))]


def _support(topic: TopicWork, report: Report, plan: Plan, knowledge: Knowledge) -> _Walk:
    def step(index: int) -> Grade:
        return support.step(index, report.sentences[index], knowledge.of_sentence(report, index))

    return _Walk(report, support.units(report.sentences), step)


_WALKS: Mapping[str, Callable[[TopicWork, Report, Plan, Knowledge], _Walk]] = {
    "argue": _argue,
    "key_points": _key_points,
    "nuggetizer": _nuggetizer,
    "summhay": _summhay,
    "support": _support,
}


def open_questions(evidence: TopicEvidence) -> list[Question]:
    """Returns the questions that were reached and have no verdict."""
    units: list[_HasNeeds] = [
        *evidence.outcomes,
        *evidence.key_points,
        *(evidence.response_points or ()),
    ]
    for grades in evidence.grades.values():
        units.extend(grades)
    return list(dict.fromkeys(question for unit in units for question in unit.needs))
