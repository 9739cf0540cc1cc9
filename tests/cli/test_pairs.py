"""``meta-eval --pairs``: judges on files of assessed pairs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import argue_eval as ae
from argue_eval.formats.pairs import read_pairs
from argue_eval.judges.llm import judge as llm
from tests.chat_server import Answer, ChatServer, Received, says
from tests.cli.conftest import Command
from tests.tiny_track import Json, write_lines


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Pairs that the lexical judge can answer, in the working directory."""
    monkeypatch.chdir(tmp_path)
    lines: list[Json] = []
    for year in range(1900, 1940):
        document = f"The Halden dam was built in {year} by Norsk Hydro and holds 90 million tonnes."
        right, other = f"The Halden dam was built in {year}.", "A flood took the old bridge of Vik."
        lines.append({"claim": right, "document": document, "label": "Supports"})
        lines.append({"claim": other, "document": document, "label": "Neutral"})
    return write_lines("pairs.jsonl", lines)


def test_the_command_asks_compares_and_calibrates(argue_eval: Command, real: str) -> None:
    ran = argue_eval(f"meta-eval --pairs {real} --calibrate cal.json --resamples 50")
    assert ran.code == 0, ran.err
    assert "truth: assessor:pairs" in ran.out
    assert "80 questions judged by both in 40 topics" in ran.out
    assert "balanced accuracy of calibrated ones, cross-validated  1.0000" in ran.out
    again = argue_eval(
        f"meta-eval --pairs {real} --calibration cal.json --sure --resamples 0 --json"
    )
    assert again.code == 0, again.err
    (agreement,) = json.loads(again.out)["agreements"]
    assert "/calibrated-" in agreement["judge"]
    assert "sure of 80 of 80 support answers (100.0%)" in again.err


def test_a_dry_run_prices_and_a_limit_leaves_pairs_open(argue_eval: Command, real: str) -> None:
    dry = argue_eval(f"meta-eval --pairs {real} --judge lexical --store s.store --dry-run")
    assert dry.code == 0
    assert dry.out.split("\n")[1].split()[1:5] == ["80", "80", "0", "80"]
    assert not Path("s.store").exists()
    assert argue_eval(f"meta-eval --pairs {real} --store s.store --resamples 0").code == 0
    dry = argue_eval(f"meta-eval --pairs {real} --store s.store --dry-run")
    assert dry.out.split("\n")[1].split()[1:5] == ["80", "80", "80", "0"]


def test_a_judge_that_answers_nothing_is_not_asked(argue_eval: Command, real: str) -> None:
    ran = argue_eval(f"meta-eval --pairs {real} --judge none")
    assert (ran.code, ran.out) == (2, "")
    assert "the judge 'none' answers nothing" in ran.err


def test_pairs_come_through_standard_input(
    argue_eval: Command, real: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path(real).open("rb") as stream:
        monkeypatch.setattr("sys.stdin", type("In", (), {"buffer": stream}))
        ran = argue_eval("meta-eval --pairs - --resamples 0")
    assert ran.code == 0, ran.err
    assert "80 questions judged by both" in ran.out


def test_a_model_that_is_asked_several_times_is_compared_with_itself(
    argue_eval: Command, real: str
) -> None:
    def script(request: Received) -> Answer:
        """Says yes; in the third draw, no to every second document."""
        years = re.findall(r"in (19\d\d) by", request.prompt)
        is_no = request.body["seed"] == 2 and int(years[0]) % 2
        return says(json.dumps(dict.fromkeys(request.labels, "no" if is_no else "yes")))

    settings = ae.Settings(repeat=3)
    with ChatServer(script) as server, server.environment():
        ran = argue_eval(f"meta-eval --pairs {real} --judge llm:tiny --repeat 3 --json")
        draws = ae.judge_pairs(real, "llm:tiny", settings=settings, store="judgments.store")
        own = ae.judge_pairs(real, [llm.create("tiny", (), settings)])
        judge = llm.create("tiny", (), settings)
        questions = [each.question for each in read_pairs(real)]
        at_once = {reply.index: reply for reply in judge.answer(questions)}
        dry = argue_eval(f"meta-eval --pairs {real} --judge llm:tiny --repeat 3 --dry-run")
    assert ran.code == 0, ran.err
    printed = json.loads(ran.out)
    (agreement,) = printed["agreements"]
    assert agreement["judge"].endswith("/repeat:3")
    (panel,) = printed["panels"]
    assert [name.rpartition("/")[2] for name in panel["judges"]] == ["draw:0", "draw:1", "draw:2"]
    unanimous = panel["figures"]["unanimous"]["value"]
    # The majority is what the judge says that is asked three times at once.
    for at, judgment in enumerate(draws.judgments):
        assert (judgment.verdict, judgment.prob) == (at_once[at].verdict, at_once[at].prob)
        assert judgment.judge == judge.signature
    assert own.judgments == draws.judgments
    assert own.draws == draws.draws
    assert unanimous == sum(each.prob == 1 for each in draws.judgments) / 80 == 0.5
    assert [line.split()[3] for line in dry.out.splitlines()[1:]] == ["80"] * 3  # all are stored


def test_draws_without_a_majority_leave_pairs_open(argue_eval: Command, real: str) -> None:
    def script(request: Received) -> Answer:
        verdict = "no" if request.body["seed"] else "yes"
        return says(json.dumps(dict.fromkeys(request.labels, verdict)))

    with ChatServer(script) as server, server.environment():
        found = ae.judge_pairs(real, "llm:tiny", settings=ae.Settings(repeat=2))
        ran = argue_eval(f"meta-eval --pairs {real} --judge llm:tiny --repeat 2")
    assert found.judgments == []
    assert len(found.draws[0]) == 160
    assert list(found.open_reasons.values()) == [80]
    assert ran.code != 0
    assert "no majority of 2 draws" in ran.err
