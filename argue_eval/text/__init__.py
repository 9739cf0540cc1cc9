"""What is known of text, and nothing of scoring: sentences, languages, passages."""
