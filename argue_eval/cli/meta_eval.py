"""``argue-eval meta-eval``: judges against assessors."""

from __future__ import annotations

from typing import Annotated

import typer

from argue_eval.cli import options as shared


def meta_eval(
    judgments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="JUDGMENTS...", help="Judgments by the judges to compare: canonical, "
            "Auto-ARGUE's, SummHay's labels, or a store. - is stdin.",
        ),
    ] = None,
    truth: Annotated[
        list[str] | None,
        typer.Option("--truth", metavar="ASSESSMENTS", help="The assessors' judgments. Without it, "
                     "they are looked for in JUDGMENTS. Repeatable."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help="Only this kind of question, such as support. "
                     "Repeatable."),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="NAME", help="Only this judge. Repeatable."),
    ] = None,
    truth_judge: Annotated[
        list[str] | None,
        typer.Option("--truth-judge", metavar="NAME", help="Who is right, if not the assessors. "
                     "Repeatable: the first who answered counts."),
    ] = None,
    qrels: Annotated[
        str | None,
        typer.Option("--qrels", metavar="QRELS", help="The nuggets, which Auto-ARGUE's judgments "
                     "name by their texts."),
    ] = None,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="RUN", help="A run that was judged: tells which system a "
                     "sentence is from, and its text if it is named by place. Repeatable."),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option("--scores", metavar="FILE|DIR", help="The systems' scores by the judge: a "
                     "file of trec_eval, ir_measures, Auto-ARGUE or argue-eval, or the folder of "
                     "score -o. Repeatable."),
    ] = None,
    truth_scores: Annotated[
        list[str] | None,
        typer.Option("--truth-scores", metavar="FILE|DIR", help="Their scores by the assessors. "
                     "Repeatable."),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", metavar="NAME[=TRUTH_NAME]", help="Only this measure of "
                     "the score files. Repeatable."),
    ] = None,
    resamples: Annotated[
        int,
        typer.Option("--resamples", metavar="N", help="How often topics are drawn for the "
                     "intervals; 0 for none."),
    ] = 1000,
    format_: Annotated[
        str, typer.Option("--format", metavar="NAME", help="text, json or markdown.")
    ] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="The file to write.")
    ] = "-",
) -> None:  # fmt: skip
    """Compare judges with assessors: agreement, calibration, bias, ranking of systems.

    Example: argue-eval meta-eval lexical.judgments.jsonl --truth qrels/example.judgments.jsonl
    """
    from argue_eval import _registry
    from argue_eval.analysis.agreement import Files, Job, compare
    from argue_eval.cli import console
    from argue_eval.errors import Finding, UsageError
    from argue_eval.formats.jsonl import atomic_writer

    # A file may be on both sides: the judges that are the truth are then compared with the others.
    paths = {*(judgments or []), *(truth or [])}
    shared.check_stdin([*paths, qrels, *(run or []), *(scores or []), *(truth_scores or [])])
    if not 0 <= resamples <= 100_000:
        raise UsageError(f"--resamples: expected a number from 0 to 100000, found {resamples}")
    view = _registry.load("outputs.agreement", "json" if as_json else format_)
    warnings: list[Finding] = []
    progress = console.Progress()
    found = compare(
        Job(
            Files(judgments=judgments or [], truth=truth or [], qrels=qrels, runs=run or []),
            judges=judge or [],
            truth_judges=truth_judge or [],
            kinds=kind or [],
            scores=scores or [],
            truth_scores=truth_scores or [],
            measures=measure or [],
            num_resamples=resamples,
        ),
        warnings,
        progress,
    )
    progress.clear()
    console.warn(warnings)
    if output == "-":
        console.write(view.render(found))
    else:
        with atomic_writer(output) as stream:
            stream.writelines(view.render(found))
