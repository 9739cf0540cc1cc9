"""Score files: every layout that trec_eval, ir_measures, Auto-ARGUE and argue-eval write."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from argue_eval.cli import app
from argue_eval.errors import ArgueEvalError, InputError
from argue_eval.formats.scores import Score, read_scores
from tests.formats.reading import DATA, needs_data

BOTH = [Score("r", "t1", "P", 0.5), Score("r", "all", "P", 0.25)]
LAYOUTS = {
    "trec_eval": "P  \tt1\t0.5000\nrunid\tall\tr\nnum_q\tall\t1\nP  \tall\t0.2500\n",
    "trec_eval with spaces": "P t1 0.5\nrunid all r\nP all 0.25\n",
    "ir_measures with topics": "t1\tP\t0.5\nall\tP\t0.25\n",
    "tot": "r\tP\tt1\t0.5\nr\tP\tall\t0.25\n",
    "ir_measures with runs": "r t1 P 0.5\nr all P 0.25\n",
    "topics first": "t1 r P 0.5\nall r P 0.25\n",
    "Auto-ARGUE": "run_id\trequest_id\tmetric\tvalue\nr\tt1\tP\t0.5\nr\tall\tP\t0.25\n",
    "header in another order": "value,measure,topic_id,run_id\n0.5,P,t1,r\n0.25,P,all,r\n",
    "CSV": "run_id,topic_id,measure,value,lower,upper\nr,t1,P,0.5,0,1\nr,all,P,0.25,0,1\n",
    "JSON lines": '{"run_id":"r","topic_id":"t1","measure":"P","value":0.5}\n'
    '{"run_id":"r","topic_id":"all","measure":"P","value":0.25}\n'
    '{"run_id":"r","topic_id":"t2","measure":"P","value":null}\n',
    "JSON": '[{"run_id":"r","scores":[{"topic_id":"t1","measure":"P","value":0.5},'
    '{"topic_id":"all","measure":"P","value":0.25}]}]',
}


def read(folder: Path, text: str, name: str = "r.scores.txt") -> list[Score]:
    (folder / name).write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    return read_scores(str(folder / name))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_are_told_apart(tmp_path: Path, layout: str) -> None:
    scores = [each for each in read(tmp_path, LAYOUTS[layout]) if each.measure != "num_q"]
    assert [each for each in scores if each.value is not None] == BOTH


def test_averages_without_topics_and_leaderboards_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, "P\t0.25\nnDCG@10\t0.5\n", "my.run.eval.txt") == [
        Score("my.run", "all", "P", 0.25),
        Score("my.run", "all", "nDCG@10", 0.5),
    ]
    assert read(tmp_path, "run_id\tteam_id\tP\tR\nr1\tx\t0.25\t\nr2\ty\t0.5\t1\n") == [
        Score("r1", "all", "P", 0.25),
        Score("r2", "all", "P", 0.5),
        Score("r2", "all", "R", 1.0),
    ]


def test_runs_after_each_other_keep_their_topics(tmp_path: Path) -> None:
    one = "P\tt1\t0.{0}\nrunid\tall\tr{0}\nP\tall\t0.{0}\n"
    found = read(tmp_path, one.format(1) + one.format(2))
    assert [(each.run_id, each.topic_id, each.value) for each in found] == [
        ("r1", "t1", 0.1),
        ("r1", "all", 0.1),
        ("r2", "t1", 0.2),
        ("r2", "all", 0.2),
    ]


@pytest.mark.parametrize(
    ("options", "num"),
    [
        *((f"-m argue_f1 --format {view}", 2) for view in ("csv", "tsv", "json")),
        *(
            (f"-m argue -q --format {view}", 12)
            for view in ("trec_eval", "auto_argue", "json", "csv")
        ),
    ],
)
def test_what_score_prints_is_read(
    options: str,
    num: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    judged = "--judgments qrels/example.judgments.jsonl --judge none"
    runs = "runs/careful.jsonl runs/sparse.jsonl qrels/example.json"
    capsys.readouterr()
    assert app.run(f"score {runs} {judged} -m argue {options}".split()) == 0
    found = {
        (each.run_id, each.topic_id): round(each.value or 0.0, 4)
        for each in read(tmp_path, capsys.readouterr().out)
        if each.measure == "argue_f1"
    }
    assert len(found) == num
    assert (found["careful", "all"], found["sparse", "all"]) == (0.88, 0.408)


@needs_data
def test_the_made_up_leaderboard_of_autojudge_is_read() -> None:
    path = DATA / "kiddie" / "eval" / "kiddie_fake.eval.ir_measures.txt"
    found = read_scores(str(path))
    assert len(found) == 24
    assert found[0] == Score("run1", "leaf", "RELEVANCE", 0.85)
    assert found[-1] == Score("run4", "all", "RELEVANCE", 0.088)


WRONG = {
    "r t1 P 0.5\nr t2 P 0.5\n": ("unknown_format", 1, "topic_id, measure, value"),
    "a b c d e\n": ("unknown_format", 1, ""),
    "P\tt1\tmany\n": ("wrong_type", 1, ""),
    "P\tall\t0.5\nP\tall\n": ("wrong_columns", 2, ""),
    "P\tall\tnan\n": ("wrong_type", 1, ""),
    "run_id\tP\nr\t0.5*\nr2\t0.4\n": ("wrong_type", 2, "score --format tsv"),
    "run_id\tP\nr\tnan\n": ("wrong_type", 2, ""),
    '{"runs":[{"run_id":"r"}]}': ("wrong_type", 1, ""),
    '{"runs":[{"run_id":"r","measures":{"P":0.5}}]}': ("wrong_type", 1, ""),
    '{"topic_id":"t1","measure":"P"}\n': ("missing_key", 1, "add it"),
    '{"run_id":"r","topic_id":"t1","measure":"P","value":"x"}\n': ("wrong_type", 1, ""),
    "run_id\ttopic_id\tmeasure\tvalue\n": ("no_scores", None, "right file"),
    "": ("empty_file", 1, ""),
    '{"topic_id":"t1","kind":"support"}\n': ("unknown_format", 1, "what argue-eval score"),
}


@pytest.mark.parametrize("content", WRONG)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, content: str) -> None:
    code, line, hint = WRONG[content]
    with pytest.raises(InputError) as wrong:
        read(tmp_path, content, "r.txt")
    finding = wrong.value.findings[0]
    assert (finding.code, finding.line) == (code, line)
    assert hint in finding.hint
    assert finding.file == str(tmp_path / "r.txt")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.text(), st.text(alphabet='\t\n ,al1.r"[{}]:')))
@example("run\n")
@example("runid all\n")
@example("a\tall\tb\tall\n")
@example(f'{{"run_id":"r","topic_id":"t","measure":"P","value":1,"lower":1{"0" * 400},"upper":1}}')
def test_any_text_gives_scores_or_findings(tmp_path: Path, text: str) -> None:
    try:
        scores = read(tmp_path, text)
    except ArgueEvalError:
        return
    assert scores
    assert all(type(score.value) is float for score in scores)
