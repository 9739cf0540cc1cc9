"""Calls of a language model as lines of a batch file, and what comes back.

The lines are those of OpenAI's batch interface, which vLLM's ``run-batch`` reads too. A line's
``custom_id`` stands for the content of its call, so that results can be read by another process, in
any order, some of them missing or failed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from argue_eval.errors import Finding, Severity, shorten
from argue_eval.formats.jsonl import Source, encode
from argue_eval.judges.clients import Completion
from argue_eval.judges.clients.chat import HOSTED, OWN
from argue_eval.judges.completions import complaint_of, completion_of, secrets_of_environment
from argue_eval.judges.llm.calls import Call, calls_of
from argue_eval.judges.llm.judge import Heard, LlmJudge, read, replies
from argue_eval.records import Question, Reply

URL = "/v1/chat/completions"
DISAGREE = "the batch has several replies to this, and they disagree"

_REASON_WIDTH = 200
_CODE = "wrong_batch_line"
_HINT = "give the batch's result file, unchanged: one JSON object per line, with a custom_id"


def batch_lines(judge: LlmJudge, questions: Sequence[Question]) -> Iterator[dict[str, Any]]:
    """Yields one line per call that answers some questions. Equal questions give equal ids."""
    dialect = OWN if os.environ.get("OPENAI_BASE_URL", "").strip() else HOSTED
    for call in calls_of(questions, judge.settings)[0]:
        body = dialect.body(judge.model.served_name, judge.request(call))
        yield {"custom_id": id_of(judge, call), "method": "POST", "url": URL, "body": body}


def id_of(judge: LlmJudge, call: Call) -> str:
    """The name of a call in a batch: a digest of all that it shows and asks."""
    blocks = [[block.name, *block.lines] for block in (*call.shared, call.own)]
    keys = [key for key, places in call.asked.items() for _ in places or (None,)]
    content = encode([judge.signature, call.task, blocks, keys, call.repeat])
    return f"argue-eval-{sha256(content.encode('utf-8')).hexdigest()[:32]}"


class BatchResults:
    """What a batch returned, by the id of the call.

    Attributes:
        findings: lines that cannot be used, as warnings.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._results: dict[str, Completion | str] = {}
        self._used: set[str] = set()
        self._secrets = secrets_of_environment()

    def __len__(self) -> int:
        return len(self._results)

    def read(self, source: Source) -> None:
        """Adds the results of a file: those of a batch, its errors, or both.

        Raises:
            InputError: a line is not JSON.
            MissingResourceError: the file cannot be read.
        """
        for line, raw in source.lines():
            if raw.strip():
                self.add(source.decode(raw, line), source.name, line)

    def add(self, value: Any, file: str = "", line: int | None = None) -> None:
        """Adds one line of a file."""
        custom_id = value.get("custom_id") if isinstance(value, dict) else None
        if not isinstance(custom_id, str):
            message = f"expected an object with a custom_id, found {shorten(value)}"
            self.findings.append(
                Finding(_CODE, message, _HINT, file, line, severity=Severity.WARNING)
            )
            return
        result = _result(value, self._secrets)
        before = self._results.get(custom_id)
        if not isinstance(before, Completion):
            # A reply counts more than an error, which may have been tried again.
            if before != DISAGREE and (before is None or isinstance(result, Completion)):
                self._results[custom_id] = result
        elif isinstance(result, Completion) and result[:3] != before[:3]:
            # Another text, another reason why it ends, or another refusal.
            self._results[custom_id] = DISAGREE

    def of(self, custom_id: str) -> Completion | str | None:
        """The reply to a call, or why there is none; None if the batch does not say."""
        if custom_id in self._results:
            self._used.add(custom_id)
        return self._results.get(custom_id)

    @property
    def num_unknown(self) -> int:
        """How many results belong to no call that was looked up so far."""
        return len(self._results) - len(self._used)


def read_batch(
    judge: LlmJudge, questions: Sequence[Question], results: BatchResults
) -> Iterator[Reply]:
    """Yields replies to the questions that a batch has answered, or failed to answer.

    A question that the batch does not mention, or not in all of its calls, gets no reply.
    """
    calls, refusals = calls_of(questions, judge.settings)
    yield from refusals

    def heard() -> Iterator[tuple[Call, Heard]]:
        for call in calls:
            result = results.of(id_of(judge, call))
            if isinstance(result, Completion):
                yield call, read(result, call.asked, judge.prompts.tasks[call.task])
            elif result is not None:
                yield call, Heard.nothing(call.asked, result)

    yield from replies(questions, calls, heard(), judge.settings.repeat)


def _result(value: Mapping[str, Any], secrets: re.Pattern[str]) -> Completion | str:
    response, error = value.get("response"), value.get("error")
    body = response.get("body") if isinstance(response, dict) else None
    status = response.get("status_code", 200) if isinstance(response, dict) else None
    if status == 200 and not error and (completion := completion_of(body, secrets)):
        return completion
    complaint = complaint_of(error or body) or "no chat completion in the line"
    shown = shorten(secrets.sub("…", complaint), _REASON_WIDTH)
    if status in (200, None):
        return f"the batch failed: {shown}"
    return f"status {shorten(status)}: {shown}"
