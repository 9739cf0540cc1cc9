"""``argue-eval curate filter``: claims kept by the probability of a yes."""

from __future__ import annotations

import json
import re
from math import log
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import Answer, Received, fails, says
from tests.cli.conftest import Command
from tests.curation.track import claim, claims, nuggets, run, write_nuggets

FILTER = (
    "curate filter points.json --requests questions.jsonl --model m -o kept.json "
    "--left-out rest.json"
)


@pytest.fixture(autouse=True)
def points(folder: Path) -> None:
    """Three claims, and one of a topic without request."""
    write_nuggets(
        q1=[claim("q1-p1", "fire"), claim("q1-p2", "baker")],
        q2=[claim("q2-p1", "rye")],
        q9=[claim("q9-p1", "other")],
    )


def says_with(text: str, probs: dict[str, float], finish_reason: str = "stop") -> Answer:
    """A reply of one word with the probabilities of first tokens."""
    answer = says(text, finish_reason)
    value = json.loads(answer.body)
    top = [{"token": token, "logprob": log(prob)} for token, prob in probs.items()]
    value["choices"][0]["logprobs"] = {"content": [{"token": text, "top_logprobs": top}]}
    return answer._replace(body=json.dumps(value).encode())


def by_claim(**answers: Answer) -> Any:
    def script(received: Received) -> Answer:
        return next(each for claim, each in answers.items() if f'"{claim}"' in received.prompt)

    return script


PROBS = by_claim(
    fire=says_with("YES", {"YES": 0.6, " yes": 0.2, "NO": 0.1, "The": 0.1}),
    baker=says_with("NO", {"NO": 0.75, "YES": 0.25}),
    rye=says_with("YES", {"YES": 0.7, "NO": 0.3}, finish_reason="length"),
)


def test_the_score_is_the_probability_of_yes_among_yes_and_no(argue_eval: Command) -> None:
    ran, server = run(argue_eval, PROBS, FILTER)
    assert ran.code == 0, ran.err
    body = server.received[0].body
    assert (body["logprobs"], body["top_logprobs"]) == (True, 10)
    assert "response_format" not in body
    kept, rest = nuggets("kept.json"), nuggets("rest.json")
    assert kept["q1"][0]["score"] == pytest.approx(0.8 / 0.9, abs=1e-6)
    assert kept["q2"][0]["score"] == pytest.approx(0.7)
    assert rest["q1"][0]["score"] == pytest.approx(0.25)
    assert kept["q1"][0]["scored_by"].startswith("filter m/")
    assert claims("kept.json") == {"q1": ["fire"], "q2": ["rye"], "q9": ["other"]}
    assert claims("rest.json") == {"q1": ["baker"]}
    assert "2 claims kept, 1 left out, 1 kept without a score" in ran.err


@pytest.mark.parametrize(("threshold", "kept"), [("0.2", 3), ("0.75", 1), ("0.95", 0)])
def test_another_threshold_asks_nothing_again(
    argue_eval: Command, threshold: str, kept: int
) -> None:
    run(argue_eval, PROBS, FILTER)
    ran, server = run(argue_eval, fails(500), f"{FILTER} --threshold {threshold}")
    assert (ran.code, len(server.received)) == (0, 0)
    assert f"{kept} claims kept, {3 - kept} left out" in ran.err


def test_without_probabilities_a_yes_is_1_and_that_is_told(argue_eval: Command) -> None:
    script = by_claim(fire=says("Yes."), baker=says("**NO**"), rye=says("YES, it is"))
    ran, _ = run(argue_eval, script, FILTER)
    assert ran.code == 0
    assert nuggets("kept.json")["q1"][0]["score"] == 1.0
    assert nuggets("rest.json")["q1"][0]["score"] == 0.0
    assert "warning: 3 replies have no probability of yes" in ran.err


def test_a_server_that_knows_no_probabilities_is_asked_without(argue_eval: Command) -> None:
    def script(received: Received) -> Answer:
        if "logprobs" in received.body:
            return fails(400, "logprobs is not supported with this model")
        return says("YES")

    ran, _ = run(argue_eval, script, FILTER)
    assert ran.code == 0
    assert len(claims("kept.json")["q1"]) == 2


@pytest.mark.parametrize("text", ["", "Perhaps.", "The statement: YES", '{"verdict": "yes"}'])
def test_what_is_neither_yes_nor_no_leaves_the_claim_unscored_and_kept(
    argue_eval: Command, text: str
) -> None:
    ran, _ = run(argue_eval, says(text), FILTER)
    assert ran.code == 4
    assert "3 x the reply says neither YES nor NO" in ran.err
    assert "0 claims kept, 0 left out, 4 kept without a score" in ran.err
    assert all("score" not in each for listed in nuggets("kept.json").values() for each in listed)


def test_a_refusal_is_no_verdict(argue_eval: Command) -> None:
    ran, _ = run(argue_eval, says("No", refusal="No, I cannot help with that."), FILTER)
    assert ran.code == 4
    assert "4 kept without a score" in ran.err


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (says("YES", "content_filter"), "content filter"),
        (says("YES", "tool_calls"), "stopped for another reason"),
        (says("YE\u017f"), "neither YES nor NO"),
        (says("\x1cYES"), "neither YES nor NO"),
        (says("YES or NO"), "repeats the prompt"),
        (says("YES. The same question; statement"), "repeats the prompt"),
        (says_with("Perhaps", {"YES": 0.5}, "content_filter"), "content filter"),
    ],
)
def test_what_no_judge_would_read_is_no_score(
    argue_eval: Command, answer: Answer, told: str
) -> None:
    ran, _ = run(argue_eval, answer, FILTER)
    assert ran.code == 4
    assert told in ran.err
    assert "4 kept without a score" in ran.err


@pytest.mark.parametrize("number", ["NaN", "Infinity", "9" * 400, '"x"', "true", "5.0"])
def test_one_odd_probability_is_none_and_the_word_counts(argue_eval: Command, number: str) -> None:
    good = says_with("NO", {"YES": 0.9})
    odd = good._replace(
        body=re.sub(rb'"logprob": [^}]*', b'"logprob": ' + number.encode(), good.body)
    )
    ran, _ = run(argue_eval, by_claim(fire=odd, baker=good, rye=good), FILTER)
    assert ran.code == 0
    scores = [each.get("score") for listed in nuggets("kept.json").values() for each in listed]
    assert scores == [1.0, 1.0, None]  # of the baker, the rye, and the topic without request
    assert nuggets("rest.json")["q1"][0]["score"] == 0.0


@pytest.mark.parametrize("path", ["/dev/zero", "docs.jsonl"])
def test_replies_are_read_from_a_file_of_replies_alone(argue_eval: Command, path: str) -> None:
    ran, server = run(argue_eval, PROBS, f"{FILTER} --replies {path}")
    assert (ran.code, len(server.received)) == (1, 0)
    assert "expected a file of replies" in ran.err


def test_claims_of_a_topic_without_request_are_kept_and_told(argue_eval: Command) -> None:
    ran, server = run(argue_eval, PROBS, FILTER)
    assert "questions.jsonl lacks 1 topic: q9 (claims are kept without a score)" in ran.err
    assert len(server.received) == 3
    write_nuggets(q8=[claim("p1", "It burned.")])
    ran, server = run(argue_eval, PROBS, FILTER)
    assert (ran.code, server.received) == (1, [])
    assert "questions.jsonl: error [no_common_topic] it has none of the topics" in ran.err


def test_a_bank_without_claims_is_told(argue_eval: Command) -> None:
    write_nuggets(q1=[{**claim("n1", "It burned."), "question": "Why?"}])
    ran, _ = run(argue_eval, PROBS, FILTER)
    assert (ran.code, "no nugget is a claim" in ran.err) == (0, True)


@pytest.mark.parametrize(
    ("left_out", "code", "told"),
    [
        ("kept.json", 2, "--left-out and -o name the same file"),
        ("./kept.json", 2, "--left-out and -o name the same file"),
        ("no/rest.json", 3, "no/rest.json: there is no such folder"),
    ],
)
def test_where_the_others_go_is_checked_before_anything_is_asked(
    argue_eval: Command, left_out: str, code: int, told: str
) -> None:
    ran, server = run(argue_eval, PROBS, FILTER.replace("rest.json", left_out))
    assert (ran.code, len(server.received)) == (code, 0)
    assert told in ran.err
    assert not Path("kept.json").exists()


def test_a_threshold_that_is_no_number_is_refused(argue_eval: Command) -> None:
    ran, server = run(argue_eval, PROBS, f"{FILTER} --threshold nan")
    assert (ran.code, server.received) == (2, [])
    assert "--threshold: expected a number, found nan" in ran.err
