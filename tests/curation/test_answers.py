"""Documents of a collection, retrieved for questions, and answers from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import argue_eval as ae
from tests.chat_server import Answer, says
from tests.cli.conftest import Command
from tests.curation.haystack_server import REFUSAL
from tests.curation.track import ranked, run

QUESTION = "Why did the mill close?"
TEXTS = {
    "mill/1": "The mill burned down, and the mill was insured.",
    "mill/2": "A mill stood here.",
    "loan": "No loan was given to anybody.",
    "rye": "Rye and loan sharks ruined him.",
    "other": "Nothing of interest.",
}
RETRIEVE = "curate retrieve questions.jsonl --collection docs.jsonl"
ANSWER = (
    "curate summarize questions.jsonl --collection docs.jsonl --retrieved own.run --model m "
    "-o run.jsonl"
)


def write(**request: Any) -> None:
    """Writes a question and the collection."""
    lines = [{"topic_id": "q1", "title": QUESTION, **request}]
    Path("questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    docs = [{"doc_id": doc_id, "title": "", "text": text} for doc_id, text in TEXTS.items()]
    Path("docs.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in docs))


@pytest.fixture(autouse=True)
def _files() -> None:
    write()


def parts(*questions: str) -> Answer:
    return says(json.dumps({"questions": [{"question": each} for each in questions]}))


# --- retrieve -------------------------------------------------------------------------------------


def test_a_question_retrieves_by_its_words_and_only_what_has_some(argue_eval: Command) -> None:
    ran = argue_eval(RETRIEVE)
    assert (ran.code, ranked(ran.out)) == (0, {"q1": ["mill/1", "mill/2"]})
    assert ran.out.splitlines()[0] == "q1 Q0 mill/1 1 2 bm25"
    assert ran.err == "ranked 5 documents for 1 question\n"
    assert ranked(argue_eval(f"{RETRIEVE} --depth 1").out) == {"q1": ["mill/1"]}


def test_what_sub_questions_retrieve_is_pooled_by_reciprocal_ranks(argue_eval: Command) -> None:
    """loan and rye by the one, rye by the other; both of the mill only by the question."""
    said = parts("Who had a loan?", "Who had rye and a loan?")
    ran, server = run(argue_eval, said, f"{RETRIEVE} --model m -o pooled.run")
    assert (ran.code, len(server.received)) == (0, 1)
    assert QUESTION in server.received[0].prompt
    ranks = [{"mill/1": 1, "mill/2": 2}, {"loan": 1, "rye": 2}, {"rye": 1, "loan": 2}]
    scores = {
        doc_id: sum(1 / (60 + each[doc_id]) for each in ranks if doc_id in each) for doc_id in TEXTS
    }
    by_hand = sorted([each for each in TEXTS if scores[each]], key=lambda each: -scores[each])
    found = ranked(Path("pooled.run").read_text())["q1"]
    assert found == by_hand
    assert "pooled: 2 sub-questions of 1 question" in ran.err
    assert Path("pooled.run").read_text().split()[5] == "bm25-pooled"
    ran, server = run(argue_eval, said, f"{RETRIEVE} --model m -o pooled.run --depth 2")
    assert (server.received, ranked(Path("pooled.run").read_text())["q1"]) == ([], by_hand[:2])


def test_sub_questions_that_a_question_states_need_no_model(argue_eval: Command) -> None:
    run(argue_eval, parts("Who had a loan?"), f"{RETRIEVE} --model m -o pooled.run")
    write(sub_questions=["Who had a loan?"])
    assert argue_eval(RETRIEVE).out == Path("pooled.run").read_text()
    _, server = run(argue_eval, parts("Who?"), f"{RETRIEVE} --model m -o again.run")
    assert (server.received, Path("again.run").read_text()) == ([], Path("pooled.run").read_text())


@pytest.mark.parametrize("said", [parts(), REFUSAL, says("no idea")])
def test_a_question_without_sub_questions_retrieves_as_without_a_model(
    argue_eval: Command, said: Answer
) -> None:
    ran, _ = run(argue_eval, said, f"{RETRIEVE} --model m -o one.run")
    assert ran.code == (0 if said == parts() else 4)
    assert Path("one.run").read_text() == argue_eval(RETRIEVE).out


def test_a_dry_run_of_sub_questions(argue_eval: Command) -> None:
    ran, server = run(argue_eval, parts(), f"{RETRIEVE} --model m --dry-run")
    assert (ran.code, server.received) == (0, [])
    assert ran.out.startswith("1 calls, about ")
    assert argue_eval(f"{RETRIEVE} --dry-run").out.startswith("0 calls: without --model")


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (f"{RETRIEVE} --by oracle", 2, "no document holds an insight"),
        (f"{RETRIEVE} --by best", 2, "unknown --by 'best'"),
        (f"{RETRIEVE} --by random --model m", 2, "--model breaks questions down for --by keyword"),
        (f"{RETRIEVE} -o docs.jsonl", 2, "docs.jsonl"),
        (f"{RETRIEVE} --model m -o x.run --replies docs.jsonl", 2, "docs.jsonl"),
        ("curate retrieve questions.jsonl", 1, "or for questions, their documents too"),
        ("curate retrieve questions.jsonl --collection irds:any", 2, "expected files of documents"),
        ("curate retrieve no.jsonl --collection docs.jsonl", 3, "no.jsonl"),
        (f"{RETRIEVE} --depth 0", 2, "--depth"),
    ],
)
def test_mistakes_in_retrieving(argue_eval: Command, command: str, code: int, message: str) -> None:
    ran, server = run(argue_eval, parts(), command)
    assert (ran.code, server.received) == (code, []), ran.err
    assert message in ran.err


def test_sub_questions_that_are_none(argue_eval: Command) -> None:
    write(sub_questions="Who?")
    ran = argue_eval(RETRIEVE)
    assert (ran.code, "'sub_questions' is not a list of texts" in ran.err) == (1, True)


def test_a_topic_id_with_space_comes_back(argue_eval: Command) -> None:
    write(topic_id="q 1")
    assert argue_eval(f"{RETRIEVE} -o own.run").code == 0
    assert Path("own.run").read_text().startswith("q%201 Q0 mill/1 1 2 bm25")
    ran, server = run(argue_eval, answering("It burned [1]."), ANSWER)
    assert (ran.code, len(server.received)) == (0, 1)
    reading = "--collection docs.jsonl --retrieved own.run --model m -o points.json"
    points = says(json.dumps({"points": []}))
    ran, server = run(argue_eval, points, f"curate extract questions.jsonl {reading}")
    assert (ran.code, len(server.received)) == (0, 2)


def test_a_document_id_with_space_comes_back(argue_eval: Command) -> None:
    text = Path("docs.jsonl").read_text().replace('"mill/1"', '"mill 1"')
    Path("docs.jsonl").write_text(text.replace('"mill/2"', '"mill%202"'))
    assert argue_eval(f"{RETRIEVE} -o own.run").code == 0
    assert set(ranked(Path("own.run").read_text())["q1"]) >= {"mill%201", "mill%25202"}
    ran, _ = run(argue_eval, answering("It burned [1]."), ANSWER)
    (read,) = ae.read_runs("run.jsonl")
    assert (ran.code, "missing" in ran.err) == (0, False)
    assert {"mill 1", "mill%202"} <= set(read.reports[0].references or ())


def test_a_question_that_shares_no_word_with_any_document(argue_eval: Command) -> None:
    write(title="Quo vadis?")
    ran = argue_eval(RETRIEVE)
    assert (ran.code, ran.out) == (0, "")
    assert "warning: nothing was retrieved for q1" in ran.err


# --- answers --------------------------------------------------------------------------------------


def retrieved(*doc_ids: str) -> None:
    lines = [f"q1 Q0 {each} {at} {9 - at} own\n" for at, each in enumerate(doc_ids, 1)]
    Path("own.run").write_text("".join(lines))


def answering(*sentences: str) -> Answer:
    return says(json.dumps({"sentences": sentences}))


def test_an_answer_cites_documents_by_the_numbers_that_were_shown(argue_eval: Command) -> None:
    retrieved("loan", "mill/1", "rye")
    said = answering("It burned down [2].", "He got no loan [1][3].", "So it ended.")
    ran, server = run(argue_eval, said, ANSWER)
    assert ran.code == 0, ran.err
    shown = [
        line for line in server.received[0].prompt.splitlines() if line[:2] in ("1:", "2:", "3:")
    ]
    assert shown == [f"{at}: {json.dumps(TEXTS[each])}"
                     for at, each in enumerate(("loan", "mill/1", "rye"), 1)]  # fmt: skip
    (read,) = ae.read_runs("run.jsonl")
    (report,) = read.reports
    assert [(each.text, [one.doc_id for one in each.citations]) for each in report.sentences] == [
        ("It burned down.", ["mill/1"]),
        ("He got no loan.", ["loan", "rye"]),
        ("So it ended.", []),
    ]
    assert (report.run_id, report.references) == ("own_m", ("loan", "mill/1", "rye"))
    assert "1 of 1 question, each with 3 of 3 documents" in ran.err
    assert "1 answer, 3 sentences, 3 citations" in ran.err


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ("", ["loan", "mill/1", "rye"]),
        ("--depth 2", ["loan", "mill/1"]),
        ("--order bottom", ["rye", "mill/1", "loan"]),
        ("--budget 26", ["loan", "mill/1"]),
    ],
)
def test_which_documents_are_shown(argue_eval: Command, more: str, shown: list[str]) -> None:
    retrieved("loan", "mill/1", "rye")
    ran, _ = run(argue_eval, answering("It burned [1]."), f"{ANSWER} {more}")
    assert ran.code == 0, ran.err
    (read,) = ae.read_runs("run.jsonl")
    assert list(read.reports[0].references or ()) == shown
    assert read.reports[0].sentences[0].citations[0].doc_id == shown[0]


def test_what_is_missing_or_not_shown_is_named(argue_eval: Command) -> None:
    retrieved("loan", "lost", "rye")
    ran, _ = run(argue_eval, answering("It burned [2].", "Or not [7]."), ANSWER)
    assert ran.code == 0, ran.err
    assert "warning: 1 retrieved document is missing, and not read: lost" in ran.err
    (read,) = ae.read_runs("run.jsonl")
    assert read.reports[0].references == ("loan", "rye")
    assert read.reports[0].sentences[0].citations[0].doc_id == "rye"
    assert read.reports[0].sentences[1].citations == ()  # not the document whose id is 7
    assert "topic q1: 1 cited number is that of no document: 7; left out" in ran.err


@pytest.mark.parametrize("said", [says('{"sentences": "It burned."}'), REFUSAL])
def test_a_reply_that_is_no_answer(argue_eval: Command, said: Answer) -> None:
    retrieved("loan")
    ran, _ = run(argue_eval, said, ANSWER)
    assert (ran.code, Path("run.jsonl").read_text()) == (4, "")


def test_a_run_without_a_question_of_the_file(argue_eval: Command) -> None:
    Path("own.run").write_text("q9 Q0 loan 1 9 own\n")
    ran, server = run(argue_eval, answering(), ANSWER)
    assert (ran.code, server.received) == (1, [])
    assert "[no_common_topic] the run has none of the questions of questions.jsonl" in ran.err
