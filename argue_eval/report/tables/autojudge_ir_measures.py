"""AutoJudge's `ir_measures`: run, topic, measure and value, at full precision."""

from argue_eval.report.tables import of_columns

HEADER = SEPARATOR = FOOTER = ""
BOUNDS = "this format has no bounds"

render = of_columns("run", "topic", "measure", "value")
