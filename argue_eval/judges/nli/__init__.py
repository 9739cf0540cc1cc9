"""The judge `nli`: entailment models of transformers."""
