"""Clients of models: texts in, scores or texts out. They know nothing of judges or scores."""
