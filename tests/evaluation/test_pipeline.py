"""From files to scores, on tracks of other people's making."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from argue_eval.cli import app
from argue_eval.errors import Finding, InputError
from argue_eval.evaluation.inputs import Job
from argue_eval.evaluation.judging import NOBODY
from argue_eval.evaluation.pipeline import evaluate
from argue_eval.evaluation.results import RunScores
from argue_eval.records import ScoreTable, ScoringOptions
from tests import tiny_track

SHARED = Path(__file__).parents[3] / "shared/data"
KIDDIE = SHARED / "kiddie"
RAGTIME = SHARED / "ragtime26"
EXAMPLE = Path(__file__).parents[2]

needs_kiddie = pytest.mark.skipif(not KIDDIE.is_dir(), reason=f"there is no {KIDDIE}")
needs_ragtime = pytest.mark.skipif(not RAGTIME.is_dir(), reason=f"there is no {RAGTIME}")


def _mean(scores: RunScores, measure: str) -> float:
    value = scores.table.value(measure)
    assert value is not None
    return value


# --- the AutoJudge starter kit's small runs, whose documents are embedded ------------------------


@pytest.fixture(scope="module")
def kiddie() -> dict[str, RunScores]:
    if not KIDDIE.is_dir():
        pytest.skip(f"there is no {KIDDIE}")
    # Nuggets for five questions that children ask; document ids are titles of articles.
    qrels = EXAMPLE / "tests" / "data" / "kiddie_nuggets.json"
    runs = [str(KIDDIE / f"runs/repgen/run{number}.jsonl") for number in range(1, 5)]
    topics = str(KIDDIE / "topics/kiddie-topics.jsonl")
    return {scores.table.run_id: scores for scores in evaluate(Job(runs, str(qrels), topics))}


@needs_kiddie
def test_all_reports_of_the_small_runs_are_scored(kiddie: dict[str, RunScores]) -> None:
    assert list(kiddie) == ["run1", "run2", "run3", "run4"]
    for scores in kiddie.values():
        assert (scores.table.counts["num_q"], scores.table.counts["num_q_run"]) == (5, 5)


@needs_kiddie
def test_documents_embedded_in_the_runs_let_support_be_judged(
    kiddie: dict[str, RunScores],
) -> None:
    for scores in kiddie.values():
        assert "|documents:run|" in scores.table.signature
        assert scores.table.counts["num_unjudged"] == 0
        assert not scores.open_reasons
        supports = [
            citation.support
            for evidence in scores.evidence
            for outcome in evidence.outcomes["argue"].sentences
            for citation in outcome.citations
        ]
        assert len(supports) >= 20
        assert None not in supports


@needs_kiddie
def test_small_runs_come_out_in_a_plausible_order(kiddie: dict[str, RunScores]) -> None:
    recall = {run: _mean(scores, "nugget_recall") for run, scores in kiddie.items()}
    assert recall["run1"] > recall["run2"] > recall["run4"] == 0
    assert recall["run1"] > recall["run3"]
    f1 = {run: _mean(scores, "argue_f1") for run, scores in kiddie.items()}
    assert max(f1, key=lambda run: f1[run]) == "run1"
    assert f1["run4"] == 0


# --- real RAGTIME submissions, without their documents -------------------------------------------

RAGTIME_RUNS = [str(RAGTIME / "T1_run_1.jsonl"), str(RAGTIME / "T1_run_2.jsonl")]
RAGTIME_QRELS = str(RAGTIME / "T3_run_1.jsonl")


@needs_ragtime
def test_ragtime_runs_are_scored_without_documents_and_the_lack_is_told_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    score = ["score", *RAGTIME_RUNS, RAGTIME_QRELS, "--format", "trec_eval"]
    assert app.run(score) == 4
    out, err = capsys.readouterr()
    assert out.count("num_q                 \tall\t103\n") == 2
    assert err.count("no document text") == 1
    for measure in ("argue_f1", "citation_support_micro", "f1_macro"):
        for bound in ("lower", "upper"):
            assert len(re.findall(rf"^{measure}_{bound} *\tall\t", out, re.MULTILINE)) == 2
    for measure in ("nugget_coverage_micro", "citation_relevance_micro", "nugget_recall"):
        assert f"{measure}_lower" not in out


@needs_ragtime
def test_nugget_coverage_of_ragtime_runs_needs_no_documents(
    capsys: pytest.CaptureFixture[str],
) -> None:
    score = ["score", *RAGTIME_RUNS, RAGTIME_QRELS, "-m", "nugget_coverage", "--format", "csv"]
    assert app.run(score) == 0
    out, err = capsys.readouterr()
    assert "unjudged" not in err
    first, second = csv.DictReader(io.StringIO(out))
    for measure in ("nugget_coverage_micro", "nugget_coverage_macro"):
        assert abs(float(first[measure]) - float(second[measure])) > 0.2


# --- a published evaluation, re-scored -----------------------------------------------------------


def _asked(doc_id: str, attested: bool, relevant: bool, *matched: tuple[str, str]) -> list[Any]:
    where = {"provenance": {"doc_id": doc_id}}
    answers = [
        {"question_text": question, "matched_answer": [answer]} for question, answer in matched
    ]
    return [
        {"judgment_type_id": "SENTENCE_ATTESTED", "response": {"is_attested": attested}, **where},
        {
            "judgment_type_id": "CITED_DOCUMENT_RELEVANCE",
            "response": {"is_relevant": relevant},
            **where,
        },
        {
            "judgment_type_id": "SENTENCE_ANSWERS_QUESTION",
            "response": {"matched_nuggets": answers},
            **where,
        },
    ]


def test_published_auto_argue_judgments_can_be_scored_again(tmp_path: Path) -> None:
    files = tiny_track.write(tmp_path)
    mill, size = ("When was the mill built?", "1784"), "How large is the dam, and when did it open?"
    sentences = {
        "t1": [
            (tiny_track.BUILT, "d1", _asked("d1", True, True, mill)),
            (tiny_track.BURNED, "d4", _asked("d4", False, False)),
        ],
        "t2": [
            (tiny_track.SIZE, "d3", _asked("d3", True, True, (size, "40 million cubic metres"))),
            (tiny_track.OPENED, "d3", _asked("d3", True, True)),
        ],
    }
    reports, published = [], []
    for topic_id, said in sentences.items():
        metadata = {"team_id": "t", "run_id": "gamma", "topic_id": topic_id}
        responses = [{"text": text, "citations": [doc_id]} for text, doc_id, _ in said]
        reports.append({"metadata": metadata, "responses": responses})
        judged = [
            {"citations": [{"doc_id": doc_id, "text": "…"}], "judgments": asked}
            for _, doc_id, asked in said
        ]
        published.append({"report": {"metadata": metadata}, "judgments": judged})
    run, judgments = tmp_path / "gamma.jsonl", tmp_path / "published.jsonl"
    run.write_text(tiny_track.lines(reports), encoding="utf-8")
    judgments.write_text(tiny_track.lines(published), encoding="utf-8")

    scores = _only(_job([str(run)], files.qrels, [str(judgments)], ["auto_argue"]))
    assert scores.table.counts["num_unjudged"] == 0
    expected = {
        "citation_relevance_micro": 3 / 4,
        "citation_support_micro": 3 / 4,
        "sentence_support_micro": 3 / 4,
        "nugget_coverage_micro": 1 / 5,
        "nugget_coverage_macro": (1 / 2 + 0 + 0) / 3,
        "correct_nuggets": 1,
    }
    assert {name: scores.table.value(name) for name in expected} == expected


# --- the example track ---------------------------------------------------------------------------

EXAMPLE_RUNS = [
    str(EXAMPLE / f"runs/{run}.jsonl") for run in ("careful", "hallucinating", "miscited", "sparse")
]
EXAMPLE_QRELS = str(EXAMPLE / "qrels/example.json")
EXAMPLE_JUDGMENTS = str(EXAMPLE / "qrels/example.judgments.jsonl")


def _job(
    runs: Sequence[str],
    qrels: str,
    judgments: Sequence[str],
    measures: Sequence[str],
    options: ScoringOptions | None = None,
) -> Job:
    """A job in which nobody is asked what the judgments leave open."""
    options = options or ScoringOptions()
    return Job(runs, qrels, judgments=judgments, judges=NOBODY, measures=measures, options=options)


def _only(job: Job) -> RunScores:
    (scores,) = evaluate(job)
    return scores


@pytest.mark.parametrize("reading", ["argue", "strict"])
@pytest.mark.parametrize("citations", ["all", "any", "macro", "micro"])
@pytest.mark.parametrize("attestation", ["cited-document", "any-document"])
def test_assessors_leave_nothing_unjudged_whatever_the_options(
    reading: str, citations: str, attestation: str
) -> None:
    options = ScoringOptions(reading, citations, attestation)
    measures = ["argue", "auto_argue"]
    job = _job(EXAMPLE_RUNS, EXAMPLE_QRELS, [EXAMPLE_JUDGMENTS], measures, options)
    for scores in evaluate(job):
        assert scores.table.counts["num_unjudged"] == 0, scores.open_reasons
        assert not any(row.is_bounded for row in scores.table.rows)


@pytest.mark.parametrize("reading", ["argue", "strict"])
def test_lexical_judge_ranks_the_example_runs_as_the_assessors_do(reading: str) -> None:
    options = ScoringOptions(reading, judged_only=True)
    lexical = Job(
        EXAMPLE_RUNS,
        EXAMPLE_QRELS,
        str(EXAMPLE / "topics/example.jsonl"),
        [str(EXAMPLE / "collection/example.jsonl")],
        options=options,
    )
    assessed = _job(EXAMPLE_RUNS, EXAMPLE_QRELS, [EXAMPLE_JUDGMENTS], [], options)
    for measure in ("argue_f1", "sentence_precision", "nugget_recall", "f1_macro"):
        rankings = [
            [scores.table.run_id for scores in sorted(evaluate(job), key=_by(measure))]
            for job in (lexical, assessed)
        ]
        assert rankings[0] == rankings[1], measure


def _by(measure: str) -> Any:
    return lambda scores: -_mean(scores, measure)


# --- what holds for every job --------------------------------------------------------------------


def test_runs_are_scored_alike_alone_and_together() -> None:
    collection = [str(EXAMPLE / "collection/example.jsonl")]
    runs = EXAMPLE_RUNS[:2]
    together = [each.table for each in evaluate(Job(runs, EXAMPLE_QRELS, None, collection))]
    alone = [
        next(evaluate(Job([run], EXAMPLE_QRELS, None, collection))).table for run in reversed(runs)
    ]
    assert together == alone[::-1]


@pytest.mark.parametrize("only_answered", [False, True])
def test_many_runs_of_which_nothing_is_asked_are_scored_as_each_alone(
    tmp_path: Path, only_answered: bool
) -> None:
    runs = []
    for number in range(20):
        lines = Path(EXAMPLE_RUNS[number % 4]).read_text(encoding="utf-8").splitlines()
        run = "\n".join(lines[: 1 + number // 4])  # most have no report for some topics
        runs.append(str(tmp_path / f"{number}.jsonl"))
        Path(runs[-1]).write_text(re.sub('"run_id": *"', rf"\g<0>{number}", run), encoding="utf-8")
    options = ScoringOptions(only_answered=only_answered)

    def tables(of: Sequence[str]) -> list[ScoreTable]:
        job = _job(of, EXAMPLE_QRELS, [EXAMPLE_JUDGMENTS], [], options)
        return [each.table for each in evaluate(job)]

    together = tables(runs)
    assert together == [table for run in runs for table in tables([run])]
    assert len({table.run_id for table in together}) == 20
    assert {table.counts["num_unjudged"] > 0 for table in together} == {False, True}


def test_the_averages_of_a_table_are_its_last_rows() -> None:
    table = _only(_job(EXAMPLE_RUNS[:1], EXAMPLE_QRELS, [EXAMPLE_JUDGMENTS], [])).table
    averages, rows = table.averages(), list(table.rows)
    assert rows[-len(averages) :] == averages
    assert not any(row.topic_id == "all" for row in rows[: -len(averages)])
    assert list(reversed(table.rows)) == rows[::-1]


@pytest.mark.parametrize("broken", [["beta"], ["alpha", "beta"]])
def test_errors_of_all_runs_stop_the_first_from_being_scored(
    tmp_path: Path, broken: list[str]
) -> None:
    files = tiny_track.write(tmp_path)
    paths = [getattr(files, name) for name in broken]
    for path in paths:
        Path(path).write_text("{broken", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        next(evaluate(Job([files.alpha, files.beta], files.qrels)))
    assert [(each.file, each.line) for each in caught.value.findings] == [
        (each, 1) for each in paths
    ]


def test_mistyped_document_ids_are_warned_of_with_a_guess(tmp_path: Path) -> None:
    files = tiny_track.write(tmp_path)
    for path, old, new in ((files.qrels, '"d4"', '"d4x"'), (files.beta, '"d2"', '"d22"')):
        Path(path).write_text(Path(path).read_text().replace(old, new), encoding="utf-8")
    warnings: list[Finding] = []
    job = Job([files.beta], files.qrels, None, [files.collection])
    assert len(list(evaluate(job, warnings))) == 1
    told = [each.message for each in warnings if each.code == "unknown_document"]
    assert told == [
        "1 cited id that no document has: d22",
        "1 of 4 document ids that no document and no run has: d4x (is d4x meant to be d4?)",
    ]
