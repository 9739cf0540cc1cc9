"""What language models are asked: calls and prompt tokens, a real run against its own bank.

Nobody is asked anything: calls are put together as the judge does, and their prompts measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os.path import commonprefix

from argue_eval import formats
from argue_eval.evaluation.inputs import without_garbage_collection
from argue_eval.evaluation.judging import Texts, ask_of
from argue_eval.judges import Settings, Workload
from argue_eval.judges.llm.judge import LlmJudge, create
from argue_eval.measures.protocols import argue
from argue_eval.records import Ask, Document, Kind, Question, Report
from argue_eval.text.passages import num_tokens
from benchmarks.measuring import REPOSITORY, print_table, print_title, verdict

DATA = REPOSITORY.parent / "shared" / "data" / "ragtime26"
SINGLE_CALLS, GATED_CALLS = 101_931, 7_550
"""One call per sentence and nugget answer: all answers of the topic, and those only that a cited
document attests."""

SINGLE_TOKENS = 59_000_000
UNGATED_SHARE, GATED_SHARE, TOKEN_SHARE = 1 / 30, 1 / 2.5, 1 / 10


def main() -> None:
    """Counts and prints."""
    print_title("calls: what a language model is asked, RAGTIME 2026 run 1 against its bank")
    if not DATA.is_dir():
        print("skipped: the track's files are not at hand")
        return
    with without_garbage_collection():
        _count()


def _count() -> None:
    reports = list(formats.read_run(str(DATA / "T1_run_1.jsonl")))
    nuggets = formats.read_nuggets(str(DATA / "T3_run_1.jsonl"))
    requests = formats.read_topics(str(DATA / "topics_small.jsonl"))
    texts = Texts(
        {each.topic_id: each for each in requests},
        {each.topic_id: {nugget.nugget_id: nugget for nugget in each.nuggets} for each in nuggets},
    )
    topics = {each.topic_id: argue.prepare(each.nuggets) for each in nuggets}
    ungated = list(_nugget_asks(reports, topics, texts, is_gated=False))
    gated = list(_nugget_asks(reports, topics, texts, is_gated=True))
    batched, single = create("m"), create("m", (), Settings(prompting="single"))
    loads = {
        "nuggets, not gated": _both(batched, single, ungated),
        "nuggets, gated by the cited documents": _both(batched, single, gated),
        "support, calls only": _both(batched, single, list(_support_asks(reports, texts))),
        "sentences without citation": _both(batched, single, list(_sentence_asks(reports, texts))),
        "support, example track": _both(batched, single, list(_example_support_asks())),
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


def _nugget_asks(
    reports: Sequence[Report], topics: dict[str, argue.Topic], texts: Texts, is_gated: bool
) -> Iterator[Ask]:
    """Yields one ask per sentence and answer that it may give."""
    for report in reports:
        topic = topics.get(report.topic_id)
        for index, sentence in enumerate(report.sentences):
            if topic is None or not sentence.text.strip():
                continue
            pairs: dict[argue.Pair, None] = dict.fromkeys(topic.pairs)
            if is_gated:
                cited = (citation.doc_id for citation in sentence.citations)
                pairs = {pair: None for each in cited for pair in topic.attested.get(each, ())}
            for nugget_id, answer in pairs:
                yield ask_of(report, Question(Kind.ANSWERS, index, "", nugget_id, answer), texts)


def _support_asks(reports: Sequence[Report], texts: Texts) -> Iterator[Ask]:
    """Yields one ask per citation, of documents that say no more than their names."""
    for report in reports:
        for index, sentence in enumerate(report.sentences):
            for citation in sentence.citations:
                question = Question(Kind.SUPPORT, index, citation.doc_id)
                named = Document(citation.doc_id, text=citation.doc_id)
                yield ask_of(report, question, texts)._replace(document=named)


def _example_support_asks() -> Iterator[Ask]:
    """Yields one ask per citation of the example track's four runs, which has its documents."""
    found = formats.read_documents(str(REPOSITORY / "collection" / "example.jsonl"))
    texts = Texts(documents={document.doc_id: document for document in found})
    for path in sorted((REPOSITORY / "runs").glob("*.jsonl")):
        for report in formats.read_run(str(path)):
            for index, sentence in enumerate(report.sentences):
                for citation in sentence.citations:
                    yield ask_of(report, Question(Kind.SUPPORT, index, citation.doc_id), texts)


def _sentence_asks(reports: Sequence[Report], texts: Texts) -> Iterator[Ask]:
    for report in reports:
        for index, sentence in enumerate(report.sentences):
            if not sentence.citations and sentence.text.strip():
                for kind in (Kind.NEGATIVE, Kind.REQUIRES_CITATION, Kind.FIRST_INSTANCE):
                    yield ask_of(report, Question(kind, index), texts)


def _both(batched: LlmJudge, single: LlmJudge, asks: Sequence[Ask]) -> tuple[Workload, Workload]:
    return batched.workload(asks), single.workload(asks)


def _new_tokens(judge: LlmJudge, asks: Sequence[Ask]) -> int:
    """Returns the tokens of all prompts without those with which the prompt before began too."""
    total = 0
    before = ""
    for call in judge.calls(asks):
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
    head = ["what", "calls", "one ask a call", "million prompt tokens", "one ask a call", "x fewer"]
    print_table(head, rows)
    print()


def _check(what: str, number: int, of: int, share: float) -> None:
    words = verdict(number <= of * share)
    print(f"{what}: {number:,} is 1/{of / number:.1f} of {of:,}, <= 1/{1 / share:g}: {words}")
