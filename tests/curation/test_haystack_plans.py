"""Subtopics and insights of haystacks: what cannot be used is replaced, with the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import says
from tests.cli.conftest import Command
from tests.curation.haystack_server import (
    BROKEN,
    REFUSAL,
    Asked,
    HaystackServer,
    Plant,
    first_times,
)
from tests.curation.haystacks import FIRST, HAYSTACK, check_gold, proposed, read, run

pytestmark = pytest.mark.usefixtures("topics")

OTHER = {"name": "the library", "subtopic": "The neighbours talk about books that they lend.",
         "query": "What do the neighbours say about books?"}  # fmt: skip


def with_insight(text: str) -> Any:
    """Puts an insight in the place of the last one of a reply."""
    return lambda right: {"insights": [*right["insights"][:-1], {"name": "n", "insight": text}]}


PLANNING: list[tuple[dict[str, Plant], str, str]] = [
    ({"subtopics": proposed("subtopics", lambda right: {
        "subtopics": [*right["subtopics"][:2], OTHER]}),
      "overlaps": proposed("overlaps", {"overlaps": [{"numbers": [1, 3], "why": "lending"}]})},
     "subtopics", "it overlaps with \"the ferry\""),
    ({"insights": proposed("insights", with_insight("Somebody likes the sea."), subtopic="2")},
     "insights", "it names no number, date or name"),
    ({"insights": proposed("insights", with_insight(FIRST), subtopic="2")},
     "insights", f"it repeats {json.dumps(FIRST)}"),
    ({"sort": proposed("sort", lambda right: {"sorted": [
        {**each, "subtopic": each["subtopic"] % 3 + 1} if each["insight"] == 5 else each
        for each in right["sorted"]]})},
     "insights", "it belongs rather to the subtopic"),
    ({"dedupe": proposed("dedupe", lambda right: {"groups": [
        {"point": "p", "numbers": [1, 9]}, *[each for each in right["groups"]
                                             if each["numbers"][0] not in (1, 9)]]})},
     "insights", f"it repeats {json.dumps(FIRST)}"),
]  # fmt: skip


@pytest.mark.parametrize(("plants", "step", "reason"), PLANNING)
def test_what_is_no_subtopic_or_insight_is_asked_for_again_with_the_reason(
    argue_eval: Command, plants: dict[str, Plant], step: str, reason: str
) -> None:
    server = HaystackServer(plants)
    ran = run(argue_eval, server)
    assert ran.code == 0, ran.err
    haystack = read()
    assert [len(each["insights"]) for each in haystack["subtopics"]] == [4, 4, 4]
    assert len({each["insight_id"] for theme in haystack["subtopics"]
                for each in theme["insights"]}) == 12  # fmt: skip
    check_gold(haystack)
    again = [each for each in server.asked if each.step == step and "rejected" in dict(each.lines)]
    assert reason in dict(again[0].lines)["rejected"]
    assert again[0].texts("wanted") == ["1"]


def test_a_subtopic_without_enough_insights_is_left_out(argue_eval: Command) -> None:
    def two(asked: Asked, right: str) -> Any:
        if asked.texts("subtopic") != ["2"]:
            return None
        listed = json.loads(right)["insights"] if "rejected" not in dict(asked.lines) else []
        return says(json.dumps({"insights": [*listed[:2], {"name": "n", "insight": "Hm."}]}))

    server = HaystackServer({"insights": two})
    ran = run(argue_eval, server, HAYSTACK.replace("--insights 4", "--insights 6"))
    assert ran.code == 0, ran.err
    few = "warning [few_insights] topic t: the subtopic 'the"
    assert f"{few} ferry' has 4 insights of the 6 wanted\n" in ran.err
    assert f"{few} school' has 2 insights of the 6 wanted, and is left out\n" in ran.err
    assert "warning [few_subtopics] topic t: 2 subtopics of the 3 wanted" in ran.err
    assert [each["subtopic_name"] for each in read()["subtopics"]] == [
        "the ferry",
        "the power supply",
    ]
    check_gold(read())


@pytest.mark.parametrize(
    ("step", "reply"),
    [
        ("subtopics", BROKEN),
        ("subtopics", says('{"subtopics": [{"name": "", "subtopic": "s", "query": "q"}]}')),
        ("overlaps", says('{"overlaps": [{"numbers": [1, 9], "why": "w"}]}')),
        ("overlaps", says('{"overlaps": [{"numbers": ["a"], "why": "w"}]}')),
        ("overlaps", says('{"overlaps": [{"numbers": [1.0, 2.0], "why": "w"}]}')),
        ("insights", REFUSAL),
        ("sort", says('{"sorted": [{"insight": 1, "subtopic": 1, "name": "n"}]}')),
        ("dedupe", says('{"groups": []}')),
    ],
)
def test_without_usable_subtopics_and_insights_nothing_is_written_nor_paid_for(
    argue_eval: Command, step: str, reply: Any
) -> None:
    server = HaystackServer({step: first_times(reply, 99, [step])})
    ran = run(argue_eval, server)
    assert ran.code == 4
    assert "[haystack_not_made]" in ran.err
    assert not Path("haystack.json").exists()
    assert "write" not in {each.step for each in server.asked}
    del server.plants[step]
    assert run(argue_eval, server).code == 0
    check_gold(read())
