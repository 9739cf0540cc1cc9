"""The experiment of "Summary of a Haystack" by commands: retrieve, summarize, score, tabulate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from tests.chat_server import ChatServer
from tests.cli.conftest import Command
from tests.curation import pottery
from tests.curation.haystack_server import (
    BROKEN,
    REFUSAL,
    SHAPE,
    TOPIC,
    HaystackServer,
    change_number,
    first_times,
    insights,
    leak,
    leave_out,
)
from tests.curation.pottery import INSIGHTS, copying, subtopics

RETRIEVERS = {"oracle": "oracle", "keyword": "bm25", "random": "random"}
ORDERS = {"top": "fl-ctxt-sort", "bottom": "fl-ctxt-rev-sort", "random": "full"}
BUDGET = 130
NUM_READ = 6


@pytest.fixture(autouse=True)
def haystack(folder: Path) -> None:
    """The haystack, without summaries."""
    pottery.write(Path("hay.json"))


def retrieve(argue_eval: Command, *ways: str) -> None:
    for by in ways or (*RETRIEVERS, "full"):
        assert argue_eval(f"curate retrieve hay.json --by {by} -o {by}.run").code == 0


def summarize(by: str, order: str = "", output: str = "", budget: int = BUDGET) -> str:
    how = f"--order {order}" if order else f"--budget {budget}"
    return f"curate summarize hay.json --retrieved {by}.run {how} --model m -o {output or by}.jsonl"


def ranking(by: str, topic_id: str) -> list[str]:
    rows = [line.split() for line in Path(f"{by}.run").read_text().splitlines()]
    ranked = sorted((int(row[3]), row[2]) for row in rows if row[0] == topic_id)
    return [doc_id for _, doc_id in ranked]


def by_hand(shown: dict[str, Sequence[str]]) -> dict[str, float]:
    """The scores of a summarizer that copies every insight which it sees in these documents."""
    credits, f1s, joints = [], [], []
    documents = json.loads(Path("hay.json").read_text("utf-8"))["documents"]
    for subtopic in subtopics():
        for insight in subtopic["insights"]:
            holding = {
                str(number)
                for number, document in enumerate(documents, 1)
                if insight["insight_id"] in document["insights_included"]
            }
            seen = holding.intersection(shown[subtopic["subtopic_id"]])
            recall = len(seen) / len(holding)
            f1 = 2 * recall / (1 + recall)  # the precision is 1: it cites only where it saw it
            credits.append(1.0 if seen else 0.0)
            joints.append(f1)
            f1s += [f1] if seen else []
    found = {"coverage": fmean(credits), "joint_score": fmean(joints)}
    return found | ({"citation_score": fmean(f1s)} if f1s else {})


def check_retrievers(found: dict[str, Any], num_shown: int) -> dict[str, dict[str, float]]:
    """The cells of a table, after a comparison with what was retrieved."""
    cells = {each["retriever"]: each for each in found["cells"]}
    columns = {"random": "Rand", "keyword": "bm25", "oracle": "Orac"}
    for by, column in columns.items():
        topic_ids = [each["subtopic_id"] for each in subtopics()]
        expected = by_hand({name: ranking(by, name)[:num_shown] for name in topic_ids})
        assert {name: cells[column][name] for name in expected} == pytest.approx(expected)
    scores = [cells[column]["citation_score"] for column in columns.values()]
    assert scores == sorted(set(scores))
    return cells


def test_the_experiment_of_the_paper_runs_by_commands(argue_eval: Command) -> None:
    retrieve(argue_eval)
    with ChatServer(copying()) as server, server.environment():
        for by in RETRIEVERS:
            assert argue_eval(summarize(by)).code == 0
    with ChatServer(copying(lambda shown: shown[:NUM_READ])) as server, server.environment():
        for order in ORDERS:
            assert argue_eval(summarize("full", order, order + "-full")).code == 0
    runs = [*(f"{by}.jsonl" for by in RETRIEVERS), *(f"{order}-full.jsonl" for order in ORDERS)]
    scoring = ["--protocol", "summhay", "--judge", "lexical"]
    assert argue_eval("score", *runs, "hay.json", *scoring, "-o", "scores").code == 0
    found = argue_eval("summhay table scores --average insights --format json").json

    assert {each["summarizer"] for each in found["cells"]} == {"m"}
    cells = check_retrievers(found, num_shown=4)
    assert cells["Orac"]["citation_score"] == pytest.approx((1 + 1 + 0.8) / 3)
    assert cells["bm25"]["citation_score"] == pytest.approx((1 + 2 / 3 + 1 / 2) / 3)

    # The summarizer reads the first half. The random order is one for all subtopics.
    (position,) = found["positions"]
    first = shown_in("random-full.jsonl")["kiln"][:NUM_READ]
    at_random = by_hand(dict.fromkeys(INSIGHTS, first))["joint_score"]
    joint = {"Top": 1.0, "Bottom": 0.0, "Random": at_random}
    assert position["joint_score"] == pytest.approx(joint)
    assert position["sensitivity"] == pytest.approx(max(at_random, 1 - at_random))
    assert cells["Full"]["joint_score"] == pytest.approx(at_random)


def test_a_topic_becomes_a_table_though_the_model_errs(argue_eval: Command) -> None:
    Path("topics.jsonl").write_text(json.dumps(TOPIC) + "\n")
    first = insights(1)[0]["insight"]
    plants = {
        "t-d002": leak(first),
        "t-d004": leave_out(),
        "t-d005": change_number(),
        "t-d007": first_times(BROKEN, 1, ["write"]),
        "t-d009": first_times(REFUSAL, 1, ["write"]),
    }
    server = HaystackServer(plants, other=copying())
    with ChatServer(server) as chat, chat.environment():
        made = argue_eval(f"curate haystack topics.jsonl --model m -o hay.json {SHAPE}")
        while made.code == 4:  # the model refused
            made = argue_eval(f"curate haystack topics.jsonl --model m -o hay.json {SHAPE}")
        assert made.code == 0, made.err
        retrieve(argue_eval)
        for by in RETRIEVERS:
            ran = argue_eval(summarize(by, budget=970))
            assert (ran.code, "each with 6 of 12 documents" in ran.err) == (0, True), ran.err
        assert argue_eval(summarize("full", "random")).code == 0
    mended = "mended: insight_leaked 1, insight_missing 1, value_changed 1"
    assert mended in made.err
    runs = [f"{by}.jsonl" for by in (*RETRIEVERS, "full")]
    scoring = ["--protocol", "summhay", "--judge", "lexical"]
    assert argue_eval("score", *runs, "hay.json", *scoring, "-o", "scores").code == 0
    table = argue_eval("summhay table scores --average insights --format json")
    cells = check_retrievers(table.json, num_shown=6)
    assert cells["Full"]["joint_score"] == pytest.approx(1.0)


def shown_in(path: str) -> dict[str, list[str]]:
    """By topic, the documents that a run says to have been shown."""
    abouts = [json.loads(line)["metadata"] for line in Path(path).read_text().splitlines()]
    return {about["topic_id"]: about["shown"] for about in abouts}


def test_a_run_says_how_it_was_made(argue_eval: Command) -> None:
    retrieve(argue_eval, "oracle", "full")
    with ChatServer(copying()) as server, server.environment():
        ran = argue_eval(summarize("oracle") + " --order bottom --name my_model")
        assert argue_eval(summarize("full", "random")).code == 0
    assert "retriever oracle, AP 1.0000, nDCG@10 1.0000; order bottom" in ran.err
    assert "3 of 3 subtopics, each with 4 of 12 documents, at most 120 tokens" in ran.err
    assert "3 summaries, 9 bullets (9 insights), 21 citations" in ran.err
    first = json.loads(Path("oracle.jsonl").read_text().splitlines()[0])
    assert first["metadata"] == {
        "team_id": "",
        "run_id": "oracle_my-model-bottom",
        "topic_id": "kiln",
        "summarizer": "my_model",
        "retriever": "oracle",
        "order": "bottom",
        "budget": BUDGET,
        "shown": ["4", "3", "2", "1"],
        "made_by": first["metadata"]["made_by"],
    }
    assert first["metadata"]["made_by"].startswith("summarize m/")
    assert [each["citations"] for each in first["responses"]] == [
        ["4", "2", "1"], ["3", "1"], ["3", "2"]]  # fmt: skip
    orders = shown_in("full.jsonl")
    assert len({tuple(each) for each in orders.values()}) == 1
    assert sorted(orders["kiln"], key=int) == [str(number + 1) for number in range(12)]
    assert orders["kiln"] != sorted(orders["kiln"], key=int)


def test_a_run_scores_as_the_same_summaries_in_the_haystack_do(argue_eval: Command) -> None:
    retrieve(argue_eval, "oracle")
    written: dict[str, list[str]] = {}

    def script(received: Any) -> Any:
        answer = copying()(received)
        content = json.loads(json.loads(answer.body)["choices"][0]["message"]["content"])
        written[pottery.asked(received)] = [each.removeprefix("- ") for each in content["bullets"]]
        return answer

    with ChatServer(script) as server, server.environment():
        assert argue_eval(summarize("oracle")).code == 0
    value = json.loads(Path("hay.json").read_text())
    for subtopic in value["subtopics"]:
        subtopic["summaries"] = {"oracle_m": written[subtopic["subtopic_id"]]}
    Path("told.json").write_text(json.dumps(value))
    how = "--protocol summhay --judge lexical -q -m summhay"
    ran, told = (argue_eval(f"score {run} hay.json {how}") for run in ("oracle.jsonl", "told.json"))
    assert ran.code == told.code == 0
    assert ran.out == told.out
    assert "words_per_bullet" in ran.out


def test_a_dry_run_asks_nothing_and_names_the_price(argue_eval: Command) -> None:
    retrieve(argue_eval, "oracle")
    Path("prices.toml").write_text('["m"]\nprompt = 1.0\nreply = 2.0\n')
    with ChatServer(copying()) as server, server.environment():
        ran = argue_eval(summarize("oracle") + " --dry-run --prices prices.toml")
        assert not server.received
        assert not Path("oracle.jsonl").exists()
        done = argue_eval(summarize("oracle"))
        again = argue_eval(summarize("oracle") + " --dry-run --prices prices.toml")
    assert ran.out.startswith("3 calls, about ")
    assert ", cost at most 0.02" in ran.out  # 3 x 4,096 tokens at 2.0, and the prompts
    assert done.code == 0
    assert again.out.startswith("0 calls, about 0 tokens in")
