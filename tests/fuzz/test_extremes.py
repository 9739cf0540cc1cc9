"""Numbers of hundreds of digits, devices, closed streams: an error that says what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command

LONG, LONGER = "9" * 400, "9" * 6000
_RUN, _BANK = "run.jsonl", "bank.json"


def _nugget(name: str, doc_id: str) -> dict[str, Any]:
    answers = [{"answer": f"since {name}", "doc_ids": [doc_id]}]
    return {"nugget_id": name, "question": "Why?", "answers": answers}


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="devices and closed streams")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run, nuggets, and what is wrong with other files."""
    monkeypatch.chdir(tmp_path)
    files: dict[str, Any] = {
        _RUN: {
            "metadata": {"team_id": "t", "run_id": "r", "topic_id": "1"},
            "responses": [{"text": "It fell.", "citations": ["d1"]}, {"text": "", "citations": []}],
            "references": ["d1"],
        },
        _BANK: {
            "format": "argue-eval/nuggets/1",
            "topics": [{"topic_id": "1", "nuggets": [
                _nugget("n1", "d1"), _nugget("n2", "d2"),
            ]}],
        },
    }  # fmt: skip
    for name, value in files.items():
        Path(name).write_text(json.dumps(value) + "\n")
    judgment = '{"kind": "support", "topic_id": "1", "judge": "a", "sentence": "It fell.", '
    texts = {
        "prob.jsonl": judgment + f'"doc_id": "d1", "verdict": "yes", "prob": {LONG}}}\n',
        "limit.jsonl": f'{{"request_id": "1", "problem_statement": "Why?", "limit": -{LONG}}}\n',
        "score.jsonl": f'{{"run_id": "r", "topic_id": "1", "measure": "m", "value": {LONG}}}\n',
        "bound.jsonl": '{"run_id": "r", "topic_id": "1", "measure": "m", "value": 1, "lower": 0, '
        f'"upper": {LONG}}}\n',
        "odd.jsonl": '{"metadata": {"run_id": "r", "topic_id": "1"}, "responses": [{"text": "It", '
        '"citations": ["d1", {"": {}}]}]}\n',
        "cr.csv": "run_id,topic_id,measure,value\nr,1,m,0.5\ns,1\r,m,0.5\n",
        "names.csv": "run_id,topic_id,value\nr,1,0.5\n",
        "esc.csv": "run_id,topic_id,measure,value,\x1b[31m\nr,1,m,0.5\n",
        "long.toml": f'["x"]\nprompt = {LONG}\nreply = 1\n',
        "longer.toml": f'["x"]\nprompt = {LONGER}\nreply = 1\n',
        "dotted.toml": ".".join("a" * 900) + " = 1\n",
        "nested.toml": f"a = {'[' * 20_000}{']' * 20_000}\n",
        "topics.jsonl": '{"request_id": "1", "problem_statement": "Why?"}\n',
        "docs.jsonl": '{"id": "d1", "text": "It fell."}\n',
        "run.trec": f"1 Q0 d1 1 {LONGER} tag\n",
        "japanese.jsonl": json.dumps(files[_RUN]).replace('"r"', '"日本語の"') + "\n",
    }
    for name, text in texts.items():
        Path(name).write_bytes(text.encode())
    return tmp_path


_SCORE = f"score {_RUN} {_BANK}"
_JUDGE = f"judge {_RUN} {_BANK} --dry-run"
_EXTRACT = "curate extract topics.jsonl --collection docs.jsonl --model x -o out.json --dry-run"


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (f"{_SCORE} --judgments prob.jsonl", 1, "from 0 to 1, found a huge number"),
        (f"{_SCORE} --requests limit.jsonl", 1, "expected 1 or more, found a huge number"),
        ("meta-eval --scores score.jsonl --truth-scores score.jsonl", 1, "expected a number"),
        ("meta-eval --scores bound.jsonl --truth-scores bound.jsonl", 1, "fewer than two runs"),
        ("convert odd.jsonl --to rag --lossy -o OUT", 1, "found an object with the keys"),
        ("meta-eval --scores names.csv --truth-scores names.csv", 1, "expected a column 'measure'"),
        ("meta-eval --scores esc.csv --truth-scores esc.csv", 1, "columns (run, topic, measure"),
        ("meta-eval --scores cr.csv --truth-scores cr.csv", 1, "not CSV"),
        (f"{_JUDGE} --judge llm:x --prices long.toml", 1, "a number has more than 64 bits"),
        (f"{_JUDGE} --judge llm:x --prices longer.toml", 1, "not TOML"),
        (f"{_JUDGE} --judge llm:x --prices dotted.toml", 1, "not TOML: nested more than 20 deep"),
        (f"{_JUDGE} --judge llm:x --prices nested.toml", 1, "not TOML"),
        (f"{_JUDGE} --judge llm:x --prices /dev/zero", 1, "not TOML: longer than 1,000,000"),
        (f"validate {_RUN} --rules long.toml", 1, "a number has more than 64 bits"),
        (f"validate {_RUN} --rules dotted.toml", 1, "not TOML: nested more than 20 deep"),
        (f"validate {_RUN} --rules /dev/zero", 1, "not TOML: longer than 1,000,000"),
        (f"{_JUDGE} --shard 1/{LONGER}", 2, "--shard: expected I/N"),
        (f"{_SCORE} --weights vital={LONGER}", 2, "--weights: expected vital=NUMBER"),
        (f"{_SCORE} --weights vital=1e308", 2, "vital=NUMBER, at most 1,000,000, found"),
        (f"{_EXTRACT} --replies /dev/zero", 1, "expected a file of replies"),
        (f"{_EXTRACT} --retrieved run.trec", 1, "expected 'topic Q0 document rank score tag'"),
        (f"{_SCORE} --judge lexical --allow-unjudged -m Accuracy", 0, ""),
        (f"{_SCORE} --judge lexical --allow-unjudged -m nDCG@{LONGER}", 2, "cannot read"),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else None,
)  # fmt: skip
def test_extreme_values_are_refused(
    argue_eval: Command, command: str, code: int, message: str
) -> None:
    result = argue_eval(*command.split())
    assert (result.code, "Traceback" in result.err) == (code, False)
    assert message in result.err + result.out
    assert len(result.err) < 5_000


def _shell(command: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    line = f"exec {sys.executable} -m argue_eval {command}"
    return subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, env={**os.environ, **env}, check=False
    )


@pytest.mark.parametrize(
    "command", [f"score japanese.jsonl {_BANK} --allow-unjudged", "validate japanese.jsonl --json"]
)
def test_output_is_utf8_whatever_the_terminal_is(command: str) -> None:
    expected = _shell(command, PYTHONIOENCODING="utf-8")
    for encoding in ("cp1252", "ascii", "utf-16"):
        found = _shell(command, PYTHONIOENCODING=encoding)
        assert (found.returncode, found.stdout) == (expected.returncode, expected.stdout)
        assert b"Traceback" not in found.stderr


@pytest.mark.parametrize(
    "command",
    [f"score - {_BANK}", f"score {_RUN} -", "validate -", "convert - --to rag", "ingest qrels -"],
)
def test_closed_standard_input_is_said_to_be_closed(command: str) -> None:
    found = _shell(f"{command} <&-")
    assert found.returncode == 3
    assert b"standard input is closed" in found.stderr
