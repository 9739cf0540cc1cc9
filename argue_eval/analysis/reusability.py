"""How well a collection scores a run that did not take part in making it.

Each team is left out in turn, with what only its runs contributed to the collection; all runs are
scored again, and the ranking is compared with that of the whole collection.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from argue_eval.analysis.ranking import kendall_tau
from argue_eval.analysis.teams import TEAM_ID, teams_of
from argue_eval.errors import UsageError, count, some, unknown_name
from argue_eval.evaluation.leaving_out import Found, IsGone
from argue_eval.formats.processes import in_turn
from argue_eval.formats.sheets import ASSESSOR
from argue_eval.measures.protocols import Judged
from argue_eval.records import (
    Kind,
    MeasureValue,
    Nugget,
    Report,
    ScoreTable,
    TopicEvidence,
    nfc,
)

Floats = Any
Progress = Callable[[str, int, int], None]

_Task = TypeVar("_Task")
_Found = TypeVar("_Found")

LEAVING = ("people", "all", "none")
"""Whose judgments leave with a team: people's, since a judge can be asked again; all; or none."""

_DIGITS = 12
"""Sums in another order differ in the last bits; such means are ties."""
_ALL = "all"


class Rescored(Protocol):
    """A run that was scored and can be scored again, such as `argue_eval.RunScores`."""

    @property
    def table(self) -> ScoreTable:
        """Its values, by topic and averaged."""

    @property
    def evidence(self) -> Sequence[TopicEvidence]:
        """What they rest on, one per topic."""

    def rescored(
        self, nuggets: Mapping[str, Sequence[Nugget]], is_gone: IsGone | None = None
    ) -> ScoreTable:
        """The scores of some topics with other nuggets, and without judgments that are gone."""


class Team(NamedTuple):
    """A team, and what leaves the collection with it.

    Attributes:
        num_nuggets: nuggets that only documents of this team attest.
        num_answers: answers of which that holds, those of such nuggets included.
        num_topics: topics that have such answers.
        num_judgments: judgments of its runs that leave.
    """

    name: str
    run_ids: tuple[str, ...]
    num_nuggets: int
    num_answers: int
    num_topics: int
    num_judgments: int


class Effect(NamedTuple):
    """What happens to the ranking by a measure without a team's contribution.

    Attributes:
        tau: Kendall's, of the rankings with and without it; None if one ties all runs.
        change: the largest change of a rank; below 0 if the run moves up. `run_id` is the run.
        own_change: the mean change of the team's own runs' values.
        own_rank_change: the largest change of a rank of the team's own runs.
        num_open: runs whose value missing judgments leave open: their lower bound counts.
    """

    team: str
    tau: float | None
    change: int
    run_id: str
    own_change: float
    own_rank_change: int
    num_open: int


@dataclass(frozen=True)
class Reusability:
    """What leaving out each team changes.

    Attributes:
        effects: by measure, one per team, in the order of `teams`.
        means: each run's mean over topics on the whole collection, by measure.
        notes: caveats for the reader.
    """

    teams: Sequence[Team]
    run_ids: Sequence[str]
    means: Mapping[str, Sequence[float]]
    effects: Mapping[str, Sequence[Effect]]
    leaving: str
    notes: Sequence[str]

    def __repr__(self) -> str:
        return f"<Reusability: {count(len(self.run_ids), 'run')}, {count(len(self.teams), 'team')}>"

    def worst(self, measure: str) -> Effect | None:
        """The effect with the lowest tau; None if it is undefined for all teams."""
        defined = [each for each in self.effects[measure] if each.tau is not None]
        return min(defined, key=lambda each: each.tau or 0.0, default=None)

    def mean_tau(self, measure: str) -> float | None:
        """The mean tau over teams; None if it is undefined for all."""
        found = [each.tau for each in self.effects[measure] if each.tau is not None]
        return sum(found) / len(found) if found else None

    def largest(self, measure: str) -> Effect:
        """The effect with the largest change of a rank."""
        return max(self.effects[measure], key=lambda each: abs(each.change))


def reusability(
    scores: Mapping[str, Rescored],
    measures: Sequence[str] = (),
    *,
    teams: str = TEAM_ID,
    leaving: str = "people",
    progress: Progress | None = None,
) -> Reusability:
    """Leaves out one team after the other and compares the rankings of the runs.

    With a team leave the nuggets, and answers, that only documents attest which its runs alone
    cite, and judgments of sentences and documents that only its runs have. Documents that no run
    cites stay: they came from elsewhere. What leaves open questions is answered by the judge of the
    scores, if they have one.

    Args:
        scores: what `argue_eval.score` or `argue_eval.read_scores` returned.
        measures: measures with a value per topic; by default all that are no counts. Runs are
            ranked by their means over topics.
        teams: see `argue_eval.analysis.teams.teams_of`.
        leaving: whose judgments leave: of ``people``, ``all``, or ``none``.

    Raises:
        UsageError: a name is unknown, or there are fewer than two teams.

    Source: Zobel: How reliable are the results of large-scale information retrieval experiments?
        (SIGIR 1998); Voorhees: The philosophy of information retrieval evaluation (CLEF 2001).
    """
    if leaving not in LEAVING:
        raise unknown_name("--leaving", leaving, LEAVING)
    if isinstance(measures, str):
        measures = [measures]
    names = list(scores)
    parts = list(_each(names, lambda name: _contribution(scores[name]), progress))
    chosen = _measures(parts, measures)
    team_of = teams_of(((each.run_id, each.team_id) for each in parts), teams)
    if len(set(team_of.values())) < 2:
        raise UsageError(
            f"expected runs of two or more teams, found {some(list(set(team_of.values())))}; "
            "--teams run makes every run a team of its own"
        )
    left = _left(parts, _nuggets(scores, parts), team_of, leaving)

    def work(place: int) -> _Changes:
        return _changes(scores[names[place]], team_of[parts[place].run_id], left, chosen)

    changes = list(_each(range(len(names)), work, progress))
    return _result(parts, changes, left, team_of, chosen, leaving)


def _each(
    tasks: Sequence[Any], work: Callable[[Any], Any], progress: Progress | None
) -> Iterator[Any]:
    for place, found in enumerate(in_turn(tasks, work)):
        if progress:
            progress("scoring runs", place, len(tasks))
        yield found


# --- what each run contributes --------------------------------------------------------------------


class _Contribution(NamedTuple):
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


def _contribution(run: Rescored) -> _Contribution:
    sentences, documents = array("Q"), array("Q")
    for each in run.evidence:
        if each.report is not None:
            of_report = each.report.sentences
            cited = {citation.doc_id for one in of_report for citation in one.citations}
            sentences.extend({_of_text(each.report, one.text) for one in of_report})
            documents.extend([_digest(each.topic_id, doc_id) for doc_id in cited])
    sums: dict[str, float] = {}
    num_open: dict[str, int] = {}
    for row in run.table.rows:
        if row.topic_id != _ALL and not row.is_count:
            sums[row.measure] = sums.get(row.measure, 0.0) + _value(row)
            num_open[row.measure] = num_open.get(row.measure, 0) + _is_open(row)
    return _Contribution(
        run.table.run_id,
        run.table.team_id,
        sentences,
        documents,
        [each.topic_id for each in run.evidence],
        sums,
        num_open,
    )


def _nuggets(
    scores: Mapping[str, Rescored], parts: Sequence[_Contribution]
) -> dict[str, Sequence[Nugget]]:
    """The nuggets of all topics that some run is scored on."""
    found: dict[str, Sequence[Nugget]] = {}
    for name, part in zip(scores, parts, strict=True):
        if not found.keys() >= set(part.topic_ids):
            found |= {each.topic_id: each.nuggets for each in scores[name].evidence}
    return found


def _value(row: MeasureValue) -> float:
    return row.lower if row.value is None else row.value


def _is_open(row: MeasureValue) -> bool:
    return row.value is None and row.is_bounded


def _of_text(report: Report, text: str) -> int:
    return _digest(report.topic_id, nfc(text).strip())


def _digest(*parts: str) -> int:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def _measures(parts: Sequence[_Contribution], wanted: Sequence[str]) -> list[str]:
    known = [name for name in parts[0].sums if all(name in each.sums for each in parts)]
    wanted = [name if name in known else name.removesuffix("_macro") for name in wanted]
    for name in wanted:
        if name not in known:
            raise unknown_name("measure with values per topic", name, known)
    if not known:
        raise UsageError("the scores have no measure with values per topic")
    return list(wanted) or known


# --- what leaves with each team -------------------------------------------------------------------


@dataclass(frozen=True)
class _Left:
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
        if not self._leaves(found.judged):
            return False
        report, kind, target = found.report, found.kind, found.target
        if kind is Kind.RELEVANT or (kind is Kind.SUPPORT and found.text):
            is_own = _digest(report.topic_id, str(target)) not in self.shared
            if kind is Kind.RELEVANT or is_own:
                return is_own
        return kind is Kind.FIRST_INSTANCE or _of_text(report, found.text) not in self.shared

    def _leaves(self, judged: Judged) -> bool:
        if self.leaving == "people":
            return judged.judge.partition(":")[0] == ASSESSOR
        return self.leaving == "all"


def _left(
    parts: Sequence[_Contribution],
    every: Mapping[str, Sequence[Nugget]],
    team_of: Mapping[str, str],
    leaving: str,
) -> _Left:
    attesting = {
        _digest(topic_id, doc_id): (topic_id, doc_id)
        for topic_id, found in every.items()
        for nugget in found
        for answer in nugget.answers
        for doc_id in answer.doc_ids
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
    return _Left(nuggets, num_nuggets, num_answers, _shared(parts, team_of), leaving)


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


def _shared(parts: Sequence[_Contribution], team_of: Mapping[str, str]) -> frozenset[int]:
    numbers = {team: number for number, team in enumerate(dict.fromkeys(team_of.values()))}
    every = [np.array(each.sentences + each.documents, np.uint64) for each in parts]
    members = np.repeat([numbers[team_of[each.run_id]] for each in parts], [*map(len, every)])
    units, inverse = np.unique(np.concatenate(every), return_inverse=True)
    pairs = np.unique(inverse.astype(np.int64) * len(numbers) + members) // len(numbers)
    return frozenset(units[np.bincount(pairs, minlength=len(units)) > 1].tolist())


# --- what that changes ----------------------------------------------------------------------------


class _Changes(NamedTuple):
    """What leaving out a team changes in the sums over topics of one run.

    Attributes:
        by_team: by team and measure, only where something changes.
        num_open: measures that its own team's leaving leaves open.
    """

    by_team: dict[str, dict[str, float]]
    num_open: dict[str, int]
    num_judgments: int


def _changes(run: Rescored, own: str, left: _Left, measures: Sequence[str]) -> _Changes:
    before = {
        (row.measure, row.topic_id): _value(row) for row in run.table.rows if row.topic_id != _ALL
    }
    found: dict[str, dict[str, float]] = {}
    num_open: dict[str, int] = {}
    gone: set[tuple[Any, ...]] = set()

    def is_gone(each: Found) -> bool:
        is_left = left.is_gone(each)
        if is_left:
            gone.add((each.report.topic_id, each.text, each.kind, each.target))
        return is_left

    whole = {each.topic_id: each.nuggets for each in run.evidence}
    for team in {**left.nuggets, own: {}}:
        changed = left.nuggets.get(team, {})
        if team == own:
            table = run.rescored({**whole, **changed}, is_gone)
        else:
            table = run.rescored(changed)
        sums = dict.fromkeys(measures, 0.0)
        for row in table.rows:
            if row.topic_id != _ALL and row.measure in sums:
                sums[row.measure] += _value(row) - before[row.measure, row.topic_id]
                if team == own:
                    num_open[row.measure] = num_open.get(row.measure, 0) + _is_open(row)
        found[team] = sums
    return _Changes(found, num_open, len(gone))


def _result(
    parts: Sequence[_Contribution],
    changes: Sequence[_Changes],
    left: _Left,
    team_of: Mapping[str, str],
    measures: Sequence[str],
    leaving: str,
) -> Reusability:
    run_ids = [each.run_id for each in parts]
    of_team: dict[str, list[int]] = {}
    for place, run_id in enumerate(run_ids):
        of_team.setdefault(team_of[run_id], []).append(place)
    teams = [
        Team(
            name,
            tuple(run_ids[place] for place in places),
            left.num_nuggets.get(name, 0),
            left.num_answers.get(name, 0),
            len(left.nuggets.get(name, {})),
            sum(changes[place].num_judgments for place in places),
        )
        for name, places in of_team.items()
    ]
    num_topics = np.array([max(len(each.topic_ids), 1) for each in parts])
    means: dict[str, list[float]] = {}
    effects: dict[str, list[Effect]] = {}
    for measure in measures:
        sums = np.array([each.sums[measure] for each in parts])
        before = np.round(sums / num_topics, _DIGITS)
        means[measure] = before.tolist()
        for name, places in of_team.items():
            change = [each.by_team.get(name, {}).get(measure, 0.0) for each in changes]
            after = np.round((sums + change) / num_topics, _DIGITS)
            num_open = sum(changes[place].num_open.get(measure, 0) > 0 for place in places)
            effect = _effect(name, run_ids, before, after, places)._replace(num_open=num_open)
            effects.setdefault(measure, []).append(effect)
    notes = _notes(parts, effects, measures)
    return Reusability(teams, run_ids, means, effects, leaving, tuple(notes))


def _effect(
    team: str, run_ids: Sequence[str], before: Floats, after: Floats, places: Sequence[int]
) -> Effect:
    tau = float(kendall_tau(before[None], after[None])[0])
    moved = _ranks(after) - _ranks(before)
    most = int(np.argmax(np.abs(moved)))
    own = moved[places]
    return Effect(
        team,
        None if np.isnan(tau) else tau,
        int(moved[most]),
        run_ids[most],
        float(np.mean((after - before)[places])),
        int(own[np.argmax(np.abs(own))]),
        num_open=0,
    )


def _ranks(values: Floats) -> Floats:
    """The rank of each run, 1 for the best; equal values share a rank."""
    return 1 + len(values) - np.searchsorted(np.sort(values), values, side="right")


def _notes(
    parts: Sequence[_Contribution], effects: Mapping[str, Sequence[Effect]], measures: Sequence[str]
) -> Iterator[str]:
    num_runs = sum(any(each.num_open[name] for name in measures) for each in parts)
    if num_runs:
        yield (
            f"missing judgments leave values of {count(num_runs, 'run')} open: their lower bounds "
            "count, as unjudged documents do in trec_eval"
        )
    most = max(sum(each.num_open for each in found) for found in effects.values())
    if most > num_runs:
        yield (
            f"without the judgments that leave with its team, values of {count(most, 'run')} are "
            "open: the lower bounds count"
        )
