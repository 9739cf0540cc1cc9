"""The judge llm against a server whose replies the test writes: no fault becomes a verdict."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from argue_eval.errors import MissingResourceError
from argue_eval.judges import Settings
from argue_eval.judges.clients import chat
from argue_eval.judges.limits import Limits, Price
from argue_eval.judges.llm.judge import LlmJudge, create
from argue_eval.judges.model import LONG_REPLY_TOKENS
from argue_eval.records import Question, Reply, Verdict
from tests.chat_server import (
    CUT,
    HANG,
    RESET,
    Answer,
    ChatServer,
    Received,
    Script,
    fails,
    says,
    verdicts,
)
from tests.judges import asking
from tests.judges.asking import (
    agrees,
    answers,
    covers,
    first,
    llm,
    needs_citation,
    negative,
    support,
    verdict_or_reason,
)

MILL = "The mill burned down in June 1912."
QUESTIONS = [
    answers("When did the mill burn down?", "in 1912", MILL),
    answers("When did the mill burn down?", "in May 1912", MILL),
    answers("What burned down?", "the mill", MILL),
]


ALL = '{"1":"no","2":"no","3":"no"}'
ALL_NO = says(ALL)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "PATIENCE", chat.Patience(first_pause=0.01, max_attempts=3))


def judge_of(**settings: Any) -> LlmJudge:
    return llm(**{"timeout": 0.5, **settings})


def replies(
    script: Script, questions: Sequence[Question] = QUESTIONS, judge: LlmJudge | None = None
) -> tuple[list[Reply], ChatServer]:
    """One reply per question, in their order, and who was asked."""
    with ChatServer(script) as server, server.environment():
        return asking.replies(judge or judge_of(), questions), server


def said(script: Script, questions: Sequence[Question] = QUESTIONS, **settings: Any) -> list[str]:
    """The verdict on each question, or the reason why there is none."""
    found, _ = replies(script, questions, judge_of(**settings))
    return [verdict_or_reason(reply) for reply in found]


def numbered(number: int) -> list[Question]:
    """Questions that are answered by a call each."""
    return [answers("When?", "in 1912", f"Sentence {each}.") for each in range(number)]


def alike(word: str = "no", delay: float = 0.0) -> Callable[[Received], Answer]:
    """A server that gives the same verdict on everything."""
    return lambda received: verdicts(received.labels, word)._replace(delay=delay)


def test_one_call_answers_all_that_is_asked_about_a_sentence() -> None:
    found, server = replies(says('{"1":"yes","2":"no","3":"yes"}'))
    assert [verdict_or_reason(reply) for reply in found] == ["yes", "no", "yes"]
    assert len(server.received) == 1
    assert (found[0].prob, found[0].reason, found[0].num_attempts) == (None, "", 1)
    assert {reply.raw for reply in found} == {'{"1":"yes","2":"no","3":"yes"}'}


FAULTS: dict[str, tuple[Script, str]] = {
    "500s": (fails(500, "broken"), "500"),
    "429s": (fails(429, "slow down", retry_after="0.01"), "429"),
    "resets": ([RESET], "the connection"),
    "a hang": ([HANG], "no reply"),
    "a body that breaks off": ([CUT], "the connection"),
    "truncated JSON": (says('{"1":"yes","2":"n'), "no JSON object"),
    "truncated JSON within an object": (says('{"a":{"1":"yes"},"1":"n'), "no JSON object"),
    "an empty string": (says(""), "empty"),
    "null": (says(None), "empty"),
    "white space": (says(" \n"), "empty"),
    "a refusal": (says(None, refusal="I can't judge people."), "refused"),
    "a refusal beside verdicts": (says('{"1":"yes"}', refusal="No."), "refused"),
    "a refusal in words": (says("I'm sorry, I can't help with that: yes."), "no JSON object"),
    "a reply that is cut off": (says('{"1":"yes","2":"no","3":"yes"}', "length"), "cut off"),
    "a content filter": (says('{"1":"yes"}', "content_filter"), "content filter"),
    "a tool call": (says('{"1":"yes"}', "tool_calls"), "stopped for another reason"),
    "a context that is too short": (fails(400, "maximum context length is 10"), "longer than"),
    "another schema": (says(f'{{"verdicts": {ALL}}}'), "does not answer"),
    "a list": (says('["yes","no","yes"]'), "no JSON object"),
    "thoughts without an end": (says('<think>{"1":"yes","2":"no","3":"no"} or'), "no JSON object"),
    "a bare word": (says("yes"), "no JSON object"),
    "verdicts off the scale": (says('{"1":"maybe","2":1,"3":true}'), "not on the scale"),
    "partial where nothing is graded": (
        says('{"1":"partial","2":"partial","3":"partial"}'),
        "not on the scale",
    ),
    "nulls": (says('{"1":null,"2":null,"3":null}'), "not on the scale"),
    "numbers of questions that there are not": (says('{"4":"yes","5":"no"}'), "does not answer"),
    "numbers from 0": (says('{"0":"yes","1":"no","2":"no"}'), "counts from 0"),
    "the same number twice": (says('{"1":"yes","1":"no","2":"no","2":"no"}'), "twice|not answer"),
    "a second object": (says(ALL + "{ " * 500 + ALL), "answers this twice"),
    "a second object far behind": (says(ALL + "{}" * 500 + ALL), "no JSON object"),
    "a second object that breaks off": (says(ALL + ALL[:-1]), "no JSON object"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_a_failure_with_a_reason_and_never_a_verdict(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, words = FAULTS[name]
    if name in ("resets", "a hang", "a body that breaks off"):
        monkeypatch.setattr(chat, "PATIENCE", chat.Patience(first_pause=0.01, max_attempts=2))
    found, _ = replies(script)
    for reply in found:
        assert reply.verdict is None, (name, reply)
        assert any(word in reply.reason for word in words.split("|")), reply.reason


def test_what_a_model_said_in_its_two_turns_is_kept_where_it_was_no_verdict() -> None:
    found, _ = replies([says("Let me think."), says("No.")])
    assert [json.loads(reply.raw or "") for reply in found] == [["Let me think.", "No."]] * 3
    assert [(reply.verdict, reply.num_attempts) for reply in found] == [(None, 2)] * 3


@pytest.mark.parametrize(
    "text",
    [
        'Sure! Here it is:\n```json\n{"1": "yes", "2": "no", "3": "yes"}\n```\nAnything else?',
        '<think>{"1":"no"} no, wait</think>{"1":"yes","2":"no","3":"yes"}',
        'Of the set {1, 2, 3}: {"1":" Yes","2":"NO","3":"yes"}',
        '[{"1":"yes"},{"2":"no"},{"3":"yes"}]',
        '{"1":"yes","2":"no","3":"yes","note":"{}"}',
    ],
)
def test_verdicts_are_found_within_other_text(text: str) -> None:
    assert said(says(text)) == ["yes", "no", "yes"]


def test_what_is_right_counts_beside_what_is_wrong() -> None:
    found = said(says('{"1":"yes","2":"maybe","7":"no"}'))
    assert found[0] == "yes"
    assert found[1].startswith("the reply is not on the scale")
    assert found[2] == "the reply does not answer this"


def test_a_second_turn_shows_what_was_wrong_and_repairs_only_that() -> None:
    script = [says('{"1":"yes","2":"maybe"}'), says('{"1":"no","2":"no","3":"yes"}')]
    found, server = replies(script)
    assert [verdict_or_reason(reply) for reply in found] == ["yes", "no", "yes"]
    assert len(server.received) == 2
    roles = [message["role"] for message in server.received[1].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    told = server.received[1].body["messages"][-1]["content"]
    assert "2: the reply is not on the scale: 'maybe'" in told
    assert '"1", "2", "3"' in told


def test_a_reply_that_is_cut_off_is_asked_for_once_with_more_room() -> None:
    def script(received: Received) -> Answer:
        has_room = received.body["max_tokens"] >= LONG_REPLY_TOKENS
        return verdicts(received.labels) if has_room else says('{"1":"ye', "length")

    judge = judge_of(concurrency=1)
    questions = [*QUESTIONS, answers("When?", "in 1913", "Another sentence.")]
    found, server = replies(script, questions, judge)
    assert [verdict_or_reason(reply) for reply in found] == ["no"] * 4
    # Once it is known that replies are long, none is cut off first.
    has_room = [each.body["max_tokens"] >= LONG_REPLY_TOKENS for each in server.received]
    assert has_room == [False, True, True]


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_model_stops_everything_with_one_error(status: int) -> None:
    with ChatServer(fails(status)) as server, server.environment():
        with pytest.raises(MissingResourceError, match=str(status)):
            list(judge_of(concurrency=4).answer(numbered(50)))
        assert len(server.received) <= 4


def test_what_is_heard_before_a_fatal_error_is_kept() -> None:
    with ChatServer([says('{"1":"yes"}'), fails(401)]) as server, server.environment():
        judging = judge_of(concurrency=1).answer(numbered(3))
        assert verdict_or_reason(next(judging)) == "yes"
        with pytest.raises(MissingResourceError, match="401"):
            next(judging)


def test_no_more_calls_are_in_flight_than_allowed() -> None:
    for concurrency in (1, 3):
        judge = judge_of(concurrency=concurrency)
        _, server = replies(alike(delay=0.03), numbered(20), judge)
        assert server.most_in_flight == concurrency


def test_a_limit_in_the_middle_of_a_conversation_leaves_a_failure() -> None:
    found, _ = replies(says("what?"), QUESTIONS, judge_of(limits=Limits(max_calls=1)))
    assert {verdict_or_reason(reply) for reply in found} == {
        "the reply holds no JSON object, or a broken one"
    }


def test_tokens_and_money_are_counted_as_the_server_says() -> None:
    limits = Limits()
    usage = {"prompt_tokens": 1000, "completion_tokens": 10}
    prices = {"m": Price(2.0, 50.0)}
    script = says(ALL, usage=usage)
    replies(script, QUESTIONS, judge_of(limits=limits, prices=prices))
    assert (limits.prompt_tokens, limits.reply_tokens) == (1000, 10)
    assert limits.cost == pytest.approx(0.0025)


def test_where_the_server_does_not_say_the_most_is_counted() -> None:
    limits = Limits()
    judge = judge_of(limits=limits)
    replies(ALL_NO, QUESTIONS, judge)
    load = judge.workload(QUESTIONS)
    assert load.num_calls == 1
    assert limits.prompt_tokens == load.prompt_tokens
    assert limits.reply_tokens > load.reply_tokens > 0


def test_a_halt_lets_what_is_in_flight_finish() -> None:
    limits = Limits()

    def script(received: Received) -> Answer:
        threading.Timer(0.05, limits.halt, ("stopped",)).start()
        return alike(delay=0.2)(received)

    with ChatServer(script) as server, server.environment():
        judge = judge_of(limits=limits, concurrency=2, timeout=5.0)
        found = list(judge.answer(numbered(30)))
        assert len(found) == len(server.received) <= 4
    assert all(reply.verdict for reply in found)


def test_replies_come_one_by_one_and_not_at_the_end() -> None:
    with ChatServer(alike(delay=0.1)) as server, server.environment():
        judging = judge_of(concurrency=1).answer(numbered(4))
        next(judging)
        assert len(server.received) <= 2
        del judging  # as when the one who asks goes away
        time.sleep(0.3)
        assert len(server.received) <= 3  # nothing begins for nobody


def test_all_kinds_are_asked_and_answered() -> None:
    questions = [
        *QUESTIONS,
        covers("The mill burned down.", MILL),
        agrees("What did the mill cost?", "Its price is unknown."),
        support(MILL, "A fire took the mill in June 1912."),
        negative(MILL),
        needs_citation(MILL),
        first(MILL, "The mill is old."),
    ]
    found, server = replies(alike("yes"), questions)
    assert [verdict_or_reason(reply) for reply in found] == ["yes"] * len(questions)
    assert len(server.received) == 5


def test_grades_are_for_support_and_claims() -> None:
    questions = [covers("The mill burned down.", MILL), support(MILL, "There was a mill.")]
    assert said(alike("partial"), questions) == ["partial", "partial"]


OPPOSED = [support("It was rebuilt.", MILL), covers("The mill was rebuilt.", MILL)]


def test_contradictions_are_told_only_where_they_are_asked_for() -> None:
    script = says('{"1":"contradicts"}')
    assert said(script, OPPOSED, contradictions=True) == ["contradicts"] * 2
    assert not {"contradicts", "no"}.intersection(said(script, OPPOSED))
    for contradictions in (True, False):
        judge = judge_of(contradictions=contradictions)
        _, server = replies(script, OPPOSED, judge)
        systems = [each.body["messages"][0]["content"] for each in server.received]
        assert all(('"contradicts"' in text) is contradictions for text in systems)


def test_criteria_are_asked_about_as_such_and_support_as_ever() -> None:
    questions = [covers("The report has a table.", MILL), support(MILL, MILL)]
    _, server = replies(says('{"1":"partial"}'), questions, judge_of(criteria=True))
    asked = [each.body["messages"][0]["content"] for each in server.received]
    assert sorted("criteria of a rubric" in text for text in asked) == [False, True]


def test_a_passage_that_contradicts_outweighs_one_that_says_nothing() -> None:
    document = " ".join(f"Sentence {number} is about the mill." for number in range(2000))
    words = iter(["no", "contradicts"] + ["no"] * 20)
    question = support("It was rebuilt.", document)
    script = [says(f'{{"1":"{word}"}}') for word in words]
    assert said(script, [question], contradictions=True) == ["contradicts"]


def test_the_majority_of_repeats_is_the_verdict_and_their_share_of_yes_is_kept() -> None:
    script = [says(f'{{"1":"{word}"}}') for word in ("yes", "no", "yes")]
    judge = judge_of(repeat=3, concurrency=1)
    (reply,), server = replies(script, QUESTIONS[:1], judge)
    assert (reply.verdict, reply.prob) == (Verdict.YES, 0.666667)
    assert json.loads(reply.raw or "") == ['{"1":"yes"}', '{"1":"no"}', '{"1":"yes"}']
    assert [each.body["seed"] for each in server.received] == [0, 1, 2]
    assert {each.body["temperature"] for each in server.received} == {1.0}
    assert "repeat:3" in judge.signature


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["yes", "no"], "no majority of 2 replies: 1 yes, 1 no"),
        (["yes", "partial", "no"], "no majority of 3 replies: 1 yes, 1 partial, 1 no"),
        (["yes", "", "maybe"], "no majority of 3 replies: 1 yes, 2 failed (the reply was empty)"),
    ],
)
def test_without_a_majority_there_is_no_verdict(words: list[str], reason: str) -> None:
    def script(received: Received) -> Answer:
        word = words[received.body["seed"]]
        return says(json.dumps({"1": word}) if word else "")

    questions = [covers("The mill burned down.", MILL)]
    assert said(script, questions, repeat=len(words), concurrency=1) == [reason]


def test_one_question_a_call_stays_possible() -> None:
    judge = judge_of(prompting="single")
    found, server = replies(says('{"1":"no"}'), QUESTIONS, judge)
    assert [verdict_or_reason(reply) for reply in found] == ["no"] * 3
    assert len(server.received) == 3
    assert not judge.joint
    assert judge_of().joint


def test_a_reply_that_has_a_canary_wrong_counts_for_nothing() -> None:
    questions = [*QUESTIONS, support(MILL, "A text."), negative(MILL), covers("A claim.", MILL)]
    found = said(alike("yes"), questions, canary=True)
    assert all("canary" in word for word in found), found
    found = said(alike(), questions[:4], canary=True)
    assert found == ["no"] * 4
    found = said(ALL_NO, QUESTIONS, canary=True)  # the canary is not answered
    assert all("canary" in word for word in found), found


def test_a_canary_among_sentences_needs_both_a_yes_and_a_no() -> None:
    questions = [negative(MILL), needs_citation(MILL)]
    for word in ("yes", "no"):
        found = said(alike(word), questions, canary=True)
        assert all("canary" in each for each in found)
    found = said(lambda each: verdicts(each.labels, "no", negative_2="yes"), questions, canary=True)
    assert found == ["no", "no"]


def test_questions_that_no_call_can_answer_are_not_asked() -> None:
    questions = [
        support(MILL, None),
        answers("When?", " ", MILL),
        answers(None, "in 1912", MILL),
        negative("word " * 20_000),
    ]
    found, server = replies(says("{}"), questions)
    assert server.received == []
    assert [verdict_or_reason(reply) for reply in found] == [
        "no document text",
        "no answer text",
        "no question text",
        "the sentence is too long: about 25,001 tokens, more than 2,000",
    ]


def test_nothing_to_ask_needs_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    judge = judge_of()
    assert list(judge.answer([])) == []
    assert judge.workload(QUESTIONS).num_calls == 1
    with pytest.raises(MissingResourceError, match="OPENAI_BASE_URL"):
        list(judge.answer(QUESTIONS))


def test_the_signature_names_what_could_change_a_verdict_and_nothing_else() -> None:
    plain = judge_of().signature
    assert plain == judge_of(concurrency=99, timeout=9.0, device="cpu").signature
    others = [
        judge_of(repeat=3).signature,
        judge_of(prompting="single").signature,
        judge_of(canary=True).signature,
        judge_of(contradictions=True).signature,
        judge_of(criteria=True).signature,
        create("another", (), Settings()).signature,
    ]
    assert len({plain, *others}) == 7
    assert "|" not in create("a model|x", (), Settings()).signature
    assert " " not in create("a model|x", (), Settings()).signature
