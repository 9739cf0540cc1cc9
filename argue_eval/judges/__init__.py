"""Judges: who answers questions. A folder is a judge, its ``judge.py`` makes one.

A judge sees texts only, never a run or a score, and answers: a verdict or the reason why there is
none. The engine makes judgments of that, keeps them, and counts failures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

from argue_eval.errors import UsageError, check_range, unknown_name
from argue_eval.judges.limits import Limits, Price
from argue_eval.records import Kind, Question, Reply

DEVICES = ("auto", "cpu", "cuda")
PROMPTINGS = ("batched", "single")
EXECUTORS = ("local", "ray")

NOBODY = "no judgment in the files, and no judge"
NO_JUDGE = "no judge for this kind"
NO_DOCUMENT = "no document text"
NO_REPORT = "no text of the report"
NO_ANSWER = "no answer text"
NO_QUESTION = "no question text"
OTHER_KIND = "not a kind that this judge answers"
OTHER_NUGGET = "nugget in another language"
OTHER_DOCUMENT = "document in another language"
NO_CUES = "language without cue words"
NOT_GRADED = "only assessors give grades"
NOT_SURE = "not sure, with --sure"
NO_LATER_JUDGE = "not sure, and no later judge of the cascade answers this kind"

_NAME_JUDGE = "name a judge, such as --judge lexical, or give --judgments FILE"
_OTHER_JUDGE = "use a judge that answers it, such as --judge llm:MODEL"
FIXES: Mapping[str, str] = {
    NOBODY: _NAME_JUDGE,
    NO_JUDGE: _NAME_JUDGE,
    NO_DOCUMENT: "give the documents that are cited: --collection FILE|irds:ID",
    NO_REPORT: "name the file of the run, and this one with --judgments",
    NO_ANSWER: "write the answer into the nuggets",
    NO_QUESTION: "write the question into the nuggets",
    OTHER_KIND: _OTHER_JUDGE,
    OTHER_NUGGET: _OTHER_JUDGE,
    OTHER_DOCUMENT: _OTHER_JUDGE,
    NO_CUES: _OTHER_JUDGE,
    NOT_GRADED: "score the assessors' file, or choose measures without grades (-m)",
    NO_LATER_JUDGE: "end the cascade with a judge that answers this kind, such as llm:MODEL",
    NOT_SURE: "let people judge them (argue-eval sample), or fit the judge to assessments "
    "(argue-eval meta-eval --calibrate), or leave out --sure",
}
"""What helps, by the reason why a judge has no answer. For these, to ask again does not help."""


class Workload(NamedTuple):
    """What it takes to answer some questions, as an estimate.

    Attributes:
        num_calls: calls of a model, each of which may answer many questions.
        prompt_tokens: what the model reads in all of them; `reply_tokens`: what it writes.
    """

    num_calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user can choose about judges. Whatever could change a verdict is in a signature.

    Attributes:
        device: where a local model runs: ``auto``, ``cpu`` or ``cuda``.
        prompting: ``batched`` (many questions per call) or ``single`` (one per call).
        repeat: how often a model is asked the same; the verdict is that of the majority.
        prompts: a folder with prompts to use instead of those of the package.
        concurrency: how many calls may be in flight.
        timeout: seconds after which a call is abandoned.
        prices: what models cost, by name.
        executor: ``local``, or ``ray``: costly judges work on a Ray cluster.
        limits: shared by all judges of a job.
        canary: put questions with a known answer into every call of a language model, and take
            nothing of a reply that has one wrong.
        contradictions: judges that can tell a contradiction from a no do so.
        nli_template: how document and claim become the input of an ``nli`` model, with the fields
            ``{document}`` and ``{claim}``; `nli_label`: its label that means support. None for what
            the table of known models or the model's configuration says.
        criteria: what is to be covered are the criteria of a rubric, which may be about form.
        calibrations: files by which the answers of judges are read; see docs/meta-eval.md.
        sure: questions of which a judge is not sure stay unjudged.
        agreement: judges are sure where they are expected to agree with people so often; None for
            the limits that a calibration, or else the judge, has. A number stands for `sure` too.
    """

    device: str = "auto"
    prompting: str = "batched"
    repeat: int = 1
    prompts: str | None = None
    concurrency: int = 8
    timeout: float = 120.0
    prices: Mapping[str, Price] = field(default_factory=dict)
    executor: str = "local"
    limits: Limits = field(default_factory=Limits)
    canary: bool = False
    contradictions: bool = False
    criteria: bool = False
    nli_template: str | None = None
    nli_label: str | None = None
    calibrations: Sequence[str] = ()
    sure: bool = False
    agreement: float | None = None

    @property
    def leaves_unsure(self) -> bool:
        """Whether questions stay unjudged of which a judge is not sure."""
        return self.sure or self.agreement is not None

    def __post_init__(self) -> None:
        """Checks the values.

        Raises:
            UsageError: one is unknown or out of range.
        """
        choices = {"device": DEVICES, "prompting": PROMPTINGS, "executor": EXECUTORS}
        for name, known in choices.items():
            if getattr(self, name) not in known:
                raise unknown_name(name, str(getattr(self, name)), known)
        check_range("repeat", self.repeat, 1, 99)
        check_range("concurrency", self.concurrency, 1, 1_000)
        check_range("timeout", self.timeout, 0.1, 86_400)
        if isinstance(self.calibrations, str):
            raise UsageError(f"calibrations: expected a list of files, found {self.calibrations!r}")
        if self.agreement is not None and not 0.5 < self.agreement <= 1:
            raise UsageError(
                f"agreement: expected a number above 0.5, up to 1, found {self.agreement:g}"
            )


class Judge(Protocol):
    """What the engine needs to know of a judge."""

    @property
    def signature(self) -> str:
        """Name, version and whatever else could change a verdict: model, revision, prompts,
        settings. Without white space and without a bar: ``lexical@1/ab12cd34``.
        """

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of question that it can answer."""

    @property
    def joint(self) -> frozenset[Kind]:
        """Kinds that it is asked together about a sentence, since one call answers all.

        Empty for a judge to whom each question costs the same on its own.
        """

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """Yields one reply per question as soon as there is one, in any order.

        Once its limits are halted it begins nothing new, and yields nothing for the questions that
        it has not begun.
        """

    def workload(self, questions: Sequence[Question]) -> Workload:
        """What it would take to answer these questions. Asks nothing."""


@runtime_checkable
class Versioned(Protocol):
    """A judge whose signature names more than a calibration depends on.

    Attributes:
        version: what its signature starts with, up to a slash, whatever texts are at hand.
    """

    version: str


@runtime_checkable
class Sure(Protocol):
    """A judge that knows where it cannot know.

    Attributes:
        sure: by kind of question, two probabilities: up to the first it is sure of its no, from the
            second on of its yes.
    """

    sure: Mapping[Kind, tuple[float, float]]

    def knows(self, question: Question) -> bool:
        """Whether its limits hold for a question: texts may be such that it cannot know."""


@runtime_checkable
class Repeating(Protocol):
    """A judge that asks the same several times (`Settings.repeat`)."""

    def draws(self) -> Sequence[Judge]:
        """A judge for each of these times, whose answers are kept apart; they share a model."""


class JudgePlugin(Protocol):
    """What the module of a judge has.

    Attributes:
        MODEL: what the judge's name takes after the colon (``nli:MODEL``), in words for people;
            empty if it takes nothing.
        IS_COSTLY: are its answers slow or paid, so that they are always kept in a store?
        READS_REPORTS: is it better asked whether a whole report covers a claim than whether each of
            its sentences does?
    """

    MODEL: str
    IS_COSTLY: bool
    READS_REPORTS: bool

    def create(self, model: str, texts: Iterable[str], settings: Settings) -> Judge:
        """Makes the judge.

        Args:
            model: what stood after the colon.
            texts: the collection's documents and the nuggets' texts, for judges that count terms.

        Raises:
            MissingResourceError: a model, a device or an optional package is missing.
            UsageError: the model or a setting makes no sense.
        """
