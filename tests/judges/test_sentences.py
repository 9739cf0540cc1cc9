from __future__ import annotations

import pytest

from argue_eval.records import ReportRequest
from tests.judges.asking import agrees, first, needs_citation, negative, outcome

COST = "How much did the Harwick bridge cost?"
REQUEST = ReportRequest(
    "t1",
    title="Harwick bridge",
    problem_statement="Explain how the Harwick bridge was built and what it cost.",
    background="I am a planner who wants to know the history of the bridge.",
)


@pytest.mark.parametrize(
    "sentence",
    [
        "No reports were found on the cost of the bridge.",
        "It is not known whether the bridge will reopen.",
        "The documents do not say who paid for it.",
        "The sources don't mention a date.",
        "The cause of the fire remains unclear.",
        "The cost has not been disclosed.",
        "No information is available on the toll.",
        "Nothing is known about its builder.",
        "The collection contains no documents about tolls.",
        "The number of visitors could not be determined.",
        "There is no evidence that the bridge was unsafe.",
        "No se sabe quién pagó el puente.",
        "Los documentos no mencionan el costo.",
        "Неизвестно, кто оплатил мост.",
        "Нет данных о стоимости моста.",
        "目前尚不清楚谁支付了费用。",
        "没有找到关于费用的报道。",
        "مشخص نیست چه کسی هزینه را پرداخت کرد.",
        "لا توجد معلومات عن تكلفة الجسر.",
        "Le coût du pont est inconnu.",
        "Es ist nicht bekannt, wer gezahlt hat.",
    ],
)
def test_saying_that_something_is_absent_or_unknown_is_a_negative_assertion(sentence: str) -> None:
    assert outcome(negative(sentence)) == "yes"


@pytest.mark.parametrize(
    "sentence",
    [
        "The bridge was not damaged.",
        "There were no casualties.",
        "The council did not approve the plan.",
        "The toll is no longer charged.",
        "An unknown donor paid for the bridge.",
        "Green algae are not found in salt water.",
        "The documents say who paid for the bridge.",
        "Мост не пострадал.",
        "大桥没有受损。",
        "El puente no sufrió daños.",
        "",
    ],
)
def test_plain_negation_is_not_a_negative_assertion(sentence: str) -> None:
    assert outcome(negative(sentence)) == "no"


def test_a_language_without_cue_words_is_left_unjudged() -> None:
    assert outcome(negative("橋の費用についての情報はありません。")) == "language without cue words"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("No information on the cost of the Harwick bridge was found.", "yes"),
        ("The documents do not say how much the bridge cost.", "yes"),
        ("No reports were found on who designed the bridge.", "no"),
        ("It is not known when the Harwick ferry was first run.", "no"),
        ("The Harwick bridge cost 5 million dollars.", "no"),
        ("", "no"),
    ],
)
def test_an_absence_nugget_agrees_only_about_what_it_asks_for(sentence: str, expected: str) -> None:
    assert outcome(agrees(COST, sentence)) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The bridge opened in 1998 and cost 5 million dollars.", "yes"),
        ("Engineers led by Ada Marsh chose steel cables.", "yes"),
        ("Traffic on the ferry fell sharply after the opening.", "yes"),
        ("This report explains how the Harwick bridge was built.", "no"),
        ("The history of the Harwick bridge and what it cost.", "no"),
        ("In summary, the bridge was a success.", "no"),
        ("The following section covers the cables.", "no"),
        ("Background", "no"),
        ("## Costs", "no"),
        ("**Cables**", "no"),
        ("The main points are:", "no"),
        ("What did the cables cost?", "no"),
        ("I think this is an interesting question.", "no"),
        ("Further research is needed.", "no"),
        ("本报告介绍大桥的历史。", "no"),
        ("Este informe describe la historia del puente.", "no"),
        ("", "no"),
        ("...", "no"),
    ],
)
def test_facts_require_a_citation_and_framing_does_not(sentence: str, expected: str) -> None:
    assert outcome(needs_citation(sentence, REQUEST)) == expected


def test_a_fact_requires_a_citation_without_a_request_too() -> None:
    assert outcome(needs_citation("The bridge opened in 1998.")) == "yes"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("In 1998, the bridge opened.", "no"),
        ("Ferry traffic dropped by 28%.", "no"),
        ("Ferry traffic fell by 35 percent after the opening.", "yes"),
        ("The mayor resigned.", "yes"),
        ("The bridge did not open in 1998.", "yes"),
        ("", "no"),
    ],
)
def test_a_claim_is_made_first_unless_an_earlier_sentence_makes_it(
    sentence: str, expected: str
) -> None:
    earlier = ("The bridge opened in 1998.", "Ferry traffic fell by 28 percent after the opening.")
    assert outcome(first(sentence, *earlier)) == expected


def test_the_first_sentence_of_a_report_makes_its_claim_first() -> None:
    assert outcome(first("The bridge opened in 1998.")) == "yes"


@pytest.mark.parametrize("number", [999, 1000, 1001, 1700, 2000])
@pytest.mark.parametrize(("distance", "expected"), [(1, "no"), (1000, "no"), (1001, "yes")])
def test_the_nearest_thousand_sentences_are_looked_at_wherever_they_begin(
    number: int, distance: int, expected: str
) -> None:
    earlier = [f"Traffic on ferry {place} fell." for place in range(number)]
    place = number - distance
    if place >= 0:
        earlier[place] = "The bridge opened in 1998."
    else:
        expected = "yes"
    assert outcome(first("In 1998, the bridge opened.", *earlier)) == expected
