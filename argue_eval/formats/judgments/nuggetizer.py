"""JSON lines with `qid`, `run_id` and `nuggets` of `text` and `assignment` (nuggetizer)."""

from functools import partial

from argue_eval.formats import assignments

read = partial(assignments.judgments, layout=assignments.NUGGETIZER)
