"""Clients of models. They know texts, tokens and numbers, and nothing of reports or scoring."""
