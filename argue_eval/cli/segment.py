"""``argue-eval segment``: texts with citations in brackets, to a run sentence by sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from argue_eval.cli import console
from argue_eval.cli.app import param


def segment(
    sources: Annotated[list[str], param(
        "SRC...", "Plain text or Markdown, one topic each. - is stdin.")],
    output: Annotated[str, param("-o, --output FILE", "The run. - is stdout.")] = "-",
    run_id: Annotated[str | None, param(
        "--run-id ID", "Default: the name of the output file.")] = None,
    team_id: Annotated[str, param("--team-id ID", "The team that the run names.")] = "",
    topic: Annotated[str | None, param(
        "--topic ID", "The topic. Default: the name of its file.")] = None,
    language: Annotated[str | None, param(
        "--language CODE", "The language of the texts, such as zh. Default: detected for each "
        "text.")] = None,
    references: Annotated[str | None, param(
        "--references FILE", "Document ids by number: JSON, or lines '1 doc-id' or 'topic 1 "
        "doc-id'.")] = None,
    citations: Annotated[str, param(
        "--citations after|before", "Whether a citation between two sentences belongs to the "
        "sentence that it comes after, or before.")] = "after",
    no_headings: Annotated[bool, param(
        "--no-headings", "Leave headings out. By default each becomes a sentence.")] = False,
) -> None:  # fmt: skip
    """Turn texts with citations in brackets into a run, sentence by sentence.

    [1], [D12], [1, 3], [1-3] and [^1] become document ids according to the text's reference list.

    Example: argue-eval segment reports/*.md --run-id my-run --team-id my-team -o run.jsonl
    """
    from argue_eval import formats
    from argue_eval.formats.segmenting import TextOptions, segment_files

    console.check_files([*sources, references], o=output)
    console.check_json(output)
    options = TextOptions(language=language, place=citations, has_headings=not no_headings)
    run_id = run_id or ("run" if output == "-" else Path(output).name.split(".")[0] or "run")
    segmented = segment_files(
        sources, run_id, options, team_id=team_id, topic_id=topic, references=references
    )
    with console.open_output(output) as stream:
        formats.write_run(segmented.reports, stream)
    console.warn(segmented.warnings)
    for line in segmented.summary.splitlines():
        console.note(line)
