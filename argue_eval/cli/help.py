"""Help pages in plain text: options under headings, and one screen for a command without arguments.

Typer has headings only with Rich, whose import triples the time of ``--help``.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import shorten
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from argue_eval.cli.parameters import HEADINGS, with_records
from argue_eval.errors import did_you_mean, suggested

_OTHER = "Options"
_UsageError: Any = typer.BadParameter.__mro__[1]
"""What Typer raises for a wrong command line; it has moved between packages."""

_HABITS = {
    "--requests": "--topics --queries --request --topic-file --requests-file",
    "--collection": "--collections --documents --docs --corpus",
    "--judgments": "--judgment --judgements --assessments --labels",
    "--judge": "--model --judges --llm",
    "--truth": "--assessor --gold --judgments",
    "--measure": "--measures --metric --metrics",
    "--per-topic": "--per-query --all-topics --query",
    "--output": "--out --out-dir --outdir --output-dir --output-file",
    "--form": "--from --format --source-format --input-format",
    "--store": "-o --output --cache",
    "--format json": "--json",
    "--format csv": "--csv",
    "--format markdown": "--markdown",
    "--json > FILE": "-o --output --out",
}
"""Options of ours, and what other tools call them."""

_TAKEN = {
    "--qrels": "the nuggets are named last, without an option",
    "--track": "the rules of a track are checked by argue-eval validate RUN --track NAME",
    "-c": "topics without a report count as 0, unless --only-answered",
}
"""Why there is no such option."""


class Command(TyperCommand):
    """A command whose help has its options under headings, and which takes ``--all``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not any("--all" in param.opts for param in self.params):
            about = "List all findings, not one screen."
            flag = TyperOption(param_decls=["--all"], is_flag=True, expose_value=False, help=about)
            self.params.append(flag)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options of each heading."""
        for heading, params in self._by_heading(ctx).items():
            with formatter.section(heading):
                formatter.write_dl([param.get_help_record(ctx) for param in params])

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Write required arguments without the braces of Typer."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; suggest what may be meant by options that do not exist."""
        try:
            return super().parse_args(ctx, args)
        except _UsageError as exc:
            has = {name for param in self.get_params(ctx) for name in param.opts}
            name = getattr(exc, "option_name", "")
            if name and hasattr(exc, "possibilities"):
                exc.message, exc.possibilities = f"{exc.message}.{_advice(name, has)}", None
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


def _advice(name: str, has: set[str]) -> str:
    """What to write for an option that a command does not have, given those that it has."""
    if name in _TAKEN and "--only-answered" in has:
        return f" {_TAKEN[name][0].upper()}{_TAKEN[name][1:]}."
    habits = [ours for ours, others in _HABITS.items() if name in others.split()]
    known = [ours for ours in habits if ours.split()[0] in has]
    return did_you_mean(known[:1] or suggested(name, sorted(has)))


class Group(TyperGroup):
    """A group of commands that lists them where a name is none of theirs."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was called."""
        try:
            return super().resolve_command(ctx, args)
        except _UsageError as exc:
            exc.message = f"No such command {args[0]!r}.{self.advice(ctx, args[0])}"
            raise

    def advice(self, ctx: Any, name: str) -> str:
        """What to write for a command that does not exist."""
        names = self.list_commands(ctx)
        return did_you_mean(suggested(name, names)) or f" Commands: {', '.join(names)}"


class BriefCommand(Command):
    """A command with so many options that, without arguments, it shows the common ones only."""

    COMMON = frozenset(
        ("paths", "requests", "collection", "judgments", "judge", "support_judge", "store",
         "max_cost", "measure", "protocol", "reading", "per_topic", "format_", "output", "dry_run",
         "as_json")
    )  # fmt: skip

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Show one screen of help if there are no arguments."""
        self._is_brief = not args
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write one line for each common option; or everything, for ``--help``."""
        if not getattr(self, "_is_brief", False):
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


def command(app: Any, name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a function that takes records to a group as the command `name`."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        summary, _, _ = (function.__doc__ or "").partition("\n\n")  # Typer would cut it to a line
        short = " ".join(summary.split())
        add_to = app.command(name, cls=Command, no_args_is_help=True, short_help=short)
        add_to(with_records(function))
        return function

    return add
