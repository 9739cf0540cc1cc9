"""Batch files: what comes back in any order, in part, twice or broken is never a wrong verdict."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from argue_eval.errors import InputError
from argue_eval.formats.jsonl import Source
from argue_eval.judges.llm.batch import DISAGREE, BatchResults, batch_lines, read_batch
from argue_eval.records import Question
from tests.judges.asking import answers, first, llm, negative, support, verdict_or_reason

QUESTIONS = [
    *(answers(f"Question {n % 3}?", "in 1912", f"Sentence {n // 3}.") for n in range(12)),
    support("Sentence 1.", "A document."),
    negative("Sentence 2."),
    first("Sentence 2.", "Sentence 1."),
    support("Sentence 1.", None),
]


def replied(line: dict[str, Any], word: str = "no", **fields: Any) -> dict[str, Any]:
    """The result of a line whose verdicts are all alike."""
    schema = line["body"]["response_format"]["json_schema"]["schema"]
    content = json.dumps(dict.fromkeys(schema["required"], word))
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop", **fields}
    body = {"id": "c", "object": "chat.completion", "choices": [choice]}
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "b", "custom_id": line["custom_id"], "response": response, "error": None}


def failing(line: dict[str, Any], status: int | None = None) -> dict[str, Any]:
    error = {"code": "server_error", "message": "the GPU fell over"}
    response = {"status_code": status, "body": {"error": error}} if status else None
    return {
        "id": "b",
        "custom_id": line["custom_id"],
        "response": response,
        "error": None if status else error,
    }


def read(
    lines: Sequence[Any], questions: Sequence[Question] = QUESTIONS, **settings: Any
) -> dict[int, str]:
    """The verdict on each question that got a reply, or why there is none."""
    results = BatchResults()
    for line in lines:
        results.add(line)
    found = {}
    for reply in read_batch(llm(**settings), questions, results):
        assert reply.index not in found
        found[reply.index] = verdict_or_reason(reply)
    return found


def test_a_line_is_a_whole_request_of_the_batch_interface() -> None:
    lines = list(batch_lines(llm(), QUESTIONS))
    assert len(lines) == 6
    for line in lines:
        assert set(line) == {"custom_id", "method", "url", "body"}
        assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
        assert len(line["custom_id"]) <= 64
        assert line["body"]["model"] == "m"
        assert json.loads(json.dumps(line)) == line
    assert len({line["custom_id"] for line in lines}) == len(lines)


def test_results_in_any_order_answer_all_asks() -> None:
    lines = [replied(line) for line in batch_lines(llm(), QUESTIONS)]
    Random(1).shuffle(lines)
    found = read(lines)
    assert found.pop(15) == "no document text"
    assert found == dict.fromkeys(range(15), "no")


def test_ids_stand_for_the_content_and_not_for_the_delimiters() -> None:
    one, other = (list(batch_lines(llm(), QUESTIONS)) for _ in range(2))
    assert [line["custom_id"] for line in one] == [line["custom_id"] for line in other]
    assert one[0]["body"] != other[0]["body"]
    changed = list(batch_lines(llm(), [replace(QUESTIONS[0], claim="in 1913")]))
    assert changed[0]["custom_id"] not in {line["custom_id"] for line in one}
    for settings in ({"repeat": 3}, {"canary": True}, {"prompting": "single"}):
        ids = {line["custom_id"] for line in batch_lines(llm(**settings), QUESTIONS)}
        assert not ids & {line["custom_id"] for line in one}


def test_a_part_of_the_results_answers_a_part_of_the_asks() -> None:
    lines = list(batch_lines(llm(), QUESTIONS))
    for line in lines:
        labels = line["body"]["response_format"]["json_schema"]["schema"]["required"]
        found = read([replied(line)])
        found.pop(15)
        assert list(found.values()) == ["no"] * len(labels)
    # What is left is asked by the same calls, so that the other results still find them.
    left = [each for index, each in enumerate(QUESTIONS) if index not in read([replied(lines[0])])]
    ids = {line["custom_id"] for line in batch_lines(llm(), left)}
    assert ids == {line["custom_id"] for line in lines[1:]}


@pytest.mark.parametrize("status", [None, 400, 500])
def test_a_line_that_failed_is_a_failure_with_its_reason(status: int | None) -> None:
    lines = list(batch_lines(llm(), QUESTIONS))
    found = read([failing(line, status) for line in lines])
    assert found.pop(15) == "no document text"
    assert len(found) == 15
    assert all("the GPU fell over" in reason for reason in found.values())


def test_a_line_that_failed_and_was_tried_again_counts_as_it_ended() -> None:
    lines = list(batch_lines(llm(), QUESTIONS[:3]))
    for order in (1, -1):
        mixed = [failing(lines[0]), replied(lines[0])][::order]
        assert read(mixed, QUESTIONS[:3]) == dict.fromkeys(range(3), "no")


def test_equal_lines_count_once_and_lines_that_disagree_count_for_nothing() -> None:
    (line,) = batch_lines(llm(), QUESTIONS[:3])
    assert read([replied(line), replied(line)], QUESTIONS[:3]) == dict.fromkeys(range(3), "no")
    for order in (1, -1):
        lines = [replied(line), replied(line, "yes"), replied(line)][::order]
        assert read(lines, QUESTIONS[:3]) == dict.fromkeys(range(3), DISAGREE)


def test_lines_of_others_are_counted_and_not_used() -> None:
    results = BatchResults()
    other = [answers("Q?", "a", "Another sentence.")]
    for line in [*batch_lines(llm(), other), *batch_lines(llm(), QUESTIONS[:3])]:
        results.add(replied(line))
    assert len(list(read_batch(llm(), QUESTIONS[:3], results))) == 3
    assert (len(results), results.num_unknown) == (2, 1)


@pytest.mark.parametrize("line", [[], "x", 7, None, {}, {"custom_id": None}, {"custom_id": 3}])
def test_a_line_without_an_id_is_a_finding(line: Any) -> None:
    results = BatchResults()
    results.add(line, "batch.jsonl", 4)
    (finding,) = results.findings
    assert (finding.code, finding.file, finding.line) == ("wrong_batch_line", "batch.jsonl", 4)


@pytest.mark.parametrize(
    "response",
    [
        None,
        "text",
        {"status_code": 200, "body": None},
        {"status_code": 200, "body": {"choices": []}},
        {"status_code": 200, "body": {"choices": [{"message": None}]}},
        {"status_code": "200", "body": {}},
    ],
)
def test_a_line_of_another_shape_is_a_failure(response: Any) -> None:
    (line,) = batch_lines(llm(), QUESTIONS[:1])
    found = read([{"custom_id": line["custom_id"], "response": response}], QUESTIONS[:1])
    assert list(found) == [0]
    assert found[0] not in ("yes", "no", "partial")


def test_a_result_with_an_error_is_that_error_without_the_key_and_without_signs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    (line,) = batch_lines(llm(), QUESTIONS[:1])
    result = replied(line)
    result["response"]["body"]["error"] = {"message": "sk-secret is overloaded"}
    assert read([result], QUESTIONS[:1]) == {0: "the batch failed: '… is overloaded'"}
    result["response"]["status_code"] = "\x1b[31m"
    assert read([result], QUESTIONS[:1])[0].isprintable()


@pytest.mark.parametrize("reason", ["length", "content_filter", "tool_calls", 5, ["stop"]])
def test_a_reply_that_is_not_finished_is_a_failure(reason: Any) -> None:
    (line,) = batch_lines(llm(), QUESTIONS[:1])
    found = read([replied(line, finish_reason=reason)], QUESTIONS[:1])
    assert found[0] not in ("yes", "no", "partial")


def test_repeats_are_lines_of_their_own_and_all_are_needed() -> None:
    lines = list(batch_lines(llm(repeat=3), QUESTIONS[:3]))
    assert [line["body"]["seed"] for line in lines] == [0, 1, 2]
    words = ["yes", "no", "yes"]
    replies = [replied(line, word) for line, word in zip(lines, words, strict=True)]
    assert read(replies, QUESTIONS[:3], repeat=3) == dict.fromkeys(range(3), "yes")
    assert read(replies[:2], QUESTIONS[:3], repeat=3) == {}


def test_a_file_is_read_and_what_is_not_json_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    (line,) = batch_lines(llm(), QUESTIONS[:3])
    path.write_text(json.dumps(replied(line)) + "\n\n", "utf-8")
    results = BatchResults()
    results.read(Source(str(path)))
    assert len(list(read_batch(llm(), QUESTIONS[:3], results))) == 3
    path.write_text(json.dumps(replied(line))[:-5] + "\n", "utf-8")
    with pytest.raises(InputError, match=r"results\.jsonl:1"):
        BatchResults().read(Source(str(path)))
