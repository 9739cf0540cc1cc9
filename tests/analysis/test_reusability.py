"""Leaving out teams, against scoring everything again without what they contributed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

import argue_eval as ae
from argue_eval.analysis.contributions import without_documents
from tests.cli.conftest import Command
from tests.documented import ROOT

RUNS = sorted(map(str, (ROOT / "runs").glob("*.jsonl")))
NUGGETS = str(ROOT / "qrels" / "example.json")
TRUTH = str(ROOT / "qrels" / "example.judgments.jsonl")
COLLECTION = str(ROOT / "collection" / "example.jsonl")
MEASURES = ["nugget_recall", "sentence_precision", "argue_f1"]
TEAMS = {"careful": "x", "sparse": "x", "miscited": "y", "hallucinating": "z"}


def judged(judge: str = "none") -> ae.Scores:
    return ae.score(RUNS, NUGGETS, judgments=TRUTH, judge=judge, collection=COLLECTION)


def teams(tmp_path: Path) -> str:
    path = tmp_path / "teams.tsv"
    path.write_text("".join(f"{run_id}\t{team}\n" for run_id, team in TEAMS.items()))
    return str(path)


def cited(run: ae.Run, topic_id: str) -> set[str]:
    return {
        citation.doc_id
        for report in run
        if report.topic_id == topic_id
        for sentence in report.sentences
        for citation in sentence.citations
    }


def without(team: str, leaving: str) -> ae.Scores:
    """All runs, scored with the files as they would be without the team."""
    runs = ae.read_runs(RUNS)
    own = [run for run in runs if TEAMS[run.run_id] == team]
    others = [run for run in runs if TEAMS[run.run_id] != team]
    nuggets = []
    for topic in ae.read_nuggets(NUGGETS):
        gone = set().union(*(cited(run, topic.topic_id) for run in own))
        gone -= set().union(*(cited(run, topic.topic_id) for run in others))
        kept = []
        for nugget in topic.nuggets:
            answers = [
                each._replace(doc_ids=tuple(one for one in each.doc_ids if one not in gone))
                for each in nugget.answers
            ]
            left = tuple(each for each in answers if each.doc_ids)
            if left or not nugget.answers:
                kept.append(nugget._replace(answers=left))
        nuggets.append(topic._replace(nuggets=tuple(kept)))
    shared = {(each.topic_id, one.text) for run in others for each in run for one in each.sentences}
    run_ids = {run.run_id for run in own}
    texts = {(each.topic_id, one.text) for run in own for each in run for one in each.sentences}
    judgments = []
    for judgment in ae.read_judgments(TRUTH):
        name = (judgment.topic_id, judgment.sentence)
        is_own = judgment.run_id in run_ids or (name in texts and name not in shared)
        if judgment.kind == "support" and name in texts:
            docs = [cited(run, judgment.topic_id) for run in others]
            is_own = is_own or judgment.doc_id not in set().union(*docs)
        if leaving == "none" or not is_own:
            judgments.append(judgment)
    return ae.score(runs, nuggets, judgments=judgments, judge="none")


def means(scores: ae.Scores, measure: str) -> list[float]:
    """Open values count as their lower bounds."""
    rows = [run[measure] for run in scores.values()]
    return [round(row.lower if row.value is None else row.value, 12) for row in rows]


def ranks(values: Sequence[float]) -> list[int]:
    return [1 + sum(other > value for other in values) for value in values]


@pytest.mark.parametrize("leaving", ["people", "none"])
def test_same_as_scoring_everything_again(tmp_path: Path, leaving: str) -> None:
    scores = judged()
    found = ae.reusability(scores, MEASURES, teams=teams(tmp_path), leaving=leaving)
    assert [each.name for each in found.teams] == ["x", "z", "y"]
    assert any(each.num_answers for each in found.teams)
    for place, team in enumerate(found.teams):
        again = without(team.name, leaving)
        for measure in MEASURES:
            before, after = means(scores, measure), means(again, measure)
            effect = found.effects[measure][place]
            assert list(found.means[measure]) == pytest.approx(before)
            assert effect.tau == pytest.approx(kendalltau(before, after).statistic)
            moved = np.array(ranks(after)) - ranks(before)
            assert abs(effect.change) == np.abs(moved).max()
            assert moved[list(scores).index(effect.run_id)] == effect.change
            own = [list(scores).index(run_id) for run_id in team.run_ids]
            changed = np.array(after) - before
            assert effect.own_change == pytest.approx(changed[own].mean(), abs=1e-9)


def test_folder_gives_the_same_as_scores(tmp_path: Path, argue_eval: Command) -> None:
    words = f"score {' '.join(RUNS)} {NUGGETS} --judgments {TRUTH} --judge none -o {tmp_path}/s"
    assert argue_eval(words).code == 0
    of_folder = ae.reusability(ae.read_scores(f"{tmp_path}/s"), MEASURES)
    assert of_folder == ae.reusability(judged(), MEASURES)
    document = argue_eval(f"reusability {tmp_path}/s --judge none --json -m nugget_recall").json
    effects = document["measures"]["nugget_recall"]["effects"]
    assert effects == [each._asdict() for each in of_folder.effects["nugget_recall"]]


def test_judge_answers_what_leaves() -> None:
    """Without the people's judgments, it is the judge alone that scores a team's own runs."""
    found = ae.reusability(judged("lexical"), ["nugget_recall"])
    by_judge = ae.score(RUNS, NUGGETS, collection=COLLECTION)
    nothing_leaves = {each.name: not each.num_answers for each in found.teams}
    assert any(nothing_leaves.values())
    for team, effect in zip(found.teams, found.effects["nugget_recall"], strict=True):
        if nothing_leaves[team.name]:
            (run_id,) = team.run_ids
            before = found.means["nugget_recall"][list(found.run_ids).index(run_id)]
            expected = by_judge[run_id]["nugget_recall"].value
            assert before + effect.own_change == pytest.approx(expected, abs=0.03)


def test_judgments_by_a_judge_stay_unless_all_leave() -> None:
    known = [each._replace(judge="llm:x") for each in ae.read_judgments(TRUTH)]
    scores = ae.score(RUNS, NUGGETS, judgments=known, judge="none")
    assert not any(each.num_judgments for each in ae.reusability(scores, MEASURES).teams)
    everything = ae.reusability(scores, MEASURES, leaving="all")
    assert everything.effects == ae.reusability(judged(), MEASURES).effects


def test_nuggets_without_documents_of_a_team() -> None:
    answers = (ae.Answer("a", ("d1", "d2")), ae.Answer("b", ("d2",)), ae.Answer("c", ()))
    both = ae.Nugget("n1", "What?", answers)
    one = ae.Nugget("n2", "What?", (ae.Answer("b", ("d2",)),))
    absent = ae.Nugget("n3", "What?", ())
    kept = without_documents([both, one, absent], {"d2"})
    assert kept == (both._replace(answers=(ae.Answer("a", ("d1",)), ae.Answer("c", ()))), absent)


def test_ties_of_all_runs_have_no_tau() -> None:
    runs = [run for run in ae.read_runs(RUNS) if run.run_id == "careful"]
    twins = [
        ae.Run(name, tuple(each._replace(run_id=name, team_id=name) for each in runs[0]))
        for name in ("a", "b")
    ]
    scores = ae.score(twins, NUGGETS, judgments=TRUTH, judge="none")
    found = ae.reusability(scores, ["nugget_recall"])
    assert [each.tau for each in found.effects["nugget_recall"]] == [None, None]
    assert found.mean_tau("nugget_recall") is None
    assert found.worst("nugget_recall") is None
    assert found.largest("nugget_recall").change == 0


def test_mistakes_are_told(tmp_path: Path, argue_eval: Command) -> None:
    folder = f"{tmp_path}/s"
    argue_eval(f"score {RUNS[0]} {NUGGETS} --judgments {TRUTH} --judge none -o {folder}")
    for words, message in (
        (folder, "expected runs of two or more teams, found harbour"),
        (f"{folder} -m nugget_recal", "Did you mean 'nugget_recall'"),
        (f"{folder} --leaving people2", "Did you mean 'people'"),
        (f"{folder} --judge llm:x", "Choices: lexical, none"),
    ):
        ran = argue_eval(f"reusability {words}")
        assert (ran.code, ran.out) == (2, "")
        assert message in ran.err


def test_a_run_of_two_teams_is_refused(tmp_path: Path) -> None:
    path = teams(tmp_path)
    Path(path).write_text(f"{Path(path).read_text()}careful\tx\ncareful\tanother\n")
    with pytest.raises(ae.InputError, match="the run 'careful' has two teams"):
        ae.reusability(judged(), teams=path)


def test_page_lists_measures_and_teams(tmp_path: Path, argue_eval: Command) -> None:
    folder = f"{tmp_path}/s"
    argue_eval(f"score {' '.join(RUNS)} {NUGGETS} --judgments {TRUTH} --judge none -o {folder}")
    ran = argue_eval(f"reusability {folder} -m nugget_recall")
    assert ran.code == 0, ran.err
    cells = [line.split() for line in ran.out.splitlines()]
    assert ["nugget_recall", "0.978", "0.913", "sketch", "-1", "miscited", "sketch"] in cells
    assert ["signpost", "1", "1", "1", "161", "1.000", "-0.0464", "0"] in cells
    assert argue_eval(f"reusability {folder} -m f1_macro").out.count("f1") == 2
    page = argue_eval(f"reusability {folder} --format markdown").out
    assert page.startswith("# Reusability\n")
