"""Pages and tables for people and machines."""
