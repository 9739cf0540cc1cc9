"""SummHay scores of the human benchmark, computed again by other, slower means.

The benchmark has no documents. Which of a hundred documents have an insight is made up here, from
what the bullets cite that people linked to it, so that precision and recall take all values.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from tests.documented import ROOT
from tests.formats.reading import DATA, needs_data
from tests.golden.cases import run

pytestmark = needs_data

CREDIT = {"fully_covered": 1.0, "partially_covered": 0.5, "not_covered": 0.0}
WORDS = {
    "fully_covered": "FULL_COVERAGE",
    "partially_covered": "PARTIAL_COVERAGE",
    "not_covered": "NO_COVERAGE",
}

Json = dict[str, Any]
Gold = dict[str, set[int]]


def benchmark() -> list[Json]:
    """The annotated summaries; an insight without a bullet counts as not covered in both ways."""
    text = (Path(DATA) / "summhay" / "annotated_summaries.json").read_text("utf-8")
    summaries: list[Json] = json.loads(text)
    for summary in summaries:
        for label in summary["annotation"]:
            if not label["candidate_id"].isdigit():
                label["coverage"] = "not_covered"
    return summaries


def numbers(bullet: str) -> set[int]:
    inside = re.findall(r"\[([^\]]*)\]", bullet)
    plain = [each for each in inside if re.fullmatch(r"[\d, ]+", each)]
    return {int(part) for each in plain for part in each.split(",") if part.strip()}


def made_up(summaries: list[Json]) -> Gold:
    """Two of three documents that some linked bullet cites, and one that none may cite."""
    gold: Gold = defaultdict(set)
    for summary in summaries:
        for label in summary["annotation"]:
            found = gold[label["insight_id"]]
            found.add(1 + sum(map(ord, label["insight_id"])) % 100)
            if CREDIT[label["coverage"]]:
                cited = numbers(summary["summary"][int(label["candidate_id"])])
                found.update(n for n in cited if n % 3 and n <= 100)
    return gold


def slowly(summary: Json, gold: Gold) -> dict[str, float | None]:
    """A summary's scores, one insight after the other."""
    coverages, joints, f1s, precisions, recalls = [], [], [], [], []
    for label in summary["annotation"]:
        credit = CREDIT[label["coverage"]]
        coverages.append(credit)
        f1 = 0.0
        if credit:
            cited = numbers(summary["summary"][int(label["candidate_id"])])
            right = sum(1 for each in cited if each in gold[label["insight_id"]])
            precision = right / len(cited) if cited else 0.0
            recall = right / len(gold[label["insight_id"]])
            f1 = 2 * precision * recall / (precision + recall) if right else 0.0
            f1s.append(f1)
            precisions.append(precision)
            recalls.append(recall)
        joints.append(credit * f1)
    return {
        "coverage": fmean(coverages),
        "citation_score": fmean(f1s) if f1s else None,
        "joint_score": fmean(joints),
        "citation_precision": fmean(precisions) if f1s else None,
        "citation_recall": fmean(recalls) if f1s else None,
        "words_per_bullet": sum(len(each.split()) for each in summary["summary"])
        / len(summary["summary"]),
    }


def haystack(summaries: list[Json], gold: Gold) -> Json:
    """The same in the form of the repository."""
    subtopics: dict[str, Json] = {}
    for summary in summaries:
        subtopic = subtopics.setdefault(
            summary["subtopic_id"],
            {
                "subtopic_id": summary["subtopic_id"],
                "insights": summary["reference_insights"],
                "summaries": {},
                "eval_summaries": {},
            },
        )
        key = summary["summary_key"]
        subtopic["summaries"][key] = summary["summary"]
        subtopic["eval_summaries"][key] = [
            {
                "insight_id": label["insight_id"],
                "coverage": WORDS[label["coverage"]],
                "bullet_id": int(label["candidate_id"]) + 1 if CREDIT[label["coverage"]] else "NA",
            }
            for label in summary["annotation"]
        ]
    documents = [
        {
            "document_id": f"d{number}",
            "document_text": "",
            "insights_included": [each for each, found in gold.items() if number in found],
        }
        for number in range(1, 101)
    ]
    return {"topic_id": "t", "subtopics": list(subtopics.values()), "documents": documents}


def printed(command: str) -> str:
    code, stdout, _ = run(command, ROOT)
    assert code == 0
    return stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[Json], Gold]:
    summaries = benchmark()
    gold = made_up(summaries)
    path = tmp_path_factory.mktemp("summhay") / "haystack.json"
    path.write_text(json.dumps(haystack(summaries, gold), indent=1))
    return str(path), summaries, gold


def test_scores_of_every_summary_are_those_of_a_slow_computation(
    made: tuple[str, list[Json], Gold],
) -> None:
    path, summaries, gold = made
    command = f"score {path} {path} --protocol summhay --judge none"
    out = printed(f"{command} --only-answered -q --format csv")
    ours = {
        (row["run_id"], row["topic_id"], row["measure"]): float(row["value"])
        if row["value"]
        else None
        for row in csv.DictReader(io.StringIO(out))
    }
    num_undefined = 0
    for summary in summaries:
        for name, value in slowly(summary, gold).items():
            found = ours[summary["summary_key"], summary["subtopic_id"], name]
            assert found == (None if value is None else pytest.approx(value, abs=1e-12)), name
            num_undefined += value is None
    assert 0 < num_undefined < 60
    middling = [value for (*_, name), value in ours.items() if name == "citation_score" and value]
    assert len({round(value, 6) for value in middling}) > 60


def test_the_table_averages_over_insights_as_published(
    made: tuple[str, list[Json], Gold],
) -> None:
    path, summaries, gold = made
    out = printed(f"summhay table {path} --judge none --only-answered --format json")
    cells = {(each["summarizer"], each["retriever"]): each for each in json.loads(out)["cells"]}
    by_key: dict[str, list[Json]] = defaultdict(list)
    for summary in summaries:
        by_key[summary["summary_key"]].append(summary)
    names = {"oracle": "Orac", "random": "Rand", "keywords": "KWs", "vector": "Vect"}
    assert len(cells) == len(by_key) == 53
    for key, several in by_key.items():
        insights = [
            slowly({**summary, "annotation": [label]}, gold)
            for summary in several
            for label in summary["annotation"]
        ]
        coverages, joints, f1s = (
            [value for each in insights if (value := each[name]) is not None]
            for name in ("coverage", "joint_score", "citation_score")
        )
        *retriever, summarizer = key.removeprefix("summary_subtopic_").split("_")
        column = "Full" if not retriever else names.get(retriever[0], "LongE")
        cell = cells[summarizer, column]
        assert cell["coverage"] == pytest.approx(fmean(coverages), abs=1e-12)
        assert cell["joint_score"] == pytest.approx(fmean(joints), abs=1e-12)
        expected = pytest.approx(fmean(f1s), abs=1e-12) if f1s else None
        assert cell["citation_score"] == expected


def test_labels_of_the_benchmark_itself_give_its_coverage() -> None:
    path = str(Path(DATA) / "summhay" / "annotated_summaries.json")
    command = f"score {path} {path} --protocol summhay -m coverage"
    out = printed(f"{command} --only-answered -q --format csv")
    ours = {(row["run_id"], row["topic_id"]): float(row["value"])
            for row in csv.DictReader(io.StringIO(out))}  # fmt: skip
    for summary in json.loads(Path(path).read_text("utf-8")):
        expected = fmean(CREDIT[label["coverage"]] for label in summary["annotation"])
        assert ours[summary["summary_key"], summary["subtopic_id"]] == pytest.approx(expected)
