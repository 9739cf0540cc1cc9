"""SummHay's files: a haystack holds nuggets, runs, documents, requests and judgments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from argue_eval.errors import InputError
from argue_eval.formats.jsonl import Source
from argue_eval.formats.judgments import summhay_labels
from argue_eval.formats.summhay_files import cited_numbers, without_marks
from argue_eval.records import Citation, Document, Judgment, Kind, ReportRequest, Sentence, Verdict
from tests.formats.reading import DATA, Reading, needs_data
from tests.formats.samples import changed

Json = dict[str, Any]

HARBOUR = str(Path(__file__).parents[2] / "docs" / "examples" / "summhay" / "harbour.json")


def haystack(subtopic: Json | None = None, **changes: Any) -> Json:
    """A haystack with one subtopic, two insights, three documents and one summary."""
    good = {
        "subtopic_id": "s1",
        "subtopic_name": "fares",
        "subtopic": "passengers talk about fares",
        "query": "What do fares cost?",
        "insights": [
            {"insight_id": "a", "insight_name": "return", "insight": "A return costs 18 euros."},
            {"insight_id": "b", "insight_name": "dogs", "insight": "Dogs travel free."},
        ],
        "retriever": {"oracle": {"x": 1}},
        "summaries": {"vector_m": ["- A return costs 18 euros [1,3].", "- Dogs are free."]},
        "eval_summaries": {"vector_m": [label("a", "FULL", 1), label("b", "PARTIAL", "2")]},
    }
    documents = [
        {"document_id": name, "document_text": f"text {name}", "insights_included": included}
        for name, included in (("x", ["a"]), ("y", []), ("z", ["a", "b"]))
    ]
    top = {
        "topic_id": "t",
        "topic": "the ferry",
        "subtopics": [changed(good, subtopic or {})],
        "documents": documents,
    }
    return changed(top, changes)


def label(insight_id: str, coverage: str, bullet: Any) -> Json:
    return {"insight_id": insight_id, "coverage": f"{coverage}_COVERAGE", "bullet_id": bullet}


def summary(**changes: Any) -> Json:
    """An annotated summary."""
    good = {
        "topic": "the ferry",
        "subtopic_id": "s1",
        "subtopic": "fares",
        "summary_key": "summary_subtopic_m",
        "summary": ["- A return costs 18 euros [1]."],
        "reference_insights": [{"insight_id": "a", "insight": "A return costs 18 euros."}],
        "annotation": [{"insight_id": "a", "coverage": "fully_covered", "candidate_id": "0"}],
    }
    return changed(good, changes)


def test_insights_are_claims_attested_by_the_places_of_their_documents(reading: Reading) -> None:
    (topic,) = reading.nuggets(haystack())
    assert topic.topic_id == "s1"
    assert [(each.nugget_id, each.question) for each in topic.nuggets] == [("a", None), ("b", None)]
    assert [each.answers[0][:2] for each in topic.nuggets] == [
        ("A return costs 18 euros.", ("1", "3")),
        ("Dogs travel free.", ("3",)),
    ]
    assert topic.nuggets[0].extra == {"insight_name": "return"}
    assert topic.extra.keys() == {"subtopic_name", "subtopic", "query"}
    assert reading.codes() == []


def test_a_summary_is_a_report_with_its_bullets_and_their_citations(reading: Reading) -> None:
    (report,) = reading.run(haystack())
    assert (report.topic_id, report.run_id) == ("s1", "vector_m")
    assert report.sentences == (
        Sentence("- A return costs 18 euros.", (Citation("1"), Citation("3")), {"num_words": 7}),
        Sentence("- Dogs are free."),
    )


def test_documents_and_requests_are_read_too(reading: Reading) -> None:
    path = reading.path(json.dumps(haystack(), indent=1).encode())
    documents = list(formats.iter_documents(path, {"1", "3"}))
    assert [(each.doc_id, each.text) for each in documents] == [("1", "text x"), ("3", "text z")]
    assert all(type(each) is Document for each in documents)
    (request,) = formats.read_topics(path)
    assert request == ReportRequest("s1", "fares", "What do fares cost?", "the ferry")


def covers(nugget_id: str, verdict: Verdict, bullet: int | None = None) -> Judgment:
    place = {"run_id": "vector_m", "nugget_id": nugget_id}
    return Judgment(Kind.COVERS, "s1", verdict, "eval_summaries", sentence_index=bullet, **place)  # type: ignore[arg-type]


def test_evaluations_are_judgments_of_the_summary_and_of_the_bullet(reading: Reading) -> None:
    """Bullets count from 1 in the file, and from 0 in a judgment."""
    assert reading.judgments(haystack()) == [
        covers("a", Verdict.YES),
        covers("a", Verdict.YES, 0),
        covers("b", Verdict.PARTIAL),
        covers("b", Verdict.PARTIAL, 1),
    ]


@pytest.mark.parametrize("bullet", ["NA", 0, 99, None, "x"])
def test_what_is_not_covered_needs_no_bullet(reading: Reading, bullet: Any) -> None:
    labels = {"eval_summaries": {"vector_m": [label("a", "NO", bullet)]}}
    assert reading.judgments(haystack(labels)) == [covers("a", Verdict.NO)]


@pytest.mark.parametrize("bullet", ["NA", "1, 2", [1, 2], None])
def test_without_one_bullet_the_coverage_is_judged_alone(reading: Reading, bullet: Any) -> None:
    labels = {"eval_summaries": {"vector_m": [label("a", "FULL", bullet)]}}
    assert reading.judgments(haystack(labels)) == [covers("a", Verdict.YES)]


@pytest.mark.parametrize("bullet", [0, 3, "3", -1, [9]])
def test_a_bullet_that_does_not_exist_is_an_error_that_says_how_many_there_are(
    reading: Reading, bullet: Any
) -> None:
    labels = {"eval_summaries": {"vector_m": [label("b", "NO", "NA"), label("a", "FULL", bullet)]}}
    with pytest.raises(InputError) as caught:
        reading.judgments(haystack(labels))
    (finding,) = caught.value.findings
    number = bullet[0] if type(bullet) is list else bullet
    assert finding.code == "no_such_bullet"
    assert finding.file.endswith("input.jsonl")
    assert finding.path.startswith("$.subtopics[0].eval_summaries.vector_m[1].bullet_id")
    assert finding.message == f"there is no bullet {number}: the summary has 2 bullets, from 1 on"


@pytest.mark.parametrize("key", ["summary_key", "summkey"])
def test_annotated_summaries_have_insights_without_documents_and_a_run_each(
    reading: Reading, key: str
) -> None:
    first, other = (
        {key if name == "summary_key" else name: each for name, each in value.items()}
        for value in (
            summary(),
            summary(summary_key="summary_subtopic_n", summary=["One [2].", "Two."]),
        )
    )
    (topic,) = reading.nuggets(first, other)
    assert [each.answers[0].doc_ids for each in topic.nuggets] == [()]
    assert reading.codes() == ["no_document_ids"]
    runs = reading.run(first, other)
    assert [(each.run_id, len(each.sentences)) for each in runs] == [
        ("summary_subtopic_m", 1),
        ("summary_subtopic_n", 2),
    ]
    (whole, bullet) = reading.judgments(first)
    assert (whole.judge, whole.sentence_index) == ("assessor:annotation", None)
    assert bullet.sentence_index == 0
    found = list(summhay_labels.read_summaries(Source(reading.path([first]))))
    assert [each.run_id for each in found] == ["summary_subtopic_m"]


MISTAKES: dict[str, tuple[str, Json, str, str]] = {
    "insights twice": (
        "nuggets",
        haystack({"insights": [{"insight_id": "a", "insight": "x"}] * 2}),
        "duplicate_nugget",
        "$.subtopics[0].insights[1]",
    ),
    "no insight": (
        "nuggets",
        haystack({"insights": [{"insight_id": "a"}]}),
        "missing_key",
        "$.subtopics[0].insights[0]",
    ),
    "subtopic without id": (
        "nuggets", haystack({"subtopic_id": ...}), "missing_key", "$.subtopics[0]",
    ),
    "documents are a number": ("nuggets", haystack(documents=3), "wrong_type", "$.documents"),
    "bullets in one text": (
        "runs",
        haystack({"summaries": {"m": "- a\n- b"}}),
        "wrong_type",
        "$.subtopics[0].summaries.m",
    ),
    "bullet is a number": (
        "runs",
        haystack({"summaries": {"m": ["a", 1]}}),
        "wrong_type",
        "$.subtopics[0].summaries.m[1]",
    ),
    "no summaries": ("runs", haystack({"summaries": {}}), "no_summaries", ""),
    "subtopics are text": ("runs", haystack(subtopics="s1"), "wrong_type", "$.subtopics"),
    "coverage is a word": (
        "judgments",
        haystack({"eval_summaries": {"vector_m": [{"insight_id": "a", "coverage": "ALL"}]}}),
        "bad_verdict",
        "$.subtopics[0].eval_summaries.vector_m[0].coverage",
    ),
    "labels are no list": (
        "judgments",
        haystack({"eval_summaries": {"vector_m": "FULL"}}),
        "wrong_type",
        "$.subtopics[0].eval_summaries.vector_m",
    ),
    "label twice": (
        "judgments",
        haystack({"eval_summaries": {"vector_m": [label("a", "NO", "NA")] * 2}}),
        "duplicate_label",
        "$.subtopics[0].eval_summaries.vector_m[1]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_code_path_and_line(reading: Reading, name: str) -> None:
    kind, value, code, path = MISTAKES[name]
    read = {"nuggets": reading.nuggets, "runs": reading.run, "judgments": reading.judgments}[kind]
    with pytest.raises(InputError) as caught:
        read(value)
    assert [(each.code, each.path) for each in caught.value.findings] == [(code, path or "$")]


def test_subtopics_and_summaries_occur_once(reading: Reading) -> None:
    with pytest.raises(InputError, match="duplicate_topic"):
        reading.nuggets(haystack(), haystack(topic_id="u"))
    with pytest.raises(InputError, match="duplicate_report"):
        reading.run(haystack(), haystack(topic_id="u"))
    other = summary(reference_insights=[{"insight_id": "a", "insight": "Something else."}])
    with pytest.raises(InputError, match="insights_differ"):
        reading.nuggets(summary(), other)


def test_odd_citations_are_told(reading: Reading) -> None:
    bullets = ["A [1-3].", "B [9].", "C [0]."]
    (report,) = reading.run(haystack({"summaries": {"m": bullets}}))
    cited = [[each.doc_id for each in sentence.citations] for sentence in report.sentences]
    assert cited == [[], ["9"], ["0"]]
    assert reading.codes() == ["citation_range", "unknown_document"]


def test_an_insight_that_documents_name_and_nobody_has_is_told(reading: Reading) -> None:
    documents = [{"document_id": "x", "document_text": "", "insights_included": ["a", "zz"]}]
    reading.nuggets(haystack(documents=documents))
    assert "unknown_insight" in reading.codes()


@pytest.mark.parametrize(
    ("bullet", "numbers"),
    [
        ("A [79,80].", ["79", "80"]),
        ("A [8][11] and [8].", ["8", "11"]),
        ("A [ 1 , 2 ,]", ["1", "2"]),
        ("A [007]", ["7"]),
        ("A [1-3] [Article 4] (5) [] [,]", []),
        ("A [" + "9" * 5000 + "]", ["9" * 5000]),
    ],
)
def test_numbers_in_brackets_are_citations(bullet: str, numbers: list[str]) -> None:
    assert cited_numbers(bullet) == numbers


def test_judges_see_a_bullet_without_its_citations() -> None:
    assert without_marks("- A [1][2, 3], b [4].  [Word count: 5]") == "- A, b.  [Word count: 5]"


def test_a_file_of_another_kind_is_told_apart(reading: Reading) -> None:
    with pytest.raises(InputError, match="expected a run, found nuggets"):
        reading.run({"qid": "1", "nuggets": []})
    assert formats.holding("judgments", [HARBOUR]) == [HARBOUR]
    assert formats.holding("runs", [HARBOUR, HARBOUR]) == [HARBOUR]
    assert formats.holding("runs", ["-", "no such file"]) == []


@needs_data
def test_all_annotated_summaries_are_read() -> None:
    path = str(DATA / "summhay" / "annotated_summaries.json")
    warnings: list[Any] = []
    topics = formats.read_nuggets(path, warnings=warnings)
    reports = list(formats.read_run(path, warnings=warnings))
    judgments = list(formats.iter_judgments(path, topics, warnings=warnings))
    assert len(topics) == 20
    assert len(reports) == 114
    assert sum(each.sentence_index is None for each in judgments) == 661
    assert {each.code for each in warnings} == {"no_document_ids"}
