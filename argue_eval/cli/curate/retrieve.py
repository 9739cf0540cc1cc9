"""``argue-eval curate retrieve``: the documents of a haystack, ranked for each of its subtopics.

Annotations are not postponed here: see `argue_eval.cli.parameters`.
"""

from typing import Annotated

from argue_eval.cli import console
from argue_eval.cli.parameters import INPUT, OUTPUT, argument, check_files, option
from argue_eval.errors import count

HaystackFile = Annotated[str, argument("HAYSTACK", "A haystack of SummHay. - is stdin.", INPUT)]


def retrieve(
    haystack: HaystackFile,
    by: Annotated[str, option(
        "--by NAME", "oracle: more insights of the subtopic first. keyword: by BM25. random. full: "
        "all documents are read, in the order that curate summarize gives them.", INPUT)],
    output: Annotated[str, option(
        "-o, --output FILE", "The TREC run. - is stdout.", OUTPUT)] = "-",
    seed: Annotated[int, option("--seed N", "Of --by random.", INPUT)] = 0,
) -> None:  # fmt: skip
    """Rank the documents of a haystack for each subtopic, as the baselines of SummHay do.

    A document is named by its place in the haystack, counted from 1. The ranking has all
    documents: curate summarize reads as many as fit into its budget.

    Example: argue-eval curate retrieve topic_news1.json --by keyword -o bm25.run
    """
    from argue_eval.curation.retrieval import TAGS, measured, rank, read_haystack
    from argue_eval.measures.rankings import run_lines, trec_id

    check_files([haystack], o=output)
    read = read_haystack(haystack)
    ranked = rank(read, by, seed)
    lines = (
        line for topic_id in ranked for line in run_lines(TAGS[by], topic_id, ranked[topic_id])
    )
    console.write(lines, output)
    by_topic = {trec_id(topic_id): doc_ids for topic_id, doc_ids in ranked.items()}
    what = f"{count(len(read.documents), 'document')} for {count(len(ranked), 'subtopic')}"
    console.note(f"ranked {what}{measured(read, TAGS[by], by_topic)}")
