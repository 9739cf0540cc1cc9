"""``argue-eval pool``: what several runs cite, to be judged once.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import INPUT, OUTPUT, SCORING, param
from argue_eval.cli.assessors import Assessors
from argue_eval.errors import UsageError


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Options:
    """What is pooled, named as in `argue_eval.analysis.pooling.PoolOptions`."""

    HEADING: ClassVar = SCORING

    depth: Annotated[int | None, param(
        "--depth K", "Of each report, the first K documents or pairs. Default: all.")] = None
    budget: Annotated[int | None, param(
        "--budget N", "For each topic at most N, those first that several runs cite early.")] = None
    order: Annotated[str, param(
        "--citation-order NAME", "How the documents of a report are ranked: first (cited first) or "
        "confidence.")] = "first"
    contributing: Annotated[list[str], param(
        "--contributing RUN", "Pool only what this run cites; the others are only looked up. "
        "Repeatable. Default: all runs.")] = field(default_factory=list)
    teams: shared.Teams = "team_id"
    seed: Annotated[int, param(
        "--seed N", "Decides between equals, and the order of a sheet.")] = 0
    # fmt: on


def pool(
    runs: Annotated[list[str], param(
        "RUN...", "Run files, or folders of them or of score -o.", INPUT)],
    options: Options,
    who: Assessors,
    pairs: Annotated[bool, param(
        "--pairs", "Pool pairs of a sentence and a document that it cites, not documents.",
        SCORING)] = False,
    requests: Annotated[str | None, param(
        "--requests FILE", "Report requests: only their topics are pooled, and a sheet shows "
        "them.", INPUT)] = None,
    collection: Annotated[list[str] | None, param(
        "--collection FILE|irds:ID", "The texts of documents, for a sheet. Repeatable.",
        INPUT)] = None,
    output: Annotated[str | None, param(
        "-o, --output FILE", "The pool: FILE.html, FILE.csv or FILE.jsonl is a sheet to fill in, "
        "any other name is in TREC's form. Without it, only the coverage is shown.",
        OUTPUT)] = None,
    as_json: Annotated[bool, param("--json", "Print the coverage as JSON.", OUTPUT)] = False,
) -> None:  # fmt: skip
    """Pool what runs cite, to be judged once for all, and show how much of each run is in it.

    Example: argue-eval pool runs/*.jsonl --pairs --depth 5 -o sheet.html
    """
    from argue_eval.analysis import pooling
    from argue_eval.report import pool as views

    form = pooling.format_of(output or "")
    if output is not None and output.casefold().endswith((".xlsx", ".xls", ".ods")):
        raise UsageError(f"{output}: name a sheet FILE.csv, which every spreadsheet opens")
    inputs = [*runs, requests, *(collection or [])]
    if output is None or form == pooling.TREC:
        console.check_files(inputs, o=output)
        if who.assessors:
            raise UsageError("--assessor is for sheets, which assessors fill in: -o FILE.html")
    else:
        who.check(inputs, output)
    items = pooling.PAIRS if pairs else pooling.DOCUMENTS
    how = pooling.PoolOptions(items=items, **vars(options))
    if output is not None:
        pooling.check_format(form, how)
    with console.following() as (warnings, progress):
        found = pooling.pool(
            runs,
            options=how,
            topics=requests or (),
            collection=(collection or []) if form != pooling.TREC else (),
            progress=progress,
            warnings=warnings,
        )
    if output is not None and form == pooling.TREC:
        console.write(found.lines(form), output)
    elif output is not None:
        rows = list(found.rows())
        if not any(row.evidence for row in rows):
            console.note("warning: no text of a document is there to be judged: --collection FILE")
        who.write(rows, form, output)
    if output != "-":
        view = views.as_json if as_json else views.as_text
        console.write(view(found))
