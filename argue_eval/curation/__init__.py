"""Makes nuggets from documents with a language model: extract, dedupe, filter, as Long2RAG does.

A step reads and writes nuggets in the canonical form. What a model replied is kept in a file, so
that a step that was stopped goes on where it was. People review what comes out.
"""
