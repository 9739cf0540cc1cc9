"""``argue-eval curate lint``: what to look at in a bank, with fixes.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, Strict, param
from argue_eval.cli.curate.inputs import check_bank, files_of_banks, read_runs
from argue_eval.errors import EXIT_INPUT, EXIT_OK, Finding, Findings, Severity, UsageError, count

if TYPE_CHECKING:
    from argue_eval.curation.lint import Bank
    from argue_eval.records import Run


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Beside:
    """What tells more of a bank than the bank itself."""

    HEADING: ClassVar = INPUT

    runs: Annotated[list[str], param(
        "--run RUN", "Runs, to find documents that many cite and no answer lists. Repeatable.")
    ] = field(default_factory=list)
    judgments: Annotated[list[str], param(
        "--judgments FILE", "Judgments of the runs, to find nuggets that all or none answer. "
        "Repeatable.")] = field(default_factory=list)
    collection: Annotated[list[str], param(
        "--collection FILE|irds:ID", "Documents, to find those that may answer absence nuggets. "
        "Of irds:ID, those that runs cite or answers list. Repeatable.")
    ] = field(default_factory=list)
    # fmt: on


def lint(
    banks: Annotated[list[str], param(
        "BANK...", "Nugget files of any format. - is stdin.", INPUT)],
    beside: Beside,
    strict: Strict = False,
    as_json: Annotated[bool, param("--json", "Print the findings as JSON.")] = False,
) -> int:  # fmt: skip
    """Print what to look at in banks: overlaps, contradictions, gaps. Exit code 1 with --strict.

    Example: argue-eval curate lint qrels/example.json --run runs/careful.jsonl
    --run runs/sparse.jsonl --judgments qrels/example.judgments.jsonl
    """
    console.check_files([*banks, *beside.runs, *beside.judgments, *beside.collection])
    if beside.judgments and not beside.runs:
        raise UsageError("--judgments says what runs answer, and none is named: add --run RUN")
    read = [_read(path) for path in files_of_banks(banks)]
    runs = read_runs(beside.runs) if beside.runs else []
    found = [_checked(each, read, runs, beside) for each in read]
    severity = Severity.ERROR if strict else Severity.WARNING
    findings = [each._replace(severity=severity) for part in found for each in part]
    if as_json:
        console.write_json(_as_object(findings, read))
    else:
        console.show(_as_text(findings, read))
    return EXIT_INPUT if strict and findings else EXIT_OK


def _read(path: str) -> "Bank":
    from argue_eval.curation.lint import Bank
    from argue_eval.formats.reading import read_nuggets

    places: dict[str, str] = {}
    warnings: list[Finding] = []
    topics = read_nuggets(path, None, warnings, places)
    check_bank(topics, path)
    return Bank(path, topics, places, warnings)


def _checked(
    bank: "Bank", banks: "Sequence[Bank]", runs: "Sequence[Run]", beside: Beside
) -> Findings:
    from argue_eval import formats
    from argue_eval.curation import lint as linting
    from argue_eval.evaluation.interface import score
    from argue_eval.measures.rankings import ranking

    others = [topic for each in banks if each is not bank for topic in each.topics]
    findings = linting.lint(bank, others)
    if runs:
        linting.lint_citations(findings, bank.topics, runs)
    if beside.judgments:
        scores = score(runs, bank.topics, judgments=beside.judgments, judge="none")
        console.warn(scores.warnings)
        num_unjudged = linting.lint_scores(findings, bank.topics, scores)
        if num_unjudged:
            told = f"{bank.file}: {count(num_unjudged, 'nugget')} not judged for every run"
            console.note(f"{told}: whether all or none answer them is not known")
    if beside.collection:
        wanted = {doc_id for run in runs for report in run for doc_id in ranking(report)}
        wanted.update(*(topic.doc_ids for topic in bank.topics))
        documents = {
            each.doc_id: each
            for path in beside.collection
            for each in formats.iter_documents(path, wanted if path.startswith("irds:") else None)
        }
        linting.lint_documents(findings, bank.topics, documents)
    return findings


def _as_text(findings: Sequence[Finding], banks: "Sequence[Bank]") -> Iterator[str]:
    from argue_eval.report.findings import text

    yield from text.grouped(findings, console.listing.room(len(banks) + 2))
    for bank in banks:
        own = [each for each in findings if each.file == bank.file]
        num_nuggets = sum(len(topic.nuggets) for topic in bank.topics)
        size = f"{count(len(bank.topics), 'topic')}, {count(num_nuggets, 'nugget')}"
        yield f"{bank.file}: {size}, {count(len(own), 'finding')}\n"


def _as_object(findings: Sequence[Finding], banks: "Sequence[Bank]") -> dict[str, Any]:
    from argue_eval.report.findings.json import as_json

    return {
        "format": "argue-eval/lint/1",
        "banks": [bank.file for bank in banks],
        "findings": [{"file": each.file, **as_json(each)} for each in findings],
    }
