"""JSON lines with `qid` and graded `criteria`: answers, whose texts may be missing."""

from functools import partial

from argue_eval.formats import assignments

read = partial(assignments.reports, layout=assignments.RUBRICS)
