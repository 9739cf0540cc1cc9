"""``argue-eval meta-eval``: judges against assessors.

Annotations are not postponed here: see `argue_eval.cli.parameters`.
"""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.parameters import INPUT, SCORING, argument, check_stdin, option, with_records
from argue_eval.errors import UsageError


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Sources:
    """The files that are compared."""

    HEADING: ClassVar = INPUT

    judgments: Annotated[list[str], argument(
        "JUDGMENTS...", "Judgments of the judges to compare: canonical, Auto-ARGUE's, SummHay's "
        "labels, or a store. - is stdin.")] = field(default_factory=list)
    truth: Annotated[list[str], option(
        "--truth ASSESSMENTS", "Judgments of the assessors. Default: those in JUDGMENTS. "
        "Repeatable.")] = field(default_factory=list)
    qrels: Annotated[str | None, option(
        "--qrels QRELS", "The nuggets, which Auto-ARGUE's judgments name by their texts.")] = None
    run: Annotated[list[str], option(
        "--run RUN", "A judged run: names the system of each sentence, and its text if judgments "
        "name it by its place. Repeatable.")] = field(default_factory=list)
    scores: Annotated[list[str], option(
        "--scores FILE|DIR", "Scores of the systems by the judge: a file of trec_eval, "
        "ir_measures, Auto-ARGUE or argue-eval, or the folder of score -o. "
        "Repeatable.")] = field(default_factory=list)
    truth_scores: Annotated[list[str], option(
        "--truth-scores FILE|DIR", "Scores of the systems by the assessors. "
        "Repeatable.")] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Selection:
    """What is compared."""

    HEADING: ClassVar = SCORING

    judge: Annotated[list[str], option(
        "--judge NAME", "Only this judge. Repeatable.")] = field(default_factory=list)
    kind: Annotated[list[str], option(
        "--kind KIND", "Only this kind of question, such as support. "
        "Repeatable.")] = field(default_factory=list)
    truth_judge: Annotated[list[str], option(
        "--truth-judge NAME", "Whose judgments are the truth, if not the assessors'. Repeatable: "
        "the first judge with an answer counts.")] = field(default_factory=list)
    measure: Annotated[list[str], option(
        "-m, --measure NAME[=TRUTH_NAME]", "Only this measure of the score files. "
        "Repeatable.")] = field(default_factory=list)
    resamples: Annotated[int, option(
        "--resamples N", "How often topics are resampled for the intervals; 0 for none.")] = 1000
    # fmt: on


@with_records
def meta_eval(sources: Sources, selection: Selection, page: shared.Page) -> None:
    """Compare judges with assessors: agreement, calibration, bias, ranking of systems.

    Example: argue-eval meta-eval lexical.judgments.jsonl --truth qrels/example.judgments.jsonl
    """
    from argue_eval.analysis.agreement import Job, compare
    from argue_eval.report.agreement import FORMATS

    # A file may be on both sides: the judges that are the truth are then compared with the others.
    paths = {*sources.judgments, *sources.truth}
    others = (*sources.run, *sources.scores, *sources.truth_scores)
    check_stdin([*paths, sources.qrels, *others])
    if not 0 <= selection.resamples <= 100_000:
        raise UsageError(
            f"--resamples: expected a number from 0 to 100,000, found {selection.resamples}"
        )
    render = page.choose(FORMATS)
    with console.following() as (warnings, progress):
        job = Job(
            judgments=sources.judgments,
            truth=sources.truth,
            qrels=sources.qrels,
            runs=sources.run,
            judges=selection.judge,
            truth_judges=selection.truth_judge,
            kinds=selection.kind,
            scores=sources.scores,
            truth_scores=sources.truth_scores,
            measures=selection.measure,
            num_resamples=selection.resamples,
        )
        found = compare(job, warnings, progress)
    console.write(render(found), page.output)
