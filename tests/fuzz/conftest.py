"""The command line in this process."""

from tests.cli.conftest import argue_eval

__all__ = ["argue_eval"]
