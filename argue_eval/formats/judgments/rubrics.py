"""JSON lines with `qid` and `criteria` of `text` and `verdict` (graded rubrics)."""

from functools import partial

from argue_eval.formats import assignments

read = partial(assignments.judgments, layout=assignments.RUBRICS)
