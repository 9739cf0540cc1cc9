"""Bounds hold, and are reached, over every way in which missing judgments could come out."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from argue_eval import measures
from argue_eval.measures.averages import measure_topic
from argue_eval.records import MeasureValue, ScoringOptions, TopicEvidence
from tests.making import Fact, check_bounds, evidence, nugget, report

NUGGETS = [
    nugget("n1", ("a", ["D1"]), ("b", ["D2"]), importance="vital"),
    nugget("n2", ("c", ["D1"]), ("d", ["D2"]), aggregator="AND", importance="okay"),
    nugget("n3"),
]
MAX_OPEN = 5
FAMILIES = measures.select(["argue", "auto_argue"])


@st.composite
def partly_judged(draw: st.DrawFn) -> tuple[list[tuple[str, list[str]]], list[Fact], list[Fact]]:
    """Sentences, the judgments that are known, and the questions that are open."""
    cited = st.lists(st.sampled_from(["D1", "D2", "D3"]), max_size=2, unique=True)
    sentences = [(f"s{i}", draw(cited)) for i in range(draw(st.integers(1, 3)))]
    questions: list[Fact] = []
    for index, (text, doc_ids) in enumerate(sentences):
        for doc_id in doc_ids:
            questions.append(("support", text, doc_id))
            for each in NUGGETS:
                questions += [
                    ("answers", text, each.nugget_id, answer.answer)
                    for answer in each.answers
                    if doc_id in answer.doc_ids
                ]
        if not doc_ids:
            questions += [("negative", text), ("agrees", text, "n3")]
            questions += [("requires_citation", text), ("first_instance", str(index))]
    is_open = [draw(st.booleans()) for _ in questions]
    opened = [q for q, flag in zip(questions, is_open, strict=True) if flag][:MAX_OPEN]
    known = [
        judged(question, draw(st.booleans())) for question in questions if question not in opened
    ]
    return sentences, known, opened


def judged(question: Fact, is_yes: bool) -> Fact:
    kind, sentence, *rest = question
    return (kind, sentence, "yes" if is_yes else "no", *rest)


def rows(found: TopicEvidence) -> dict[str, MeasureValue]:
    table: dict[str, MeasureValue] = {}
    for family in FAMILIES:
        bounds = family.module.tally(found)
        table |= {each.name: measure_topic(each, "t1", bounds) for each in family.measures}
    return table


JOINED = (
    [("s0", ["D1", "D2"])],
    [
        ("support", "s0", "yes", "D1"),
        ("support", "s0", "yes", "D2"),
        ("answers", "s0", "yes", "n1", "b"),
        ("answers", "s0", "yes", "n2", "c"),
        ("answers", "s0", "no", "n2", "d"),
    ],
    [("answers", "s0", "n1", "a")],
)
"""Both citations are rewarded; the missing answer decides whether they count as one."""


LOOSE = {"sentence_precision", "argue_f1", "argue_f1_weighted", "outcome_3"}
"""What may have a bound out of reach under macro and micro, where answers of a nugget may merge."""


@pytest.mark.parametrize("reading", ["argue", "strict"])
@pytest.mark.parametrize("citations", ["all", "any", "macro", "micro"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(JOINED)
@given(partly_judged())
def test_bounds_hold_over_all_completions(
    reading: str,
    citations: str,
    case: tuple[list[tuple[str, list[str]]], list[Fact], list[Fact]],
) -> None:
    sentences, known, opened = case
    options = ScoringOptions(reading=reading, citations=citations)
    written = report(*sentences)
    partial = rows(evidence(NUGGETS, written, known, options))
    completed = []
    for answers in product([True, False], repeat=len(opened)):
        facts = [*known, *map(judged, opened, answers)]
        found = rows(evidence(NUGGETS, written, facts, options))
        for name, row in found.items():
            assert row.lower == row.upper == (row.value or 0.0), name
        completed.append({name: row.lower for name, row in found.items()})
    check_bounds(partial, completed, LOOSE if citations in ("macro", "micro") else ())
