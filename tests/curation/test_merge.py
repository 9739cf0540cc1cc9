"""Banks become one: what asks the same is one nugget, and no original is lost."""

from __future__ import annotations

import csv
import gzip
import json
import time
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import argue_eval as ae
from argue_eval.cli import app
from tests.chat_server import says
from tests.cli.conftest import Command
from tests.curation import track
from tests.curation.banks import bank, nugget, originals, read, texts

REAL = Path(__file__).parents[3] / "shared" / "data" / "ragtime26"

FIRE = "When did the mill in Ostmere burn down?"
FIRE_REWORDED = "On what date did the Ostmere mill burn down?"


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (FIRE, FIRE_REWORDED, True),
        (FIRE, "When did the mill in Larkhaven burn down?", False),
        ("Who bought the mill in 1912?", "Who bought the mill in 1921?", False),
        ("Which crops did the mill grind?", "Which crops did the mill not grind?", False),
        ("What is the market share of solar power?", "What is the market share of wind power?",
         False),
        ("What do buses in cities other than Ostmere cost?", "What do buses in Ostmere cost?",
         False),
        ("Which duties do owners have, such as inspections or repairs, in winter?",
         "Which duties do owners have in winter?", True),
    ],
)  # fmt: skip
def test_questions_that_ask_the_same_become_one(
    one: str, other: str, is_same: bool, argue_eval: Command
) -> None:
    paths = bank("a.json", nugget("n1", one, "A")), bank("b.json", nugget("n1", other, "B"))
    assert argue_eval(f"curate merge {' '.join(paths)} -o all.json").code == 0
    found = originals(read("all.json"))
    assert found == ([["a.json:n1", "b.json:n1"]] if is_same else [["a.json:n1"], ["b.json:n1"]])


def test_answers_are_united_with_the_documents_of_all(argue_eval: Command) -> None:
    bank("a.json", nugget("n1", FIRE, ("In June 1912.", ["d1"]), ("at night", ["d2"])))
    bank("b.json", nugget("x", FIRE_REWORDED, ("in June 1912", ["d3", "d1"]), ("1911", ["d4"])))
    ran = argue_eval("curate merge a.json b.json -o all.json")
    assert ran.code == 0
    assert "2 nuggets of 2 banks: 1 nugget, 1 of more than one bank" in ran.err
    (found,) = read("all.json")
    assert (found["nugget_id"], found["question"]) == ("n1", FIRE)
    assert [(each["answer"], each["doc_ids"]) for each in found["answers"]] == [
        ("In June 1912.", ["d1", "d3"]), ("at night", ["d2"]), ("1911", ["d4"]),
    ]  # fmt: skip


def test_answers_of_one_nugget_stay_apart(argue_eval: Command) -> None:
    bank("a.json", nugget("n1", FIRE, ("in June 1912", ["d1"]), ("June 1912", ["d2"])))
    bank("b.json", nugget("n1", FIRE, ("in June, 1912", ["d3"]), ("the June of 1912", ["d4"])))
    argue_eval("curate merge a.json b.json -o all.json")
    (found,) = read("all.json")
    assert [(each["answer"], each["doc_ids"]) for each in found["answers"]] == [
        ("in June 1912", ["d1", "d3"]), ("June 1912", ["d2", "d4"])
    ]  # fmt: skip


def test_answers_of_a_later_bank_stay_apart_where_the_first_has_none(argue_eval: Command) -> None:
    how, paid = "How do buyers pay?", [f"They pay by {each} for it." for each in ("cash", "card")]
    bank("a.json", nugget("n1", how))
    bank("b.json", nugget("n1", how, *paid), nugget("n2", how, *paid))
    argue_eval("curate merge a.json b.json -o all.json")
    assert texts(read("all.json")[0]) == paid


NOISE = "By how much did the noise fall?"
BOTH = nugget("n1", NOISE, "2 decibels by day", "3 decibels at night", aggregator="AND")


@pytest.mark.parametrize(
    ("other", "groups", "aggregator"),
    [
        (nugget("n2", NOISE, "3 decibels at night", "2 decibels by day", aggregator="AND"), 1,
         "AND"),
        (nugget("n2", NOISE, "2 decibels by day"), 1, "AND"),
        (nugget("n2", NOISE, "2 decibels by day", "4 at noon", aggregator="AND"), 2, "AND"),
        (nugget("n2", NOISE, "2 decibels by day", "3 decibels at night"), 2, "AND"),
        (nugget("n2", NOISE, "nothing"), 2, "AND"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_first", [True, False])
def test_a_nugget_never_requires_more_or_less_than_before(
    other: dict[str, Any], groups: int, aggregator: str, is_first: bool, argue_eval: Command
) -> None:
    bank("a.json", BOTH if is_first else other)
    bank("b.json", other if is_first else BOTH)
    ran = argue_eval("curate merge a.json b.json -o all.json")
    found = read("all.json")
    assert len(found) == groups
    assert ("not merged, since AND requires other answers" in ran.err) is (groups == 2)
    whole = found[0 if is_first else -1]
    assert whole["aggregator"] == aggregator
    assert sorted(texts(whole)) == ["2 decibels by day", "3 decibels at night"]


@pytest.mark.parametrize(
    ("given_", "importance", "proposed"),
    [
        (["vital", "vital"], "vital", None),
        (["vital", "okay"], None, "vital"),
        (["okay", None], None, "okay"),
        ([None, None], None, "vital"),
        ([None, "other question"], None, "okay"),
    ],
)
def test_importance_is_proposed_and_never_decided(
    given_: list[str | None], importance: str | None, proposed: str | None, argue_eval: Command
) -> None:
    first, second = given_
    bank("a.json", nugget("n1", FIRE, "1912", importance=first))
    if second == "other question":
        bank("b.json", nugget("n1", "Who ground the rye?", "nobody"))
    else:
        bank("b.json", nugget("n1", FIRE, "1912", importance=second))
    argue_eval("curate merge a.json b.json -o all.json")
    found = read("all.json")[0]
    assert found["importance"] == importance
    assert found.get("proposed", {}).get("importance") == proposed


def test_an_answer_beats_an_absence_and_is_reported(argue_eval: Command) -> None:
    bank("a.json", nugget("n1", FIRE))
    bank("b.json", nugget("n9", FIRE, "1912"))
    ran = argue_eval("curate merge a.json b.json -o all.json")
    assert texts(read("all.json")[0]) == ["1912"]
    assert "without an answer in one bank and with one in another, which counts: 't n1'" in ran.err


def test_one_question_with_other_answers_in_a_bank_stays_two_nuggets(argue_eval: Command) -> None:
    use = "What is fog water used for?"
    bank("a.json", nugget("n1", use, "drinking"), nugget("n2", use, "watering trees"))
    bank("b.json", nugget("n1", use, "watering trees", "washing"))
    argue_eval("curate merge a.json b.json -o all.json")
    assert originals(read("all.json")) == [["a.json:n1"], ["a.json:n2", "b.json:n1"]]


def test_ids_of_the_first_bank_stay_and_others_make_way(argue_eval: Command) -> None:
    bank("a.json", nugget("n1", FIRE, "1912"), nugget("n1-2", "Who had no insurance?", "he"))
    bank("b.json", nugget("n1", "What did the bakery sell on Sundays?", "rye"))
    argue_eval("curate merge a.json b.json -o all.json")
    assert [each["nugget_id"] for each in read("all.json")] == ["n1", "n1-2", "n1-2-2"]


def test_claims_are_merged_apart_from_questions(argue_eval: Command) -> None:
    said = "The mill burned down in 1912."
    bank("a.json", nugget("c1", None, (said, ["d1"])), nugget("n1", said, "yes"))
    bank("b.json", nugget("c9", None, ("In 1912 the mill burned down.", ["d2"])))
    argue_eval("curate merge a.json b.json -o all.json")
    found = read("all.json")
    assert originals(found) == [["a.json:c1", "b.json:c9"], ["a.json:n1"]]
    assert found[0]["answers"] == [{"answer": said, "doc_ids": ["d1", "d2"]}]


def test_a_bank_that_was_merged_before_keeps_its_first_originals(argue_eval: Command) -> None:
    for name, question in (("a", FIRE), ("b", FIRE_REWORDED), ("c", FIRE)):
        bank(f"{name}.json", nugget("n1", question, "1912"))
    argue_eval("curate merge a.json b.json -o ab.json")
    argue_eval("curate merge ab.json c.json -o abc.json")
    assert originals(read("abc.json")) == [["a.json:n1", "b.json:n1", "c.json:n1"]]
    lines = [json.loads(line) for line in Path("abc.json.history.jsonl").read_text().splitlines()]
    assert [line["new"]["number"] for line in lines] == [1, 2]
    assert lines[1]["sources"] == ["ab.json", "c.json"]


_SUBJECTS = ["mill", "fire", "rye", "oats", "bakery", "insurance", "loan"]
_WORDS = st.sampled_from([*_SUBJECTS, "1912", "1921", "not", "when", "who"])
_QUESTION = st.lists(_WORDS, min_size=1, max_size=6).map(lambda words: " ".join(words) + "?")
_BANK = st.lists(
    st.tuples(
        st.one_of(st.none(), _QUESTION),
        st.lists(_QUESTION, min_size=1, max_size=3, unique=True),
        st.booleans(),
    ),
    max_size=6,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_BANK, min_size=2, max_size=3))
def test_every_original_is_in_exactly_one_group(given_: list[Any]) -> None:
    expected = []
    for number, listed in enumerate(given_):
        made = []
        for place, (question, answers, is_all) in enumerate(listed):
            own = answers[:1] if question is None else answers
            how = "AND" if is_all else "OR"
            made.append(nugget(f"n{place}", question, *own, aggregator=how))
            expected.append(f"{number}.json:n{place}")
        bank(f"{number}.json", t=made)
    paths = " ".join(f"{number}.json" for number in range(len(given_)))
    assert app.run(f"curate merge {paths} -o all.json".split()) == 0
    merged = read("all.json")
    assert sorted(each for group in originals(merged) for each in group) == sorted(expected)
    assert len({each["nugget_id"] for each in merged}) == len(merged)


def test_a_model_groups_what_words_do_not(argue_eval: Command) -> None:
    bank("a.json", nugget("n1", FIRE, "1912"), nugget("n2", "Who owned it?", "he"))
    bank("b.json", nugget("n1", "In what year was the building destroyed?", "1912"))
    groups = {"groups": [{"point": "x", "numbers": [1, 3]}, {"point": "y", "numbers": [2]}]}
    command = "curate merge a.json b.json -o all.json --model m"
    ran, server = track.run(argue_eval, lambda received: says(json.dumps(groups)), command)
    assert ran.code == 0, ran.err
    assert originals(read("all.json")) == [["a.json:n1", "b.json:n1"], ["a.json:n2"]]
    assert read("all.json")[0]["question"] == FIRE
    assert "When did the mill in Ostmere burn down? [1912]" in server.received[0].prompt


def test_a_reply_that_loses_a_question_merges_nothing(argue_eval: Command) -> None:
    bank("a.json", nugget("n1", FIRE, "1912"))
    bank("b.json", nugget("n1", "In what year was the building destroyed?", "1912"))
    groups = {"groups": [{"point": "x", "numbers": [1]}]}
    command = "curate merge a.json b.json -o all.json --model m"
    ran, server = track.run(argue_eval, lambda received: says(json.dumps(groups)), command)
    assert (ran.code, len(server.received)) == (4, 2)
    assert "only equal questions are merged in topics" in ran.err
    assert originals(read("all.json")) == [["a.json:n1"], ["b.json:n1"]]


def test_a_packed_bank_and_standard_streams(
    argue_eval: Command, stdin: Callable[[bytes], None]
) -> None:
    bank("a.json", nugget("n1", FIRE, "1912"))
    Path("b.json.gz").write_bytes(gzip.compress(Path(bank("b.json", nugget("m", FIRE, "1912")))
                                                .read_bytes()))  # fmt: skip
    stdin(Path("a.json").read_bytes())
    value = argue_eval("curate merge - b.json.gz -o -").json
    assert originals(value["topics"][0]["nuggets"]) == [["-:n1", "b.json.gz:m"]]
    assert not list(Path().glob("*history*"))
    assert argue_eval("curate merge a.json b.json -o all.json.gz").code == 0
    assert argue_eval("ingest qrels all.json.gz").code == 0


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("a.json a.json -o all.json", "a bank is named twice"),
        ("a.json b.json -o a.json", "which is read"),
        ("a.json b.json -o nowhere/all.json", "there is no such folder"),
        ("a.json missing.json -o all.json", "missing.json"),
        ("a.json empty.json -o all.json", "empty"),
    ],
)
def test_mistakes_are_told_and_write_nothing(
    command: str, message: str, argue_eval: Command
) -> None:
    bank("a.json", nugget("n1", FIRE, "1912"))
    bank("b.json", nugget("n1", FIRE, "1912"))
    Path("empty.json").write_text("")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    ran = argue_eval(f"curate merge {command}")
    assert ran.code in (1, 2, 3)
    assert message in ran.err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_equal_banks_in_any_order_give_the_same_groups(argue_eval: Command) -> None:
    questions = [FIRE, FIRE_REWORDED, "Who owned the mill?"]
    for name in "abc":
        bank(f"{name}.json", *(nugget(f"n{at}", each, "x") for at, each in enumerate(questions)))
    found = set()
    for order in permutations("abc"):
        argue_eval(f"curate merge {' '.join(f'{each}.json' for each in order)} -o all.json")
        found.add(frozenset(frozenset(group) for group in originals(read("all.json"))))
        Path("all.json").unlink()
    assert len(found) == 1


def test_python_gives_what_the_command_writes(argue_eval: Command) -> None:
    bank("a.json", nugget("n1", FIRE, "1912"), nugget("n2", "Who owned it?", "he"))
    bank("b.json", nugget("n1", FIRE_REWORDED, "at night"))
    argue_eval("curate merge a.json b.json -o all.json")
    merged = ae.merge_nuggets({"a.json": "a.json", "b.json": ae.read_nuggets("b.json")})
    assert (merged.num_originals, merged.num_nuggets, merged.num_shared) == (3, 2, 1)
    assert str(ae.diff_nuggets(merged.topics, "all.json")) == "nothing changed"
    assert str(ae.diff_nuggets("a.json", "all.json")).startswith("answers added: 1")


@pytest.mark.parametrize(
    ("topics", "num_banks"), [({"u": [nugget("n1", "Who?", "Ann")]}, 2), ({}, 3)]
)
def test_files_of_a_folder_are_one_bank_if_no_topic_is_in_two(
    argue_eval: Command, topics: dict[str, Any], num_banks: int
) -> None:
    Path("banks").mkdir()
    fire = nugget("n1", FIRE, "1912")
    bank("banks/a.json", fire)
    bank("banks/b.json", *(() if topics else (fire,)), **topics)
    bank("c.json", fire)
    ran = argue_eval("curate merge banks c.json -o all.json")
    assert ran.code == 0, ran.err
    assert f"3 nuggets of {num_banks} banks: " in ran.err
    assert [each["question"] for each in read("all.json")] == [FIRE]


@pytest.mark.skipif(not REAL.is_dir(), reason="the RAGTIME runs and banks are not here")
def test_a_bank_of_real_runs_and_banks_is_made_in_time(argue_eval: Command) -> None:
    start = time.monotonic()
    paths = [str(REAL / f"T3_run_{number}.jsonl") for number in (1, 2)]
    runs = " ".join(str(REAL / f"T1_run_{number}.jsonl") for number in (1, 2))
    assert argue_eval(f"curate claims {runs} -o claims.json").code == 0
    assert argue_eval(f"curate merge {' '.join(paths)} claims.json -o all.json").code == 0
    assert time.monotonic() - start < 60
    value = json.loads(Path("all.json").read_text())
    group_of = {
        (topic["topic_id"], each["bank"], each["nugget_id"]): (topic["topic_id"], place)
        for topic in value["topics"]
        for place, nugget in enumerate(topic["nuggets"])
        for each in nugget["merged_from"]
    }
    claims = json.loads(Path("claims.json").read_text())
    num_claims = sum(len(topic["nuggets"]) for topic in claims["topics"])
    banks = [[json.loads(line) for line in Path(path).read_text().splitlines()] for path in paths]
    num_questions = sum(len(line["nugget_bank"]) for lines in banks for line in lines)
    assert len(group_of) == num_questions + num_claims
    with Path(__file__).with_name("shared_questions.tsv").open(newline="") as stream:
        pairs = list(csv.DictReader(stream, delimiter="\t"))
    names = [Path(path).name for path in paths]
    right = Counter(
        row["set"]
        for row in pairs
        if (
            group_of[row["topic_id"], names[0], row["first"]]
            == group_of[row["topic_id"], names[1], row["second"]]
        )
        is (row["is_same"] == "yes")
    )
    assert Counter(row["set"] for row in pairs) == {"drawn": 60, "reworded": 30}
    assert right["drawn"] >= 0.85 * 60
    assert right["reworded"] >= 12  # the words alone do not show more; a model does
