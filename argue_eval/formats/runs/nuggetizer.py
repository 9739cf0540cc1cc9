"""JSON lines with `qid`, `run_id`, `answer_text` and `nuggets` (nuggetizer's assignments)."""

from functools import partial

from argue_eval.formats import assignments
from argue_eval.formats.shapes import BUILT_IN

SHAPES = BUILT_IN["runs"]["nuggetizer"]

read = partial(assignments.reports, layout=assignments.NUGGETIZER)
