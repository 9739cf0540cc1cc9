"""Plain records of what an analysis finds; the views of `argue_eval.report` print them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from argue_eval.errors import count, unknown_name
from argue_eval.formats.frames import dataframe
from argue_eval.records import Kind, Verdict

if TYPE_CHECKING:
    import pandas

    from argue_eval.formats.calibrations import JudgeCalibration


class Figure(NamedTuple):
    """One figure with its interval.

    Attributes:
        value: None if it is undefined; `reason` then says why.
        lower: lower end of the interval; None without one.
        upper: upper end of the interval.
        num: number of questions, reports or systems behind the value.
        num_resamples: number of resamples in which the figure is defined.
    """

    name: str
    value: float | None
    lower: float | None = None
    upper: float | None = None
    num: int = 0
    num_resamples: int = 0
    reason: str = ""

    def cells(self, name: str, prefix: str) -> dict[str, float | None]:
        """The value and its interval as cells of a table."""
        return {name: self.value, f"{prefix}lower": self.lower, f"{prefix}upper": self.upper}


class Place(NamedTuple):
    """One system among the others.

    Attributes:
        mean: over topics, or the ratio of the sums over them (``_micro``); without an interval
            where fewer than two topics have a value.
        rank: 1 is the best; systems with equal means share a rank.
        ranks: the best and the worst rank that it may have: systems that are significantly better
            or worse stand before or behind it. None if not all pairs were tested.
        groups: the first and the last group that it is in, counted from 1. A group is as many
            neighbours in the ranking as possible of which no two differ. None as `ranks`.

    Source: of `ranks`: Mogstad, Romano, Shaikh, Wilhelm: Inference for ranks (The Review of
        Economic Studies 2024).
    """

    run_id: str
    mean: Figure
    rank: int
    ranks: tuple[int, int] | None
    groups: tuple[int, int] | None

    def row(self) -> dict[str, Any]:
        """The place as cells of a table."""
        return {
            "run_id": self.run_id,
            **self.mean.cells("mean", ""),
            "num_topics": self.mean.num,
            "rank": self.rank,
            "ranks": self.ranks,
            "groups": self.groups,
        }


class Pair(NamedTuple):
    """Two systems over the topics that both have.

    Attributes:
        difference: the mean of first minus second, with Student's interval.
        effect: the difference over the standard deviation of the differences. A topic's part in a
            ratio of sums is how far it moves the ratio.
        won: topics in which the first is better.
        p_value: None with fewer than two topics; `adjusted` is corrected for all pairs.
        topics_needed: how many topics would show such an effect with the wanted power; None if no
            million would.
    """

    first: str
    second: str
    difference: Figure
    effect: Figure
    won: int
    tied: int
    lost: int
    p_value: float | None
    adjusted: float | None
    topics_needed: int | None

    def row(self) -> dict[str, Any]:
        """The pair as cells of a table."""
        return {
            "first": self.first,
            "second": self.second,
            **self.difference.cells("difference", "difference_"),
            **self.effect.cells("effect", "effect_"),
            "num_topics": self.difference.num,
            "won": self.won,
            "tied": self.tied,
            "lost": self.lost,
            "p_value": self.p_value,
            "adjusted_p_value": self.adjusted,
            "topics_needed": self.topics_needed,
        }


class Counts(NamedTuple):
    """How many questions there are, and who answered them.

    Attributes:
        matched: answered by both; all figures use these only.
        failed: those of `only_truth` on which the judge failed, where the file records it.
        incomplete: reports that one side judged sentence by sentence and did not finish, so that
            its verdict on the whole is unknown. No figure uses them.
    """

    matched: int
    only_truth: int
    failed: int = 0
    only_judge: int = 0
    incomplete: int = 0


class Cell(NamedTuple):
    """One cell of a confusion table."""

    truth: Verdict
    judge: Verdict
    num: int


class Bin(NamedTuple):
    """One row of a reliability table: the questions with a probability in (lower, upper].

    Attributes:
        mean_prob: None if the bin is empty.
        share_yes: share of the questions that the truth answers with yes; None if the bin is empty.
    """

    lower: float
    upper: float
    num: int
    mean_prob: float | None
    share_yes: float | None


class SystemBias(NamedTuple):
    """Mean scores of one system over its reports.

    Attributes:
        bias: judge minus truth.
    """

    system: str
    num_reports: int
    truth: float
    judge: float
    bias: Figure


class Pairs(NamedTuple):
    """Number of pairs of systems by which side finds a significant difference.

    Attributes:
        both: truth and judge, in the same direction.
        opposite: truth and judge, in opposite directions.
        untested: pairs with fewer than two topics in common.
    """

    both: int
    only_truth: int
    only_judge: int
    opposite: int
    neither: int
    untested: int


class Ranking(NamedTuple):
    """Agreement of two rankings of systems.

    Attributes:
        measure: what the systems are ranked by.
        figures: Kendall's tau-b, tau_AP, tau_GAP, Spearman, Pearson, and Kendall's tau-b of the
            systems that the truth ranks first.
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
        by_report: a unit is a nugget in a report, not in a sentence.
        figures: in print order; empty if judge and truth have no question in common.
        systems: empty if the systems are unknown.
        ranking: None with fewer than two systems.
    """

    kind: Kind
    judge: str
    by_report: bool
    num_topics: int
    counts: Counts
    figures: tuple[Figure, ...] = ()
    confusion: tuple[Cell, ...] = ()
    reliability: tuple[Bin, ...] = ()
    systems: tuple[SystemBias, ...] = ()
    ranking: Ranking | None = None

    def figure(self, name: str) -> Figure:
        """Looks a figure up by name.

        Raises:
            KeyError: the kind has no such figure.
        """
        return {each.name: each for each in self.figures}[name]


class PairOfJudges(NamedTuple):
    """Two judges of a panel, on the questions of one kind that both answered.

    Attributes:
        num: how many questions these are.
        figures: accuracy and Cohen's kappa; with linear weights too for graded kinds.
    """

    first: str
    second: str
    num: int
    figures: tuple[Figure, ...]


class Panel(NamedTuple):
    """Judges among themselves, on the questions of one kind.

    Attributes:
        num: number of questions that two or more of them answered.
        figures: means over the pairs of judges, and Krippendorff's alpha over all of them.
    """

    kind: Kind
    judges: tuple[str, ...]
    num: int
    num_topics: int
    figures: tuple[Figure, ...]
    pairs: tuple[PairOfJudges, ...]


class TopicLabels(NamedTuple):
    """The figures of one topic's relevance labels by name; None where one is undefined."""

    topic_id: str
    num: int
    figures: Mapping[str, float | None]


class LabelAgreement(NamedTuple):
    """Relevance labels of documents by a judge and by the truth.

    Attributes:
        num: number of documents that are compared, each in each topic.
        only_truth: documents that the truth alone labelled; `only_judge`: the judge alone.
        figures: means over the topics in which they are defined.
    """

    num: int
    only_truth: int
    only_judge: int
    figures: tuple[Figure, ...]
    topics: tuple[TopicLabels, ...]


class MetaEvaluation(NamedTuple):
    """Everything that a comparison of judges found.

    Attributes:
        truth: the judges that count as right.
        agreements: by kind; within a kind, the judge that agrees best comes first.
        rankings: of the systems in score files, one per measure.
        num_resamples: number of bootstrap resamples of the topics.
        notes: caveats for the reader.
        panels: judges among themselves, by kind.
        labels: None if no relevance labels are compared.
        calibrations: how the judges' probabilities are best read, if that was asked.
    """

    truth: tuple[str, ...]
    agreements: tuple[Agreement, ...]
    rankings: tuple[Ranking, ...]
    num_resamples: int
    notes: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()
    labels: LabelAgreement | None = None
    calibrations: tuple[JudgeCalibration, ...] = ()

    def __repr__(self) -> str:
        return (
            f"<MetaEvaluation of {count(len(self.agreements), 'agreement')} and "
            f"{count(len(self.rankings), 'ranking')}>"
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yields a row per kind of question, judge and figure."""
        for each in self.agreements:
            for figure in each.figures:
                named = {"kind": each.kind.value, "judge": each.judge, "figure": figure.name}
                yield {**named, **figure.cells("value", ""), "num": figure.num}

    def to_dataframe(self) -> pandas.DataFrame:
        """The rows as a pandas DataFrame.

        Raises:
            MissingResourceError: pandas is not installed.
        """
        return dataframe(self.rows())


class CorrectedScore(NamedTuple):
    """A run's value of one measure.

    Attributes:
        measure: ``share_yes[KIND]`` is the share of the questions of a kind that are answered yes.
        unit: ``topic``, ``sentence`` or ``question``: what people assessed, one by one.
        machine: the value by the machine's judgments; None if some are missing.
        people: by the assessed units alone.
        ppi: by people and machine; prediction-powered.
        rogan_gladen: a share corrected by the machine's sensitivity and specificity.
        weight: how far the machine counts in it, λ.
        num_units: of all units; `people.num` of them are assessed.
        num_topics: with an assessed unit.
    """

    run_id: str
    measure: str
    unit: str
    machine: float | None
    people: Figure
    ppi: Figure
    weight: float
    num_units: int
    num_topics: int
    rogan_gladen: Figure | None = None

    def row(self) -> dict[str, Any]:
        """The value as cells of a table."""
        found = {name: getattr(self, name) for name in ("run_id", "measure", "unit", "machine")}
        for name in ("ppi", "people", "rogan_gladen"):
            figure: Figure | None = getattr(self, name)
            found |= {
                name: figure and figure.value,
                f"{name}_low": figure and figure.lower,
                f"{name}_high": figure and figure.upper,
            }
        return {
            **found,
            "lambda": self.weight,
            "num_assessed": self.people.num,
            "num_units": self.num_units,
            "num_topics_assessed": self.num_topics,
            "reason": self.ppi.reason or None,
        }


class Calibration(NamedTuple):
    """How often the machine is right about a kind of question, over all runs.

    Attributes:
        sensitivity: of what people answer with yes; so `specificity` of the others.
        num_yes: distinct questions that people answer with yes; so `num_no`.
    """

    kind: Kind
    sensitivity: float | None
    specificity: float | None
    num_yes: int
    num_no: int


class Correction(NamedTuple):
    """What is corrected of the scores of all runs.

    Attributes:
        assessors: who assessed.
        notes: caveats for the reader.
    """

    assessors: tuple[str, ...]
    level: float
    scores: tuple[CorrectedScore, ...]
    calibrations: tuple[Calibration, ...]
    notes: tuple[str, ...]

    def score(self, run_id: str, measure: str) -> CorrectedScore:
        """Looks a value up.

        Raises:
            KeyError: there is none.
        """
        found = {(each.run_id, each.measure): each for each in self.scores}
        if (run_id, measure) not in found:
            name = f"{run_id}, {measure}"
            names = [f"{run}, {one}" for run, one in found]
            raise KeyError(str(unknown_name("run and measure", name, names)))
        return found[run_id, measure]

    def __repr__(self) -> str:
        return f"<Correction of {count(len(self.scores), 'score')} by {', '.join(self.assessors)}>"

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yields a row per run and measure."""
        for each in self.scores:
            yield each.row()

    def to_dataframe(self) -> pandas.DataFrame:
        """The rows as a pandas DataFrame.

        Raises:
            MissingResourceError: pandas is not installed.
        """
        return dataframe(self.rows())
