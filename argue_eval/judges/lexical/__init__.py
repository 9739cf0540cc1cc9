"""The judge `lexical`: word overlap with numbers, dates, names and negation checked."""
