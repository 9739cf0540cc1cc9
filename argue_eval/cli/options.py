"""Options that several commands share, and how they become a job.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar, get_args

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, JUDGES, MODELS, OUTPUT, SCORING, param
from argue_eval.errors import UsageError, shorten, unknown_name

if TYPE_CHECKING:
    from argue_eval.evaluation.inputs import Job
    from argue_eval.judges import Settings

_Render = TypeVar("_Render")

DEFAULT_STORE = "judgments.store"

_OF_JUDGES = (
    ("llm", {"lexical", "nli"}, {"--prompting", "--repeat", "--prompts", "--canary"}),
    ("nli", {"lexical", "llm"}, {"--nli-template", "--nli-label"}),
)
"""A judge, the judges that have no use for its settings, and these settings."""


# fmt: off
Paths = Annotated[list[str], param(
    "RUN... QRELS...", "Run files, then the nugget qrels; or folders of them. - is stdin.", INPUT)]
Teams = Annotated[str, param(
    "--teams HOW|FILE", "Which runs are of one team: team_id (as they say), prefix (of the run "
    "id), run, or a file of lines run<TAB>team.", SCORING)]
AllowUnjudged = Annotated[bool, param(
    "--allow-unjudged", "Exit with 0 even if units are unjudged.", OUTPUT)]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The files beside runs and nuggets."""

    HEADING: ClassVar = INPUT

    requests: Annotated[str | None, param(
        "--requests FILE", "Report requests: the topics to average over.")] = None
    collection: Annotated[list[str], param(
        "--collection FILE|irds:ID", "The texts of cited documents. JSON lines, or the id of an "
        "ir_datasets collection. Repeatable.")] = field(default_factory=list)
    judgments: Annotated[list[str], param(
        "--judgments FILE", "Judgments to use first, such as assessors', or a store. none also "
        "ignores those that run or nugget files hold. Repeatable.")] = field(default_factory=list)
    response_points: Annotated[list[str], param(
        "--response-points FILE", "Key points of a run's reports, extracted by curate extract "
        "--run. The measure kpp is the share of them that the retrieved documents entail. One "
        "file per run; repeatable.")] = field(default_factory=list)

    def files(self) -> list[str | None]:
        """The files that these options name."""
        return [self.requests, *self.collection, *self.judgments, *self.response_points]


@dataclass(frozen=True, kw_only=True)
class Judging:
    """Who answers which kind of question, and where the answers are kept."""

    HEADING: ClassVar = JUDGES

    judge: Annotated[str, param(
        "--judge NAME", "Answers what the judgments leave open. none leaves it unjudged; "
        "cascade:lexical,llm:MODEL asks a model only where lexical is not sure; see argue-eval "
        "list judges.")] = "lexical"
    support_judge: Annotated[str | None, param(
        "--support-judge NAME", "Judge of support, if different.")] = None
    nugget_judge: Annotated[str | None, param(
        "--nugget-judge NAME", "Judge of nugget answers, if different.")] = None
    sentence_judge: Annotated[str | None, param(
        "--sentence-judge NAME", "Judge of uncited sentences, if different.")] = None
    store: Annotated[str | None, param(
        "--store FILE", "Keep answers here; no question is asked twice. Slow or paid judges always "
        "have a store, judgments.store by default. See argue-eval store.")] = None
    calibrations: Annotated[list[str], param(
        "--calibration FILE", "Read a judge's probabilities as meta-eval --calibrate found right "
        "for your assessments. Repeatable.")] = field(default_factory=list)
    sure: Annotated[bool, param(
        "--sure", "Leave questions unjudged of which the judge is not sure: by the calibration, or "
        "else by limits of its own.")] = False
    agreement: Annotated[float | None, param(
        "--agreement P", "Likewise, with the limits beyond which the calibration expects a share P "
        "of the answers to agree with people, such as 0.95. In a cascade, the limits of the judges "
        "before the last.")] = None


CALIBRATING = ("calibrations", "sure", "agreement")
"""The fields that say how the answers of judges are read."""


@dataclass(frozen=True, kw_only=True)
class Models:
    """How models are run and what they may cost."""

    HEADING: ClassVar = MODELS

    device: Annotated[str, param(
        "--device NAME", "Where local models run: auto, cpu or cuda.")] = "auto"
    max_calls: Annotated[int | None, param("--max-calls N", "Stop after N calls.", min=0)] = None
    max_cost: Annotated[float | None, param(
        "--max-cost SUM", "Stop before spending more. Needs --prices.", min=0.0)] = None
    prices: Annotated[str | None, param(
        "--prices FILE", "Prices of models. TOML: a table per model with prompt and reply, per "
        "million tokens.")] = None
    concurrency: Annotated[int, param(
        "--concurrency N", "Maximum number of calls in flight.", min=1, max=1_000)] = 8
    timeout: Annotated[float, param(
        "--timeout SECONDS", "Abandon a call after this time.", min=0.1, max=86_400)] = 120.0
    prompting: Annotated[str, param(
        "--prompting NAME", "batched (few calls), or single: one question per call.")] = "batched"
    repeat: Annotated[int, param(
        "--repeat K", "Ask a model K times and take the majority.", min=1, max=99)] = 1
    prompts: Annotated[str | None, param(
        "--prompts DIR", "Prompts to use instead of the built-in ones.")] = None
    canary: Annotated[bool, param(
        "--canary", "Add a question with a known answer to each call of a model; a call that gets "
        "it wrong has failed.")] = False
    nli_template: Annotated[str | None, param(
        "--nli-template TEXT", "What an nli model reads, with {document}, {claim} and {pair} or "
        "{eos} between them. Known models need none.")] = None
    nli_label: Annotated[str | None, param(
        "--nli-label NAME", "The label of an nli model that means support, where its configuration "
        "does not say so. Of a model that writes: YES/NO, two tokens.")] = None
    executor: Annotated[str, param(
        "--executor NAME", "local, or ray: run slow judges on a Ray cluster, that of RAY_ADDRESS "
        "or a new one.")] = "local"

    @property
    def is_limited(self) -> bool:
        """True if calls or money are limited."""
        return self.max_calls is not None or self.max_cost is not None


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """What is computed from the judgments."""

    HEADING: ClassVar = SCORING

    measure: Annotated[list[str], param(
        "-m, --measure MEASURE", "A measure, a family, or all. Repeatable; see argue-eval list "
        "measures.")] = field(default_factory=list)
    protocol: Annotated[str, param(
        "--protocol NAME", "What the units and their outcomes are. Its measures are computed "
        "unless -m names others; see argue-eval list protocols.")] = "argue"
    reading: Annotated[str, param(
        "--reading NAME", "argue (as in the paper) or strict. strict: every cited document must "
        "support its sentence.")] = "argue"
    citations: Annotated[str, param(
        "--citations NAME", "How the outcomes of a sentence's citations are combined: all, any, "
        "macro or micro.")] = "all"
    attestation: Annotated[str, param(
        "--attestation NAME", "cited-document: an answer counts if a document that attests it is "
        "cited; any-document: whatever is cited.")] = "cited-document"
    covers: Annotated[str | None, param(
        "--covers NAME", "Where to look for claims: in each sentence, or in the report as a whole. "
        "Default: report for LLM judges, else sentence.")] = None
    weights: Annotated[str | None, param(
        "--weights W", "Weights by importance, such as vital=2,okay=1,none=1.")] = None
    only_answered: Annotated[bool, param(
        "--only-answered", "Leave out topics without a report.")] = False
    judged_only: Annotated[bool, param(
        "--judged-only", "Where judgments are missing, print the value over judged units beside "
        "its bounds, though these are not a fair sample.")] = False
    citation_order: Annotated[str, param(
        "--citation-order NAME", "How citations are ranked for retrieval measures such as nDCG@10: "
        "first (cited first) or confidence (of the system, where a run has it).")] = "first"
    by: Annotated[list[str], param(
        "--by KEY", "Also average over the topics of each value of a key of the requests or "
        "nuggets, as in kpr[domain=law]. Repeatable.")] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Comparing:
    """How systems are compared, named as in `argue_eval.analysis.comparing.ComparisonOptions`."""

    HEADING: ClassVar = SCORING

    test: Annotated[str, param(
        "--test NAME", "t, randomization or wilcoxon: the paired test over topics.")] = "t"
    correction: Annotated[str, param(
        "--correction NAME", "holm, bh (Benjamini and Hochberg) or none: for testing many "
        "pairs.")] = "holm"
    interval: Annotated[str, param(
        "--interval NAME", "bca, studentized or normal.")] = "bca"
    num_resamples: Annotated[int, param(
        "--resamples N", "How often topics are resampled for the intervals.")] = 10_000
    seed: Annotated[int, param(
        "--seed N", "Seed of all random numbers.")] = 20240714
    level: Annotated[float, param(
        "--level P", "Level of significance; intervals cover 1 - P.")] = 0.05
    power: Annotated[float, param(
        "--power P", "For the number of topics that would be needed.")] = 0.8
    population: Annotated[int | None, param(
        "--population N", "How many topics there are in all, if no others are of interest: "
        "intervals of runs get narrower.")] = None
    force: Annotated[bool, param(
        "--force", "Compare scores that were made in different ways or over different topics; a "
        "note says what differs.")] = False


@dataclass(frozen=True, kw_only=True)
class Page:
    """How a page is written."""

    HEADING: ClassVar = OUTPUT

    format_: Annotated[str, param("--format NAME", "text, markdown or json.")] = "text"
    as_json: Annotated[bool, param("--json", "The same as --format json.")] = False
    output: Annotated[str, param(
        "-o, --output FILE", "The file to write. - is stdout.")] = "-"
    # fmt: on

    def choose(self, formats: Mapping[str, _Render]) -> _Render:
        """Look up the function that writes the page; an unknown format is refused."""
        name = "json" if self.as_json else self.format_
        if name not in formats:
            raise unknown_name("--format", name, formats)
        return formats[name]


def make_job(
    paths: Sequence[str],
    inputs: Inputs,
    judging: Judging,
    scoring: Scoring,
    models: Models | None = None,
    *,
    store: str | None = None,
    folder: str | None = None,
) -> "Job":
    """Turn what the user said into a checked job. All commands that score or judge use it.

    Args:
        paths: runs, then the qrels: the last file, and those before it that hold nuggets.
        models: None for a command that has no options for models and keeps no answers.
        store: the store to use if the user names none, whatever the judges are.
        folder: the folder of results, beside which costly judges keep their store by default.

    Raises:
        InputError: the file of prices has errors.
        UsageError: there are fewer than two paths, an option has an unknown value, or two
            contradict each other.
    """
    from argue_eval.evaluation.inputs import Job, check_choices
    from argue_eval.evaluation.judging import NOBODY, JudgeNames
    from argue_eval.records import ScoringOptions

    if len(paths) < 2:
        raise UsageError("expected RUN... QRELS: at least one run file, and the nugget qrels last")
    first = len(paths) - 1
    if first > 1:
        from argue_eval.formats.files import kinds_in

        while first > 1 and "nuggets" in (kinds := kinds_in(paths[first - 1])):
            if "runs" in kinds:  # a haystack is both
                break
            first -= 1
    names = JudgeNames(
        support=judging.support_judge or judging.judge,
        nugget=judging.nugget_judge or judging.judge,
        sentence=judging.sentence_judge or judging.judge,
    )
    store = judging.store or store
    stages = names.all_stages() if names != NOBODY else []
    if models is None:
        store = None
    elif store is None and stages and names.is_costly():
        store = str(Path(folder).absolute().parent / DEFAULT_STORE) if folder else DEFAULT_STORE
    options = ScoringOptions(
        reading=scoring.reading,
        citations=scoring.citations,
        attestation=scoring.attestation,
        only_answered=scoring.only_answered,
        judged_only=scoring.judged_only,
        citation_order=scoring.citation_order,
        covers=scoring.covers or "",
    )
    check_choices(options, "--")
    if scoring.weights is not None:
        options = options._replace(weights=_weights(scoring.weights, options.weights))
    return Job(
        runs=paths[:first],
        nuggets=paths[first:],
        topics=inputs.requests,
        collections=inputs.collection,
        judgments=inputs.judgments,
        judges=names,
        measures=scoring.measure,
        options=options,
        protocol=scoring.protocol,
        store=store,
        settings=make_settings(models or Models(), stages, judging),
        by=scoring.by,
        response_points=inputs.response_points,
    )


def _weights(given: str, usual: Mapping[str, float]) -> dict[str, float]:
    """Read weights such as ``vital=2,okay=1``; what is not named has its usual weight."""
    from argue_eval.records import MAX_WEIGHT

    weights = dict(usual)
    for part in given.split(","):
        name, sign, number = part.strip().partition("=")
        if not sign and name not in weights:
            raise UsageError(f"--weights: expected NAME=NUMBER, such as vital=2, found {part!r}")
        if name not in weights:
            raise unknown_name("importance in --weights", name, weights)
        try:
            weights[name] = float(number)
        except ValueError:
            weights[name] = -1.0
        if not 0 <= weights[name] <= MAX_WEIGHT:
            bound = f"at most {MAX_WEIGHT:,}" if weights[name] > MAX_WEIGHT else "0 or more"
            raise UsageError(f"--weights: expected {name}=NUMBER, {bound}, found {shorten(part)}")
    return weights


def job_of_one_run(
    name: str, paths: Sequence[str], inputs: Inputs, judging: Judging, scoring: Scoring
) -> "Job":
    """Turn what the user said into a job, for a command about one run.

    Raises:
        UsageError: there are several runs; and as `make_job`.
    """
    console.check_files([*paths, *inputs.files()])
    # The other default family of the protocol argue asks more, and explains no more.
    scoring = replace(scoring, measure=["argue"] if scoring.protocol == "argue" else [])
    job = make_job(paths, inputs, judging, scoring)
    if len(job.runs) > 1:
        raise UsageError(f"{name} takes one run and the qrels, found {len(job.runs)} runs")
    return job


def make_settings(
    models: Models, judges: Iterable[str] = ("llm",), judging: Judging = Judging()
) -> "Settings":
    """Turn what the user said into checked settings of judges.

    Args:
        judges: the names of those that are asked. If none of them can use a setting of language
            models, there must be none; a plug-in may use any.
        judging: how their answers are read.

    Raises:
        InputError: the file of prices has errors.
        UsageError: an option has an unknown value, or two contradict each other.
    """
    from argue_eval.judges import DEVICES, EXECUTORS, PROMPTINGS, Settings
    from argue_eval.judges.limits import Limits, read_prices

    for name, choices in (("device", DEVICES), ("prompting", PROMPTINGS), ("executor", EXECUTORS)):
        if (choice := getattr(models, name)) not in choices:
            raise unknown_name(f"--{name}", choice, choices)
    numbers = {"max-cost": models.max_cost, "timeout": models.timeout}
    for name, number in {**numbers, "agreement": judging.agreement}.items():
        if number is not None and not isfinite(number):  # which a range of numbers lets pass
            raise UsageError(f"--{name}: expected a number, found {number}")
    if models.max_cost is not None and models.prices is None:
        raise UsageError("--max-cost needs --prices FILE, the prices of the models")
    if models.executor == "ray" and models.is_limited:
        raise UsageError("--max-calls and --max-cost hold on one machine; not with --executor ray")
    named = {name.partition(":")[0] for name in judges}
    for judge, others, settings in _OF_JUDGES:
        for name in given(models) if named <= others and models != Models() else ():
            if name in settings:
                raise UsageError(f"{name} is for judges {judge}:MODEL, and none is named")
    costs = ("max_calls", "max_cost", "prices")
    return Settings(
        **{name: value for name, value in vars(models).items() if name not in costs},
        limits=Limits(models.max_calls, models.max_cost),
        prices=read_prices(models.prices) if models.prices else {},
        **{name: getattr(judging, name) for name in CALIBRATING},
    )


def given(*records: Any) -> list[str]:
    """Name the options of records that do not have their defaults, as the user does."""
    return [
        get_args(each.type)[1].called
        for record in records
        for each in fields(record)
        if getattr(record, each.name) != getattr(type(record)(), each.name)
    ]
