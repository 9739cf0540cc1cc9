"""``argue-eval curate summarize``: a model's summaries of what was retrieved, as a run.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, OUTPUT, param
from argue_eval.cli.curate.retrieve import Asked
from argue_eval.cli.curate.step import ModelName, Models, Work, open_step
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

    retrieved: Annotated[str, param(
        "--retrieved FILE", "A TREC run: of curate retrieve, or of a system of your own.")]
    collection: Annotated[list[str], param(
        "--collection FILE|irds:ID", "The documents from which questions are answered. Repeatable.")
    ] = field(default_factory=list)
    depth: Annotated[int | None, param(
        "--depth K", "Read the best K documents at most.", min=1)] = None
    order: Annotated[str | None, param(
        "--order NAME", "Where the most relevant documents are: top, bottom, or at random places. "
        "Default: top; random where all documents are read.")] = None
    budget: Annotated[int | None, param(
        "--budget TOKENS", "Read the first documents that fit, each as a whole. Default: 15,000; "
        "no limit for questions, and where all documents are read.", min=1)] = None
    seed: Annotated[int, param("--seed N", "Of --order random.")] = 0
    # fmt: on

    def read(self, asked: str) -> "tuple[Haystack, Retrieved]":
        """Read what is asked, and what was retrieved for it."""
        from argue_eval.curation.retrieval import Haystack, read_haystack
        from argue_eval.curation.retrieved import named_documents, read_retrieved
        from argue_eval.formats import read_topics

        found = read_retrieved(self.retrieved)
        by_topic = {topic_id: each[: self.depth] for topic_id, each in found.by_topic.items()}
        if not self.collection:
            return read_haystack(asked), found._replace(by_topic=by_topic)
        wanted = {doc_id for doc_ids in by_topic.values() for doc_id in doc_ids}
        named = named_documents(self.collection, wanted)
        if missing := sorted(wanted - named.keys()):
            documents = count(len(missing), "retrieved document is", "retrieved documents are")
            console.note(f"warning: {documents} missing, and not read: {some(missing)}")
        there = {topic_id: [named[each].doc_id for each in doc_ids if each in named]
                 for topic_id, doc_ids in by_topic.items()}  # fmt: skip
        texts = {each.doc_id: each for each in named.values()}
        return Haystack(asked, read_topics(asked), texts, {}), found._replace(by_topic=there)


def summarize(
    asked: Asked,
    showing: Showing,
    model: ModelName,
    models: Models,
    work: Work,
    name: Annotated[str | None, param(
        "--name NAME", "What the summarizer is called in tables. Default: the model's name.",
        OUTPUT)] = None,
) -> int:  # fmt: skip
    """Summarize what was retrieved for each subtopic or question, with a model, as a run for score.

    Of a haystack, the model is asked for one bullet for each insight; with --collection, for a long
    answer to each question; both with citations. The run is named after the retriever (the tag of
    the TREC run), the order and the model, as summhay table reads them. Run the same command again
    to continue after a stop.

    Example: argue-eval curate summarize topic_news1.json --retrieved bm25.run --model gpt-4o
    -o bm25.jsonl
    """
    from argue_eval import formats
    from argue_eval.curation import summarize as summarizing

    work.check([asked, showing.retrieved, *showing.collection, models.prices])
    read, found = showing.read(asked)
    way = summarizing.way_of(found, showing.order, showing.budget, showing.seed)
    if read.is_of_questions:
        way = replace(way, budget=showing.budget)
    summarizer = model if name is None else name
    way.run_id(summarizer)  # refused before anything is asked
    shown = summarizing.choose(read, found, way, showing.retrieved)
    _note_shown(read, found, shown, way)
    do = partial(summarizing.summarize, read, shown, way, name=summarizer)
    with open_step(model, models, work) as step:
        made = step.run(do)
        with console.open_output(work.output) as stream:
            formats.write_run(made.reports, stream)
        _note_made(made, shown, read)
        return step.close()


def _note_shown(
    haystack: "Haystack", found: "Retrieved", shown: "list[Shown]", way: "Way"
) -> None:
    from argue_eval.curation.retrieval import measured

    quality = measured(haystack, way.retriever, found.by_topic)
    console.note(f"retriever {way.retriever}{quality}; order {way.order}")
    numbers = sorted({len(each.doc_ids) for each in shown})
    fewest = f"{numbers[0]:,} to " if len(numbers) > 1 else ""
    most = max(each.num_tokens for each in shown)
    noun = "question" if haystack.is_of_questions else "subtopic"
    console.note(
        f"{len(shown):,} of {count(len(haystack.requests), noun)}, each with {fewest}"
        f"{numbers[-1]:,} of {count(len(haystack.documents), 'document')}, at most {most:,} tokens"
    )
    with_documents = {each.topic_id for each in shown}
    left_out = [each.topic_id for each in haystack.requests if each.topic_id not in with_documents]
    if left_out:
        topics = count(len(left_out), noun)
        what = "answer" if haystack.is_of_questions else "summary"
        console.note(f"warning: nothing was retrieved for {topics}: {some(left_out)}; no {what}")


def _note_made(made: "Summarized", shown: "list[Shown]", haystack: "Haystack") -> None:
    if haystack.is_of_questions:
        what = f"{count(len(made.reports), 'answer')}, {count(made.num_bullets, 'sentence')}"
    else:
        wanted = sum(each.num_bullets or 0 for each in shown)
        bullets = f"{count(made.num_bullets, 'bullet')} ({wanted:,} insights)"
        what = f"{count(len(made.reports), 'summary', 'summaries')}, {bullets}"
    console.note(f"{what}, {count(made.num_citations, 'citation')}")
    for topic_id, named in made.not_shown.items():
        if haystack.is_of_questions:
            numbers = count(len(named), "cited number is that", "cited numbers are those")
            told = f"{numbers} of no document: {some(named)}; left out"
        else:
            documents = count(len(named), "cited document was", "cited documents were")
            told = f"{documents} not shown: {some(named)}; kept"
        console.note(f"warning: topic {topic_id}: {told}")
    if made.unread:
        brackets = count(len(made.unread), "pair of brackets stays", "pairs of brackets stay")
        console.note(f"warning: {brackets} in the text, not read as citations: {some(made.unread)}")
