"""Run the command line: ``python -m argue_eval`` and the ``argue-eval`` script."""

import sys


def main() -> None:
    """Start the command line."""
    from argue_eval.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
