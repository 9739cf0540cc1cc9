"""Makes nuggets from documents with a language model, as Long2RAG does: extract, dedupe, filter.

A step reads and writes nuggets in the canonical format. The replies of the model are kept in a
file, so that a step that was stopped can go on. The results are meant to be reviewed by people.
"""
