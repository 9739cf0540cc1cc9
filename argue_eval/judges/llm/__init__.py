"""The judge `llm`: questions put into calls, prompts, and what counts of a reply."""
