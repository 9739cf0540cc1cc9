"""``argue-eval nuggets``: key points from documents, grouped and filtered, for review.

Annotations are not postponed here: see `argue_eval.cli.parameters`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeVar

import typer

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.help import command
from argue_eval.cli.parameters import (
    INPUT,
    MODELS,
    OUTPUT,
    SCORING,
    argument,
    check_files,
    finite,
    only,
    option,
)
from argue_eval.errors import (
    EXIT_OK,
    EXIT_UNJUDGED,
    MissingResourceError,
    UsageError,
    shorten,
    some,
)

if TYPE_CHECKING:
    from argue_eval.curation.dedupe import Deduped
    from argue_eval.curation.extract import Extracted
    from argue_eval.curation.model import Model
    from argue_eval.judges import Settings, Workload
    from argue_eval.records import TopicNuggets

_Found = TypeVar("_Found")

app = typer.Typer(
    help="Make nuggets from documents: extract key points, group equal ones, filter out those that "
    "answer nothing.\n\nExample: argue-eval nuggets extract topics.jsonl --collection docs.jsonl "
    "--model gpt-4o -o points.json"
)

_NAMED = "The name at the server of OPENAI_BASE_URL; or hf:MODEL, a model of transformers."
_ModelName = Annotated[str, option("--model MODEL", _NAMED, MODELS)]
_Models = Annotated[
    shared.Models,
    only("device", "max_calls", "max_cost", "prices", "concurrency", "timeout"),
]
_Nuggets = Annotated[str, argument("NUGGETS", "A nugget file. - is stdin.", INPUT)]


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Work:
    """Where results and replies go."""

    HEADING: ClassVar = OUTPUT

    output: Annotated[str, option("-o, --output FILE", "The nuggets. - is stdout.")]
    replies: Annotated[str | None, option(
        "--replies FILE", "Replies of the model, kept verbatim; a call with a reply is not "
        "repeated. Default: the output's name with .replies.jsonl.")] = None
    dry_run: Annotated[bool, option(
        "--dry-run", "Ask nothing; print calls, tokens and price.")] = False

    @property
    def replies_file(self) -> str:
        """Where replies are kept."""
        return self.replies or f"{'nuggets' if self.output == '-' else self.output}.replies.jsonl"

    def check(self, inputs: Iterable[str | None], left_out: str | None = None) -> None:
        """Check, before anything is read or asked, that all can be written and replaces nothing.

        Raises:
            MissingResourceError: the folder of an output does not exist.
            UsageError: an output is an input or another output.
        """
        check_files(inputs, left_out=left_out, o=self.output, replies=self.replies_file)
        for path in (left_out, self.output, self.replies_file):
            if path is not None and not Path(path).absolute().parent.is_dir():
                raise MissingResourceError(f"{path}: there is no such folder")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What the model reads."""

    HEADING: ClassVar = INPUT

    collection: Annotated[list[str], option(
        "--collection FILE|irds:ID", "The documents. Repeatable.")] = field(default_factory=list)
    run: Annotated[str | None, option(
        "--run RUN", "Read the reports of a run instead of documents, for score "
        "--response-points.")] = None
    retrieved: Annotated[str | None, option(
        "--retrieved FILE", "The documents to read for each question: a TREC run, or qrels. "
        "Default: all.")] = None
    depth: Annotated[int | None, option(
        "--depth K", "Only the first K of each question.", min=1)] = None
    rounds: Annotated[int, option(
        "--rounds N", "Read each document up to N times, to find what was missed.", min=1)] = 1

    # fmt: on
    def check(self) -> None:
        """Check that it is clear what to read.

        Raises:
            UsageError: it is not.
        """
        if (self.run is None) == (not self.collection):
            raise UsageError(
                "extract reads documents (--collection) or the reports of a run (--run)"
            )
        if self.retrieved is not None and not self.collection:
            raise UsageError(
                "--retrieved says which documents of --collection to read; not with --run"
            )
        if self.depth is not None and self.retrieved is None:
            raise UsageError("--depth K reads the first K documents of --retrieved: name that file")


@command(app, "extract")
def extract(
    requests: Annotated[str, argument("REQUESTS", "The questions.", INPUT)],
    reading: Reading,
    model: _ModelName,
    models: _Models,
    work: Work,
) -> None:  # fmt: skip
    """Extract key points from documents, with the spans that say them.

    A span that is not in the document verbatim (except for space, quotes and dashes) is dropped,
    and so is a key point without any. Run the same command again to continue after a stop.

    Example: argue-eval nuggets extract topics.jsonl --collection docs.jsonl --retrieved bm25.run
    --depth 5 --model gpt-4o -o points.json
    """
    from argue_eval import formats
    from argue_eval.curation import extract as extracting
    from argue_eval.curation.retrieved import pairs_of, responses_of

    work.check([requests, reading.retrieved, reading.run, *reading.collection, models.prices])
    reading.check()
    asked = formats.read_topics(requests)
    run_id = None
    if reading.run is not None:
        pairs, run_id = responses_of(asked, reading.run)
    else:
        pairs, missing = pairs_of(asked, reading.collection, reading.retrieved, reading.depth)
        for topic_id, doc_id in missing[:5]:
            where = f"topic {topic_id}: no collection has the document {some([doc_id])}"
            console.note(f"warning: {where}")
        if missing:
            console.note(f"warning: {len(missing):,} retrieved documents are missing, and not read")
    with _open_step(model, models, work) as step:
        if work.dry_run:
            step.print_workload(extracting.workload(pairs, step.model), reading.rounds)
            return
        found = step.run(
            lambda progress: extracting.extract(pairs, step.model, reading.rounds, progress)
        )
        _note_extracted(found, len(pairs))
        topics = found.topics if run_id is None else extracting.of_run(found.topics, run_id)
        raise typer.Exit(step.finish(topics))


@command(app, "dedupe")
def dedupe(
    nuggets: _Nuggets,
    models: _Models,
    work: Work,
    model: Annotated[str | None, option(
        "--model MODEL", f"Default: the judge lexical. {_NAMED}", MODELS)] = None,
    requests: Annotated[str | None, option(
        "--requests FILE", "The questions, shown to the model.", INPUT)] = None,
) -> None:  # fmt: skip
    """Group claims that say the same; each group lists its claims.

    Without --model, two claims are the same if each covers the other according to the judge
    lexical: offline and deterministic, but blind to paraphrases.

    Example: argue-eval nuggets dedupe points.json --model gpt-4o -o grouped.json
    """
    from argue_eval import formats
    from argue_eval.curation import dedupe as deduping

    work.check([nuggets, requests, models.prices])
    topics = formats.read_nuggets(nuggets)
    asked = {each.topic_id: each for each in formats.read_topics(requests)} if requests else {}
    if model is None:
        _dedupe_lexically(topics, work)
        return
    with _open_step(model, models, work) as step:
        if work.dry_run:
            step.print_workload(deduping.workload(topics, asked, step.model))
            return
        found = step.run(lambda progress: deduping.by_model(topics, asked, step.model, progress))
        _note_deduped(found)
        raise typer.Exit(step.finish(found.topics))


@command(app, "filter")
def filter_(
    nuggets: _Nuggets,
    model: _ModelName,
    models: _Models,
    requests: Annotated[str, option(
        "--requests FILE", "The questions that the claims should answer.", INPUT)],
    work: Work,
    threshold: Annotated[float, option(
        "--threshold P", "Keep claims with this score or more: the probability, according to the "
        "model, that it is a key point.", SCORING, min=0.0, max=1.0, callback=finite)] = 0.7,
    left_out: Annotated[str | None, option(
        "--left-out FILE", "Write the other claims here.", OUTPUT)] = None,
) -> None:  # fmt: skip
    """Keep the claims that a model considers key points.

    Example: argue-eval nuggets filter grouped.json --requests topics.jsonl --model llama-3-70b
    --threshold 0.7 -o kept.json --left-out rest.json
    """
    from argue_eval import formats
    from argue_eval.curation import filter as filtering

    work.check([nuggets, requests, models.prices], left_out=left_out)
    topics = formats.read_nuggets(nuggets)
    asked = {each.topic_id: each for each in formats.read_topics(requests)}
    for topic in topics:
        if topic.topic_id not in asked:
            console.note(f"warning: topic {topic.topic_id} has no request: its claims are kept")
    with _open_step(model, models, work) as step:
        if work.dry_run:
            step.print_workload(filtering.workload(topics, asked, step.model))
            return
        found = step.run(
            lambda progress: filtering.filter_points(topics, asked, step.model, threshold, progress)
        )
        num_without_prob = step.model.tally.num_without_prob
        if num_without_prob:
            console.note(
                f"warning: {num_without_prob:,} replies have no probability of yes: yes counts as "
                "1, no as 0"
            )
        if left_out is not None:
            _write(found.left_out, left_out)
        console.note(
            f"{found.num_kept:,} claims kept, {found.num_left_out:,} left out, "
            f"{found.num_unscored:,} kept without a score"
        )
        raise typer.Exit(step.finish(found.kept))


class _Step:
    """A model at work for one command, with its file of replies."""

    def __init__(self, model: "Model", settings: "Settings", output: str) -> None:
        self.model = model
        self._settings = settings
        self._output = output

    def run(self, work: Callable[[Callable[[str, int, int], None]], _Found]) -> _Found:
        """Do the work, which the user may interrupt: then replies are kept, and nothing written."""
        progress = console.Progress()
        resume = f"All replies are in {self.model.replies.path}: run the same command again."
        with console.interruptible(self._settings.limits, resume):
            found = work(progress)
        progress.clear()
        if self._settings.limits.is_interrupted:
            raise KeyboardInterrupt
        return found

    def finish(self, topics: "Sequence[TopicNuggets]") -> int:
        """Write the nuggets, print what they cost, and choose the exit code."""
        _write(topics, self._output)
        tally, limits = self.model.tally, self._settings.limits
        cost = f", cost {limits.cost:.4f}" if self._settings.prices else ""
        console.note(
            f"{tally.num_asked:,} replies, {tally.num_found:,} from {self.model.replies.path}; "
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

    def print_workload(self, load: "Workload", rounds: int = 1) -> None:
        """Print what the work would take."""
        price = self._settings.prices.get(self.model.name)
        cost = f", cost at most {price.of(*load[1:]):.4f}" if price else ""
        of_rounds = f" in the first of {rounds} rounds" if rounds > 1 else ""
        console.write(
            [
                f"{load.num_calls:,} calls{of_rounds}, about {load.prompt_tokens:,} tokens in, at "
                f"most {load.reply_tokens:,} out{cost}\n"
            ]
        )


@contextmanager
def _open_step(name: str, models: shared.Models, work: Work) -> Iterator[_Step]:
    from argue_eval.curation.model import Model, Replies

    settings = shared.make_settings(models)
    with Replies(work.replies_file) as kept:
        yield _Step(Model(name, settings, kept), settings, work.output)


def _dedupe_lexically(topics: "Sequence[TopicNuggets]", work: Work) -> None:
    from argue_eval.curation import dedupe as deduping
    from argue_eval.judges.lexical import judge as lexical

    if work.dry_run:
        console.write(["0 calls: without --model no model is asked\n"])
        return
    claims = (each.answers[0].answer for topic in topics for each in topic.nuggets if each.is_claim)
    found = deduping.by_judge(topics, lexical.create(texts=claims))
    _write(found.topics, work.output)
    _note_deduped(found)


def _note_extracted(found: "Extracted", num_pairs: int) -> None:
    num_points = sum(len(topic.nuggets) for topic in found.topics)
    spans = found.num_spans
    console.note(
        f"{num_points:,} key points from {num_pairs:,} documents; spans: {spans['exact']:,} exact, "
        f"{spans['normalised']:,} except for space, quotes and dashes, {spans['lost']:,} not in "
        "their document"
    )
    for topic_id, doc_id, point in found.dropped[:12]:
        console.note(f"  dropped, no span found: topic {topic_id}, {doc_id}: {shorten(point)}")
    if len(found.dropped) > 12:
        console.note(f"  … and {len(found.dropped) - 12:,} more")


def _note_deduped(found: "Deduped") -> None:
    console.note(f"{found.num_points:,} claims in {found.num_groups:,} groups")
    if not found.num_points:
        console.note("warning: no nugget is a claim; questions are written as they are")
    if found.ungrouped:
        shown = ", ".join(found.ungrouped[:5]) + (", …" if len(found.ungrouped) > 5 else "")
        console.note(f"warning: some claims in {shown} could not be grouped and are unchanged")


def _write(topics: "Sequence[TopicNuggets]", path: str) -> None:
    from argue_eval import formats

    with console.open_output(path) as stream:
        formats.write_nuggets(topics, stream)
