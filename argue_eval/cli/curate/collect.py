"""``argue-eval curate collect``: what came back from assessors, put together."""

from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, OUTPUT, param
from argue_eval.cli.curate.banks import Note, write_version
from argue_eval.errors import Findings, UsageError, count

if TYPE_CHECKING:
    from argue_eval.curation.collecting import Collected


def collect(
    files: Annotated[list[str], param(
        "FILE...", "What people exported from sheets, or sheets that they filled in (CSV, JSON "
        "lines). - is stdin.", INPUT)],
    output: Annotated[str, param(
        "-o, --output FILE", "The judgments of all; with --bank, the next version of the bank, "
        "with its history beside it. - is stdout.", OUTPUT)],
    bank: Annotated[str | None, param(
        "--bank BANK", "The nuggets that were edited, if FILEs have edits of nuggets: they are "
        "made in it.", INPUT)] = None,
    sheets: Annotated[list[str] | None, param(
        "--sheet SHEET", "A sheet as it was written: answers to questions on none of them are "
        "errors, and what nobody answered is counted. Repeatable.", INPUT)] = None,
    disputed: Annotated[str | None, param(
        "--adjudicate FILE", "Write a sheet of the questions on which assessors differ, for a "
        "third person: FILE.html, FILE.csv or FILE.jsonl. Needs --sheet.", OUTPUT)] = None,
    note: Note = "",
) -> None:  # fmt: skip
    """Put together what people judged, or how they edited nuggets, and report where they differ.

    The answers of all are kept. Where only one can count, as in score --judgments, it is that of
    the assessor whose FILE is named first: name first the file of who decided disputes. Of two
    edits of one nugget, that of the first FILE is made.

    Example: argue-eval curate collect judgments-A.jsonl judgments-B.jsonl -o judgments.jsonl
    """
    from argue_eval.curation import collecting
    from argue_eval.formats.sheets import format_of

    inputs = [*files, *(sheets or []), bank]
    console.check_files(inputs, o=output, adjudicate=disputed)
    console.check_json(output)
    if bank is not None:
        if sheets or disputed:
            raise UsageError("--bank takes edits of nuggets: leave out --sheet and --adjudicate")
        _edit(bank, files, output, note)
        return
    if disputed is not None:
        format_of(disputed)
        if not sheets:
            raise UsageError("--adjudicate needs the sheets, which have the texts: --sheet SHEET")
    with console.following() as (warnings, _):
        found = collecting.collect(files, sheets=sheets or (), warnings=warnings)
    console.write(found.lines(), output)
    if disputed is not None and found.disputed:
        found.write_disputed(disputed)
    _note(found, disputed)


def _edit(bank: str, files: list[str], output: str, note: str) -> None:
    from argue_eval import formats
    from argue_eval.curation.editing import edit

    with console.following() as (warnings, _):
        topics = formats.read_nuggets(bank, warnings=warnings)
        found = edit(topics, files, Findings(listed=warnings))
    counted = (
        f"{count(found.num_made, 'edit')} made, {found.num_repeated:,} made twice, "
        f"{len(found.left_out):,} left out"
    )
    if not found.num_made:
        console.note(f"{counted}: nothing changed; nothing is written")
        return
    names = [PurePath(file).name for file in files]
    write_version(found.topics, (bank, topics), output, [PurePath(bank).name, *names], note)
    for old, new in found.renamed:
        console.note(f"the new nugget {old} is called {new}: its id was taken")
    console.note(counted)


def _note(found: "Collected", disputed: str | None) -> None:
    for judge, number in found.assessors.items():
        console.note(f"{judge}: {count(number, 'answer')}")
    if found.num_repeated:
        console.note(f"{found.num_repeated:,} answers occurred again and are written once")
    if found.num_shared:
        console.note(
            f"{count(found.num_shared, 'question')} answered by several assessors, "
            f"{found.num_agreed:,} of them alike; kappa: argue-eval meta-eval --inter-assessor"
        )
    if found.num_agreed < found.num_shared and disputed is None:
        console.note("all answers are kept; a sheet of the disputed questions: --adjudicate FILE")
    if found.num_open is not None:
        console.note(f"{count(found.num_open, 'question')} of the sheets without an answer")
    if disputed is not None:
        num_rows = count(len(found.disputed), "row")
        written = f"{disputed}: {num_rows} to adjudicate"
        console.note(written if found.disputed else f"nothing is disputed: {disputed} not written")
