"""What docs/store.md shows is what the commands print, one after the other."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from argue_eval.cli.app import run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "store.md"
BLOCK = re.compile(r"(<!-- tested: tests/store/test_page.py -->\n```console\n)(.*?)(```\n)", re.S)


def _commands() -> Iterator[tuple[str, str]]:
    """Yields each command of the page and the output that is shown."""
    found = BLOCK.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    for part in re.split(r"^\$ ", found[2], flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def test_commands_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("runs", "qrels", "collection"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    page = ""
    for command, shown in _commands():
        run(shlex.split(command)[1:])
        printed = re.sub(r"(first|last)\t.*", r"\1\t2026-01-31T12:00:00Z", capsys.readouterr().out)
        printed = re.sub(r"size\t.*", "size\t0.1 MB", printed)
        page += f"$ {command}\n{printed}"
        assert printed == shown, page
    assert page.count("$ argue-eval") == 5


def test_every_code_is_described() -> None:
    sources = [ROOT / "argue_eval" / "store" / name for name in ("_file.py", "checking.py")]
    text = "".join(source.read_text(encoding="utf-8") for source in sources)
    codes = set(re.findall(r'"(\w+_store|not_a_store|(?:wrong|missing|orphan)_\w+)"', text))
    page = PAGE.read_text(encoding="utf-8")
    assert len(codes) == 11
    assert [code for code in codes if f"`{code}`" not in page] == []
