"""What the commands share that write a version of a bank."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

from argue_eval.cli import console
from argue_eval.cli.app import OUTPUT, param
from argue_eval.cli.curate.step import write

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
