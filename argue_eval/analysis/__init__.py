"""What scores mean: agreement with assessors, tables over systems."""
