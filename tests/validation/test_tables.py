"""Rankings and lists of questions: runs that are lines of columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from argue_eval.validation import validate
from tests.cli.conftest import Command
from tests.formats.reading import DATA, needs_data
from tests.formats.samples import lines

RANKING = [
    ["rag2026-0", "Q0", "shard_0_1", "1", "9.5", "bm25"],
    ["rag2026-0", "Q0", "shard_0_2", "2", "9.5", "bm25"],
    ["rag2026-0", "Q0", "shard_0_3", "3", "-1e-3", "bm25"],
    ["rag2026-1", "Q0", "shard_0_1", "1", "3", "bm25"],
    ["rag2026-2", "Q0", "shard_7_1", "1", "2.5", "bm25"],
]
QUESTIONS = [
    [f"msmarco_v2.1_doc_0{topic}_12345", "team", "run", str(rank), f"Who {rank} of {topic}?"]
    for topic in (1, 2, 3)
    for rank in range(1, 4)
]


class Wrong(NamedTuple):
    """A change to one cell or line of a table, and what is found then."""

    name: str
    line: int
    column: int | None
    cell: Any
    codes: list[str]
    shown: str = ""


def written(folder: Path, rows: list[list[str]], name: str = "run") -> str:
    between = "\t" if len(rows[0]) == 5 else " "
    path = folder / name
    path.write_text("".join(between.join(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def broken(rows: list[list[str]], wrong: Wrong) -> list[list[str]]:
    changed = [list(row) for row in rows]
    if wrong.column is None:
        changed[wrong.line - 1] = wrong.cell
    else:
        changed[wrong.line - 1][wrong.column] = wrong.cell
    return changed


def test_a_good_ranking_of_any_depth_has_no_findings(tmp_path: Path) -> None:
    deep = [["rag2026-7", "Q0", f"shard_1_{rank}", str(rank), str(-rank), "bm25"]
            for rank in range(1, 3001)]  # fmt: skip
    assert validate(written(tmp_path, [*RANKING, *deep])) == []


@pytest.mark.parametrize(
    ("rows", "track", "says"),
    [
        (RANKING, None, "3 rankings, checked against rag26-retrieval (guessed)"),
        (RANKING, "rag26", "3 rankings, checked against rag26-retrieval,"),
        (RANKING, "rag26-retrieval", "3 rankings, checked against rag26-retrieval,"),
        (RANKING, "biogen25", "3 rankings, checked against retrieval,"),
        ([["51", "0", "d1", "1", "2", "x"]], None, "1 ranking, checked against retrieval"),
        (QUESTIONS, None, "3 question lists, checked against dragun25-questions (guessed)"),
        (QUESTIONS, "dragun25", "3 question lists, checked against dragun25-questions,"),
        ([["t1", "team", "run", "1", "Who?"]], None, "1 question list, checked against quest"),
    ],
)
def test_validate_says_what_kind_of_run_it_is(
    argue_eval: Command, tmp_path: Path, rows: list[list[str]], track: str | None, says: str
) -> None:
    path = written(tmp_path, rows)
    ran = argue_eval("validate", path, *(["--track", track] if track else []))
    assert ran.code == 0, ran.out
    assert says in ran.out


WRONG_RANKING = [
    Wrong("a column is missing", 2, None, ["rag2026-0", "Q0", "shard_0_2", "2", "9.5"],
          ["wrong_columns", "rank_order"], "expected 6 columns between white space, found 5"),
    Wrong("a column more", 2, None, [*RANKING[1], "x"], ["wrong_columns", "rank_order"], "found 7"),
    Wrong("the second column", 2, 1, "0.5", ["wrong_columns"], "expected Q0"),
    Wrong("ranks from 0", 1, 3, "0", ["rank_order", "rank_order"], "the rank is 0, and 1 is"),
    Wrong("a rank is left out", 3, 3, "4", ["rank_order"], "3 is expected after rank 2"),
    Wrong("a rank twice", 2, 3, "1", ["rank_order", "rank_order"], "the rank is 1, and 2"),
    Wrong("a rank with a point", 2, 3, "2.0", ["rank_order"], "expected a rank"),
    Wrong("a negative rank", 4, 3, "-1", ["rank_order"], "expected a rank"),
    Wrong("a score that rises", 2, 4, "9.6", ["score_order"], "the score rises from 9.5 to 9.6"),
    Wrong("not a number", 2, 4, "nan", ["score_order"], "expected a score"),
    Wrong("infinite", 1, 4, "inf", ["score_order"], "expected a score"),
    Wrong("a decimal comma", 2, 4, "9,5", ["score_order"], "'9,5'"),
    Wrong("a document twice", 3, 2, "shard_0_1", ["duplicate_document"], "on line 1"),
    Wrong("another collection", 2, 2, "clueweb-1", ["docid_pattern"], "shard_"),
    Wrong("another run", 5, 5, "dense", ["run_id_differs"], "before it was 'bm25'"),
    Wrong("a topic again", 5, 0, "rag2026-0", ["duplicate_topics", "missing_topics"],
          "has a ranking already"),
    Wrong("Q0 is left out", 2, None, [RANKING[1][0], *RANKING[1][2:]],
          ["wrong_columns", "rank_order"], "write Q0 between the ids"),
    Wrong("commas", 2, None, [",".join(RANKING[1])], ["wrong_columns", "rank_order"],
          "write white space between the columns, not commas"),
    Wrong("the names of the columns", 1, None, ["topic", "Q0", "docid", "Rank", "score", "tag"],
          ["wrong_columns", "rank_order"], "has the names of the columns"),
    Wrong("a topic that is not requested", 5, 0, "rag2026-9", ["new_topics", "missing_topics"]),
]  # fmt: skip


WRONG_QUESTIONS = [
    Wrong("a column is missing", 2, None, QUESTIONS[1][:4], ["wrong_columns", "rank_order"],
          "expected 5 columns between tabs, found 4"),
    Wrong("a tab in a question", 2, 4, "Who\tsays?", ["wrong_columns", "rank_order"], "found 6"),
    Wrong("a rank too many", 2, 3, "3", ["rank_order", "rank_order"], "2 is expected"),
    Wrong("ranks from 0", 1, 3, "0", ["rank_order", "rank_order"], "1 is expected first"),
    Wrong("a rank that is a word", 2, 3, "two", ["rank_order"], "expected a rank"),
    Wrong("an empty rank", 2, 3, "", ["rank_order"], "expected a rank"),
    Wrong("an empty question", 2, 4, " ", ["blank_text"], "the question is empty"),
    Wrong("a question twice", 2, 4, "who 1  OF 1?", ["duplicate_question"], "that of line 1"),
    Wrong("another run", 4, 2, "other", ["run_id_differs"]),
    Wrong("another team", 9, 1, "other", ["team_id_differs"], "before it was 'team'"),
    Wrong("no run", 9, 2, "", ["empty_id"]),
    Wrong("a topic again", 9, 0, QUESTIONS[0][0], ["duplicate_topics", "rank_order"]),
    Wrong("a topic that is unknown", 9, 0, "msmarco_v2.1_doc_09_9", ["new_topics", "rank_order"]),
    Wrong("an empty topic", 9, 0, "", ["missing_key", "rank_order"], "the topic id is missing"),
    Wrong("a topic of two lines", 9, 0, "a\x07b", ["bad_id", "new_topics", "rank_order"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [(RANKING, each) for each in WRONG_RANKING] + [(QUESTIONS, each) for each in WRONG_QUESTIONS],
    ids=lambda each: each.name if isinstance(each, Wrong) else "",
)
def test_what_is_wrong_is_found_on_its_line(
    tmp_path: Path, rows: list[list[str]], wrong: Wrong
) -> None:
    known = list(dict.fromkeys(row[0] for row in rows))
    asked = lines(*({"topic_id": each, "title": "x"} for each in known))
    (tmp_path / "requests.jsonl").write_bytes(asked)
    path = written(tmp_path, broken(rows, wrong))
    found = validate(path, topics=str(tmp_path / "requests.jsonl"))
    assert sorted(each.code for each in found) == sorted(wrong.codes)
    first = next(each for each in found if each.code == wrong.codes[0])
    assert first.line == wrong.line
    assert wrong.shown in f"{first.message}: {first.hint}"
    assert first.hint


def test_more_questions_than_are_judged_are_a_warning(tmp_path: Path) -> None:
    rows = [["msmarco_v2.1_doc_01_1", "t", "r", str(n), f"Who {n}?"] for n in range(1, 12)]
    (found,) = validate(written(tmp_path, rows))
    assert (found.code, found.severity.value) == ("question_count", "warning")
    assert "11 questions, 10 are judged" in found.message


def test_a_document_that_the_collection_lacks_is_found(tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("shard_0_1\nshard_0_2\nshard_0_3\n")
    found = validate(written(tmp_path, RANKING), collection=str(ids))
    assert [(each.code, each.line) for each in found] == [("unknown_document", 5)]


def test_broken_bytes_are_located(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"t1 Q0 d1 1 2.5 x\nt1 Q0 d\xff 2 2 x\nt1 Q0 d3 3 2 x\n")
    found = validate(str(path))
    assert [(each.code, each.line) for each in found] == [("encoding", 2)]


@pytest.mark.parametrize(
    "value",
    [
        {"qid": "1", "query": "q", "run_id": "r", "answer_text": "A.", "response_length": 1,
         "nuggets": [{"text": "A", "importance": "vital", "assignment": "support"}]},
        {"topic_id": "1", "narrative_id": 1, "run_id": "r", "sentences": [
            {"sentenceID": 0, "text": "A.", "citations": [
                {"citationID": 0, "reference": "d1", "support": "2"}]}]},
    ],
)  # fmt: skip
def test_judged_reports_are_told_from_runs(
    argue_eval: Command, tmp_path: Path, value: dict[str, Any]
) -> None:
    path = tmp_path / "judged.jsonl"
    path.write_text(json.dumps(value))
    ran = argue_eval("validate", str(path))
    assert ran.code == 1
    assert "expected a run, found reports with judgments of them" in ran.out
    assert f"argue-eval score {path} {path} --protocol" in ran.out


@needs_data
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("ragtime26/T2_run_1.txt", "103 rankings, checked against ragtime26-retrieval"),
        ("ragtime26/T3_run_1.jsonl", "103 nugget banks"),
        ("ragtime26/T3_run_2.jsonl", "103 nugget banks"),
    ],
)
def test_real_runs_of_other_tasks_are_recognized(argue_eval: Command, name: str, says: str) -> None:
    assert says in argue_eval("validate", str(DATA / name)).out
