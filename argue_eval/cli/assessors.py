"""What the commands share that write sheets for assessors.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli.app import OUTPUT, param
from argue_eval.errors import UsageError, count

if TYPE_CHECKING:
    from argue_eval.formats.sheets import Row


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Assessors:
    """Who fills in sheets."""

    HEADING: ClassVar = OUTPUT

    assessors: Annotated[list[str], param(
        "--assessor NAME", "Who is going to fill the sheet in. Repeatable: each gets a file, "
        "with the name added to that of -o.")] = field(default_factory=list)
    overlap: Annotated[float | None, param(
        "--overlap SHARE", "The share of the sentences that all assessors get, to measure how far "
        "they agree. Default: 0.2.")] = None

    def check(self, inputs: Iterable[str | None], output: str) -> None:
        """Check that the files of the sheets can be named, and replace no input and no answers."""
        from argue_eval.formats.sheet_parts import paths_of, refuse_filled

        if self.overlap is not None and len(self.assessors) < 2:
            raise UsageError("--overlap needs two assessors or more: --assessor A --assessor B")
        for path in paths_of(output, self.assessors).values():
            console.check_files(inputs, o=path)
            refuse_filled(path)

    def write(self, rows: "Sequence[Row]", form: str, output: str) -> None:
        """Write the sheets."""
        from argue_eval.formats.sheet_parts import OVERLAP, parts
        from argue_eval.formats.sheets import lines

        overlap = OVERLAP if self.overlap is None else self.overlap
        for each in parts(rows, output, self.assessors, overlap):
            console.write(lines(each.rows, len(each.rows), form, each.assessor), each.path)
            if len(self.assessors) > 1:
                num = count(len(each.rows), "row")
                console.note(f"{each.path}: {num}, {each.num_shared:,} of them on every sheet")
