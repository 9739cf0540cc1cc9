"""Requests, topics, and what the two files must have in common."""

from __future__ import annotations

from argue_eval import formats
from argue_eval.validation.ingest import ingest_nuggets, ingest_requests
from tests.ingest.taking import Taking, codes, nugget, only, qrels, request, warnings_only


def test_good_requests_are_taken_in_as_they_are(taking: Taking) -> None:
    taken = taking.requests(request("1", limit=500), request("2", limit=900))
    assert codes(taken) == []
    assert taken.text.splitlines()[0] == (
        '{"topic_id":"1","title":"Bridge 1","problem_statement":"Who built the bridge 1?",'
        '"background":"I plan a tour.","limit":500}'
    )


def test_a_field_that_none_has_is_not_told(taking: Taking) -> None:
    taken = ingest_requests([taking.path("topics.tsv", "7\tWho built it?", "8\tWho came?")])
    assert codes(taken) == []


def test_several_sources_become_one_file(taking: Taking) -> None:
    sources = [taking.path("a.jsonl", request("1")), taking.path("b.tsv", "2\tWho came?")]
    taken = ingest_requests(sources)
    assert warnings_only(taken)
    assert len(taken.text.splitlines()) == 2


def test_a_topic_in_two_sources_is_an_error_at_the_second(taking: Taking) -> None:
    sources = [taking.path("a.jsonl", request("1")), taking.path("b.jsonl", request("1"))]
    taken = ingest_requests(sources)
    error = only(taken, "duplicate_topic")
    assert error.file == sources[1]
    assert f"{sources[0]}:1" in error.message
    assert taken.has_errors
    assert taken.text == ""


def test_errors_of_all_sources_are_told(taking: Taking) -> None:
    sources = [taking.path(name, '{"topic_id": 7, "title": 1}') for name in ("a.jsonl", "b.jsonl")]
    taken = ingest_requests(sources)
    assert {finding.file for finding in taken.findings} == set(sources)
    assert taken.text == ""


def test_nuggets_without_topics_are_an_error(taking: Taking) -> None:
    only(ingest_nuggets([taking.path("q.json", qrels())]), "no_topics")


def test_a_topic_without_nuggets_is_told(taking: Taking) -> None:
    path = taking.path("q.json", qrels(t1=[nugget("n1", ("Lund", ["d1"]))], t2=[]))
    assert only(ingest_nuggets([path]), "empty_topic").topic_id == "t2"


def test_judgments_of_support_have_topics_without_nuggets(taking: Taking) -> None:
    report = {"run_id": "r", "topic_id": "t1", "sentences": [{"sentenceID": 0, "text": "A."}]}
    path = taking.path("judged.jsonl", report, {**report, "run_id": "s"})
    assert [(each.code, each.line) for each in ingest_nuggets([path]).findings] == [
        ("empty_topic", 1)
    ]
    again = taking.path("more.jsonl", {**report, "run_id": "t"}, {**report, "topic_id": "t2"})
    assert [each.topic_id for each in formats.read_nuggets([path, again])] == ["t1", "t2"]


def test_topics_that_only_one_file_has_are_told(taking: Taking) -> None:
    path = taking.path("q.json", qrels(t1=[nugget("n1", ("Lund", ["d1"]))]))
    requests = taking.path("requests.jsonl", request("t2"))
    taken = ingest_nuggets([path], requests=requests)
    found = {(each.code, each.file, each.topic_id) for each in taken.findings}
    assert found == {
        ("topic_not_requested", path, "t1"),
        ("topic_without_nuggets", requests, "t2"),
    }


def test_strict_makes_errors_of_warnings(taking: Taking) -> None:
    taken = taking.nuggets(nugget("n1", ("unknown", ["d1"])), is_strict=True)
    assert taken.has_errors
    assert taken.text == ""
    assert taking.nuggets(nugget("n1", ("unknown", ["d1"]))).text
