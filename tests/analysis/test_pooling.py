"""Pools over runs: what is in them, how much of each run they cover, what comes back."""

from __future__ import annotations

import csv
import json
import random
import warnings
from pathlib import Path
from typing import Any

import pytest

import argue_eval as ae
from argue_eval.analysis.teams import teams_of
from tests.cli.conftest import Command
from tests.documented import ROOT

RUNS = sorted(map(str, (ROOT / "runs").glob("*.jsonl")))
COLLECTION = str(ROOT / "collection" / "example.jsonl")


def run(run_id: str, team_id: str = "", **topics: list[tuple[str, list[str]]]) -> ae.Run:
    reports = [
        ae.Report(
            topic_id,
            run_id,
            tuple(
                ae.Sentence(text, tuple(ae.Citation(doc_id) for doc_id in doc_ids))
                for text, doc_ids in sentences
            ),
            team_id=team_id,
        )
        for topic_id, sentences in topics.items()
    ]
    return ae.Run(run_id, tuple(reports))


A1 = run("a-1", "A", t1=[("One.", ["d1", "d2"]), ("Two.", ["d3"])], t2=[("One.", ["d1"])])
A2 = run("a-2", "A", t1=[("One.", ["d2"]), ("Three.", ["d4"])])
B = run("b-1", "B", t1=[("One.", ["d2", "d9"])], t2=[("Four.", ["d1"])])


def doc_ids(*runs: ae.Run, **options: Any) -> dict[str, set[str]]:
    return ae.pool(list(runs), options=ae.PoolOptions(**options)).doc_ids


def test_pool_is_the_union_of_what_runs_cite() -> None:
    assert doc_ids(A1, A2, B) == {"t1": {"d1", "d2", "d3", "d4", "d9"}, "t2": {"d1"}}
    assert doc_ids(A1, A2, B, depth=1) == {"t1": {"d1", "d2"}, "t2": {"d1"}}
    found = ae.pool([A1, A2, B], options=ae.PoolOptions(items="pairs", depth=2))
    assert {tuple(item) for item in found.items} == {
        ("t1", "d1", "One."), ("t1", "d2", "One."), ("t1", "d4", "Three."), ("t1", "d9", "One."),
        ("t2", "d1", "One."), ("t2", "d1", "Four."),
    }  # fmt: skip


def test_budget_takes_first_what_many_runs_cite_early() -> None:
    """By hand: d2 has 1/62 + 1/61 + 1/61, d1 1/61, the others 1/62 or 1/63."""
    assert doc_ids(A1, A2, B, budget=1) == {"t1": {"d2"}, "t2": {"d1"}}
    assert doc_ids(A1, A2, B, budget=2) == {"t1": {"d2", "d1"}, "t2": {"d1"}}


def test_coverage_of_each_run_and_what_its_team_alone_has() -> None:
    options = ae.PoolOptions(contributing=["a-1", "b-1"], depth=2)
    found = ae.pool([A1, A2, B], options=options)
    assert [tuple(each) for each in found.coverage] == [
        ("a-1", "A", 4, 3, 1),
        ("a-2", "A", 2, 1, 0),
        ("b-1", "B", 3, 3, 1),
    ]
    assert found.coverage[1].share == 0.5
    alone = ae.pool([A1, A2, B], options=ae.PoolOptions(teams="run"))
    assert [each.num_unique for each in alone.coverage] == [2, 1, 1]


def test_same_as_trectools(tmp_path: Path) -> None:
    """Pools to a depth and by reciprocal rank fusion, and the coverage of runs."""
    rng = random.Random(5)
    runs = []
    for number in range(6):
        docs = {
            f"{topic}": [("S.", rng.sample([f"d{place}" for place in range(40)], 12))]
            for topic in (1, 2, 3)
        }
        runs.append(run(f"r{number}", "", **docs))
    files = []
    for each in runs:
        path = tmp_path / f"{each.run_id}.run"
        path.write_text(
            "".join(
                f"{report.topic_id} Q0 {citation.doc_id} {rank} {100 - rank} {each.run_id}\n"
                for report in each
                for rank, citation in enumerate(report.sentences[0].citations, 1)
            )
        )
        files.append(str(path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import trectools

        maker = trectools.TrecPoolMaker()
        for depth in (1, 4, 12):
            theirs = maker.make_pool_from_files(files, strategy="topX", topX=depth)
            ours = ae.pool(runs, options=ae.PoolOptions(depth=depth))
            assert ours.doc_ids == {str(topic): docs for topic, docs in theirs.pool.items()}
            for name, covered in zip(files, ours.coverage, strict=True):
                share = theirs.check_coverage(trectools.TrecRun(name), topX=12) / 12
                assert covered.share == pytest.approx(share)
        fused = maker.make_pool_from_files(files, strategy="rrf", topX=40)
        assert ae.pool(runs, options=ae.PoolOptions(budget=40)).doc_ids == {
            str(topic): docs for topic, docs in fused.pool.items()
        }
        # With fewer, equal sums may be decided in another way.
        scores = {
            str(topic): sorted(_fused(runs, str(topic), docs), reverse=True)
            for topic, docs in maker.make_pool_from_files(files, "rrf", topX=9).pool.items()
        }
    mine = ae.pool(runs, options=ae.PoolOptions(budget=9)).doc_ids
    for topic_id, expected in scores.items():
        found = sorted(_fused(runs, topic_id, mine[topic_id]), reverse=True)
        assert found == pytest.approx(expected)


def _fused(runs: list[ae.Run], topic_id: str, docs: set[str]) -> list[float]:
    ranked = [[each.doc_id for each in one[topic_id].sentences[0].citations] for one in runs]
    return [
        sum(1 / (61 + each.index(doc_id)) for each in ranked if doc_id in each) for doc_id in docs
    ]


def test_pool_in_trec_form_is_blind_and_sorted(tmp_path: Path) -> None:
    hostile = run("=r", t1=[("One.", ["d 1\n", "b"])])
    ae.pool([hostile, A1]).write(tmp_path / "pool.txt")
    assert (tmp_path / "pool.txt").read_text("utf-8").splitlines() == [
        "t1 Q0 b 0 0 pool", "t1 Q0 d%201%0A 0 0 pool", "t1 Q0 d1 0 0 pool", "t1 Q0 d2 0 0 pool",
        "t1 Q0 d3 0 0 pool", "t2 Q0 d1 0 0 pool",
    ]  # fmt: skip


def test_sheet_of_pairs_is_filled_in_and_read_back(tmp_path: Path, argue_eval: Command) -> None:
    sheet = tmp_path / "sheet.csv"
    ran = argue_eval(f"pool {' '.join(RUNS)} --pairs --collection {COLLECTION} -o {sheet}")
    assert ran.code == 0, ran.err
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    shown = "".join("".join(row.values()) for row in rows)
    assert not any(name in shown for name in ("careful", "sparse", "miscited", "hallucinating"))
    assert all(row["evidence"] for row in rows)
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "verdict": "yes"} for row in rows)
    nuggets = str(ROOT / "qrels" / "example.json")
    scores = ae.score(
        RUNS, nuggets, judgments=str(sheet), judge="none", measures=["citation_support"]
    )
    assert [each["citation_support_macro"].value for each in scores.values()] == [
        pytest.approx(1.0), pytest.approx(1.0), pytest.approx(1.0), pytest.approx(0.8)
    ]  # fmt: skip
    needs = [need for run in scores.values() for topic in run.evidence for need in topic.needs]
    assert not any(each.kind == "support" for each in needs)


def test_sheet_of_documents_asks_for_relevance(tmp_path: Path) -> None:
    requests = [ae.ReportRequest("t1", title="Bridges")]
    found = ae.pool([A1, B], topics=requests)
    assert {item.topic_id for item in found.items} == {"t1"}
    found.write(tmp_path / "sheet.jsonl")
    rows = [json.loads(each) for each in (tmp_path / "sheet.jsonl").read_text().splitlines()]
    assert {row["kind"] for row in rows} == {"relevant"}
    assert rows[0]["topic"] == "t1\nBridges"
    (tmp_path / "sheet.jsonl").write_text(
        "".join(json.dumps({**row, "verdict": "no"}) + "\n" for row in rows)
    )
    judgments = ae.read_judgments(tmp_path / "sheet.jsonl")
    assert sorted(each.doc_id for each in judgments) == ["d1", "d2", "d3", "d9"]


def test_order_on_a_sheet_is_by_chance_and_the_seed_decides_it() -> None:
    orders = [
        [item.doc_id for item in ae.pool([A1, A2, B], options=ae.PoolOptions(seed=seed)).items]
        for seed in (0, 0, 1, 2)
    ]
    assert orders[0] == orders[1]
    assert orders[0] != orders[2] or orders[0] != orders[3]


def test_sentences_without_text_and_very_long_ones(tmp_path: Path) -> None:
    long = "word " * 3_000
    one = run("r", t1=[(" ", ["d1"]), (long, ["d2"])])
    ae.pool(one, options=ae.PoolOptions(items="pairs")).write(tmp_path / "sheet.jsonl")
    (row,) = (tmp_path / "sheet.jsonl").read_text("utf-8").splitlines()
    (tmp_path / "sheet.jsonl").write_text(json.dumps({**json.loads(row), "verdict": "no"}))
    (judgment,) = ae.read_judgments(tmp_path / "sheet.jsonl")
    assert (judgment.sentence, judgment.doc_id) == (long.strip(), "d2")


def test_confidence_decides_the_depth() -> None:
    sentence = ae.Sentence("One.", (ae.Citation("low", 0.1), ae.Citation("high", 0.9)))
    one = ae.Run("r", (ae.Report("t1", "r", (sentence,)),))
    assert doc_ids(one, depth=1) == {"t1": {"low"}}
    assert doc_ids(one, depth=1, order="confidence") == {"t1": {"high"}}


def test_teams_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "teams.tsv"
    path.write_text("r1\tx\nr2\ty z\n")
    assert teams_of([("r1", ""), ("r2", "")], str(path)) == {"r1": "x", "r2": "y z"}
    with pytest.raises(ae.InputError, match="no team for the run r3"):
        teams_of([("r3", "")], str(path))
    path.write_text("r1 x\n")
    with pytest.raises(ae.InputError, match="expected run<TAB>team"):
        teams_of([("r1", "")], str(path))


def test_many_files_give_the_same_as_few(tmp_path: Path, argue_eval: Command) -> None:
    """They are read side by side."""
    paths = []
    for number in range(12):
        path = tmp_path / f"r{number}.jsonl"
        ae.write_run(run(f"r{number}", t1=[("One.", [f"d{number % 5}", f"e{number}"])]), path)
        paths.append(str(path))
    of_files = ae.pool(paths)
    of_records = ae.pool(ae.read_runs(paths))
    assert of_files.items == of_records.items
    assert of_files.coverage == of_records.coverage


def test_folder_of_scores_is_pooled_too(tmp_path: Path, argue_eval: Command) -> None:
    nuggets = ROOT / "qrels" / "example.json"
    argue_eval(f"score {' '.join(RUNS)} {nuggets} --judge none -o {tmp_path}/scores")
    of_folder = ae.pool(tmp_path / "scores")
    of_files = ae.pool(RUNS)
    assert (of_folder.items, of_folder.coverage) == (of_files.items, of_files.coverage)


OTHER_TRACK = ROOT / "docs" / "examples" / "haystack" / "topics.jsonl"
MISTAKES = [
    (f"{RUNS[0]} --depth 0", 2, "--depth: expected 1 or more, found 0"),
    (f"{RUNS[0]} --budget -3", 2, "--budget: expected 1 or more, found -3"),
    (f"{RUNS[0]} --contributing carefull", 2, "Did you mean 'careful'"),
    (f"{RUNS[0]} --teams nobody", 2, "--teams: expected team_id, prefix, run or a file"),
    (f"{RUNS[0]} --pairs -o pool.txt", 2, "write pairs to a sheet, -o FILE.csv"),
    (f"{RUNS[0]} --citation-order best", 2, "unknown order 'best'"),
    (f"{RUNS[0]} -o {RUNS[0]}", 2, "which is read"),
    (f"{RUNS[0]} {RUNS[0]}", 1, "[run_id_taken] two runs have the id careful"),
    (f"{RUNS[0]} --requests {OTHER_TRACK}", 1, "[no_common_topic] no run has a report for any"),
    (f"{RUNS[0]} -o pool.xlsx", 2, "name a sheet FILE.csv"),
    ("nothing.jsonl", 3, "no such file"),
    (str(ROOT / "qrels" / "example.json"), 1, "expected a run, found nuggets"),
]


@pytest.mark.parametrize(("words", "code", "message"), MISTAKES)
def test_mistakes_are_told(
    argue_eval: Command, words: str, code: int, message: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = argue_eval(f"pool {words}")
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "start"),
    [("p.json", '{"row"'), ("p.ndjson", '{"row"'), ("p.HTM", "<!doctype"), ("p.qrels", "ex1 Q0")],
)
def test_the_name_of_the_file_says_its_format_as_for_other_sheets(
    argue_eval: Command, tmp_path: Path, name: str, start: str
) -> None:
    assert argue_eval(f"pool {RUNS[0]} -o {tmp_path / name}").code == 0
    assert (tmp_path / name).read_text("utf-8").startswith(start)


@pytest.mark.parametrize("given", ["", f"--collection {ROOT}/collection/example.jsonl"])
def test_a_sheet_without_texts_of_documents_is_told(
    argue_eval: Command, given: str, tmp_path: Path
) -> None:
    ran = argue_eval(f"pool {RUNS[0]} --pairs {given} -o {tmp_path}/sheet.csv")
    assert ran.code == 0
    assert ("no text of a document is there to be judged" in ran.err) == (not given)


def test_run_without_citations_has_no_share(argue_eval: Command, tmp_path: Path) -> None:
    bare = run("bare", t1=[("One.", [])])
    assert ae.pool([bare, A1]).coverage[0].share is None
    with pytest.raises(ae.UsageError, match="nothing to pool"):
        ae.pool(bare)
    ae.write_run(bare, tmp_path / "bare.jsonl")
    document = argue_eval(f"pool {tmp_path}/bare.jsonl {RUNS[0]} --json").json
    assert [each["share"] for each in document["runs"]] == [None, 1.0]
