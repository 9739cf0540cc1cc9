"""Options that several commands share, and how they become a job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Annotated

import typer

from argue_eval.errors import UsageError, unknown_name

if TYPE_CHECKING:
    from argue_eval.evaluation.inputs import JudgeNames
    from argue_eval.judges import Settings
    from argue_eval.records import ScoringOptions

DEFAULT_STORE = "judgments.store"


def finite(param: typer.CallbackParam, value: float | None) -> float | None:
    """Returns the value of an option, which a range does not protect from being no number.

    Raises:
        UsageError: it is no number, or infinite.
    """
    if value is not None and not isfinite(value):
        raise UsageError(f"{param.opts[0]}: expected a number, found {value}")
    return value


Paths = Annotated[
    list[str],
    typer.Argument(metavar="RUN... QRELS", help="Run files, then the nugget qrels. - is stdin."),
]
Requests = Annotated[
    str | None,
    typer.Option("--requests", metavar="FILE", help="Report requests: the topics to average over."),
]
Collection = Annotated[
    list[str] | None,
    typer.Option(
        "--collection",
        metavar="FILE|irds:ID",
        help="Documents that citations name: JSONL, or an ir_datasets id. Repeatable.",
    ),
]
Judgments = Annotated[
    list[str] | None,
    typer.Option(
        "--judgments",
        metavar="FILE",
        help="Judgments to use first, say assessors'. none: not even those that SummHay's files "
        "hold. Repeatable.",
    ),
]
Judge = Annotated[
    str,
    typer.Option("--judge", metavar="NAME", help="Answers what the judgments leave open, or none."),
]
SupportJudge = Annotated[
    str | None,
    typer.Option("--support-judge", metavar="NAME", help="The judge of support, if another."),
]
NuggetJudge = Annotated[
    str | None,
    typer.Option("--nugget-judge", metavar="NAME", help="The judge of nugget answers, if another."),
]
SentenceJudge = Annotated[
    str | None,
    typer.Option(
        "--sentence-judge", metavar="NAME", help="The judge of uncited sentences, if another."
    ),
]
Device = Annotated[
    str, typer.Option("--device", metavar="NAME", help="Where local models run: auto, cpu or cuda.")
]
Store = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help="Keep what judges answer, and ask nothing twice; see argue-eval store. Judges that "
        "are slow or dear always have one: by default judgments.store.",
    ),
]
Prompting = Annotated[
    str,
    typer.Option("--prompting", metavar="NAME", help="batched (few calls), or single: one question "
                 "a call."),
]  # fmt: skip
Repeat = Annotated[
    int, typer.Option("--repeat", metavar="K", min=1, help="Ask a model K times; most votes win.")
]
Prompts = Annotated[
    str | None,
    typer.Option("--prompts", metavar="DIR", help="Prompts to use instead of the package's."),
]
Canary = Annotated[
    bool,
    typer.Option("--canary", help="Put a question with a known answer into every call of a model; "
                 "if that answer is wrong, the call has failed."),
]  # fmt: skip
Concurrency = Annotated[
    int, typer.Option("--concurrency", metavar="N", min=1, help="Calls that may be in flight.")
]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout", metavar="SECONDS", min=0.1, callback=finite, help="Give a call up after this."
    ),
]
Executor = Annotated[
    str,
    typer.Option(
        "--executor", metavar="NAME", help="local, or ray: costly judges work on a Ray cluster, "
        "that of RAY_ADDRESS or one made here.",
    ),
]  # fmt: skip
MaxCalls = Annotated[
    int | None, typer.Option("--max-calls", metavar="N", min=0, help="Stop after so many calls.")
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        metavar="SUM",
        min=0.0,
        callback=finite,
        help="Stop before more is spent; needs --prices.",
    ),
]
Prices = Annotated[
    str | None,
    typer.Option(
        "--prices", metavar="FILE", help="What models cost: TOML, a table per model with prompt "
        "and reply, per million tokens.",
    ),
]  # fmt: skip
Protocol = Annotated[
    str,
    typer.Option(
        "--protocol", metavar="NAME", help="What the units are and where they end; its measures "
        "are computed unless -m names others. See argue-eval list protocols.",
    ),
]  # fmt: skip
Reading = Annotated[
    str,
    typer.Option("--reading", metavar="NAME", help="argue (as the paper), or strict: every "
                 "cited document must support its sentence."),
]  # fmt: skip
Citations = Annotated[
    str,
    typer.Option(
        "--citations", metavar="NAME", help="A sentence's outcome from its citations': all, any, "
        "macro or micro.",
    ),
]  # fmt: skip
Attestation = Annotated[
    str,
    typer.Option(
        "--attestation",
        metavar="NAME",
        help="cited-document: an answer counts if a document that attests it is cited; "
        "any-document: whatever is cited.",
    ),
]

Covers = Annotated[
    str | None,
    typer.Option(
        "--covers",
        metavar="NAME",
        help="Where claims are sought: in every sentence, or in the report as a whole, as LLM "
        "judges do by default.",
    ),
]

ResponsePoints = Annotated[
    list[str] | None,
    typer.Option(
        "--response-points",
        metavar="FILE",
        help="Key points that nuggets extract --run has found in a run's responses: of these, kpp "
        "is the share that the retrieved documents entail. One file a run; repeatable.",
    ),
]


def split_paths(paths: Sequence[str]) -> tuple[list[str], str]:
    """Returns the run files and the qrels, which come last.

    Raises:
        UsageError: there are fewer than two paths.
    """
    if len(paths) < 2:
        raise UsageError("expected RUN... QRELS: at least one run file, and the nugget qrels last")
    return list(paths[:-1]), paths[-1]


def check_stdin(paths: Iterable[str | None]) -> None:
    """Checks that at most one of all inputs is standard input, which can be read only once.

    Raises:
        UsageError: it is named twice.
    """
    if list(paths).count("-") > 1:
        raise UsageError("only one input can be standard input (-)")


def check_output(option: str, output: str, inputs: Iterable[str | None]) -> None:
    """Checks that an output is none of the inputs, which it would take the place of.

    Raises:
        UsageError: it is one.
    """
    from os.path import realpath

    for path in inputs:
        if path is not None and path != "-" and realpath(path) == realpath(output):
            raise UsageError(f"{option} names {path}, which is read; name another file")


def judge_names(
    judge: str, support: str | None, nugget: str | None, sentence: str | None
) -> JudgeNames:
    """Returns which judge answers which kind of question."""
    from argue_eval.evaluation.inputs import JudgeNames

    return JudgeNames(support or judge, nugget or judge, sentence or judge)


def check_settings(names: JudgeNames, settings: Settings) -> None:
    """Checks that settings of language models are only given where one may be among the judges.

    Raises:
        UsageError: nothing would look at one.
    """
    from argue_eval.judges import Settings

    if not {name.partition(":")[0] for name in names.by_kind().values()} <= {"lexical", "nli"}:
        return  # a plug-in may look at any
    default = Settings()
    for name in ("prompting", "repeat", "prompts", "canary"):
        if getattr(settings, name) != getattr(default, name):
            raise UsageError(f"--{name} is for judges llm:MODEL, and none is named")


def store_of(names: JudgeNames, store: str | None, output: str | None = None) -> str | None:
    """Returns the store to use: the one that is named, or for costly judges one by default.

    Args:
        output: the folder of results, beside which the store is.
    """
    from pathlib import Path

    from argue_eval.evaluation.inputs import is_costly

    if store is not None or not is_costly(names):
        return store
    return str(Path(output or ".").absolute().parent / DEFAULT_STORE) if output else DEFAULT_STORE


def checked(settings: Settings, prices: str | None) -> Settings:
    """Returns the settings of judges, with the prices of a file.

    Raises:
        InputError: the file of prices has errors.
        UsageError: an option has a value that it does not know.
    """
    from dataclasses import replace

    from argue_eval.judges import DEVICES, EXECUTORS, PROMPTINGS
    from argue_eval.judges.limits import read_prices

    for option, value, choices in (
        ("--device", settings.device, DEVICES),
        ("--prompting", settings.prompting, PROMPTINGS),
        ("--executor", settings.executor, EXECUTORS),
    ):
        if value not in choices:
            raise unknown_name(option, value, choices)
    if settings.limits.max_cost is not None and prices is None:
        raise UsageError("--max-cost needs --prices FILE: what the models cost")
    if settings.executor == "ray" and settings.limits.is_set:
        raise UsageError("--max-calls and --max-cost hold on one machine; not with --executor ray")
    return replace(settings, prices=read_prices(prices)) if prices else settings


def scoring_options(
    reading: str,
    citations: str,
    attestation: str,
    weights: str | None = None,
    only_answered: bool = False,
    covers: str | None = None,
) -> ScoringOptions:
    """Returns the checked options.

    Raises:
        UsageError: an option has a value that it does not know.
    """
    from argue_eval.measures.protocols import CLAIMS_SOUGHT_IN, argue
    from argue_eval.records import ScoringOptions

    for option, value, choices in (
        ("reading", reading, argue.READINGS),
        ("citations", citations, argue.CITATIONS),
        ("attestation", attestation, argue.ATTESTATIONS),
        ("covers", covers or CLAIMS_SOUGHT_IN[0], CLAIMS_SOUGHT_IN),
    ):
        if value not in choices:
            raise unknown_name(f"--{option}", value, choices)
    options = ScoringOptions(
        reading, citations, attestation, only_answered=only_answered, covers=covers or ""
    )
    return options if weights is None else _with_weights(options, weights)


def _with_weights(options: ScoringOptions, text: str) -> ScoringOptions:
    weights = dict(options.weights)
    for part in text.split(","):
        name, _, number = part.strip().partition("=")
        if name not in weights:
            raise unknown_name("importance in --weights", name, weights)
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if not isfinite(value) or value < 0:
            raise UsageError(f"--weights: expected {name}=NUMBER, 0 or more, found {part!r}")
        weights[name] = value
    return options._replace(weights=weights)
