from tests.cli.conftest import argue_eval as argue_eval
from tests.cli.conftest import stdin as stdin
