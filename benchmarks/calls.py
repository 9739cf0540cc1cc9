"""What language models are asked: calls and prompt tokens, a real run against its own bank.

Nobody is asked anything: calls are put together as the judge does, and their prompts measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os.path import commonprefix

from argue_eval import formats
from argue_eval.evaluation.pipeline import without_garbage_collection
from argue_eval.judges import Settings, Workload
from argue_eval.judges.llm.calls import calls_of
from argue_eval.judges.llm.judge import LlmJudge, create
from argue_eval.measures.protocols import Asking
from argue_eval.records import SENTENCE_KINDS, Document, Kind, Question, Report, Topic
from argue_eval.text.passages import num_tokens
from benchmarks.measuring import DATA, REPOSITORY, is_at_hand, print_table, print_title, verdict

FOLDER = DATA / "ragtime26"
SINGLE_CALLS, GATED_CALLS = 101_931, 7_550
"""One call per sentence and nugget answer: all answers of the topic, and those only that a cited
document attests."""

SINGLE_TOKENS = 59_000_000
UNGATED_SHARE, GATED_SHARE, TOKEN_SHARE = 1 / 30, 1 / 2.5, 1 / 10


def main() -> None:
    """Counts and prints."""
    if is_at_hand("calls", FOLDER):
        print_title("calls: what a language model is asked, RAGTIME 2026 run 1 against its bank")
        with without_garbage_collection():
            _count()


def _count() -> None:
    reports = list(formats.read_run(str(FOLDER / "T1_run_1.jsonl")))
    nuggets = formats.read_nuggets(str(FOLDER / "T3_run_1.jsonl"))
    requests = formats.read_topics(str(FOLDER / "topics_small.jsonl"))
    nuggets_of = {each.topic_id: each.nuggets for each in nuggets}
    request_of = {each.topic_id: each for each in requests}
    askings = []
    for report in reports:
        found, request = nuggets_of.get(report.topic_id, ()), request_of.get(report.topic_id)
        topic = Topic(report.topic_id, nuggets=found, request=request)
        askings.append(Asking(topic, report._replace(documents=_named(report))))
    ungated = list(_about_nuggets(askings, is_gated=False))
    gated = list(_about_nuggets(askings, is_gated=True))
    batched, single = create("m"), create("m", (), Settings(prompting="single"))
    loads = {
        "nuggets, not gated": _both(batched, single, ungated),
        "nuggets, gated by the cited documents": _both(batched, single, gated),
        "support, calls only": _both(batched, single, list(_about_support(askings))),
        "sentences without citation": _both(batched, single, list(_about_sentences(askings))),
        "support, example track": _both(batched, single, list(_about_support(_example()))),
    }
    _print(loads)
    few, one = loads["nuggets, not gated"]
    new = _new_tokens(batched, ungated)
    print(
        f"{new / 1e6:.2f} million of the {few.prompt_tokens / 1e6:.2f} do not begin the prompt "
        "before: what a server with prefix caching reads"
    )
    _check("calls, not gated", few.num_calls, SINGLE_CALLS, UNGATED_SHARE)
    few_gated, _ = loads["nuggets, gated by the cited documents"]
    _check("calls, gated", few_gated.num_calls, GATED_CALLS, GATED_SHARE)
    _check("prompt tokens, not gated", few.prompt_tokens, SINGLE_TOKENS, TOKEN_SHARE)
    _check("the same, of our own single prompts", few.prompt_tokens, one.prompt_tokens, TOKEN_SHARE)
    print(
        "\ntokens are a quarter of the UTF-8 bytes; documents have no texts here, so that calls for"
        f"\nsupport are counted with their names as texts, and tokens are not; {len(requests)} of "
        f"{len(reports)} requests are at hand"
    )


def _named(report: Report) -> dict[str, Document]:
    """Documents that say no more than their names, for those that a report cites."""
    cited = (citation.doc_id for each in report.sentences for citation in each.citations)
    return {doc_id: Document(doc_id, text=doc_id) for doc_id in cited}


def _about_nuggets(askings: Iterable[Asking], is_gated: bool) -> Iterator[Question]:
    """Yields one question per sentence and answer that it may give."""
    for asking in askings:
        answers = [
            (nugget.nugget_id, answer)
            for nugget in asking.topic.nuggets
            for answer in nugget.answers
        ]
        for index, sentence in enumerate(asking.report.sentences):
            if not sentence.text.strip():
                continue
            cited = [citation.doc_id for citation in sentence.citations] if is_gated else [""]
            pairs = {
                (nugget_id, answer.answer): None
                for doc_id in cited
                for nugget_id, answer in answers
                if not is_gated or doc_id in answer.doc_ids
            }
            for nugget_id, text in pairs:
                yield asking.question(Kind.ANSWERS, index, nugget_id=nugget_id, answer=text)


def _about_support(askings: Iterable[Asking]) -> Iterator[Question]:
    """Yields one question per citation."""
    for asking in askings:
        for index, sentence in enumerate(asking.report.sentences):
            for citation in sentence.citations:
                yield asking.question(Kind.SUPPORT, index, doc_id=citation.doc_id)


def _about_sentences(askings: Iterable[Asking]) -> Iterator[Question]:
    for asking in askings:
        for index, sentence in enumerate(asking.report.sentences):
            if not sentence.citations and sentence.text.strip():
                for kind in SENTENCE_KINDS:
                    yield asking.question(kind, index)


def _example() -> Iterator[Asking]:
    """Yields the reports of the example track's four runs, which has its documents."""
    found = formats.iter_documents(str(REPOSITORY / "collection" / "example.jsonl"))
    documents = {document.doc_id: document for document in found}
    for path in sorted((REPOSITORY / "runs").glob("*.jsonl")):
        for report in formats.read_run(str(path)):
            yield Asking(Topic(report.topic_id, documents=documents), report)


def _both(
    batched: LlmJudge, single: LlmJudge, questions: Sequence[Question]
) -> tuple[Workload, Workload]:
    return batched.workload(questions), single.workload(questions)


def _new_tokens(judge: LlmJudge, questions: Sequence[Question]) -> int:
    """The tokens of all prompts without those with which the prompt before began too."""
    total = 0
    before = ""
    for call in calls_of(questions, judge.settings)[0]:
        prompt = "".join(message.text for message in judge.request(call).messages)
        same = commonprefix([before, prompt])  # noqa: RUF071 (texts are compared, not paths)
        total += num_tokens(prompt[len(same) :])
        before = prompt
    return total


def _print(loads: dict[str, tuple[Workload, Workload]]) -> None:
    rows = []
    for name, (few, one) in loads.items():
        tokens = [f"{load.prompt_tokens / 1e6:.3f}" for load in (few, one)]
        times = f"{one.prompt_tokens / few.prompt_tokens:.1f}" if few.prompt_tokens else "-"
        if name == "support, calls only":
            tokens, times = ["-", "-"], "-"
        rows.append([name, f"{few.num_calls:,}", f"{one.num_calls:,}", *tokens, times])
    head = [
        "what",
        "calls",
        "one question a call",
        "million prompt tokens",
        "one question a call",
        "x fewer",
    ]
    print_table(head, rows)
    print()


def _check(what: str, number: int, of: int, share: float) -> None:
    words = verdict(number <= of * share)
    print(f"{what}: {number:,} is 1/{of / number:.1f} of {of:,}, <= 1/{1 / share:g}: {words}")
