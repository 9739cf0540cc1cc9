"""JSON lines with `docid` and `title`: the article that a report is about (DRAGUN 2025)."""

from argue_eval.formats.requests._keys import Keys

_keys = Keys(
    topic_id=("docid",),
    written={"topic_id": "docid", "title": "title"},
    reserved=("problem_statement", "background", "limit", "limit_unit", "language"),
)
read, encode = _keys.read, _keys.encode
