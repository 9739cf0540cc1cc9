"""What the commands share that write a version of a bank.

Annotations are not postponed here: see `argue_eval.cli.parameters`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from argue_eval.cli import console
from argue_eval.cli.curate.step import write
from argue_eval.cli.parameters import OUTPUT, option

if TYPE_CHECKING:
    from argue_eval.records import TopicNuggets

Note = Annotated[str, option("--note TEXT", "What to say of the version in its history.", OUTPUT)]


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
    lines = versions.earlier_lines(path)
    number = versions.version_of(before).number + 1
    stamped, version = versions.stamped(topics, number)
    found = changes.diff(before, stamped)
    write(stamped, output)
    console.note(f"version {number:,} ({version.digest}): {found}")
    if output == "-":
        return
    told = {"note": note} if note else {}
    versions.write_history(output, [*lines, {"sources": list(sources), **told, **found.as_json}])
