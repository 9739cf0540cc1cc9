"""The command: what it prints and writes, and its exit codes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.documented import ROOT
from tests.formats.reading import DATA, needs_data
from tests.ingest.taking import Taking, nugget, qrels, request


@pytest.fixture
def source(taking: Taking) -> str:
    """Qrels with one thing to warn of."""
    good = nugget("n1", ("Lund", ["d1"]), importance="vital")
    odd = nugget("n2", ("unknown", ["d1"]), ("1902", ["d2", "d3"]), importance="okay")
    return taking.path("source.json", qrels(t1=[good, odd], t2=[nugget("n1", importance="okay")]))


def test_it_writes_the_file_and_prints_findings_and_summary(
    source: str, tmp_path: Path, argue_eval: Command
) -> None:
    output = str(tmp_path / "out.json")
    code, out, err = argue_eval("ingest", "qrels", source, "-o", output)
    assert (code, err) == (0, "")
    assert out.startswith("warning no_information: 1 found\n")
    assert "  per topic                 1 to 2, median 1.5\n" in out
    assert "  importance                vital 1, okay 2, none 0\n" in out
    assert "  absence nuggets           1\n" in out
    assert out.endswith(f"ok, 1 warning: written to {output}\n")
    assert json.loads(Path(output).read_text("utf-8"))["format"] == "argue-eval/nuggets/1"


def test_the_summary_goes_to_stderr_if_the_file_goes_to_stdout(
    source: str, tmp_path: Path, argue_eval: Command
) -> None:
    output = tmp_path / "out.json"
    argue_eval("ingest", "qrels", source, "-o", str(output))
    code, out, err = argue_eval("ingest", "qrels", source, "-o", "-")
    assert (code, out) == (0, output.read_text("utf-8"))
    assert "nuggets                     3\n" in err
    assert err.endswith("written to standard output\n")


def test_without_output_it_only_checks(source: str, tmp_path: Path, argue_eval: Command) -> None:
    before = sorted(tmp_path.iterdir())
    code, out, _ = argue_eval("ingest", "qrels", source)
    assert code == 0
    assert out.endswith("ok, 1 warning: only checked; -o FILE writes the canonical file\n")
    assert sorted(tmp_path.iterdir()) == before


def test_json_has_summary_and_findings(source: str, tmp_path: Path, argue_eval: Command) -> None:
    output = str(tmp_path / "out.json")
    code, out, _ = argue_eval("ingest", "qrels", source, "-o", output, "--json")
    table = json.loads(out)
    assert (code, table["is_ok"], table["output"]) == (0, True, output)
    assert table["summary"]["nuggets_per_topic"] == {"min": 1, "median": 1.5, "max": 2}
    assert table["summary"]["answers_per_nugget"] == {"min": 1, "median": 1.5, "max": 2}
    assert table["summary"]["documents_per_nugget"] == {"min": 1, "median": 2.0, "max": 3}
    assert table["summary"]["aggregators"] == {"OR": 3, "AND": 0}
    (finding,) = table["findings"]
    assert (finding["file"], finding["line"], finding["code"]) == (source, 1, "no_information")


@pytest.mark.parametrize("options", [["--strict"], ["--form", "neuclir"]])
def test_nothing_is_written_if_there_are_errors(
    source: str, tmp_path: Path, argue_eval: Command, options: list[str]
) -> None:
    output = tmp_path / "out.json"
    output.write_text("as before", encoding="utf-8")
    code, out, _ = argue_eval("ingest", "qrels", source, "-o", str(output), *options)
    assert code == 1
    assert "error" in out
    assert out.rstrip().endswith("nothing is written")
    assert output.read_text("utf-8") == "as before"


def test_errors_leave_stdout_empty_if_the_file_was_to_go_there(
    source: str, argue_eval: Command
) -> None:
    code, out, err = argue_eval("ingest", "qrels", source, "-o", "-", "--strict")
    assert (code, out) == (1, "")
    assert "error no_information: 1 found" in err


def test_standard_input_and_packed_output(
    taking: Taking, tmp_path: Path, argue_eval: Command, stdin: Callable[[bytes], None]
) -> None:
    text = Path(taking.path("topics.jsonl", request("1"))).read_bytes()
    stdin(text)
    packed = str(tmp_path / "out.jsonl.gz")
    assert argue_eval("ingest", "requests", "-", "-o", packed)[0] == 0
    assert Path(packed).read_bytes()[:2] == b"\x1f\x8b"
    code, out, _ = argue_eval("ingest", "requests", packed, "-o", "-")
    assert (code, json.loads(out)["topic_id"]) == (0, "1")


def test_a_device_is_written_to_and_not_replaced(
    source: str, tmp_path: Path, argue_eval: Command
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert argue_eval("ingest", "qrels", source, "-o", str(pipe))[0] == 0
    assert os.read(reader, 20) == b'{"format": "argue-ev'
    os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["qrel", "SOURCE"], 2, "Did you mean 'ingest qrels'?"),
        (["qrels", "SOURCE", "--form", "v3"], 2, "auto_argue"),
        (["requests", "SOURCE", "--requests", "SOURCE"], 2, "are for qrels"),
        (["qrels", "-", "--requests", "-"], 2, "only one input"),
        (["qrels", "SOURCE", "-o", "."], 2, "directory"),
        (["qrels", "nowhere.json"], 3, "no such file"),
        (["qrels", "SOURCE", "--requests", "nowhere.jsonl"], 3, "no such file"),
        (["qrels", "SOURCE", "-o", "nowhere/out.json"], 3, "cannot be written"),
    ],
)
def test_wrong_usage_and_missing_files(
    source: str, argue_eval: Command, words: list[str], code: int, said: str
) -> None:
    found, out, err = argue_eval(
        "ingest", *(source if each == "SOURCE" else each for each in words)
    )
    assert found == code
    assert said in out + err


def test_a_screenful_unless_all_is_asked_for(
    taking: Taking, argue_eval: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINES", "30")
    nuggets = [nugget(f"n{n}", ("unknown", ["d1", f"x{n}"])) for n in range(200)]
    source = taking.path("q.json", qrels(t1=nuggets))
    _, out, _ = argue_eval("ingest", "qrels", source)
    assert len(out.splitlines()) <= 30
    assert "no_information: 200 found" in out
    _, out, _ = argue_eval("ingest", "qrels", source, "--all")
    assert out.count("'unknown'") == 200


def test_the_example_track_is_clean_but_for_what_it_shows(
    argue_eval: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    words = "ingest qrels qrels/example.json --requests topics/example.jsonl --json"
    _, out, _ = argue_eval(*words.split(), "--collection", "collection/example.jsonl")
    codes = {finding["code"] for finding in json.loads(out)["findings"]}
    assert codes <= {"shared_question", "missing_importance", "part_of_answer"}
    code, out, _ = argue_eval("ingest", "requests", "topics/example.jsonl", "--strict")
    assert code == 0


@needs_data
@pytest.mark.parametrize(("run", "num"), [(1, 1725), (2, 1670)])
def test_real_banks_are_taken_in_whole_with_little_noise(
    run: int, num: int, tmp_path: Path, argue_eval: Command
) -> None:
    source, output = DATA / "ragtime26" / f"T3_run_{run}.jsonl", tmp_path / "out.json"
    code, out, _ = argue_eval("ingest", "qrels", str(source), "-o", str(output), "--json")
    table = json.loads(out)
    assert code == 0
    assert table["summary"]["topics"] == 103
    assert table["summary"]["nuggets"] == num
    assert 0 < len(table["findings"]) < 0.1 * num
    again = tmp_path / "again.json"
    assert argue_eval("ingest", "qrels", str(output), "-o", str(again))[0] == 0
    assert again.read_bytes() == output.read_bytes()


@needs_data
@pytest.mark.parametrize(
    ("name", "topics"),
    [("ragtime26/topics_small.jsonl", 3), ("kiddie/topics/kiddie-topics.jsonl", 5)],
)
def test_real_requests_are_taken_in(name: str, topics: int, argue_eval: Command) -> None:
    code, out, _ = argue_eval("ingest", "requests", str(DATA / name), "--json")
    table = json.loads(out)
    assert (code, table["summary"]["topics"]) == (0, topics)
    assert {finding["code"] for finding in table["findings"]} <= {"run_together"}
