"""The flowchart, outcome by outcome."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from argue_eval.judgments.index import Found, Stored
from argue_eval.measures.protocols import Wanted
from argue_eval.measures.protocols.argue import (
    NEED_ANSWERS,
    NEED_OUTCOME,
    Argue,
    SentenceOutcome,
)
from argue_eval.records import Kind, ScoringOptions, Topic, Verdict
from tests.making import ALL_NEEDS, TOPIC, Fact, KnownFacts, argued, nugget, report

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
        (outcome,) = argued(NUGGETS, written, facts, ScoringOptions(reading=reading)).sentences
        assert outcome.outcome == expected, reading
        assert outcome.possible == (expected,)


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
    citing = [((end,), f"D{place}") for place, end in enumerate(ends)]
    assert _possible_of(citing, "all") == (sentence_all,)
    assert _possible_of(citing, "any") == (sentence_any,)
    assert _possible_of(citing, "micro") == ()


@pytest.mark.parametrize("mode", ["all", "any"])
def test_possible_outcomes_of_a_sentence_are_those_of_every_completion(mode: str) -> None:
    for first, second in product(_KNOWN_OF, repeat=2):
        completed = set()
        for ends in product(first, second):
            completed |= set(_possible_of([((ends[0],), "D0"), ((ends[1],), "D1")], mode))
        opened = _possible_of([(first, "D0"), (second, "D1")], mode)
        assert set(opened) == completed, (first, second)


_KNOWN_OF: dict[tuple[int, ...], dict[str, str]] = {
    # What is judged of a citation that can still end in these outcomes, and in no other.
    (1,): {"answers": "no", "support": "no"},
    (2,): {"answers": "no", "support": "yes"},
    (3,): {"answers": "yes"},
    (1, 2): {"answers": "no"},
    (1, 3): {"support": "no"},
    (2, 3): {"support": "yes"},
    (1, 2, 3): {},
}


def _possible_of(citing: Sequence[tuple[tuple[int, ...], str]], mode: str) -> tuple[int, ...]:
    """The possible outcomes of a sentence with citations that can end so."""
    facts: list[Fact] = []
    for ends, doc_id in citing:
        for kind, verdict in _KNOWN_OF[ends].items():
            is_answer = kind == "answers"
            facts.append((kind, "s", verdict, *((doc_id, "a") if is_answer else (doc_id,))))
    nuggets = [nugget(doc_id, ("a", [doc_id])) for _, doc_id in citing]
    written = report(("s", [doc_id for _, doc_id in citing]))
    (outcome,) = argued(nuggets, written, facts, ScoringOptions(citations=mode)).sentences
    return outcome.possible


def test_a_document_cited_twice_in_a_sentence_counts_once() -> None:
    found = argued(NUGGETS, report(("s", ["D7", "D7"])), [("support", "s", "yes", "D7")])
    assert len(found.sentences[0].citations) == 1


def _step(
    known: Found, cited: tuple[str, ...] = (), needs: tuple[str, ...] = ALL_NEEDS
) -> SentenceOutcome:
    argue = Argue(Topic(TOPIC, tuple(NUGGETS)), Wanted(needs=frozenset(needs)))
    (unit,) = argue.units(report(("s", cited)))
    return argue.step(unit, KnownFacts([known]))


def test_support_is_not_asked_where_a_nugget_is_answered_in_the_paper_reading() -> None:
    known: Found = {(Kind.ANSWERS, ("n1", "2010")): Stored(YES, "a")}
    outcome = _step(known, ("D1",), (NEED_OUTCOME,))
    assert (outcome.outcome, outcome.needs) == (3, ())


def test_answers_are_asked_before_support() -> None:
    outcome = _step({}, ("D1",), (NEED_OUTCOME,))
    assert [question.kind for question in outcome.needs] == [Kind.ANSWERS]
    assert outcome.possible == (1, 2, 3)


def test_an_uncited_sentence_is_asked_one_question_at_a_time() -> None:
    known: Found = {}
    asked = []
    while (outcome := _step(known)).needs:
        (question,) = outcome.needs
        asked.append(question.kind)
        verdict = Verdict.NO if question.kind is Kind.NEGATIVE else YES
        known[question.kind, ""] = Stored(verdict, "a")
    assert asked == [Kind.NEGATIVE, Kind.REQUIRES_CITATION, Kind.FIRST_INSTANCE]
    assert outcome.outcome == 5


def test_coverage_alone_asks_nothing_about_support() -> None:
    written = report(("s", ["D1"]), ("u", []))
    found = argued(NUGGETS[:1], written, needs=[NEED_ANSWERS])
    assert {q.kind for o in found.sentences for q in o.needs} == {Kind.ANSWERS}


def test_a_blank_sentence_claims_nothing() -> None:
    assert argued(NUGGETS, report((" ", []))).sentences[0].outcome == 4


def test_any_document_credits_an_answer_whatever_is_cited() -> None:
    facts = [("answers", "s", "yes", "n1", "2010"), ("answers", "s", "no", "n1", "2019")]
    options = ScoringOptions(attestation="any-document")
    found = argued(NUGGETS[:1], report(("s", ["D7"])), facts, options)
    assert found.nuggets[0].is_correct is True
    assert argued(NUGGETS[:1], report(("s", ["D7"])), facts).nuggets[0].is_correct is False


def test_an_and_nugget_needs_all_its_answers_over_the_whole_report() -> None:
    both = [nugget("n1", ("a", ["D1"]), ("b", ["D2"]), aggregator="AND")]
    yes = [("answers", "s", "yes", "n1", "a"), ("answers", "t", "yes", "n1", "b")]
    assert argued(both, report(("s", ["D1"])), yes).nuggets[0].is_correct is False
    found = argued(both, report(("s", ["D1"]), ("t", ["D2"])), yes)
    assert found.nuggets[0].is_correct is True
    assert found.nuggets[0].credited == ((0, "a"), (1, "b"))


def test_an_answer_is_credited_through_its_citation_even_if_the_sentence_is_penalised() -> None:
    facts = [
        ("answers", "s", "yes", "n1", "2010"),
        ("support", "s", "yes", "D1"),
        ("support", "s", "no", "D7"),
    ]
    found = argued(NUGGETS, report(("s", ["D1", "D7"])), facts)
    assert found.sentences[0].outcome == 1
    assert found.nuggets[0].is_correct is True


def test_in_the_strict_reading_an_unsupported_answer_earns_no_credit() -> None:
    facts = [("answers", "s", "yes", "n1", "2010"), ("support", "s", "no", "D1")]
    found = argued(NUGGETS, report(("s", ["D1"])), facts, ScoringOptions(reading="strict"))
    assert found.nuggets[0].is_correct is False
    assert found.nuggets_argue[0].is_correct is True


def test_what_depends_on_a_missing_judgment_is_unjudged() -> None:
    found = argued(NUGGETS, report(("s", ["D1"])), [("support", "s", "no", "D1")])
    assert found.sentences[0].outcome is None
    assert found.sentences[0].possible == (1, 3)
    assert found.nuggets[0].is_correct is None
