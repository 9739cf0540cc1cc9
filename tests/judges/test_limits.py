"""How far judging may go."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from argue_eval.judges.limits import Limits, Meter, Price

PRICE = Price(prompt=2.0, reply=10.0)


def test_calls_are_counted_and_stop_at_their_number() -> None:
    limits = Limits(max_calls=3)
    assert [Meter(limits).begin() for _ in range(5)] == [True] * 3 + [False] * 2
    assert (limits.num_calls, limits.halted) == (3, "--max-calls 3 reached")


def test_no_call_begins_that_could_cost_more_than_is_left() -> None:
    limits = Limits(max_cost=1.0)
    meter = Meter(limits, PRICE, prompt_tokens=50_000, max_tokens=50_000)
    assert meter.begin()
    assert not meter.begin()  # the first may cost its 0.6 yet
    assert limits.halted == "--max-cost 1 reached"


def test_what_a_call_has_cost_takes_the_place_of_what_it_could_cost() -> None:
    limits = Limits(max_cost=1.0)
    meter = Meter(limits, PRICE, prompt_tokens=50_000, max_tokens=50_000)
    assert meter.begin()
    meter.end(100_000, 0)
    assert limits.cost == 0.2
    assert meter.begin()
    meter.end(0, 10_000)
    assert limits.cost == pytest.approx(0.3)
    assert (limits.prompt_tokens, limits.reply_tokens) == (100_000, 10_000)


def test_where_a_server_does_not_report_the_use_the_most_is_counted() -> None:
    limits = Limits()
    meter = Meter(limits, PRICE, prompt_tokens=50_000, max_tokens=50_000)
    assert meter.begin()
    meter.end(None, None)
    assert (limits.prompt_tokens, limits.reply_tokens) == (50_000, 50_000)
    assert limits.cost == pytest.approx(0.6)


def test_first_reason_to_stop_stays() -> None:
    limits = Limits(max_calls=1)
    limits.halt("interrupted")
    assert not Meter(limits).begin()
    assert (limits.halted, limits.is_interrupted, limits.num_calls) == ("interrupted", True, 0)


def test_threads_together_begin_no_more_calls_than_are_allowed() -> None:
    limits = Limits(max_calls=500)
    with ThreadPoolExecutor(8) as pool:
        allowed = list(pool.map(lambda _: Meter(limits).begin(), range(2000)))
    assert sum(allowed) == limits.num_calls == 500
