"""``argue-eval nuggets``: key points from documents, put together and sifted, to be reviewed."""

from __future__ import annotations

from typing import Annotated

import typer

from argue_eval.cli import _making as making
from argue_eval.cli import options as shared

app = typer.Typer(
    help="Make nuggets from documents: extract key points, put equal ones together, leave out "
    "what answers nothing.\n\nExample: argue-eval nuggets extract topics.jsonl --collection "
    "docs.jsonl --model gpt-4o -o points.json"
)

_Model = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="As the server of OPENAI_BASE_URL names it; or hf:MODEL, a model of transformers.",
    ),
]
_Output = Annotated[
    str, typer.Option("-o", "--output", metavar="FILE", help="The nuggets. - is stdout.")
]
_Replies = Annotated[
    str | None,
    typer.Option(
        "--replies",
        metavar="FILE",
        help="What the model replies, kept word for word; nothing in it is asked again. Default: "
        "the output's name with .replies.jsonl.",
    ),
]
_DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Ask nothing; print calls, tokens and price.")
]
_Nuggets = Annotated[str, typer.Argument(metavar="NUGGETS", help="A nugget file. - is stdin.")]
_Requests = Annotated[
    str | None,
    typer.Option("--requests", metavar="FILE", help="The questions, shown to the model."),
]


@app.command("extract", no_args_is_help=True)
def extract(
    requests: Annotated[str, typer.Argument(metavar="REQUESTS", help="The questions.")],
    model: _Model,
    output: _Output,
    collection: Annotated[
        list[str] | None,
        typer.Option("--collection", metavar="FILE|irds:ID", help="The documents. Repeatable."),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="RUN", help="Read the reports of a run instead of documents: "
                     "what score --response-points takes."),
    ] = None,
    retrieved: Annotated[
        str | None,
        typer.Option(
            "--retrieved",
            metavar="FILE",
            help="The documents to read for each question: a TREC run, or qrels. Default: all.",
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option("--depth", metavar="K", min=1, help="Only the first K of each question."),
    ] = None,
    rounds: Annotated[
        int,
        typer.Option("--rounds", metavar="N", min=1, help="Read each document up to N times, to "
                     "find what was overlooked."),
    ] = 1,
    replies: _Replies = None,
    device: shared.Device = "auto",
    concurrency: shared.Concurrency = 8,
    timeout: shared.Timeout = 120.0,
    max_calls: shared.MaxCalls = None,
    max_cost: shared.MaxCost = None,
    prices: shared.Prices = None,
    dry_run: _DryRun = False,
) -> None:  # fmt: skip
    """Have a model find key points in documents, with the spans that say them.

    A span that the document does not have to the letter (up to space, quotes and dashes) is
    dropped, and a key point without any. The same command goes on where it was stopped.

    Example: argue-eval nuggets extract topics.jsonl --collection docs.jsonl --retrieved bm25.run
    --depth 5 --model gpt-4o -o points.json
    """
    from argue_eval import formats
    from argue_eval.curation import extract as extracting
    from argue_eval.curation.retrieved import pairs_of, responses_of
    from argue_eval.errors import UsageError

    shared.check_stdin([requests, retrieved, run, *(collection or [])])
    if (run is None) == (collection is None):
        raise UsageError("extract reads documents (--collection) or the reports of a run (--run)")
    if retrieved is not None and collection is None:
        raise UsageError("--retrieved says which documents of --collection to read; not with --run")
    if depth is not None and retrieved is None:
        raise UsageError("--depth K reads the first K documents of --retrieved: name that file")
    asked = formats.read_requests(requests)
    run_id = None
    if run is not None:
        pairs, run_id = responses_of(asked, run)
    else:
        pairs, missing = pairs_of(asked, collection or [], retrieved, depth)
        making.note_missing(missing)
    settings = making.settings(device, concurrency, timeout, max_calls, max_cost, prices)
    with making.opened(model, settings, replies, output) as opened:
        if dry_run:
            making.print_workload(extracting.workload(pairs, opened), opened, settings, rounds)
            return
        with making.interruptible(settings, opened) as progress:
            found = extracting.extract(pairs, opened, rounds, progress)
        making.note_extracted(found, len(pairs))
        topics = found.topics if run_id is None else extracting.of_run(found.topics, run_id)
        raise typer.Exit(making.finish(topics, output, opened, settings))


@app.command("dedupe", no_args_is_help=True)
def dedupe(
    nuggets: _Nuggets,
    output: _Output,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="MODEL", help="Groups them; by default the judge lexical."),
    ] = None,
    requests: _Requests = None,
    replies: _Replies = None,
    device: shared.Device = "auto",
    concurrency: shared.Concurrency = 8,
    timeout: shared.Timeout = 120.0,
    max_calls: shared.MaxCalls = None,
    max_cost: shared.MaxCost = None,
    prices: shared.Prices = None,
    dry_run: _DryRun = False,
) -> None:
    """Put claims that say the same together; the result keeps which they were.

    Without --model, two claims are the same if each covers the other in the eyes of the judge
    lexical: offline and deterministic, and blind to paraphrases.

    Example: argue-eval nuggets dedupe points.json --model gpt-4o -o grouped.json
    """
    from argue_eval import formats
    from argue_eval.curation import dedupe as deduping

    shared.check_stdin([nuggets, requests])
    topics = formats.read_nuggets(nuggets)
    asked = making.by_topic(formats.read_requests(requests) if requests else [])
    if model is None:
        making.dedupe_lexically(topics, output, dry_run)
        return
    settings = making.settings(device, concurrency, timeout, max_calls, max_cost, prices)
    with making.opened(model, settings, replies, output) as opened:
        if dry_run:
            making.print_workload(deduping.workload(topics, asked, opened), opened, settings)
            return
        with making.interruptible(settings, opened) as progress:
            found = deduping.by_model(topics, asked, opened, progress)
        making.note_deduped(found)
        raise typer.Exit(making.finish(found.topics, output, opened, settings))


@app.command("filter", no_args_is_help=True)
def filter_(
    nuggets: _Nuggets,
    output: _Output,
    model: _Model,
    requests: Annotated[
        str, typer.Option("--requests", metavar="FILE", help="The questions they should answer.")
    ],
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold",
            metavar="P",
            min=0.0,
            max=1.0,
            callback=shared.finite,
            help="Keep a claim from this score on: the probability that it is a key point, says "
            "the model.",
        ),
    ] = 0.7,
    left_out: Annotated[
        str | None, typer.Option("--left-out", metavar="FILE", help="Write the others here.")
    ] = None,
    replies: _Replies = None,
    device: shared.Device = "auto",
    concurrency: shared.Concurrency = 8,
    timeout: shared.Timeout = 120.0,
    max_calls: shared.MaxCalls = None,
    max_cost: shared.MaxCost = None,
    prices: shared.Prices = None,
    dry_run: _DryRun = False,
) -> None:  # fmt: skip
    """Keep the claims that a model finds to be key points for their question.

    Example: argue-eval nuggets filter grouped.json --requests topics.jsonl --model llama-3-70b
    --threshold 0.7 -o kept.json --left-out rest.json
    """
    from argue_eval import formats
    from argue_eval.cli import console
    from argue_eval.curation import filter as filtering

    shared.check_stdin([nuggets, requests])
    making.check_apart(output, left_out)
    topics = formats.read_nuggets(nuggets)
    asked = making.by_topic(formats.read_requests(requests))
    for topic in topics:
        if topic.topic_id not in asked:
            console.note(f"warning: topic {topic.topic_id} has no request: its claims are kept")
    settings = making.settings(device, concurrency, timeout, max_calls, max_cost, prices)
    with making.opened(model, settings, replies, output) as opened:
        if dry_run:
            making.print_workload(filtering.workload(topics, asked, opened), opened, settings)
            return
        with making.interruptible(settings, opened) as progress:
            found = filtering.filter_points(topics, asked, opened, threshold, progress)
        if opened.tally.num_without_prob:
            console.note(
                f"warning: {opened.tally.num_without_prob} replies do not tell how probable a yes "
                "is: yes counts 1, no counts 0"
            )
        if left_out is not None:
            making.write(found.left_out, left_out)
        console.note(
            f"{found.num_kept} claims kept, {found.num_left_out} left out, "
            f"{found.num_unscored} kept without a score"
        )
        raise typer.Exit(making.finish(found.kept, output, opened, settings))
