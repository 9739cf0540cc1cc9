"""Mistakes that are made before a deadline, made by hand in two real runs: found, and mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_eval.errors import Finding, Severity
from argue_eval.validation import validate
from argue_eval.validation.runs import Job, check_runs
from tests.mistakes import citation_mistakes, report_mistakes, sentence_mistakes, wire_mistakes
from tests.mistakes.editing import Mistake, RunFile
from tests.mistakes.following import follow

REAL = Path(__file__).parents[3] / "shared/data/ragtime26"
RUNS = ["T1_run_1.jsonl", "T1_run_2.jsonl"]
LIMIT = 5000
MISTAKES = [
    *wire_mistakes.MISTAKES,
    *report_mistakes.MISTAKES,
    *sentence_mistakes.MISTAKES,
    *citation_mistakes.MISTAKES,
]

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the RAGTIME 2026 runs are not here")


@pytest.fixture(scope="module", params=RUNS)
def run(request: pytest.FixtureRequest) -> bytes:
    path: Path = REAL / request.param
    return path.read_bytes()


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Requests for the topics of the runs."""
    path = tmp_path_factory.mktemp("requests") / "requests.jsonl"
    keys = {"title": "t", "problem_statement": "p", "background": "b", "limit": LIMIT}
    lines = (REAL / RUNS[0]).read_text(encoding="utf-8").splitlines()
    topics = [json.loads(line)["metadata"]["topic_id"] for line in lines]
    path.write_text("".join(json.dumps({"request_id": each, **keys}) + "\n" for each in topics))
    return str(path)


@pytest.fixture(scope="module")
def collection(run: bytes, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The ids of all documents that the run cites."""
    path = tmp_path_factory.mktemp("collection") / "ids.txt"
    reports = [json.loads(line) for line in run.splitlines()]
    doc_ids = {each for report in reports for each in report["references"]}
    path.write_text("".join(f"{each}\n" for each in sorted(doc_ids)))
    return str(path)


def _validated(
    raw: bytes, folder: Path, requests: str, collection: str | None = None
) -> list[Finding]:
    path = folder / "run.jsonl"
    path.write_bytes(raw)
    collections = (collection,) if collection else ()
    return validate(str(path), "ragtime26", topics=requests, collection=collections)


def test_there_are_at_least_thirty_mistakes_with_names_of_their_own() -> None:
    assert len({mistake.name for mistake in MISTAKES}) == len(MISTAKES) >= 30


def test_real_run_is_clean(run: bytes, requests: str, collection: str, tmp_path: Path) -> None:
    assert _validated(run, tmp_path, requests, collection) == []
    path = str(tmp_path / "run.jsonl")
    assert validate(path, "ragtime26", topics=requests, is_strict=True) == []
    (checked,) = check_runs([path], Job(topics=requests))
    assert (checked.track.name, checked.is_guessed, checked.num_reports) == ("ragtime26", True, 103)


def test_a_limit_one_character_shorter_is_noticed(requests: str, tmp_path: Path) -> None:
    tight = tmp_path / "tight.jsonl"
    tight.write_text(Path(requests).read_text().replace(str(LIMIT), str(LIMIT - 1)))
    (found,) = validate(str(REAL / RUNS[1]), "ragtime26", topics=str(tight))
    assert found.code == "length"
    assert "has 5,000 characters, 1 more than the limit of 4,999" in found.message


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw.replace(b"\n", b"\r\n"),
        lambda raw: raw.replace(b"\n", b"\n\n"),
        lambda raw: raw.rstrip(b"\n"),
        lambda raw: raw.decode().encode("ascii", "backslashreplace").replace(b"\\x", b"\\u00"),
    ],
    ids=["CRLF", "blank lines", "no line end at the end", "escapes"],
)
def test_what_is_no_mistake_is_clean(
    change: object, run: bytes, requests: str, tmp_path: Path
) -> None:
    assert callable(change)
    assert _validated(change(run), tmp_path, requests) == []


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_mistake_is_found_in_its_place_and_the_advice_works(
    mistake: Mistake, run: bytes, requests: str, collection: str, tmp_path: Path
) -> None:
    with_collection = "unknown_document" in {mistake.code, *mistake.also}
    checked = collection if with_collection and mistake.code == "unknown_document" else None
    spoiled, place = mistake.spoil(RunFile(run))
    findings = _validated(spoiled, tmp_path, requests, checked)
    finding = next(each for each in findings if each.code == mistake.code)
    assert (finding.line, finding.path) == place
    assert mistake.says in finding.message
    assert mistake.advises in finding.hint
    assert finding.severity is (Severity.ERROR if mistake.is_error else Severity.WARNING)
    assert {each.code for each in findings} <= {mistake.code, *mistake.also}
    mended = (mistake.mend or follow)(spoiled, finding)
    assert mended != spoiled
    assert _validated(mended, tmp_path, requests, checked) == []
