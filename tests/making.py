"""Small records for tests: say what matters, leave the rest to defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from argue_eval.evaluation.walking import Plan, RunWalk, TopicPlan, load_protocol
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.measures.protocols import Judged, Target, View, Wanted
from argue_eval.measures.protocols.argue import ArgueOutcomes
from argue_eval.records import (
    Aggregator,
    Answer,
    Citation,
    Importance,
    Judgment,
    Kind,
    MeasureValue,
    Nugget,
    Report,
    ScoringOptions,
    Sentence,
    Topic,
    TopicEvidence,
    Verdict,
)

TOPIC = "t1"
RUN = "run"

Fact = tuple[str, ...]


def nugget(
    nugget_id: str,
    *answers: tuple[str, Sequence[str]],
    aggregator: str = "OR",
    importance: str | None = None,
    question: str | None = "what?",
) -> Nugget:
    """A nugget from (answer, doc_ids) pairs; an absence nugget without any."""
    return Nugget(
        nugget_id,
        question,
        tuple(Answer(text, tuple(doc_ids)) for text, doc_ids in answers),
        Aggregator(aggregator),
        Importance(importance) if importance else None,
    )


def report(*sentences: tuple[str, Sequence[str]], topic_id: str = TOPIC) -> Report:
    """A report from (text, cited doc_ids) pairs."""
    return Report(
        topic_id,
        RUN,
        tuple(
            Sentence(text, tuple(Citation(doc_id) for doc_id in doc_ids))
            for text, doc_ids in sentences
        ),
    )


def judgments(facts: Iterable[Fact], judge: str = "assessor:A1") -> list[Judgment]:
    """Judgments from tuples: (kind, sentence, verdict) and what the kind asks for besides.

    ("support", "s1", "yes", doc_id), ("answers", "s1", "yes", nugget_id, answer),
    ("agrees" or "covers", "s1", "yes", nugget_id), ("first_instance", "3", "yes").
    """
    made = []
    for kind, sentence, verdict, *rest in facts:
        is_first = kind == "first_instance"
        made.append(
            Judgment(
                Kind(kind),
                TOPIC,
                Verdict(verdict),
                judge,
                sentence=None if is_first else sentence,
                run_id=RUN if is_first else "",
                sentence_index=int(sentence) if is_first else None,
                doc_id=rest[0] if kind in ("support", "relevant") else "",
                nugget_id=rest[0] if kind in ("answers", "agrees", "covers") else "",
                answer=rest[1] if kind == "answers" else "",
            )
        )
    return made


ALL_NEEDS = ("answers", "credits", "outcome", "uncited", "support", "entailed", "link")


def evidence(
    nuggets: Sequence[Nugget],
    written: Report | None,
    facts: Iterable[Fact] = (),
    options: ScoringOptions | None = None,
    needs: Iterable[str] = ALL_NEEDS,
    protocols: Iterable[str] = ("argue",),
) -> TopicEvidence:
    """The evidence of one topic, from what is judged alone."""
    wanted = Wanted(options or ScoringOptions(), frozenset(needs))
    plan = Plan({name: load_protocol(name) for name in protocols}, wanted)
    topic = planned(plan, Topic(TOPIC, tuple(nuggets)))
    reports = {TOPIC: written} if written else {}
    known = JudgmentIndex.of(judgments(facts))
    (walk,) = RunWalk.side_by_side([topic], [reports], known)
    (evidence,) = walk.evidence
    return evidence


def planned(plan: Plan, topic: Topic) -> TopicPlan:
    """The plan for a topic."""
    protocols = {name: protocol(topic, plan.wanted) for name, protocol in plan.protocols.items()}
    return TopicPlan(topic, protocols, plan.wanted.options)


def argued(
    nuggets: Sequence[Nugget],
    written: Report | None,
    facts: Iterable[Fact] = (),
    options: ScoringOptions | None = None,
    needs: Iterable[str] = ALL_NEEDS,
) -> ArgueOutcomes:
    """Where the sentences of a report end in the flowchart, and which nuggets it answers."""
    found = evidence(nuggets, written, facts, options, needs).outcomes["argue"]
    assert isinstance(found, ArgueOutcomes)
    return found


Facts = Mapping[tuple[Kind, Target], Judged]


@dataclass
class KnownFacts:
    """What is judged about one report: by sentence, of the whole, and of any other text."""

    sentences: Sequence[Facts] = ()
    of_report: Facts = field(default_factory=dict)
    of_texts: Facts = field(default_factory=dict)

    def sentence(self, index: int) -> View:
        return self.sentences[index]

    def whole(self) -> View:
        return self.of_report

    def text(self, text: str) -> View:
        return self.of_texts


def check_bounds(
    partial: Mapping[str, MeasureValue],
    completed: Iterable[Mapping[str, float]],
    loose: Iterable[str] = (),
) -> None:
    """Checks that bounds are the extremes over all ways to judge what is open, and hold the value.

    Args:
        loose: measures whose bounds hold and may be out of reach.
    """
    ways = list(completed)
    for name, row in partial.items():
        least, most = (end(way[name] for way in ways) for end in (min, max))
        assert row.lower <= least + 1e-12, (name, row)
        assert row.upper >= most - 1e-12, (name, row)
        assert name in loose or (row.lower, row.upper) == pytest.approx((least, most)), name
        assert row.value is None or row.lower - 1e-12 <= row.value <= row.upper + 1e-12, name
