"""One JSON document with `results`, and the citations in the text of each `answer` (BioGen)."""

from functools import partial

from argue_eval.formats.runs._draft import Layout
from argue_eval.formats.runs._reports import read_values

read = partial(
    read_values,
    Layout(
        sentences=("answer",),
        metadata="beside",
        run_id="run_name",
        citations=("inline",),
        results="results",
    ),
)
