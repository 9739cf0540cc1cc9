"""``argue-eval curate questions``: questions evolved from seeds, by category and domain.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, OUTPUT, QUESTIONS, param
from argue_eval.cli.curate.step import ModelName, Models, Work, open_step
from argue_eval.errors import EXIT_UNJUDGED, count

if TYPE_CHECKING:
    from argue_eval.curation.questions.records import Questions
    from argue_eval.records import ReportRequest


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Evolving:
    """Which questions are wanted."""

    HEADING: ClassVar = QUESTIONS

    category: Annotated[list[str], param(
        "--category NAME", "Of which kind questions are. Repeatable. Default: factual, "
        "explanatory, comparative, subjective, methodological, causal, hypothetical, predictive.")
    ] = field(default_factory=list)
    domain: Annotated[list[str], param(
        "--domain NAME", "What questions are about. Repeatable. Default: ten, from artificial "
        "intelligence to sports.")] = field(default_factory=list)
    per_pair: Annotated[int, param(
        "--per-pair N", "Questions for each category and domain.", min=1, max=1_000)] = 7
    criteria: Annotated[int, param(
        "--criteria N", "Keep a seed that meets N of the five criteria.", min=0, max=5)] = 4
    # fmt: on


def questions(
    seeds: Annotated[str, param(
        "SEEDS", "Questions to begin with: requests, with or without a category. - is stdin.",
        INPUT)],
    evolving: Evolving,
    model: ModelName,
    models: Models,
    work: Work,
    assessed: Annotated[str | None, param(
        "--assessed FILE", "Write all seeds here, with the criteria that they meet.", OUTPUT
    )] = None,
) -> int:  # fmt: skip
    """Make questions as Long2RAG does: seeds are filtered, and others evolved in depth and width.

    The result has a question a line, with its seed, for people to strike out lines: ask for more
    than you need. Run the same command again to continue after a stop.

    Example: argue-eval curate questions seeds.jsonl --model gpt-4o --domain law --domain film
    -o topics.jsonl
    """
    from argue_eval import formats
    from argue_eval.curation.questions.making import MAX_ROUNDS, make
    from argue_eval.curation.questions.records import CATEGORIES, DOMAINS, QuestionOptions

    work.check([seeds, models.prices], assessed=assessed)
    options = QuestionOptions(
        categories=evolving.category or [*CATEGORIES],
        domains=evolving.domain or DOMAINS,
        per_pair=evolving.per_pair,
        num_criteria=evolving.criteria,
    )
    options.check()
    requests = formats.read_topics(seeds)
    do = partial(make, requests, options=options)
    cases = {
        " if each category has enough seeds, and no question repeats another": "likely",
        f" if nearly all do, in up to {MAX_ROUNDS} rounds": "worst",
    }
    with open_step(model, models, work) as step:
        found = step.run(do, cases)
        _write(found.requests, work.output)
        if assessed is not None:
            _write([each.assessed for each in found.seeds], assessed)
        _note(found)
        console.warn(found.findings)
        code = step.close()
    return EXIT_UNJUDGED if found.findings else code


def _write(requests: "Sequence[ReportRequest]", path: str) -> None:
    from argue_eval import formats

    with console.open_output(path) as stream:
        formats.write_requests(requests, stream)


def _note(found: "Questions") -> None:
    known = [each for each in found.seeds if each.criteria]
    kept = [each for each in known if each.is_kept]
    failed = Counter(name for each in known for name, is_met in each.criteria.items() if not is_met)
    others = sum(not each.category for each in kept)
    console.note(
        f"{len(kept):,} of {count(len(found.seeds), 'seed')} kept, "
        f"{len(known) - len(kept):,} left out, {len(found.seeds) - len(known):,} not assessed; "
        f"{others:,} of no category that is wanted"
    )
    if failed:
        listed = ", ".join(f"{name} {number:,}" for name, number in failed.most_common())
        console.note(f"criteria that seeds do not meet: {listed}")
    ways = Counter(each.extra["evolved"] for each in found.requests)
    console.note(
        f"{count(len(found.requests), 'question')}: {ways['depth']:,} evolved in depth, "
        f"{ways['width']:,} in width; {count(found.num_repeated, 'repeat')} left out"
    )
