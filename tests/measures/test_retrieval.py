"""Citations as retrieval: names, what is missing, and odd ids."""

from __future__ import annotations

import re
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

import argue_eval
from argue_eval import measures
from argue_eval.cli.app import run
from argue_eval.errors import MissingResourceError, UsageError
from argue_eval.evaluation.scoring import score
from argue_eval.measures import Explanation
from argue_eval.measures.families import retrieval
from argue_eval.measures.families.retrieval import EXPLAINED, Stats, compute, tally
from argue_eval.measures.rankings import qrels_lines, ranking, run_lines, subtopics, trec_id
from argue_eval.records import (
    Average,
    Citation,
    Report,
    Run,
    Sentence,
    TopicNuggets,
)
from argue_eval.report.folder import Folder
from tests.making import evidence, nugget, report

PYNDEVAL = ir_measures.providers.registry["pyndeval"]
EXAMPLE = Stats(("D9", "D1", "D2"), (("n1", "D1"), ("n2", "D1"), ("n3", "D2"), ("n3", "D3")))
QRELS = [ir_measures.Qrel("q", doc_id, 1) for doc_id in ("D1", "D2", "D3")]
RANKED = [ir_measures.ScoredDoc("q", doc_id, 3.0 - n) for n, doc_id in enumerate(EXAMPLE.doc_ids)]

needs_pyndeval = pytest.mark.skipif(not PYNDEVAL.is_available(), reason="pyndeval is not installed")


@pytest.fixture
def without_pyndeval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(PYNDEVAL), "is_available", lambda self: False)


@pytest.mark.parametrize("base", EXPLAINED)
def test_the_worked_example_of_a_measure_is_true(base: str) -> None:
    if base in ("StRecall", "alpha_nDCG") and not PYNDEVAL.is_available():
        pytest.skip("pyndeval is not installed")
    example = Explanation.parse(EXPLAINED[base], retrieval.__doc__ or "").example
    found = re.search(rf"({base}\S*) = ", example)
    assert found
    value = compute(found.group(1), EXAMPLE)
    assert example.endswith(f"= {round(value or 0.0, 4):g}")


def test_documents_are_ranked_by_first_citation_whatever_their_scores() -> None:
    sentences = (
        Sentence("a", (Citation("D2", 0.1), Citation("D1", 0.9))),
        Sentence("b", (Citation("D1", 1.0), Citation("D3", 1.0))),
    )
    assert ranking(Report("t", "r", sentences)) == ("D2", "D1", "D3")


def test_documents_are_ranked_by_their_highest_confidence_if_that_is_asked_for() -> None:
    sentences = (
        Sentence("a", (Citation("D0"), Citation("D2", 0.1), Citation("D1", 0.2))),
        Sentence("b", (Citation("D4"), Citation("D2", 0.9), Citation("D3", 0.9))),
    )
    report = Report("t", "r", sentences)
    assert ranking(report, "confidence") == ("D2", "D3", "D1", "D0", "D4")


def test_score_ranks_by_confidence_and_says_where_there_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for run_id, confidence in (("sure", (0.2, 0.7)), ("plain", (None, None))):
        citations = tuple(map(Citation, ("D9", "D1"), confidence))
        sentences = (Sentence("It fell.", citations),)
        argue_eval.write_run([Report("t1", run_id, sentences)], f"{run_id}.jsonl")
    nuggets = [TopicNuggets("t1", (nugget("n", ("a", ["D1"])),))]
    argue_eval.write_nuggets(nuggets, "nuggets.json")
    command = ["score", "sure.jsonl", "plain.jsonl", "nuggets.json", "-m", "RR", "-q"]
    assert run([*command, "--citation-order", "confidence", "-o", "out"]) == 0
    out, err = capsys.readouterr()
    assert re.findall(r"RR\s+all\s+(\S+)", out) == ["1.0000", "0.5000"]
    assert err.count("[no_confidence]") == 1
    assert "plain.jsonl: warning [no_confidence]" in err
    assert "|citation-order:confidence|" in err
    assert Path("out/sure.citations.run").read_text().split()[2] == "D1"
    assert run([*command, "--citation-order", "score"]) == 2
    assert "unknown --citation-order 'score'" in capsys.readouterr().err
    assert ranking(None) == ()


def test_qrels_name_a_document_once_per_nugget_and_leave_out_absence_nuggets() -> None:
    nuggets = [nugget("n1", ("a", ["D1", "D2"]), ("b", ["D1"])), nugget("n2", ("c", ["D1"]))]
    assert subtopics([*nuggets, nugget("n3")]) == (("n1", "D1"), ("n1", "D2"), ("n2", "D1"))


@pytest.mark.parametrize(
    ("typed", "printed"),
    [("MAP", "AP"), ("nDCG(cutoff=7)", "nDCG@7"), ("P(rel=1)@3", "P@3"), ("SetF", "SetF")],
)
def test_a_name_of_ir_measures_is_printed_as_ir_measures_does(typed: str, printed: str) -> None:
    (family,) = measures.select([typed])
    assert (family.name, [each.name for each in family.measures]) == ("retrieval", [printed])


def test_a_name_given_twice_or_listed_is_there_once() -> None:
    (family,) = measures.select(["P@5", "P(rel=1)@5", "P@7", "P@7"])
    assert [each.name for each in family.measures] == ["P@5", "P@7"]


def test_counts_of_ir_measures_are_summed() -> None:
    ((measure,),) = [each.measures for each in measures.select(["NumRel"])]
    assert (measure.average, measure.is_count) == (Average.SUM, True)


def test_nothing_is_judged_for_it() -> None:
    (family,) = measures.select(["retrieval"])
    assert all(not measure.needs for measure in family.measures)
    found = evidence([nugget("n1", ("a", ["D1"]))], report(("s", ["D1"])), protocols=[])
    table = score("run", "", "", [found], [family])
    assert table.counts["num_unjudged"] == 0
    assert table.value("RR") == 1.0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ndcg@10", "Did you mean 'nDCG@10'"),
        ("P", "needs a cutoff, such as P@10"),
        ("P@0", "cutoff of 1 or more, found 0"),
        ("P@True", "cutoff of 1 or more, found True"),
        ("P(rel=0)@5", "rel of 1 or more, found 0"),
        ("P@x", "cannot read the measure"),
        ("P@-1", "cutoff of 1 or more, found -1"),
        ("P(5)", "cannot read the measure"),
        (f"P(rel={'-' * 9000}1)@5", "cannot read the measure"),
        ("P(level=1)@5", "no parameter 'level'"),
        ("SetF(beta=0)", "beta can't be 0"),
        ("ERR@10", "without an external program"),
        ("nugget_recall@5", "unknown measure"),
    ],
)
def test_what_ir_measures_cannot_compute_is_a_usage_error(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        measures.select([name])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("P(rel=1)@7", ir_measures.P(rel=1) @ 7),
        ("nDCG@10", ir_measures.nDCG @ 10),
        ("AP(rel=1)", ir_measures.AP(rel=1)),
        ("SetP", ir_measures.SetP),
    ],
)
def test_names_are_read_without_the_parser_that_python_3_14_breaks(
    name: str, expected: ir_measures.Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(ir_measures, "parse_measure")
    monkeypatch.delattr(ir_measures.util, "_ast_to_value")
    made = retrieval.make(name)
    assert made is not None
    assert made.name == str(expected)
    assert made.value(EXAMPLE) == pytest.approx(next(iter(expected.iter_calc(QRELS, RANKED))).value)


@needs_pyndeval
@pytest.mark.parametrize("name", ["StRecall@21", "alpha_nDCG", "alpha_nDCG(judged_only=True)@5"])
def test_what_a_provider_refuses_is_a_usage_error(name: str) -> None:
    with pytest.raises(UsageError, match="cannot compute"):
        measures.select([name])


@pytest.mark.usefixtures("without_pyndeval")
@pytest.mark.parametrize("name", ["alpha_nDCG@13", "StRecall@13"])  # computed nowhere else
def test_a_missing_package_is_named(name: str) -> None:
    with pytest.raises(
        MissingResourceError, match=re.escape("pip install 'ir-measures[pyndeval]'")
    ):
        measures.select([name])


@needs_pyndeval
def test_a_topic_with_one_nugget_makes_no_noise(capfd: pytest.CaptureFixture[str]) -> None:
    assert compute("alpha_nDCG@10", Stats(("D1",), (("n1", "D1"),))) == 1.0
    assert capfd.readouterr() == ("", "")


@given(st.text(min_size=1), st.text(min_size=1))
def test_different_ids_stay_different_and_fit_in_a_column(first: str, second: str) -> None:
    for text in (first, second):
        written = trec_id(text)
        assert len(written.split()) == 1
        assert written.isprintable()
    assert (trec_id(first) == trec_id(second)) == (first == second)


@pytest.mark.parametrize("text", ["uuid_12", "https://x.org/a%zz?b=1", "msmarco_v2.1#3", "文書"])
def test_ordinary_ids_are_kept(text: str) -> None:
    assert trec_id(text) == text


def test_ids_with_white_space_do_not_break_the_files(tmp_path: Path) -> None:
    written = Report("topic 1", "my run", (Sentence("s", (Citation("D 1"), Citation("D_1"))),))
    nuggets = (nugget("n 1", ("a", ["D 1"])), nugget("n\t2", ("b", ["D_1", "D\n3"])))
    found = argue_eval.score(
        Run("my run", (written,)),
        [TopicNuggets("topic 1", nuggets)],
        measures=["R@10", "RR"],
        judge="none",
    )["my run"]
    assert found.table.value("R@10") == pytest.approx(2 / 3)
    folder = Folder(str(tmp_path))
    folder.name_files(["my run"])
    folder.write_run(0, found, {})
    folder.write_qrels([each.topic for each in found.evidence])
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "citations.qrels")))
    ranked = list(ir_measures.read_trec_run(str(tmp_path / "my_run.citations.run")))
    assert {each.query_id for each in [*qrels, *ranked]} == {"topic%201"}
    assert [each.iteration for each in qrels] == ["n%201", "n%092", "n%092"]
    assert ir_measures.calc_aggregate([ir_measures.R @ 10], qrels, ranked) == {
        ir_measures.R @ 10: pytest.approx(2 / 3)
    }


def test_scores_of_a_run_fall_with_the_rank() -> None:
    lines = [line.split() for line in run_lines("r", "t", ("D1", "D2", "D3"))]
    assert [(line[2], line[3], line[4]) for line in lines] == [
        ("D1", "1", "3"),
        ("D2", "2", "2"),
        ("D3", "3", "1"),
    ]
    assert list(qrels_lines("t", [("n1", "D1")])) == ["t n1 D1 1\n"]


def test_a_report_is_tallied_by_ids_as_they_are_written() -> None:
    found = evidence([nugget("n 1", ("a", ["D 1"]))], report(("s", ["D 1"])), protocols=[])
    assert tally(found).judged == Stats(("D%201",), (("n%201", "D%201"),))


def test_any_measure_of_ir_measures_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "nDCG@20"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("nDCG@20 (retrieval)\n")
    assert "ir_measures" in text
