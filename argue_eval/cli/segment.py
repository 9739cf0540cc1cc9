"""``argue-eval segment``: texts with citations in brackets, to a run sentence by sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from argue_eval.cli import options as shared

if TYPE_CHECKING:
    from argue_eval.formats.segmenting import Segmented

_PLACES = "Where a citation between two sentences stands: after its sentence, or before it."
_LANGUAGE = "The language of the texts, such as zh. Default: guessed from each text."
_REFERENCES = "Document ids by number: JSON, or lines '1 doc-id' or 'topic 1 doc-id'."


def segment(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SRC...", help="Plain text or Markdown, a topic each. - is stdin."),
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="The run. - is stdout.")
    ] = "-",
    run_id: Annotated[
        str | None,
        typer.Option("--run-id", metavar="ID", help="Default: the name of the output file."),
    ] = None,
    team_id: Annotated[str, typer.Option("--team-id", metavar="ID")] = "",
    topic: Annotated[
        str | None,
        typer.Option("--topic", metavar="ID", help="The topic. Default: the name of its file."),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="CODE", help=_LANGUAGE)
    ] = None,
    references: Annotated[
        str | None, typer.Option("--references", metavar="FILE", help=_REFERENCES)
    ] = None,
    citations: Annotated[
        str, typer.Option("--citations", metavar="after|before", help=_PLACES)
    ] = "after",
    no_headings: Annotated[
        bool, typer.Option("--no-headings", help="Leave headings out; they are segments else.")
    ] = False,
) -> None:
    """Turn texts with citations in brackets into a run, sentence by sentence.

    [1], [D12], [1, 3], [1-3] and [^1] become document ids by the text's reference list.

    Example: argue-eval segment reports/*.md --run-id my-run --team-id my-team -o run.jsonl
    """
    from argue_eval.cli import console
    from argue_eval.formats.segmenting import TextOptions, segment_files

    shared.check_stdin([*sources, references])
    options = TextOptions(language, citations, not no_headings)
    run_id = run_id or _name(output)
    segmented = segment_files(
        sources, run_id, options, team_id=team_id, topic_id=topic, references=references
    )
    _write(segmented, output)
    console.warn(segmented.warnings)
    console.note(segmented.summary)


def _name(output: str) -> str:
    from pathlib import Path

    return "run" if output == "-" else Path(output).name.split(".")[0] or "run"


def _write(segmented: Segmented, output: str) -> None:
    from io import StringIO

    from argue_eval import formats
    from argue_eval.cli import console
    from argue_eval.formats.jsonl import atomic_writer

    if output == "-":
        lines = StringIO()
        formats.write_run(segmented.reports, lines)
        console.write([lines.getvalue()])
        console.flush()
        return
    with atomic_writer(output) as stream:
        formats.write_run(segmented.reports, stream)
