"""Shares of yes among questions that a machine answered, and people some of them too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from argue_eval.analysis import prediction_powered, rogan_gladen
from argue_eval.analysis.assessment.reading import People
from argue_eval.analysis.bootstrap import Floats
from argue_eval.analysis.prediction_powered import Assessed, Judged
from argue_eval.analysis.results import CorrectedScore, Figure
from argue_eval.analysis.rogan_gladen import Rate
from argue_eval.errors import Finding, InputError
from argue_eval.records import Kind, Verdict

if TYPE_CHECKING:
    from argue_eval.analysis.systems import Scored

SHARE = "share_yes"

Rates = dict[Kind, tuple[Rate | None, Rate | None]]
"""The machine's sensitivity and specificity by kind; None without a yes, or without a no."""


class Said(NamedTuple):
    """What the machine and people say to one question, yes or not.

    Attributes:
        name: what tells the question from others.
        weight: 1 / the probability with which it was drawn, or 1.
    """

    topic_id: str
    kind: Kind
    name: tuple[Any, ...]
    machine: bool
    people: bool
    weight: float


def shares_of(
    scores: Scored, people: People
) -> tuple[list[CorrectedScore], dict[Kind, Rate], tuple[Said, ...]]:
    """Corrects the share of yes of every kind of question of a run.

    Returns:
        The corrected shares, those of the machine, and the questions that people answered too.

    Raises:
        InputError: the scores rest on the assessments themselves.
    """
    asked, said = _answers(scores, people)
    numbers = {each.topic_id: place for place, each in enumerate(scores.evidence)}
    rows, shares = [], {}
    for kind, answers in asked.items():
        topics = np.array([numbers[topic_id] for topic_id, _ in answers])
        machine = np.array([float(is_yes) for _, is_yes in answers])
        shares[kind] = _rate(machine, topics, np.ones(len(topics)))
        row = CorrectedScore(
            run_id=scores.run_id,
            measure=f"{SHARE}[{kind.value}]",
            unit="question",
            machine=shares[kind].share,
            people=_NONE,
            ppi=_NONE,
            weight=0.0,
            num_units=len(topics),
            num_topics=0,
        )
        of_kind = [each for each in said if each.kind is kind]
        if of_kind:
            judged = Judged(machine[:, None], topics, is_rest=False)
            found = prediction_powered.correct(
                _assessed(of_kind, numbers), judged, level=people.level
            )
            row = row._replace(
                people=_as_share(found.people),
                ppi=_as_share(found.value),
                weight=found.weight,
                num_topics=found.num_topics,
            )
        rows.append(row)
    return rows, shares, tuple(said)


_NONE = Figure("ppi", None, reason="no question is assessed")


def _answers(
    scores: Scored, people: People
) -> tuple[dict[Kind, list[tuple[str, bool]]], list[Said]]:
    """The machine's answers by kind with their topics, and those to what people answered too."""
    asked: dict[Kind, list[tuple[str, bool]]] = {}
    said: list[Said] = []
    seen = set()
    for topic_id, kind, target, text, judged, other in scores.answered(people.judgments):
        if judged.judge in people.judgments.judges:
            message = (
                f"the scores rest on judgments by {judged.judge}, which are the assessments "
                f"themselves"
            )
            hint = "score without them: leave their file out of --judgments"
            raise InputError(Finding("same_judgments", message, hint, people.file))
        name = (topic_id, kind, target, text)
        if kind is Kind.RELEVANT and name in seen:
            continue  # it is about the topic, and every sentence is told
        seen.add(name)
        is_yes = judged.verdict is Verdict.YES
        asked.setdefault(kind, []).append((topic_id, is_yes))
        # Where some questions were drawn by chance, the others were chosen.
        if other is not None and (other.prob is not None or not people.is_drawn):
            is_yes_to_people = other.verdict is Verdict.YES
            said.append(
                Said(topic_id, kind, name, is_yes, is_yes_to_people, 1 / (other.prob or 1.0))
            )
    return asked, said


def _assessed(said: Sequence[Said], numbers: Mapping[str, int]) -> Assessed:
    return Assessed(
        people=np.array([[float(each.people)] for each in said]),
        machine=np.array([[float(each.machine)] for each in said]),
        topics=np.array([numbers[each.topic_id] for each in said]),
        weights=np.array([each.weight for each in said]),
    )


def _as_share(figure: Figure) -> Figure:
    """The figure, which cannot be below 0 or above 1."""
    ends = figure.value, figure.lower, figure.upper
    value, lower, upper = (None if end is None else min(max(end, 0.0), 1.0) for end in ends)
    return figure._replace(value=value, lower=lower, upper=upper)


def _rate(values: Floats, topics: Floats, weights: Floats) -> Rate:
    """A share, and on how many independent questions it would be as well known: those of a topic
    depend on each other.
    """
    part = weights / weights.sum()
    share = float((weights * values).sum() / weights.sum())
    num = float(1 / (part @ part))
    num_topics = len(np.unique(topics))
    if num_topics > 1 and 0 < share < 1:
        by_topic = np.bincount(topics, part * (values - share))
        variance = float(by_topic @ by_topic) * num_topics / (num_topics - 1)
        num = min(num, share * (1 - share) / variance) if variance else num
    return Rate(share, num)


def rates_of(said: Sequence[Said]) -> Rates:
    """How often the machine is right, by what people say."""
    topic_ids = dict.fromkeys(each.topic_id for each in said)
    numbers = {topic_id: place for place, topic_id in enumerate(topic_ids)}
    rates: Rates = {}
    for kind in dict.fromkeys(each.kind for each in said):
        both = []
        for is_yes in (True, False):
            some = [each for each in said if each.kind is kind and each.people is is_yes]
            right = np.array([float(each.machine == is_yes) for each in some])
            theirs = _assessed(some, numbers)
            both.append(_rate(right, theirs.topics, theirs.weights) if some else None)
        rates[kind] = both[0], both[1]
    return rates


def correct_share(
    row: CorrectedScore, shares: Mapping[Kind, Rate], rates: Rates, level: float
) -> CorrectedScore:
    """Corrects a share by how often the machine is right about the questions of all runs."""
    kind = Kind(row.measure.removeprefix(f"{SHARE}[").removesuffix("]"))
    sensitivity, specificity = rates.get(kind, (None, None))
    if sensitivity is None or specificity is None:
        reason = "people gave no yes" if sensitivity is None else "people gave no no"
        return row._replace(rogan_gladen=Figure("rogan_gladen", None, reason=reason))
    found = rogan_gladen.correct(shares[kind], sensitivity, specificity, level)
    return row._replace(rogan_gladen=found)
