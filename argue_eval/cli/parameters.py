"""Options of commands, declared once in records.

A record is a dataclass whose fields are annotated options; its HEADING is where the help shows
those that name none. A command names the records that it takes, whole or in part, and is called
with them; Typer sees their fields as single parameters::

    @with_records
    def explain(paths: Paths, scoring: Annotated[Scoring, only("reading", "citations")]) -> None:

Modules that declare records do not postpone annotations: a field's type is read as it stands.
"""

from collections.abc import Callable, Iterable
from copy import copy
from inspect import Parameter, Signature, signature
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import typer

from argue_eval.errors import UsageError

if TYPE_CHECKING:
    from dataclasses import Field

ARGUMENTS, INPUT, HAYSTACK, JUDGES, MODELS, SCORING, OUTPUT = HEADINGS = (
    "Arguments", "Input", "Haystack", "Judges", "Models", "Scoring", "Output"
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
    from dataclasses import fields, is_dataclass

    records: dict[str, tuple[Any, list[str]]] = {}
    parameters: list[Parameter] = []
    # Not get_type_hints: where the default is None, Python 3.10 hides the options in an Optional.
    for name, parameter in signature(command, eval_str=True).parameters.items():
        hint = parameter.annotation
        kind, *conditions = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        if not is_dataclass(kind):
            parameters.append(parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY))
            continue
        wanted = [each for each in fields(kind) if all(met(each.name) for met in conditions)]
        records[name] = kind, [field.name for field in wanted]
        heading = getattr(kind, "HEADING", None)
        parameters.extend(_parameter(field, heading) for field in wanted)

    def call(**values: Any) -> None:
        for name, (kind, names) in records.items():
            values[name] = kind(**{each: values.pop(each) for each in names})
        command(**values)

    call.__name__, call.__doc__ = command.__name__, command.__doc__
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


def _parameter(field: "Field[Any]", heading: str | None) -> Parameter:
    from dataclasses import MISSING

    default = field.default if field.default_factory is MISSING else field.default_factory()
    kind, declared = get_args(field.type)
    if declared.rich_help_panel is None:
        declared = copy(declared)
        declared.rich_help_panel = heading
    return Parameter(
        field.name,
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if default is MISSING else default,
        annotation=Annotated[kind, declared],
    )


def finite(param: typer.CallbackParam, value: float | None) -> float | None:
    """Refuse nan and inf, which a range of numbers lets pass.

    Raises:
        UsageError: the value of an option is one of them.
    """
    if value is not None and not isfinite(value):
        raise UsageError(f"{param.opts[0]}: expected a number, found {value}")
    return value


def check_files(inputs: Iterable[str | None], **outputs: str | None) -> None:
    """Check what a command reads and writes: standard input can be read only once, and no output
    may be the file of an input, or of another output.

    Args:
        outputs: the values of options by their names; ``o`` is that of ``-o``.

    Raises:
        UsageError: the command line says otherwise.
    """
    from argue_eval.formats.jsonl import check_outputs

    paths = list(inputs)
    if paths.count("-") > 1:
        raise UsageError("only one input can be standard input (-)")
    named = [("-o" if name == "o" else f"--{name.replace('_', '-')}", path)
             for name, path in outputs.items()]  # fmt: skip
    check_outputs(named, paths)
