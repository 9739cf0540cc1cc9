"""Whatever is in a file, reading gives records or a finding, and nothing else."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argue_eval import formats
from argue_eval.errors import ArgueEvalError, Finding, InputError
from argue_eval.formats import reading
from tests.formats import samples as s
from tests.formats.test_broken_files import READERS
from tests.fuzz.values import damaged, lines, spoiled

MAX_EXAMPLES = 60

ITEMS = {"items": [{"question_text": "Q?", "gold_answers": ["a", ["b", ["d1"]]], "info": {}}]}
GOOD: dict[str, list[Any]] = {
    "requests": [s.request(limit=5), s.request(collection_id="c"), {"id": 1, "narrative": "x"}],
    "nuggets": [
        s.qrels(s.nugget()),
        s.v3(claim_bank=[{"claim": "c", "references": ["d1"]}]),
        {"metadata": {"topic_id": "t"}, "nugget_bank": [s.nugget(aggregator_type="OR")]},
        {"query_id": "t", **ITEMS},
        {"query_id": "t", "questions": [["Q?", [["a", ["d1"]]]]]},
        {"qid": "t", "query": "q", "nuggets": [{"text": "c", "importance": "vital"}]},
    ],
    "runs": [
        s.report(documents={"d1": {"text": "x"}}),
        s.rag(),
        {"request_id": "t", "report": [["a", ["d1"]]]},
    ],
    "documents": [{"doc_id": "d1", "title": "x", "text": "y"}],
    "judgments": [
        s.judgment(prob=0.5, run_id="r", sentence_index=0),
        s.evaluation({"judgment_type_id": "SENTENCE_ATTESTED", "response": {"is_attested": True}}),
        s.evaluation(
            {
                "judgment_type_id": "SENTENCE_ANSWERS_QUESTION",
                "response": {"matched_nuggets": [{"question_text": "Q?", "matched_answer": ["a"]}]},
                "provenance": {"doc_id": "d1"},
            }
        ),
        {
            "subtopic_id": "t",
            "summary_key": "r",
            "n_bullets": 2,
            "annotation": [{"insight_id": "n", "coverage": "not_covered"}],
            "predictions_x": [{"insight_id": "n", "coverage": "FULL_COVERAGE", "bullet_id": 2}],
        },
    ],
}


def _outcome(kind: str, path: Path, small_bytes: int) -> tuple[list[Any], list[Finding]]:
    """What is read and what is found, where larger files than that are read many lines at a time"""
    records: list[Any] = []
    found: list[Finding] = []
    errors: Sequence[Finding] | None = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "SMALL_BYTES", small_bytes)
        try:
            records.extend(READERS[kind](str(path), warnings=found))
        except InputError as exc:
            errors = exc.findings
    assert errors is None or errors
    assert all(each.line or each.code == "broken_gzip" for each in errors or ())
    return records, [*found, *(errors or ())]


def _read(kind: str, raw: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "input")
        path.write_bytes(raw)
        assert _outcome(kind, path, reading.SMALL_BYTES) == _outcome(kind, path, 0)


@pytest.mark.parametrize("kind", list(READERS))
@settings(max_examples=MAX_EXAMPLES)
@given(data=st.data())
def test_spoiled_value_is_read_or_refused_with_a_line(kind: str, data: st.DataObject) -> None:
    value = data.draw(spoiled(data.draw(st.sampled_from(GOOD[kind]))))
    indent = data.draw(st.sampled_from([None, 1]))
    _read(kind, json.dumps(value, indent=indent).encode())


@pytest.mark.parametrize("kind", list(READERS))
@settings(max_examples=MAX_EXAMPLES)
@given(data=st.data())
def test_damaged_bytes_are_read_or_refused_with_a_line(kind: str, data: st.DataObject) -> None:
    values = GOOD[kind]
    _read(kind, data.draw(damaged([s.lines(*values), s.lines(values[0])])))


@pytest.mark.parametrize("kind", list(READERS))
@settings(max_examples=MAX_EXAMPLES)
@given(data=st.data())
def test_lines_are_read_alike_however_large_the_file_is(kind: str, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.sampled_from(GOOD[kind]), min_size=2, max_size=4))
    odd = data.draw(spoiled(data.draw(st.sampled_from(GOOD[kind]))))
    values.insert(data.draw(st.integers(1, len(values))), odd)
    _read(kind, lines(*values))


@pytest.mark.parametrize("kind", list(READERS))
def test_every_format_refuses_what_is_of_another_kind(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "input.jsonl"
    for value in (3, "x", None, [1], {}, {"metadata": 1, "report": 2, "nugget_bank": 3}):
        path.write_bytes(s.lines(value))
        for format_name in formats.format_names(kind):
            if kind != "documents":
                reader: Any = READERS[kind]
                with pytest.raises(ArgueEvalError):
                    list(reader(str(path), format_name=format_name))
