"""What ingest writes is taken in again unchanged, and scores as its source does."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from argue_eval.validation.ingest import Ingested, ingest_nuggets, ingest_requests, write
from tests.cli.conftest import Command
from tests.convert.records import FULL, IDS, JSON, TEXT
from tests.documented import ROOT
from tests.ingest.taking import Json, codes

EXAMPLE = ROOT / "qrels" / "example.json"
TOPICS = ROOT / "topics" / "example.jsonl"

OWN_KEYS = [
    "topic_id", "nuggets", "nugget_id", "aggregator", "importance", "doc_ids", "collection_id",
    "collection_ids", "limit_unit", "importance_in_source", "note",
]  # fmt: skip
EXTRA = st.dictionaries(st.sampled_from(OWN_KEYS), JSON, max_size=3)


def with_extra(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    """Returns objects with these fields and others that the canonical format has names for."""
    return st.builds(lambda own, extra: {**extra, **own}, st.fixed_dictionaries(fields), EXTRA)


DOC_IDS = st.lists(IDS | with_extra(doc_id=IDS), max_size=2)
IMPORTANCE = st.sampled_from(["vital", "okay", "high", 3, None])
BANK_ANSWERS = st.lists(with_extra(answer=FULL, references=DOC_IDS), max_size=3)
BANKS = st.lists(
    with_extra(
        query_id=IDS,
        nugget_bank=st.lists(
            with_extra(
                question=FULL,
                aggregator_type=st.sampled_from(["OR", "AND"]),
                importance=IMPORTANCE,
                answers=BANK_ANSWERS,
            ),
            max_size=3,
        ),
    ),
    min_size=1,
    max_size=2,
    unique_by=lambda bank: bank["query_id"],
)
NEUCLIR = st.lists(
    with_extra(
        query_id=IDS,
        items=st.lists(
            with_extra(
                question_text=FULL,
                gold_answers=st.lists(with_extra(answer=FULL, doc_ids=DOC_IDS), max_size=2),
            ),
            max_size=3,
        ),
    ),
    min_size=1,
    max_size=2,
    unique_by=lambda bank: bank["query_id"],
)
REQUESTS = st.lists(
    with_extra(
        request_id=IDS,
        title=TEXT,
        problem_statement=TEXT,
        collection_id=st.none() | IDS,
        collection_ids=st.lists(IDS, max_size=2),
        limit_unit=st.sampled_from(["characters", "words"]),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda request: request["request_id"],
)


WAYS: dict[str, tuple[Callable[..., Ingested], str, st.SearchStrategy[list[Json]]]] = {
    "banks": (ingest_nuggets, "auto_argue", BANKS),
    "nuggets": (ingest_nuggets, "neuclir", NEUCLIR),
    "requests": (ingest_requests, "neuclir", REQUESTS),
}


@pytest.mark.parametrize("way", WAYS)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_what_was_taken_in_comes_out_as_it_was_written(way: str, data: st.DataObject) -> None:
    take, format_name, strategy = WAYS[way]
    values = data.draw(strategy)
    with tempfile.TemporaryDirectory() as folder:
        source, canonical = Path(folder, "source.jsonl"), Path(folder, "canonical")
        source.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
        first = take([str(source)], format_name=format_name)
        if first.has_errors:  # a further key had a value that this format reads
            return
        write(first.text, str(canonical))
        again = take([str(canonical)])
    assert not again.has_errors
    assert again.text == first.text
    assert again.summary == first.summary


def test_the_example_qrels_keep_all_they_say() -> None:
    taken = ingest_nuggets([str(EXAMPLE)])
    assert json.loads(taken.text) == json.loads(EXAMPLE.read_text("utf-8"))


def test_the_example_requests_keep_all_they_say() -> None:
    taken = ingest_requests([str(TOPICS)])
    written = [json.loads(line) for line in taken.text.splitlines()]
    assert written == [json.loads(line) for line in TOPICS.read_text("utf-8").splitlines()]


def test_a_key_that_means_something_else_is_renamed_and_told(tmp_path: Path) -> None:
    bank = {
        "query_id": "t1",
        "nugget_bank": [{"question": "Who?", "importance": 3, "answers": [{"answer": "Lund"}]}],
    }
    source = tmp_path / "bank.json"
    source.write_text(json.dumps(bank), encoding="utf-8")
    taken = ingest_nuggets([str(source)])
    nugget = json.loads(taken.text)["topics"][0]["nuggets"][0]
    assert (nugget["importance"], nugget["importance_in_source"]) == (None, 3)
    assert "renamed_key" in codes(taken)


# --- scores ------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["canonical", "auto_argue", "ragtime26", "neuclir"])
def test_scores_do_not_change(
    form: str, tmp_path: Path, argue_eval: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    source, canonical = tmp_path / "source.jsonl", tmp_path / "canonical.json"
    converted = argue_eval("convert", str(EXAMPLE), "--to", form, "-o", str(source), "--lossy")
    assert converted.code == 0
    options = ("--collection", "collection/example.jsonl", "-q", "-m", "all", "--allow-unjudged")
    assert argue_eval("ingest", "qrels", str(source), "-o", str(canonical))[0] == 0
    expected = argue_eval("score", "runs/careful.jsonl", str(source), *options)
    found = argue_eval("score", "runs/careful.jsonl", str(canonical), *options)
    assert expected[0] == 0
    assert found[:2] == expected[:2]
    assert _signature(found[2]) == _signature(expected[2])


def _signature(notes: str) -> str:
    return next(line for line in notes.splitlines() if line.startswith("signature:"))
