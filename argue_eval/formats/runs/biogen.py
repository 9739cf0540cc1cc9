"""One JSON document with `results`, and the citations in the text of each `answer` (BioGen)."""

from argue_eval.formats.runs._draft import Layout
from argue_eval.formats.runs._reports import readers

SHAPES = (("run_name", "results"), ("results.topic_id", "results.answer"))


read, _ = readers(
    Layout(
        sentences=("answer",),
        metadata="beside",
        run_id="run_name",
        citations=("inline",),
        results="results",
    )
)
