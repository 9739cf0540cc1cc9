"""Mistakes in calls of the Python interface are told, whichever function is called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import argue_eval as ae

ROOT = Path(__file__).parents[2]
JUDGMENTS = ROOT / "qrels/example.judgments.jsonl"

untyped: Any = ae


@pytest.fixture(scope="module")
def scores() -> ae.Scores:
    runs = [ROOT / f"runs/{name}.jsonl" for name in ("careful", "sparse")]
    return ae.score(runs, ROOT / "qrels/example.json", judgments=JUDGMENTS, judge="none")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: untyped.compare([s]), "expected what score or read_scores returned or files"),
        (lambda s: untyped.compare(None), "or files, found NoneType"),
        (lambda s: untyped.leaderboard(5), "or files, found int"),
        (lambda s: untyped.leaderboard(s, "argue_f"), "Did you mean 'argue_f1'?"),
        (lambda s: untyped.leaderboard({}), "or files, found dict without a run"),
        (lambda s: untyped.sample({}, 5), "returned, found dict without a run"),
        (lambda s: untyped.reusability({}), "returned, found dict without a run"),
        (lambda s: untyped.sample("scores", 5), "score or read_scores returned, found str"),
        (lambda s: untyped.sample(s, "5"), "size (-n): expected 1 or more, found '5'"),
        (lambda s: untyped.sample(s, -5), "size (-n): expected 1 or more, found -5"),
        (lambda s: untyped.reusability([s]), "returned, found list"),
        (lambda s: untyped.correct([s], JUDGMENTS), "returned, found list"),
        (lambda s: untyped.report([s], "page.html"), "or the folder of score -o, found list"),
        (lambda s: untyped.report(s, "page.html", measures="argue_f"), "Did you mean 'argue_f1'?"),
        (lambda s: untyped.pool(s), "runs: expected a file or Run records, found Scores"),
    ],
)  # fmt: skip
def test_a_mistake_is_told(scores: ae.Scores, call: Callable[[Any], object], message: str) -> None:
    with pytest.raises(ae.UsageError) as caught:
        call(scores)
    assert message in str(caught.value)


def test_one_measure_needs_no_list(scores: ae.Scores) -> None:
    assert ae.leaderboard(scores, "argue_f1").measures == ["argue_f1"]
    assert repr(ae.leaderboard(scores, "argue_f1")) == (
        "<Leaderboard of 2 runs, sorted by argue_f1>"
    )
