"""The command line, for tests of what it writes."""

from __future__ import annotations

from tests.cli.conftest import argue_eval as argue_eval
