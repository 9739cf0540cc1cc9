"""JSON lines with `qid` and graded `criteria`: answers, whose texts may be missing."""

from functools import partial

from argue_eval.formats import assignments
from argue_eval.formats.shapes import BUILT_IN

SHAPES = BUILT_IN["runs"]["rubrics"]

read = partial(assignments.reports, layout=assignments.RUBRICS)
