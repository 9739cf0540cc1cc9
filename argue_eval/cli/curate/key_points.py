"""``argue-eval curate key-points``: extract, dedupe and filter in one go."""

from functools import partial
from typing import Annotated

from argue_eval.cli.app import INPUT, param, without
from argue_eval.cli.curate.dedupe import note_deduped
from argue_eval.cli.curate.extract import Reading, note_extracted, read_pairs
from argue_eval.cli.curate.filter import LeftOut, Threshold, finish
from argue_eval.cli.curate.inputs import read_asked
from argue_eval.cli.curate.step import ModelName, Models, Work, open_step
from argue_eval.errors import UsageError


def key_points(
    requests: Annotated[str, param("REQUESTS", "The questions.", INPUT)],
    reading: Annotated[Reading, without("run")],
    model: ModelName,
    models: Models,
    work: Work,
    threshold: Threshold = 0.7,
    left_out: LeftOut = None,
) -> int:  # fmt: skip
    """Make key points from documents: extract, dedupe and filter in one go.

    All replies are in one file, and --dry-run prints one price. Run the same command again to
    continue after a stop.

    Example: argue-eval curate key-points topics.jsonl --collection docs.jsonl --retrieved bm25.run
    --depth 5 --model gpt-4o -o points.json
    """
    from argue_eval.curation.extract import LIKELY_POINTS
    from argue_eval.curation.key_points import make

    inputs = [requests, reading.retrieved, *reading.collection, models.prices]
    work.check(inputs, left_out=left_out)
    if not reading.collection:
        raise UsageError("name the documents to read: --collection FILE")
    reading.check()
    pairs = read_pairs(list(read_asked(requests).values()), reading)
    do = partial(make, pairs, num_rounds=reading.rounds, threshold=threshold)
    which = f" if {LIKELY_POINTS} key points are found in each document"
    with open_step(model, models, work) as step:
        found = step.run(do, {which: "likely"})
        note_extracted(found.extracted, len(pairs))
        note_deduped(found.deduped)
        return finish(found.filtered, step, left_out)
