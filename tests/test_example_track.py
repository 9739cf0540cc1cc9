"""The example track is complete and consistent, and its judgments decide every outcome."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from unicodedata import normalize

import pytest

from tests.example_reference import (
    ROOT,
    RUNS,
    WORKED,
    Line,
    all_lines,
    f1,
    is_yes,
    lines_of,
    nuggets,
    objects,
    options,
    outcomes,
    texts,
    track,
    verdicts,
)
from tests.reference import naive

READINGS = ("argue", "strict")


def test_track_has_the_size_and_variety_that_the_docs_promise() -> None:
    all_nuggets = [each for topic in nuggets().values() for each in topic]
    kinds = Counter(each["aggregator"] for each in all_nuggets)
    weights = Counter(each["importance"] for each in all_nuggets)
    absent = [each for each in all_nuggets if not each["answers"]]
    assert (len(nuggets()), len(texts()), len(all_nuggets), len(absent)) == (5, 33, 38, 2)
    assert kinds == {"OR": 29, "AND": 9}
    assert weights == {"vital": 20, "okay": 14, None: 4}
    assert len({each["nugget_id"] for each in all_nuggets}) == len(all_nuggets)
    assert max(Counter(each["question"] for each in all_nuggets).values()) == 2


def test_every_document_has_the_length_of_a_short_page() -> None:
    sizes = {doc_id: len(text.split()) for doc_id, text in texts().items()}
    assert {key: size for key, size in sizes.items() if not 90 <= size <= 240} == {}


def test_requests_and_nuggets_are_about_the_same_topics() -> None:
    requests = objects(ROOT / "topics/example.jsonl")
    assert [each["topic_id"] for each in requests] == list(nuggets())
    assert {tuple(each["collection_ids"]) for each in requests} == {("example",)}


@pytest.mark.parametrize("run", RUNS)
def test_reports_keep_to_the_limit_and_have_one_report_a_topic(run: str) -> None:
    limits = {each["topic_id"]: each["limit"] for each in objects(ROOT / "topics/example.jsonl")}
    reports = objects(ROOT / f"runs/{run}.jsonl")
    topic_ids = [each["metadata"]["topic_id"] for each in reports]
    expected = [each for each in limits if (run, each) != ("sparse", "ex3")]
    assert topic_ids == expected
    for report in reports:
        joined = " ".join(each["text"] for each in report["responses"])
        assert len(normalize("NFKC", joined)) <= limits[report["metadata"]["topic_id"]]
        assert report["metadata"]["run_id"] == run
        assert 7 <= len(report["responses"]) <= 11


def test_runs_use_all_three_citation_shapes() -> None:
    shapes = {
        run: {
            type(each["citations"]).__name__ + type(next(iter(each["citations"]))).__name__
            for report in objects(ROOT / f"runs/{run}.jsonl")
            for each in report["responses"]
            if each["citations"]
        }
        for run in RUNS
    }
    assert shapes == {
        "careful": {"dictstr"},
        "hallucinating": {"liststr"},
        "miscited": {"listint"},
        "sparse": {"liststr"},
    }


def test_every_cited_or_attesting_document_is_in_the_collection() -> None:
    cited = {doc_id for line in all_lines() for doc_id in line.doc_ids}
    attesting = {
        doc_id
        for topic in nuggets().values()
        for nugget in topic
        for answer in nugget["answers"]
        for doc_id in answer["doc_ids"]
    }
    assert (cited | attesting) - texts().keys() == set()
    assert all(len(set(line.doc_ids)) == len(line.doc_ids) <= 3 for line in all_lines())


def test_citation_counts_reach_three_a_sentence() -> None:
    counts = Counter(len(line.doc_ids) for line in all_lines())
    assert set(counts) == {0, 1, 2, 3}


WORDS = {
    word: number
    for number, forms in enumerate(
        ["", "one una", "two dos", "three tres", "four", "five", "six", "seven", "eight", "nine"]
    )
    for word in forms.split()
}
MONTHS = "january february march april may june july august september october november december"
MESES = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"


def checkable(text: str) -> set[str]:
    """The numbers and months in a text, in one form for English and Spanish."""
    plain = re.sub(r"(?<=\d)[.,](?=\d{3}\b)", "", text.lower())
    plain = re.sub(r"(?<=\d),(?=\d)", ".", plain)
    months = dict(zip(MESES.split(), MONTHS.split(), strict=True))
    found = set()
    for word in re.findall(r"\d+(?:\.\d+)?|[^\W\d]+", plain):
        if word[0].isdigit() or word in WORDS:
            found.add(str(WORDS.get(word, word)))
        elif months.get(word, word) in MONTHS.split():
            found.add(months.get(word, word))
    return found


def test_numbers_and_dates_of_every_answer_stand_in_its_documents() -> None:
    missing = [
        (nugget["nugget_id"], answer["answer"], doc_id)
        for topic in nuggets().values()
        for nugget in topic
        for answer in nugget["answers"]
        for doc_id in answer["doc_ids"]
        if checkable(answer["answer"]) - checkable(texts()[doc_id])
    ]
    assert missing == []


def test_words_of_every_answer_stand_in_its_english_documents() -> None:
    spanish = {"ex-0005", "ex-0016"}
    poor = []
    for topic in nuggets().values():
        for nugget in topic:
            for answer in nugget["answers"]:
                stems = {word[:5] for word in re.findall(r"[a-z]{5,}", answer["answer"].lower())}
                for doc_id in set(answer["doc_ids"]) - spanish:
                    found = {word[:5] for word in re.findall(r"[a-z]+", texts()[doc_id].lower())}
                    if len(stems & found) < len(stems) / 2:
                        poor.append((answer["answer"], doc_id))
    assert poor == []


def asked_of(line: Line) -> set[tuple[str, ...]]:
    """The questions that must have a verdict for a line, in every reading and attestation."""
    topic = nuggets()[line.topic_id]
    start = (line.topic_id, line.text)
    if line.doc_ids:
        return {("support", *start, doc_id) for doc_id in line.doc_ids} | {
            ("answers", *start, nugget["nugget_id"], answer["answer"])
            for nugget in topic
            for answer in nugget["answers"]
        }
    asked: set[tuple[str, ...]] = {("negative", *start)}
    if is_yes(verdicts(), "negative", line):
        absent = [each["nugget_id"] for each in topic if not each["answers"]]
        return asked | {("agrees", *start, nugget_id) for nugget_id in absent}
    asked.add(("requires_citation", *start))
    if is_yes(verdicts(), "requires_citation", line):
        asked.add(("first_instance", line.topic_id, line.place))
    return asked


def test_judgments_are_complete_and_hold_nothing_that_no_sentence_needs() -> None:
    asked = {question for line in all_lines() for question in asked_of(line)}
    assert asked - verdicts().keys() == set()
    assert verdicts().keys() - asked == set()
    assert set(verdicts().values()) == {"yes", "no"}


def test_an_answer_that_holds_a_more_general_one_is_never_given_alone() -> None:
    pairs = [("ex1-n1", "14 March 2019", "March 2019"), ("ex1-n5", "2 April 2019", "April 2019")]
    pairs += [("ex4-n1", "1 September 2021", "September 2021")]
    for nugget_id, exact, general in pairs:
        for line in all_lines():
            if line.doc_ids and nugget_id.startswith(line.topic_id):
                is_exact = is_yes(verdicts(), "answers", line, nugget_id, exact)
                assert not is_exact or is_yes(verdicts(), "answers", line, nugget_id, general)


@pytest.mark.parametrize(
    ("how", "run", "counts"),
    [
        ("argue", "careful", [2, 4, 36, 6, 1, 0, 0, 2]),
        ("argue", "hallucinating", [33, 1, 3, 1, 2, 0, 5, 0]),
        ("argue", "miscited", [27, 1, 11, 4, 0, 0, 0, 1]),
        ("argue", "sparse", [0, 0, 14, 2, 10, 4, 1, 1]),
        ("strict", "careful", [4, 4, 34, 6, 1, 0, 0, 2]),
        ("strict", "hallucinating", [36, 1, 0, 1, 2, 0, 5, 0]),
        ("strict", "miscited", [29, 1, 9, 4, 0, 0, 0, 1]),
        ("strict", "sparse", [0, 0, 14, 2, 10, 4, 1, 1]),
    ],
)
def test_outcomes_1_to_8_of_each_run(how: str, run: str, counts: list[int]) -> None:
    found = Counter(outcomes(track(run), how))
    assert [found[number] for number in range(1, 9)] == counts


@pytest.mark.parametrize("how", READINGS)
def test_quality_order_of_the_runs_has_no_near_ties(how: str) -> None:
    scores = {run: f1(run, how) for run in RUNS}
    ranked = sorted(scores, key=lambda run: -scores[run])
    assert ranked == ["careful", "sparse", "miscited", "hallucinating"]
    ordered = [scores[run] for run in ranked]
    gaps = [high - low for high, low in pairwise(ordered)]
    assert min(gaps) > 0.1


@pytest.mark.parametrize("how", READINGS)
def test_worked_example_has_the_outcomes_of_the_paper(how: str) -> None:
    films, report = track("films", WORKED), lines_of(WORKED / "run.jsonl")
    assert outcomes(films, how) == [4, 2, 3, 4, 6, 2, 3, 6, 4, 3, 3, 3, 4, 6, 6, 4]
    correct = naive.correct_nuggets(films, "films", options(how))
    assert {each["nugget_id"] for each in correct} == {"2", "3", "5"}
    cited = {line.sentence_index + 1: line.doc_ids[0] for line in report if line.doc_ids}
    assert cited == {2: "D12", 3: "D13", 6: "D101", 7: "D14", 10: "D2", 11: "D1", 12: "D2"}


@pytest.mark.parametrize("run", RUNS)
def test_docs_give_the_scores_of_each_run(run: str) -> None:
    page = (ROOT / "docs/example-track.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| `{run}` |"))
    assert [cell.strip() for cell in row.split("|")[3:5]] == [
        f"{f1(run, how):.4f}" for how in READINGS
    ]
