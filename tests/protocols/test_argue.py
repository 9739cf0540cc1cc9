"""The flowchart, outcome by outcome."""

from __future__ import annotations

import pytest

from argue_eval.judgments.index import Found, Stored
from argue_eval.measures.protocols.argue import Chart, _combine, prepare, step
from argue_eval.records import (
    Citation,
    CitationOutcome,
    Kind,
    Need,
    ScoringOptions,
    Sentence,
    Verdict,
)
from tests.making import Fact, evidence, nugget, report

YES = Verdict.YES

NUGGETS = [nugget("n1", ("2010", ["D1"]), ("2019", ["D2"])), nugget("n9")]

ONE_SENTENCE = [
    # name, cited, judged, outcome as in the paper, outcome in the strict reading
    ("answers a nugget that the document attests", ["D1"],
     [("answers", "s", "yes", "n1", "2010"), ("support", "s", "yes", "D1")], 3, 3),
    ("answers it, but says more than the document", ["D1"],
     [("answers", "s", "yes", "n1", "2010"), ("support", "s", "no", "D1")], 3, 1),
    ("relevant document, other content, supported", ["D1"],
     [("answers", "s", "no", "n1", "2010"), ("support", "s", "yes", "D1")], 2, 2),
    ("relevant document, other content, unsupported", ["D1"],
     [("answers", "s", "no", "n1", "2010"), ("support", "s", "no", "D1")], 1, 1),
    ("answer attested by another document only", ["D1"],
     [("answers", "s", "yes", "n1", "2019"), ("answers", "s", "no", "n1", "2010"),
      ("support", "s", "yes", "D1")], 2, 2),
    ("document outside the nuggets, supported", ["D7"], [("support", "s", "yes", "D7")], 2, 2),
    ("document outside the nuggets, unsupported", ["D7"], [("support", "s", "no", "D7")], 1, 1),
    ("partial support is no support", ["D7"], [("support", "s", "partial", "D7")], 1, 1),
    ("assessor finds the document irrelevant", ["D1"],
     [("relevant", "", "no", "D1"), ("answers", "s", "yes", "n1", "2010"),
      ("support", "s", "yes", "D1")], 2, 2),
    ("needs no citation", [],
     [("negative", "s", "no"), ("requires_citation", "s", "no")], 4, 4),
    ("first claim without citation", [],
     [("negative", "s", "no"), ("requires_citation", "s", "yes"),
      ("first_instance", "0", "yes")], 5, 5),
    ("repeated claim without citation", [],
     [("negative", "s", "no"), ("requires_citation", "s", "yes"),
      ("first_instance", "0", "no")], 6, 6),
    ("negative assertion, nobody agrees", [],
     [("negative", "s", "yes"), ("agrees", "s", "no", "n9")], 7, 7),
    ("negative assertion, a nugget agrees", [],
     [("negative", "s", "yes"), ("agrees", "s", "yes", "n9")], 8, 8),
]  # fmt: skip


@pytest.mark.parametrize(
    ("cited", "facts", "argue", "strict"),
    [case[1:] for case in ONE_SENTENCE],
    ids=[case[0] for case in ONE_SENTENCE],
)
def test_every_way_through_the_chart_has_its_outcome(
    cited: list[str], facts: list[Fact], argue: int, strict: int
) -> None:
    written = report(("s", cited))
    for reading, expected in (("argue", argue), ("strict", strict)):
        found = evidence(NUGGETS, written, facts, ScoringOptions(reading=reading))
        assert found.outcomes[0].outcome == expected, reading
        assert found.outcomes[0].possible == (expected,)


@pytest.mark.parametrize(
    ("ends", "sentence_all", "sentence_any"),
    [
        ((3, 1), 1, 3),
        ((3, 2), 3, 3),
        ((2, 1), 1, 2),
        ((2, 2), 2, 2),
        ((1, 1), 1, 1),
        ((3, 2, 1), 1, 3),
    ],
)
def test_a_sentence_takes_its_outcome_from_its_citations(
    ends: tuple[int, ...], sentence_all: int, sentence_any: int
) -> None:
    citations = [CitationOutcome("D", end, (end,), True, None) for end in ends]
    assert _combine(citations, "all") == (sentence_all,)
    assert _combine(citations, "any") == (sentence_any,)
    assert _combine(citations, "micro") == ()


@pytest.mark.parametrize("mode", ["all", "any"])
def test_possible_outcomes_of_a_sentence_are_those_of_every_completion(mode: str) -> None:
    from itertools import combinations, product

    subsets = [c for size in (1, 2, 3) for c in combinations((1, 2, 3), size)]
    for first, second in product(subsets, repeat=2):
        opened = [CitationOutcome("D", None, ends, True, None) for ends in (first, second)]
        completed = set()
        for ends in product(first, second):
            closed = [CitationOutcome("D", end, (end,), True, None) for end in ends]
            completed |= set(_combine(closed, mode))
        assert set(_combine(opened, mode)) == completed, (first, second)


def test_a_document_cited_twice_in_a_sentence_counts_once() -> None:
    found = evidence(NUGGETS, report(("s", ["D7", "D7"])), [("support", "s", "yes", "D7")])
    assert len(found.outcomes[0].citations) == 1


def test_support_is_not_asked_where_a_nugget_is_answered_in_the_paper_reading() -> None:
    sentence = Sentence("s", (Citation("D1"),))
    known: Found = {(Kind.ANSWERS, ("n1", "2010")): Stored(YES, "a")}
    chart = Chart(needs=frozenset({Need.OUTCOME}))
    outcome = step(0, sentence, prepare(NUGGETS), known, chart)
    assert (outcome.outcome, outcome.needs) == (3, ())


def test_answers_are_asked_before_support() -> None:
    sentence = Sentence("s", (Citation("D1"),))
    chart = Chart(needs=frozenset({Need.OUTCOME}))
    outcome = step(0, sentence, prepare(NUGGETS), {}, chart)
    assert [question.kind for question in outcome.needs] == [Kind.ANSWERS]
    assert outcome.possible == (1, 2, 3)


def test_an_uncited_sentence_is_asked_one_question_at_a_time() -> None:
    sentence = Sentence("s")
    known: Found = {}
    asked = []
    while True:
        outcome = step(0, sentence, prepare(NUGGETS), known, Chart())
        if not outcome.needs:
            break
        (question,) = outcome.needs
        asked.append(question.kind)
        verdict = Verdict.NO if question.kind is Kind.NEGATIVE else YES
        known[question.kind, ""] = Stored(verdict, "a")
    assert asked == [Kind.NEGATIVE, Kind.REQUIRES_CITATION, Kind.FIRST_INSTANCE]
    assert outcome.outcome == 5


def test_coverage_alone_asks_nothing_about_support() -> None:
    written = report(("s", ["D1"]), ("u", []))
    found = evidence(NUGGETS[:1], written, needs=[Need.ANSWERS])
    assert {q.kind for o in found.outcomes for q in o.needs} == {Kind.ANSWERS}


def test_a_blank_sentence_claims_nothing() -> None:
    assert evidence(NUGGETS, report((" ", []))).outcomes[0].outcome == 4


def test_any_document_credits_an_answer_whatever_is_cited() -> None:
    facts = [("answers", "s", "yes", "n1", "2010"), ("answers", "s", "no", "n1", "2019")]
    options = ScoringOptions(attestation="any-document")
    found = evidence(NUGGETS[:1], report(("s", ["D7"])), facts, options)
    assert found.answered[0].is_correct is True
    assert evidence(NUGGETS[:1], report(("s", ["D7"])), facts).answered[0].is_correct is False


def test_an_and_nugget_needs_all_its_answers_over_the_whole_report() -> None:
    both = [nugget("n1", ("a", ["D1"]), ("b", ["D2"]), aggregator="AND")]
    yes = [("answers", "s", "yes", "n1", "a"), ("answers", "t", "yes", "n1", "b")]
    assert evidence(both, report(("s", ["D1"])), yes).answered[0].is_correct is False
    found = evidence(both, report(("s", ["D1"]), ("t", ["D2"])), yes)
    assert found.answered[0].is_correct is True
    assert found.answered[0].credited == ((0, "a"), (1, "b"))


def test_an_answer_is_credited_through_its_citation_even_if_the_sentence_is_penalised() -> None:
    facts = [
        ("answers", "s", "yes", "n1", "2010"),
        ("support", "s", "yes", "D1"),
        ("support", "s", "no", "D7"),
    ]
    found = evidence(NUGGETS, report(("s", ["D1", "D7"])), facts)
    assert found.outcomes[0].outcome == 1
    assert found.answered[0].is_correct is True


def test_in_the_strict_reading_an_unsupported_answer_earns_no_credit() -> None:
    facts = [("answers", "s", "yes", "n1", "2010"), ("support", "s", "no", "D1")]
    found = evidence(NUGGETS, report(("s", ["D1"])), facts, ScoringOptions(reading="strict"))
    assert found.answered[0].is_correct is False
    assert found.answered_argue[0].is_correct is True


def test_what_depends_on_a_missing_judgment_is_unjudged() -> None:
    found = evidence(NUGGETS, report(("s", ["D1"])), [("support", "s", "no", "D1")])
    assert found.outcomes[0].outcome is None
    assert found.outcomes[0].possible == (1, 3)
    assert found.answered[0].is_correct is None
