"""The command: what it writes, says and returns."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argue_eval.formats import converting
from argue_eval.formats.jsonl import Source
from tests.cli.conftest import Command as Convert
from tests.formats import samples as s

SCORED = s.report(responses=[{"text": "A.", "citations": {"d1": 0.5, "d2": 0.25}}])
SAMPLES: dict[tuple[str, str], Any] = {
    ("runs", "canonical"): s.report(),
    ("runs", "rag"): s.rag(),
    ("runs", "neuclir"): {"request_id": "t1", "run_id": "r", "sentences": []},
    ("nuggets", "canonical"): s.qrels(s.nugget()),
    ("nuggets", "auto_argue"): s.v3(),
    ("nuggets", "ragtime26"): {"metadata": {"topic_id": "t1"}, "nugget_bank": []},
    ("nuggets", "neuclir"): {"query_id": "t1", "items": []},
    ("nuggets", "nuggetizer"): {"qid": "t1", "query": "q", "nuggets": [{"text": "A."}]},
    ("requests", "canonical"): s.request(),
    ("requests", "neuclir"): {"request_id": "t1", "title": "T", "problem_statement": "P"},
    ("requests", "rag25"): {"id": 7, "title": "T"},
    ("requests", "dragun"): {"docid": "t1", "title": "T"},
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run whose citations have scores."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(s.lines(SCORED))
    return path


@pytest.mark.parametrize(("kind", "format_name"), SAMPLES)
def test_kind_and_format_are_found_out_by_the_content(
    kind: str, format_name: str, tmp_path: Path
) -> None:
    path = tmp_path / "source"
    path.write_bytes(s.lines(SAMPLES[kind, format_name]))
    assert converting.detected(Source(str(path))) == (kind, format_name)


def test_table_of_requests_is_converted(convert: Convert, tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("t1\tWhich bridges?\n")
    done = convert(tmp_path / "topics.tsv", "--to", "rag25")
    assert (done.code, json.loads(done.out)) == (0, {"id": "t1", "title": "Which bridges?"})


def test_loss_is_refused_with_its_place_and_nothing_is_written(
    convert: Convert, run: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.jsonl"
    done = convert(run, "--to", "rag", "-o", output)
    assert (done.code, done.out) == (1, "")
    assert f"{run}:1, topic t1, sentence 0: scores of 2 citations lost: 0.5, 0.25" in done.err
    assert "1 thing would be lost" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]
    assert convert(run, "--to", "rag")[:2] == (1, "")  # nor is anything printed


def test_lossy_writes_the_rest_and_lists_what_is_lost(convert: Convert, run: Path) -> None:
    done = convert(run, "--to", "rag", "--lossy")
    value = json.loads(done.out)
    assert (done.code, value["references"]) == (0, ["d1", "d2"])
    assert value["answer"] == [{"text": "A.", "citations": [0, 1]}]
    assert "lost: scores x 1" in done.err
    assert "1 report written as rag to standard output, 1 thing lost" in done.err


def test_references_that_the_format_asks_for_are_told_but_not_refused(
    convert: Convert, tmp_path: Path
) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(s.lines(s.report()))
    done = convert(path, "--to", "rag")
    assert (done.code, json.loads(done.out)["references"]) == (0, ["d1"])
    assert "added: references x 1" in done.err
    assert "nothing lost" in done.err


@pytest.mark.parametrize(
    ("metadata", "narrative", "note"),
    [
        ({}, "Which bridges?", "the key 'narrative' of the metadata is added"),
        ({"narrative": "Mine."}, "Mine.", "1 report written"),
        ({"topic_id": "t9"}, None, "bare.jsonl:1: warning [new_topics] the topic 't9' is not req"),
    ],
    ids=["taken from the requests", "kept", "not requested"],
)
def test_narratives_of_requests_are_added(
    convert: Convert, tmp_path: Path, metadata: s.Json, narrative: str | None, note: str
) -> None:
    (tmp_path / "topics.tsv").write_text("t1\tWhich bridges?\nt2\tWhat else?\n")
    ids = {"team_id": "T", "run_id": "r", "topic_id": "t1"}
    (tmp_path / "bare.jsonl").write_bytes(s.lines(s.report(metadata={**ids, **metadata})))
    requests = tmp_path / "topics.tsv"
    done = convert(tmp_path / "bare.jsonl", "--to", "rag", "--requests", requests, "--lossy")
    assert (done.code, json.loads(done.out)["metadata"].get("narrative")) == (0, narrative)
    assert note in done.err
    assert ("'narrative'" in done.err) == (not metadata)


def test_requests_are_for_runs_of_the_rag_tracks(convert: Convert, run: Path) -> None:
    done = convert(run, "--to", "neuclir", "--requests", run)
    assert done.code == 2
    assert "--requests: only a run in the format 'rag'" in done.err


def test_json_lists_every_loss_with_its_place(convert: Convert, run: Path, tmp_path: Path) -> None:
    done = convert(run, "--to", "neuclir", "-o", tmp_path / "out", "--json")
    told = json.loads(done.out)
    assert (done.code, done.err, told["is_written"], told["output"]) == (1, "", False, None)
    assert (told["kind"], told["from"], told["to"]) == ("runs", "canonical", "neuclir")
    assert told["counts"] == {"team_id": 1, "scores": 1}
    assert [(each["what"], each["code"], each["line"]) for each in told["lost"]] == [
        ("team_id", "lossy", 1),
        ("scores", "lossy", 1),
    ]
    assert (told["lost"][1]["path"], told["lost"][1]["sentence"]) == ("$.responses[0]", 0)


def test_all_lists_each_loss_instead_of_kinds(convert: Convert, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(s.lines(s.report(responses=SCORED["responses"] * 20)))
    assert convert(path, "--to", "rag").err.count("scores of 2 citations") == 1
    assert convert(path, "--to", "rag", "--all").err.count("scores of 2 citations") == 20


def test_name_that_ends_in_gz_is_packed_and_read_again(
    convert: Convert, run: Path, tmp_path: Path
) -> None:
    packed = tmp_path / "out.jsonl.gz"
    assert convert(run, "--to", "canonical", "-o", packed).code == 0
    assert json.loads(gzip.decompress(packed.read_bytes())) == SCORED
    assert json.loads(convert(packed, "--to", "canonical").out) == SCORED


def test_standard_input_is_read(convert: Convert, stdin: Callable[[bytes], None]) -> None:
    stdin(s.lines(s.v3()))
    done = convert("-", "--to", "canonical")
    assert (done.code, json.loads(done.out)["topics"][0]["topic_id"]) == (0, "t1")


def test_errors_in_the_source_are_told_and_nothing_is_written(
    convert: Convert, tmp_path: Path
) -> None:
    path = tmp_path / "run.jsonl"
    bad = s.report(metadata=s.meta(topic_id="t2"), responses=7)
    twice: list[Any] = [{"text": "A.", "citations": ["d1", "d1"]}]
    odd = [*twice, {"text": "A.", "citations": {"d1": []}}]
    third, fourth = s.meta(topic_id="t3"), s.meta(topic_id="t4")
    others = s.report(metadata=third, responses=twice), s.report(metadata=fourth, responses=odd)
    path.write_bytes(s.lines(s.report(), bad, *others))
    done = convert(path, "--to", "canonical", "-o", tmp_path / "out")
    assert (done.code, done.out) == (1, "")
    assert "run.jsonl:2: error [wrong_type] at $.responses" in done.err
    assert not (tmp_path / "out").exists()
    assert convert(path, "--to", "canonical")[:2] == (1, "")


def test_merged_answers_are_told(convert: Convert, tmp_path: Path) -> None:
    answers = [{"answer": "old", "doc_ids": [each]} for each in ("d1", "d2")]
    path = tmp_path / "qrels.json"
    path.write_bytes(s.lines(s.qrels(s.nugget(answers=answers))))
    assert "[duplicate_answer]" in convert(path, "--to", "auto_argue").err


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (["--to", "rga"], 2, "Did you mean 'rag'? Choices: canonical, neuclir, rag"),
        (["--to", "nuggetizer"], 2, "is a format of nuggets; the source holds runs"),
        (["--to", "rag", "--kind", "run"], 2, "unknown --kind 'run'"),
        (["--to", "rag", "--form", "ragtime26"], 2, "unknown format of runs 'ragtime26'"),
        (["--to", "rag", "--json"], 2, "name a file with -o"),
        (["--to", "rag", "-o", "."], 2, "expected a file, found the directory"),
        (
            ["--to", "rag", "--kind", "requests"],
            2,
            "is a format of runs; the source",
        ),
        (["--to", "canonical", "--kind", "nuggets"], 1, "expected nuggets, found a run"),
        (["--to", "canonical", "-o", "no/such/file"], 3, "cannot be written"),
    ],
)
def test_wrong_usage_is_explained(
    convert: Convert, run: Path, args: list[str], code: int, text: str
) -> None:
    done = convert(run, *args)
    assert (done.code, done.out) == (code, "")
    assert text in done.err


def test_missing_source_is_exit_code_3(convert: Convert) -> None:
    assert convert("no.jsonl", "--to", "rag").code == 3


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (s.lines(s.judgment()), "found judgments"),
        (s.lines({"doc_id": "d1", "text": "A."}), "found documents"),
        (s.lines({"a": 1}), "this is no known format of runs, nuggets or requests"),
        (b"{", "json_truncated"),
        (b"A report.", "expected JSON"),
        (b"", "empty_file"),
    ],
)
def test_what_has_no_other_format_is_refused(
    convert: Convert, tmp_path: Path, content: bytes, text: str
) -> None:
    (tmp_path / "source").write_bytes(content)
    done = convert(tmp_path / "source", "--to", "canonical")
    assert (done.code, done.out) == (1, "")
    assert text in done.err


def test_nothing_left_is_an_error_even_if_losses_are_allowed(
    convert: Convert, tmp_path: Path
) -> None:
    (tmp_path / "source").write_bytes(s.lines(s.request(problem_statement=" ")))
    done = convert(tmp_path / "source", "--to", "rag_tsv", "--lossy", "-o", tmp_path / "out")
    assert (done.code, (tmp_path / "out").exists()) == (1, False)
    assert "nothing of it can be written in the format 'rag_tsv'" in done.err


def test_device_is_written_to_and_not_replaced_by_a_file(
    convert: Convert, run: Path, tmp_path: Path
) -> None:
    device = tmp_path / "null"
    device.symlink_to("/dev/null")
    assert convert(run, "--to", "canonical", "-o", device).code == 0
    assert device.is_symlink()
    assert device.is_char_device()
    assert [path.name for path in tmp_path.iterdir() if path != device] == ["run.jsonl"]
