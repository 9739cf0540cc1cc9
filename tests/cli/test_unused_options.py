"""Options that can change nothing under a protocol are refused, not passed over."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Command
from tests.documented import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "key-points"
SCORE = ["score", str(EXAMPLE / "responses.jsonl"), str(EXAMPLE / "key-points.json")]

OF_ARGUE = "is for measures of the protocol argue,"
OF_POINTS = "is for measures of the protocol key-points,"
OF_CLAIMS = "is for measures of the protocols dragun, key-points, nuggetizer and rubrics,"


@pytest.mark.parametrize(
    ("command", "protocol", "option", "value", "told"),
    [
        ("score", "summhay", "--reading", "strict", OF_ARGUE),
        ("score", "key-points", "--citations", "micro", OF_ARGUE),
        ("score", "support", "--weights", "vital=3", OF_ARGUE),
        ("score", "summhay", "--attestation", "any-document", OF_ARGUE),
        ("judge", "nuggetizer", "--attestation", "any-document", OF_ARGUE),
        ("judge", "summhay", "--covers", "report", OF_CLAIMS),
        ("score", "argue", "--covers", "sentence", OF_CLAIMS),
        ("score", "argue", "--response-points", "x.json", OF_POINTS),
        ("judge", "summhay", "--response-points", "x.json", OF_POINTS),
    ],
)
def test_an_option_that_nothing_looks_at_is_a_usage_error(
    argue_eval: Command, command: str, protocol: str, option: str, value: str, told: str
) -> None:
    ran = argue_eval(command, *SCORE[1:], "--protocol", protocol, option, value)
    assert (ran.code, ran.out) == (2, "")
    assert f"{option} {told} and none of these is asked for" in ran.err


def test_a_measure_that_is_named_may_be_of_another_protocol(argue_eval: Command) -> None:
    ran = argue_eval(*SCORE, "-m", "argue_f1", "-m", "kpr", "--covers", "report", "--reading",
                     "strict", "--judge", "none", "--allow-unjudged")  # fmt: skip
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("measure", ["response_words", "words_per_bullet"])
def test_nothing_is_asked_for_the_length_of_a_report(argue_eval: Command, measure: str) -> None:
    ran = argue_eval(*SCORE, "-m", measure, "--judge", "none")
    assert (ran.code, ran.value("num_unjudged")) == (0, "0"), ran.err
    assert "unjudged" not in ran.err
    both = argue_eval(*SCORE, "-m", measure, "-m", "all_score", "--judge", "none")
    assert (both.code, both.value(measure)) == (4, ran.value(measure))
