"""What only several files together show."""

from __future__ import annotations

import pytest

from argue_eval.errors import Findings, InputError
from argue_eval.evaluation.crosschecks import check_attestation
from argue_eval.records import TopicNuggets
from tests.making import nugget


def topic(topic_id: str, *doc_ids: str) -> TopicNuggets:
    return TopicNuggets(topic_id, (nugget(f"{topic_id}-n1", ("a", doc_ids), ("b", doc_ids)),))


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ([topic("1"), topic("2")], "any-document"),
        ([topic(str(number), "doc") for number in range(5)], "'doc'"),
    ],
)
def test_nuggets_that_attest_nothing_stop_the_scoring(
    topics: list[TopicNuggets], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        check_attestation("q", topics, Findings())


@pytest.mark.parametrize(
    ("topics", "found"),
    [
        ([topic("1", "D1"), topic("2", "D2")], []),
        ([topic("1", "D1")], []),
        ([topic("1", "D1"), topic("2", "D1")], []),
        ([TopicNuggets("1", (nugget("n1"),))], []),
        ([topic("1", "D1"), topic("2")], [("no_attestation", "1 topic")]),
    ],
    ids=["two", "one", "rest on one document", "absence nugget", "some without"],
)
def test_nuggets_that_attest_something_are_scored(
    topics: list[TopicNuggets], found: list[tuple[str, str]]
) -> None:
    findings = Findings()
    check_attestation("q", topics, findings)
    assert [(each.code, each.message[:7]) for each in findings.listed] == found
