"""AutoNuggetizer scores against the package `nuggetizer`. See differences.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval import formats, measures
from argue_eval.evaluation.scoring import score
from argue_eval.records import Nugget, TopicNuggets
from tests.making import TOPIC, evidence, report

metrics = pytest.importorskip("nuggetizer.core.metrics", reason="nuggetizer is not installed")

NAMES = ("all_score", "vital_score", "strict_all_score", "strict_vital_score")
VERDICTS = {"support": "yes", "partial_support": "partial", "not_support": "no"}

assignments = st.lists(
    st.tuples(st.sampled_from(["vital", "okay", "failed"]), st.sampled_from(list(VERDICTS))),
    max_size=8,
)


def read_back(drawn: list[tuple[str, str]], path: Path) -> TopicNuggets:
    """The nuggets as our reader gets them from nuggetizer's own file."""
    nuggets = [
        {"text": f"claim {place}", "importance": importance}
        for place, (importance, _) in enumerate(drawn)
    ]
    path.write_text(json.dumps({"query": "q", "qid": TOPIC, "nuggets": nuggets}) + "\n")
    (topic,) = formats.read_nuggets(str(path))
    return topic


def ours(nuggets: tuple[Nugget, ...], drawn: list[tuple[str, str]]) -> dict[str, float]:
    facts = [
        ("covers", "s", VERDICTS[assigned], nugget.nugget_id)
        for nugget, (_, assigned) in zip(nuggets, drawn, strict=True)
    ]
    found = evidence(nuggets, report(("s", [])), facts, protocols=["nuggetizer"])
    families = measures.select(["nuggetizer"])
    table = score("run", "", "", [found], families)
    return {row.measure: row.value or 0.0 for row in table.averages()}


def theirs(drawn: list[tuple[str, str]]) -> dict[str, float]:
    record = [{"importance": importance, "assignment": assigned} for importance, assigned in drawn]
    found = metrics.calculate_nugget_scores(TOPIC, record)
    return {name: getattr(found, name) for name in NAMES}


@given(assignments.filter(bool))
def test_scores_are_those_of_nuggetizer(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, str]]
) -> None:
    topic = read_back(drawn, tmp_path_factory.getbasetemp() / "nuggets.jsonl")
    assert ours(topic.nuggets, drawn) == pytest.approx(theirs(drawn), abs=1e-12)


def test_a_failed_importance_counts_among_all_nuggets_in_both(tmp_path: Path) -> None:
    drawn = [("vital", "support"), ("failed", "not_support")]
    topic = read_back(drawn, tmp_path / "nuggets.jsonl")
    assert topic.nuggets[1].importance is None
    assert topic.nuggets[1].extra == {"importance": "failed"}
    expected = {"all_score": 0.5, "vital_score": 1.0}
    for found in (ours(topic.nuggets, drawn), theirs(drawn)):
        assert {name: found[name] for name in expected} == expected


def test_without_vital_nuggets_ours_is_undefined_and_theirs_is_zero(tmp_path: Path) -> None:
    drawn = [("okay", "support")]
    topic = read_back(drawn, tmp_path / "nuggets.jsonl")
    facts = [("covers", "s", "yes", topic.nuggets[0].nugget_id)]
    found = evidence(topic.nuggets, report(("s", [])), facts, protocols=["nuggetizer"])
    table = score("run", "", "", [found], measures.select(["vital_score"]))
    (row,) = [row for row in table.rows if row.topic_id == TOPIC]
    assert (row.value, row.is_undefined) == (None, True)
    assert (table.value("vital_score"), table.counts["num_undefined"]) == (0.0, 1)
    assert theirs(drawn)["vital_score"] == 0.0
