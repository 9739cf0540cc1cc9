"""JSON lines with `qid`, `run_id`, `answer_text` and `nuggets` (nuggetizer's assignments)."""

from functools import partial

from argue_eval.formats import assignments

read = partial(assignments.reports, layout=assignments.NUGGETIZER)
