"""Commands: their options, declared once in records, and their help pages.

A record is a dataclass whose fields are annotated options; its HEADING is where the help shows
those that name none. A command names the records that it takes, whole or in part, and is called
with them; Typer sees their fields as single parameters (`with_records`)::

    def explain(paths: Paths, scoring: Annotated[Scoring, only("reading", "citations")]) -> None:

Modules that declare records do not postpone annotations: a field's type is read as it stands.

Help pages are plain text: options under headings, and one screen for a command without arguments.
Typer has headings only with Rich, whose import triples the time of ``--help``.
"""

from collections.abc import Callable, Iterable
from copy import copy
from inspect import Parameter, Signature, signature
from textwrap import shorten
from typing import Annotated, Any, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from argue_eval.errors import UsageError, did_you_mean, suggested

ARGUMENTS, INPUT, HAYSTACK, QUESTIONS, JUDGES, MODELS, SCORING, OUTPUT = HEADINGS = (
    "Arguments", "Input", "Haystack", "Questions", "Judges", "Models", "Scoring", "Output"
)  # fmt: skip
"""The headings of a help page, in their order."""

IsWanted = Callable[[str], bool]


def option(declaration: str, text: str, heading: str | None = None, **more: Any) -> Any:
    """Declare an option as its help shows it, such as ``-o, --output FILE``."""
    words = declaration.replace(",", "").split()
    names = [word for word in words if word.startswith("-")]
    metavar = words[-1] if len(names) < len(words) else None
    return typer.Option(*names, metavar=metavar, help=text, rich_help_panel=heading, **more)


def argument(metavar: str, text: str, heading: str | None = None) -> Any:
    """Declare an argument."""
    return typer.Argument(metavar=metavar, help=text, rich_help_panel=heading)


ShowAll = Annotated[bool, option("--all", "Show all findings, not one screen.")]
Strict = Annotated[bool, option("--strict", "Turn warnings into errors.")]


def only(*names: str) -> IsWanted:
    """Take these fields of a record; the others have their defaults."""
    return lambda name: name in names


def without(*names: str) -> IsWanted:
    """Take all fields of a record but these, which have their defaults."""
    return lambda name: name not in names


def with_records(command: Callable[..., None]) -> Callable[..., None]:
    """Expand the records among a command's parameters into one parameter for each field."""
    records: dict[str, tuple[Any, list[str]]] = {}
    parameters: list[Parameter] = []
    for name, parameter in signature(command, eval_str=True).parameters.items():
        hint = parameter.annotation
        record, *conditions = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        if not hasattr(record, "__dataclass_fields__"):
            parameters.append(parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY))
            continue
        from dataclasses import MISSING, fields  # which short commands do not need

        wanted = [each for each in fields(record) if all(met(each.name) for met in conditions)]
        records[name] = record, [field.name for field in wanted]
        for field in wanted:
            kind, declared = get_args(field.type)
            declared = copy(declared)
            declared.rich_help_panel = declared.rich_help_panel or getattr(record, "HEADING", None)
            default = field.default if field.default_factory is MISSING else field.default_factory()
            expanded = Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if default is MISSING else default,
                annotation=Annotated[kind, declared],
            )
            parameters.append(expanded)
    if not records:
        return command

    def call(**values: Any) -> None:
        for name, (record, names) in records.items():
            values[name] = record(**{each: values.pop(each) for each in names})
        command(**values)

    call.__name__, call.__doc__ = command.__name__, command.__doc__
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


def check_files(inputs: Iterable[str | None], **outputs: str | None) -> None:
    """Check what a command reads and writes: standard input can be read only once, and no output
    may be the file of an input, or of another output.

    Args:
        outputs: the values of options by their names; ``o`` is that of ``-o``.

    Raises:
        UsageError: the command line says otherwise.
    """
    paths = list(inputs)
    if paths.count("-") > 1:
        raise UsageError("only one input can be standard input (-)")
    if outputs:
        from argue_eval.formats.jsonl import check_outputs

        named = [("-o" if name == "o" else f"--{name.replace('_', '-')}", path)
                 for name, path in outputs.items()]  # fmt: skip
        check_outputs(named, paths)


def check_page(path: str) -> None:
    """Check that a page for the browser is named as one.

    Raises:
        UsageError: it is not.
    """
    if path != "-" and not path.casefold().endswith(_PAGES):
        raise UsageError(f"{path}: what is written is a page: name it FILE.html")


def check_json(path: str | None) -> None:
    """Check that a file of JSON is not named as a page or a table.

    Raises:
        UsageError: it is.
    """
    if path is not None and path.casefold().removesuffix(".gz").endswith(_NOT_JSON):
        raise UsageError(f"{path}: what is written is JSON: name it FILE.json or FILE.jsonl")


_PAGES = (".html", ".htm")
_NOT_JSON = (*_PAGES, ".csv", ".tsv", ".xlsx", ".ods")


# --- help pages -----------------------------------------------------------------------------------

_OTHER = "Options"
_TyperUsageError: Any = typer.BadParameter.__mro__[1]
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
    """A command whose help has its options under headings, and which takes ``--all``.

    Attributes:
        has_arguments: whether there is anything behind its name.
    """

    has_arguments = True

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
        """Parse the arguments; suggest what may be meant by options that do not exist.

        An option that takes one value and is given two is refused: the parsers of Typer keep the
        last, and what the first named would be left out without a word.
        """
        self.has_arguments = bool(args)
        try:
            if args and not ctx.resilient_parsing:
                parser: Any = self.make_parser(ctx)
                *_, order = parser.parse_args(args=[*args])
                for param in order:
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
        name = args[0]
        try:
            return super().resolve_command(ctx, args)
        except _TyperUsageError as exc:
            exc.message = f"No such command {name!r}.{self.advice(ctx, name)}"
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


def command(app: Any, name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a function that takes records to a group as the command `name`."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        summary, _, _ = (function.__doc__ or "").partition("\n\n")  # Typer would cut it to a line
        short = " ".join(summary.split())
        add_to = app.command(name, cls=Command, no_args_is_help=True, short_help=short)
        add_to(with_records(function))
        return function

    return add
