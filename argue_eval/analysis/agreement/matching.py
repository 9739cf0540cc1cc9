"""Brings the answers of truth and judge to the same questions together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from argue_eval.analysis.agreement.reading import Judge, Key, Reports, Said
from argue_eval.analysis.agreement.results import Counts
from argue_eval.records import GRADED_KINDS, Kind, Verdict

_RANKS = {Verdict.NO: 0, Verdict.PARTIAL: 1, Verdict.YES: 2}


class Pair(NamedTuple):
    """One question with both answers.

    Attributes:
        reports: (topic_id, run_id) of each report that it is about; none if nobody tells.
        text: the sentence; None for a report, or where it is named by place alone.
        links: the bullet that each side names; None where it names none, or several.
    """

    topic_id: str
    reports: tuple[tuple[str, str], ...]
    text: str | None
    truth: Verdict
    judge: Verdict
    prob: float | None
    links: tuple[int | None, int | None] = (None, None)


class Matched(NamedTuple):
    """All questions of a kind that both answered.

    Attributes:
        by_report: the questions are about nuggets in reports, not in sentences.
    """

    kind: Kind
    judge: str
    by_report: bool
    pairs: tuple[Pair, ...]
    counts: Counts


def match(kind: Kind, truth: Judge, judge: Judge, reports: Reports) -> Matched:
    """Returns the questions of a kind that both answered.

    If one of them judges reports as a whole, the other's verdict on a report is the best that it
    gives to one of its sentences.
    """
    said = truth.answers.get(kind, {}), judge.answers.get(kind, {})
    if kind is Kind.COVERS and any(_is_whole(key) for answers in said for key in answers):
        return _by_report(kind, truth, judge, reports)
    right, found = (_by_text(kind, answers, reports) for answers in said)
    pairs = [
        _pair(key, answer, found[key], reports) for key, answer in right.items() if key in found
    ]
    counts = Counts(
        matched=len(pairs),
        only_truth=len(right) - len(pairs),
        failed=0,
        only_judge=len(found) - len(pairs),
        incomplete=0,
    )
    return Matched(kind, judge.name, False, tuple(pairs), counts)


def num_verdicts(kind: Kind) -> int:
    """Returns how many verdicts a kind has."""
    return 3 if kind in GRADED_KINDS else 2


def _is_whole(key: Key) -> bool:
    return type(key[1]) is tuple and key[1][1] is None


def _by_text(kind: Kind, answers: Mapping[Key, Said], reports: Reports) -> dict[Key, Said]:
    """Returns the answers with sentences named by their text, wherever it is known."""
    if kind is Kind.FIRST_INSTANCE:
        return dict(answers)
    named: dict[Key, Said] = {}
    for (topic_id, place, target), answer in answers.items():
        text = place if isinstance(place, str) else reports.text(topic_id, place)
        named[topic_id, place if text is None else text, target] = answer
    return named


def _pair(key: Key, right: Said, found: Said, reports: Reports) -> Pair:
    topic_id, place, _ = key
    if isinstance(place, str):
        runs = reports.runs.get((topic_id, place), {}) if place else {}
        about, text = tuple((topic_id, run_id) for run_id in runs), place or None
    else:
        about, text = ((topic_id, place[0]),), reports.text(topic_id, place)
    return Pair(topic_id, about, text, right[0], found[0], found[1])


# --- reports as a whole ---------------------------------------------------------------------------

_Report = tuple[str, str, str]
"""Topic, run and nugget."""


@dataclass(slots=True)
class _Group:
    whole: Said | None = None
    placed: dict[int, Said] = field(default_factory=dict)


class _Whole(NamedTuple):
    verdict: Verdict
    prob: float | None
    link: int | None


def _by_report(kind: Kind, truth: Judge, judge: Judge, reports: Reports) -> Matched:
    right, unsure = _folded(truth.answers.get(kind, {}), reports)
    found, unsure_too = _folded(judge.answers.get(kind, {}), reports)
    pairs = []
    for (topic_id, run_id, nugget_id), answer in right.items():
        other = found.get((topic_id, run_id, nugget_id))
        if other is not None:
            about = ((topic_id, run_id),)
            links = (answer.link, other.link)
            pairs.append(
                Pair(topic_id, about, None, answer.verdict, other.verdict, other.prob, links)
            )
    incomplete = unsure | unsure_too
    only_truth = right.keys() - found.keys() - incomplete
    failed = {
        (topic_id, place[0], str(target))
        for topic_id, place, target in judge.failures
        if isinstance(place, tuple)
    }
    counts = Counts(
        matched=len(pairs),
        only_truth=len(only_truth),
        failed=len(failed & only_truth),
        only_judge=len(found.keys() - right.keys() - incomplete),
        incomplete=len(incomplete),
    )
    return Matched(kind, judge.name, True, tuple(pairs), counts)


def _folded(
    answers: Mapping[Key, Said], reports: Reports
) -> tuple[dict[_Report, _Whole], set[_Report]]:
    """Returns a judge's verdict on each report and nugget, and those that it leaves open.

    It is left open if some sentence of the report is unjudged that could still do better.
    """
    groups: dict[_Report, _Group] = {}
    seen: dict[tuple[str, str], set[int]] = {}
    for (topic_id, place, nugget_id), answer in answers.items():
        places = reports.places(topic_id, place) if isinstance(place, str) else (place,)
        for run_id, index in places:
            group = groups.setdefault((topic_id, run_id, str(nugget_id)), _Group())
            if index is None:
                group.whole = answer
            else:
                group.placed[index] = answer
                seen.setdefault((topic_id, run_id), set()).add(index)
    found: dict[_Report, _Whole] = {}
    unsure: set[_Report] = set()
    for about, group in groups.items():
        if group.whole is not None:
            found[about] = _Whole(*group.whole, _only_cover(group.placed))
            continue
        best = max(group.placed, key=lambda index: (*_rank(group.placed[index]), -index))
        verdict, prob = group.placed[best]
        expected = seen[about[:2]] | reports.bullets(*about[:2])
        if verdict is not Verdict.YES and expected - group.placed.keys():
            unsure.add(about)
        else:
            found[about] = _Whole(verdict, prob, None if verdict is Verdict.NO else best)
    return found, unsure


def _rank(said: Said) -> tuple[int, float]:
    return _RANKS[said[0]], -1.0 if said[1] is None else said[1]


def _only_cover(placed: Mapping[int, Said]) -> int | None:
    """Returns the bullet that covers the nugget, if there is exactly one."""
    covering = [index for index, said in placed.items() if said[0] is not Verdict.NO]
    return covering[0] if len(covering) == 1 else None
