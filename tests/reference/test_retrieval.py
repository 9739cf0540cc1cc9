"""Citations as retrieval: the files of -o give ir_measures the values that we print."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argue_eval.cli.app import run
from argue_eval.evaluation.pipeline import evaluate
from argue_eval.measures.families.retrieval import Stats, compute
from tests.example_reference import ROOT, RUNS
from tests.reference import naive, tracks
from tests.reference.tracks import folder as folder

# The parser of ir_measures uses parts of `ast` that are deprecated since Python 3.12.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:ir_measures")
NAMES = ("P@5", "R@10", "nDCG@10", "AP", "RR", "Success@1", "SetP", "SetR", "Judged@10")
DIVERSITY = ("alpha_nDCG@10", "StRecall@10", "ERR_IA@10", "alpha_nDCG(alpha=0.9)@5")


def has_pyndeval() -> bool:
    return bool(ir_measures.providers.registry["pyndeval"].is_available())


def recompute(
    folder: Path, stem: str, name: str, qrels: str = "citations.qrels"
) -> dict[str, float]:
    """Values by topic, and for `all`, as ir_measures gets them from the files alone."""
    run_file = list(ir_measures.read_trec_run(str(folder / f"{stem}.citations.run")))
    qrels_file = list(ir_measures.read_trec_qrels(str(folder / qrels)))
    measure = ir_measures.parse_measure(name)
    with contextlib.redirect_stderr(io.StringIO()):
        mean, by_topic = ir_measures.calc([measure], qrels_file, run_file)
    return {"all": mean[measure], **{each.query_id: each.value for each in by_topic}}


@pytest.mark.parametrize("name", [*NAMES, *DIVERSITY])
def test_files_of_the_example_track_give_the_values_that_we_print(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if name in DIVERSITY and not has_pyndeval():
        pytest.skip("pyndeval is not installed")
    paths = [str(ROOT / f"runs/{each}.jsonl") for each in RUNS]
    args = ["score", *paths, str(ROOT / "qrels/example.json"), "--judge", "none"]
    assert run([*args, "-m", name, "--format", "auto_argue", "-q", "-o", str(tmp_path)]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:]]
    printed = {(run_id, topic): float(value) for run_id, topic, _, value in lines}
    for stem in RUNS:
        for topic, value in recompute(tmp_path, stem, name).items():
            assert printed[stem, topic] == pytest.approx(value, abs=1e-12), (stem, topic)
    assert len(printed) == len(RUNS) * 6


@pytest.mark.parametrize("name", ["P@5", "nDCG@10", "AP"])
def test_flat_qrels_name_a_document_once_and_give_the_same_values(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ["score", str(ROOT / "runs/careful.jsonl"), str(ROOT / "qrels/example.json")]
    assert run([*args, "--judge", "none", "-m", name, "-o", str(tmp_path)]) == 0
    capsys.readouterr()
    lines = (tmp_path / "citations.flat.qrels").read_text().splitlines()
    pairs = [(line.split()[0], line.split()[2]) for line in lines]
    assert len(set(pairs)) == len(pairs) > 10
    flat = recompute(tmp_path, "careful", name, "citations.flat.qrels")
    assert flat == recompute(tmp_path, "careful", name)


rankings = st.permutations([f"D{number}" for number in range(8)]).map(tuple)
attested = st.lists(
    st.tuples(st.sampled_from(["n1", "n2", "n3"]), st.sampled_from([f"D{n}" for n in range(8)])),
    min_size=1,
    unique=True,
).map(tuple)


@settings(deadline=None)
@given(rankings, st.integers(0, 8), attested)
def test_basic_measures_are_those_of_their_definitions(
    order: tuple[str, ...], length: int, relevant: tuple[tuple[str, str], ...]
) -> None:
    ranking = order[:length]
    wanted = {doc_id for _, doc_id in relevant}
    hits = [doc_id in wanted for doc_id in ranking]
    stats = Stats(ranking, relevant)
    assert compute("P@5", stats) == pytest.approx(sum(hits[:5]) / 5)
    assert compute("R@5", stats) == pytest.approx(sum(hits[:5]) / len(wanted))
    first = hits.index(True) + 1 if True in hits else 0
    assert compute("RR", stats) == pytest.approx(1 / first if first else 0.0)
    precision = [sum(hits[: place + 1]) / (place + 1) for place in range(length) if hits[place]]
    assert compute("AP", stats) == pytest.approx(sum(precision) / len(wanted))


@pytest.mark.skipif(not has_pyndeval(), reason="pyndeval is not installed")
@settings(deadline=None)
@given(rankings, st.integers(0, 8), attested)
def test_subtopic_recall_is_that_of_its_definition(
    order: tuple[str, ...], length: int, relevant: tuple[tuple[str, str], ...]
) -> None:
    seen = {nugget_id for nugget_id, doc_id in relevant if doc_id in order[:length][:5]}
    every = {nugget_id for nugget_id, _ in relevant}
    value = compute("StRecall@5", Stats(order[:length], relevant))
    assert value == pytest.approx(len(seen) / len(every))


@settings(max_examples=25, deadline=None)
@given(tracks.tracks(), tracks.options())
def test_a_topic_without_attesting_documents_is_undefined_and_counts_as_zero(
    folder: Path, track: naive.Track, options: naive.Options
) -> None:
    options = {**options, "only_answered": False}
    job = tracks.write(track, folder, options, ["P@5"])
    (scores,) = evaluate(job)
    rows = {row.topic_id: row for row in scores.table.rows}
    bare = {
        topic
        for topic, nuggets in track["nuggets"].items()
        if not any(nugget["answers"] for nugget in nuggets)
    }
    assert {key for key, row in rows.items() if row.is_undefined} == {
        topic for topic in bare if topic in track["reports"]
    }
    values = [row.value or 0.0 for key, row in rows.items() if key != "all"]
    assert rows["all"].value == pytest.approx(sum(values) / len(values))
    for topic in track["nuggets"].keys() - track["reports"].keys():
        assert rows[topic].value == 0.0
