"""``argue-eval meta-eval --contrast``: a judge on the probes, and its agreement with itself."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import krippendorff
import pytest

import argue_eval as ae
from tests.chat_server import Answer, ChatServer, Received, says
from tests.cli.conftest import Command

pytestmark = pytest.mark.usefixtures("files")


def test_the_command_prints_what_the_function_returns(argue_eval: Command) -> None:
    ran = argue_eval("meta-eval --contrast lexical --kind support --json")
    found = ae.contrast("lexical", kinds=["support"])
    printed = json.loads(ran.out)
    assert ran.code == 0
    assert printed["judges"] == list(found.judges)
    assert printed["pairs"]["all"]["accuracy"] == found.pairs["all"].accuracy
    assert len(printed["failures"]) == len(found.failures)
    assert printed["forms"] == {name: each._asdict() for name, each in found.forms.items()}
    text = argue_eval("meta-eval --contrast lexical --kind support").out
    assert f"judge: {found.judges[0]}\nkinds: support\n" in text
    for each in found.failures[:2]:
        assert each.text in text
    page = argue_eval("meta-eval --contrast lexical --kind answers --format markdown").out
    assert page.startswith("# A judge on the probes\n")
    assert "another form" not in page


def test_a_model_is_asked_several_times_and_compared_with_itself(argue_eval: Command) -> None:
    seen: list[Received] = []

    def script(request: Received) -> Answer:
        """Says yes in the first two draws, and in the third to about half of the prompts."""
        seen.append(request)
        is_no = request.body["seed"] == 2 and len(request.prompt) % 2
        return says(json.dumps(dict.fromkeys(request.labels, "no" if is_no else "yes")))

    command = "meta-eval --contrast llm:tiny --kind answers --repeat 3 --json"
    with ChatServer(script) as server, server.environment():
        ran = argue_eval(command)
        assert ran.code == 0
        num_calls = len(seen)
        again = argue_eval(command)
    assert len(seen) == num_calls  # the store has all draws
    assert {request.body["temperature"] for request in seen} == {1.0}
    assert Counter(request.body["seed"] for request in seen) == dict.fromkeys(
        range(3), num_calls // 3
    )
    found = json.loads(ran.out)
    assert again.out == ran.out
    assert (len(found["judges"]), found["num_draws"], found["num_open"]) == (3, 3, 0)
    assert found["pairs"]["all"]["num_right"] == found["pairs"]["all"]["num_pairs"]
    (panel,) = found["self_agreement"]
    figures = {name: each["value"] for name, each in panel["figures"].items()}
    num = panel["num"]
    num_split = round((1 - figures["unanimous"]) * num)
    assert 0 < num_split < num
    rows = [[1] * num, [1] * num, [0] * num_split + [1] * (num - num_split)]
    expected = krippendorff.alpha(rows, level_of_measurement="nominal")
    assert figures["alpha"] == pytest.approx(expected)
    assert figures["accuracy"] == pytest.approx((1 + 2 * (1 - num_split / num)) / 3)


def test_a_call_that_fails_leaves_probes_open(argue_eval: Command) -> None:
    with ChatServer(lambda request: says("no idea")) as server, server.environment():
        ran = argue_eval("meta-eval --contrast llm:tiny --kind covers --store x.store")
    assert ran.code == 4
    assert re.search(r"^all +30 +- +- +18 +- +- +60$", ran.out, re.M)
    assert "0 verdicts not as expected" in ran.out
    assert "covers" in ran.err


def test_a_dry_run_asks_nothing_and_prices_every_draw(argue_eval: Command) -> None:
    Path("prices.toml").write_text("[tiny]\nprompt = 1.0\nreply = 2.0\n", "utf-8")
    command = (
        "meta-eval --contrast llm:tiny --kind covers --repeat 2 --prices prices.toml --dry-run"
    )
    ran = argue_eval(command)
    assert ran.code == 0
    rows = [line.split() for line in ran.out.splitlines()[1:]]
    assert [row[0].rpartition("/")[2] for row in rows] == ["draw:0", "draw:1"]
    assert [row[1:6] for row in rows] == [["60", "60", "0", "60", "60"]] * 2
    assert float(rows[0][-1]) > 0
    assert not Path("judgments.store").exists()
