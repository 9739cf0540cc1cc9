"""What the requested measures depend on, step by step.

The protocols say what they need: every unit takes its step, what it needs is asked, and it takes
the step again until nothing new is known. So nothing is asked that a chart does not reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from argue_eval._registry import all_names
from argue_eval._registry import load as load_plugin
from argue_eval.errors import UsageError
from argue_eval.measures import Family
from argue_eval.measures.protocols import (
    Knowledge,
    Known,
    Outcome,
    ProtocolPlugin,
    ReportProtocol,
    Wanted,
)
from argue_eval.records import (
    Kind,
    Question,
    Report,
    ScoringOptions,
    Topic,
    TopicEvidence,
)

if TYPE_CHECKING:
    from argue_eval.evaluation.inputs import Job


@dataclass(frozen=True, slots=True)
class Plan:
    """The protocols that the requested measures need, and what each must find out.

    Attributes:
        protocols: by name. A measure of lengths needs none, and nothing is asked for it.
        has_others: does some measure read no protocol's outcomes, and may look at any option?
    """

    protocols: Mapping[str, type[ReportProtocol[Any, Any]]]
    wanted: Wanted
    has_others: bool = False


def load_protocol(name: str) -> type[ReportProtocol[Any, Any]]:
    """The class of a protocol.

    Raises:
        UsageError: there is no such protocol.
    """
    return cast(ProtocolPlugin, load_plugin("protocols", name)).PROTOCOL_CLASS


def protocols_where(is_meant: Callable[[type[ReportProtocol[Any, Any]]], bool]) -> list[str]:
    """The names of the protocols of which something holds."""
    return [name for name in all_names("protocols") if is_meant(load_protocol(name))]


def plan_of(job: Job, families: Sequence[Family]) -> Plan:
    """The plan for the measures of a job. What claims are sought in is chosen, unless the user did.

    A judge that says so reads the report as a whole, others a sentence at a time. So does a cascade
    with one of the others, since what these are sure of is known of sentences.

    Raises:
        UsageError: an option is set that nothing looks at.
    """
    judged = [each for each in families if any(measure.is_judged for measure in each.measures)]
    names = {family.module.PROTOCOL for family in judged}
    protocols = {name: load_protocol(name) for name in sorted(filter(None, names))}
    looked_at = frozenset().union(*(each.options for each in protocols.values()))
    options, default = job.options, ScoringOptions()
    chosen = {name for name in _OF_PROTOCOLS if getattr(options, name) != getattr(default, name)}
    if job.response_points:
        chosen.add("response_points")
    if not chosen <= looked_at and None not in names:
        raise _not_used(min(chosen - looked_at))
    if "covers" in looked_at and not options.covers:
        name = job.judges.by_kind().get(Kind.COVERS)
        plugins = [job.judges.plugin(each) for each in job.judges.stages(name)] if name else []
        is_whole = bool(plugins) and all(each and each.READS_REPORTS for each in plugins)
        options = options._replace(covers="report" if is_whole else "sentence")
    needs = frozenset().union(*(measure.needs for each in families for measure in each.measures))
    return Plan(protocols, Wanted(options, needs), None in names)


_OF_PROTOCOLS = ("reading", "citations", "attestation", "weights", "covers")
"""The options of scoring that only some protocols look at."""


def _not_used(name: str) -> UsageError:
    users = protocols_where(lambda each: name in each.options)
    return UsageError(
        f"--{name.replace('_', '-')} is for measures of the protocol{'s' * (len(users) > 1)} "
        f"{_listed(users)}, and none of these is asked for: leave it out, or see --protocol and -m"
    )


def _listed(protocols: Sequence[str]) -> str:
    *before, last = (each.replace("_", "-") for each in protocols)
    return f"{', '.join(before)} and {last}" if before else last


def not_by_nugget(key: str) -> UsageError:
    """The error for a key that only nuggets have, where these are not graded one by one."""
    names = protocols_where(lambda each: each.grades_each_nugget)
    return UsageError(
        f"--by {key}: this is a key of nuggets, for measures of the protocols "
        f"{_listed(names)}, and others are asked for; see --protocol and -m"
    )


class TopicPlan(NamedTuple):
    """A topic with its protocols by name, made once and used for every run."""

    topic: Topic
    protocols: Mapping[str, ReportProtocol[Any, Any]]
    options: ScoringOptions


@dataclass(slots=True, eq=False)
class Walk:
    """One protocol's way through one report: every unit as far as what is known decides it."""

    protocol: ReportProtocol[Any, Outcome]
    units: Sequence[Any]
    known: Known
    outcomes: list[Outcome]
    asked: frozenset[Question] = frozenset()

    def needs(self, again: Set[Question] = frozenset()) -> list[Question]:
        """The questions that decide the units, without those that were asked before.

        Args:
            again: these are wanted although they were.
        """
        needs = dict.fromkeys(each for outcome in self.outcomes for each in outcome.needs)
        new = [each for each in needs if each not in self.asked or each in again]
        self.asked |= frozenset(new)
        return new

    def go_on(self) -> None:
        """Takes the undecided units further, with what has become known."""
        self.outcomes = [
            self.protocol.step(unit, self.known) if outcome.needs else outcome
            for unit, outcome in zip(self.units, self.outcomes, strict=True)
        ]


@dataclass(slots=True, eq=False)
class RunWalk:
    """The ways of all protocols through the reports of one run.

    Attributes:
        reports: the run's reports by topic.
        knowledge: where judgments about them are looked up.
        waiting: the topics with a question that decides a unit: place, topic, a way by protocol.
        evidence: for the topics of the run, in their order.
    """

    reports: Mapping[str, Report]
    knowledge: Knowledge
    waiting: list[tuple[int, TopicPlan, dict[str, Walk]]] = field(default_factory=list)
    evidence: list[TopicEvidence] = field(default_factory=list)

    @classmethod
    def side_by_side(
        cls,
        topics: Iterable[TopicPlan],
        runs: Iterable[Mapping[str, Report]],
        knowledge: Knowledge,
        *,
        only_answered: bool = False,
    ) -> list[RunWalk]:
        """The ways through several runs, topic by topic: what is judged of one is then at hand in
        the processor's cache for all of them.
        """
        found = [cls(reports, knowledge) for reports in runs]
        for plan in topics:
            for run in found:
                report = run.reports.get(plan.topic.topic_id)
                if report is None and only_answered:
                    continue
                walks: dict[str, Walk] = {}
                if report is not None:
                    known = knowledge.about(report)
                    for name, protocol in plan.protocols.items():
                        units, step = protocol.units(report), protocol.step
                        outcomes = [step(unit, known) for unit in units]
                        walks[name] = Walk(protocol, units, known, outcomes)
                evidence = _end(plan, report, walks)
                if evidence.needs:
                    run.waiting.append((len(run.evidence), plan, walks))
                run.evidence.append(evidence)
        return found


def _end(plan: TopicPlan, report: Report | None, walks: Mapping[str, Walk]) -> TopicEvidence:
    """What the units of a report come to, as far as they are decided; each need once."""
    concluded: dict[str, Any] = {}
    needs: list[Question] = []
    for name, protocol in plan.protocols.items():
        outcomes = walks[name].outcomes if walks else ()
        needs += [need for each in outcomes for need in each.needs]
        concluded[name] = protocol.conclude(report, outcomes)
    return TopicEvidence(plan.topic, report, plan.options, concluded, tuple(dict.fromkeys(needs)))


def ask(runs: Sequence[RunWalk], answer: Callable[[Sequence[Question]], Set[Question]]) -> None:
    """Has all questions answered that decide the units of some runs.

    All runs and topics go through their charts side by side, so that a judge is asked for many
    things at once: it has what it needs to make few calls.

    Args:
        answer: returns the questions that wait for another judge; it is called again with those of
            them that still decide a unit.
    """
    under_way = [walk for run in runs for *_, walks in run.waiting for walk in walks.values()]
    waiting: Set[Question] = frozenset()
    while asking := [(walk, needs) for walk in under_way if (needs := walk.needs(waiting))]:
        waiting = answer([question for _, needs in asking for question in needs])
        under_way = [walk for walk, _ in asking]
        for walk in under_way:
            walk.go_on()
    for run in runs:
        for place, plan, walks in run.waiting:
            run.evidence[place] = _end(plan, run.evidence[place].report, walks)
