"""``argue-eval curate summarize``: a model's summaries of what was retrieved, as a run.

Annotations are not postponed here: see `argue_eval.cli.parameters`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from argue_eval.cli import console
from argue_eval.cli.curate.step import ModelName, Models, Work, open_step
from argue_eval.cli.parameters import INPUT, OUTPUT, argument, option
from argue_eval.errors import count, some

if TYPE_CHECKING:
    from argue_eval.curation.retrieval import Haystack
    from argue_eval.curation.retrieved import Retrieved
    from argue_eval.curation.summarize import Shown, Summarized, Way


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Showing:
    """What the summarizer is shown."""

    HEADING: ClassVar = INPUT

    retrieved: Annotated[str, option(
        "--retrieved FILE", "A TREC run: of curate retrieve, or of a system of your own.")]
    order: Annotated[str | None, option(
        "--order NAME", "Where the most relevant documents are: top, bottom, or at random places. "
        "Default: top; random where all documents are read.")] = None
    budget: Annotated[int | None, option(
        "--budget TOKENS", "Read the first documents that fit, each as a whole. Default: 15,000; "
        "no limit where all documents are read.", min=1)] = None
    seed: Annotated[int, option("--seed N", "Of --order random.")] = 0
    # fmt: on


def summarize(
    haystack: Annotated[str, argument("HAYSTACK", "A haystack of SummHay.", INPUT)],
    showing: Showing,
    model: ModelName,
    models: Models,
    work: Work,
    name: Annotated[str | None, option(
        "--name NAME", "What the summarizer is called in tables. Default: the model's name.",
        OUTPUT)] = None,
) -> None:  # fmt: skip
    """Summarize what was retrieved for each subtopic, with a model, as a run for score.

    The model is asked for one bullet for each insight, with citations in brackets. The run is named
    after the retriever (the tag of the TREC run), the order and the model, as summhay table reads
    them. Run the same command again to continue after a stop.

    Example: argue-eval curate summarize topic_news1.json --retrieved bm25.run --model gpt-4o
    -o bm25.jsonl
    """
    from argue_eval import formats
    from argue_eval.curation import summarize as summarizing
    from argue_eval.curation.retrieval import read_haystack
    from argue_eval.curation.retrieved import read_retrieved

    work.check([haystack, showing.retrieved, models.prices])
    read = read_haystack(haystack)
    found = read_retrieved(showing.retrieved)
    way = summarizing.way_of(found, showing.order, showing.budget, showing.seed)
    summarizer = model if name is None else name
    way.run_id(summarizer)  # refused before anything is asked
    shown = summarizing.choose(read, found, way, showing.retrieved)
    _note_shown(read, found, shown, way)
    with open_step(model, models, work) as step:
        if work.dry_run:
            step.print_workload(summarizing.workload(read, shown, step.model))
            return
        made = step.run(
            lambda progress: summarizing.summarize(
                read, shown, way, step.model, summarizer, progress
            )
        )
        with console.open_output(work.output) as stream:
            formats.write_run(made.reports, stream)
        _note_made(made, shown)
        raise typer.Exit(step.close())


def _note_shown(
    haystack: "Haystack", found: "Retrieved", shown: "list[Shown]", way: "Way"
) -> None:
    from argue_eval.curation.retrieval import measured

    quality = measured(haystack, way.retriever, found.by_topic)
    console.note(f"retriever {way.retriever}{quality}; order {way.order}")
    numbers = sorted({len(each.doc_ids) for each in shown})
    fewest = f"{numbers[0]:,} to " if len(numbers) > 1 else ""
    most = max(each.num_tokens for each in shown)
    console.note(
        f"{len(shown):,} of {count(len(haystack.requests), 'subtopic')}, each with {fewest}"
        f"{numbers[-1]:,} of {count(len(haystack.documents), 'document')}, at most {most:,} tokens"
    )
    with_documents = {each.topic_id for each in shown}
    left_out = [each.topic_id for each in haystack.requests if each.topic_id not in with_documents]
    if left_out:
        topics = count(len(left_out), "subtopic")
        console.note(f"warning: nothing was retrieved for {topics}: {some(left_out)}; no summary")


def _note_made(made: "Summarized", shown: "list[Shown]") -> None:
    wanted = sum(each.num_bullets for each in shown)
    bullets = f"{count(made.num_bullets, 'bullet')} ({wanted:,} insights)"
    num_summaries = count(len(made.reports), "summary", "summaries")
    console.note(f"{num_summaries}, {bullets}, {count(made.num_citations, 'citation')}")
    for topic_id, doc_ids in made.not_shown.items():
        documents = count(len(doc_ids), "cited document was", "cited documents were")
        console.note(f"warning: topic {topic_id}: {documents} not shown: {some(doc_ids)}; kept")
    if made.unread:
        brackets = count(len(made.unread), "pair of brackets stays", "pairs of brackets stay")
        console.note(f"warning: {brackets} in the text, not read as citations: {some(made.unread)}")
