"""What is converted is read by the tracks' own tool, and real submissions are converted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from argue_eval.formats.converting import convert
from argue_eval.records import TopicNuggets
from tests.example_reference import ROOT
from tests.formats.reading import DATA, needs_data

QRELS = str(ROOT / "qrels/example.json")


@pytest.fixture
def autojudge(autojudge_base: Callable[[str], Any]) -> Any:
    """AutoJudge's nugget banks."""
    return autojudge_base("nugget_data")


def _said(topics: list[TopicNuggets]) -> dict[str, Any]:
    return {
        topic.topic_id: [
            (
                nugget.nugget_id,
                nugget.question,
                nugget.aggregator.value,
                nugget.importance.value if nugget.importance else None,
                [(answer.answer, list(answer.doc_ids)) for answer in nugget.answers],
            )
            for nugget in topic.nuggets
        ]
        for topic in topics
    }


@pytest.mark.parametrize("name", ["banks/", "banks.jsonl", "banks.jsonl.gz"])
def test_auto_argue_banks_are_read_by_autojudge_with_every_nugget(
    name: str, tmp_path: Path, autojudge: Any
) -> None:
    output = f"{tmp_path}/{name}"
    convert(QRELS, "auto_argue", output, is_lossy=True)
    load = "directory" if name.endswith("/") else "file"
    banks = getattr(autojudge, f"load_nugget_banks_from_{load}")(Path(output)).banks
    read = {
        topic_id: [
            (
                each.question_id,
                each.question,
                each.aggregator_type.value,
                each.importance,
                [
                    (answer.answer, [reference.doc_id for reference in answer.references or []])
                    for answer in each.answers.values()
                ],
            )
            for each in bank.nuggets_as_list()
        ]
        for topic_id, bank in banks.items()
    }
    assert read == _said(formats.read_nuggets(output))
    assert sum(map(len, read.values())) == 38


def test_claims_are_read_by_autojudge(
    tmp_path: Path, autojudge: Any, autojudge_base: Callable[[str], Any]
) -> None:
    source, banks = tmp_path / "nuggets.jsonl", tmp_path / "banks.jsonl"
    source.write_text('{"qid": "t1", "query": "Q", "nuggets": [{"text": "A."}, {"text": "A."}]}\n')
    done = convert(str(source), "auto_argue", str(banks), is_lossy=True)
    assert list(done.counts()) == ["claim"]
    bank = autojudge.load_nugget_banks_from_file(banks).banks["t1"]
    assert [each.claim for each in bank.nuggets_as_list()] == ["A.", "A. (2)"]
    convert(str(banks), "nuggetizer", str(source), is_lossy=True)
    nuggetizer = autojudge_base("nugget_data.nuggetizer.nuggetizer_data")
    (bank,) = nuggetizer.load_nuggetizer_banks_from_file(source).banks.values()
    assert (bank.query, [each.text for each in bank.nuggets]) == ("Q", ["A.", "A. (2)"])


def test_ragtime26_banks_are_read_by_autojudge_with_every_nugget(
    tmp_path: Path, autojudge: Any
) -> None:
    output = tmp_path / "banks.jsonl"
    convert(QRELS, "ragtime26", str(output), is_lossy=True)
    banks = autojudge.load_ragtime26_nugget_banks_from_file(output).banks
    read = {
        topic_id: [
            (
                f"n{place}",
                each.question,
                each.aggregator_type,
                each.importance,
                [(answer.answer, answer.reference_doc_ids()) for answer in each.answers],
            )
            for place, each in enumerate(bank.nuggets_as_list(), 1)
        ]
        for topic_id, bank in banks.items()
    }
    assert read == _said(formats.read_nuggets(str(output)))


@needs_data
@pytest.mark.parametrize("format_name", ["canonical", "auto_argue", "neuclir"])
@pytest.mark.parametrize("number", [1, 2])
def test_real_bank_makes_the_way_to_other_formats_and_back(
    number: int, format_name: str, tmp_path: Path
) -> None:
    source = str(DATA / f"ragtime26/T3_run_{number}.jsonl")
    there, back = str(tmp_path / "there"), str(tmp_path / "back")
    assert convert(source, format_name, there).is_written
    assert convert(there, "ragtime26", back).is_written
    assert formats.read_nuggets(back) == formats.read_nuggets(source)


@needs_data
def test_real_run_loses_its_scores_in_the_format_of_rag_and_nothing_else(tmp_path: Path) -> None:
    source = str(DATA / "ragtime26/T1_run_1.jsonl")
    there, back = str(tmp_path / "there"), str(tmp_path / "back")
    done = convert(source, "rag", there, is_lossy=True)
    scored = sum(
        any(citation.score is not None for citation in sentence.citations)
        for report in formats.read_run(source)
        for sentence in report.sentences
    )
    assert (done.counts(), done.additions) == ({"scores": scored}, ())
    assert convert(there, "canonical", back).is_written
    assert not convert(there, "rag", str(tmp_path / "again")).losses
    assert Path(there).read_bytes() == (tmp_path / "again").read_bytes()


@needs_data
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_real_run_with_embedded_documents_names_them_as_lost(number: int, tmp_path: Path) -> None:
    source = str(DATA / f"kiddie/runs/repgen/run{number}.jsonl")
    assert not convert(source, "canonical", str(tmp_path / "canonical")).losses
    done = convert(source, "neuclir", str(tmp_path / "out"))
    assert not done.is_written
    assert done.counts()["documents"] == 5
