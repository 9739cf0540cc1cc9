"""``argue-eval curate retrieve``: documents ranked for subtopics of a haystack, or for questions.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, MODELS, param
from argue_eval.cli.curate.step import NAMED, Models, Work, open_step
from argue_eval.errors import EXIT_OK, UsageError, count, some

if TYPE_CHECKING:
    from argue_eval.curation.retrieval import Haystack, Rankings

Asked = Annotated[str, param(
    "HAYSTACK|TOPICS", "A haystack of SummHay; or questions, with --collection. - is stdin.",
    INPUT)]  # fmt: skip


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Ranking(Work):
    """Where the ranking and the replies of a model go."""

    output: Annotated[str, param("-o, --output FILE", "The TREC run. - is stdout.")] = "-"


@dataclass(frozen=True, kw_only=True)
class Searched:
    """What is ranked, and how."""

    HEADING: ClassVar = INPUT

    by: Annotated[str, param(
        "--by NAME", "keyword: by BM25. random. Of a haystack, oracle: more insights of the "
        "subtopic first; full: all documents are read, in the order that curate summarize gives "
        "them.")] = "keyword"
    collection: Annotated[list[str], param(
        "--collection FILE", "The documents that are ranked for questions. Repeatable.")
    ] = field(default_factory=list)
    depth: Annotated[int | None, param(
        "--depth K", "Keep the best K documents. Default: all of a haystack, 5 of a collection.",
        min=1)] = None
    seed: Annotated[int, param("--seed N", "Of --by random.")] = 0
    # fmt: on


def retrieve(
    asked: Asked,
    searched: Searched,
    models: Models,
    work: Ranking,
    model: Annotated[str | None, param(
        "--model MODEL", f"Break each question down into sub-questions, which retrieve too. {NAMED}"
        , MODELS)] = None,
) -> int:  # fmt: skip
    """Rank documents: those of a haystack for each subtopic, or of a collection for each question.

    With --model, what a question and its sub-questions retrieve is pooled. A question that states
    "sub_questions" needs no model. A document of a haystack is named by its place in it, from 1;
    the ranking has all of them: curate summarize reads as many as fit into its budget.

    Example: argue-eval curate retrieve topics.jsonl --collection docs.jsonl --model gpt-4o
    -o bm25.run
    """
    from argue_eval.curation import retrieval
    from argue_eval.measures.rankings import run_lines

    inputs = [asked, *searched.collection, models.prices]
    console.check_files(inputs, o=work.output)
    if model is not None:
        work.check(inputs)
        if searched.by != "keyword":
            raise UsageError(f"--model breaks questions down for --by keyword, not {searched.by}")
    if searched.collection:
        read = retrieval.read_questions(asked, searched.collection)
    else:
        read = retrieval.read_haystack(asked)
    parts, code = retrieval.stated_parts(read.requests), EXIT_OK
    if model is None:
        work.without_model()
    else:
        do = partial(retrieval.break_down, read.requests)
        with open_step(model, models, work) as step:
            parts |= step.run(do)
            code = step.close()
    depth = searched.depth or (retrieval.DEPTH if searched.collection else None)
    ranked = retrieval.rank(read, searched.by, searched.seed, parts, depth)
    is_pooled = searched.by == "keyword" and any(parts.values())
    tag = retrieval.POOLED_TAG if is_pooled else retrieval.TAGS[searched.by]
    lines = (line for topic_id in ranked for line in run_lines(tag, topic_id, ranked[topic_id]))
    console.write(lines, work.output)
    _note(read, ranked, tag)
    if is_pooled:
        number = count(sum(map(len, parts.values())), "sub-question")
        console.note(f"pooled: {number} of {count(sum(map(bool, parts.values())), 'question')}")
    return code


def _note(read: "Haystack", ranked: "Rankings", tag: str) -> None:
    from argue_eval.curation.retrieval import measured
    from argue_eval.measures.rankings import trec_id

    by_topic = {trec_id(topic_id): doc_ids for topic_id, doc_ids in ranked.items()}
    asked = count(len(ranked), "question" if read.is_of_questions else "subtopic")
    what = f"{count(len(read.documents), 'document')} for {asked}"
    console.note(f"ranked {what}{measured(read, tag, by_topic)}")
    if left := [topic_id for topic_id, doc_ids in ranked.items() if not doc_ids]:
        console.note(f"warning: nothing was retrieved for {some(left)}")
