"""What scores mean: agreement with assessors, rankings of systems, tables of results."""
