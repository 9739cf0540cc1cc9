"""How well a collection scores a run that did not take part in making it.

Each team is left out in turn, with what only its runs contributed to the collection; all runs are
scored again, and the ranking is compared with that of the whole collection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from argue_eval.analysis.bootstrap import Floats
from argue_eval.analysis.contributions import (
    LEAVING,
    Contribution,
    Left,
    contribution,
    is_open,
    nuggets_of,
    value_of,
    what_leaves,
)
from argue_eval.analysis.ranking import kendall_tau
from argue_eval.analysis.systems import DIGITS, check_scores, measures_of
from argue_eval.analysis.teams import TEAM_ID, teams_of
from argue_eval.errors import UsageError, check_names, count, some
from argue_eval.formats.processes import Progress, in_turn
from argue_eval.formats.scores import ALL
from argue_eval.measures import is_loss

if TYPE_CHECKING:
    from argue_eval.analysis.systems import Scored
    from argue_eval.evaluation.explaining import Found


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
    scores: Mapping[str, Scored],
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
    check_scores(scores)
    check_names("--leaving", [leaving], LEAVING)
    names = list(scores)
    side_by_side = partial(in_turn, what="scoring runs", progress=progress)
    parts = list(side_by_side(names, lambda name: contribution(scores[name])))
    chosen = _measures(parts, measures)
    team_of = teams_of(((each.run_id, each.team_id) for each in parts), teams)
    if len(set(team_of.values())) < 2:
        raise UsageError(
            f"expected runs of two or more teams, found {some(list(set(team_of.values())))}; "
            "--teams run makes every run a team of its own"
        )
    left = what_leaves(parts, nuggets_of(scores, parts), team_of, leaving)

    def work(place: int) -> _Changes:
        return _changes(scores[names[place]], team_of[parts[place].run_id], left, chosen)

    changes = list(side_by_side(range(len(names)), work))
    return _result(parts, changes, left, team_of, chosen, leaving)


def _measures(parts: Sequence[Contribution], wanted: Sequence[str]) -> list[str]:
    known = [name for name in parts[0].sums if all(name in each.sums for each in parts)]
    names = measures_of(wanted, known)
    wanted = [name if name in known else name.removesuffix("_macro") for name in names]
    check_names("measure with values per topic", wanted, known)
    if not known:
        raise UsageError("the scores have no measure with values per topic")
    return list(wanted) or known


class _Changes(NamedTuple):
    """What leaving out a team changes in the sums over topics of one run.

    Attributes:
        by_team: by team and measure, only where something changes.
        num_open: measures that its own team's leaving leaves open.
    """

    by_team: dict[str, dict[str, float]]
    num_open: dict[str, int]
    num_judgments: int


def _changes(run: Scored, own: str, left: Left, measures: Sequence[str]) -> _Changes:
    before = {
        (row.measure, row.topic_id): value_of(row) for row in run.table.rows if row.topic_id != ALL
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
            if row.topic_id != ALL and row.measure in sums:
                sums[row.measure] += value_of(row) - before[row.measure, row.topic_id]
                if team == own:
                    num_open[row.measure] = num_open.get(row.measure, 0) + is_open(row)
        found[team] = sums
    return _Changes(found, num_open, len(gone))


def _result(
    parts: Sequence[Contribution],
    changes: Sequence[_Changes],
    left: Left,
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
        before = np.round(sums / num_topics, DIGITS)
        means[measure] = before.tolist()
        for name, places in of_team.items():
            change = [each.by_team.get(name, {}).get(measure, 0.0) for each in changes]
            after = np.round((sums + change) / num_topics, DIGITS)
            num_open = sum(changes[place].num_open.get(measure, 0) > 0 for place in places)
            sign = -1 if is_loss(measure) else 1  # ranks are by what is better
            moved = _ranks(sign * after) - _ranks(sign * before)
            tau = float(kendall_tau(sign * before[None], sign * after[None])[0])
            most, own = int(np.argmax(np.abs(moved))), moved[places]
            effect = Effect(
                name,
                None if np.isnan(tau) else tau,
                int(moved[most]),
                run_ids[most],
                float(np.mean((after - before)[places])),
                int(own[np.argmax(np.abs(own))]),
                num_open,
            )
            effects.setdefault(measure, []).append(effect)
    notes = _notes(parts, effects, measures)
    return Reusability(teams, run_ids, means, effects, leaving, tuple(notes))


def _ranks(values: Floats) -> Floats:
    """The rank of each run, 1 for the best; equal values share a rank."""
    return 1 + len(values) - np.searchsorted(np.sort(values), values, side="right")


def _notes(
    parts: Sequence[Contribution], effects: Mapping[str, Sequence[Effect]], measures: Sequence[str]
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
