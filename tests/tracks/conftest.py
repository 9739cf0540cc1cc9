"""Fixtures of the tests of tracks' files."""

from tests.cli.conftest import argue_eval

__all__ = ["argue_eval"]
