"""The command as a process: pipes that close, disks that are full, what is loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from urllib.error import URLError

import pytest

from argue_eval.cli import console
from argue_eval.cli.app import run
from tests import tiny_track

HEAVY = ("torch", "transformers", "spacy", "openai", "numpy", "msgspec", "rich", "pydantic",
         "ir_measures", "ir_datasets")  # fmt: skip
SCORE = "score alpha.jsonl nuggets.json --judgments assessors.judgments.jsonl --judge none"


def _shell(command: str, folder: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done.returncode, done.stdout, done.stderr


COMMAND = f"{sys.executable} -m argue_eval"


def test_module_and_function_do_the_same(tmp_path: Path) -> None:
    code, out, err = _shell(f"{COMMAND} --version", tmp_path)
    assert (code, out.split()[0], err) == (0, "argue-eval", "")


@pytest.mark.parametrize("unbuffered", ["", "PYTHONUNBUFFERED=1 "])
@pytest.mark.parametrize("words", [f"{SCORE} -q", "--help", "score --help"])
def test_closed_pipe_ends_the_command_quietly(tmp_path: Path, words: str, unbuffered: str) -> None:
    tiny_track.write(tmp_path)
    command = f"(sleep 0.3; {unbuffered}{COMMAND} {words}) | true"
    assert _shell(command, tmp_path) == (141, "", "")


def test_closed_pipe_does_not_stop_the_files_from_being_written(tmp_path: Path) -> None:
    tiny_track.write(tmp_path)
    both = SCORE.replace("alpha.jsonl", "alpha.jsonl beta.jsonl")
    _shell(f"(sleep 0.3; PYTHONUNBUFFERED=1 {COMMAND} {both} -o out) | true", tmp_path)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"leaderboard.tsv", "alpha.scores.txt", "beta.meta.json"} < names


@pytest.mark.parametrize("unbuffered", ["", "PYTHONUNBUFFERED=1 "])
@pytest.mark.parametrize("command", [SCORE, "list measures", "--help", "explain nugget_recall"])
def test_full_disk_and_closed_stdout_exit_3_with_a_reason(
    tmp_path: Path, command: str, unbuffered: str
) -> None:
    tiny_track.write(tmp_path)
    code, _, err = _shell(f"{unbuffered}{COMMAND} {command} >/dev/full", tmp_path)
    is_typers = unbuffered and command == "--help"
    what = "cannot write" if is_typers else "stdout: cannot be written"
    told = f"argue-eval: {what}: No space left on device"
    assert (code, err.splitlines()[-1]) == (3, told)
    code, _, err = _shell(f"{unbuffered}{COMMAND} {command} >&-", tmp_path)
    assert (code, err.startswith("argue-eval: stdout is closed")) == (3, True)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(5, "Input/output error", "d.tsv"), "d.tsv: Input/output error"),
        (OSError(24, "Too many open files"), "a call to the operating system failed: Too many op"),
        (URLError("no host"), "a call to the operating system failed: <urlopen error no host>"),
    ],
)
def test_what_the_system_refuses_is_told_as_it_says_it(
    error: OSError,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(console, "check_files", refused)
    assert run(["validate", "run.jsonl"]) == 3
    assert capsys.readouterr().err.startswith(f"argue-eval: {told}")


def test_closed_stderr_changes_nothing(tmp_path: Path) -> None:
    tiny_track.write(tmp_path)
    code, out, _ = _shell(f"{COMMAND} {SCORE} 2>&-", tmp_path)
    assert (code, out) == _shell(f"{COMMAND} {SCORE}", tmp_path)[:2]


MODELS = HEAVY[:5]
SLOW = ("msgspec", "numpy", "spacy", "ir_datasets", "gzip", "multiprocessing")


@pytest.mark.parametrize(
    ("command", "absent"),
    [
        ("", HEAVY),
        ("--help", HEAVY),
        ("score --help", HEAVY),
        ("meta-eval --help", HEAVY),
        ("list measures", HEAVY),
        ("list judges", HEAVY),
        ("explain nugget_recall", HEAVY),
        (SCORE, MODELS),
        ("validate alpha.jsonl --track ragtime26 --requests requests.jsonl", SLOW),
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(
    command: str, absent: tuple[str, ...], tmp_path: Path
) -> None:
    tiny_track.write(tmp_path)
    call = f"from argue_eval.cli.app import run; assert run({command.split()!r}) in (0, 1)"
    code = "import argue_eval, sys\n" + (call if command else "")
    code += f"\nprint(*[m for m in {absent} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == ""


def test_what_analysis_knows_of_scored_runs_is_for_annotations_alone() -> None:
    """The import contracts leave this import out: it would lead views of scores to judges."""
    code = "import argue_eval.analysis.systems, sys; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"argue_eval.evaluation.results", "argue_eval.judges"} & {*done.stdout.split()}
