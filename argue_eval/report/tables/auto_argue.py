"""Auto-ARGUE's scores TSV: run_id, request_id, metric, value, at full precision."""

from argue_eval.report.tables import of_columns

HEADER = "run_id\trequest_id\tmetric\tvalue\n"
SEPARATOR = FOOTER = ""
BOUNDS = "this format has no bounds"

render = of_columns("run", "topic", "measure", "value")
