"""Runs the command in this process."""

from tests.cli.conftest import argue_eval, stdin

__all__ = ["argue_eval", "stdin"]
