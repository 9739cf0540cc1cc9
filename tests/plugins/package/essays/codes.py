"""How many findings of each code there are."""

from collections import Counter
from collections.abc import Iterator, Sequence

from argue_eval.validation.runs import Checked


def render(runs: Sequence[Checked], height: int | None) -> Iterator[str]:
    """Yield a line for each code."""
    counts = Counter(finding.code for run in runs for finding in run.findings)
    for code, number in sorted(counts.items()):
        yield f"{code} {number}\n"
