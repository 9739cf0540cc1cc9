"""What each team contributed to a collection: what would be gone if it had not taken part."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from argue_eval.analysis.drawing import hashed
from argue_eval.analysis.teams import are_shared
from argue_eval.formats.scores import ALL
from argue_eval.formats.sheets import is_assessor
from argue_eval.measures.rankings import ranking, subtopics
from argue_eval.records import Kind, MeasureValue, Nugget, Report, nfc

if TYPE_CHECKING:
    from argue_eval.analysis.systems import Scored
    from argue_eval.evaluation.explaining import Found

LEAVING = ("people", "all", "none")
"""Whose judgments leave with a team: people's, since a judge can be asked again; all; or none."""


# --- what each run contributes --------------------------------------------------------------------


class Contribution(NamedTuple):
    """What one run has, and its values.

    Attributes:
        sentences: digests of topic and text; `documents`: of topic and cited document.
        sums: of the values over topics, by measure; `num_open` of them are open.
    """

    run_id: str
    team_id: str
    sentences: array[int]
    documents: array[int]
    topic_ids: list[str]
    sums: dict[str, float]
    num_open: dict[str, int]


def contribution(run: Scored) -> Contribution:
    """What a run has, and the sums of its values."""
    sentences, documents = array("Q"), array("Q")
    for each in run.evidence:
        if each.report is not None:
            sentences.extend({_of_text(each.report, one.text) for one in each.report.sentences})
            documents.extend([hashed((each.topic_id, doc_id)) for doc_id in ranking(each.report)])
    sums: dict[str, float] = {}
    num_open: dict[str, int] = {}
    for row in run.table.rows:
        if row.topic_id != ALL and not row.is_count:
            sums[row.measure] = sums.get(row.measure, 0.0) + value_of(row)
            num_open[row.measure] = num_open.get(row.measure, 0) + is_open(row)
    return Contribution(
        run.table.run_id,
        run.table.team_id,
        sentences,
        documents,
        [each.topic_id for each in run.evidence],
        sums,
        num_open,
    )


def nuggets_of(
    scores: Mapping[str, Scored], parts: Sequence[Contribution]
) -> dict[str, Sequence[Nugget]]:
    """The nuggets of all topics that some run is scored on."""
    found: dict[str, Sequence[Nugget]] = {}
    for name, part in zip(scores, parts, strict=True):
        if not found.keys() >= set(part.topic_ids):
            found |= {each.topic_id: each.nuggets for each in scores[name].evidence}
    return found


def value_of(row: MeasureValue) -> float:
    """The value of a topic; the lower bound of one that missing judgments leave open."""
    return row.lower if row.value is None else row.value


def is_open(row: MeasureValue) -> bool:
    """Whether missing judgments leave the value open."""
    return row.value is None and row.is_bounded


def _of_text(report: Report, text: str) -> int:
    return hashed((report.topic_id, nfc(text).strip()))


# --- what leaves with each team -------------------------------------------------------------------


@dataclass(frozen=True)
class Left:
    """What leaves the collection.

    Attributes:
        nuggets: by team, those of every topic that loses an answer.
        num_nuggets: by team, how many leave; likewise `num_answers`.
        shared: digests of sentences and documents that several teams have.
    """

    nuggets: Mapping[str, Mapping[str, Sequence[Nugget]]]
    num_nuggets: Mapping[str, int]
    num_answers: Mapping[str, int]
    shared: frozenset[int]
    leaving: str

    def is_gone(self, found: Found) -> bool:
        """Whether a judgment about a report of the team that leaves is gone."""
        is_people = is_assessor(found.judged.judge)
        if self.leaving == "none" or (self.leaving == "people" and not is_people):
            return False
        report, kind, target = found.report, found.kind, found.target
        if kind is Kind.RELEVANT or (kind is Kind.SUPPORT and found.text):
            is_own = hashed((report.topic_id, str(target))) not in self.shared
            if kind is Kind.RELEVANT or is_own:
                return is_own
        return kind is Kind.FIRST_INSTANCE or _of_text(report, found.text) not in self.shared


def what_leaves(
    parts: Sequence[Contribution],
    every: Mapping[str, Sequence[Nugget]],
    team_of: Mapping[str, str],
    leaving: str,
) -> Left:
    """What leaves the collection with each team.

    Args:
        every: the nuggets of all topics.
        leaving: one of `LEAVING`.
    """
    attesting = {
        hashed((topic_id, doc_id)): (topic_id, doc_id)
        for topic_id, found in every.items()
        for _, doc_id in subtopics(found)
    }
    citing: dict[int, set[str]] = {}
    for each in parts:
        for digest in attesting.keys() & set(each.documents):
            citing.setdefault(digest, set()).add(team_of[each.run_id])
    owned: dict[str, dict[str, set[str]]] = {}
    for digest, of_teams in sorted(citing.items()):
        if len(of_teams) == 1:
            topic_id, doc_id = attesting[digest]
            owned.setdefault(next(iter(of_teams)), {}).setdefault(topic_id, set()).add(doc_id)
    nuggets: dict[str, dict[str, Sequence[Nugget]]] = {}
    num_nuggets: dict[str, int] = {}
    num_answers: dict[str, int] = {}
    for team, topics in owned.items():
        for topic_id, doc_ids in topics.items():
            kept = without_documents(every[topic_id], doc_ids)
            nuggets.setdefault(team, {})[topic_id] = kept
            gone = _num_answers(every[topic_id]) - _num_answers(kept)
            num_answers[team] = num_answers.get(team, 0) + gone
            num_nuggets[team] = num_nuggets.get(team, 0) + len(every[topic_id]) - len(kept)
    return Left(nuggets, num_nuggets, num_answers, _shared(parts, team_of), leaving)


def without_documents(nuggets: Sequence[Nugget], doc_ids: set[str]) -> tuple[Nugget, ...]:
    """The nuggets that are left if nobody had found some documents.

    An answer that no other document attests leaves, and a nugget with no answer left.
    """
    kept = []
    for nugget in nuggets:
        answers = []
        for answer in nugget.answers:
            left = tuple(doc_id for doc_id in answer.doc_ids if doc_id not in doc_ids)
            if left or not answer.doc_ids:
                answers.append(answer._replace(doc_ids=left))
        if answers or nugget.is_absence:
            kept.append(nugget._replace(answers=tuple(answers)))
    return tuple(kept)


def _num_answers(nuggets: Sequence[Nugget]) -> int:
    return sum(len(nugget.answers) for nugget in nuggets)


def _shared(parts: Sequence[Contribution], team_of: Mapping[str, str]) -> frozenset[int]:
    every = [np.array(each.sentences + each.documents, np.uint64) for each in parts]
    digests = np.concatenate(every)
    teams = [team_of[each.run_id] for each in parts]
    return frozenset(digests[are_shared(digests, teams, [*map(len, every)])].tolist())
