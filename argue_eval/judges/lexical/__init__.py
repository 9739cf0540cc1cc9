"""What the judge `lexical` is made of: terms, numbers, dates and names of texts, and features."""
