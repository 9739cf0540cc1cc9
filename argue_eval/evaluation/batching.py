"""Judging by batch files: questions for a language model go into a file, and replies come from one.

So a cluster without a server, or a service at half the price, can do the work. A file has what must
be asked now. Its replies may lead to more questions: write the next file, until one is empty. Cheap
judges answer at once, as the questions for a model may depend on their answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from argue_eval.errors import Finding, Severity, UsageError
from argue_eval.evaluation.forecast import StandIn, at_no_cost, needed_questions
from argue_eval.evaluation.pipeline import Judged, Prepared, judge
from argue_eval.formats.jsonl import Source, atomic_writer, encode
from argue_eval.judges import Judge, cascade
from argue_eval.judges.limits import Limits
from argue_eval.judges.llm.batch import BatchResults, batch_lines, read_batch
from argue_eval.judges.llm.judge import LlmJudge
from argue_eval.judgments.content import content_of
from argue_eval.records import Question, Reply

NO_JUDGE = "batch files are for judges llm:MODEL, where a server has the model; name one"


def write_batch(prepared: Prepared, path: str) -> tuple[int, int, int]:
    """Writes a batch file; returns the number of calls, of the questions that they answer, and of
    those that cannot be asked since the document's text is not at hand.

    Raises:
        MissingResourceError: the file cannot be written.
        UsageError: no judge can be asked by batch files.
    """
    questions = _questions(prepared)
    num_calls = 0
    with atomic_writer(path) as stream:
        for each, needed in questions:
            for line in batch_lines(each, needed):
                num_calls += 1
                stream.write(encode(line) + "\n")
    asked = [question for _, needed in questions for question in needed]
    num_textless = sum(question.lacks_document for question in asked)
    return num_calls, len(asked) - num_textless, num_textless


def read_batches(
    prepared: Prepared, paths: Sequence[str], warnings: list[Finding]
) -> Iterator[Judged]:
    """Yields what became of the questions to which files have the replies.

    Questions without a reply there are skipped; no model is asked anything.

    Args:
        warnings: unusable lines are added to this list.

    Raises:
        InputError: a file is not JSON lines.
        MissingResourceError: a file cannot be read.
        UsageError: no judge can be asked by batch files.
    """
    questions = _questions(prepared)
    results = BatchResults()
    for path in paths:
        results.read(Source(path))
    replies: dict[bytes, Reply] = {}
    for each, needed in questions:
        for reply in read_batch(each, needed, results):
            replies[content_of(needed[reply.index], each.signature).key] = reply
    warnings.extend(results.findings)
    if results.num_unknown:
        message = f"{results.num_unknown} replies are to calls that nobody waits for"
        hint = "give the runs, texts, judges and store with which the batch was written"
        warnings.append(
            Finding("unknown_batch_line", message, hint, paths[0], severity=Severity.WARNING)
        )
    limits = Limits()  # not those of the judges that answer at once
    limits.halt(f"no reply in {', '.join(paths)}")
    found = prepared.found
    at_once = at_no_cost(prepared)

    def instead(each: Judge) -> Judge:
        return each if each.signature in at_once else _Answering(each, replies)

    judges = cascade.replaced(found.judges, instead)
    job = replace(prepared.job, settings=replace(prepared.job.settings, limits=limits))
    yield from judge(replace(prepared, job=job, found=replace(found, judges=judges)))


class _Answering(StandIn):
    """Gives the replies that a batch has brought."""

    def __init__(self, judge: Judge, replies: dict[bytes, Reply]) -> None:
        super().__init__(judge)
        self._replies = replies

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """Yields the replies that there are."""
        for index, question in enumerate(questions):
            reply = self._replies.get(content_of(question, self.signature).key)
            if reply is not None:
                yield reply._replace(index=index)


def _questions(prepared: Prepared) -> list[tuple[LlmJudge, list[Question]]]:
    """What must be asked now, whatever the verdicts are, of every judge with a server."""
    stages = cascade.asked(prepared.found.judges)
    judges: dict[str, Any] = {signature: each.judge for signature, each in stages.items()}
    batched = {
        signature: each
        for signature, each in judges.items()
        if isinstance(each, LlmJudge) and each.model.is_served
    }
    if not batched:
        raise UsageError(NO_JUDGE)
    return [
        (each, needed[signature])
        for needed in needed_questions(prepared, at_no_cost(prepared))
        for signature, each in batched.items()
        if signature in needed
    ]
