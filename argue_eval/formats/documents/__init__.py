"""Forms of document collections."""
