"""``argue-eval curate sheet``: a sheet on which a person edits nuggets."""

from typing import Annotated

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, OUTPUT, param
from argue_eval.cli.curate.inputs import check_topics
from argue_eval.errors import count, unknown_id


def sheet(
    bank: Annotated[str, param("BANK", "A nugget file. - is stdin.", INPUT)],
    output: Annotated[str, param(
        "-o, --output FILE", "The page to write: FILE.html. - is stdout.", OUTPUT)],
    requests: Annotated[str | None, param(
        "--requests FILE", "The report requests, to be shown.", INPUT)] = None,
    collection: Annotated[list[str] | None, param(
        "--collection FILE|irds:ID", "The texts of the documents that answers name, to be shown. "
        "Repeatable.", INPUT)] = None,
    topic_ids: Annotated[list[str] | None, param(
        "--topic ID", "Only this topic. Repeatable.", INPUT)] = None,
    assessor: Annotated[str, param(
        "--assessor NAME", "Who is going to edit the nuggets.", OUTPUT)] = "",
) -> None:  # fmt: skip
    """Make a page for the browser on which a person edits, splits, merges and weights nuggets.

    The person exports a file of edits; curate collect makes those of several people in the bank.

    Example: argue-eval curate sheet qrels/example.json --requests topics/example.jsonl
    --assessor A -o nuggets-A.html
    """
    from argue_eval import formats
    from argue_eval.formats.html.nuggets import editing

    console.check_files([bank, requests, *(collection or [])], o=output)
    console.check_page(output)
    with console.following() as (warnings, _):
        topics = formats.read_nuggets(bank, warnings=warnings)
        for topic_id in topic_ids or ():
            if topic_id not in {topic.topic_id for topic in topics}:
                raise unknown_id("topic", topic_id, [topic.topic_id for topic in topics])
        topics = [each for each in topics if not topic_ids or each.topic_id in topic_ids]
        asked = formats.read_topics(requests, warnings=warnings) if requests else []
        if requests:
            known = {each.topic_id for each in asked}
            check_topics(topics, known, requests, "not shown")
        nuggets = [nugget for topic in topics for nugget in topic.nuggets]
        wanted = {doc_id for topic in topics for doc_id in topic.doc_ids}
        texts = formats.iter_documents(collection, wanted) if collection and wanted else ()
        read = list(texts)
    console.write(editing(topics, asked, read, assessor), output)
    num_texts = f"{len(read):,} of {count(len(wanted), 'document')} with a text"
    size = f"{count(len(nuggets), 'nugget')} in {count(len(topics), 'topic')}"
    console.note(f"{size}, {num_texts}")
