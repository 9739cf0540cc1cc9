"""Figures equal those of the package autojudge-evaluate 1.1.0."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argue_eval.analysis.agreement import Job, compare
from tests import autojudge
from tests.analysis.making import write_lines

NUM_CASES = 40

_LABELS = """
import json
from autojudge_base.qrels.qrels import read_qrel_file
from autojudge_evaluate.nugget_doc_eval import grade_agreement, set_overlap

found = []
for case in json.load(open("cases.json")):
    truth, judge = (read_qrel_file(case[side]) for side in ("truth", "judge"))
    grades = dict(zip(("truth_max_grade", "predict_max_grade"), case["most"]))
    lowest = dict(zip(("truth_relevance_threshold", "predict_relevance_threshold"), case["from"]))
    topics = {each.topic_id: {
        "jaccard": each.jaccard, "kappa_linear": each.kappa_weighted,
        "alpha_ordinal": each.kripp_alpha, "adjusted_rand": each.ari,
        **{"kappa@%dv%d" % key: value for key, value in each.kappa_binary.items()},
    } for each in grade_agreement(truth, judge, **grades, **lowest)}
    for each in set_overlap(truth, judge, **lowest):
        topics[each.topic_id].update(precision=each.precision, recall=each.recall, f1=each.f1)
    found.append(topics)
print(json.dumps(found))
"""

_RANKINGS = """
import json, warnings
from pathlib import Path
from autojudge_evaluate.evaluation import LeaderboardEvaluator

warnings.simplefilter("ignore")
found = []
for case in json.load(open("cases.json")):
    evaluator = LeaderboardEvaluator(
        Path(case["truth"]), truth_format="jsonl", eval_format="jsonl", on_missing="skip",
        truth_drop_aggregate=True, eval_drop_aggregate=True,
        correlation_methods="kendall tauap_b tau_gap spearman pearson kendall@4 kendall@10".split(),
    )
    found.append(evaluator.evaluate(Path(case["judge"]))["quality", "quality"])
print(json.dumps(found))
"""


def _qrels(rng: random.Random, most: int) -> str:
    """Labels of some topics: in some, all documents have one grade; some have no labels."""
    lines = []
    for topic in range(6):
        grades = rng.choice([range(most + 1), [0, most], [0], [most]])
        lines += [
            f"t{topic} 0 d{doc} {rng.choice(grades)}\n" for doc in range(9) if rng.random() < 0.8
        ]
    return "".join(lines) or "t0 0 d0 1\n"


@pytest.fixture
def label_cases(tmp_path: Path) -> list[dict[str, Any]]:
    rng = random.Random(5)
    cases = []
    for number in range(NUM_CASES):
        most = rng.choice([(1, 1), (3, 3), (3, 2), (1, 2)])
        case: dict[str, Any] = {"from": [rng.randint(1, each) for each in most], "most": most}
        for side, grade in zip(("truth", "judge"), most, strict=True):
            case[side] = f"{number}.{side}.qrels"
            text = _qrels(rng, grade) + f"whole 0 d1 {grade}\n"
            (tmp_path / case[side]).write_text(text)
        cases.append(case)
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    return cases


def test_agreement_on_relevance_labels(
    label_cases: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for case, theirs in zip(label_cases, autojudge.result(_LABELS, tmp_path), strict=True):
        job = Job(
            labels=case["judge"],
            truth_labels=case["truth"],
            relevant_from="{1}={0}".format(*case["from"]),
            unlabelled=0,
            num_resamples=0,
        )
        found = compare(job).labels
        assert found is not None
        assert {topic.topic_id for topic in found.topics} == theirs.keys()
        for topic in found.topics:
            expected = dict(_defined(theirs[topic.topic_id], case["most"]))
            ours = {name: value for name, value in topic.figures.items() if value is not None}
            if case["most"][0] != case["most"][1]:  # the package wants one scale for these
                ours.pop("kappa_linear", None), ours.pop("alpha_ordinal", None)
            assert ours == pytest.approx(expected, abs=1e-9)
        for figure in found.figures:
            values = [each.figures[figure.name] for each in found.topics]
            defined = [value for value in values if value is not None]
            assert figure.num == len(defined)
            if defined:
                assert figure.value == pytest.approx(sum(defined) / len(defined), abs=1e-12)


def _defined(figures: dict[str, float], most: list[int]) -> Iterator[tuple[str, float]]:
    for name, value in figures.items():
        if value == value:
            yield "kappa@1" if name == "kappa@1v1" and tuple(most) == (1, 1) else name, value


def test_rank_correlations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(7)
    cases = []
    for number in range(NUM_CASES):
        runs = [f"run{place:02}" for place in range(rng.choice([4, 7, 15]))]
        case: dict[str, Any] = {"is_tied": False}
        for side in ("truth", "judge"):
            step = rng.choice([2, 8, 4096])  # few values, so that runs are tied
            scores = {run: [rng.randint(0, step) / step for _ in range(2)] for run in runs}
            case["is_tied"] |= len(set(map(sum, scores.values()))) < len(runs)
            case[side] = write_lines(
                tmp_path / f"{number}.{side}.jsonl",
                [
                    {"run_id": run, "topic_id": f"t{topic}", "measure": "quality", "value": value}
                    for run, values in scores.items()
                    for topic, value in enumerate(values)
                ],
            )
        cases.append(case)
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    names = {
        "kendall": "kendall_tau",
        "tauap_b": "tau_ap",
        "tau_gap": "tau_gap",
        "spearman": "spearman",
        "pearson": "pearson",
        "kendall@4": "kendall_tau@4",
        "kendall@10": "kendall_tau@10",
    }
    num_compared = dict.fromkeys(names, 0)
    for case, theirs in zip(cases, autojudge.result(_RANKINGS, tmp_path), strict=True):
        for top in (4, 10):
            job = Job(
                scores=[case["judge"]], truth_scores=[case["truth"]], num_resamples=0, top=top
            )
            (ranking,) = compare(job).rankings
            ours = {each.name: each.value for each in ranking.figures}
            for name, value in theirs.items():
                if names[name] not in ours or (name == "tauap_b" and case["is_tied"]):
                    continue
                value_here = ours[names[name]]
                if value_here is None:  # the package ranks runs that the judge ties by their names
                    assert value != value or name == "tau_gap"
                else:
                    assert value_here == pytest.approx(value, abs=1e-9)
                    num_compared[name] += 1
    assert min(num_compared.values()) > 5
