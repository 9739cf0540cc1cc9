"""What the judge `llm` is made of: asks put into calls, prompts, and what counts of a reply."""
