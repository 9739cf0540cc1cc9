"""JSON lines with `request_id`, or `topic_id` and `collection_id` (NeuCLIR 2024, RAGTIME)."""

from argue_eval.formats.requests._keys import Keys

_keys = Keys(
    topic_id=("request_id", "topic_id"),
    written={
        "topic_id": "request_id",
        "title": "title",
        "background": "background",
        "problem_statement": "problem_statement",
    },
    optional=("limit", "collection_ids"),
    collections=("collection_id", "collection_ids"),
    reserved=("limit", "limit_unit", "collection_ids", "language", "collection_id"),
)
read, encode = _keys.read, _keys.encode
