"""What only several files together show."""

from __future__ import annotations

import pytest

from argue_eval.errors import Findings, InputError
from argue_eval.evaluation.crosschecks import (
    check_attestation,
    check_attesting,
    check_run_topics,
    topics_to_score,
)
from argue_eval.records import Document, TopicNuggets
from tests.making import nugget


def topic(topic_id: str, *doc_ids: str) -> TopicNuggets:
    return TopicNuggets(topic_id, (nugget(f"{topic_id}-n1", ("a", doc_ids), ("b", doc_ids)),))


def test_nuggets_without_documents_stop_the_scoring() -> None:
    with pytest.raises(InputError, match="any-document"):
        check_attestation("q", [topic("1"), topic("2")], Findings())


def test_one_placeholder_for_all_topics_stops_the_scoring() -> None:
    with pytest.raises(InputError, match="'doc'"):
        check_attestation("q", [topic(str(number), "doc") for number in range(5)], Findings())


def test_a_topic_that_rests_on_one_document_is_no_placeholder() -> None:
    found = Findings()
    check_attestation("q", [topic("1", "D1"), topic("2", "D2")], found)
    check_attestation("q", [topic("1", "D1")], found)
    check_attestation("q", [topic("1", "D1"), topic("2", "D1")], found)
    assert found.listed == []


def test_some_topics_without_documents_are_warned_of() -> None:
    found = Findings()
    check_attestation("q", [topic("1", "D1"), topic("2")], found)
    assert [(each.code, each.message[:7]) for each in found.listed] == [
        ("no_attestation", "1 topic")
    ]


def test_an_absence_nugget_alone_needs_no_document() -> None:
    check_attestation("q", [TopicNuggets("1", (nugget("n1"),))], Findings())


def test_a_mistyped_document_id_is_told_with_the_nearest_one() -> None:
    found = Findings()
    documents = {"doc-0123": Document("doc-0123")}
    check_attesting("q", [topic("1", "doc-0132")], set(), documents, found)
    assert "doc-0132 meant to be doc-0123" in found.listed[0].message


def test_requests_and_nuggets_of_two_tracks_have_nothing_to_score() -> None:
    with pytest.raises(InputError, match="no topic of the requests"):
        topics_to_score("q", ["9"], [topic("1", "D1")], Findings())


def test_a_run_of_another_track_is_an_error_and_a_missing_topic_a_warning() -> None:
    found = Findings()
    assert check_run_topics("r", [["9"]], ["1", "2"], found)[0].code == "no_common_topic"
    assert check_run_topics("r", [["1"]], ["1", "2"], found) == []
    assert [each.code for each in found.listed] == ["missing_topics"]
