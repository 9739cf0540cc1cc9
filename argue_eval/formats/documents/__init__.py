"""Formats of document collections."""
