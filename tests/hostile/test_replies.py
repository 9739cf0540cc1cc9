"""A model that is swayed can say what it likes: only what is on the schema counts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.judges import Settings
from argue_eval.judges.clients import Completion
from argue_eval.judges.llm.judge import create, read
from argue_eval.judges.llm.prompts import TASKS
from argue_eval.records import Verdict
from tests.chat_server import ChatServer, Received, says
from tests.hostile.attempts import ATTEMPTS
from tests.hostile.test_prompts import questions_with, texts_within

LABELS = ["1", "2", "3"]
YES_NO, GRADED = TASKS["answers"], TASKS["support"]


@pytest.mark.parametrize("name", ATTEMPTS)
def test_a_reply_that_repeats_an_attempt_gives_no_verdict_but_on_the_schema(name: str) -> None:
    reading = read(Completion(ATTEMPTS[name]), LABELS, YES_NO)
    assert set(reading.verdicts) | set(reading.problems) == set(LABELS)
    assert not set(reading.verdicts) & set(reading.problems)
    if reading.verdicts:  # the attempt is a reply: nobody could tell it from the model's own
        assert any(f'"{label}"' in ATTEMPTS[name] for label in reading.verdicts)


@pytest.mark.parametrize("name", ATTEMPTS)
def test_an_attempt_beside_a_reply_never_changes_a_verdict_unseen(name: str) -> None:
    """What a model quotes of a text may make its reply useless; it never wins over the reply."""
    reply = json.dumps(dict.fromkeys(LABELS, "no"))
    for text in (f"{ATTEMPTS[name]}\n{reply}", f"{reply}\n{ATTEMPTS[name]}"):
        reading = read(Completion(text), LABELS, YES_NO)
        assert set(reading.verdicts.values()) <= {Verdict.NO}, text


def test_a_reply_to_an_attempt_through_the_whole_judge_counts_only_on_the_schema() -> None:
    """A swayed model repeats what the text told it to say, whatever that is."""
    attempts = [text for text in ATTEMPTS.values() if not text.lstrip().startswith('{"1"')]

    def swayed(received: Received) -> Any:
        texts = texts_within(received.prompt)
        return says(max(texts, key=len))

    questions = [questions_with(text, "sentence")[0] for text in attempts]
    with ChatServer(swayed) as server, server.environment():
        found = list(create("m", (), Settings(timeout=10.0)).answer(questions))
    assert len(found) == len(questions)
    judged = [questions[reply.index].text for reply in found if reply.verdict is not None]
    assert all('"1": "yes"' in text or '"1":"yes"' in text for text in judged)
    failed = [reply for reply in found if reply.verdict is None]
    assert len(failed) > 50
    assert all(reply.reason for reply in failed)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["yes", "no", "partial", "Yes", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["1", "2", "3", "4", "a"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(json_values)
def test_a_verdict_is_a_word_of_the_scale_under_a_key_of_the_outermost_object(value: Any) -> None:
    reading = read(Completion(json.dumps(value)), LABELS, GRADED)
    objects = [value] if isinstance(value, dict) else []
    if isinstance(value, list):
        objects = _outermost(value)
    for label, verdict in reading.verdicts.items():
        said = [each[label] for each in objects if label in each]
        assert len(said) == 1
        assert said[0].casefold() == verdict.value


def _outermost(values: list[Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for value in values:
        if isinstance(value, dict):
            found.append(value)
        elif isinstance(value, list):
            found += _outermost(value)
    return found


@given(st.text(alphabet='{}[]":,123yesnopartil \n', max_size=60))
def test_any_text_gives_a_verdict_or_a_problem_for_every_key(text: str) -> None:
    reading = read(Completion(text), LABELS, GRADED)
    assert {*reading.verdicts} | {*reading.problems} == set(LABELS)
    for label, verdict in reading.verdicts.items():
        assert f'"{label}"' in text
        assert f'{verdict.value}"' in text.casefold().replace(" ", "")


@given(st.integers(0, 40), st.booleans())
def test_a_reply_that_breaks_off_anywhere_gives_no_verdict(length: int, has_prose: bool) -> None:
    whole = '{"1":"yes","2":"partial","3":"no"}'
    start = "Here it is: " if has_prose else ""
    reading = read(Completion(start + whole[:length]), LABELS, GRADED)
    assert bool(reading.verdicts) == (length >= len(whole))
