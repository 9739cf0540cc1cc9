"""Texts of others never control a terminal, forge a line, or become a formula of a spreadsheet."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from argue_eval.formats.scores import cell_of, read_scores
from tests import tiny_track
from tests.cli.conftest import Command, Ran
from tests.judgments.asking import failed, fill, numbered, replied

EVIL = "\x1b[31m\u202e\x9b\nerror [forged] x"
_TEXTS = "--requests requests.jsonl --collection documents.jsonl"


def _is_plain(ran: Ran) -> bool:
    """Whether all that was printed is, and no line of it is one that a name forged."""
    lines = (ran.out + ran.err).replace("\t", "").split("\n")
    return all(line.isprintable() and not line.startswith("error [forged]") for line in lines)


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The tiny track, whose files, teams, judges and replies have such names; the files' start."""
    monkeypatch.chdir(tmp_path)
    tiny_track.write(tmp_path)
    for path in list(tmp_path.iterdir()):
        text = path.read_text().replace("team alpha", json.dumps(EVIL)[1:-1])
        path.rename(f"{EVIL}{path.name}").write_text(text)
    fill(f"{EVIL}x.store", (numbered(1), replied()), (numbered(2), failed(EVIL)), judge=EVIL)
    Path(f"{EVIL}prices.toml").write_text(f'["a{json.dumps(EVIL)[1:-1]}"]\nprompt = 1\n')
    Path(f"{EVIL}broken.jsonl").write_text('{"text": 1}\n{"metadata": []}\n')
    Path(f"{EVIL}text.md").write_text("It fell [7].")
    return EVIL


COMMANDS = [
    "validate @alpha.jsonl", "validate @alpha.jsonl --format github", "validate @nope.jsonl",
    "validate @broken.jsonl --json", "validate @alpha.jsonl --rules @nuggets.json",
    "score @alpha.jsonl @beta.jsonl @nuggets.json -q", "score @broken.jsonl @nuggets.json",
    "score @alpha.jsonl @nuggets.json --format json", "score @alpha.jsonl @alpha.jsonl",
    "score @alpha.jsonl @nuggets.json --judgments @x.store -o @out", "score @alpha.jsonl @nope",
    "score @alpha.jsonl @nuggets.json --format csv -q", "score @alpha.jsonl @nuggets.json --m@",
    "score @alpha.jsonl @nuggets.json --format markdown", "score @alpha.jsonl @nuggets.json -m @",
    "judge @alpha.jsonl @nuggets.json --dry-run", "judge @alpha.jsonl @nuggets.json --store @y",
    "judge @alpha.jsonl @nuggets.json --judge llm:@ --prices @prices.toml --store @y",
    "explain outcome @alpha.jsonl @nuggets.json --topic t1 --sentence 1", "explain @",
    "meta-eval @x.store --truth @assessors.judgments.jsonl", "list @", "@",
    "convert @alpha.jsonl --to rag", "convert @alpha.jsonl --to rag --lossy -o @out",
    "ingest qrels @nuggets.json", "ingest requests @nope -o @out", "segment @text.md --topic t1",
    "store info @x.store", "store info @x.store --json", "store verify @x.store",
    "store merge @x.store @x.store", "store merge @z.store @x.store", "store export @x.store -o @e",
    "store verify @alpha.jsonl", "store import @z.store @assessors.judgments.jsonl",
    "summhay table @alpha.jsonl", "curate dedupe @nuggets.json -o @kept",
    "curate extract @requests.jsonl --collection @documents.jsonl --model @ -o @kept --dry-run",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_names_are_printed_escaped(argue_eval: Command, evil: str, command: str) -> None:
    words = [word.replace("@", evil) for word in command.split()]
    ran = argue_eval(*words)
    if words[0] == "convert":  # its output is a file's content
        ran = ran._replace(out="")
    try:
        assert _is_plain(ran)
    except AssertionError as exc:
        raise AssertionError(ascii(str(exc))[:2000]) from None


FORMULAS = ["=cmd|'/C calc'!A0", "+1+1", "-1", "@SUM(A1)", "\t=1", "\uff1d1"]


@pytest.mark.parametrize("name", FORMULAS)
def test_cells_are_no_formulas_and_are_read_again(
    argue_eval: Command, files: tiny_track.Files, name: str
) -> None:
    run_id = name.strip().replace(" ", "_")
    run = Path(files.alpha)
    run.write_text(
        run.read_text()
        .replace('"run_id": "alpha"', f'"run_id": {json.dumps(run_id)}')
        .replace("team alpha", json.dumps(name)[1:-1])
    )
    ran = argue_eval("score", files.alpha, files.qrels, "--format", "csv", "-o", "out")
    assert ran.code == 4
    rows = [*csv.reader(StringIO(ran.out))]
    rows += [line.split("\t") for line in Path("out/leaderboard.tsv").read_text().splitlines()]
    cells = [cell for row in rows for cell in row[:2]]
    assert not [cell for cell in cells if cell.lstrip().startswith(tuple("=+-@\uff1d"))]
    assert cell_of(run_id) in cells
    for number, text in enumerate([ran.out, Path("out/leaderboard.tsv").read_text()]):
        Path(f"{number}.scores").write_text(text)
    for scores in ("0.scores", "1.scores"):
        assert {each.run_id for each in read_scores(scores)} == {run_id}
