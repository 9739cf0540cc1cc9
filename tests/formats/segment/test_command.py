"""``argue-eval segment`` writes a whole run or nothing, and says what it did."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from argue_eval.formats import read_run
from tests.cli.conftest import Command
from tests.formats.segment.reading import pairs

TEXT = "# Dam\n\nIt fell [1]. It broke.\n\nReferences\n[1] ex-1\n"


def write(folder: Path, **texts: str) -> list[str]:
    """Writes a file for each topic."""
    paths = [folder / f"{topic}.md" for topic in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return [str(path) for path in paths]


def test_several_files_become_a_run_that_reads_back(argue_eval: Command, tmp_path: Path) -> None:
    target = tmp_path / "mine.jsonl"
    paths = write(tmp_path, t1=TEXT, t2="大坝决堤[D1]。没有人料到。[D2]\n")
    ran = argue_eval("segment", *paths, "--team-id", "us", "-o", str(target))
    one, two = read_run(str(target))
    assert (one.topic_id, one.run_id, one.team_id) == ("t1", "mine", "us")
    assert pairs(one) == [("Dam", []), ("It fell.", ["ex-1"]), ("It broke.", [])]
    assert pairs(two) == [("大坝决堤。", ["D1"]), ("没有人料到。", ["D2"])]
    assert ran == (
        0,
        "",
        "2 reports, 5 sentences, 3 citations of 3 documents; 0 warnings\n"
        "1 sentence is a heading, which cites nothing; --no-headings leaves headings out\n",
    )


def test_standard_input_goes_to_standard_output(
    argue_eval: Command, stdin: Callable[[bytes], None]
) -> None:
    stdin(TEXT.encode())
    ran = argue_eval("segment - --topic t9 --run-id r --language en --no-headings")
    assert json.loads(ran.out) == {
        "metadata": {"team_id": "", "run_id": "r", "topic_id": "t9", "language": "en"},
        "responses": [
            {"text": "It fell.", "citations": ["ex-1"]},
            {"text": "It broke.", "citations": []},
        ],
    }


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.json", '{"1": "ex-7"}'),
        ("r.json", '{"t1": {"1": "ex-7"}, "t2": {"1": "ex-8"}}'),
        ("r.json", '{"t1": ["ex-7"]}'),
        ("r.json", '["ex-7", "ex-8"]'),
        ("r.txt", "1 ex-7\n2\tex-8\n"),
        ("r.txt", "[1] ex-7 The dam\n[2]: ex-8\n"),
        ("r.tsv", "t2\t1\tex-8\nt1\t1\tex-7\n"),
    ],
)
def test_references_are_read_from_a_file(
    argue_eval: Command, tmp_path: Path, name: str, content: str
) -> None:
    (path,) = write(tmp_path, t1="It fell [1].")
    references = tmp_path / name
    references.write_text(content, encoding="utf-8")
    target = tmp_path / "run.jsonl"
    ran = argue_eval("segment", path, "--references", str(references), "-o", str(target))
    assert ran.code == 0
    assert [pairs(report) for report in read_run(str(target))] == [[("It fell.", ["ex-7"])]]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("1 ex-7\nnonsense\n", "refs:2"),
        ('{"1": 7}', "refs: error [wrong_type] at $['1']"),
        ('{"t1": {"1": null}}', "refs: error [wrong_type] at $['t1']['1']"),
        ("[1] Smith, J.: Dams.\n", "refs:1"),
        ('{"1": "a"', "refs:1"),
    ],
)
def test_wrong_references_are_located(
    argue_eval: Command, tmp_path: Path, content: str, place: str
) -> None:
    (path,) = write(tmp_path, t1="It fell [1].")
    references = tmp_path / "refs"
    references.write_text(content, encoding="utf-8")
    ran = argue_eval("segment", path, "--references", str(references))
    assert (ran.code, ran.out) == (1, "")
    assert place in ran.err


def test_nothing_is_written_if_a_file_has_errors(argue_eval: Command, tmp_path: Path) -> None:
    paths = write(tmp_path, t1=TEXT, t2="", t3="ok")
    Path(paths[2]).write_bytes(b"It fell.\nCaf\xe9.\n")
    target = tmp_path / "run.jsonl"
    ran = argue_eval("segment", *paths, "-o", str(target))
    assert f"{paths[1]}:1: error [empty_file]" in ran.err
    assert f"{paths[2]}:2: error [encoding]" in ran.err
    assert (ran.code, target.exists()) == (1, False)


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["a/t1.md", "b/t1.txt"], 1, "duplicate_topic"),
        (["missing.md"], 3, "no such file"),
        (["-"], 2, "--topic"),
        (["a/.md"], 2, "topic id"),
        (["a.md", "b.md", "--topic", "x"], 2, "--topic"),
        (["a.md", "--citations", "befor"], 2, "'before'"),
        (["-", "--topic", "t", "--references", "-"], 2, "standard input"),
    ],
)
def test_wrong_usage_is_told(argue_eval: Command, args: list[str], code: int, message: str) -> None:
    ran = argue_eval("segment", *args)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err


def test_warnings_do_not_fail(argue_eval: Command, tmp_path: Path) -> None:
    (path,) = write(tmp_path, t1="It fell [1].\n")
    ran = argue_eval("segment", path)
    assert ran.code == 0
    assert f"{path}:1: warning [unresolved_citation]" in ran.err


def test_a_file_that_is_no_report_is_refused(argue_eval: Command, tmp_path: Path) -> None:
    (path,) = write(tmp_path, t1="It fell. " * 120_000)
    ran = argue_eval("segment", path)
    assert ran.code == 1
    assert "[too_large] the file is larger than 1 MiB" in ran.err


@pytest.mark.parametrize("key", ["report", "responses"])
@pytest.mark.parametrize("has_metadata", [False, True])
def test_texts_in_json_are_refused_with_the_command_that_takes_them_out(
    argue_eval: Command, key: str, has_metadata: bool, tmp_path: Path
) -> None:
    rows = []
    for each in (1, 2):
        ids = {"topic_id": f"t{each}", "by": "A"}
        rows.append({**({"metadata": ids} if has_metadata else ids), key: f"It fell [ex-{each}]."})
    path = tmp_path / "it's.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ran = argue_eval("segment", str(path))
    assert ran.code == 1
    assert "expected a text, found JSON" in ran.err
    subprocess.run(ran.err.rpartition("topic: ")[2], shell=True, cwd=tmp_path, check=True)
    made = [str(tmp_path / f"t{each}.txt") for each in (1, 2)]
    assert argue_eval("segment", *made, "-o", str(tmp_path / "run.jsonl")).code == 0
    found = [pairs(each) for each in read_run(tmp_path / "run.jsonl")]
    assert found == [[("It fell.", [f"ex-{each}"])] for each in (1, 2)]
    (path,) = map(Path, write(tmp_path, t3="[1] It fell.\n\n{It broke} [1].\n"))
    assert argue_eval("segment", str(path)).code == 0


def test_of_a_folder_its_files_are_advised(argue_eval: Command, tmp_path: Path) -> None:
    (tmp_path / "my texts").mkdir()
    write(tmp_path / "my texts", t1=TEXT, t2=TEXT)
    ran = argue_eval("segment", f"{tmp_path / 'my texts'}/")
    assert ran.code == 1
    advised = ran.err.partition("all of them: ")[2].strip()
    command = f"{sys.executable} -m argue_eval segment {advised}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("\n")) == (0, 2)
