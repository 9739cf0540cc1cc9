"""``argue-eval meta-eval``: judges against assessors.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import INPUT, JUDGES, OUTPUT, SCORING, only, param
from argue_eval.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from argue_eval.cli.pairs import Asking


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Sources:
    """The files that are compared, named as in `argue_eval.analysis.agreement.Job`."""

    HEADING: ClassVar = INPUT

    judgments: Annotated[list[str], param(
        "JUDGMENTS...", "Judgments of the judges to compare: canonical, Auto-ARGUE's, SummHay's "
        "labels, or a store. - is stdin.")] = field(default_factory=list)
    pairs: Annotated[list[str], param(
        "--pairs FILE", "Pairs of texts with a label each, JSON lines of claim, document and "
        "label: the judges of --judge are asked, lexical by default. "
        "Repeatable.")] = field(default_factory=list)
    truth: Annotated[list[str], param(
        "--truth ASSESSMENTS", "Judgments of the assessors. Default: those in JUDGMENTS. "
        "Repeatable.")] = field(default_factory=list)
    qrels: Annotated[str | None, param(
        "--qrels QRELS", "The nuggets, which Auto-ARGUE's judgments name by their texts.")] = None
    runs: Annotated[list[str], param(
        "--run RUN", "A judged run, or a folder of them: names the system of each sentence, and "
        "its text if judgments name it by its place. Repeatable.")] = field(default_factory=list)
    scores: Annotated[list[str], param(
        "--scores FILE|DIR", "Scores of the systems by the judge: a file of trec_eval, "
        "ir_measures, Auto-ARGUE or argue-eval, or the folder of score -o. "
        "Repeatable.")] = field(default_factory=list)
    truth_scores: Annotated[list[str], param(
        "--truth-scores FILE|DIR", "Scores of the systems by the assessors. "
        "Repeatable.")] = field(default_factory=list)
    labels: Annotated[str | None, param(
        "--labels FILE", "Relevance labels of documents by the judge: TREC qrels, a line "
        "'topic 0 document grade' each.")] = None
    truth_labels: Annotated[str | None, param(
        "--truth-labels FILE", "Relevance labels of documents by the assessors.")] = None

    def others(self) -> list[str | None]:
        """The files beside judgments."""
        scores = (*self.scores, *self.truth_scores)
        return [*self.pairs, self.qrels, *self.runs, *scores, self.labels, self.truth_labels]


@dataclass(frozen=True, kw_only=True)
class Selection:
    """What is compared, named as in `argue_eval.analysis.agreement.Job`."""

    HEADING: ClassVar = SCORING

    judges: Annotated[list[str], param(
        "--judge NAME", "Only this judge; with --pairs, ask it: lexical, nli:MODEL, llm:MODEL. "
        "Repeatable.")] = field(default_factory=list)
    kinds: Annotated[list[str], param(
        "--kind KIND", "Only this kind of question, such as support. "
        "Repeatable.")] = field(default_factory=list)
    truth_judges: Annotated[list[str], param(
        "--truth-judge NAME", "Whose judgments are the truth, if not the assessors'. Repeatable: "
        "the first judge with an answer counts.")] = field(default_factory=list)
    measures: Annotated[list[str], param(
        "-m, --measure NAME[=TRUTH_NAME]", "Only this measure of the score files. "
        "Repeatable.")] = field(default_factory=list)
    is_panel: Annotated[bool, param(
        "--inter-assessor", "Compare two or more assessors of JUDGMENTS among themselves; with "
        "--judge, any judges.")] = False
    relevant_from: Annotated[str, param(
        "--relevant-from GRADE[=TRUTH_GRADE]", "The lowest grade of a relevant document.")] = "1"
    unlabelled: Annotated[int | None, param(
        "--unlabelled GRADE", "The grade of a document that one side has no label for. Default: "
        "it is left out.")] = None
    top: Annotated[int, param(
        "--top K", "Kendall's tau also of the K systems that the truth ranks first.")] = 10
    num_resamples: Annotated[int, param(
        "--resamples N", "How often topics are resampled for the intervals; 0 for none.")] = 1000
    # fmt: on


def meta_eval(
    sources: Sources,
    selection: Selection,
    judging: Annotated[shared.Judging, only("store", *shared.CALIBRATING)],
    models: shared.Models,
    page: shared.Page,
    calibrate: Annotated[str | None, param(
        "--calibrate FILE", "Fit to the assessments how the judges' probabilities are best read, "
        "and write it here, for --calibration of the commands that judge.", OUTPUT)] = None,
    contrast: Annotated[str | None, param(
        "--contrast JUDGE", "Ask a judge built-in probes instead: pairs of sentences of which one "
        "is right, long documents, long sentences, and orders to the judge. With --repeat K, also "
        "its agreement with itself.", JUDGES)] = None,
    dry_run: Annotated[bool, param(
        "--dry-run", "With --pairs or --contrast: ask nothing; print calls, tokens and price.",
        OUTPUT)] = False,
) -> int:  # fmt: skip
    """Compare judges with assessors: agreement, calibration, bias, ranking of systems.

    Also assessors among themselves, score files, relevance labels of documents, judges on any file
    of assessed pairs, and a judge on built-in probes.

    Example: argue-eval meta-eval lexical.judgments.jsonl --truth qrels/example.judgments.jsonl

    Example: argue-eval meta-eval --pairs pairs.jsonl --judge lexical --calibrate lexical.json

    Example: argue-eval meta-eval --contrast lexical
    """
    if contrast is not None:
        from argue_eval.cli.pairs import Asking

        _refuse_beside_contrast(sources, selection, calibrate)
        probing = Asking.of((), [contrast], selection.kinds, judging, models)
        console.check_files([models.prices, *judging.calibrations, judging.store], o=page.output)
        if dry_run:
            probing.show_forecast()
            return EXIT_OK
        return probing.probe(page)
    from argue_eval.analysis.agreement import Job, compare
    from argue_eval.analysis.scores import held
    from argue_eval.report.agreement import FORMATS

    # A file may be on both sides: the judges that are the truth are then compared with the others.
    paths = {*sources.judgments, *sources.truth}
    console.check_files(
        [*paths, *sources.others(), models.prices, *judging.calibrations, judging.store],
        o=page.output,
        calibrate=calibrate,
    )
    if calibrate == page.output == "-":
        raise UsageError("--calibrate - and the page would both be on stdout: give -o FILE")
    render = page.choose(FORMATS)
    given = {name: value for name, value in vars(sources).items() if name != "pairs"}
    job = Job(**given, **vars(selection), is_calibrated=calibrate is not None)
    asking = _asking(sources, selection, judging, models)
    if asking and dry_run:
        asking.show_forecast()
        return EXIT_OK
    if asking:
        judged = asking.judge()
        truth = [held("pairs", judged.truth)]
        job = replace(job, judgments=[held("judges", judged.judgments)], truth=truth, judges=())
        job = replace(job, notes=judged.notes)
    elif dry_run:
        raise UsageError(f"--dry-run {_ABOUT_PAIRS}")
    with console.following() as (warnings, progress):
        found = compare(job, warnings, progress)
    if asking:
        found = found._replace(panels=asking.with_itself(judged, selection.num_resamples))
    if calibrate is not None:
        from argue_eval.formats.calibrations import write_calibrations

        write_calibrations(calibrate, found.calibrations)
    console.write(render(found), page.output)
    if calibrate is not None:
        console.note(f"{calibrate}: written; judge with it: score or judge, --calibration FILE")
    return asking.exit_code(judged) if asking else EXIT_OK


_ABOUT_PAIRS = (
    "applies to judges that are asked: name --pairs FILE or --contrast JUDGE, or leave it out"
)


def _refuse_beside_contrast(sources: Sources, selection: Selection, calibrate: str | None) -> None:
    """Refuse what only a comparison with assessors has a use for."""
    given = [name for name in shared.given(sources, selection) if name != "--kind"]
    given += ["--calibrate"] if calibrate is not None else []
    if given:
        raise UsageError(f"--contrast asks a judge built-in probes: leave out {', '.join(given)}")


def _asking(
    sources: Sources, selection: Selection, judging: shared.Judging, models: shared.Models
) -> "Asking | None":
    """Tell whom to ask about which pairs; None if judgments are compared. What applies to the
    other only is refused.
    """
    if sources.pairs:
        from argue_eval.cli.pairs import Asking

        if len(shared.given(sources)) > 1 or selection.is_panel or selection.truth_judges:
            raise UsageError(
                "--pairs has the truth with it, and asks the judges: leave out judgments, scores, "
                "labels, --run, --qrels, --truth-judge and --inter-assessor"
            )
        return Asking.of(sources.pairs, selection.judges, selection.kinds, judging, models)
    for name in shared.given(judging, models):
        raise UsageError(f"{name} {_ABOUT_PAIRS}")
    return None
