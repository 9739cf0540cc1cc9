"""What single formats do with what is particular to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from argue_eval.formats.converting import Conversion, convert
from argue_eval.formats.losses import Rewritten, differences
from argue_eval.records import Aggregator, Answer, Nugget, TopicNuggets
from tests.formats import samples as s

Q = "Which bridge was rebuilt?"


def _converted(folder: Path, format_name: str, *values: Any, **options: Any) -> Conversion:
    path = folder / "source"
    path.write_bytes(s.lines(*values))
    return convert(str(path), format_name, is_lossy=True, **options)


def _bank(*answers: Any, **changes: Any) -> Any:
    entry = {"question": Q, "aggregator_type": "OR", "answers": list(answers), **changes}
    return {"metadata": {"topic_id": "t1"}, "nugget_bank": [entry]}


@pytest.mark.parametrize(
    "references",
    [
        ["d1", {"doc_id": "d2", "text": "…"}, "d3"],
        [{"doc_id": "d2", "start": 1}, {"doc_id": "d1"}, {"doc_id": "d2", "start": 9}],
        [{"doc_id": "d1", "text": "…"}, "d3", "d2", {"doc_id": "d4", "text": "…"}],
    ],
)
def test_details_of_references_stay_in_their_places(references: Any, tmp_path: Path) -> None:
    bank = _bank({"answer": "the old one", "references": references})
    done = _converted(tmp_path, "ragtime26", bank)
    assert (json.loads(done.text), done.losses) == (bank, ())
    done = _converted(tmp_path, "auto_argue", bank)
    answers = json.loads(done.text)["nugget_bank"][Q]["answers"]
    assert (answers["the old one"]["references"], done.losses) == (references, ())


def test_third_nugget_with_a_question_is_numbered_past_one_that_has_the_number(
    tmp_path: Path,
) -> None:
    questions = [Q, f"{Q} (2)", Q, "Who paid?", Q]
    nuggets = [s.nugget(nugget_id=f"n{i}", question=each) for i, each in enumerate(questions)]
    done = _converted(tmp_path, "auto_argue", s.qrels(*nuggets))
    bank = json.loads(done.text)["nugget_bank"]
    assert list(bank) == [Q, f"{Q} (2)", f"{Q} (3)", "Who paid?", f"{Q} (4)"]
    assert [entry["question"] for entry in bank.values()] == list(bank)
    assert [loss.nugget_id for loss in done.losses] == ["n2", "n4"]


def test_importance_that_did_not_count_does_not_count_after_it(tmp_path: Path) -> None:
    item = {"question_text": Q, "importance": "vital", "info": {"used": True}}
    source = {"query_id": "t1", "items": [item]}
    for format_name in ("auto_argue", "ragtime26"):
        done = _converted(tmp_path, format_name, source)
        (tmp_path / "there").write_text(done.text)
        (topic,) = formats.read_nuggets(str(tmp_path / "there"))
        assert topic.nuggets[0].importance is None
        assert done.counts() == {"further_key": 1}


def test_importance_of_another_scale_is_kept_but_in_the_canonical_format(tmp_path: Path) -> None:
    bank = _bank(importance=4)
    assert json.loads(_converted(tmp_path, "ragtime26", bank).text) == bank
    done = _converted(tmp_path, "auto_argue", bank)
    assert json.loads(done.text)["nugget_bank"][Q]["importance"] == 4
    done = _converted(tmp_path, "canonical", bank)
    assert done.counts() == {"further_key": 1}
    assert json.loads(done.text)["topics"][0]["nuggets"][0]["importance"] is None


def test_absence_nugget_stays_one_where_there_are_questions(tmp_path: Path) -> None:
    for format_name in ("canonical", "auto_argue", "ragtime26", "neuclir"):
        done = _converted(tmp_path, format_name, s.qrels(s.nugget(nugget_id="n1", answers=[])))
        (tmp_path / "there").write_text(done.text)
        (topic,) = formats.read_nuggets(str(tmp_path / "there"))
        assert (topic.nuggets[0].is_absence, done.losses) == (True, ())


def test_nuggets_that_a_format_cannot_hold_are_named_one_by_one(tmp_path: Path) -> None:
    claim = s.nugget(nugget_id="n2", question=None)
    done = _converted(tmp_path, "nuggetizer", s.qrels(s.nugget(), claim, s.nugget(nugget_id="n3")))
    assert [(loss.what, loss.nugget_id) for loss in done.losses] == [
        ("nugget", "n1"),
        ("nugget", "n3"),
        ("nugget_id", "n2"),
        ("doc_ids", "n2"),
    ]


def test_places_of_losses_are_those_of_the_source(tmp_path: Path) -> None:
    text = json.dumps(s.qrels(s.nugget(aggregator="AND")), indent=1)
    path = tmp_path / "qrels.json"
    path.write_text(text)
    (loss,) = convert(str(path), "neuclir").losses
    assert (loss.finding.file, loss.finding.topic_id) == (str(path), "t1")
    assert text.splitlines()[(loss.finding.line or 0) - 1].strip() == "{"
    assert loss.finding.line == 4


def test_cited_documents_are_added_after_the_references_that_the_run_has(tmp_path: Path) -> None:
    sentences = [{"text": "A.", "citations": ["d3", "d1"]}, {"text": "B.", "citations": ["d3"]}]
    done = _converted(tmp_path, "rag", s.report(responses=sentences, references=["d1", "d2"]))
    report = json.loads(done.text)
    assert report["references"] == ["d1", "d2", "d3"]
    assert [each["citations"] for each in report["answer"]] == [[2, 0], [2]]
    assert [loss.what for loss in done.additions] == ["references"]
    assert done.losses == ()


def test_requests_on_several_lines_become_one_line_and_that_is_told(tmp_path: Path) -> None:
    done = _converted(
        tmp_path,
        "rag_tsv",
        s.request(title="", background="", problem_statement="First.\r\nSecond.\nThird."),
    )
    assert done.text == "t1\tFirst. Second. Third.\n"
    assert done.counts() == {"problem_statement": 1}


def test_table_that_would_look_like_json_is_refused(tmp_path: Path) -> None:
    good, odd = s.request(title="", background=""), s.request(topic_id="{1}")
    done = _converted(tmp_path, "rag_tsv", good, odd)
    assert done.text.startswith("t1\t")
    assert done.counts() == {"topic": 1}


def test_further_keys_by_which_a_format_is_made_out_are_left_out(tmp_path: Path) -> None:
    done = _converted(tmp_path, "ragtime26", s.v3(nugget_bank={}, qid=3), kind="nuggets")
    assert "query_id" not in json.loads(done.text)
    done = _converted(
        tmp_path,
        "neuclir",
        {**s.qrels(), "topics": [{"topic_id": "t1", "nuggets": [], "nugget_bank": 1}]},
    )
    (tmp_path / "there").write_text(done.text)
    (topic,) = formats.read_nuggets(str(tmp_path / "there"))
    assert (topic.extra, done.counts()) == ({}, {"further_key": 1})


@pytest.mark.parametrize(
    ("before", "after", "hint"),
    [("AND", "OR", "any one answer is then enough"), ("OR", "AND", "")],
)
def test_what_another_aggregator_means_is_said_where_it_is_so(
    before: str, after: str, hint: str
) -> None:
    answers = (Answer("Cost"), Answer("Time"))
    source, held = (
        TopicNuggets("t", (Nugget("n", "Why?", answers, Aggregator(each)),))
        for each in (before, after)
    )
    (found,) = differences(source, Rewritten("", held, places=(0,)), "")
    assert (found.what, found.hint) == ("aggregator", hint)
