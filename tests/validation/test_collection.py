"""Cited documents are looked up in the collection; mistyped ids get the nearest one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from argue_eval.errors import InputError, MissingResourceError
from argue_eval.formats.collection import Collection, nearest
from argue_eval.validation import validate
from argue_eval.validation.runs import Job, check_runs
from tests.validation.samples import UUID, run_of, sentences_of, write_run

KNOWN = [(UUID + "_12345").format(number) for number in range(20)]
GOOD = KNOWN[0]


def _ids(path: Path) -> str:
    path.write_text("".join(f"{doc_id}\n" for doc_id in KNOWN))
    return str(path)


def _documents(path: Path) -> str:
    lines = [json.dumps({"doc_id": doc_id, "text": "t"}) + "\n" for doc_id in KNOWN]
    path.write_text("".join(lines))
    return str(path)


def test_of_another_collection_one_finding_says_so(tmp_path: Path) -> None:
    run = run_of("ragtime26")
    other = tmp_path / "other"
    other.write_text("".join(f"zz-{number}\n" for number in range(20)))
    found = validate(write_run(tmp_path / "run.jsonl", run), "ragtime26", collection=(str(other),))
    (finding,) = [each for each in found if each.code == "unknown_document"]
    assert finding.message.startswith("none of the ")


@pytest.mark.parametrize("write", [_ids, _documents])
@pytest.mark.parametrize(
    ("cited", "near"),
    [
        (GOOD, None),
        (GOOD.replace("0a1b2c3d-", "0a1b2c3e-", 1), GOOD),
        (GOOD[:-1], GOOD),
        (GOOD + "6", GOOD),
        (GOOD[:-5] + "12435", GOOD),
        ("f" + GOOD[1:], GOOD),
        ("ffffffff" + GOOD[8:], GOOD),
        ("ffffffff-ffff-ffff-ffff-ffffffffffff_99999", ""),
    ],
)
def test_an_unknown_id_is_found_with_the_nearest_known_one(
    write: Callable[[Path], str], cited: str, near: str | None, tmp_path: Path
) -> None:
    run = run_of("ragtime26")
    sentences_of(run[1])[0]["citations"] = {cited: 0.5}
    found = validate(
        write_run(tmp_path / "run.jsonl", run),
        "ragtime26",
        collection=(write(tmp_path / "collection"),),
    )
    if near is None:
        assert found == []
        return
    (finding,) = found
    assert (finding.code, finding.line, finding.sentence) == ("unknown_document", 2, 0)
    assert finding.path == f"$.responses[0].citations['{cited}']"
    assert finding.topic_id == "2002"
    expected = f"is '{near}' meant?" if near else "correct or remove it"
    assert finding.hint == expected


def test_of_a_passage_its_document_is_meant(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("d-0011\nd-0012\n")
    assert nearest(["d-0011#p7", "d-0012:345"], [Collection(str(tmp_path / "ids.txt"))]) == {
        "d-0011#p7": "d-0011",
        "d-0012:345": "d-0012",
    }


def test_the_collections_of_several_runs_are_read_together(tmp_path: Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text(KNOWN[0] + "\n")
    second.write_text(KNOWN[1] + "\n")
    paths = [write_run(tmp_path / f"{name}.jsonl", run_of("ragtime26")) for name in "ab"]
    both = Job(track="ragtime26", collections=(str(first), str(second)))
    found = [[each.code for each in run.findings] for run in check_runs(paths, both)]
    assert found == [[], ["run_id_taken"]]
    one = Job(track="ragtime26", collections=(str(first),))
    of_one = [[each.file for each in run.findings] for run in check_runs(paths, one)]
    assert of_one == [[paths[0]], [paths[1]] * 2]


def test_a_run_id_of_another_file_is_named(tmp_path: Path) -> None:
    paths = [write_run(tmp_path / f"{name}.jsonl", run_of("ragtime26")) for name in "ab"]
    (found,) = validate(paths, "ragtime26")
    assert (found.code, found.file) == ("run_id_taken", paths[1])
    assert found.message == f"the run id 'run-1' is that of {paths[0]} too"
    assert not validate([paths[0], paths[0]], "ragtime26")


def test_a_collection_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run.jsonl", run_of("ragtime26"))
    with pytest.raises(MissingResourceError):
        validate(run, "ragtime26", collection=(str(tmp_path / "none"),))
    (tmp_path / "bad.jsonl").write_text('{"doc_id": 3, "text": "t"}\n')
    with pytest.raises(InputError):
        validate(run, "ragtime26", collection=(str(tmp_path / "bad.jsonl"),))
