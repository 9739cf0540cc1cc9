"""The commands, put together: their options, their help pages, and how they end.

Nothing is imported before the command that needs it is called.

Options are declared once, in records. A record is a dataclass whose fields are annotated options;
its HEADING is where the help shows those that name none. A command names the records that it takes,
whole or in part, and is called with them; Typer sees their fields as single parameters
(`with_records`)::

    def explain(paths: Paths, scoring: Annotated[Scoring, only("reading", "citations")]) -> None:

Modules that declare records do not postpone annotations: a field's type is read as it stands.

Help pages are plain text: options under headings, and one screen for a command without arguments.
Typer has headings only with Rich, whose import triples the time of ``--help``.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from errno import EDQUOT, EFBIG, ENOSPC
from importlib import import_module
from inspect import Parameter, Signature, signature
from io import StringIO, TextIOWrapper
from textwrap import shorten
from typing import Annotated, Any, get_args, get_origin

# Rich triples the time of --help; plain help texts read as well.
os.environ.setdefault("TYPER_USE_RICH", "0")

import typer
from typer.core import TyperCommand, TyperGroup

from argue_eval import __version__
from argue_eval.cli import console
from argue_eval.errors import (
    EXIT_INPUT,
    EXIT_MISSING,
    EXIT_OK,
    EXIT_USAGE,
    ArgueEvalError,
    MissingResourceError,
    UsageError,
    plain,
)

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


# --- parameters -----------------------------------------------------------------------------------

ARGUMENTS, INPUT, HAYSTACK, QUESTIONS, JUDGES, MODELS, SCORING, OUTPUT = HEADINGS = (
    "Arguments", "Input", "Haystack", "Questions", "Judges", "Models", "Scoring", "Output"
)  # fmt: skip
"""The headings of a help page, in their order."""

IsWanted = Callable[[str], bool]
Ended = int | None
"""The exit code that a command returns; 0 if it returns none."""


def param(declaration: str, text: str, heading: str | None = None, **more: Any) -> Any:
    """Declare an option as its help shows it, such as ``-o, --output FILE``; or an argument, which
    has no name with dashes, such as ``RUN...``.
    """
    words = declaration.replace(",", "").split()
    names = [word for word in words if word.startswith("-")]
    if names:
        more["metavar"] = words[-1] if len(names) < len(words) else None
        made = typer.Option(*names, help=text, rich_help_panel=heading, **more)
    else:
        made = typer.Argument(metavar=declaration, help=text, rich_help_panel=heading)
    made.called = names[-1] if names else declaration.rstrip(".")  # in messages
    return made


_ShowAll = Annotated[bool, param("--all", "List all findings, not one screen.")]
Strict = Annotated[bool, param("--strict", "Turn warnings into errors.")]


def only(*names: str) -> IsWanted:
    """Take these fields of a record; the others have their defaults."""
    return lambda name: name in names


def without(*names: str) -> IsWanted:
    """Take all fields of a record but these, which have their defaults."""
    return lambda name: name not in names


def with_records(command: Callable[..., Ended]) -> Callable[..., Ended]:
    """Expand the records among a command's parameters into one parameter for each field.

    Every command also takes ``--all``: see `argue_eval.cli.console.Listing`.
    """
    records: dict[str, tuple[Any, list[str]]] = {}
    found = signature(command, eval_str=True).parameters
    expanded: dict[str, Parameter] = {}
    for name, parameter in found.items():
        hint = parameter.annotation
        record, *conditions = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        if not hasattr(record, "__dataclass_fields__"):
            expanded[name] = parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY)
            continue
        from dataclasses import MISSING, fields  # which short commands do not need

        wanted = [each for each in fields(record) if all(met(each.name) for met in conditions)]
        records[name] = record, [field.name for field in wanted]
        for field in wanted:
            kind, declared = get_args(field.type)
            declared = copy(declared)
            declared.rich_help_panel = declared.rich_help_panel or getattr(record, "HEADING", None)
            default = field.default if field.default_factory is MISSING else field.default_factory()
            expanded[field.name] = Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if default is MISSING else default,
                annotation=Annotated[kind, declared],
            )
    show_all = Parameter("show_all", Parameter.KEYWORD_ONLY, default=False, annotation=_ShowAll)
    expanded.setdefault("show_all", show_all)

    def call(**values: Any) -> Ended:
        for name, (record, names) in records.items():
            values[name] = record(**{each: values[each] for each in names})
        return command(**{name: values[name] for name in found})

    call.__name__, call.__doc__ = command.__name__, command.__doc__
    call.__signature__ = Signature(list(expanded.values()))  # type: ignore[attr-defined]
    call.__annotations__ = {name: each.annotation for name, each in expanded.items()}
    return call


# --- help pages -----------------------------------------------------------------------------------

_OTHER = "Options"
_TyperUsageError: Any = typer.BadParameter.__mro__[1]
"""What Typer raises for a wrong command line; it has moved between packages."""


class Command(TyperCommand):
    """A command whose help has its options under headings.

    Attributes:
        has_arguments: whether there is anything behind its name.
    """

    has_arguments = True

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options of each heading."""
        for heading, params in self._by_heading(ctx).items():
            with formatter.section(heading):
                formatter.write_dl([param.get_help_record(ctx) for param in params])

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Write required arguments without the braces of Typer."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; suggest what may be meant by options that do not exist.

        An option that takes one value and is given two is refused: the parsers of Typer keep the
        last, and what the first named would be left out without a word. So is an empty text, which
        an unset variable of the shell leaves, and which would count as no option at all.
        """
        self.has_arguments = bool(args)
        try:
            if args and not ctx.resilient_parsing:
                parser: Any = self.make_parser(ctx)
                values, _, order = parser.parse_args(args=[*args])
                for param in order:
                    given = values[param.name]
                    if given == "" or (isinstance(given, (list, tuple)) and "" in given):
                        name = param.metavar if param.param_type_name == "argument" else ""
                        message = "expected a value, found an empty text; is a variable not set?"
                        raise UsageError(f"{name or max(param.opts, key=len)}: {message}")
                    takes_one = param.param_type_name == "option" and not param.multiple
                    if takes_one and not param.is_flag and order.count(param) > 1:
                        name = max(param.opts, key=len)
                        number = order.count(param)
                        raise UsageError(f"{name} takes one value, and is given {number}")
            return super().parse_args(ctx, args)
        except _TyperUsageError as exc:
            has = {name for param in self.get_params(ctx) for name in param.opts}
            name = getattr(exc, "option_name", "")
            if name and hasattr(exc, "possibilities"):
                from argue_eval.cli import advice

                exc.message = f"{exc.message}.{advice.of_option(name, has)}"
                exc.possibilities = None
            elif "unexpected extra argument" in str(exc) and "--output" in has:
                exc.message = f"{exc.message}. Name the file to write with -o."
            raise

    def _by_heading(self, ctx: Any) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {heading: [] for heading in (*HEADINGS, _OTHER)}
        for param in self.get_params(ctx):
            usual = HEADINGS[0] if param.param_type_name == "argument" else _OTHER
            heading = getattr(param, "rich_help_panel", None) or usual
            if param.get_help_record(ctx) is not None:
                found[heading].append(param)
        return {heading: params for heading, params in found.items() if params}


class BriefCommand(Command):
    """A command with so many options that, without arguments, it shows the common ones only."""

    COMMON = frozenset(
        ("paths", "requests", "collection", "judgments", "judge", "support_judge", "store",
         "max_cost", "measure", "protocol", "reading", "per_topic", "format_", "output", "dry_run",
         "as_json")
    )  # fmt: skip

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write one line for each common option; or everything, for ``--help``."""
        if self.has_arguments:
            super().format_help(ctx, formatter)
            return
        self.format_usage(ctx, formatter)
        formatter.write(f"{self.get_short_help_str(formatter.width)}\n\n")
        shown = {
            heading: [param.get_help_record(ctx) for param in params if param.name in self.COMMON]
            for heading, params in self._by_heading(ctx).items()
        }
        width = max(len(names) for records in shown.values() for names, _ in records)
        for heading, records in shown.items():
            if records:
                formatter.write(f"{heading}:\n")
            for names, text in records:
                summary = text.split(". ")[0].rstrip(".")
                summary = shorten(summary, formatter.width - width - 4, placeholder=" …")
                formatter.write(f"  {names.ljust(width)}  {summary}\n")
        formatter.write(f"\nAll options: {ctx.command_path} --help\n")


class Group(TyperGroup):
    """A group of commands that says what may be meant by a name that is none of theirs."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was called."""
        name = args[0]
        try:
            return super().resolve_command(ctx, args)
        except _TyperUsageError as exc:
            from argue_eval.cli import advice

            meant = advice.of_command(ctx.command_path, name, self.list_commands(ctx))
            exc.message = f"No such command {name!r}.{meant}"
            raise


def command(app: Any, name: str) -> Callable[[Callable[..., Ended]], Callable[..., Ended]]:
    """Add a function that takes records to a group as the command `name`."""

    def add(function: Callable[..., Ended]) -> Callable[..., Ended]:
        summary, _, _ = (function.__doc__ or "").partition("\n\n")  # Typer would cut it to a line
        short = " ".join(summary.split())
        add_to = app.command(name, cls=Command, no_args_is_help=True, short_help=short)
        add_to(with_records(function))
        return function

    return add


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

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for heading, commands in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, summary) for name, (_, summary) in commands.items()])


# --- the application ------------------------------------------------------------------------------


def _main(
    ctx: typer.Context,
    version: Annotated[bool, param("-V, --version", "Print the version and stop.")] = False,
) -> None:
    """Evaluate machine-generated reports with citations, as TREC tracks do.

    Start with: argue-eval score runs/careful.jsonl qrels/example.json

    Exit codes: 0 ok, 1 errors in the input, 2 wrong usage, 3 a file or an optional package is
    missing, 4 units were left unjudged; 130 interrupted, 143 terminated, 141 nobody reads the
    output any more.
    """
    if version:
        typer.echo(f"argue-eval {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        ctx.fail("Missing command.")


app = typer.Typer(
    name="argue-eval",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.callback(invoke_without_command=True)(_main)


class StoppedError(BaseException):
    """A signal came. It is no KeyboardInterrupt, which ends Python with a signal of its own."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let signals stop a command in a way that leaves no temporary file.

    Raises:
        StoppedError: a signal came.
    """
    process = os.getpid()

    def stop(number: int, frame: object) -> None:
        if os.getpid() != process:  # a child of it, which has nothing to tidy up yet
            os._exit(128 + number)
        raise StoppedError(number)

    def stop_again(ignored: sys.UnraisableHookArgs) -> None:
        """Python drops what is raised in some callbacks, such as when an import has ended."""
        if isinstance(ignored.exc_value, StoppedError):
            number = ignored.exc_value.number
            main = threading.main_thread().ident or 0
            threading.Timer(0.01, lambda: signal.pthread_kill(main, number)).start()
        else:
            before_hook(ignored)

    before: dict[int, Any] = {}
    before_hook, sys.unraisablehook = sys.unraisablehook, stop_again
    try:
        if threading.current_thread() is threading.main_thread():  # signals are its alone
            for name in ("SIGINT", "SIGTERM", "SIGHUP"):
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                    before[number] = signal.signal(number, stop)
        yield
    finally:
        sys.unraisablehook = before_hook
        for number, handler in before.items():
            signal.signal(number, handler)


def _reason_of(exc: Exception) -> ArgueEvalError | None:
    """The error for an exception of a plug-in or of the operating system; None for a fault here."""
    from argue_eval import _registry

    if _registry.place_of(exc):
        return _registry.failure(exc)
    if not isinstance(exc, OSError):
        return None
    with suppress(console.OutputClosedError):
        try:
            console.write([])  # what is left of a help text, say
        except MissingResourceError as lost:
            return lost
    is_full = exc.errno in (EDQUOT, EFBIG, ENOSPC)  # of a help text that was not buffered, say
    what = "cannot write" if is_full else "a call to the operating system failed"
    return MissingResourceError(f"{exc.filename or what}: {exc.strerror or exc}")


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
    args = [*args[1:], "--help"] if args[:1] == ["help"] else [*args]
    console.listing.is_whole = not {"--all", "--json"}.isdisjoint(args)
    try:
        with _stoppable():
            try:
                code = app(args, prog_name="argue-eval", standalone_mode=False)
            except SystemExit as exc:  # of shell completion, or when nobody reads a help text
                code = exc.code if isinstance(exc.code, int) else EXIT_USAGE
                if isinstance(exc.__context__, BrokenPipeError):
                    code = EXIT_BROKEN_PIPE
            except _TyperUsageError as exc:
                exc.show(shown := StringIO())
                sys.stderr.write(plain(shown.getvalue(), "\n"))
                code = exc.exit_code
            except typer.Abort:  # which Typer makes of an EOFError
                sys.stderr.write("Aborted!\n")
                code = EXIT_INPUT
            except ArgueEvalError as exc:
                console.fail(exc)
                code = exc.exit_code
            except console.OutputClosedError:
                code = EXIT_BROKEN_PIPE
            except Exception as exc:
                if (failed := _reason_of(exc)) is None:
                    raise
                console.fail(failed)
                code = failed.exit_code
        if code != EXIT_SIGNAL + signal.SIGINT:  # which Typer makes of an interrupt
            return code or EXIT_OK
        number = signal.SIGINT.value
    except (StoppedError, KeyboardInterrupt) as exc:
        number = exc.number if isinstance(exc, StoppedError) else signal.SIGINT.value
    what = "interrupted" if number == signal.SIGINT else "terminated"
    sys.stderr.write(f"argue-eval: {what}\n")
    return EXIT_SIGNAL + number
