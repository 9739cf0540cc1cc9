"""Files as tracks released them, scored by the real command."""
