"""Run the command line: ``python -m argue_eval`` and the ``argue-eval`` script."""

# Not signal, whose own imports could be interrupted.
import _signal  # type: ignore[import-not-found]
import sys


def main() -> None:
    """Start the command line."""
    # Until the command begins, an interrupt just ends the process: there is nothing to tidy up.
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    from argue_eval.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
