"""AutoJudge's `tot`: run, measure, topic and value, at full precision."""

from argue_eval.report.tables import of_columns

HEADER = SEPARATOR = FOOTER = ""
BOUNDS = "this format has no bounds"

render = of_columns("run", "measure", "topic", "value")
