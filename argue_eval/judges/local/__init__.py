"""Models of transformers that run in this process: loading, tokens, classifiers."""
