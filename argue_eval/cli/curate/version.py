"""``argue-eval curate version``: the next version of a bank that people edited."""

from pathlib import PurePath
from typing import Annotated

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, OUTPUT, param
from argue_eval.cli.curate.banks import Note, note_settled, write_version
from argue_eval.cli.curate.inputs import read_bank
from argue_eval.errors import UsageError


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
