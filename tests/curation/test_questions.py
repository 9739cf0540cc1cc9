"""``argue-eval curate questions``, and what follows from them: a track like Long2RAG's."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

import argue_eval as ae
from argue_eval.cli import app
from tests.chat_server import Answer, ChatServer, says
from tests.cli.conftest import Command, Ran
from tests.curation import question_server as world
from tests.curation.haystack_server import REFUSAL
from tests.curation.question_server import (
    PER_PAIR,
    Plant,
    QuestionServer,
    old_name,
    place_of,
    planted,
)
from tests.curation.track import claims

OPTIONS = "".join(
    [f" --category {each}" for each in world.CATEGORIES]
    + [f" --domain {each}" for each in world.DOMAINS]
)
QUESTIONS = (
    f"curate questions seeds.jsonl --model m -o topics.jsonl --per-pair {PER_PAIR}{OPTIONS} "
    "--assessed assessed.jsonl"
)
RETRIEVE = "curate retrieve topics.jsonl --collection docs.jsonl --model m -o pooled.run"
KEY_POINTS = (
    "curate key-points topics.jsonl --collection docs.jsonl --retrieved pooled.run --model m "
    "-o points.json --left-out rest.json"
)
ANSWER = (
    "curate summarize topics.jsonl --collection docs.jsonl --retrieved pooled.run --model m "
    "-o run.jsonl"
)
SCORE = (
    "score run.jsonl points.json --protocol key-points --judge lexical --collection docs.jsonl "
    "--requests topics.jsonl --by category --by domain"
)
NUM_QUESTIONS = len(world.CATEGORIES) * len(world.DOMAINS) * PER_PAIR


@pytest.fixture(autouse=True)
def _files() -> None:
    world.write_seeds()
    world.write_collection()


def run(argue_eval: Command, command: str, *plants: Plant) -> tuple[Ran, QuestionServer]:
    server = QuestionServer(*plants)
    with ChatServer(server) as chat, chat.environment():
        return argue_eval(command), server


def topics(path: str = "topics.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


# --- from start to end ----------------------------------------------------------------------------


def test_seeds_become_scores(argue_eval: Command) -> None:
    repeated = json.dumps({"questions": [{"question": "What made Balmere collapse?"}]})
    plants = (
        planted("seeds", "canal", says('{"clear": tr')),
        planted("width", "causal law", REFUSAL),
        planted("width", "causal film", says(repeated)),
    )
    ran, server = run(argue_eval, QUESTIONS, *plants)
    assert ran.code == 4  # the model refused, and may not do so again
    assert "1 x the model refused" in ran.err
    ran, server = run(argue_eval, QUESTIONS)
    assert (ran.code, server.steps) == (0, {"width": 1, "same": 1}), ran.err
    found = topics()
    assert Counter((each["category"], each["domain"]) for each in found) == {
        (category, domain): PER_PAIR for category in world.CATEGORIES for domain in world.DOMAINS
    }
    assert len({place_of(each["problem_statement"]) for each in found}) == NUM_QUESTIONS
    assert "What made Balmere collapse?" not in {each["problem_statement"] for each in found}
    assert "1 repeat left out" in ran.err
    assert "s4" not in {each["seed"]["topic_id"] for each in found}

    ran, server = run(argue_eval, RETRIEVE)
    assert (ran.code, server.steps["parts"]) == (0, NUM_QUESTIONS), ran.err
    ranked = [line.split() for line in Path("pooled.run").read_text().splitlines()]
    assert {(topic, doc_id) for topic, _, doc_id, *_ in ranked} == {
        (each["topic_id"], f"{place_of(each['problem_statement'])}-{number}")
        for each in found for number in (0, 1)
    }  # fmt: skip
    assert {line[-1] for line in ranked} == {"bm25-pooled"}

    ran, server = run(argue_eval, KEY_POINTS, planted("filter", "Balmere", REFUSAL))
    assert (ran.code, "1 x the model refused" in "".join(ran.err)) == (4, True)
    ran, server = run(argue_eval, KEY_POINTS)
    assert (ran.code, server.steps) == (0, {"filter": 1}), ran.err
    for each in found:
        name = place_of(each["problem_statement"])
        owed = f"It is said: {world.facts(name)[1]}"
        assert claims()[each["topic_id"]] == [f"{name} lost its bridge.", owed]
        left_out = f"It is said: Visitors liked {old_name(name)}."
        assert claims("rest.json")[each["topic_id"]] == [left_out]

    ran, server = run(argue_eval, ANSWER)
    assert (ran.code, server.steps) == (0, {"answer": NUM_QUESTIONS}), ran.err
    (answers,) = ae.read_runs("run.jsonl")
    first = answers.reports[0]
    name = place_of(found[0]["problem_statement"])
    assert first.references == (f"{name}-0", f"{name}-1")
    assert [each.doc_id for each in first.sentences[0].citations] == [f"{name}-0"]
    assert first.run_id == "bm25-pooled_m"

    ran = argue_eval(SCORE)
    assert ran.code == 0, ran.err
    # One of two key points of each question is made, and a document that was shown has it.
    assert [ran.value(name) for name in ("kpr", "kpp", "kpf")] == ["0.5000", "1.0000", "0.6667"]
    assert ran.value("num_q[category=causal]") == ran.value("num_q[domain=law]") == "6"
    assert ran.value("kpr[domain=film]") == "0.5000"


def kill(words: list[str], server: ChatServer, random: Random) -> None:
    """Kills a command a while after it has made some requests, unless it ends before."""
    wanted = len(server.received) + random.randint(1, 3)
    command = [sys.executable, "-m", "argue_eval", *words]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=dict(os.environ))
    while len(server.received) < wanted and process.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.01)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=random.uniform(0, 0.03))
    process.kill()
    process.wait()


def test_a_track_that_is_killed_asks_nothing_twice(argue_eval: Command) -> None:
    random = Random(2410)
    server = QuestionServer(delay=0.02)
    outputs = {QUESTIONS: "topics.jsonl", RETRIEVE: "pooled.run", KEY_POINTS: "points.json",
               ANSWER: "run.jsonl"}  # fmt: skip
    num_kills = 0
    with ChatServer(server) as chat, chat.environment():
        for command, output in outputs.items():
            words = [*command.split(), "--concurrency", "1"]
            for _ in range(3):
                kill(words, chat, random)
                num_kills += 1
                assert not Path(output).exists()
            assert app.run(words) == 0
            lines = Path(f"{output}.replies.jsonl").read_text().splitlines()
            keys = [json.loads(line)["key"] for line in lines[1:] if line.endswith("}")]
            assert len(keys) == len({*keys})
    assert server.times.total() - len(server.times) <= num_kills  # those that were under way
    assert len(topics()) == NUM_QUESTIONS
    assert argue_eval(SCORE).value("kpr") == "0.5000"


# --- seeds ----------------------------------------------------------------------------------------


def test_every_seed_keeps_the_verdict_on_each_criterion(argue_eval: Command) -> None:
    ran, _ = run(argue_eval, QUESTIONS)
    assert ran.code == 0, ran.err
    seeds = {each["topic_id"]: each for each in topics("assessed.jsonl")}
    assert [*seeds] == [*world.SEEDS]
    assert [key for key, each in seeds.items() if not each["is_kept"]] == ["s4"]
    assert [key for key, is_met in seeds["s4"]["criteria"].items() if not is_met] == [
        "not_common_sense", "complex", "opinion"]  # fmt: skip
    assert seeds["s4"]["why"] == "One number answers it."
    assert (seeds["s3"]["category"], sum(seeds["s3"]["criteria"].values())) == ("comparative", 4)
    assert "4 of 5 seeds kept, 1 left out, 0 not assessed; 0 of no category" in ran.err
    assert "criteria that seeds do not meet: opinion 5, not_common_sense 1, complex 1" in ran.err


@pytest.mark.parametrize(
    ("more", "num_kept"), [("--criteria 5", 0), ("--criteria 2", 5), ("--criteria 3", 4)]
)
def test_the_number_of_criteria_decides_and_asks_nothing_again(
    argue_eval: Command, more: str, num_kept: int
) -> None:
    run(argue_eval, QUESTIONS)
    ran, server = run(argue_eval, f"{QUESTIONS} {more}")
    assert server.steps["seeds"] == 0
    assert f"{num_kept} of 5 seeds kept" in ran.err
    assert ran.code == (0 if num_kept else 4)
    assert ("no_seeds" in ran.err) is not num_kept


def test_a_category_that_a_seed_states_counts(argue_eval: Command) -> None:
    said = says(json.dumps({**world.GOOD, "category": "comparative", "why": "-"}))
    run(argue_eval, QUESTIONS, planted("seeds", "sailing", said))
    found = {each["topic_id"]: each["category"] for each in topics("assessed.jsonl")}
    assert found == {"s1": "causal", "s2": "causal", "s3": "comparative", "s4": "",
                     "s5": "comparative"}  # fmt: skip


def test_people_choose_among_assessed_seeds(argue_eval: Command) -> None:
    run(argue_eval, QUESTIONS)
    seeds = topics("assessed.jsonl")
    seeds[4]["category"] = "causal"  # s5; s1 is struck out
    Path("chosen.jsonl").write_text("".join(json.dumps(each) + "\n" for each in seeds[1:]))
    command = QUESTIONS.replace("seeds.jsonl", "chosen.jsonl").replace("assessed", "assessed2")
    ran, server = run(argue_eval, command.replace("--assessed2", "--assessed"))
    assert (ran.code, server.steps["seeds"]) == (0, 0), ran.err
    found = {(each["category"], each["seed"]["topic_id"]) for each in topics()}
    assert found == {("causal", "s2"), ("causal", "s5"), ("comparative", "s3")}


# --- questions ------------------------------------------------------------------------------------


def test_questions_say_where_they_come_from(argue_eval: Command) -> None:
    run(argue_eval, QUESTIONS)
    found = topics()
    first = found[0]
    assert {key: first[key] for key in ("topic_id", "category", "domain", "evolved")} == {
        "topic_id": "causal-film-1",
        "category": "causal",
        "domain": "film",
        "evolved": "depth",
    }
    assert first["seed"]["topic_id"] == "s1"
    assert first["seed"]["question"] == world.SEEDS["s1"][0]
    assert first["seed"]["criteria"]["opinion"] is False
    assert first["made_by"][0].startswith("questions/depth m/")
    ways = Counter(each["evolved"] for each in found)
    assert ways == {"depth": 6, "width": 6}
    assert {each["seed"]["topic_id"] for each in found} == {"s1", "s2", "s3", "s5"}
    assert argue_eval("ingest requests topics.jsonl").code == 0


def test_a_struck_out_line_is_a_question_less(argue_eval: Command) -> None:
    run(argue_eval, QUESTIONS)
    lines = Path("topics.jsonl").read_text().splitlines(keepends=True)
    Path("topics.jsonl").write_text("".join(lines[:1] + lines[2:]))
    ran, server = run(argue_eval, RETRIEVE)
    assert (ran.code, server.steps["parts"]) == (0, NUM_QUESTIONS - 1)


def test_what_is_missing_is_asked_for_with_what_is_there(argue_eval: Command) -> None:
    """In the first round all questions of a pair are one; two more rounds bring one each."""
    said = says(json.dumps({"questions": [{"question": "Why did Kelmere fail?"}]}))
    both = (planted(way, "causal film", said, 9) for way in ("depth", "width"))
    ran, server = run(argue_eval, QUESTIONS, *both)
    assert ran.code == 4
    assert "warning [few_questions] causal, film: 1 question of 3 wanted" in ran.err
    assert "6 repeats left out" in ran.err  # 2 of 3, then 2 of 2, and 2 of 2
    assert Counter(each["domain"] for each in topics()) == {"film": 4, "law": 6}
    # The law has what it needs after the first round; film is compared no more than it changes.
    assert server.steps["depth"] + server.steps["width"] == 12 + 2 + 2


def test_a_seed_is_no_question(argue_eval: Command) -> None:
    said = says(json.dumps({"questions": [{"question": "Why do small shops close?"}]}))
    ran, _ = run(argue_eval, QUESTIONS, planted("depth", "small shops", said, 2))
    assert "Why do small shops close?" not in {each["problem_statement"] for each in topics()}
    assert ran.code == 0, ran.err


def test_one_seed_makes_many_questions_in_both_ways(argue_eval: Command) -> None:
    Path("seeds.jsonl").write_text(Path("seeds.jsonl").read_text().splitlines()[0] + "\n")
    asked = []

    def many(step: str, about: Mapping[str, Any]) -> Answer | None:
        if step not in ("depth", "width"):
            return None
        wanted = int(dict(about["evolving"])["wanted"])
        names = [f"{beginning}mere" for beginning in ("Bal", "Cor", "Dun", "Fen", "Gar")]
        names = names[:wanted] if step == "depth" else names[-wanted:]
        asked.append((step, wanted))
        return says(json.dumps({"questions": [{"question": f"Why did {each} fail?"}
                                              for each in [*names, "Kelmere"]]}))  # fmt: skip

    command = "curate questions seeds.jsonl --model m -o topics.jsonl --category causal --domain x"
    ran, server = run(argue_eval, f"{command} --per-pair 5", many)
    assert ran.code == 0, ran.err
    assert sorted(asked) == [("depth", 3), ("width", 2)]
    assert len(topics()) == 5  # of more than was asked for, the first are taken
    assert server.steps["same"] == 1


def test_a_model_that_gives_fewer_than_wanted_is_asked_until_it_has_given_all(
    argue_eval: Command,
) -> None:
    Path("seeds.jsonl").write_text(Path("seeds.jsonl").read_text().splitlines()[0] + "\n")
    beginnings = ("Bal", "Cor", "Dun", "Fen", "Gar", "Hol", "Jor", "Kel")
    questions = iter([f"Why did {beginning}mere fail?" for beginning in beginnings])

    def one(step: str, about: Mapping[str, Any]) -> Answer | None:
        if step not in ("depth", "width"):
            return None
        return says(json.dumps({"questions": [{"question": next(questions)}]}))

    command = "curate questions seeds.jsonl --model m -o topics.jsonl --category causal --domain x"
    ran, server = run(argue_eval, f"{command} --per-pair 8", one)
    assert ran.code == 0, ran.err
    assert len(topics()) == 8
    assert server.steps["depth"] + server.steps["width"] == 8


def test_a_pair_without_any_reply_is_not_asked_again_at_once(argue_eval: Command) -> None:
    refused = (planted(way, "causal film", REFUSAL, 99) for way in ("depth", "width"))
    ran, server = run(argue_eval, QUESTIONS, *refused)
    assert (ran.code, server.steps["depth"] + server.steps["width"]) == (4, 12)
    assert "causal, film: 0 questions of 3 wanted" in ran.err


def test_questions_that_could_not_be_compared_are_named(argue_eval: Command) -> None:
    broken = planted("same", "mere", says('{"groups": []}'), 2)  # the film's
    ran, _ = run(argue_eval, QUESTIONS, broken)
    assert (ran.code, len(topics())) == (4, NUM_QUESTIONS)
    assert "[domain_not_compared] questions that may repeat each other, not compared: film" in (
        ran.err)  # fmt: skip
    ran, server = run(argue_eval, QUESTIONS)
    assert (ran.code, server.steps) == (0, {"same": 1})


# --- price and mistakes ---------------------------------------------------------------------------


def test_a_dry_run_names_the_calls_that_are_then_made(argue_eval: Command) -> None:
    Path("prices.toml").write_text('["m"]\nprompt = 1.0\nreply = 2.0\n')
    dry = f"{QUESTIONS} --dry-run --prices prices.toml"
    ran, server = run(argue_eval, dry)
    assert (ran.code, server.steps.total(), Path("topics.jsonl").exists()) == (0, 0, False)
    # Of 5 seeds, comparative is taken to get one, whose two ways make the 3 questions of a domain.
    best, worst = ran.out.splitlines()
    assert best.startswith("17 calls if each category has enough seeds, and no question")
    assert ", cost at most 0.0" in best
    assert int(worst.split()[0]) > 17
    assert " calls if nearly all do, in up to 20 rounds, about " in worst
    ran, server = run(argue_eval, f"{QUESTIONS} --max-calls 5")
    assert (ran.code, server.steps) == (4, {"seeds": 5})
    assert "calls without a usable reply: 12 (exit code 4)" in ran.err  # not again in each round
    ran, _ = run(argue_eval, dry)
    assert ran.out.startswith("14 calls")
    ran, server = run(argue_eval, QUESTIONS)
    assert (ran.code, server.steps) == (0, {"depth": 6, "width": 6, "same": 2})
    ran, _ = run(argue_eval, dry)
    assert [line.split()[0] for line in ran.out.splitlines()] == ["0", "0"]


@pytest.mark.parametrize(("number", "calls"), [(1, 2), (8, 24), (30, 61)])
def test_the_highest_price_is_that_of_as_many_rounds_as_there_may_be(
    argue_eval: Command, number: int, calls: int
) -> None:
    """All questions of a round are one. Of 30, each of the 20 rounds asks for some in two ways."""
    Path("seeds.jsonl").write_text(Path("seeds.jsonl").read_text().splitlines()[0] + "\n")
    rounds, numbers = itertools.count(), itertools.count()

    def alike(step: str, about: Mapping[str, Any]) -> Answer | None:
        if step in ("depth", "width"):
            texts = (f"Why {number:x}a {number:x}b?" for number in numbers)
            wanted = int(dict(about["evolving"])["wanted"])
            made = [{"question": text} for text in itertools.islice(texts, wanted)]
            return says(json.dumps({"questions": made}))
        if step != "same":
            return None
        old = next(rounds)
        groups = [[each] for each in range(1, old + 1)]
        groups.append([*range(old + 1, len(about["points"]) + 1)])
        named = [{"point": "-", "numbers": numbers} for numbers in groups]
        return says(json.dumps({"groups": named}))

    command = "curate questions seeds.jsonl --model m -o topics.jsonl --category causal --domain x"
    command += f" --per-pair {number}"
    dry, _ = run(argue_eval, f"{command} --dry-run")
    assert dry.out.splitlines()[1].startswith(f"{calls} calls if nearly all do, in up to 20 rounds")
    _, server = run(argue_eval, command, alike)
    assert server.steps.total() == calls


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        ("--domain film", 2, "domain 'film' is named twice"),
        ("--domain Film!", 2, "domain 'Film!' is named twice"),
        ("--category ?", 2, "category '?': expected a name with letters"),
        ("--per-pair 0", 2, "--per-pair"),
        ("--criteria 6", 2, "--criteria"),
        ("--assessed topics.jsonl", 2, "name the same file"),
        ("--assessed no/such.jsonl", 3, "there is no such folder"),
        ("--replies seeds.jsonl", 2, "seeds.jsonl"),
    ],
)
def test_mistakes_are_reported_before_anything_is_asked(
    argue_eval: Command, more: str, code: int, message: str
) -> None:
    command = f"curate questions seeds.jsonl --model m -o topics.jsonl{OPTIONS} {more}"
    ran, server = run(argue_eval, command)
    assert (ran.code, server.steps.total()) == (code, 0), ran.err
    assert message in ran.err
    assert not Path("topics.jsonl").exists()


def test_seeds_without_a_question_and_none_at_all(argue_eval: Command) -> None:
    Path("seeds.jsonl").write_text('{"topic_id": "s1", "title": " "}\n')
    ran, server = run(argue_eval, QUESTIONS)
    assert (ran.code, server.steps.total()) == (1, 0)
    assert "seed s1 has no text" in ran.err
    Path("seeds.jsonl").write_text("")
    ran, _ = run(argue_eval, QUESTIONS)
    assert ran.code == 1, ran.err


def test_one_name_in_place_of_a_list_is_refused() -> None:
    with pytest.raises(ae.UsageError, match="expected a list of names, found the domain 'law'"):
        ae.make_questions([], "m", "replies.jsonl", ae.QuestionOptions(domains="law"))


def test_in_python(argue_eval: Command) -> None:
    options = ae.QuestionOptions(world.CATEGORIES, world.DOMAINS, PER_PAIR)
    server = QuestionServer(planted("width", "causal law", REFUSAL))
    with ChatServer(server) as chat, chat.environment():
        found = ae.make_questions("seeds.jsonl", "m", "replies.jsonl", options)
        again = ae.make_questions(ae.read_topics("seeds.jsonl"), "m", "replies.jsonl", options)
    assert found.unanswered == ["the model refused: 'I cannot write that.'"]
    assert (len(found.requests), again.unanswered) == (NUM_QUESTIONS, [])
    assert [each.is_kept for each in again.seeds] == [True, True, True, False, True]
    run(argue_eval, QUESTIONS)
    assert [each.problem_statement for each in again.requests] == [
        each["problem_statement"] for each in topics()
    ]
