"""Key point scores once more, from the files alone: slow, plain, separate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from argue_eval.evaluation.inputs import Job
from argue_eval.evaluation.judging import NOBODY
from argue_eval.evaluation.pipeline import evaluate
from argue_eval.records import ScoringOptions
from tests.reference.tracks import folder as folder

quick = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])

DOC_IDS = ("D1", "D2", "D3")
RATIOS = ("kpr", "kpp", "kpf")

Questions = dict[str, Any]
"""By topic: `points` (claims, doc_ids), `report` (`sentences` with what they cite, `references`;
false if there is none), `own` (key points extracted from the report; None if nobody did), and
verdicts: `whole` by claim, `covers` by sentence and claim, `support`
by claim and document."""


@st.composite
def questions(draw: st.DrawFn) -> Questions:
    made: Questions = {}
    for number in range(draw(st.integers(1, 3))):
        docs = st.lists(st.sampled_from(DOC_IDS), max_size=3)
        points = [(f"claim {i}", draw(docs)) for i in range(draw(st.integers(0, 3)))]
        if points and not points[0][1]:
            points[0] = ("claim 0", ["D1"])  # without any document, nobody could tell
        sentences = [(f"sentence {i}", draw(docs)) for i in range(draw(st.integers(0, 3)))]
        references = draw(st.none() | docs)
        verdict = st.sampled_from(["yes", "partial", "no"])
        whole = {claim: draw(st.none() | verdict) for claim, _ in points}
        made[f"q{number}"] = {
            "points": points,
            "report": draw(st.booleans()) and {"sentences": sentences, "references": references},
            "own": draw(st.none() | st.sets(st.sampled_from(["own 0", "own 1"])))
            if points
            else None,
            "whole": {claim: said for claim, said in whole.items() if said},
            "covers": {
                (text, claim): draw(verdict) for text, _ in sentences for claim, _ in points
            },
            "support": {
                (claim, doc): draw(verdict)
                for claim in [*(claim for claim, _ in points), "own 0", "own 1"]
                for doc in DOC_IDS
            },
        }
    return made


def expected(asked: Questions) -> dict[str, float]:
    """The means over questions, and each question's values, by ``topic/measure``."""
    found: dict[str, float] = {}
    has_own = any(question["own"] is not None for question in asked.values())
    for topic, question in asked.items():
        found.update({f"{topic}/{name}": 0.0 for name in RATIOS})
        if not question["report"]:
            continue
        covered = []
        for claim, doc_ids in question["points"]:
            said = [question["covers"][text, claim] for text, _ in question["report"]["sentences"]]
            is_covered = "yes" in said
            if claim in question["whole"]:
                is_covered = question["whole"][claim] == "yes"
            if is_covered:
                covered.append((claim, doc_ids))
        documents = set(question["report"]["references"] or [])
        if not documents:
            documents = {doc for _, cited in question["report"]["sentences"] for doc in cited}
        if not documents:
            documents = {doc for _, doc_ids in question["points"] for doc in doc_ids}
        recall = len(covered) / len(question["points"]) if question["points"] else None
        if has_own:  # a response of which none were extracted has none then
            covered = [(claim, []) for claim in question["own"] or []]
        entailed = [
            claim
            for claim, doc_ids in covered
            if documents & set(doc_ids)
            or any(question["support"][claim, doc] == "yes" for doc in documents)
        ]
        found[f"{topic}/kpr"] = recall or 0.0
        if covered:
            precision = len(entailed) / len(covered)
            found[f"{topic}/kpp"] = precision
            if entailed and recall:
                found[f"{topic}/kpf"] = 2 / (1 / recall + 1 / precision)
    for name in RATIOS:
        found[f"all/{name}"] = sum(found[f"{topic}/{name}"] for topic in asked) / len(asked)
    return found


def job(asked: Questions, folder: Path, covers: str = "") -> Job:
    """Writes the files of a job."""
    topics, reports, judgments, own = [], [], [], []
    for topic, question in asked.items():
        ids = {claim: f"{topic}-{place}" for place, (claim, _) in enumerate(question["points"])}
        topics.append({"topic_id": topic, "nuggets": [
            {"nugget_id": ids[claim], "question": None,
             "answers": [{"answer": claim, "doc_ids": doc_ids}]}
            for claim, doc_ids in question["points"]]})  # fmt: skip
        if question["report"]:
            report = {
                "metadata": {"run_id": "drawn", "topic_id": topic},
                "responses": [
                    {"text": text, "citations": list(dict.fromkeys(cited))}
                    for text, cited in question["report"]["sentences"]
                ],
            }
            if question["report"]["references"] is not None:
                report["references"] = question["report"]["references"]
            reports.append(report)
        if question["own"] is not None:
            extracted = [{"nugget_id": claim, "question": None, "answers": [{"answer": claim}]}
                         for claim in sorted(question["own"])]  # fmt: skip
            own.append({"topic_id": topic, "run_id": "drawn", "nuggets": extracted})
        who = {"topic_id": topic, "judge": "assessor:A1"}
        for claim, said in question["whole"].items():
            whole = {"kind": "covers", "run_id": "drawn", "nugget_id": ids[claim]}
            judgments.append({**who, **whole, "verdict": said})
        for (text, claim), said in question["covers"].items():
            of = {"kind": "covers", "sentence": text, "nugget_id": ids[claim], "verdict": said}
            judgments.append({**who, **of})
        for (claim, doc_id), said in question["support"].items():
            entails = {"kind": "support", "sentence": claim, "doc_id": doc_id, "verdict": said}
            judgments.append({**who, **entails})
    # A file without a line is an error, so there is always one report and one judgment.
    reports.append({"metadata": {"run_id": "drawn", "topic_id": "other"}, "responses": []})
    topics.append({"topic_id": "other", "nuggets": []})
    filler = {"kind": "negative", "sentence": "s", "verdict": "no"}
    judgments.append({"topic_id": "other", "judge": "assessor:A1", **filler})
    for name, listed in (("points", topics), ("own", own)):
        document = {"format": "argue-eval/nuggets/1", "topics": listed}
        (folder / f"{name}.json").write_text(json.dumps(document))
    for name, lines in (("run", reports), ("judgments", judgments)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    return Job(
        [str(folder / "run.jsonl")],
        str(folder / "points.json"),
        judgments=[str(folder / "judgments.jsonl")],
        judges=NOBODY,
        options=ScoringOptions(covers=covers),
        protocol="key-points",
        response_points=[str(folder / "own.json")],
    )


def values(asked: Questions, folder: Path, covers: str = "") -> dict[str, float]:
    (scores,) = evaluate(job(asked, folder, covers))
    rows = [row for row in scores.table.rows if row.measure in RATIOS and row.topic_id != "other"]
    found = {}
    for row in rows:
        assert row.lower == row.upper == (row.value or 0.0), row
        # The topic `other` is one more, and 0 in every measure.
        scale = (len(asked) + 1) / len(asked) if row.topic_id == "all" else 1.0
        found[f"{row.topic_id}/{row.measure}"] = (row.value or 0.0) * scale
    return found


@pytest.mark.parametrize("covers", ["", "sentence", "report"])
@quick
@given(questions())
def test_scores_are_those_of_the_slow_computation(
    folder: Path, covers: str, asked: Questions
) -> None:
    assert values(asked, folder, covers) == pytest.approx(expected(asked), abs=1e-12)


@quick
@given(questions(), st.data())
def test_recall_never_falls_when_a_sentence_is_added(
    folder: Path, asked: Questions, data: st.DataObject
) -> None:
    before = values(asked, folder)
    for question in asked.values():
        if question["report"]:
            sentences = question["report"]["sentences"]
            sentences.insert(data.draw(st.integers(0, len(sentences))), ("one more", []))
            for claim, _ in question["points"]:
                verdict = data.draw(st.sampled_from(["yes", "partial", "no"]))
                question["covers"]["one more", claim] = verdict
    after = values(asked, folder)
    assert all(after[key] >= value - 1e-12 for key, value in before.items() if "kpr" in key)


@quick
@given(questions(), st.randoms(use_true_random=False))
def test_order_of_questions_points_sentences_and_documents_changes_nothing(
    folder: Path, asked: Questions, random: Any
) -> None:
    before = values(asked, folder)
    names = list(asked)
    random.shuffle(names)
    shuffled = {name: asked[name] for name in names}
    for question in shuffled.values():
        random.shuffle(question["points"])
        if question["report"]:
            random.shuffle(question["report"]["sentences"])
            random.shuffle(question["report"]["references"] or [])
    assert values(shuffled, folder) == before
