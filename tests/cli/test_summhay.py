"""SummHay on the command line: scores of haystacks, and the results tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argue_eval.analysis import summhay
from argue_eval.analysis.summhay import SCORES, Cell, Combination, Results, combination
from argue_eval.errors import UsageError
from argue_eval.formats.scores import Score
from argue_eval.report.summhay import as_text
from tests.chat_server import ChatServer, verdicts
from tests.cli.conftest import Command

HARBOUR = str(Path(__file__).parents[2] / "docs" / "examples" / "summhay" / "harbour.json")


def written(folder: Path, name: str = "topic.json", **changes: Any) -> str:
    """The harbour haystack with other ids, or with changed subtopics."""
    value = json.loads(Path(HARBOUR).read_text("utf-8"))
    value.update(changes)
    path = folder / name
    path.write_text(json.dumps(value, indent=1))
    return str(path)


def renamed(folder: Path) -> str:
    """The harbour haystack as another one: with other subtopics, and without one of the runs."""
    value = json.loads(Path(HARBOUR).read_text("utf-8"))
    for subtopic in value["subtopics"]:
        subtopic["subtopic_id"] += "-2"
        for kind in ("summaries", "eval_summaries"):
            del subtopic[kind]["summary_subtopic_oracle_stork"]
    return written(folder, "other.json", subtopics=value["subtopics"])


def score(argue_eval: Command, *args: str) -> Any:
    return argue_eval("score", HARBOUR, HARBOUR, "--protocol", "summhay", *args)


def test_every_combination_of_a_haystack_is_a_run(argue_eval: Command) -> None:
    ran = score(argue_eval, "--format", "json", "-q")
    assert ran.code == 0
    tables = {each["run_id"]: each for each in json.loads(ran.out)}
    assert len(tables) == 6
    scores = tables["summary_subtopic_oracle_heron"]["scores"]
    rows = {each["measure"]: each["value"] for each in scores if each["topic_id"] == "all"}
    # ferry: full, full and partial, F1 1, 1 and 2/3; pier: full and partial, F1 1 and 2/3
    assert rows["coverage"] == pytest.approx((2.5 / 3 + 1.5 / 2) / 2)
    assert rows["citation_score"] == pytest.approx(((2 + 2 / 3) / 3 + (1 + 2 / 3) / 2) / 2)
    assert rows["joint_score"] == pytest.approx(((2 + 1 / 3) / 3 + (1 + 1 / 3) / 2) / 2)
    assert "protocol:summhay" in tables["summary_subtopic_oracle_heron"]["signature"]


def test_judgments_in_the_file_are_used_after_those_that_are_named(
    argue_eval: Command, tmp_path: Path
) -> None:
    line = {"topic_id": "ferry", "kind": "covers", "verdict": "no", "judge": "assessor:A1",
            "nugget_id": "f1", "run_id": "summary_subtopic_heron"}  # fmt: skip
    (tmp_path / "own.jsonl").write_text(json.dumps(line) + "\n")
    ran = score(argue_eval, "--judgments", str(tmp_path / "own.jsonl"), "-q", "-m", "coverage")
    assert ran.code == 0
    assert "stored_judgments" in ran.err
    assert "ferry\t0.3333" in ran.out


def test_judgments_none_leaves_out_those_of_the_file(argue_eval: Command) -> None:
    ran = score(argue_eval, "--judgments", "none", "--judge", "none", "-m", "coverage")
    assert ran.code == 4
    assert "stored_judgments" not in ran.err
    assert "judgments:none" in ran.err
    lexical = score(argue_eval, "--judgments", "none", "-m", "summhay")
    assert (lexical.code, "judgments:none" in lexical.err) == (0, True)


def test_a_bullet_that_does_not_exist_ends_it_with_file_path_and_number(
    argue_eval: Command, tmp_path: Path
) -> None:
    text = Path(HARBOUR).read_text("utf-8").replace('"bullet_id": 3', '"bullet_id": 7', 1)
    path = tmp_path / "topic.json"
    path.write_text(text)
    ran = argue_eval("score", str(path), str(path), "--protocol", "summhay")
    assert (ran.code, ran.out) == (1, "")
    assert f"{path}:" in ran.err
    assert "$.subtopics[0].eval_summaries.summary_subtopic_oracle_heron[2].bullet_id" in ran.err
    assert "there is no bullet 7: the summary has 3 bullets" in ran.err


def test_written_judgments_give_the_same_scores_again(argue_eval: Command, tmp_path: Path) -> None:
    first = score(argue_eval, "-o", str(tmp_path / "out"), "-q")
    names = sorted(str(each) for each in (tmp_path / "out").glob("*.judgments.jsonl"))
    options = [word for name in names for word in ("--judgments", name)]
    again = score(argue_eval, *options, "--judgments", "none", "--judge", "none", "-q")
    assert (again.code, again.out) == (0, first.out)
    lines = (tmp_path / "out" / "summary_subtopic_oracle_stork.outcomes.jsonl").read_text("utf-8")
    insight = json.loads(lines.splitlines()[2])
    assert (insight["nugget_id"], insight["coverage"], insight["bullet"]) == ("f3", "yes", 1)
    assert (insight["citations"], insight["attesting"]) == (["1", "2"], ["2", "4"])
    assert insight["judge"] == "eval_summaries"


def test_a_bullet_of_citations_alone_is_judged_and_its_judgment_is_read_back(
    argue_eval: Command, tmp_path: Path
) -> None:
    value = json.loads(Path(HARBOUR).read_text("utf-8"))
    for subtopic in value["subtopics"]:
        subtopic["summaries"] = {"oracle_m": ["[1][2]", "Dogs travel free on the ferry [2, 4]."]}
        subtopic["eval_summaries"] = {}
    path = written(tmp_path, subtopics=value["subtopics"])
    out = str(tmp_path / "out")
    command = ["score", path, path, "--protocol", "summhay", "-q"]
    first = argue_eval(*command, "-o", out)
    assert first.code == 0
    judgments = f"{out}/oracle_m.judgments.jsonl"
    again = argue_eval(*command, "--judgments", judgments, "--judge", "none")
    assert (again.code, again.out) == (0, first.out)


def test_canonical_files_are_scored_too(argue_eval: Command, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.json", tmp_path / "run.jsonl"
    text = "The night ferry to the island starts on 4 May."
    claim = {"nugget_id": "n", "question": None, "answers": [{"answer": text, "doc_ids": ["D1"]}]}
    topic = {"topic_id": "t", "nuggets": [claim]}
    qrels.write_text(json.dumps({"format": "argue-eval/nuggets/1", "topics": [topic]}))
    ids = {"team_id": "x", "run_id": "r", "topic_id": "t"}
    other = {"text": "The old pier is closed until August.", "citations": []}
    sentences = [other, {"text": text, "citations": ["D1", "D2"]}]
    run.write_text(json.dumps({"metadata": ids, "responses": sentences}) + "\n")
    ran = argue_eval("score", str(run), str(qrels), "--protocol", "summhay", "--judge", "lexical")
    assert ran.code == 0
    assert ran.value("coverage") == "1.0000"
    assert ran.value("citation_precision") == "0.5000"
    assert ran.value("citation_score") == "0.6667"


def test_a_model_is_asked_about_every_bullet_without_its_citations(
    argue_eval: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    partial = ChatServer(lambda received: verdicts(received.labels, "partial"))
    with partial as server, server.environment():
        ran = score(argue_eval, "--judgments", "none", "--judge", "llm:m", "--format", "json", "-q")
    assert ran.code == 0
    rows = {(run["run_id"].removeprefix("summary_subtopic_"), row["topic_id"], row["measure"]):
            row["value"] for run in json.loads(ran.out) for row in run["scores"]}  # fmt: skip
    # Of equal bullets the first is the link: [1,2] of [1,2], [1,3] and [2,4].
    assert rows["oracle_heron", "ferry", "coverage"] == 0.5
    assert rows["oracle_heron", "ferry", "citation_score"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    prompts = [received.prompt for received in server.received]
    assert any("- The night ferry starts on 4 May." in prompt for prompt in prompts)
    assert not any("[1" in prompt for prompt in prompts)
    assert "covers:" not in ran.err


# --- the tables ----------------------------------------------------------------------------------


def test_the_table_has_summarizers_down_and_retrievers_across(argue_eval: Command) -> None:
    ran = argue_eval("summhay", "table", HARBOUR)
    assert ran.code == 0
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[0][:4] == ["SummHay,", "x", "100,", "mean"]
    assert lines[2] == ["Coverage", "Rand", "Orac", "Full", "Mean"]
    # heron, oracle: (1 + 1 + 0.5 + 1 + 0.5) / 5; stork sorts first, since its joint score is lower
    assert [line[0] for line in lines[3:6]] == ["stork", "heron", "mean"]
    assert lines[4] == ["heron", "30.0", "80.0", "60.0", "56.7"]
    assert lines[12][-1] == "#W_b"


def test_all_layouts_say_the_same(argue_eval: Command, tmp_path: Path) -> None:
    found = json.loads(argue_eval("summhay", "table", HARBOUR, "--format", "json").out)
    cells = {(each["summarizer"], each["retriever"]): each for each in found["cells"]}
    assert cells["heron", "Orac"]["coverage"] == 0.8
    assert found["average"] == "insights"
    page = argue_eval("summhay", "table", HARBOUR, "--format", "markdown").out
    head, _, *rows = [line for line in page.splitlines() if line.startswith("|")][:5]
    assert head.startswith("| Summarizer | Coverage Rand | Coverage Orac | Coverage Full |")
    assert rows[1].startswith("| heron | 30.0 | 80.0 | 60.0 | 56.7 |")
    path = tmp_path / "table.md"
    ran = argue_eval("summhay", "table", HARBOUR, "--format", "markdown", "-o", str(path))
    assert (ran.code, ran.out, path.read_text("utf-8")) == (0, "", page)


def test_several_haystacks_are_put_together(argue_eval: Command, tmp_path: Path) -> None:
    other = renamed(tmp_path)
    cells = json.loads(argue_eval("summhay", "table", HARBOUR, other, "--format", "json").out)
    found = {(each["summarizer"], each["retriever"]): each for each in cells["cells"]}
    assert found["heron", "Orac"]["coverage"] == pytest.approx(0.8)
    # Where a run is not, it covers nothing; its citations are as they are where it is.
    assert found["stork", "Orac"]["coverage"] == pytest.approx(0.45)
    assert found["stork", "Orac"]["citation_score"] == pytest.approx(0.5667, abs=1e-4)
    answered = argue_eval("summhay", "table", HARBOUR, other, "--only-answered", "--format", "json")
    (stork,) = [each for each in json.loads(answered.out)["cells"] if each["summarizer"] == "stork"]
    assert stork["coverage"] == pytest.approx(0.9)


def test_printed_scores_make_the_table_over_topics(argue_eval: Command, tmp_path: Path) -> None:
    score(argue_eval, "-o", str(tmp_path / "out"))
    (tmp_path / "scores.txt").write_text(score(argue_eval, "--format", "trec_eval").out)
    direct = argue_eval("summhay", "table", HARBOUR, "--average", "topics").out
    assert "mean over topics" in direct
    for path in ("out", "scores.txt"):
        ran = argue_eval("summhay", "table", str(tmp_path / path))
        # Printed scores have four decimals, and no bullets to average the words over.
        assert ran.code == 0
        assert ran.out.splitlines()[:11] == direct.splitlines()[:11]


def test_folders_of_scores_have_the_mean_over_insights_of_their_haystacks(
    argue_eval: Command, tmp_path: Path
) -> None:
    other = renamed(tmp_path)
    folders = []
    for name, path in (("out", HARBOUR), ("more", other)):
        folders.append(str(tmp_path / name))
        command = ["score", path, path, "--protocol", "summhay", "-o", folders[-1]]
        assert argue_eval(*command).code == 0
    for number in (1, 2):
        direct = argue_eval("summhay", "table", *[HARBOUR, other][:number])
        ran = argue_eval("summhay", "table", *folders[:number], "--average", "insights")
        assert (ran.code, ran.out) == (0, direct.out)
        assert "mean over insights" in ran.out


def test_a_folder_of_other_scores_has_no_insights(argue_eval: Command, tmp_path: Path) -> None:
    run = json.dumps({"metadata": {"team_id": "t", "run_id": "r", "topic_id": "ferry"},
                      "responses": [{"text": "A.", "citations": []}]})  # fmt: skip
    (tmp_path / "run.jsonl").write_text(run)
    paths = [str(tmp_path / "run.jsonl"), HARBOUR, "-o", str(tmp_path / "out")]
    argue_eval("score", *paths, "--judge", "lexical")
    ran = argue_eval("summhay", "table", str(tmp_path / "out"), "--average", "insights")
    assert (ran.code, "use score --protocol summhay" in ran.err) == (2, True), ran.err


def test_scores_of_two_files_are_weighed_by_their_topics() -> None:
    def scores(value: float, num_q: float | None) -> list[Score]:
        found = [Score("oracle_m", "all", "coverage", value)]
        return found + ([Score("oracle_m", "all", "num_q", num_q)] if num_q else [])

    results = summhay.from_scores([scores(0.5, 1), scores(1.0, 3)])
    assert results.cell("m", "Orac", "coverage") == Cell(0.875)
    with pytest.raises(UsageError, match="num_q"):
        summhay.from_scores([scores(0.5, 1), scores(1.0, None)])


def test_words_per_bullet_are_those_of_the_runs_in_the_tables() -> None:
    """Not those of the runs on documents in another order, which a table of their own is about."""
    listed = {"bm25_m": 10.0, "fl-ctxt-sort_m": 30.0}
    scores = [Score(run_id, "all", "words_per_bullet", value) for run_id, value in listed.items()]
    assert summhay.from_scores([scores]).words == {"m": 10.0}


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (f"{HARBOUR} {HARBOUR}", 0, ""),
        (f"{HARBOUR} --average words", 2, "unknown --average 'words'"),
        (f"{HARBOUR} --format latex", 2, "unknown --format 'latex'"),
        ("nowhere", 3, "no such file"),
        (".", 2, "*.scores.txt"),
        (f"{HARBOUR} scores", 2, "not both"),
        ("scores --average insights", 2, "name the haystacks"),
        ("others", 2, "no file has scores of SummHay"),
        (f"{HARBOUR} topic.json", 2, "'ferry'"),
    ],
)
def test_usage_is_checked(
    argue_eval: Command, args: str, code: int, message: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    Path("scores").write_text(score(argue_eval, "-m", "summhay").out)
    Path("others").write_text("runid\tall\tx\nP@5\tall\t0.5\n")
    ran = argue_eval(f"summhay table {args}")
    assert (ran.code, message in ran.err) == (code, True), ran.err


def test_two_runs_of_one_combination_are_told() -> None:
    scores = [Score(name, "all", "coverage", 0.5) for name in ("longembed_m", "dwzhu/e5-base-4k_m")]
    with pytest.raises(UsageError, match="'m' with 'LongE'"):
        summhay.from_scores([scores])


# --- table 3 of the paper ------------------------------------------------------------------------


def position(top: float, bottom: float, random: float, middle: float | None = None) -> Results:
    orders = {"Top": top, "Bottom": bottom, "Full": random, "Middle": middle}
    return Results(
        "insights",
        {
            Combination("m", name): {"joint_score": Cell(value)}
            for name, value in orders.items()
            if value is not None
        },
    )


@pytest.mark.parametrize(
    ("orders", "sensitivity"),
    [
        ((13.7765, 24.0761, 11.4111, 11.3129), 12.6650),  # GPT-4o
        ((20.4072, 27.9877, 17.9861, 23.4648), 10.0016),  # Claude 3 Opus
        ((47.0490, 38.9118, 37.8486, 38.8409), 9.2004),  # Gemini-1.5-pro
        ((30.0, 20.0, 25.0, None), 5.0),  # not 30 - 20: both are compared with random
    ],
)
def test_sensitivity_is_the_largest_difference_from_the_random_order(
    orders: tuple[float, float, float, float | None], sensitivity: float
) -> None:
    (found,) = position(*orders).positions()
    assert found.sensitivity.value == pytest.approx(sensitivity, abs=1e-9)


def test_open_scores_are_counted_and_marked_up_to_their_means(argue_eval: Command) -> None:
    command = f"summhay table {HARBOUR} --judge none --judgments none"
    ran = argue_eval(command)
    assert (ran.code, "insights are unjudged" in ran.err) == (4, True)
    assert argue_eval(f"{command} --allow-unjudged").code == 0
    assert "* depends on missing judgments" in ran.out
    lines = ran.out.splitlines()
    marked = [line.split()[1:] for line in lines if line.startswith(("heron", "stork", "mean"))]
    numbers = [cell for row in marked for cell in row if cell not in ("-", "8.2", "8.8")]
    assert {cell[-1] for cell in numbers} == {"*"}
    assert "mean         -*     -*     -*" in lines
    document = json.loads(argue_eval(f"{command} --format json").out)
    for each in (*document["over_retrievers"], *document["over_summarizers"]):
        assert each["open"] == list(SCORES)


def test_a_haystack_through_a_pipe_is_told_to_be_one(
    argue_eval: Command, stdin: Callable[[bytes], None]
) -> None:
    stdin(Path(HARBOUR).read_bytes())
    ran = argue_eval("summhay table -")
    assert (ran.code, ran.out) == (2, "")
    assert "-: a haystack is read several times, and a pipe only once: write it to a" in ran.err


def test_scores_may_come_through_a_pipe(
    argue_eval: Command, stdin: Callable[[bytes], None]
) -> None:
    stdin(score(argue_eval, "--format", "trec_eval").out.encode())
    ran = argue_eval("summhay table -")
    assert ran.code == 0, ran.err
    assert "stork     -   44.4      -   44.4    8.8" in ran.out


def test_the_sensitivity_needs_all_three_orders() -> None:
    cells = dict.fromkeys(SCORES, Cell(0.4))
    page = "".join(as_text(Results("insights", {Combination("m", "Top"): cells})))
    head, row = page.splitlines()[-2:]
    assert head.split() == ["Joint,", "by", "document", "order", "Top", "Sensitivity"]
    assert row.split() == ["m", "40.0", "-"]
    page = "".join(as_text(Results("insights", {Combination("m", "Full"): cells})))
    assert "Sensitivity" not in page


@pytest.mark.parametrize(
    ("run_id", "expected"),
    [
        ("summary_subtopic_gpt-4o", ("gpt-4o", "Full")),
        ("summary_subtopic_fl-ctxt-sort_gpt-4o", ("gpt-4o", "Top")),
        ("summary_subtopic_fl-ctxt-rev-sort_gpt-4o", ("gpt-4o", "Bottom")),
        ("summary_subtopic_rerank3_my_own_model", ("my_own_model", "RR3")),
        ("oracle-gpt-4o", ("gpt-4o", "Orac")),
        ("mine_gpt-4o", ("gpt-4o", "mine")),
        ("my_own_model", ("my_own_model", "Full")),
        ("oracle_", ("oracle_", "Full")),
        ("", ("", "Full")),
    ],
)
def test_a_run_id_names_summarizer_and_retriever(run_id: str, expected: tuple[str, str]) -> None:
    assert combination(run_id) == Combination(*expected)
