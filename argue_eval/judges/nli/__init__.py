"""The judge nli: what it is made of."""
