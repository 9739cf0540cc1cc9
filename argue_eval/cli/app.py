"""The commands, put together. Nothing is imported before the command that needs it is called."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from importlib import import_module
from io import TextIOWrapper
from typing import Any

# Rich triples the time of --help; plain help texts read as well.
os.environ.setdefault("TYPER_USE_RICH", "0")

import typer

from argue_eval import __version__
from argue_eval.cli import console
from argue_eval.cli.parameters import BriefCommand, Command, Group, with_records
from argue_eval.errors import EXIT_MISSING, EXIT_OK, EXIT_USAGE, ArgueEvalError, did_you_mean

EXIT_SIGNAL = 128
"""With the number of a signal added, as shells have it: 130 after an interrupt."""
EXIT_BROKEN_PIPE = 141

COMMANDS = {
    "Prepare a track": {
        "curate": ("curate:app", "Make and keep test collections: nuggets, haystacks."),
        "ingest": ("ingest:ingest", "Check requests or nuggets and write the canonical file."),
    },
    "Prepare runs": {
        "segment": ("segment:segment", "Turn texts with citations in brackets into a run."),
        "convert": ("convert:convert", "Convert a run, nuggets or requests to another format."),
        "validate": ("validate:validate", "Check runs against the rules of a track."),
    },
    "Judge and score": {
        "pool": ("pool:pool", "Pool what runs cite, to be judged once for all."),
        "judge": ("judge:judge", "Run the judges and store their answers."),
        "store": ("store:app", "Inspect, export, merge and verify stored judgments."),
        "score": ("score:score", "Score runs against nugget qrels."),
        "sample": ("sample:sample", "Draw what people should judge next, as a sheet."),
    },
    "Analyse": {
        "explain": (
            "explain:explain",
            "Explain a measure, a track, a code, or a sentence's outcome.",
        ),
        "compare": ("compare:compare", "Compare systems: which differ, and how sure that is."),
        "leaderboard": ("leaderboard:leaderboard", "Tabulate runs by measures, with ranks."),
        "show": ("show:show", "Show one report in the terminal, with its outcomes."),
        "report": ("report:report", "Make pages that show the scores and what they rest on."),
        "summhay": ("summhay:app", "Tabulate SummHay scores, summarizers by retrievers."),
        "reusability": (
            "reusability:reusability",
            "Leave out each team: would the collection rank a new one alike?",
        ),
        "meta-eval": ("meta_eval:meta_eval", "Compare judges with assessors."),
        "list": ("listing:list_", "List measures, judges, clients, formats, protocols or tracks."),
    },
}
"""All commands in the order of a track: module and function, and the summary for --help."""

_BY_NAME = {name: each for commands in COMMANDS.values() for name, each in commands.items()}


def _version(value: bool) -> None:
    if value:
        typer.echo(f"argue-eval {__version__}")
        raise typer.Exit


def _main(
    version: bool = typer.Option(
        False,
        "-V",
        "--version",
        callback=_version,
        is_eager=True,
        help="Print the version and stop.",
    ),
) -> None:
    """Evaluate machine-generated reports with citations, as TREC tracks do.

    Start with: argue-eval score runs/careful.jsonl qrels/example.json

    Exit codes: 0 ok, 1 errors in the input, 2 wrong usage, 3 a file or an optional package is
    missing, 4 units were left unjudged; 130 interrupted, 143 terminated, 141 nobody reads the
    output any more.
    """


_SYNONYMS = {
    "score": "eval evaluate trec_eval run",
    "validate": "check lint",
    "--version": "version",
    "store export": "export",
    "list measures": "measures",
    "list tracks": "tracks",
    "meta-eval": "metaeval agreement",
    "curate": "nuggets",
}
"""Our commands, and what other tools call them."""


class _Commands(Group):
    """All commands, listed in groups. Only the one that is called is imported."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_BY_NAME)

    def get_command(self, ctx: Any, name: str) -> Any:
        """A command as lists show it, to shells too; None if there is none of this name."""
        return Command(name, short_help=_BY_NAME[name][1]) if name in _BY_NAME else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that is called, with its arguments."""
        name, *rest = args
        if name not in _BY_NAME:
            return super().resolve_command(ctx, args)
        module, _, function = _BY_NAME[name][0].partition(":")
        command: Any = getattr(import_module(f"argue_eval.cli.{module}"), function)
        only = typer.Typer(rich_markup_mode=None)
        if isinstance(command, typer.Typer):
            only.add_typer(command, name=name, cls=Group, no_args_is_help=True)
        else:
            kind = BriefCommand if name in ("score", "judge") else Command
            only.command(name, cls=kind, no_args_is_help=True)(with_records(command))
        return name, typer.main.get_group(only).commands[name], rest

    def advice(self, ctx: Any, name: str) -> str:
        """What to write for a command that does not exist; trec_eval has none before its files."""
        if os.path.exists(name):  # noqa: PTH110
            return f" To score runs: {ctx.command_path} score RUN... QRELS..."
        meant = [ours for ours, others in _SYNONYMS.items() if name in others.split()]
        return did_you_mean(meant) or super().advice(ctx, name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for heading, commands in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, summary) for name, (_, summary) in commands.items()])


app = typer.Typer(
    name="argue-eval",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.callback()(_main)


def run(args: Sequence[str]) -> int:
    """Run one command and return its exit code. No traceback reaches the user."""
    if sys.stderr is None:  # 2>&-
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stdout is None:  # >&-
        sys.stderr.write("argue-eval: stdout is closed; use >/dev/null to discard the output\n")
        return EXIT_MISSING
    if isinstance(sys.stdout, TextIOWrapper):
        # As all files are, whatever the locale says; and a file's name may have no encoding.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        with redirect_stderr(console.PlainText(sys.stderr)), console.stoppable():
            return _run(args)
    except console.StoppedError as exc:
        number = exc.number
    except KeyboardInterrupt:  # when the judges had ended
        number = signal.SIGINT
    what = "interrupted" if number == signal.SIGINT else "terminated"
    sys.stderr.write(f"argue-eval: {what}\n")
    return EXIT_SIGNAL + number


def _run(args: Sequence[str]) -> int:
    """Run one command. Typer makes of an interrupt an exit code, which is made one again."""
    args = [*args[1:], "--help"] if args[:1] == ["help"] else args
    console.listing.is_whole = not {"--all", "--json"}.isdisjoint(args)
    code: int | str | None = EXIT_OK
    try:
        try:
            app(list(args), prog_name="argue-eval")
        except SystemExit as exc:
            code = exc.code
        if code == EXIT_SIGNAL + signal.SIGINT:
            raise KeyboardInterrupt
    except ArgueEvalError as exc:
        console.fail(exc)
        return exc.exit_code
    except console.OutputClosedError:
        return EXIT_BROKEN_PIPE
    except OSError as exc:  # while a help text was written, say
        console.discard_stdout()
        what = "cannot write" if exc.filename is None else exc.filename
        sys.stderr.write(f"argue-eval: {what}: {exc.strerror}\n")
        return EXIT_MISSING
    return code if isinstance(code, int) else EXIT_USAGE
