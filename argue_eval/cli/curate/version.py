"""``argue-eval curate version``: the next version of a bank that people edited.

Annotations are not postponed here: see `argue_eval.cli.parameters`.
"""

from pathlib import PurePath
from typing import Annotated

from argue_eval.cli import console
from argue_eval.cli.curate.banks import Note, note_settled, write_version
from argue_eval.cli.parameters import INPUT, OUTPUT, argument, check_files, option


def version(
    bank: Annotated[str, argument("BANK", "The edited bank. - is stdin.", INPUT)],
    since: Annotated[str, option(
        "--since OLD", "The bank as it was, whose history is continued.", INPUT)],
    output: Annotated[str, option("-o, --output FILE", "The new version. - is stdout.", OUTPUT)],
    note: Note = "",
) -> None:  # fmt: skip
    """Give an edited bank the next version number, and write what changed to its history.

    Example: argue-eval curate version edited.json --since bank.json -o bank-2.json
    --note "Answers of ex1 corrected"
    """
    from argue_eval import formats
    from argue_eval.curation.versions import version_of

    check_files([bank, since], o=output)
    before, after = formats.read_nuggets(since), formats.read_nuggets(bank)
    if version_of(before).digest == version_of(after).digest and version_of(before).number:
        note_settled(since)
        console.note(f"nothing changed: {since} is {version_of(before)}; nothing is written")
        return
    write_version(after, (since, before), output, [PurePath(bank).name], note)
