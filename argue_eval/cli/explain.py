"""``argue-eval explain``: a measure, the rules of a track, or the outcome of one sentence."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated

from argue_eval.cli import console
from argue_eval.cli import options as shared
from argue_eval.cli.app import ARGUMENTS, SCORING, only, param
from argue_eval.errors import UsageError, did_you_mean, suggested


def explain(
    what: Annotated[str, param(
        "NAME|outcome", "A measure, a family of measures, a track, the code of a finding; or "
        "outcome.")],
    inputs: Annotated[shared.Inputs, only("requests", "collection", "judgments")],
    judging: Annotated[shared.Judging, only("judge", *shared.CALIBRATING)],
    scoring: Annotated[shared.Scoring, only("protocol", "reading", "citations", "attestation")],
    paths: Annotated[list[str] | None, param(
        "[RUN QRELS]", "With outcome: the files.", ARGUMENTS)] = None,
    topic: Annotated[str | None, param("--topic ID", "With outcome: the topic.", SCORING)] = None,
    sentence: Annotated[int | None, param(
        "--sentence N", "With outcome: the sentence, counted from 0.", SCORING)] = None,
) -> None:  # fmt: skip
    """Explain a measure, a track, the code of a finding, or why a sentence got its outcome.

    Example: argue-eval explain nugget_recall

    Example: argue-eval explain ragtime26

    Example: argue-eval explain docid_pattern

    Example: argue-eval explain outcome runs/careful.jsonl qrels/example.json --topic ex1
    --sentence 2 --collection collection/example.jsonl
    """
    if what == "track":
        console.show(_track_lines(paths or []))
        return
    if what != "outcome":
        if paths:
            raise UsageError(f"explain {what} takes no files; explain outcome RUN QRELS does")
        console.show(_page(what))
        return
    from argue_eval.cli.judging import note_reasons
    from argue_eval.evaluation.pipeline import evaluate

    if topic is None or sentence is None:
        raise UsageError("explain outcome needs --topic ID and --sentence N")
    job = shared.job_of_one_run("explain outcome", paths or [], inputs, judging, scoring)
    with console.following() as (_, progress):
        (scores,) = evaluate(job, [], progress)
    explained = scores.explain(topic, sentence)
    console.show(explained.splitlines())
    if "unjudged" in explained and scores.open_reasons:
        console.note("questions of the run without an answer:")
        note_reasons(scores.open_reasons)


def _track_lines(names: list[str]) -> Iterator[str]:
    from argue_eval.report import tracks as pages
    from argue_eval.validation import tracks

    if len(names) != 1:
        raise UsageError(f"explain track takes one name: {', '.join(tracks.names())}; or a file")
    name = names[0]
    return pages.rules(tracks.load_file(name) if name.endswith(".toml") else tracks.load(name))


def _page(name: str) -> Iterator[str]:
    from argue_eval import _registry, measures
    from argue_eval.report import codes

    if name in measures.COUNTS:
        yield f"{name}: {measures.COUNTS[name]}"
        return
    pages: dict[str, Callable[[], Iterator[str]]] = {
        **{each: partial(_track_lines, [each]) for each in _registry.all_names("tracks")},
        **{each: partial(codes.page, each) for each in codes.names()},
    }
    try:
        yield from _measure_lines(name)
    except UsageError:
        described = list(_described(name))
        if described:
            yield from described
            return
        listed = [each.name for family in measures.load_families() for each in family.measures]
        meant = suggested(name, [*listed, *measures.COUNTS, *pages])
        if name not in pages and set(meant) <= set(listed):
            raise
        if name not in pages:
            raise UsageError(f"nothing has the name {name!r}.{did_you_mean(meant)}") from None
    if name in pages:
        yield from pages[name]()


def _described(name: str) -> Iterator[str]:
    """Yield what plug-ins of a name are that `argue-eval list` shows."""
    from argue_eval import _registry

    for what in ("judge", "protocol", "client"):
        if name.replace("-", "_") in _registry.files_of(f"{what}s"):
            yield f"{name} ({what}): {_registry.describe(f'{what}s', name.replace('-', '_'))}"


def _measure_lines(name: str) -> Iterator[str]:
    from argue_eval import measures

    families = measures.load_families() if name == "all" else measures.select([name])
    found = [(family, each) for family in families for each in family.measures]
    for number, (family, measure) in enumerate(found):
        if number:
            yield ""
        yield f"{measure.name} ({family.name})"
        explained = measure.explanation
        for head, text in (
            ("rewards", explained.rewards),
            ("numerator", explained.numerator),
            ("denominator", explained.denominator),
            ("nothing to measure", explained.empty),
            ("average", measure.average.value),
            ("example", explained.example),
            ("source", explained.source),
        ):
            start, indent = f"  {head:<19} ", " " * 22
            yield from textwrap.wrap(text, 96, initial_indent=start, subsequent_indent=indent)
