"""``argue-eval curate extract``: key points from documents, with the spans that say them.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, param
from argue_eval.cli.curate.inputs import check_topics, read_asked
from argue_eval.cli.curate.step import ModelName, Models, Work, open_step
from argue_eval.errors import UsageError, count, shorten, some

if TYPE_CHECKING:
    from argue_eval.curation.extract import Extracted, Pairs
    from argue_eval.records import ReportRequest

_NOT_READ = "nothing is read there"


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Reading:
    """What the model reads."""

    HEADING: ClassVar = INPUT

    collection: Annotated[list[str], param(
        "--collection FILE|irds:ID", "The documents. Repeatable.")] = field(default_factory=list)
    run: Annotated[str | None, param(
        "--run RUN", "Read the reports of a run instead of documents, for score "
        "--response-points.")] = None
    retrieved: Annotated[str | None, param(
        "--retrieved FILE", "The documents to read for each question: a TREC run, or qrels. "
        "Default: all.")] = None
    depth: Annotated[int | None, param(
        "--depth K", "Only the first K of each question.", min=1)] = None
    rounds: Annotated[int, param(
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


def extract(
    requests: Annotated[str, param("REQUESTS", "The questions.", INPUT)],
    reading: Reading,
    model: ModelName,
    models: Models,
    work: Work,
) -> int:  # fmt: skip
    """Extract key points from documents, with the spans that say them.

    A span that is not in the document verbatim (except for space, quotes and dashes) is dropped,
    and so is a key point without any. Run the same command again to continue after a stop.

    Example: argue-eval curate extract topics.jsonl --collection docs.jsonl --retrieved bm25.run
    --depth 5 --model gpt-4o -o points.json
    """
    from argue_eval.curation import extract as extracting
    from argue_eval.curation.retrieved import responses_of

    work.check([requests, reading.retrieved, reading.run, *reading.collection, models.prices])
    reading.check()
    asked = list(read_asked(requests).values())
    run_id: str | None = None
    pairs: Pairs
    if reading.run is not None:
        pairs, run_id = responses_of(asked, reading.run)
        reported = {request.topic_id for request, _ in pairs}
        check_topics(asked, reported, reading.run, _NOT_READ)
    else:
        pairs = read_pairs(asked, reading)
    which = f" in the first of {reading.rounds} rounds" if reading.rounds > 1 else ""
    do = partial(extracting.extract, pairs, num_rounds=reading.rounds)
    with open_step(model, models, work) as step:
        found = step.run(do, {which: None})
        note_extracted(found, len(pairs))
        topics = found.topics if run_id is None else extracting.of_run(found.topics, run_id)
        return step.finish(topics)


def read_pairs(asked: "Sequence[ReportRequest]", reading: Reading) -> "Pairs":
    """Read the documents of each question; print which are missing."""
    from argue_eval.curation.retrieved import pairs_of

    pairs, missing = pairs_of(asked, reading.collection, reading.retrieved, reading.depth)
    if reading.retrieved is not None:
        found = {request.topic_id for request, _ in pairs} | {topic_id for topic_id, _ in missing}
        check_topics(asked, found, reading.retrieved, _NOT_READ)
    for topic_id, doc_id in missing[:5]:
        where = f"topic {topic_id}: no collection has the document {some([doc_id])}"
        console.note(f"warning: {where}")
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        number = count(len(missing), "retrieved document")
        console.note(f"warning: {number} {verb} missing, and not read")
    return pairs


def note_extracted(found: "Extracted", num_pairs: int) -> None:
    """Print what was found, and what was dropped."""
    num_points = sum(len(topic.nuggets) for topic in found.topics)
    spans = found.num_spans
    of_all = "" if found.num_read == num_pairs else f" of {num_pairs:,}"
    console.note(
        f"{num_points:,} key points from {found.num_read:,}{of_all} documents; spans: "
        f"{spans['exact']:,} exact, {spans['normalised']:,} except for space, quotes and dashes, "
        f"{spans['lost']:,} not in their document"
    )
    for topic_id, doc_id, point in found.dropped[:12]:
        console.note(f"  dropped, no span found: topic {topic_id}, {doc_id}: {shorten(point)}")
    if len(found.dropped) > 12:
        console.note(f"  … and {len(found.dropped) - 12:,} more")
