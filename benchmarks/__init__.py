"""Benchmarks: argue-eval beside a named floor or peer, measured in the same run."""
