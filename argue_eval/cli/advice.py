"""What to write instead of a command or an option that does not exist."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from argue_eval.errors import did_you_mean, suggested

_COMMANDS = {
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

_OPTIONS = {
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


def of_command(path: str, name: str, names: Sequence[str]) -> str:
    """The advice for a name that is none of a group's commands.

    Args:
        path: how the group is called.
    """
    is_first = " " not in path
    if is_first and os.path.exists(name):  # noqa: PTH110  # as trec_eval is called
        return f" To score runs: {path} score RUN... QRELS..."
    meant = [ours for ours, others in _COMMANDS.items() if is_first and name in others.split()]
    return did_you_mean(meant or suggested(name, names)) or f" Commands: {', '.join(names)}"


def of_option(name: str, has: Collection[str]) -> str:
    """The advice for an option that a command does not have, given those that it has."""
    if name in _TAKEN and "--only-answered" in has:
        return f" {_TAKEN[name][0].upper()}{_TAKEN[name][1:]}."
    habits = [ours for ours, others in _OPTIONS.items() if name in others.split()]
    known = [ours for ours in habits if ours.split()[0] in has]
    return did_you_mean(known[:1] or suggested(name, sorted(has)))
