"""What a comparison of judges with assessors says: plain records, which the views print."""

from __future__ import annotations

from typing import NamedTuple

from argue_eval.records import Kind, Verdict


class Figure(NamedTuple):
    """One figure with its interval.

    Attributes:
        value: None if it is undefined; then `reason` says why.
        lower: where the 95 percent interval begins; None if there is no interval.
        upper: where it ends.
        num: how many questions, reports or systems it rests on.
        num_resamples: the resamples of topics in which it is defined.
    """

    name: str
    value: float | None
    lower: float | None = None
    upper: float | None = None
    num: int = 0
    num_resamples: int = 0
    reason: str = ""


class Counts(NamedTuple):
    """How many questions there are, and who answered them.

    Attributes:
        matched: both answered; every figure is over these alone.
        only_truth: the judge has no answer.
        failed: those of `only_truth` that the judge was asked and failed on, where the file
            tells.
        only_judge: nobody but the judge answered.
        incomplete: reports that one side judged sentence by sentence and not to the end, so that
            its verdict on the whole is unknown. They are in no figure.
    """

    matched: int
    only_truth: int
    failed: int
    only_judge: int
    incomplete: int


class Cell(NamedTuple):
    """One cell of a confusion table."""

    truth: Verdict
    judge: Verdict
    num: int


class Bin(NamedTuple):
    """One row of a reliability table: the questions with a probability in (lower, upper].

    Attributes:
        mean_prob: None if the bin is empty.
        share_yes: how many of them the truth answers with yes; None if the bin is empty.
    """

    lower: float
    upper: float
    num: int
    mean_prob: float | None
    share_yes: float | None


class SystemBias(NamedTuple):
    """What the judge and the truth give one system: means over its reports.

    Attributes:
        bias: judge minus truth.
    """

    system: str
    num_reports: int
    truth: float
    judge: float
    bias: Figure


class Pairs(NamedTuple):
    """What paired tests say about all pairs of systems.

    Attributes:
        both: truth and judge call the pair different, in the same direction.
        only_truth: the truth alone calls it different.
        only_judge: the judge alone does.
        opposite: both do, in opposite directions.
        neither: neither does.
        untested: pairs with fewer than two topics in common.
    """

    both: int
    only_truth: int
    only_judge: int
    opposite: int
    neither: int
    untested: int


class Ranking(NamedTuple):
    """How alike two rankings of systems are.

    Attributes:
        measure: what the systems are ranked by.
        figures: Kendall's tau-b, tau_AP, Spearman, Pearson.
        pairs: None if there are no values per topic to test.
    """

    measure: str
    num_systems: int
    num_topics: int
    figures: tuple[Figure, ...]
    pairs: Pairs | None


class Agreement(NamedTuple):
    """One judge and the truth, on the questions of one kind.

    Attributes:
        by_report: a unit is a nugget in a report, not a sentence.
        figures: in the order in which they are printed.
        systems: empty if nobody says which system a sentence is from.
        ranking: None if there are not two systems.
    """

    kind: Kind
    judge: str
    by_report: bool
    num_topics: int
    counts: Counts
    figures: tuple[Figure, ...]
    confusion: tuple[Cell, ...]
    reliability: tuple[Bin, ...] = ()
    systems: tuple[SystemBias, ...] = ()
    ranking: Ranking | None = None

    def figure(self, name: str) -> Figure:
        """Returns a figure by its name.

        Raises:
            KeyError: the kind has no such figure.
        """
        for each in self.figures:
            if each.name == name:
                return each
        raise KeyError(name)


class Comparison(NamedTuple):
    """Everything that a comparison found out.

    Attributes:
        truth: the judges that are taken for right.
        agreements: by kind; within a kind the judge that agrees best comes first.
        rankings: of the systems in score files, one per measure.
        num_resamples: how often the topics were drawn anew for the intervals.
        notes: what a reader must know to read the figures right.
    """

    truth: tuple[str, ...]
    agreements: tuple[Agreement, ...]
    rankings: tuple[Ranking, ...]
    num_resamples: int
    notes: tuple[str, ...] = ()
