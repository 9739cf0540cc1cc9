"""evaluate() against a second implementation of the flowchart and its measures."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from argue_eval.evaluation.pipeline import evaluate
from tests.reference import naive, tracks
from tests.reference.tracks import folder as folder


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(tracks.tracks(), tracks.options())
def test_scores_are_those_of_an_independent_implementation(
    folder: Path, track: naive.Track, options: naive.Options
) -> None:
    job = tracks.write(track, folder, options, [])
    (scores,) = evaluate(job)
    topics = [
        topic
        for topic in track["nuggets"]
        if topic in track["reports"] or not options["only_answered"]
    ]
    found = {
        (row.topic_id, row.measure): (row.lower, row.upper, row.value or 0.0)
        for row in scores.table.rows
    }
    expected = {
        (topic, name): value
        for topic in topics
        for name, value in naive.topic_scores(track, topic, options).items()
    }
    expected |= {
        ("all", name): value for name, value in naive.all_scores(track, topics, options).items()
    }
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx((value, value, value), abs=1e-12), key
    assert scores.table.counts["num_unjudged"] == 0
