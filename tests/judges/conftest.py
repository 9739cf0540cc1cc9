"""The command line, for tests of judges from start to end."""

from tests.cli.conftest import argue_eval, files

__all__ = ["argue_eval", "files"]
