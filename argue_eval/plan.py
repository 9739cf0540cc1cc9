"""What must be judged for the requested measures, and the evidence once it is.

The planner asks the protocols themselves: it walks every unit, has the questions answered that
decide it, and walks it again until nothing new is known. So it asks only what a chart reaches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from argue_eval.measures import Family
from argue_eval.protocols import Known, argue, nuggetizer, support
from argue_eval.records import Nugget, Question, Report
from argue_eval.results import Grade, ScoringOptions, SentenceOutcome, TopicEvidence
from argue_eval.terms import Need

Answerer = Callable[[Report, Sequence[Question]], None]
"""Has questions about a report answered, so that they are known the next time."""


class Knowledge(Protocol):
    """Where verdicts are looked up; see `argue_eval.store.index`."""

    def of_sentence(self, report: Report, index: int) -> Known:
        """Returns what is judged about a sentence."""

    def of_report(self, report: Report) -> Known:
        """Returns what is judged about a report as a whole."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The protocols that the requested measures need, and what each must find out."""

    chart: argue.Chart
    protocols: frozenset[str]

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
            frozenset(family.module.PROTOCOL for family in chosen),
        )


@dataclass(slots=True)
class TopicWork:
    """A topic's nuggets, prepared once and used for every run."""

    topic_id: str
    nuggets: tuple[Nugget, ...]
    lookup: argue.Topic = field(init=False)

    def __post_init__(self) -> None:
        self.lookup = argue.prepare(self.nuggets)


class _HasNeeds(Protocol):
    @property
    def needs(self) -> tuple[Question, ...]: ...


_Unit = TypeVar("_Unit")
_Outcome = TypeVar("_Outcome", bound=_HasNeeds)


def gather(
    topic: TopicWork,
    report: Report | None,
    plan: Plan,
    knowledge: Knowledge,
    answer: Answerer | None = None,
) -> TopicEvidence:
    """Returns the evidence for one topic of one run.

    Args:
        answer: has open questions judged; None to use only what is known.
    """
    options = plan.chart.options
    outcomes: tuple[SentenceOutcome, ...] = ()
    grades: dict[str, tuple[Grade, ...]] = {}
    if report is not None:
        if "argue" in plan.protocols:
            outcomes = _walk_argue(topic, report, plan, knowledge, answer)
        if "nuggetizer" in plan.protocols:
            grades["nuggetizer"] = _walk_nuggetizer(topic, report, knowledge, answer)
        if "support" in plan.protocols:
            grades["support"] = _walk_support(report, knowledge, answer)
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
        grades,
    )


def _walk(
    units: Sequence[_Unit],
    step: Callable[[_Unit], _Outcome],
    report: Report,
    answer: Answerer | None,
) -> tuple[_Outcome, ...]:
    """Returns every unit's outcome, after all questions that decide it were asked."""
    outcomes = [step(unit) for unit in units]
    asked: set[Question] = set()
    while answer is not None:
        needs = [each for outcome in outcomes for each in outcome.needs if each not in asked]
        if not needs:
            break
        asked.update(needs)
        answer(report, needs)
        outcomes = [
            step(unit) if outcome.needs else outcome
            for unit, outcome in zip(units, outcomes, strict=True)
        ]
    return tuple(outcomes)


def _walk_argue(
    topic: TopicWork, report: Report, plan: Plan, knowledge: Knowledge, answer: Answerer | None
) -> tuple[SentenceOutcome, ...]:
    sentences, lookup, chart = report.sentences, topic.lookup, plan.chart

    def step(index: int) -> SentenceOutcome:
        known = knowledge.of_sentence(report, index)
        return argue.step(index, sentences[index], lookup, known, chart)

    return _walk(range(len(sentences)), step, report, answer)


def _walk_nuggetizer(
    topic: TopicWork, report: Report, knowledge: Knowledge, answer: Answerer | None
) -> tuple[Grade, ...]:
    places = range(len(report.sentences))

    def step(nugget: Nugget) -> Grade:
        known = [knowledge.of_sentence(report, index) for index in places]
        return nuggetizer.step(nugget, known, knowledge.of_report(report))

    return _walk(nuggetizer.units(topic.nuggets), step, report, answer)


def _walk_support(
    report: Report, knowledge: Knowledge, answer: Answerer | None
) -> tuple[Grade, ...]:
    def step(index: int) -> Grade:
        return support.step(index, report.sentences[index], knowledge.of_sentence(report, index))

    return _walk(support.units(report.sentences), step, report, answer)


def open_questions(evidence: TopicEvidence) -> list[Question]:
    """Returns the questions that were reached and have no verdict."""
    units: list[_HasNeeds] = [*evidence.outcomes]
    for grades in evidence.grades.values():
        units.extend(grades)
    return [question for unit in units for question in unit.needs]
