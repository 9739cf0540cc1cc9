"""Runs: three sentence lists, three shapes of citations."""

from __future__ import annotations

import gzip
import json

import pytest

from argue_eval import formats
from argue_eval.errors import InputError
from argue_eval.formats.jsonl import Source
from argue_eval.records import Citation, Document, Sentence
from tests.formats import samples as s
from tests.formats.reading import DATA, Reading, needs_data

TEXT = "The old bridge was rebuilt."


def test_canonical_report_is_read_with_its_ids_and_line(reading: Reading) -> None:
    other = s.report(metadata=s.meta(topic_id="t2"), responses=[])
    first, second = reading.run(s.report(), other)
    assert (first.topic_id, first.run_id, first.team_id, first.line) == ("t1", "run", "team", 1)
    assert first.sentences == (Sentence(TEXT, (Citation("d1"),)),)
    assert (second.topic_id, second.sentences, second.line) == ("t2", (), 2)
    assert reading.warnings == []


@pytest.mark.parametrize(
    ("cited", "expected"),
    [
        ([], ()),
        ({}, ()),
        (["d2", "d1"], (Citation("d2"), Citation("d1"))),
        ({"d2": 0.5, "d1": 1}, (Citation("d2", 0.5), Citation("d1", 1))),
        ({"d2": None}, (Citation("d2"),)),
        ([1, 0], (Citation("b"), Citation("a"))),
        (["a", 1], (Citation("a"), Citation("b"))),
    ],
)
def test_citations_of_every_shape_keep_their_order(
    reading: Reading, cited: object, expected: tuple[Citation, ...]
) -> None:
    sentence = {"text": TEXT, "citations": cited}
    (report,) = reading.run(s.report(responses=[sentence], references=["a", "b"]))
    assert report.sentences[0].citations == expected
    assert report.references == ("a", "b")


def test_rag_report_has_its_topic_as_a_number_and_citations_as_indexes(reading: Reading) -> None:
    (report,) = reading.run(s.rag())
    assert report.topic_id == "7"
    assert report.sentences[0].citations == (Citation("d2"), Citation("d1"))


def test_indexes_point_into_references_as_they_stand_even_if_one_is_there_twice(
    reading: Reading,
) -> None:
    answer = [{"text": TEXT, "citations": [2]}]
    (report,) = reading.run(s.rag(references=["a", "a", "b"], answer=answer))
    assert report.sentences[0].citations == (Citation("b"),)
    assert report.references == ("a", "a", "b")


def test_flat_rag_2024_report_keeps_its_other_keys_as_metadata(reading: Reading) -> None:
    flat = {"run_id": "r", "topic_id": "9", "topic": "bridges", "response_length": 5}
    (report,) = reading.run(s.rag(metadata=..., **flat))
    assert (report.topic_id, report.run_id, report.team_id) == ("9", "r", "")
    assert report.metadata == {"topic": "bridges", "response_length": 5}


def test_neuclir_sentences_are_read(reading: Reading) -> None:
    sentences = [{"text": TEXT, "citations": ["d1"]}]
    flat = {"request_id": "300", "run_id": "r", "collection_ids": ["c"], "sentences": sentences}
    (report,) = reading.run(flat)
    assert (report.topic_id, report.run_id) == ("300", "r")
    assert report.sentences == (Sentence(TEXT, (Citation("d1"),)),)
    assert report.metadata == {"collection_ids": ["c"]}


def test_neuclir_sample_format_is_read_as_pairs(reading: Reading) -> None:
    flat = {"request_id": "300", "run_id": "r", "report": [[TEXT, ["d1", "d2"]], ["End.", []]]}
    (report,) = reading.run(flat)
    assert report.sentences == (
        Sentence(TEXT, (Citation("d1"), Citation("d2"))),
        Sentence("End."),
    )


def test_unknown_keys_are_kept_where_they_stood(reading: Reading) -> None:
    sentence = {"text": TEXT, "citations": [], "span": [0, 5]}
    value = s.report(metadata=s.meta(task="report"), responses=[sentence], seconds=3)
    (report,) = reading.run(value)
    assert report.metadata == {"task": "report"}
    assert report.sentences[0].extra == {"span": [0, 5]}
    assert report.extra == {"seconds": 3}


def test_embedded_documents_are_read(reading: Reading) -> None:
    found = {"d1": {"id": "d1", "title": "Bridges", "text": "Rebuilt.", "url": "u"}}
    (report,) = reading.run(s.report(documents=found))
    extra = {"id": "d1", "url": "u"}
    assert report.documents == {"d1": Document("d1", "Bridges", "Rebuilt.", None, extra)}


def test_document_cited_twice_in_a_sentence_is_kept_once_with_a_warning(reading: Reading) -> None:
    (report,) = reading.run(s.report(responses=[{"text": TEXT, "citations": ["d1", "d2", "d1"]}]))
    assert report.sentences[0].citations == (Citation("d1"), Citation("d2"))
    assert [(each.code, each.path) for each in reading.warnings] == [
        ("duplicate_citation", "$.responses[0].citations")
    ]


def test_missing_run_id_is_the_name_of_the_file_with_one_warning(reading: Reading) -> None:
    values = [s.report(metadata={"topic_id": each}) for each in "ab"]
    path = reading.path(values, "my.run.jsonl")
    reports = list(formats.read_run(path, warnings=reading.warnings))
    assert {report.run_id for report in reports} == {"my.run"}
    assert reading.codes() == ["missing_run_id"]
    assert "1 more" in reading.warnings[0].message


def test_sentence_without_citations_key_cites_nothing_with_a_warning(reading: Reading) -> None:
    (report,) = reading.run(s.report(responses=[{"text": TEXT}, {"text": TEXT}]))
    assert report.sentences == (Sentence(TEXT), Sentence(TEXT))
    assert reading.codes() == ["missing_citations"]


def test_id_with_white_space_around_it_is_kept_as_it_is_with_a_warning(reading: Reading) -> None:
    (report,) = reading.run(s.report(metadata=s.meta(topic_id="t1 ")))
    assert report.topic_id == "t1 "
    assert reading.codes() == ["id_whitespace"]


def test_warnings_of_one_kind_are_listed_up_to_a_limit(reading: Reading) -> None:
    sentence = {"text": TEXT, "citations": ["d1", "d1"]}
    reading.run(s.report(responses=[sentence] * 250))
    assert len(reading.warnings) == 101
    assert "150 more" in reading.warnings[-1].message


@pytest.mark.parametrize("packed", [False, True])
def test_run_is_read_packed_or_not_from_a_source(reading: Reading, packed: bool) -> None:
    raw = s.lines(s.report())
    content = gzip.compress(raw) if packed else raw
    path = reading.path(content, "run.jsonl.gz" if packed else "run.jsonl")
    assert len(list(formats.read_run(Source(path)))) == 1


@pytest.mark.parametrize("indent", [None, 1])
def test_run_may_be_one_json_list(reading: Reading, indent: int | None) -> None:
    values = [s.report(), s.report(metadata=s.meta(topic_id="t2"))]
    reports = reading.run(json.dumps(values, indent=indent).encode())
    assert [report.topic_id for report in reports] == ["t1", "t2"]


def test_pretty_printed_report_alone_in_a_file_is_read(reading: Reading) -> None:
    (report,) = reading.run(json.dumps(s.report(), indent=2).encode())
    assert report.sentences[0].text == TEXT


def test_named_format_is_used_whatever_the_content_looks_like(reading: Reading) -> None:
    value = {**s.rag(), "responses": []}
    assert reading.run(value, format_name="rag")[0].sentences != ()


def test_error_in_a_list_is_located_by_line_and_path(reading: Reading) -> None:
    values = [s.report(), s.report(metadata=s.meta(topic_id="t2"), responses=[{"text": 3}])]
    with pytest.raises(InputError) as caught:
        reading.run(json.dumps(values, indent=1).encode())
    (finding,) = caught.value.findings
    assert finding.path == "$[1].responses[0].text"
    raw = json.dumps(values, indent=1).splitlines()
    assert finding.line is not None
    assert raw[finding.line - 1].strip() == '"text": 3'


def test_texts_in_any_script_are_kept_as_they_are(reading: Reading) -> None:
    text = "桥梁\u2028重建了。 پل \U0001f309 e\u0301"
    (report,) = reading.run(s.report(responses=[{"text": text, "citations": ["δ"]}]))
    assert report.sentences == (Sentence(text, (Citation("δ"),)),)


@needs_data
@pytest.mark.parametrize(("name", "num"), [("T1_run_1", 2672), ("T1_run_2", 2704)])
def test_real_ragtime_runs_are_read_without_a_warning(
    reading: Reading, name: str, num: int
) -> None:
    path = DATA / "ragtime26" / f"{name}.jsonl"
    reports = list(formats.read_run(str(path), warnings=reading.warnings))
    assert len(reports) == 103
    assert sum(len(report.sentences) for report in reports) == num
    assert reading.warnings == []


@needs_data
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_real_runs_with_embedded_documents_are_read(reading: Reading, number: int) -> None:
    path = DATA / "kiddie" / "runs" / "repgen" / f"run{number}.jsonl"
    reports = list(formats.read_run(str(path), warnings=reading.warnings))
    assert len(reports) == 5
    for report in reports:
        cited = {each.doc_id for sentence in report.sentences for each in sentence.citations}
        assert cited <= set(report.documents)
    assert reading.warnings == []
