"""How the commands of ``argue-eval nuggets`` open a model, write nuggets and tell what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from argue_eval.cli import options as shared

if TYPE_CHECKING:
    from argue_eval.curation.dedupe import Deduped
    from argue_eval.curation.extract import Extracted
    from argue_eval.curation.model import Model
    from argue_eval.curation.retrieved import Missing
    from argue_eval.judges import Settings, Workload
    from argue_eval.records import ReportRequest, TopicNuggets


def settings(
    device: str,
    concurrency: int,
    timeout: float,
    max_calls: int | None,
    max_cost: float | None,
    prices: str | None,
) -> Settings:
    """Returns the checked settings of a model."""
    from argue_eval.judges import Settings
    from argue_eval.judges.limits import Limits

    limits = Limits(max_calls, max_cost)
    settings = Settings(device, concurrency=concurrency, timeout=timeout, limits=limits)
    return shared.checked(settings, prices)


def check_apart(output: str, left_out: str | None) -> None:
    """Checks that what is kept and what is left out go to two files, and that the second can.

    Raises:
        MissingResourceError: its folder does not exist.
        UsageError: it is the same file.
    """
    from pathlib import Path

    from argue_eval.errors import MissingResourceError, UsageError

    if left_out is None:
        return
    if Path(left_out).resolve() == Path(output).resolve():
        raise UsageError("--left-out and -o name the same file: name two")
    if not Path(left_out).absolute().parent.is_dir():
        raise MissingResourceError(f"{left_out}: there is no such folder")


@contextmanager
def opened(model: str, settings: Settings, replies: str | None, output: str) -> Iterator[Model]:
    """Opens a model with its file of replies."""
    from pathlib import Path

    from argue_eval.curation.model import Model
    from argue_eval.curation.replies import Replies
    from argue_eval.errors import MissingResourceError, UsageError

    if settings.limits.max_cost is not None and model not in settings.prices:
        raise UsageError(f"--max-cost: --prices has no table for the model {model!r}")
    replies = replies or f"{'nuggets' if output == '-' else output}.replies.jsonl"
    for path in (output, replies):  # told before anything is asked
        if not Path(path).absolute().parent.is_dir():
            raise MissingResourceError(f"{path}: there is no such folder")
    with Replies(replies) as kept:
        yield Model(model, settings, kept)


@contextmanager
def interruptible(settings: Settings, model: Model) -> Iterator[Callable[[str, int, int], None]]:
    """Lets the user stop the model; what it has said is kept, and nothing is written then."""
    from argue_eval.cli import console

    progress = console.Progress()
    resume = f"All replies are in {model.replies.path}: run the same command again."
    with console.interruptible(settings.limits, resume):
        yield progress
    progress.clear()
    if settings.limits.is_interrupted:
        raise KeyboardInterrupt


def finish(topics: Sequence[TopicNuggets], output: str, model: Model, settings: Settings) -> int:
    """Writes the nuggets, tells what it took, and returns the exit code."""
    from argue_eval.cli import console
    from argue_eval.errors import EXIT_OK, EXIT_UNJUDGED

    write(topics, output)
    tally, limits = model.tally, settings.limits
    cost = f", cost {limits.cost:.4f}" if settings.prices else ""
    console.note(
        f"{tally.num_asked} replies, {tally.num_found} from {model.replies.path}; "
        f"{limits.prompt_tokens:,} tokens in, {limits.reply_tokens:,} out{cost}"
    )
    if not tally.unanswered:
        return EXIT_OK
    console.note(
        f"calls without a usable reply: {len(tally.unanswered)} (exit code 4); the same command "
        "makes these again:"
    )
    reasons = Counter(each.reason for each in tally.unanswered)
    for reason, number in reasons.most_common(12):
        console.note(f"  {number} x {reason}")
    return EXIT_UNJUDGED


def print_workload(load: Workload, model: Model, settings: Settings, rounds: int = 1) -> None:
    """Prints what a step would take."""
    from argue_eval.cli import console

    price = settings.prices.get(model.name)
    cost = f", cost at most {price.of(*load[1:]):.4f}" if price else ""
    of_rounds = f" in the first of {rounds} rounds" if rounds > 1 else ""
    console.write(
        [
            f"{load.num_calls:,} calls{of_rounds}, about {load.prompt_tokens:,} tokens in, at most "
            f"{load.reply_tokens:,} out{cost}\n"
        ]
    )


def dedupe_lexically(topics: Sequence[TopicNuggets], output: str, dry_run: bool) -> None:
    """Groups claims by the judge lexical, and writes them."""
    from argue_eval.cli import console
    from argue_eval.curation import dedupe as deduping
    from argue_eval.judges.lexical import judge as lexical

    if dry_run:
        console.write(["0 calls: without --model no model is asked\n"])
        return
    claims = (each.answers[0].answer for topic in topics for each in topic.nuggets if each.is_claim)
    found = deduping.by_judge(topics, lexical.create(texts=claims))
    write(found.topics, output)
    note_deduped(found)


def note_missing(missing: Sequence[Missing]) -> None:
    """Tells which retrieved documents are not there."""
    from argue_eval.cli import console

    for topic_id, doc_id in missing[:5]:
        console.note(f"warning: topic {topic_id}: no collection has the document {doc_id}")
    if missing:
        console.note(f"warning: {len(missing)} retrieved documents are missing, and not read")


def note_extracted(found: Extracted, num_pairs: int) -> None:
    """Tells what was found, and what was dropped."""
    from argue_eval.cli import console
    from argue_eval.errors import shorten

    num_points = sum(len(topic.nuggets) for topic in found.topics)
    console.note(
        f"{num_points} key points from {num_pairs} documents; spans: "
        f"{found.num_spans['exact']} exact, {found.num_spans['normalised']} up to space, quotes "
        f"and dashes, {found.num_spans['lost']} not in their document"
    )
    for topic_id, doc_id, point in found.dropped[:12]:
        console.note(f"  dropped, no span found: topic {topic_id}, {doc_id}: {shorten(point)}")
    if len(found.dropped) > 12:
        console.note(f"  … and {len(found.dropped) - 12} more")


def note_deduped(found: Deduped) -> None:
    """Tells how many groups there are."""
    from argue_eval.cli import console

    console.note(f"{found.num_points} claims in {found.num_groups} groups")
    if found.ungrouped:
        shown = ", ".join(found.ungrouped[:5]) + (", …" if len(found.ungrouped) > 5 else "")
        console.note(f"warning: not all claims could be grouped in {shown}; they are as they were")


def by_topic(requests: Sequence[ReportRequest]) -> dict[str, ReportRequest]:
    """Returns requests by topic."""
    return {request.topic_id: request for request in requests}


def write(topics: Sequence[TopicNuggets], output: str) -> None:
    """Writes nuggets to a file, or to stdout."""
    from io import StringIO

    from argue_eval import formats
    from argue_eval.cli import console
    from argue_eval.formats.jsonl import atomic_writer

    if output == "-":
        text = StringIO()
        formats.write_nuggets(topics, text)
        console.write([text.getvalue()])
        console.flush()
        return
    with atomic_writer(output) as stream:
        formats.write_nuggets(topics, stream)
