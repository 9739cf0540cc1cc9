"""JSON lines, or a table with a header: `topic_id`, `title`, `problem_statement`, `background`."""

from argue_eval.formats.requests._keys import Keys

_FIELDS = ("topic_id", "title", "problem_statement", "background")
_OPTIONAL = ("limit", "limit_unit", "collection_ids", "language")

_keys = Keys(
    topic_id=("topic_id",),
    written=dict(zip(_FIELDS, _FIELDS, strict=True)),
    optional=_OPTIONAL,
    collections=("collection_ids",),
    reserved=_OPTIONAL,
)
read, encode = _keys.read, _keys.encode
