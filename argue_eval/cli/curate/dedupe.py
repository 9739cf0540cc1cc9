"""``argue-eval curate dedupe``: claims that say the same, grouped."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, MODELS, param
from argue_eval.cli.curate import inputs
from argue_eval.cli.curate.step import NAMED, Models, NuggetFile, Work, open_step, write
from argue_eval.errors import EXIT_OK, some

if TYPE_CHECKING:
    from argue_eval.curation.dedupe import Deduped


def dedupe(
    nuggets: NuggetFile,
    models: Models,
    work: Work,
    model: Annotated[str | None, param(
        "--model MODEL", f"Default: the judge lexical. {NAMED}", MODELS)] = None,
    requests: Annotated[str | None, param(
        "--requests FILE", "The questions, shown to the model.", INPUT)] = None,
) -> int:  # fmt: skip
    """Group claims that say the same; each group lists its claims.

    Without --model, two claims are the same if each covers the other according to the judge
    lexical: offline and deterministic, but blind to paraphrases.

    Example: argue-eval curate dedupe points.json --model gpt-4o -o grouped.json
    """
    from argue_eval.curation import dedupe as deduping

    work.check([nuggets, requests, models.prices])
    topics = inputs.read_bank(nuggets)
    asked = inputs.read_asked(requests, topics, "the model is not shown what is asked")
    if model is None:
        from argue_eval.judges.lexical import judge as lexical

        work.without_model()
        claims = (n.answers[0].answer for topic in topics for n in topic.nuggets if n.is_claim)
        found = deduping.by_judge(topics, lexical.create(texts=claims))
        write(found.topics, work.output)
        note_deduped(found)
        return EXIT_OK
    do = partial(deduping.by_model, topics, asked)
    with open_step(model, models, work) as step:
        found = step.run(do)
        note_deduped(found)
        return step.finish(found.topics)


def note_deduped(found: "Deduped") -> None:
    """Print what was grouped."""
    console.note(f"{found.num_points:,} claims in {found.num_groups:,} groups")
    if not found.num_points:
        console.note("warning: no nugget is a claim; questions are written as they are")
    if found.ungrouped:
        topics = some(found.ungrouped)
        console.note(f"warning: some claims in {topics} could not be grouped and are unchanged")
