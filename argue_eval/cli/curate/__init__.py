"""``argue-eval curate``: making and keeping test collections. Most modules are a command."""

from __future__ import annotations

from importlib import import_module

import typer

from argue_eval.cli.app import command

_COMMANDS = {
    "questions": "questions:questions",
    "key-points": "key_points:key_points",
    "extract": "extract:extract",
    "claims": "claims:claims",
    "dedupe": "dedupe:dedupe",
    "filter": "filter:filter_",
    "merge": "merge:merge",
    "version": "version:version",
    "diff": "diff:diff",
    "lint": "lint:lint",
    "haystack": "haystack:haystack",
    "retrieve": "retrieve:retrieve",
    "summarize": "summarize:summarize",
    "sheet": "sheet:sheet",
    "collect": "collect:collect",
}
"""In the order of the work: module and function."""

app = typer.Typer(
    help="Make and keep test collections: nugget banks, haystacks, people's assessments.\n\n"
    "Example: argue-eval curate extract topics.jsonl --collection docs.jsonl --model gpt-4o "
    "-o points.json"
)
for _name, _place in _COMMANDS.items():
    _module, _, _function = _place.partition(":")
    command(app, _name)(getattr(import_module(f"argue_eval.cli.curate.{_module}"), _function))
