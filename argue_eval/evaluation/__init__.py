"""Read, ask, score, explain: the only room that joins protocols, judges and measures."""
