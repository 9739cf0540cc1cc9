"""``leaderboard``: averages as they were scored, ranks and intervals in columns of their own."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argue_eval.errors import UsageError
from argue_eval.formats.scores import read_scores
from argue_eval.report.leaderboard import codes
from tests.cli.conftest import Command
from tests.documented import ROOT
from tests.tiny_track import Files

HOSTILE = "=1+1|<b>&_x"


def _write(name: str, values: dict[str, list[float | None]], measure: str = "q") -> str:
    rows = [
        {"run_id": run_id, "topic_id": f"t{number}", "measure": measure, "value": value}
        for run_id, of_run in values.items()
        for number, value in enumerate(of_run)
        if value is not None
    ]
    Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return name


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def scores() -> str:
    """Four runs over six topics, two of which tie."""
    values: dict[str, list[float | None]] = {
        "top": [0.9, 0.9, 0.8, 0.9, 1.0, 0.9],
        "good": [0.6, 0.7, 0.5, 0.6, 0.7, 0.6],
        HOSTILE: [0.6, 0.7, 0.5, 0.6, 0.7, 0.6],
        "low": [0.1, 0.2, 0.1, 0.3, 0.2, 0.1],
    }
    return _write("scores.jsonl", values, "quality")


@pytest.mark.parametrize("name", ["tot", "ir_measures", "jsonl"])
def test_autojudge_reads_what_was_scored(
    argue_eval: Command, files: Files, autojudge_base: Callable[[str], Any], name: str
) -> None:
    base = f"{files.alpha} {files.beta} {files.qrels} --judgments {files.judgments}"
    measures = "-m argue_f1 -m f1 -m citations"
    assert argue_eval(f"score {base} {measures} --allow-unjudged -o scores").code == 0
    ran = argue_eval(f"leaderboard scores -m argue_f1 -m f1_micro -m citations --format {name}")
    assert ran.code == 0, ran.err
    Path("board").write_text(ran.out)
    found = autojudge_base("leaderboard").Leaderboard.load(Path("board"), format=name)
    read = {
        (each.run_id, each.topic_id, measure): float(value)
        for each in found.entries
        for measure, value in each.values.items()
    }
    written = {
        (each.run_id, each.topic_id, each.measure): each.value
        for path in Path("scores").glob("*.scores.jsonl")
        for each in read_scores(str(path))
        if each.measure in ("argue_f1", "f1_micro", "f1", "citations") and each.value is not None
    }
    assert read == written
    assert {measure for _, topic, measure in read if topic == "all"} == {
        "argue_f1",
        "f1_micro",
        "citations",
    }
    own = {(each.run_id, each.topic_id, each.measure): each.value for each in read_scores("board")}
    assert own == written


@pytest.mark.parametrize("name", ["tot", "ir_measures", "jsonl"])
def test_autojudge_forms_have_no_line_for_what_is_open(argue_eval: Command, name: str) -> None:
    row = {"run_id": "a b", "topic_id": "t1", "measure": "quality"}
    rows = [
        {**row, "value": None, "lower": 0.0, "upper": 1.0},
        {**row, "topic_id": "t2", "value": 0.5},
        {**row, "topic_id": "all", "value": None, "lower": 0.25, "upper": 0.75},
    ]
    Path("open.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in rows))
    (line,) = argue_eval(f"leaderboard open.jsonl --format {name}").out.splitlines()
    assert "t2" in line
    assert name == "jsonl" or line.split() == line.split("\t")
    ran = argue_eval(f"leaderboard open.jsonl --format {name} --topics")
    assert (ran.code, "unknown --format" in ran.err) == (2, True)


def test_every_number_has_a_column_of_its_own(argue_eval: Command, scores: str) -> None:
    ran = argue_eval(f"leaderboard {scores} --format csv")
    assert ran.code == 0, ran.err
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    ranks = [[row[f"quality_rank{end}"] for end in ("", "_best", "_worst")] for row in rows]
    assert ranks == [["1", "1", "1"], ["2", "2", "3"], ["2", "2", "3"], ["4", "4", "4"]]
    value, low, high = (float(rows[0][f"quality{end}"]) for end in ("", "_low", "_high"))
    assert value == pytest.approx(5.4 / 6)
    assert low < value < high
    document = argue_eval(f"leaderboard {scores} --json").json
    assert document["runs"][0]["measures"]["quality"]["low"] == low
    tabbed = argue_eval(f"leaderboard {scores} --format tsv").out
    assert list(csv.reader(io.StringIO(tabbed), delimiter="\t"))[1] == list(rows[0].values())


@pytest.mark.parametrize(
    ("name", "best", "harmless"),
    [
        ("text", "top                 1  0.9000 [0.8", "=1+1|<b>&_x  2 [2, 3]  0.6167 [0."),
        ("markdown", "| top | 1 | **0.9000 \\[0.8333,", "=1+1\\|&lt;b&gt;&amp;\\_x | 2 \\[2, 3"),
        ("latex", r"top & 1 & \textbf{0.9000 [0.8", r"=1+1|<b>\&\_x & 2 [2, 3] &"),
        ("html", "<td>top</td><td>1</td><td><strong>0.9000 [", "=1+1|&lt;b&gt;&amp;_x"),
        ("csv", "top,,0.9", "'=1+1|<b>&_x,"),
    ],
)
def test_best_is_marked_and_hostile_names_do_no_harm(
    argue_eval: Command, scores: str, name: str, best: str, harmless: str
) -> None:
    ran = argue_eval(f"leaderboard {scores} --format {name}")
    assert best in ran.out
    assert harmless in ran.out


def test_runs_that_tie_are_all_marked(argue_eval: Command, scores: str) -> None:
    lines = [line for line in Path(scores).read_text().splitlines() if '"top"' not in line]
    Path("tied.jsonl").write_text("\n".join(lines))
    rows = argue_eval("leaderboard tied.jsonl --no-intervals").out.splitlines()
    assert [row.split() for row in rows[1:4]] == [
        ["good", "1", "0.6167*"], [HOSTILE, "1", "0.6167*"], ["low", "3", "0.1667"]
    ]  # fmt: skip


def test_averages_are_those_that_score_wrote(argue_eval: Command, files: Files) -> None:
    base = f"{files.alpha} {files.beta} {files.qrels} --judgments {files.judgments}"
    measures = "-m nugget_recall -m nugget_coverage -m outcome_3"
    assert argue_eval(f"score {base} {measures} --allow-unjudged -o out").code == 0
    found = argue_eval("leaderboard out --json").json
    assert [each["run_id"] for each in found["runs"]] == ["alpha", "beta"]
    alpha = found["runs"][0]["measures"]
    assert "outcome_3" not in alpha  # a count is there if it is named
    written = {
        row["measure"]: row["value"]
        for row in map(json.loads, Path("out/alpha.scores.jsonl").read_text().splitlines())
        if row["topic_id"] == "all"
    }
    assert {name: entry["value"] for name, entry in alpha.items()} == {
        name: value for name, value in written.items() if not name.startswith("outcome")
    }
    spreads = argue_eval("leaderboard out --topics -m nugget_coverage_micro --json").json
    assert [each["measure"] for each in spreads["topics"]] == ["nugget_coverage"] * 3
    assert alpha["nugget_coverage_micro"]["low"] is not None
    assert alpha["nugget_coverage_macro"]["low"] is not None
    assert "outcome_3" in argue_eval("leaderboard out -m outcome_3").out


def test_open_values_are_ranked_by_what_their_bounds_allow(
    argue_eval: Command, files: Files
) -> None:
    base = f"{files.alpha} {files.beta} {files.qrels} --judge none --allow-unjudged"
    kept = Path(files.judgments).read_text().splitlines(keepends=True)[::2]
    Path("some.jsonl").write_text("".join(kept))
    assert argue_eval(f"score {base} --judgments some.jsonl -m argue -o out").code == 0
    found = argue_eval("leaderboard out -m nugget_recall --json").json
    assert found["sort_key"] == "the lower bound of nugget_recall"
    entries = [each["measures"]["nugget_recall"] for each in found["runs"]]
    assert any(entry["value"] is None for entry in entries)
    assert [entry["rank"] for entry in entries] == [None, None]
    assert entries[0]["lower"] >= entries[1]["lower"]
    is_apart = entries[0]["lower"] > entries[1]["upper"]
    assert entries[0]["rank_worst"] == (1 if is_apart else 2)
    assert "*" not in argue_eval("leaderboard out -m nugget_recall").out.split("sorted")[0]


def test_of_a_topic_with_an_open_value_nothing_is_the_best(argue_eval: Command) -> None:
    values = {("a", "t1"): None, ("a", "t2"): 0.5, ("b", "t1"): 0.25, ("b", "t2"): 0.75}
    rows = [
        {"run_id": run, "topic_id": topic, "measure": name, "value": value, "lower": 0, "upper": 1}
        for (run, topic), value in values.items()
        for name in ("quality", "other")
    ]
    Path("scores.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in rows))
    ran = argue_eval("leaderboard scores.jsonl --topics --run b -m quality,other")
    assert [line.split() for line in ran.out.splitlines()[1:]] == [
        [topic, name, *shown]
        for name in ("quality", "other")
        for topic, *shown in (
            ["t1", "0.2500", "-", "-", "-", "1"],
            ["t2", "0.7500", "0.7500", "0.6250", "0.5000", "2"],
        )
    ]
    topics = argue_eval("leaderboard scores.jsonl --topics --json").json["topics"]
    assert (topics[0]["best"], topics[0]["num_runs"]) == (None, 1)


def test_a_participant_sees_the_track_without_names(argue_eval: Command, scores: str) -> None:
    ran = argue_eval(f"leaderboard {scores} --topics --run low")
    assert ran.out.splitlines()[1].split() == ["t0", "quality", "0.1000", "0.9000", "0.6000",
                                              "0.1000", "4"]  # fmt: skip
    assert "top " not in ran.out
    document = argue_eval(f"leaderboard {scores} --topics --json").json
    assert document["topics"][0]["own"] is None


def test_codes_stay_the_same_and_say_nothing(argue_eval: Command, scores: str) -> None:
    command = f"leaderboard {scores} --anonymous --format csv -o board.csv"
    assert argue_eval(command).code == 0
    first, key = Path("board.csv").read_text(), Path("board.csv.key").read_text()
    assert not {"top", "good", "low"} & set(first.replace(",", "\n").splitlines())
    named = argue_eval(f"leaderboard {scores} --format csv").out
    numbers = [[line.split(",")[2:] for line in each.splitlines()] for each in (first, named)]
    assert numbers[0] == numbers[1]
    assert argue_eval(command).code == 0
    assert (Path("board.csv").read_text(), Path("board.csv.key").read_text()) == (first, key)
    names = {json.loads(line.split("\t")[1]) for line in key.splitlines()}
    assert names == {"top", "good", "low", HOSTILE}
    assert argue_eval(f"{command} --topics --run low").code == 0
    assert "low" not in Path("board.csv").read_text()


def test_codes_are_read_back_whatever_the_names_are(tmp_path: Path) -> None:
    key, names = str(tmp_path / "board.key"), ["a\u2028b", "c\x85", "=1", ""]
    assert codes(names, key) == codes(names, key)
    Path(key).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="has no names of runs"):
        codes(names, key)


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("scores.jsonl -m qualty", 2, "Did you mean 'quality'?"),
        ("scores.jsonl --run low", 2, "--run goes with --topics"),
        ("scores.jsonl --topics --run goood", 2, "Did you mean 'good'?"),
        ("scores.jsonl --anonymous", 2, "--anonymous needs -o FILE"),
        ("scores.jsonl --format xls", 2, "Choices: csv, html, ir_measures, json, jsonl, latex"),
        ("scores.jsonl -o scores.jsonl", 2, "-o names scores.jsonl, which is read"),
        ("scores.jsonl --anonymous -o mine", 2, "mine.key has no names of runs"),
        ("empty", 1, "name a folder that argue-eval score -o wrote, or the score files"),
    ],
)
def test_mistake_is_explained(
    argue_eval: Command, scores: str, command: str, code: int, said: str
) -> None:
    Path("empty").mkdir()
    Path("mine.key").write_text("my notes\n")
    ran = argue_eval(f"leaderboard {command}")
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert Path("mine.key").read_text() == "my notes\n"


@pytest.mark.parametrize("option", ["--interval normal", "--interval studentized",
                                    "--population 6", "--level 0.2", "--seed 1"])  # fmt: skip
def test_intervals_are_made_as_asked(argue_eval: Command, scores: str, option: str) -> None:
    def ends(options: str) -> list[float]:
        measures = argue_eval(f"leaderboard {scores} --json --resamples 100 {options}").json["runs"]
        return [each["measures"]["quality"][end] for each in measures for end in ("low", "high")]

    found = ends(option)
    assert found == ends(option)
    assert found != ends("")


def test_one_run_has_intervals_too(argue_eval: Command, scores: str) -> None:
    lines = [line for line in Path(scores).read_text().splitlines() if '"top"' in line]
    Path("one.jsonl").write_text("\n".join(lines))
    alone, among = (argue_eval(f"leaderboard {name}").out for name in ("one.jsonl", scores))
    assert "[0.8" in alone.splitlines()[1]
    assert alone.splitlines()[1].split() == among.splitlines()[1].split()


def test_a_run_that_lacks_a_measure_comes_last_without_a_rank(
    argue_eval: Command, scores: str
) -> None:
    row = {"run_id": "new", "topic_id": "t0", "measure": "other", "value": 0.5}
    Path("more.jsonl").write_text(json.dumps(row))
    ran = argue_eval(f"leaderboard {scores} more.jsonl -m quality -m other")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[5].split() == ["new", "-", "-", "0.5000*"]
    assert ran.out.splitlines()[1].split()[-1] == "-"


def test_a_leaderboard_is_read_as_scores(argue_eval: Command, scores: str) -> None:
    assert argue_eval(f"leaderboard {scores} --format tsv -o board.tsv").code == 0
    found = [(each.run_id, each.measure, each.value) for each in read_scores("board.tsv")]
    assert found[0][:2] == ("top", "quality")
    assert found[0][2] == pytest.approx(0.9)
    assert {measure for _, measure, _ in found} == {"quality"}
    bounded = "run_id\tP\tP_lower\tP_upper\nr1\t\t0.25\t0.5\nr2\t0.5\t0.5\t0.5\n"
    Path("bounded.tsv").write_text(bounded)
    first, second = read_scores("bounded.tsv")
    assert (first.value, first.bounds) == (None, (0.25, 0.5))
    assert (second.value, second.bounds) == (0.5, None)
    Path("bounded.tsv").write_text(bounded.replace("r2\t0.5", "r2\tnan"))
    ran = argue_eval("leaderboard bounded.tsv")
    assert (ran.code, ran.out) == (1, "")
    assert (
        "bounded.tsv:3: error [wrong_type] expected a number of at most 1e+15, found 'nan'"
        in ran.err
    )


@pytest.mark.parametrize(
    ("values", "rows", "note"),
    [
        ({"a": [0.5], "b": [0.2]}, ["a 1 [1, 2] 0.5000*", "b 2 [1, 2] 0.2000"], "only one topic"),
        (
            {"a": [0.5] * 6, "b": [0.5] * 6},
            ["a 1 [1, 2] 0.5000 [0.5000, 0.5000]*", "b 1 [1, 2] 0.5000 [0.5000, 0.5000]*"],
            "6 topics are few",
        ),
        ({"a": [0.5] * 6}, ["a 1 0.5000 [0.5000, 0.5000]*"], "6 topics are few"),
        (
            {"a": [0.5, 0.5, 0.5], "b": [0.2, None, 0.2]},
            ["a 1 0.5000 [0.5000, 0.5000]*", "b 2 0.2000 [0.2000, 0.2000]"],
            "b has no q for 1 of 3 topics: t1",
        ),
        ({"a": [-1.0, -1.0], "b": [-2.0, -2.0]}, ["a 1 -1.0000 [-1.0000, -1.0000]*"], "2 topics"),
    ],
    ids=["one topic", "constant and tied", "one run", "a topic is missing", "negative"],
)
def test_poor_data_has_a_defined_outcome(
    argue_eval: Command,
    scores: str,
    values: dict[str, list[float | None]],
    rows: list[str],
    note: str,
) -> None:
    _write("poor.jsonl", values)
    ran = argue_eval("leaderboard poor.jsonl --force")
    assert (ran.code, ran.err) == (0, "")
    shown = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert shown[1 : 1 + len(rows)] == rows
    assert note in ran.out
    for name in ("json", "tsv", "markdown"):
        assert argue_eval(f"leaderboard poor.jsonl --force --format {name}").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"run_id":"a","topic_id":"t","measure":"q","value":NaN}', "[not_a_number] NaN is not"),
        (
            '{"run_id":"a","topic_id":"t","measure":"q","value":1e300}',
            "at most 1e+15, found the number 1e+300",
        ),
        ("run_id\tq\na\t0.5\nb\tNaN\n", "bad:3: error [wrong_type] expected a number of at most"),
        ("q\tt1\tinf\nrunid\tall\tx\nq\tall\t0.5\n", "bad:1: error [wrong_type] expected a number"),
        ("run_id\tq\na\t0.5*\nb\t0.4\n", "score --format tsv writes tables to be read"),
    ],
)
def test_what_is_no_number_is_an_error(
    argue_eval: Command, scores: str, text: str, said: str
) -> None:
    Path("bad").write_text(text)
    ran = argue_eval("leaderboard bad")
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err


@pytest.mark.parametrize(
    ("second", "what"),
    [
        ("--judge none --citations any", "citations: all or any"),
        ("--judge lexical", "support: none or lexical"),
        ("--judge none --only-answered", "missing: zero or"),
    ],
)
def test_scores_that_were_made_in_other_ways_are_not_tabulated_in_silence(
    argue_eval: Command, files: Files, second: str, what: str
) -> None:
    base = f"score {{run}} {files.qrels} --judgments {files.judgments} -m nugget_recall"
    first = f"{base.format(run=files.alpha)} --allow-unjudged --judge none -o one"
    assert argue_eval(first).code == 0
    other = f"{base.format(run=files.beta)} --allow-unjudged {second} -o two"
    assert argue_eval(other).code == 0
    ran = argue_eval("leaderboard one two")
    assert (ran.code, ran.out) == (1, "")
    assert "[different_signatures]" in ran.err
    assert what in ran.err
    forced = argue_eval("leaderboard one two --force")
    assert forced.code == 0
    assert what in forced.out


@pytest.mark.parametrize("topic_ids", [["all"], ["t1", "t2"]])
def test_a_value_that_nobody_computed_is_not_shown_as_zero(
    argue_eval: Command, scores: str, topic_ids: list[str]
) -> None:
    rows = [
        {"run_id": run_id, "topic_id": topic_id, "measure": "q", "value": value}
        for run_id, value in (("a", 0.5), ("b", None))
        for topic_id in topic_ids
    ]
    Path("null.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    ran = argue_eval("leaderboard null.jsonl --no-intervals")
    assert [line.split() for line in ran.out.splitlines()[1:3]] == [
        ["a", "1", "0.5000*"], ["b", "-", "-"]
    ]  # fmt: skip


def test_a_group_of_topics_is_compared_as_a_track_of_its_topics_alone(argue_eval: Command) -> None:
    """In means, in ratios of sums, in memory and from files."""
    bank = json.loads((ROOT / "qrels/example.json").read_text("utf-8"))
    topics = [{**topic, "domain": "law"} for topic in bank["topics"][:3]]
    for name, given in (("all", topics + bank["topics"][3:]), ("law", topics)):
        Path(f"{name}.json").write_text(json.dumps({**bank, "topics": given}))
        command = (
            f"score {ROOT}/runs/careful.jsonl {ROOT}/runs/sparse.jsonl {name}.json --judgments "
        )
        command += f"{ROOT}/qrels/example.judgments.jsonl --judge none --by domain -o {name}"
        assert argue_eval(f"{command} -m nugget_recall -m f1").code == 0
    measures = ["nugget_recall", "f1_micro"]
    rows = {}
    for name, label in (("all", "[domain=law]"), ("law", "")):
        chosen = " -m ".join(m + label for m in measures)
        board = argue_eval(f"leaderboard {name} --json -m {chosen}").json["runs"]
        rows[name] = [each["measures"][m + label] for each in board for m in measures]
        rows[name].append(argue_eval(f"compare {name} --json -m f1_micro{label}").json["systems"])
    assert rows["all"] == rows["law"]
    assert rows["law"][0]["low"] < rows["law"][0]["high"]
    ran = argue_eval("leaderboard all -m nugget_recall[domain=law]")
    assert "note: domain=law: 3 topics are few" in ran.out
    notes = argue_eval("leaderboard law --json").json["notes"]
    assert [note for note in notes if "few" in note] == [
        "3 topics are few: intervals and tests are rough"
    ]


def test_runs_without_a_report_for_some_topics_are_named(argue_eval: Command, files: Files) -> None:
    base = f"score {files.alpha} {files.beta} {files.qrels} --judgments {files.judgments}"
    assert argue_eval(f"{base} -m nugget_recall --allow-unjudged -o out").code == 0
    said = "1 run has no report for some topics, each of which counts 0: "
    views = ("leaderboard out", "leaderboard out --json", "compare out", "compare out --json")
    for command in views:
        assert f"{said}beta (1 of 3 topics)" in argue_eval(command).out
    assert argue_eval("report out -o page.html").code == 0
    page = Path("page.html").read_text("utf-8")
    assert f"{said}beta (1 of 3 topics)" in page
    assert page.count("No report for 1 of 3 topics, each of which counts 0.") == 1  # beta's page
    assert argue_eval("leaderboard out --anonymous -o board").code == 0
    board = Path("board").read_text()
    assert f"{said}run-" in board
    assert "beta" not in board
    assert argue_eval(f"{base} -m nugget_recall --allow-unjudged --only-answered -o some").code == 0
    assert "no report" not in argue_eval("leaderboard some --force").out


def test_codes_stand_in_notes_too(argue_eval: Command, scores: str) -> None:
    lines = Path(scores).read_text().splitlines(keepends=True)
    Path(scores).write_text("".join(lines[:-1]))
    assert "low has no quality for 1 of 6 topics" in argue_eval(f"leaderboard {scores} --force").out
    assert argue_eval(f"leaderboard {scores} --force --anonymous -o board").code == 0
    board = Path("board").read_text()
    assert "has no quality for 1 of 6 topics" in board
    assert "low has" not in board


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("compare plain -m {}", "no run has {}: score the runs again with --by domain and -o DIR"),
        ("leaderboard plain -m {}", "no run has {}: score the runs again with --by domain and"),
        ("report plain -m {}", "no run has {}: score the runs again with --by domain and -o DIR"),
        ("compare mixed -m {}", "fix: score them with the measure and --by domain, or name"),
        ("compare by -m quality[domain=law]", "unknown measure with values per topic 'quality[d"),
        ("compare by -m nugget_recall[domain=lax]", "Did you mean 'nugget_recall[domain=law]'?"),
        ("leaderboard by -m nugget_recall[domain=lax]", "mean 'nugget_recall[domain=law]'?"),
    ],
)
def test_the_advice_about_a_group_of_topics_makes_it(
    argue_eval: Command, files: Files, command: str, said: str
) -> None:
    bank = json.loads(Path(files.qrels).read_text("utf-8"))
    topics = [{**topic, "domain": "law"} for topic in bank["topics"]]
    Path("bank.json").write_text(json.dumps({**bank, "topics": topics}))
    measure = "nugget_recall[domain=law]"
    options = f"bank.json --judgments {files.judgments} --allow-unjudged -m nugget_recall"
    for folder, run, by in (
        ("plain", files.alpha, ""), ("plain", files.beta, ""), ("mixed", files.alpha, ""),
        ("mixed", files.beta, "--by domain"), ("by", files.alpha, "--by domain"),
        ("by", files.beta, "--by domain"),
    ):  # fmt: skip
        assert argue_eval(f"score {run} {options} {by} -o {folder}").code == 0
    ran = argue_eval(command.format(measure))
    assert (ran.code > 0, said.format(measure) in ran.err) == (True, True), ran.err
    assert argue_eval(f"compare by -m {measure}").code == 0
