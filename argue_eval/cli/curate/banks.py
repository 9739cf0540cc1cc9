"""``argue-eval curate version``, and what the commands share that write a version of a bank."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, OUTPUT, param
from argue_eval.cli.curate.inputs import read_bank
from argue_eval.cli.curate.step import write
from argue_eval.errors import UsageError

if TYPE_CHECKING:
    from argue_eval.records import TopicNuggets

Note = Annotated[str, param("--note TEXT", "What to say of the version in its history.", OUTPUT)]


def write_version(
    topics: "Sequence[TopicNuggets]",
    earlier: "tuple[str, Sequence[TopicNuggets]]",
    output: str,
    sources: "Sequence[str]",
    note: str,
) -> None:
    """Write a bank as the version after an earlier one, and its history beside it.

    Args:
        earlier: the file and the topics of the earlier version, whose history is continued.
        sources: the names of the banks that it was made of.
    """
    from argue_eval.curation import changes, versions

    path, before = earlier
    note_settled(path)
    note_settled(output)
    lines = versions.earlier_lines(path)
    number = versions.version_of(before).number + 1
    stamped, version = versions.stamped(topics, number)
    found = changes.diff(before, stamped)
    told = {"note": note} if note else {}
    line = {"sources": list(sources), **told, **found.as_json}
    is_file = output != "-"
    with versions.writing_history(output, [*lines, line]) if is_file else nullcontext():
        write(stamped, output)
    console.note(f"version {number:,} ({version.digest}): {found}")


def note_settled(bank: str) -> None:
    """Give a bank the history that belongs to it, if a command was stopped; say so."""
    from argue_eval.curation.versions import settle

    if done := settle(bank):
        console.note(done)


def version(
    bank: Annotated[str, param("BANK", "The edited bank. - is stdin.", INPUT)],
    since: Annotated[str, param(
        "--since OLD", "The bank as it was, whose history is continued.", INPUT)],
    output: Annotated[str, param("-o, --output FILE", "The new version. - is stdout.", OUTPUT)],
    note: Note = "",
) -> None:  # fmt: skip
    """Give an edited bank the next version number, and write what changed to its history.

    Example: argue-eval curate version edited.json --since bank.json -o bank-2.json
    --note "Answers of ex1 corrected"
    """
    from argue_eval.curation.versions import version_of

    console.check_files([bank, since], o=output)
    console.check_json(output)
    before, after = read_bank(since), read_bank(bank)
    old, new = version_of(before), version_of(after)
    if old.digest == new.digest and old.number:
        note_settled(since)
        console.note(f"nothing changed: {since} is {old}; nothing is written")
        return
    if old.is_edited and new.number == old.number and not new.is_edited:
        raise UsageError(f"{since} is {old}, and {bank} is {new}: name them the other way round")
    if old.is_edited:
        console.note(f"warning: {since} is {old}: its history does not have these edits")
    write_version(after, (since, before), output, [PurePath(bank).name], note)
