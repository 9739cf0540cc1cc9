"""Formats of report requests: what a report must be about."""
