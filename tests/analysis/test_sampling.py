"""Samples for people: who is drawn, how probably, and what comes back."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import argue_eval as ae
from argue_eval.analysis.drawing import probabilities, systematic
from tests.cli.conftest import Command
from tests.documented import ROOT

TRUTH = ROOT / "qrels" / "example.judgments.jsonl"
RUNS = sorted(map(str, (ROOT / "runs").glob("*.jsonl")))
NUGGETS = str(ROOT / "qrels" / "example.json")
COLLECTION = str(ROOT / "collection" / "example.jsonl")


@pytest.fixture(scope="module")
def scores() -> ae.Scores:
    """The example, judged by words alone."""
    return ae.score(RUNS, NUGGETS, collection=COLLECTION)


@pytest.fixture
def folder(tmp_path: Path, argue_eval: Command) -> str:
    """What ``score -o`` writes of it."""
    path = str(tmp_path / "scores")
    ran = argue_eval(f"score {' '.join(RUNS)} {NUGGETS} --collection {COLLECTION} -o {path}")
    assert ran.code == 4, ran.err
    return path


def keys(sample: ae.Sample) -> list[str]:
    return [json.dumps(dict(row.keys), sort_keys=True) for row in sample.rows]


@pytest.mark.parametrize("design", ["uniform", "stratified", "optimal"])
@pytest.mark.parametrize("unit", ["sentence", "judgment", "topic"])
def test_as_many_units_as_wanted_each_with_its_questions(
    scores: ae.Scores, design: str, unit: str
) -> None:
    options = ae.SampleOptions(design=design, unit=unit)
    found = ae.sample(scores, 3, options=options)
    assert found.num_drawn == 3
    assert sum(each.num_units for each in found.strata) == found.num_units
    assert sum(each.num_drawn for each in found.strata) == 3
    assert len(set(keys(found))) == len(found.rows)
    assert keys(found) == keys(ae.sample(scores, 3, options=options))
    if unit == "judgment":
        assert len(found.rows) == 3
    elif unit == "topic":
        assert len({row.keys["topic_id"] for row in found.rows}) == 3
    else:
        assert len({(row.keys["topic_id"], row.sentence) for row in found.rows}) == 3


@pytest.mark.parametrize("design", ["uniform", "stratified", "optimal"])
def test_order_of_the_runs_changes_nothing_but_the_seed_does(
    scores: ae.Scores, design: str
) -> None:
    """Two of the runs have the same sentences."""
    (run,) = ae.read_runs(RUNS[0])
    reports = tuple(each._replace(run_id="zwin") for each in run)
    twin = ae.score([ae.Run("zwin", reports)], NUGGETS, collection=COLLECTION)
    every = {**scores, **twin}
    turned = {run_id: every[run_id] for run_id in reversed(list(every))}
    options = ae.SampleOptions(design=design)
    found = ae.sample(every, 9, options=options)
    assert found.rows == ae.sample(turned, 9, options=options).rows
    assert found.strata == ae.sample(turned, 9, options=options).strata
    other = ae.SampleOptions(design=design, seed=1)
    assert keys(found) != keys(ae.sample(every, 9, options=other))


@pytest.mark.parametrize("design", ["uniform", "stratified", "optimal"])
def test_units_are_drawn_with_their_probabilities(design: str) -> None:
    """Over many draws; and totals that are weighed by the probabilities are those of all units."""
    rng = np.random.default_rng(7)
    strata = np.sort(rng.integers(0, 6, 80))
    sizes = rng.gamma(1.0, size=80)
    values = rng.normal(3.0, 2.0, 80) + strata
    chances = probabilities(design, 12, strata, sizes)
    assert chances.sum() == pytest.approx(12)
    assert chances.max() <= 1
    trials = 4000
    drawn = np.zeros(80)
    totals = []
    for _ in range(trials):
        order = rng.permutation(80)
        order = order[np.argsort(strata[order], kind="stable")]
        chosen = order[systematic(chances[order], rng.random())]
        assert len(set(chosen)) == 12
        drawn[chosen] += 1
        totals.append((values[chosen] / chances[chosen]).sum())
    errors = (drawn / trials - chances) / np.sqrt(
        np.maximum(chances * (1 - chances), 1e-4) / trials
    )
    assert np.abs(errors).max() < 4.5
    error_of_mean = np.std(totals) / np.sqrt(trials)
    assert np.mean(totals) == pytest.approx(values.sum(), abs=4 * error_of_mean)


def test_strata_share_the_sample_and_small_ones_are_drawn_whole() -> None:
    strata = np.repeat([0, 1, 2], [2, 50, 500])
    chances = probabilities("stratified", 42, strata, np.ones(552))
    assert [chances[strata == each].sum() for each in range(3)] == pytest.approx([2, 20, 20])


def test_optimal_sample_prefers_what_weighs_more_and_leaves_nothing_out() -> None:
    """By hand: 9 of 10 rows by size, 1 by number."""
    chances = probabilities("optimal", 10, np.zeros(100, int), np.repeat([3.0, 1.0], 50))
    assert chances[0] == pytest.approx(10 * (0.9 * 3 / 200 + 0.1 / 100))
    assert chances[-1] == pytest.approx(10 * (0.9 * 1 / 200 + 0.1 / 100))
    nothing = probabilities("optimal", 10, np.zeros(100, int), np.zeros(100))
    assert nothing == pytest.approx(np.full(100, 0.1))


def test_optimal_design_draws_unsure_verdicts_more_often(scores: ae.Scores) -> None:
    options = ae.SampleOptions(design="optimal", unit="judgment", kinds=["support"])
    found = ae.sample(scores, 40, options=options)
    judged = {
        (each.topic_id, each.sentence, each.doc_id): each
        for run in scores.values()
        for each in run.used_judgments()
        if each.kind == "support"
    }
    surest: dict[bool, list[float]] = defaultdict(list)
    for row in found.rows:
        known = judged.get((row.keys["topic_id"], row.sentence, row.keys["doc_id"]))
        if known is not None and known.prob is not None and row.probability is not None:
            surest[0.2 < known.prob < 0.8].append(row.probability)
    assert np.mean(surest[True]) > np.mean(surest[False])


def test_sheet_names_no_run_and_no_verdict(scores: ae.Scores) -> None:
    rows = list(ae.sample(scores, 40).lines("csv"))
    for run_id in scores:
        assert not any(run_id in row for row in rows)
    assert "lexical" not in "".join(rows)


def test_rows_of_a_topic_are_in_an_order_by_chance(scores: ae.Scores) -> None:
    found = ae.sample(scores, 10_000)
    topic_id = found.rows[0].keys["topic_id"]
    of_topic = [row for row in found.rows if row.keys["topic_id"] == topic_id]
    shown = list(dict.fromkeys(row.sentence for row in of_topic))
    first = [topic for run in scores.values() for topic in run.evidence[:1]]
    texts = dict.fromkeys(
        each.text for topic in first if topic.report for each in topic.report.sentences
    )
    assert sorted(shown) == sorted(texts)
    assert shown != list(texts)
    assert found.rows[: len(of_topic)] == tuple(of_topic)


def test_what_assessors_judged_is_not_drawn_again(scores: ae.Scores) -> None:
    known = ae.read_judgments(TRUTH)
    judged = ae.score(RUNS, NUGGETS, judgments=known, judge="none")
    with pytest.raises(ae.UsageError, match="no question of the kind negative is left"):
        ae.sample(judged, 5, options=ae.SampleOptions(kinds=["negative"], unit="judgment"))
    support = [each for each in known if each.kind == "support"]
    rest = ae.score(RUNS, NUGGETS, judgments=support, judge="none")
    kinds = Counter(row.keys["kind"] for row in ae.sample(rest, 10_000).rows)
    assert kinds["answers"]
    assert not kinds["support"]


def test_unjudged_questions_are_drawn(scores: ae.Scores) -> None:
    nothing = ae.score(RUNS, NUGGETS, judge="none")
    found = ae.sample(nothing, 10)
    assert {each.verdicts for each in found.strata} <= {
        "answers=open", "support=open", "answers=open, support=open", "negative=open", ""
    }  # fmt: skip
    assert len(found.rows) >= 10


def fill_in(path: Path, truth: dict[tuple[Any, ...], str]) -> None:
    """Fills a sheet in as the assessor judged."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    questions = ae.read_judgments(_all_no(path, rows))
    for row, question in zip(rows, questions, strict=True):
        row["verdict"] = truth.get(key_of(question), "")
    write(path, rows)


def _all_no(path: Path, rows: list[dict[str, str]]) -> Path:
    copy = path.with_name("all_no.csv")
    write(copy, [{**row, "verdict": "no"} for row in rows])
    return copy


def write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def key_of(judgment: ae.Judgment) -> tuple[Any, ...]:
    is_placed = judgment.kind == "first_instance"
    place = (judgment.run_id, judgment.sentence_index) if is_placed else judgment.sentence
    return (
        *(judgment.kind, judgment.topic_id, place),
        *(judgment.doc_id, judgment.nugget_id, judgment.answer),
    )


def test_sheet_that_an_assessor_fills_in_gives_the_assessors_scores(
    folder: str, tmp_path: Path, argue_eval: Command
) -> None:
    """From end to end: score, draw all, fill in, score again."""
    sheet = tmp_path / "sheet.csv"
    ran = argue_eval(f"sample {folder} -n 100000 -o {sheet}")
    assert ran.code == 0, ran.err
    assert "drawn: 168 of 168 sentences" in ran.err
    fill_in(sheet, {key_of(each): each.verdict.value for each in ae.read_judgments(TRUTH)})
    by_sheet = ae.score(RUNS, NUGGETS, judgments=str(sheet), judge="none")
    by_file = ae.score(RUNS, NUGGETS, judgments=str(TRUTH), judge="none")
    assert {run_id: each.table.rows for run_id, each in by_sheet.items()} == {
        run_id: each.table.rows for run_id, each in by_file.items()
    }
    assert {each.judge for each in ae.read_judgments(sheet)} == {"assessor"}
    again = f"{tmp_path}/again"
    scored = f"score {' '.join(RUNS)} {NUGGETS} --judgments {sheet} --judge none -o {again}"
    assert argue_eval(scored).code == 0
    ran = argue_eval(f"sample {again} -n 10")
    assert (ran.code, "no question is left that no assessor has judged" in ran.err) == (2, True)
    ran = argue_eval(f"sample {again} -n 10 --kind covers")
    assert (ran.code, "the scores rest on no question of the kind covers" in ran.err) == (2, True)
    ran = argue_eval(f"meta-eval {folder}/careful.judgments.jsonl --truth {sheet}")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("truth: assessor\n")


def test_folder_and_scores_give_the_same_sheet(
    folder: str, scores: ae.Scores, tmp_path: Path
) -> None:
    ae.sample(ae.read_scores(folder), 20).write(tmp_path / "a.jsonl")
    ae.sample(scores, 20, collection=COLLECTION).write(tmp_path / "b.jsonl")
    rows = [
        [json.loads(line) for line in (tmp_path / name).read_text("utf-8").splitlines()]
        for name in ("a.jsonl", "b.jsonl")
    ]
    assert rows[0] == rows[1]
    assert any(row.get("evidence") for row in rows[0])


def test_evidence_that_was_cut_says_so(tmp_path: Path, argue_eval: Command) -> None:
    lines = Path(COLLECTION).read_text("utf-8").splitlines()
    long = [{**json.loads(line), "text": "word " * 4_000} for line in lines]
    path = tmp_path / "long.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in long), "utf-8")
    argue_eval(f"score {RUNS[0]} {NUGGETS} --collection {path} --judge none -o {tmp_path}/s")
    scores = ae.read_scores(tmp_path / "s")
    options = ae.SampleOptions(kinds=["support"])
    for row in ae.sample(scores, 3, options=options).rows:
        assert row.evidence.endswith("(the text goes on)")
        assert 10_000 < len(row.evidence) < 11_000
    for row in ae.sample(scores, 3, options=options, collection=path).rows:
        assert len(row.evidence) > 19_000


def test_sample_corrects_scores_by_a_machine(scores: ae.Scores, tmp_path: Path) -> None:
    """Filled in as the assessor judged, a part says about what all do.

    All say it but for the three questions that the machine could not answer.
    """
    truth = {key_of(each): each.verdict.value for each in ae.read_judgments(TRUTH)}
    by_people = ae.score(RUNS, NUGGETS, judgments=TRUTH, judge="none")
    for size, apart in ((80, 0.25), (10_000, 0.01)):
        options = ae.SampleOptions(unit="judgment", kinds=["support"])
        path = tmp_path / f"sheet{size}.csv"
        ae.sample(scores, size, options=options).write(path)
        fill_in(path, truth)
        corrected = ae.correct(scores, path)
        for run_id in ("careful", "miscited", "hallucinating"):
            found = corrected.score(run_id, "share_yes[support]").people.value
            expected = by_people[run_id]["citation_support_micro"].value
            assert found == pytest.approx(expected, abs=apart)


MISTAKES = [
    ("{folder} -n 0", 2, "size (-n): expected 1 or more, found 0"),
    ("{folder} -n 5 --unit sentense", 2, "Did you mean 'sentence'"),
    ("{folder} -n 5 --design best", 2, "unknown --design 'best'"),
    ("{folder} -n 5 --kind supports", 2, "Did you mean 'support'"),
    ("{folder} -n 5 --kind relevant", 2, "sheets of argue-eval pool"),
    ("{folder} -n 5 -o sheet.xlsx", 2, "FILE.csv or FILE.jsonl"),
    ("{folder} -n 5 -o sheet.html --overlap 0.5", 2, "--overlap needs two assessors"),
    ("{folder} -n 5 --assessor A --assessor B", 2, "a file each"),
    ("{folder} -n 5 --format xlsx", 2, "unknown --format 'xlsx'"),
    (f"{ROOT}/runs -n 5", 1, "it has no *.reports.jsonl"),
    (f"{TRUTH} -n 5", 1, "a folder that argue-eval score -o wrote"),
    ("nowhere -n 5", 3, "nowhere: no such folder"),
    ("{folder} -n 5 --seed 99999999999999999999999", 2, "--seed: expected a whole number"),
]


@pytest.mark.parametrize(("words", "code", "message"), MISTAKES)
def test_mistakes_are_told(
    argue_eval: Command, folder: str, words: str, code: int, message: str
) -> None:
    ran = argue_eval(f"sample {words.format(folder=folder)}")
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err


def test_several_assessors_get_the_sample_with_its_probabilities(
    scores: ae.Scores, tmp_path: Path
) -> None:
    found = ae.sample(scores, 20)
    files = found.write(tmp_path / "sheet.jsonl", assessor=["A", "B"], overlap=0.25)
    assert files == [str(tmp_path / f"sheet-{name}.jsonl") for name in "AB"]
    sheets = [[json.loads(line) for line in Path(path).read_text().splitlines()] for path in files]
    assert [{row["judge"] for row in rows} for rows in sheets] == [{"assessor:A"}, {"assessor:B"}]
    named = [{row["sentence"]: row["probability"] for row in rows} for rows in sheets]
    drawn = {row.sentence: row.probability for row in found.rows}
    assert {**named[0], **named[1]} == drawn
    assert len(named[0].keys() & named[1].keys()) == 5
    assert found.write(tmp_path / "one.html", assessor="A") == [str(tmp_path / "one.html")]
