"""JSON lines with `qid` and `criteria` of `text` and `verdict` (graded rubrics)."""

from functools import partial

from argue_eval.formats import assignments
from argue_eval.formats.shapes import BUILT_IN

SHAPES = BUILT_IN["judgments"]["rubrics"]

read = partial(assignments.judgments, layout=assignments.RUBRICS)
