"""What holds for every measure on every track."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from argue_eval.evaluation.pipeline import evaluate
from tests.reference.naive import Options, Track
from tests.reference.tracks import folder as folder
from tests.reference.tracks import options, questions, tracks, write

SIGNED = {"contradictory_score"}

Values = dict[tuple[str, str], float]

quick = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

RECALLS = ("nugget_recall", "nugget_coverage", "correct_nuggets", "citation_relevance")


def values(folder: Path, track: Track, chosen: Options, *measures: str) -> Values:
    job = write(track, folder, chosen, list(measures))
    (scores,) = evaluate(job)
    return {(row.topic_id, row.measure): row.value or 0.0 for row in scores.table.rows}


def changed(track: Track, **parts: Any) -> Track:
    return {**track, **parts}


@quick
@given(tracks(), options())
def test_ratios_are_between_0_and_1_and_bounds_around_the_value(
    folder: Path, track: Track, chosen: Options
) -> None:
    job = write(track, folder, chosen, ["all"])
    (scores,) = evaluate(job)
    for row in scores.table.rows:
        assert (-1 if row.measure in SIGNED else 0) <= row.lower <= row.upper, row
        assert row.upper <= 1 or row.is_count, row
        assert row.value is None or row.lower - 1e-12 <= row.value <= row.upper + 1e-12, row


@quick
@given(tracks(), options(), st.data())
def test_recall_never_falls_when_one_more_answer_is_given(
    folder: Path, track: Track, chosen: Options, data: st.DataObject
) -> None:
    missing = [q for q in questions(track) if q[1] == "answers" and q not in track["yes"]]
    assume(missing)
    question = data.draw(st.sampled_from(missing))
    before = values(folder, track, chosen)
    after = values(folder, changed(track, yes=track["yes"] | {question}), chosen)
    for key, value in before.items():
        if key[1].startswith(RECALLS):
            assert after[key] >= value, key


@quick
@given(tracks(), options())
def test_support_for_every_citation_never_lowers_the_support_measures(
    folder: Path, track: Track, chosen: Options
) -> None:
    supported = {question for question in questions(track) if question[1] == "support"}
    names = ("citation_support", "sentence_support", "weighted_precision", "weighted_recall")
    before = values(folder, track, chosen, *names)
    best = values(folder, changed(track, yes=track["yes"] | supported), chosen, *names)
    assert all(best[key] >= value for key, value in before.items())
    assert {value for (_, name), value in best.items() if name == "citation_support"} <= {0.0, 1.0}


@quick
@given(tracks(), options(), st.randoms(use_true_random=False))
def test_order_of_topics_reports_and_nuggets_changes_nothing(
    folder: Path, track: Track, chosen: Options, random: Any
) -> None:
    chosen = {**chosen, "weights": {"vital": 0.1, "okay": 0.7, "none": 0.2}}
    before = values(folder, track, chosen, "all")
    topics = list(track["nuggets"])
    random.shuffle(topics)
    shuffled = {topic: random.sample(found, len(found)) for topic in topics
                for found in [track["nuggets"][topic]]}  # fmt: skip
    reports = dict(reversed(track["reports"].items()))
    other = changed(track, nuggets=shuffled, reports=reports)
    assert values(folder, other, chosen, "all") == before
