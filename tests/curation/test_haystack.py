"""``argue-eval curate haystack``: documents that hold what they should, and are cited for it."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from tests.chat_server import says
from tests.cli.conftest import Command
from tests.curation.haystack_server import (
    BROKEN,
    NUM_DOCUMENTS,
    NUM_INSIGHTS,
    NUM_SUBTOPICS,
    PER_DOCUMENT,
    REFUSAL,
    SPARE,
    Asked,
    HaystackServer,
    Plant,
    change_number,
    changed,
    first_times,
    insights,
    leak,
    leave_out,
    make_haystack,
)
from tests.curation.haystacks import (
    FIRST,
    HAYSTACK,
    answers,
    check_gold,
    proposed,
    read,
    run,
    texts,
    without_first,
)

pytestmark = pytest.mark.usefixtures("topics")


def test_a_haystack_is_as_large_as_wanted_and_its_documents_say_what_they_include(
    argue_eval: Command,
) -> None:
    server = HaystackServer()
    ran = run(argue_eval, server)
    assert ran.code == 0, ran.err
    haystack = read()
    assert [len(theme["insights"]) for theme in haystack["subtopics"]] == [
        NUM_INSIGHTS
    ] * NUM_SUBTOPICS
    assert len(haystack["documents"]) == NUM_DOCUMENTS
    assert {len(each["insights_included"]) for each in haystack["documents"]} == {PER_DOCUMENT}
    check_gold(haystack)
    uses = Counter(one for each in haystack["documents"] for one in each["insights_included"])
    assert {*uses.values()} <= {2, 3, 4}
    assert sum(uses.values()) == NUM_DOCUMENTS * PER_DOCUMENT
    assert Counter(each.step for each in server.asked) == {
        **{"subtopics": 1, "overlaps": 1, "insights": NUM_SUBTOPICS, "sort": 1, "dedupe": 1},
        **{"write": NUM_DOCUMENTS, "check": NUM_DOCUMENTS},
    }


@pytest.mark.parametrize("is_made", [True, False])
def test_what_is_written_is_what_scoring_reads(argue_eval: Command, is_made: bool) -> None:
    if is_made:
        run(argue_eval, HaystackServer())
    else:
        Path("haystack.json").write_text(json.dumps(make_haystack()))
    haystack = read()
    check_gold(haystack)
    nuggets = formats.read_nuggets("haystack.json")
    cited = {each.nugget_id: each.answers[0].doc_ids for topic in nuggets for each in topic.nuggets}
    for insight_id, doc_ids in cited.items():
        places = [
            str(place)
            for place, each in enumerate(haystack["documents"], 1)
            if insight_id in each["insights_included"]
        ]
        assert list(doc_ids) == places != []
    documents = [*formats.read_documents("haystack.json")]
    assert [each.text for each in documents] == [
        each["document_text"] for each in haystack["documents"]
    ]
    queries = [each.problem_statement for each in formats.read_topics("haystack.json")]
    assert queries[0] == "What do the neighbours say about the ferry?"
    with Path("run.jsonl").open("w") as stream:
        for topic in nuggets:
            bullets = [
                {"text": each.answers[0].answer, "citations": list(each.answers[0].doc_ids)}
                for each in topic.nuggets
            ]
            metadata = {"topic_id": topic.topic_id, "run_id": "perfect"}
            stream.write(json.dumps({"metadata": metadata, "responses": bullets}) + "\n")
    scored = argue_eval("score run.jsonl haystack.json --protocol summhay --judge lexical")
    assert scored.code == 0, scored.err
    values = dict(line.split("\tall\t") for line in scored.out.splitlines())
    assert {key.strip(): value for key, value in values.items()}["joint_score"] == "1.0000"


DEFECTS: list[tuple[Plant, str]] = [
    (leave_out(), "insight_missing"),
    (leave_out(until=3), "insight_missing"),
    (leak(FIRST), "insight_leaked"),
    (change_number(), "value_changed"),
    (changed(lambda text, _: text.replace("Elba", "Alba").replace("Okafor", "Okonjo")
             .replace("Sorrel", "Sorell")), "value_changed"),
    (changed(lambda text, _: "\n".join(text.split("\n")[:3])), "wrong_length"),
    (changed(lambda text, _: f"{text}\n{text}\n{text}"), "wrong_length"),
]  # fmt: skip


@pytest.mark.parametrize(("plant", "code"), DEFECTS)
def test_a_defect_is_found_and_mended(argue_eval: Command, plant: Plant, code: str) -> None:
    doc_id = without_first(argue_eval)
    before = read()
    server = HaystackServer({doc_id: plant})
    ran = run(argue_eval, server)
    assert ran.code == 0, ran.err
    assert f"mended: {code} 1" in ran.err
    haystack = read()
    assert haystack["topic_metadata"]["mended"] == {code: 1}
    assert haystack["topic_metadata"]["left_out"] == []
    assert haystack["documents"] == before["documents"]
    repairs = [each for each in server.asked if each.step == "repair"]
    assert {each.doc_id for each in repairs} == {doc_id}
    assert repairs[0].texts("defect")


STAYING: list[tuple[Plant, str]] = [
    (leave_out(until=99), "insight_missing"),
    (leak(FIRST, until=99), "insight_leaked"),
    (change_number(until=99), "value_changed"),
    (first_times(BROKEN, 99, ["write"]), "document_not_written"),
    (first_times(REFUSAL, 99, ["write"]), "document_not_written"),
    (first_times(REFUSAL, 99, ["check"]), "document_not_checked"),
    (first_times(says('{"found": [{"number": 99, "quote": "a b c"}]}'), 99, ["check"]),
     "document_not_checked"),
    (first_times(says('{"found": []}'), 99, ["check"]), "insight_missing"),
]  # fmt: skip


@pytest.mark.parametrize(("plant", "code"), STAYING)
def test_a_document_whose_defect_stays_is_left_out_and_reported(
    argue_eval: Command, plant: Plant, code: str
) -> None:
    doc_id = without_first(argue_eval)
    server = HaystackServer({doc_id: plant})
    ran = run(argue_eval, server)
    assert ran.code == 4, ran.err
    assert f"warning [{code}] document {doc_id} (left out)" in ran.err
    haystack = read()
    assert len(haystack["documents"]) == NUM_DOCUMENTS - 1
    assert doc_id not in [each["document_id"] for each in haystack["documents"]]
    check_gold(haystack)
    left_out = haystack["topic_metadata"]["left_out"]
    assert {(each["document_id"], each["code"]) for each in left_out} == {(doc_id, code)}
    assert sum(each.step == "repair" for each in server.asked) in (0, 5)


@pytest.mark.parametrize(
    ("plant", "code"),
    [
        # A model that finds what is not there, or quotes what the document does not say.
        (answers({"found": [{"number": 1, "quote": "nothing of the kind is here"}]}), 4),
        (answers({"found": [{"number": 1, "quote": "Ada:"}]}), 4),
    ],
)
def test_what_a_check_says_counts_only_with_a_quote_of_the_document(
    argue_eval: Command, plant: Plant, code: int
) -> None:
    ran = run(argue_eval, HaystackServer({"check": plant}))
    assert ran.code == code
    assert "no haystack was made: no document is as it should be" in ran.err
    assert not Path("haystack.json").exists()


def test_a_quote_that_is_not_in_the_document_is_asked_for_again(argue_eval: Command) -> None:
    server = HaystackServer()
    run(argue_eval, server)
    before = read()
    Path("haystack.json.replies.jsonl").unlink()

    def paraphrased(right: Any) -> Any:
        first, *others = right["found"]
        return {"found": [{**first, "quote": f"… {first['quote'][:9]} …"}, *others]}

    server = HaystackServer({"t-d003": proposed("check", paraphrased)})
    ran = run(argue_eval, server)
    assert ran.code == 0, ran.err
    assert "mended: none" in ran.err
    assert read()["documents"] == before["documents"]
    assert Counter(each.step for each in server.asked)["check"] == NUM_DOCUMENTS + 1


def test_a_repair_of_the_length_alone_spoils_nothing(argue_eval: Command) -> None:
    def short(text: str, asked: Asked) -> str:
        spoiled = "Hm." if asked.attempt else asked.texts("insight")[0]
        return "\n".join(text.split("\n")[:3]).replace(asked.texts("insight")[0], spoiled)

    ran = run(argue_eval, HaystackServer({"t-d003": changed(short, until=99)}))
    assert ran.code == 0, ran.err
    assert "warning [wrong_length] document t-d003: the document has" in ran.err
    assert "mended: none" in ran.err
    assert len(read()["documents"]) == NUM_DOCUMENTS
    check_gold(read())


def test_all_defects_at_once_are_each_found_and_mended_or_reported(argue_eval: Command) -> None:
    plants = {
        "t-d001": leave_out(),
        "t-d002": leak(SPARE),
        "t-d003": first_times(BROKEN, 1, ["write"]),
        "t-d004": first_times(REFUSAL, 1, ["write"]),
        "t-d005": change_number(),
        "t-d006": leave_out(until=99),
        "t-d007": leak(FIRST, until=99),
        "t-d008": leak(insights(2)[1]["insight"], until=99),
        "t-d009": leak(insights(3)[2]["insight"], until=99),
        "t-d010": change_number(until=99),
    }
    server = HaystackServer(plants)
    ran = run(argue_eval, server)
    assert ran.code == 4
    haystack = read()
    check_gold(haystack)
    kept = {each["document_id"] for each in haystack["documents"]}
    reported = {each["document_id"] for each in haystack["topic_metadata"]["left_out"]}
    assert kept | reported == {f"t-d{number:03}" for number in range(1, NUM_DOCUMENTS + 1)}
    assert not kept & reported
    assert {"t-d001", "t-d003", "t-d005", "t-d011", "t-d012"} <= kept
    assert {"t-d004", "t-d006", "t-d010"} <= reported
    assert haystack["topic_metadata"]["mended"]["value_changed"] == 1
    # The refused document, and nothing else, is asked for again: written, and checked.
    num_asked = len(server.asked)
    assert run(argue_eval, server).code == 4
    assert [(each.step, each.doc_id) for each in server.asked[num_asked:]] == [
        ("write", "t-d004"),
        ("check", "t-d004"),
    ]
    assert "t-d004" in {each["document_id"] for each in read()["documents"]}


def sloppy_writer(seed: int) -> Plant:
    """Leaves out, changes and adds insights, each in a tenth of the documents and repairs."""
    facts = [each["insight"] for place in range(1, NUM_SUBTOPICS + 1) for each in insights(place)]

    def plant(asked: Asked, right: str) -> Any:
        rng = random.Random(f"{seed}/{asked.lines}")
        text = json.loads(right)["document"]
        for insight in asked.texts("insight"):
            if rng.random() < 0.1:
                text = text.replace(insight, "Hm.")
            if rng.random() < 0.1:
                text = text.replace(insight, re.sub(r"\d+", "77", insight, count=1))
        if rng.random() < 0.1:
            text = f"{text}\nZoe: {rng.choice(facts)}"
        return says(json.dumps({"document": text}))

    return plant


def sloppy_checker(seed: int) -> Plant:
    """Overlooks a twentieth of the insights, and sees others where they are not."""

    def plant(asked: Asked, right: str) -> Any:
        rng = random.Random(f"{seed}/{asked.lines}")
        found = [each for each in json.loads(right)["found"] if rng.random() < 0.95]
        line = rng.choice(asked.texts("document")[0].split("\n"))
        if rng.random() < 0.2:
            number = rng.randint(1, NUM_SUBTOPICS * NUM_INSIGHTS)
            found.append({"number": number, "quote": line})
        return says(json.dumps({"found": found}))

    return plant


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_gold_citations_are_right_even_if_writer_and_checker_are_sloppy(
    argue_eval: Command, seed: int
) -> None:
    writer = sloppy_writer(seed)
    plants = {"write": writer, "repair": writer, "check": sloppy_checker(seed)}
    server = HaystackServer(plants)
    ran = run(argue_eval, server, f"{HAYSTACK} --documents 30")
    haystack = read()
    left_out = {each["document_id"] for each in haystack["topic_metadata"]["left_out"]}
    assert len(haystack["documents"]) + len(left_out) == 30
    assert ran.code == (4 if left_out else 0)
    # Most documents have a defect at first, or are said to have one; most come right.
    assert len({each.doc_id for each in server.asked if each.step == "repair"}) > 15
    assert len(haystack["documents"]) > 15
    check_gold(haystack)


def test_insights_that_no_document_says_any_more_are_left_out(argue_eval: Command) -> None:
    ids = [f"t-d{number:03}" for number in range(2, NUM_DOCUMENTS + 1)]
    server = HaystackServer(dict.fromkeys(ids, leave_out(until=99)))
    ran = run(argue_eval, server, f"{HAYSTACK} --all")
    assert ran.code == 4
    haystack = read()
    assert sorted(texts(haystack)) == sorted(haystack["documents"][0]["insights_included"])
    assert len(texts(haystack)) == PER_DOCUMENT
    assert ran.err.count("[insight_without_documents]") == NUM_SUBTOPICS * NUM_INSIGHTS - 3
    assert all(each.answers[0].doc_ids == ("1",) for topic in
               formats.read_nuggets("haystack.json") for each in topic.nuggets)  # fmt: skip
