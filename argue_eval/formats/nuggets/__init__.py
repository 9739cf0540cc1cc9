"""Formats of nugget qrels: what a report should say, and which documents attest it."""
