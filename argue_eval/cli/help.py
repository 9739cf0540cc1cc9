"""Help pages in plain text: options under headings, and one screen for a command without arguments.

Typer has headings only with Rich, whose import triples the time of ``--help``.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import shorten
from typing import Any

from typer.core import TyperCommand, TyperOption

from argue_eval.cli.parameters import HEADINGS, with_records

_OTHER = "Options"


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
        app.command(name, cls=Command, no_args_is_help=True)(with_records(function))
        return function

    return add
