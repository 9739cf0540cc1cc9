"""``argue-eval sample``: what people should judge next, as a sheet.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, OUTPUT, SCORING, param
from argue_eval.cli.assessors import Assessors
from argue_eval.errors import count


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Options:
    """How questions are drawn, named as in `argue_eval.analysis.sampling.SampleOptions`."""

    HEADING: ClassVar = SCORING

    design: Annotated[str, param(
        "--design NAME", "stratified: alike from all runs and verdicts. uniform: all units alike. "
        "optimal: more of what narrows the intervals most.")] = "stratified"
    unit: Annotated[str, param(
        "--unit NAME", "What is drawn: sentence (with all its questions), judgment (single "
        "questions) or topic.")] = "sentence"
    kinds: Annotated[list[str], param(
        "--kind KIND", "Only this kind of question, such as support. "
        "Repeatable.")] = field(default_factory=list)
    seed: Annotated[int, param("--seed N", "The same seed draws the same units.")] = 0
    # fmt: on


def sample(
    folder: Annotated[str, param("DIR", "A folder that score -o wrote.", INPUT)],
    size: Annotated[int, param("-n, --size N", "How many units to draw.", SCORING)],
    options: Options,
    who: Assessors,
    collection: Annotated[list[str] | None, param(
        "--collection FILE|irds:ID", "The texts of documents, if DIR has none, or in full. "
        "Repeatable.", INPUT)] = None,
    format_: Annotated[str | None, param(
        "--format NAME", "html, csv or jsonl. Default: as the name of the file ends.",
        OUTPUT)] = None,
    output: Annotated[str, param(
        "-o, --output FILE", "The sheet to write: FILE.html for a browser, FILE.csv for a "
        "spreadsheet, or FILE.jsonl. - is stdout.", OUTPUT)] = "-",
) -> None:  # fmt: skip
    """Draw what people should judge next, as a sheet to fill in and read back.

    What is exported from sheets is put together by argue-eval curate collect.

    Example: argue-eval sample scores -n 50 -o sheet.html --assessor A --assessor B
    """
    from argue_eval.analysis.sampling import SampleOptions
    from argue_eval.analysis.sampling import sample as drawn
    from argue_eval.evaluation.reopening import read_scores
    from argue_eval.formats.sheets import format_of

    collections = collection or []
    who.check([folder, *collections], output)
    format_name = format_of(output, format_)
    how = SampleOptions(**vars(options))
    with console.following() as (_, progress):
        scores = read_scores(folder)
        found = drawn(scores, size, options=how, collection=collections, progress=progress)
    who.write(found.rows, format_name, output)
    nouns = {"sentence": "sentence", "judgment": "question", "topic": "topic"}
    console.note(
        f"drawn: {found.num_drawn:,} of {count(found.num_units, nouns[how.unit])}, "
        f"{count(len(found.rows), 'row')} (design {how.design}, seed {how.seed})"
    )
    if how.design == "stratified" and how.unit != "topic":
        having = sum(each.num_drawn > 0 for each in found.strata)
        console.note(f"{having:,} of {count(len(found.strata), 'stratum', 'strata')} are in it")
