"""``argue-eval score`` as organizers and participants use it."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from tests import tiny_track
from tests.cli.conftest import Command
from tests.tiny_track import Files

pytestmark = pytest.mark.usefixtures("files")

JUDGED = "--judgments assessors.judgments.jsonl --judge none"
ALPHA = f"score alpha.jsonl nuggets.json {JUDGED} -m argue_f1"


@pytest.mark.parametrize("option", ["alpha.jsonl", "nuggets.json", "assessors.judgments.jsonl"])
def test_gzip_input_scores_the_same(argue_eval: Command, option: str) -> None:
    plain = argue_eval(ALPHA)
    Path(f"{option}.gz").write_bytes(gzip.compress(Path(option).read_bytes()))
    assert argue_eval(ALPHA.replace(option, f"{option}.gz")) == plain


@pytest.mark.parametrize("option", ["alpha.jsonl", "nuggets.json", "assessors.judgments.jsonl"])
@pytest.mark.parametrize("packed", [False, True])
def test_dash_reads_standard_input(
    argue_eval: Command, option: str, packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = argue_eval(ALPHA)
    content = Path(option).read_bytes()
    raw = io.BytesIO(gzip.compress(content) if packed else content)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
    assert argue_eval(ALPHA.replace(option, "-")) == plain


def test_families_suffixes_and_single_measures_can_be_asked_for(argue_eval: Command) -> None:
    ran = argue_eval(
        f"score alpha.jsonl nuggets.json {JUDGED} -m support -m f1_macro -m nugget_recall"
    )
    names = [line.split("\t")[0].strip() for line in ran.out.splitlines()[5:]]
    assert names[0] == "nugget_recall"
    assert {"f1_macro", "weighted_precision", "weighted_recall"} < set(names)
    assert "argue_f1" not in names


@pytest.mark.parametrize(
    ("written", "same_as"),
    [
        ("-m nugget_recall,f1", "-m nugget_recall -m f1"),
        ("-m map,P_10", "-m AP -m P@10"),
        ("-m P(rel=1,judged_only=False)@5", "-m P@5"),
        ("-m ALL", "-m all"),
        ("-m num_q", ""),
        ("-m num_q -m f1", "-m f1"),
        ("--per-topic", "-q"),
    ],
)
def test_habits_from_other_tools_work(argue_eval: Command, written: str, same_as: str) -> None:
    base = f"score alpha.jsonl nuggets.json {JUDGED}"
    ran = argue_eval(f"{base} {written}")
    assert ran == argue_eval(f"{base} {same_as}")
    assert ran.value("num_q") == "3"


def test_measures_that_need_no_support_leave_nothing_unjudged(argue_eval: Command) -> None:
    ran = argue_eval(f"score beta.jsonl nuggets.json {JUDGED} -m nugget_coverage")
    assert (ran.code, ran.value("num_unjudged")) == (0, "0")
    assert "unjudged" not in ran.err


def test_unjudged_units_give_code_4_bounds_and_one_reason(argue_eval: Command) -> None:
    base = "score alpha.jsonl beta.jsonl nuggets.json -m sentence_precision --format trec_eval"
    ran = argue_eval(base)
    assert ran.code == 4
    assert ran.value("sentence_precision_lower") < ran.value("sentence_precision_upper")
    assert ran.err.count("no document text") == 1
    assert ran.err.count("units are unjudged") == 1
    command = f"{base} --allow-unjudged"
    allowed = argue_eval(command)
    assert (allowed.code, allowed.out) == (0, ran.out)
    # What is judged is no fair sample: without documents, no sentence can be known to be wrong.
    assert "sentence_precision  " not in ran.out
    assert "--judged-only" in ran.err
    judged = argue_eval(f"{command} --judged-only")
    assert judged.value("sentence_precision") == "0.6667"
    assert "|unjudged:left-out|" in judged.err


def test_reason_is_told_when_no_judge_is_asked(argue_eval: Command, files: Files) -> None:
    ran = argue_eval("score alpha.jsonl nuggets.json --judge none")
    assert ran.code == 4
    assert ran.err.count("x answers, judge none: no judgment in the files, and no judge") == 1


def test_judges_can_be_chosen_by_kind_of_question(argue_eval: Command) -> None:
    base = "score beta.jsonl nuggets.json --judgments assessors.judgments.jsonl --judge none"
    with_documents = f"{base} --collection documents.jsonl -m argue_f1"
    assert argue_eval(with_documents).code == 4
    ran = argue_eval(f"{with_documents} --support-judge lexical")
    assert ran.code == 0
    assert "|support:lexical@" in ran.err
    assert "|nugget:none|sentence:none|" in ran.err


def test_missing_topic_counts_0_unless_only_answered(argue_eval: Command) -> None:
    both = f"score beta.jsonl nuggets.json {JUDGED} -m sentence_precision -q --judged-only"
    zero, left_out = argue_eval(both), argue_eval(f"{both} --only-answered")
    assert (zero.value("num_q"), zero.value("num_q_run")) == ("3", "2")
    assert zero.value("sentence_precision", "t3") == "0.0000"
    assert (zero.value("sentence_precision"), left_out.value("sentence_precision")) == (
        "0.3333",
        "0.5000",
    )
    assert left_out.value("num_q") == "2"
    assert "\tt3\t" not in left_out.out
    assert "no report for 1 topic: t3" in zero.err


def test_request_file_decides_what_is_averaged_over(argue_eval: Command) -> None:
    path = Path("two.jsonl")
    path.write_text(tiny_track.lines([*tiny_track.REQUESTS[:1], {
        **tiny_track.REQUESTS[0], "topic_id": "t9"}]))  # fmt: skip
    ran = argue_eval(f"{ALPHA} --requests two.jsonl -q")
    assert ran.value("num_q") == "2"
    assert [ran.value("argue_f1", each) for each in ("t1", "t9", "all")] == [
        "0.6667",
        "0.0000",
        "0.3333",
    ]
    assert "warning [topic_without_nuggets] 1 requested topic without nuggets: t9" in ran.err
    assert "warning [topic_not_requested] 2 topics not in the request file: t2, t3" in ran.err


def test_run_twice_is_scored_twice_with_a_warning(argue_eval: Command) -> None:
    both = ALPHA.replace("alpha.jsonl", "alpha.jsonl alpha.jsonl")
    rows = argue_eval(both).out.splitlines()[1:3]
    assert rows[0].split() == ["alpha", *rows[1].removeprefix("alpha (2)").split()]
    ran = argue_eval(f"{both} --format trec_eval")
    half = len(ran.out) // 2
    assert ran.code == 0
    assert ran.out[:half] == ran.out[half:]
    assert "warning [run_id_taken] the run id 'alpha' is that of alpha.jsonl too" in ran.err


def test_order_of_runs_and_company_change_no_score(argue_eval: Command) -> None:
    alone = argue_eval(ALPHA).out
    both = ALPHA.replace("alpha.jsonl", "beta.jsonl alpha.jsonl")
    assert argue_eval(f"{both} --format trec_eval").out.endswith(alone)
    assert argue_eval(both).out == argue_eval(ALPHA.replace("nugg", "beta.jsonl nugg")).out


def test_unprintable_run_id_is_refused_without_being_printed_raw(argue_eval: Command) -> None:
    text = Path("alpha.jsonl").read_text()
    Path("alpha.jsonl").write_text(text.replace('"alpha"', r'"al\u001b[31mpha"'))
    ran = argue_eval(ALPHA)
    assert (ran.code, ran.out) == (1, "")
    assert "[bad_id]" in ran.err
    assert r"al\x1b[31mpha" in ran.err


def test_run_id_with_spaces_and_other_scripts_keeps_its_columns(argue_eval: Command) -> None:
    text = Path("alpha.jsonl").read_text()
    Path("alpha.jsonl").write_text(text.replace('"alpha"', '"../run 運行"'), encoding="utf-8")
    ran = argue_eval(ALPHA)
    assert ran.value("runid") == "../run_運行"


def test_reports_without_sentences_are_scored_as_undefined(argue_eval: Command) -> None:
    empty = [{**report, "responses": []} for report in tiny_track.ALPHA]
    Path("alpha.jsonl").write_text(tiny_track.lines(empty))
    ran = argue_eval(f"score alpha.jsonl nuggets.json {JUDGED} -m argue")
    assert (ran.code, ran.value("num_q_run"), ran.value("num_undefined")) == (0, "3", "3")
    assert {ran.value("sentence_precision"), ran.value("nugget_recall")} == {"0.0000"}


def test_json_output_is_one_document_for_all_runs(argue_eval: Command) -> None:
    ran = argue_eval(f"score alpha.jsonl beta.jsonl nuggets.json {JUDGED} --format json -q")
    runs = json.loads(ran.out)
    assert [run["run_id"] for run in runs] == ["alpha", "beta"]
    rows = {(row["topic_id"], row["measure"]): row["value"] for row in runs[0]["scores"]}
    assert rows["t1", "sentence_precision"] == 0.5
    assert "signature" not in ran.err


BOTH = f"score alpha.jsonl beta.jsonl nuggets.json {JUDGED} -m argue"


def test_several_runs_are_one_table_that_fits_a_terminal(
    argue_eval: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["sentence_precision", "nugget_recall", "nugget_recall_weighted"]
    piped = argue_eval(BOTH).out.splitlines()
    assert piped[0].split() == ["run", "rank", *names, "argue_f1", "argue_f1_weighted"]
    assert piped[2].split()[:4] == ["beta", "2", "0.1667-0.3333", "0.0000"]
    assert piped[4:] == [
        "sorted by the lower bound of sentence_precision; * is the best",
        "low-high: bounds, since judgments are missing",
    ]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for width, num in ((47, 2), (72, 3), (10, 1)):
        monkeypatch.setenv("COLUMNS", str(width))
        table = argue_eval(BOTH).out.splitlines()
        assert table[0].split() == ["run", "rank", *names[:num]]
        assert table[-1].startswith(f"{5 - num} measures left out")
        assert max(map(len, table[:3])) <= max(width, 31)
    judged = argue_eval(f"{BOTH} --judged-only").out.splitlines()
    assert judged[2].split() == ["beta", "2", "0.3333", "(0.1667-0.3333)"]


@pytest.mark.parametrize(
    ("measures", "columns"),
    [
        ("-m nugget_recall -m sentence_precision", "nugget_recall sentence_precision"),
        ("-m f1,outcome_3 -m num_q", "f1_micro f1_macro outcome_3"),
        ("-m P@3 -m nuggets -m P@3", "P@3 nuggets"),
        ("-m outcome_3 -m sentence_precision -m nuggets", "outcome_3 sentence_precision nuggets"),
        ("-m outcome_3", "outcome_3"),
    ],
)
def test_a_table_has_the_measures_that_are_named_in_their_order(
    argue_eval: Command, measures: str, columns: str
) -> None:
    printed = argue_eval(f"{BOTH.replace('-m argue', measures)} -o out").out.splitlines()
    assert printed[0].split() == ["run", "rank", *columns.split()]
    assert f" {columns.split()[0]}" in printed[4]
    head = Path("out/leaderboard.tsv").read_text("utf-8").splitlines()[0].split("\t")
    assert [name for name in head if f"{name}_rank" in head] == columns.split()


@pytest.mark.parametrize(
    ("command", "first"),
    [
        (ALPHA, "runid"),
        (f"{BOTH} -q", "sentence_precision    \tt1"),
        (f"{BOTH} --format trec_eval", "runid"),
        (f"{BOTH} --format csv", "run_id,team_id,sentence_precision,"),
        (f"{BOTH} --format csv -q", "run_id,topic_id,measure,"),
        (f"{ALPHA} --format csv", "run_id,topic_id,measure,"),
        (f"{ALPHA} --format tsv", "run_id\tteam_id\t"),
        (f"{ALPHA} --format text", "run  "),
        (f"{BOTH} --format json", '{\n "format": "argue-eval/leaderboard/1"'),
        (f"{BOTH} --format json -q", '[\n{"run_id":"alpha"'),
        (f"{BOTH} --format markdown", "| run | rank |"),
        (f"{ALPHA} --format markdown", "### alpha"),
    ],
)
def test_format_follows_from_the_number_of_runs_and_from_q(
    argue_eval: Command, command: str, first: str
) -> None:
    assert argue_eval(command).out.startswith(first)


@pytest.mark.parametrize("name", ["text", "latex", "html", "tsv"])
def test_tables_over_runs_have_no_values_per_topic(argue_eval: Command, name: str) -> None:
    ran = argue_eval(f"{BOTH} -q --format {name}")
    assert (ran.code, ran.out) == (2, "")
    assert f"-q: --format {name} has no values per topic; expected trec_eval," in ran.err


def test_tables_for_machines_have_what_the_leaderboard_has(argue_eval: Command) -> None:
    for name in ("tsv", "csv"):
        printed = argue_eval(f"{BOTH} --format {name} -o out").out
        assert argue_eval(f"leaderboard out --format {name}").out == printed
        assert "sentence_precision_rank_worst" in printed
    assert Path("out/leaderboard.tsv").read_text() == argue_eval(f"{BOTH} --format tsv").out


def test_a_judgment_by_place_of_another_sentence_is_told(argue_eval: Command) -> None:
    text = tiny_track.ALPHA[0]["responses"][0]["text"]
    row = {"row": "1 of 1", "topic_id": "t1", "kind": "first_instance", "run_id": "alpha",
           "sentence_index": 0, "verdict": "no", "judge": "assessor:A"}  # fmt: skip
    for shown, is_told in ((f" {text}", False), ("It was something else.", True)):
        Path("sheet.jsonl").write_text(json.dumps({**row, "sentence": shown}) + "\n")
        ran = argue_eval(f"{ALPHA} --judgments sheet.jsonl")
        assert ("made of other sentences: 1 sentence; first alpha, topic t1, sentence 0" in ran.err
                ) is is_told  # fmt: skip
