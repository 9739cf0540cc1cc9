"""``argue-eval curate claims``: what the cited sentences of several runs claim.

Annotations are not postponed here: see `argue_eval.cli.app`.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, MODELS, param
from argue_eval.cli.curate import inputs
from argue_eval.cli.curate.step import NAMED, Models, Work, open_step, write
from argue_eval.errors import EXIT_OK, Findings, count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from argue_eval.curation.claims import Claimed, Support
    from argue_eval.records import Run


# fmt: off
@dataclass(frozen=True, kw_only=True)
class Attesting:
    """What says which documents support a sentence."""

    HEADING: ClassVar = INPUT

    judgments: Annotated[list[str], param(
        "--judgments FILE", "Judgments of support: only documents that support a sentence attest "
        "it. Repeatable.")] = field(default_factory=list)
    collection: Annotated[list[str], param(
        "--collection FILE|irds:ID", "The texts of documents: the judge lexical says which support "
        "a sentence, where --judgments does not. Repeatable.")] = field(default_factory=list)
    # fmt: on

    def read(self, runs: "Sequence[Run]") -> "Support":
        """Read them. Without any, nothing is known of support."""
        from argue_eval import formats
        from argue_eval.curation.claims import Support
        from argue_eval.curation.retrieved import documents_of
        from argue_eval.evaluation.runs import read_known
        from argue_eval.judges.lexical import judge as lexical
        from argue_eval.measures.rankings import ranking

        findings = Findings()
        given = [each.name for each in formats.sources(self.judgments, "judgments")]
        index = read_known(given, [], [], findings)[0] if given else None
        console.warn(findings.listed)
        if not self.collection:
            return Support(index)
        wanted = {doc_id for run in runs for report in run for doc_id in ranking(report)}
        documents = documents_of(self.collection, wanted)
        judge = lexical.create(texts=(each.text for each in documents.values()))
        return Support(index, judge, documents)


def claims(
    runs: Annotated[list[str], param(
        "RUN...", "Run files, plain or gzip, or folders of them. - is stdin.", INPUT)],
    attesting: Attesting,
    models: Models,
    work: Work,
    model: Annotated[str | None, param(
        "--model MODEL", f"Split sentences into claims. Default: a sentence is a claim. {NAMED}",
        MODELS)] = None,
    requests: Annotated[str | None, param(
        "--requests FILE", "Only their topics; and the model is shown them.", INPUT)] = None,
) -> int:  # fmt: skip
    """Make claims of what the cited sentences of runs say, with the documents that attest them.

    The text of a claim does not show whose it is; its key claimed_by does. Group what says the
    same with curate dedupe.

    Example: argue-eval curate claims runs/*.jsonl --requests topics/example.jsonl -o points.json
    """
    from argue_eval.curation import claims as claiming

    work.check([*runs, requests, *attesting.judgments, *attesting.collection, models.prices])
    read = inputs.read_runs(runs)
    reports = (report for run in read for report in run)
    asked = inputs.read_asked(requests, reports, "left out")
    said, found = claiming.said_in(read, asked or None, attesting.read(read))
    if model is None:
        work.without_model()
        write(claiming.by_sentence(said, found).topics, work.output)
        _note(found, len(read))
        return EXIT_OK
    do = partial(claiming.by_model, said, asked, found=found)
    with open_step(model, models, work) as step:
        step.run(do)
        _note(found, len(read))
        return step.finish(found.topics)


def _note(found: "Claimed", num_runs: int) -> None:
    number = sum(len(topic.nuggets) for topic in found.topics)
    console.note(
        f"{count(number, 'claim')} of {count(found.num_sentences, 'cited sentence')} in "
        f"{count(num_runs, 'run')}, with {count(found.num_citations, 'citation')}"
    )
    for what, each in (
        ("document does not support its sentence", found.num_unsupported),
        ("citation is not judged, and attests nothing", found.num_unjudged),
        ("sentence without a document that supports it is left out", found.num_unattested),
        ("claim with a number that its sentence has not is left out", found.num_changed),
    ):
        if each:
            console.note(f"  {each:,} x {what}")
