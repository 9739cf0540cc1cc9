"""`id` with `title` as JSON lines, or with `narrative` as a JSON list (TREC RAG 2025)."""

from argue_eval.formats.requests._keys import Keys

_keys = Keys(
    topic_id=("id",),
    written={"topic_id": "id", "problem_statement": "title"},
    problem_statement=("narrative", "title"),
    or_number=True,
    reserved=("narrative", "background", "limit", "limit_unit", "language"),
)
read, encode = _keys.read, _keys.encode
