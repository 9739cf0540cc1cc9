"""Formats of judgments: answers to questions about given texts, by a person or a model."""
