"""What counts in a reply, to the letter; and that what repeats the prompt does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval.judges.completions import completion_of
from argue_eval.judges.llm.prompts import FOLDER
from argue_eval.judges.model import REPEATED, why_unusable
from argue_eval.records import Question
from tests.chat_server import Answer, ChatServer, says
from tests.judges.asking import answers, llm, replies, verdict_or_reason

MILL = "The old mill was lost to a fire in June 1912."
EXAMPLE = '{"901":"yes","902":"no","903":"no"}'
LINE = f'sentence "The old mill was lost to a fire in June 1912." Reply: {EXAMPLE}'


def asked(number: int) -> list[Question]:
    return [answers("When did it burn?", f"in 191{each}", MILL) for each in range(number)]


def said(answer: Answer, number: int = 3, **settings: Any) -> list[str]:
    """The verdicts, or why there are none."""
    with ChatServer(answer) as server, server.environment():
        return [verdict_or_reason(each) for each in replies(llm(**settings), asked(number))]


@pytest.mark.parametrize("number", [1, 3, 4])
@pytest.mark.parametrize(
    "text", [EXAMPLE, EXAMPLE.replace(":", ": "), f"Reply: {EXAMPLE}", "\n" * 99 + EXAMPLE]
)
def test_the_example_alone_says_nothing(text: str, number: int) -> None:
    """Its numbers are none that a call has, so that no true reply can be equal to it."""
    assert said(says(text), number) == [REPEATED] * number


def test_what_the_example_says_of_other_numbers_counts() -> None:
    assert said(says(EXAMPLE.replace("90", ""))) == ["yes", "no", "no"]


def test_an_example_of_ones_own_may_be_equal_to_a_reply(tmp_path: Path) -> None:
    own = tmp_path / "answers.txt"
    own.write_text((FOLDER / own.name).read_text("utf-8").replace(" 90", " ").replace('"90', '"'))
    reply = says(EXAMPLE.replace("90", ""))
    assert said(reply, prompts=str(tmp_path)) == ["yes", "no", "no"]


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("before", ["", "You said:\n", "> ", "x" * 100])
def test_a_reply_that_repeats_the_line_of_the_example_says_nothing(
    before: str, number: int
) -> None:
    assert said(says(before + LINE), number) == [REPEATED] * number
    assert (
        said(says(before + LINE.replace(", 902", ",\n  902").upper()), number)
        == [REPEATED] * number
    )


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("yes", "yes"),
        (" YES\n", "yes"),
        ("No", "no"),
        ("ye\u017f", "not on the scale"),
        ("\x1cyes", "not on the scale"),
        ("yes\u00a0", "not on the scale"),
        ("yes\u200b", "not on the scale"),
        ("yes.", "not on the scale"),
        (True, "not on the scale"),
        (["yes"], "not on the scale"),
        ({"yes": "yes"}, "not on the scale"),
        (10**400, "not on the scale"),
    ],
)
def test_a_word_counts_to_the_letter(word: Any, told: str) -> None:
    (found,) = said(says(json.dumps({"1": word})), 1)
    assert told in found
    assert len(found) < 200


GOOD: dict[str, Any] = {"message": {"content": "yes"}, "finish_reason": "stop"}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, ""),
        ({"finish_reason": None}, ""),
        ({"finish_reason": 5}, "another reason: 'the number 5'"),
        ({"finish_reason": ["stop"]}, "another reason: 'a list of 1'"),
        ({"finish_reason": False}, "another reason: 'false'"),
        ({"message": {"content": "yes", "refusal": ""}}, ""),
        ({"message": {"content": "yes", "refusal": True}}, "refused: 'true'"),
        ({"message": {"content": "yes", "refusal": {"a": 1}}}, "refused: 'an object"),
    ],
)
def test_a_finish_reason_and_a_refusal_are_texts_or_nothing(
    changed: dict[str, Any], told: str
) -> None:
    completion = completion_of({"choices": [{**GOOD, **changed}]})
    assert completion is not None
    assert told in why_unusable(completion)
    assert bool(told) == bool(why_unusable(completion))


@pytest.mark.parametrize(
    ("number", "counted"),
    [(5, 5), (0, 0), (10**400, None), (-1, None), (1.5, None), (True, None), ("5", None)],
)
def test_one_odd_number_of_a_server_is_as_if_it_had_not_said_it(number: Any, counted: Any) -> None:
    usage = {"prompt_tokens": number, "completion_tokens": 7}
    completion = completion_of({"choices": [GOOD], "usage": usage})
    assert completion is not None
    assert (completion.prompt_tokens, completion.reply_tokens) == (counted, 7)


@pytest.mark.parametrize(
    ("logprob", "is_read"),
    [(-0.5, True), (0, True), (-1e9, True), (float("-inf"), True), (0.5, False)]
    + [
        (each, False) for each in (10**400, -(10**400), float("inf"), float("nan"), True, "0", None)
    ],
)
def test_only_a_finite_logarithm_of_a_probability_is_read(logprob: Any, is_read: bool) -> None:
    top = [{"token": "yes", "logprob": -0.1}, {"token": "no", "logprob": logprob}]
    value = {"choices": [{**GOOD, "logprobs": {"content": [{"top_logprobs": top}]}}]}
    completion = completion_of(value)
    assert completion is not None
    assert bool(completion.first_tokens) == is_read
