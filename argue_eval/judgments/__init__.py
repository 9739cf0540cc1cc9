"""Judgments by the question that they answer."""
