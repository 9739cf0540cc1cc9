"""Run the command line: ``python -m argue_eval`` and the ``argue-eval`` script."""

# Not signal, whose own imports could be interrupted.
import _signal  # type: ignore[import-not-found]
import gc
import sys


def main() -> None:
    """Start the command line."""
    # Until the command begins, an interrupt just ends the process: there is nothing to tidy up.
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    # What is imported stays, and what is read has no cycles: there is little garbage to look for,
    gc.set_threshold(50_000)
    from argue_eval.cli.app import run

    code = run(sys.argv[1:])
    gc.freeze()  # and none at the end
    sys.exit(code)


if __name__ == "__main__":
    main()
