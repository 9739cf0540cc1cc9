"""A file of another kind is one finding, which names it; its shell command makes a run of it."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from argue_eval import formats
from argue_eval.errors import Finding, InputError
from argue_eval.formats.jsonl import Source
from argue_eval.validation import validate
from tests.validation.samples import run_of, sentences_of, write_requests

RUN = run_of("ragtime26")
sentences_of(RUN[0])[0]["text"] = "The café “Ærø” was rebuilt."
LINES = [json.dumps(report, ensure_ascii=False) for report in RUN]
TEXT = "".join(f"{line}\n" for line in LINES)


BY_TOPIC = {str(number): report for number, report in enumerate(RUN)}


def _zipped(name: str = "run.jsonl") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, TEXT)
    return stream.getvalue()


def _tarred() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        member = tarfile.TarInfo("run.jsonl")
        member.size = len(TEXT.encode())
        archive.addfile(member, io.BytesIO(TEXT.encode()))
    return stream.getvalue()


def _table(delimiter: str) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter)
    writer.writerow(["topic_id", "text"])
    writer.writerows([[topic, f"Fact {topic}, and more."] for topic in ("2001", "2002")])
    return stream.getvalue().encode()


CONVERTED: dict[str, tuple[bytes, str, str]] = {
    "UTF-16": (TEXT.encode("utf-16"), "UTF-16", "iconv -f UTF-16 "),
    "UTF-16 without mark": (TEXT.encode("utf-16-le"), "null bytes", "iconv -f UTF-16LE "),
    "UTF-32": (TEXT.encode("utf-32"), "UTF-32", "iconv -f UTF-32 "),
    "Windows-1252": (TEXT.encode("cp1252"), "probably Windows-1252: byte 0xe9 on 1 line", "iconv"),
    "a byte order mark": (TEXT.encode("utf-8-sig"), "byte order mark", "tail -c +4"),
    "zip": (_zipped(), "a zip archive", "unzip -p"),
    "tar": (_tarred(), "a tar archive", "tar -xOf"),
    "bzip2": (bz2.compress(TEXT.encode()), "bzip2", "bzip2 -dc"),
    "xz": (lzma.compress(TEXT.encode()), "xz", "xz -dc"),
    "a list on a line": (json.dumps(RUN).encode(), "a JSON list", "python3 -c"),
    "a list over lines": (json.dumps(RUN, indent=1).encode(), "a JSON list", "python3 -c"),
    "a list, a report a line": (f"[{','.join(LINES)}\n]".encode(), "a JSON list", "python3 -c"),
    "reports by topic": (json.dumps(BY_TOPIC).encode(), "one JSON object with all", "python3 -c"),
    "reports by topic, over lines": (
        json.dumps(BY_TOPIC, indent=1).encode(), "one JSON object with all", "python3 -c",
    ),
    "an object over lines": (json.dumps(RUN[0], indent=1).encode(), "one JSON object", "python3"),
    "objects over lines": (
        "\n".join(json.dumps(report, indent=2) for report in RUN).encode(),
        "each object is spread over several lines",
        "jq -c .",
    ),
    "commas after lines": ("".join(f"{line},\n" for line in LINES).encode(), "commas", "sed "),
    "a comma after the last": (
        ("[\n" + "".join(f"{line},\n" for line in LINES) + "]\n").encode(), "commas", "sed ",
    ),
    "a code block": (f"```json\n{TEXT}```\n".encode(), "a code block", "sed "),
    "single quotes": ("\n".join(map(repr, RUN)).encode(), "Python dictionaries", "python3 -c"),
}  # fmt: skip
"""What a run is written as, what is said of it, and how the command starts."""


def _shell(finding: Finding, folder: Path) -> Path:
    """Runs the command that a hint ends with; returns the file that it writes."""
    starts = ("iconv", "tail", "unzip", "tar", "bzip2", "xz", "python3", "jq", "sed", "gzip")
    place = min(finding.hint.find(f"{start} ") for start in starts if f"{start} " in finding.hint)
    command = finding.hint[place:]
    if not shutil.which(command.split()[0]):
        pytest.skip(f"{command.split()[0]} is not installed")
    subprocess.run(["bash", "-c", command], cwd=folder, check=True)
    return Path(folder / command.rpartition("> ")[2].strip("'"))


@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", CONVERTED)
def test_the_command_makes_a_good_run(name: str, is_packed: bool, tmp_path: Path) -> None:
    content, says, starts = CONVERTED[name]
    if is_packed and name in ("zip", "bzip2", "xz"):
        pytest.skip("packed twice")
    path = tmp_path / ("my run.jsonl" + ".gz" * is_packed)
    path.write_bytes(gzip.compress(content) if is_packed else content)
    (found,) = validate(str(path), "ragtime26")
    assert says in found.message
    assert starts in found.hint
    mended = _shell(found, tmp_path)
    assert validate(str(mended), "ragtime26") == []
    reports = [json.loads(line) for line in mended.read_text(encoding="utf-8").splitlines()]
    assert reports == RUN[: len(reports)]


@pytest.mark.parametrize("name", CONVERTED)
def test_a_file_is_said_to_be_the_same_when_it_is_read_again(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(CONVERTED[name][0])
    source, found = Source(str(path)), []
    for _ in range(2):
        try:
            list(formats.read_run(source))
        except InputError as exc:
            found.append(exc.findings)
    assert not found or found[0] == found[1]


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_a_table_becomes_an_object_for_each_row(delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(_table(delimiter))
    (found,) = validate(str(path), "ragtime26")
    assert found.code == "unknown_format"
    assert ("(CSV)" if delimiter == "," else "(TSV)") in found.message
    rows = [json.loads(line) for line in _shell(found, tmp_path).read_text().splitlines()]
    assert rows[0] == {"topic_id": "2001", "text": "Fact 2001, and more."}


OF_VALIDATE: dict[str, tuple[bytes, str, str]] = {
    "a TREC run": (b"2001 Q0 d1 1 9.85 bm25\n" * 9, "a TREC run", "ir_measures QRELS"),
    "a TREC run with tabs": (b"2001\tQ0\td1\t1\t9.85\tbm25\n" * 9, "a TREC run", "ir_measures"),
}  # fmt: skip
"""What only validate reads, as another kind of run."""

NAMED: dict[str, tuple[bytes, str, str]] = {
    "qrels": (b"2001 0 d1 1\n2001 0 d2 0\n", "TREC qrels", "rankings"),
    "a page": (b"<!DOCTYPE html>\n<html><body>Log in</body></html>\n", "HTML", "download"),
    "XML": (b'<?xml version="1.0"?>\n<run/>\n', "XML", "right file"),
    "a spreadsheet": (_zipped("[Content_Types].xml"), "a spreadsheet", "libreoffice --headless"),
    "a PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF", "pdftotext"),
    "a store": (b"SQLite format 3\x00" + b"\x00" * 80, "a store", "argue-eval store export"),
    "Markdown": (b"# Bridges\n\nThey were rebuilt [1].\n", "text: '# Bridges'",
                 "argue-eval segment"),
    "Cyrillic in Windows-1251": (
        "\n".join(json.dumps({"metadata": {}, "responses": "Мост перестроен давно"},
                             ensure_ascii=False) for _ in range(3)).encode("cp1251"),
        "in another encoding: byte 0xcc on 3 lines", "iconv -f …"),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("track", ["ragtime26", None, "biogen25"])
def test_what_cannot_be_converted_is_named_once(
    name: str, track: str | None, tmp_path: Path
) -> None:
    content, says, advises = NAMED[name]
    path = tmp_path / "run"
    path.write_bytes(content)
    requests = write_requests(tmp_path / "requests.jsonl", RUN)
    (found,) = validate(str(path), track, topics=requests)
    assert says in found.message
    assert advises in found.hint


READERS: dict[str, Callable[[str], object]] = {
    "runs": formats.read_runs,
    "nuggets": formats.read_nuggets,
    "requests": formats.read_topics,
    "judgments": formats.read_judgments,
    "documents": formats.read_documents,
}


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("name", [*CONVERTED, *OF_VALIDATE, "a page", "a PDF"])
def test_every_reader_says_the_same_once(kind: str, name: str, tmp_path: Path) -> None:
    content, says, advises = {**CONVERTED, **OF_VALIDATE, **NAMED}[name]
    if "a JSON list" in says or "one JSON object" in says:
        return  # these are read as they are
    if kind == "requests" and name in OF_VALIDATE:
        return
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        READERS[kind](str(path))
    (found,) = raised.value.findings
    assert says in found.message
    assert advises in found.hint


@pytest.mark.parametrize("start", ["BZhang_1", "PK-1", "%PD"])
def test_a_list_of_ids_may_start_as_another_kind_does(start: str, tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_text(f"{start}\nd2\n")
    assert Source(str(path)).read().startswith(start.encode())


def test_lines_in_two_encodings_are_named_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(LINES[0].encode() + b"\n" + LINES[1].replace("town", "tøwn").encode("cp1252"))
    (found,) = validate(str(path), "ragtime26")
    assert (found.code, found.line) == ("encoding", 2)
    assert "is not UTF-8, as other lines are" in found.message


@pytest.mark.parametrize("raw", [b"hello", LINES[1].encode() + b",", LINES[1][:-20].encode()])
def test_one_bad_line_does_not_make_another_kind_of_file(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"\n".join([LINES[0].encode(), raw, LINES[1].encode(), b"bad"]) + b"\n")
    assert [each.line for each in validate(str(path), "ragtime26")] == [2, 4]
