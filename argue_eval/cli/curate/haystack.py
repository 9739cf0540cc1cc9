"""``argue-eval curate haystack``: documents of which it is known what they say.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli.app import HAYSTACK, INPUT, MODELS, param
from argue_eval.cli.curate.inputs import check_topics, read_asked
from argue_eval.cli.curate.step import ModelName, Models, Work, open_step
from argue_eval.errors import EXIT_UNJUDGED, UsageError, count

if TYPE_CHECKING:
    from argue_eval.curation.haystack.records import Haystack, Shape
    from argue_eval.records import Document, ReportRequest


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the haystack should be like: see `argue_eval.curation.haystack.records.Shape`."""

    HEADING: ClassVar = HAYSTACK

    domain: Annotated[str, param(
        "--domain DOMAIN", "What the documents are: conversations or news.")] = "conversations"
    num_subtopics: Annotated[int, param("--subtopics N", "Subtopics.", min=1, max=100)] = 9
    num_insights: Annotated[int, param(
        "--insights N", "Insights of a subtopic.", min=1, max=100)] = 7
    num_documents: Annotated[int, param("--documents N", "Documents.", min=1, max=10_000)] = 100
    per_document: Annotated[int, param(
        "--per-document N", "Insights that a document mentions.", min=1, max=100)] = 4
    num_words: Annotated[int, param(
        "--words N", "Words of a document.", min=20, max=10_000)] = 750
    num_repairs: Annotated[int, param(
        "--repairs N", "Repair a document up to N times, then leave it out.", min=0, max=20)] = 5
    seed: Annotated[int, param(
        "--seed N", "Of the draw that gives the documents their insights.")] = 0


@dataclass(frozen=True, kw_only=True)
class Ideas:
    """What the model may take ideas from."""

    HEADING: ClassVar = INPUT

    collection: Annotated[list[str], param(
        "--collection FILE|irds:ID", "Documents to take ideas from. Repeatable."
    )] = field(default_factory=list)
    retrieved: Annotated[str | None, param(
        "--retrieved FILE", "Which of them for each topic: a TREC run, or qrels. Default: all."
    )] = None
    # fmt: on


def haystack(
    topics: Annotated[str, param("TOPICS", "What the haystacks are about: requests.", INPUT)],
    ideas: Ideas,
    wanted: Wanted,
    model: ModelName,
    models: Models,
    work: Work,
    checker: Annotated[str | None, param(
        "--checker MODEL", "Checks what the other model makes. Default: the same model.", MODELS
    )] = None,
) -> int:  # fmt: skip
    """Make a haystack for each topic: subtopics, insights, and documents that mention them.

    A model lists which insights it finds in each document; quotes, numbers and names are compared
    with the text. A document that mentions too little or too much is repaired, or left out: exit
    code 4. Run the same command again to continue after a stop. For several topics, -o is a folder.

    Example: argue-eval curate haystack topics.jsonl --model gpt-4o --domain news -o haystack.json
    """
    from argue_eval.curation.haystack.making import make
    from argue_eval.curation.haystack.records import Shape
    from argue_eval.curation.retrieved import pairs_of

    inputs = [topics, ideas.retrieved, *ideas.collection, models.prices]
    work.check(inputs)
    shape = Shape(**vars(wanted))
    shape.check()
    requests = list(read_asked(topics).values())
    targets = _targets(requests, work.output)
    for target in targets:
        console.check_files(inputs, o=target)
    sources: dict[str, list[Document]] = {}
    if ideas.collection:
        for request, document in pairs_of(requests, ideas.collection, ideas.retrieved, None)[0]:
            sources.setdefault(request.topic_id, []).append(document)
    if ideas.retrieved:
        check_topics(requests, sources, ideas.retrieved, "nothing gives ideas there")
    do = partial(make, requests, shape=shape, ideas=sources)
    cases = {
        " if no document needs repair": "likely",
        f" if every document is repaired {count(shape.num_repairs, 'time')}": "worst",
    }
    with open_step(model, models, work, checker) as step:
        found = step.run(do, cases)
        for each, target in zip(found, targets, strict=True):
            if each.documents:
                _write(each, shape, target)
                _note(each, shape)
        console.warn([finding for each in found for finding in each.findings])
        code = step.close()
    is_whole = all(each.documents and not each.left_out for each in found)
    return code if is_whole else EXIT_UNJUDGED


def _targets(requests: "Sequence[ReportRequest]", output: str) -> list[str]:
    """Name a file for each haystack.

    Raises:
        UsageError: the output is no folder, and there are several.
    """
    from argue_eval.report.folder import file_stems

    is_file = Path(output).exists() and not Path(output).is_dir()
    is_folder = Path(output).is_dir() or output.endswith("/")
    if len(requests) == 1 and not is_folder:
        return [output]
    if is_folder and is_file:
        raise UsageError(f"-o: expected a folder, but {output} is a file")
    if not is_folder:
        raise UsageError(
            f"-o: {len(requests):,} topics make {len(requests):,} haystacks, and {output} is no "
            "folder: write -o FOLDER/, or give a file with one topic"
        )
    stems = file_stems(each.topic_id for each in requests)
    return [str(Path(output) / f"{stem}.json") for stem in stems]


def _write(haystack: "Haystack", shape: "Shape", path: str) -> None:
    import json

    if path != "-":
        Path(path).parent.mkdir(exist_ok=True)
    with console.open_output(path) as stream:
        json.dump(haystack.as_json(shape), stream, indent=1, ensure_ascii=False)
        stream.write("\n")


def _note(haystack: "Haystack", shape: "Shape") -> None:
    fewest, most = min(haystack.uses.values()), max(haystack.uses.values())
    each_in = f"{fewest:,} to {most:,}" if fewest < most else f"{fewest:,}"
    mended = ", ".join(f"{code} {number:,}" for code, number in sorted(haystack.mended.items()))
    console.note(
        f"topic {haystack.request.topic_id}: {count(len(haystack.subtopics), 'subtopic')}, "
        f"{count(len(haystack.insights), 'insight')}, each in {each_in} of "
        f"{count(len(haystack.documents), 'document')}; mended: {mended or 'none'}; left out: "
        f"{count(len(haystack.left_out), 'document')} of {shape.num_documents:,}"
    )
