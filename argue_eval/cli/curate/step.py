"""What the commands of ``argue-eval curate`` share: a model at work, with a file of its replies.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeVar

import typer

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import INPUT, MODELS, OUTPUT, only, param
from argue_eval.cli.judging import asking
from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED, MissingResourceError, some

if TYPE_CHECKING:
    from argue_eval.curation.model import Replies
    from argue_eval.judges import Settings
    from argue_eval.records import TopicNuggets

_Found = TypeVar("_Found")

NAMED = "The name at the server of OPENAI_BASE_URL; or hf:MODEL, a model of transformers."
ModelName = Annotated[str, param("--model MODEL", NAMED, MODELS)]
Models = Annotated[
    shared.Models, only("device", "max_calls", "max_cost", "prices", "concurrency", "timeout")
]
NuggetFile = Annotated[str, param("NUGGETS", "A nugget file. - is stdin.", INPUT)]


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Work:
    """Where results and replies go."""

    HEADING: ClassVar = OUTPUT

    output: Annotated[str, param("-o, --output FILE", "The result. - is stdout.")]
    replies: Annotated[str | None, param(
        "--replies FILE", "Replies of the model, kept verbatim; a call with a reply is not "
        "repeated. Default: the output's name with .replies.jsonl.")] = None
    dry_run: Annotated[bool, param(
        "--dry-run", "Ask nothing; print calls, tokens and price.")] = False
    # fmt: on

    @property
    def replies_file(self) -> str:
        """Where replies are kept."""
        name = "nuggets" if self.output == "-" else self.output.rstrip("/")
        return self.replies or f"{name}.replies.jsonl"

    def check(self, inputs: Iterable[str | None], **others: str | None) -> None:
        """Check, before anything is read or asked, that all can be written and replaces nothing.

        Args:
            others: further outputs, by the names of their options.

        Raises:
            MissingResourceError: the folder of an output does not exist.
            UsageError: an output is an input or another output.
        """
        console.check_files(inputs, **others, o=self.output, replies=self.replies_file)
        console.check_json(self.output)
        for path in (*others.values(), self.output, self.replies_file):
            if path is not None and not Path(path).absolute().parent.is_dir():
                raise MissingResourceError(f"{path}: there is no such folder")

    def without_model(self) -> None:
        """End a dry run that would ask no model."""
        if self.dry_run:
            console.write(["0 calls: without --model no model is asked\n"])
            raise typer.Exit


class Step:
    """A model at work for one command, with its file of replies."""

    def __init__(self, models: Sequence[str], settings: "Settings", kept: "Replies", work: Work):
        from argue_eval.curation.model import Model

        self._names = models
        self._settings = settings
        self._kept = kept
        self._work = work
        self.model = Model(models[0], settings, kept)
        if len(models) > 1:
            self.model.let_check(Model(models[1], settings, kept))

    def run(
        self, do: Callable[..., _Found], cases: Mapping[str, str | None] = {"": None}
    ) -> _Found:
        """Do the work, which the user may interrupt: then replies are kept, and nothing written.

        With --dry-run, print what it would take instead, and leave the command.

        Args:
            do: takes the model, and `progress`.
            cases: what --dry-run prints about each, and which replies are assumed in it; see
                `argue_eval.curation.model.Rehearsal`.
        """
        if self._work.dry_run:
            for which, replying in cases.items():
                self._rehearse(do, which, replying)
            raise typer.Exit
        resume = f"All replies are in {self._kept.path}: run the same command again."
        limits = self._settings.limits
        with asking(limits, resume), console.following() as (_, progress):
            found = do(self.model, progress=progress)
        if limits.is_interrupted:
            raise KeyboardInterrupt
        return found

    def _rehearse(self, do: Callable[..., object], which: str, replying: str | None) -> None:
        """Print calls, tokens, and the cost if the prices of all models are known."""
        from argue_eval.curation.model import Rehearsal

        prices = self._settings.prices
        made = {each: Rehearsal(each, self._settings, self._kept, replying) for each in self._names}
        made[self._names[0]].let_check(made[self._names[-1]])
        do(made[self._names[0]])
        loads = {each: model.load for each, model in made.items()}
        num_calls, read, written = map(sum, zip(*loads.values(), strict=True))
        cost = sum(prices[name].of(*load[1:]) for name, load in loads.items() if name in prices)
        told = f", cost at most {cost:.4f}" if prices else ""
        if prices and (lacking := loads.keys() - prices.keys()):
            told = f", cost unknown: --prices has no price of {some(sorted(lacking))}"
        asked = f"{num_calls:,} calls{which}, about {read:,} tokens in"
        console.write([f"{asked}, at most {written:,} out{told}\n"])

    def finish(self, topics: "Sequence[TopicNuggets]") -> int:
        """Write the nuggets, print what they cost, and choose the exit code."""
        write(topics, self._work.output)
        return self.close()

    def close(self) -> int:
        """Print what the work cost, and choose the exit code."""
        tally, limits = self.model.tally, self._settings.limits
        cost = f", cost {limits.cost:.4f}" if self._settings.prices else ""
        console.note(
            f"{self._kept.num_added:,} replies, {tally.num_found:,} from {self._kept.path}; "
            f"{limits.prompt_tokens:,} tokens in, {limits.reply_tokens:,} out{cost}"
        )
        if not tally.unanswered:
            return EXIT_OK
        console.note(
            f"calls without a usable reply: {len(tally.unanswered):,} (exit code 4); run the same "
            "command again to repeat them:"
        )
        reasons = Counter(tally.unanswered)
        for reason, number in reasons.most_common(12):
            console.note(f"  {number:,} x {reason}")
        return EXIT_UNJUDGED


@contextmanager
def open_step(
    name: str, models: shared.Models, work: Work, checker: str | None = None
) -> Iterator[Step]:
    """Make the model and open its file of replies, until the work is done.

    Args:
        checker: the model that checks what the other makes.
    """
    from argue_eval.curation.model import Replies

    names = [name] if checker is None else [name, checker]
    with Replies(work.replies_file) as kept:
        yield Step(names, shared.make_settings(models), kept, work)


def write(topics: "Sequence[TopicNuggets]", path: str) -> None:
    """Write nuggets in the canonical format."""
    from argue_eval import formats

    with console.open_output(path) as stream:
        formats.write_nuggets(topics, stream)
