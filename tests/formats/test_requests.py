"""Report requests of all tracks."""

from __future__ import annotations

import json

import pytest

from argue_eval.errors import InputError
from argue_eval.records import ReportRequest
from tests.formats import samples as s
from tests.formats.reading import Reading


def test_canonical_request_is_read_with_all_its_keys(reading: Reading) -> None:
    (request,) = reading.requests(
        s.request(limit=300, limit_unit="words", collection_ids=["c"], language="en", year=2026)
    )
    assert request == ReportRequest(
        "t1",
        "Bridges",
        "Which bridges were rebuilt?",
        "I plan a tour.",
        300,
        "words",
        ("c",),
        "en",
        {"year": 2026},
    )


@pytest.mark.parametrize(
    "change",
    [
        {"topic_id": ..., "request_id": "t1", "collection_ids": ["c"]},
        {"collection_id": "c"},
    ],
)
def test_neuclir_and_ragtime_requests_have_their_collection(
    reading: Reading, change: s.Json
) -> None:
    (request,) = reading.requests(s.request(limit=2000, **change))
    assert (request.topic_id, request.collection_ids, request.limit) == ("t1", ("c",), 2000)
    assert request.extra == {}


def test_table_of_ids_and_texts_is_read(reading: Reading) -> None:
    requests = reading.requests("rag-1\tHow are bridges built?\r\n\nrag-2\t桥\n".encode())
    assert [(each.topic_id, each.problem_statement) for each in requests] == [
        ("rag-1", "How are bridges built?"),
        ("rag-2", "桥"),
    ]


def test_table_with_a_header_is_read_by_its_columns(reading: Reading) -> None:
    rows = "Topic ID;Title;problem_statement;limit;limit_unit\n007;Bees;What do they do?;200;words"
    (request,) = reading.requests(rows.encode("utf-8-sig"))
    assert request == ReportRequest(
        "007", "Bees", "What do they do?", limit=200, limit_unit="words"
    )
    assert reading.requests(rows.replace(";", "\t").encode()) == [request]


def test_header_of_other_columns_is_no_request(reading: Reading) -> None:
    with pytest.raises(InputError, match="table_header"):
        reading.requests(b"qid\tquery\n1\tBees")


def test_rag_2025_requests_are_read_as_lines_and_as_a_list(reading: Reading) -> None:
    (line,) = reading.requests({"id": "14", "title": "How are bridges built?"})
    (item,) = reading.requests(json.dumps([{"id": 14, "narrative": "How …?"}], indent=1).encode())
    assert (line.topic_id, line.problem_statement) == ("14", "How are bridges built?")
    assert (item.topic_id, item.problem_statement) == ("14", "How …?")


def test_dragun_request_keeps_the_article(reading: Reading) -> None:
    (request,) = reading.requests({"docid": "msmarco_1", "title": "Bridges", "body": "Text."})
    assert (request.topic_id, request.title) == ("msmarco_1", "Bridges")
    assert request.extra == {"body": "Text."}


def test_objects_that_run_together_are_read_with_a_warning(reading: Reading) -> None:
    values = [s.request(topic_id=each) for each in "abc"]
    requests = reading.requests(b" ".join(s.lines(value).strip() for value in values))
    assert [request.topic_id for request in requests] == ["a", "b", "c"]
    assert reading.codes() == ["run_together"]
    assert "3 JSON objects" in reading.warnings[0].message
