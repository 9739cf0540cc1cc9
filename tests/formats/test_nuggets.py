"""Nugget qrels in all formats."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from argue_eval import formats
from argue_eval.errors import InputError
from argue_eval.records import Aggregator, Answer, Importance, Nugget, TopicNuggets
from tests.formats import samples as s
from tests.formats.reading import Reading

Q = "Which bridge was rebuilt?"


def _bank(*nuggets: s.Json, **changes: object) -> s.Json:
    good = {"metadata": {"topic_id": "t1", "team_id": "x"}, "nugget_bank": list(nuggets)}
    return s.changed(good, changes)


def _answer(text: str, *references: object) -> s.Json:
    return {"answer": text, "references": list(references)}


def test_canonical_nugget_is_read_with_all_its_keys(reading: Reading) -> None:
    (topic,) = reading.nuggets(s.qrels(s.nugget(aggregator="AND", source="A1")))
    answers = (Answer("the old one", ("d1",)),)
    extra = {"source": "A1"}
    nugget = Nugget("n1", Q, answers, Aggregator.AND, Importance.VITAL, extra)
    assert topic == TopicNuggets("t1", (nugget,))
    assert reading.warnings == []


def test_topics_by_themselves_are_read_as_canonical(reading: Reading) -> None:
    topics = [{"topic_id": each, "nuggets": [s.nugget()]} for each in ("t1", "t2")]
    expected = reading.nuggets({"format": "argue-eval/nuggets/1", "topics": topics})
    assert [each.topic_id for each in expected] == ["t1", "t2"]
    assert reading.nuggets(topics) == reading.nuggets(*topics) == expected


def test_claim_and_absence_nuggets_are_told_apart(reading: Reading) -> None:
    claim = s.nugget(question=None)
    absence = s.nugget(nugget_id="n2", answers=[])
    (topic,) = reading.nuggets(s.qrels(claim, absence))
    assert [each.is_claim for each in topic.nuggets] == [True, False]
    assert [each.is_absence for each in topic.nuggets] == [False, True]


def test_nuggets_that_share_a_question_stay_apart_in_a_bank(reading: Reading) -> None:
    shared = [{"question": Q, "answers": [_answer(each, "d1")]} for each in ("old", "new")]
    (topic,) = reading.nuggets(_bank(*shared))
    assert [(each.nugget_id, each.answers[0].answer) for each in topic.nuggets] == [
        ("n1", "old"),
        ("n2", "new"),
    ]


def test_bank_keeps_metadata_and_details_of_references(reading: Reading) -> None:
    detail = {"doc_id": "d2", "start": 7}
    entry = {"question": Q, "aggregator_type": "AND", "answers": [_answer("old", "d1", detail)]}
    (topic,) = reading.nuggets(_bank(entry, note=1))
    (answer,) = topic.nuggets[0].answers
    assert topic.nuggets[0].aggregator is Aggregator.AND
    assert answer.doc_ids == ("d1", "d2")
    assert answer.extra == {"references": [detail]}
    assert topic.extra == {"metadata": {"team_id": "x"}, "note": 1}


def test_answer_that_is_there_twice_becomes_one_with_the_documents_of_both(
    reading: Reading,
) -> None:
    answers = [_answer("old", "d1"), _answer("old", "d2", "d1")]
    (topic,) = reading.nuggets(_bank({"question": Q, "answers": answers}))
    assert topic.nuggets[0].answers == (Answer("old", ("d1", "d2")),)
    assert reading.codes() == ["duplicate_answer"]


def test_auto_argue_bank_is_read_with_questions_and_claims(reading: Reading) -> None:
    claims = {"It fell.": {"claim": "It fell.", "query_id": "t1", "references": ["d9"]}}
    bank = s.v3(claim_bank=claims, title_query="Bridges")
    bank["nugget_bank"][Q].update(question_id="q7", importance="okay", sub_nuggets=[])
    (topic,) = reading.nuggets(bank)
    question, claim = topic.nuggets
    assert (question.nugget_id, question.question, question.importance) == (
        "q7",
        Q,
        Importance.OKAY,
    )
    assert question.answers[0].doc_ids == ("d1",)
    assert question.extra == {"sub_nuggets": []}
    assert claim == Nugget("n2", None, (Answer("It fell.", ("d9",)),))
    assert topic.extra == {"title_query": "Bridges"}
    as_lists = {name: [*bank[name].values()] for name in ("nugget_bank", "claim_bank")}
    assert reading.nuggets({**bank, **as_lists}) == [topic]


def test_question_ids_of_auto_argue_are_made_unique(reading: Reading) -> None:
    banks = {each: {"question": each, "question_id": "q"} for each in ("A?", "B?")}
    (topic,) = reading.nuggets(s.v3(nugget_bank=banks))
    assert [nugget.nugget_id for nugget in topic.nuggets] == ["q", "q-2"]


def test_directory_of_auto_argue_banks_is_read_in_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_bytes(json.dumps(s.v3(query_id="t2"), indent=1).encode())
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(s.lines(s.v3())))
    (tmp_path / "README.txt").write_text("not a bank")
    assert [topic.topic_id for topic in formats.read_nuggets(str(tmp_path))] == ["t1", "t2"]


def test_importance_of_another_scale_is_kept_as_extra_with_a_warning(reading: Reading) -> None:
    (topic,) = reading.nuggets(_bank({"question": Q, "importance": 3}))
    assert topic.nuggets[0].importance is None
    assert topic.nuggets[0].extra == {"importance": 3}
    assert reading.codes() == ["unknown_importance"]


def test_neuclir_items_that_share_a_question_stay_apart(reading: Reading) -> None:
    items = [
        {"question_id": "1", "question_text": Q, "gold_answers": ["old"]},
        {
            "question_id": "1",
            "question_text": Q,
            "gold_answers": ["new", ["newer", ["d3"]]],
            "info": {"importance": "vital", "used": True},
        },
    ]
    (topic,) = reading.nuggets({"query_id": "t1", "query_text": "…", "items": items})
    first, second = topic.nuggets
    assert (first.nugget_id, first.answers) == ("1", (Answer("old"),))
    assert second.nugget_id == "1-2"
    assert second.answers == (Answer("new"), Answer("newer", ("d3",)))
    assert second.importance is Importance.VITAL
    assert second.extra == {"info": {"used": True}}


def test_neuclir_question_answered_by_no_is_an_absence_nugget(reading: Reading) -> None:
    questions = [
        [Q, [["old", ["d1", "d2"]], ["new", ["d3"]]]],
        ["Does the collection say who paid?", [["no", []]]],
    ]
    (topic,) = reading.nuggets({"query_id": "t1", "questions": questions})
    assert topic.nuggets[0].answers == (Answer("old", ("d1", "d2")), Answer("new", ("d3",)))
    assert topic.nuggets[1].is_absence
    assert topic.nuggets[1].extra == {"gold_answer": "no"}


def test_nuggetizer_nuggets_are_claims_and_failed_is_no_importance(reading: Reading) -> None:
    words = ("vital", "okay", "failed")
    nuggets = [{"text": f"Claim {word}.", "importance": word} for word in words]
    (topic,) = reading.nuggets({"query": "…", "qid": "t1", "nuggets": nuggets})
    assert [each.importance for each in topic.nuggets] == [Importance.VITAL, Importance.OKAY, None]
    assert all(each.is_claim for each in topic.nuggets)
    assert topic.nuggets[2].extra == {"importance": "failed"}


@pytest.mark.parametrize(
    ("references", "code"),
    [
        ([[], [], []], "no_document_ids"),
        ([["d1"], ["d2"], []], "answer_without_documents"),
    ],
)
def test_nuggets_that_no_citation_can_meet_are_warned_of(
    reading: Reading, references: list[list[str]], code: str
) -> None:
    answers = [_answer(str(place), *ids) for place, ids in enumerate(references)]
    reading.nuggets(_bank({"question": Q, "answers": answers}))
    assert reading.codes() == [code]


TABLE = """\
Topic ID;nugget_id;question;answer;doc_ids;importance;aggregator;weight
t1;a;Which bridges?;the old one;d1 d2;vital;AND;2.5
t2;;"Who, ""really""\nbuilt it?";Ærø;d3;;;
t1;a;;the new one;d1,d3;;AND;
t1;;Who paid?;;;;;
"""


@pytest.mark.parametrize("delimiter", ";\t,")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_table_has_a_row_for_each_answer(reading: Reading, delimiter: str, encoding: str) -> None:
    given = TABLE.replace("d1,d3", '"d1,d3"').replace(";", delimiter).replace("\n", "\r\n")
    first, second = reading.nuggets(given.encode(encoding))
    answers = (Answer("the old one", ("d1", "d2")), Answer("the new one", ("d1", "d3")))
    bridges = Nugget("a", "Which bridges?", answers, Aggregator.AND, Importance.VITAL, weight=2.5)
    assert first == TopicNuggets("t1", (bridges, Nugget("n2", "Who paid?", ())))
    who = 'Who, "really"\r\nbuilt it?'
    assert second == TopicNuggets("t2", (Nugget("n1", who, (Answer("Ærø", ("d3",)),)),))
    assert [each.code for each in reading.warnings] == ["encoding"] * (encoding == "cp1252")


def test_rows_as_json_lines_are_a_table_too(reading: Reading) -> None:
    row = {"topic_id": "t1", "question": Q, "answer": "it", "doc_ids": "d1", "by": "A"}
    other = {**row, "answer": "that", "doc_ids": ["d2", "d3"]}
    ((nugget,),) = (each.nuggets for each in reading.nuggets(row, other))
    assert nugget.answers == (
        Answer("it", ("d1",), {"by": "A"}),
        Answer("that", ("d2", "d3"), {"by": "A"}),
    )


@pytest.mark.parametrize("columns", ["nugget_id", "doc_ids"])
def test_a_table_of_nuggets_is_neither_a_run_nor_requests(tmp_path: Path, columns: str) -> None:
    (tmp_path / "n.csv").write_text(f"topic_id,{columns},question,answer\nt1,d1,Why?,so\n")
    assert formats.kinds_in(str(tmp_path)) == {"nuggets"}
    with pytest.raises(InputError, match="expected report requests, found nuggets"):
        formats.read_topics(tmp_path / "n.csv")


@pytest.mark.parametrize(
    ("rows", "code", "line"),
    [
        ("", "empty_file", 2),
        ("t1,n1,Why?,so,d1,extra,more", "wrong_columns", 2),
        ('t1,n1,Why?,so,d1,\nt1,n2,Who?,"me,d2,\nt1,n3,When?,now,d3,', "bad_table", 3),
        ("t1,n1,Why?,so,d1,\nt1,n1,Who?,me,d2,", "duplicate_nugget", 3),
        ("t1,n1,Why?,so,d1,OR\nt1,n1,,me,d2,AND", "duplicate_nugget", 3),
        ("t1,n1,,so,d1,\nt1,n1,,me,d2,", "claim_answers", 3),
        ("t1,n1,Why?,so,d1,\n,,Who?,me,d2,", "missing_key", 3),
        ("t1,n1,Why?,,d1,", "missing_key", 2),
        ("t1,n1,,,,", "missing_key", 2),
    ],
)
def test_what_a_table_cannot_say_is_an_error_with_its_line(
    reading: Reading, rows: str, code: str, line: int
) -> None:
    header = "topic_id,nugget_id,question,answer,doc_ids,aggregator\n"
    with pytest.raises(InputError) as caught:
        reading.nuggets(f"{header}{rows}\n".encode())
    assert (caught.value.findings[0].code, caught.value.findings[0].line) == (code, line)


def test_a_first_line_that_a_brace_in_a_text_closes_begins_a_document(tmp_path: Path) -> None:
    start = '{"note": "}", "format": "argue-eval/nuggets/1", "topics": ['
    first = start + '{"topic_id": "t1", "nuggets": []}'
    path = tmp_path / "bank.json"
    path.write_text(first + '\n,{"topic_id": "t2", "nuggets": []}]}')
    assert [each.topic_id for each in formats.read_nuggets(str(path))] == ["t1", "t2"]
    for rest, expected in (
        (',{"topic_id": "t2", "nuggets": {}}]}', ("wrong_type", 2)),
        (start + "]}", ("json_truncated", 1)),  # JSON lines, of which the first is cut off
    ):
        path.write_text(f"{first}\n{rest}")
        with pytest.raises(InputError) as caught:
            formats.read_nuggets(str(path))
        assert [(each.code, each.line) for each in caught.value.findings] == [expected]
