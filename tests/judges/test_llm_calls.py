"""Which asks go into one call, in which order, and that nothing is lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from argue_eval.judges.llm.delimiters import Delimiters
from argue_eval.judges.llm.votes import Ballots
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.judges.llm import calls as grouping
from argue_eval.judges.llm.calls import Call, calls_of, refused
from argue_eval.records import Ask, Judgment, Kind, ReportRequest, Verdict
from argue_eval.text.passages import num_tokens, passages
from tests.judges.asking import agrees, answers, covers, first, needs_citation, negative, support

REQUEST = ReportRequest("t1", "The mill", "Tell the mill's history.", "I write a book.")
REPORT = ("The mill is old.", "It burned down.", "Nobody knows why.", "It burned down.")


def asked(calls: Sequence[Call]) -> list[int]:
    indexes = (item.ask_index for call in calls for item in call.items)
    return sorted({index for index in indexes if index is not None})


def uncited(report: Sequence[str], places: Sequence[int]) -> list[Ask]:
    """The questions about sentences without citation."""
    asks = []
    for place in places:
        asks.append(negative(report[place]))
        asks.append(needs_citation(report[place]))
        asks.append(first(report[place], *report[:place]))
    return asks


def test_all_answers_for_a_sentence_go_into_one_call_with_each_question_once() -> None:
    asks = [answers(f"Question {n // 3}?", f"answer {n}", "A sentence.") for n in range(30)]
    (call,) = calls_of(asks)
    assert [item.ask_index for item in call.items] == list(range(30))
    nuggets = call.shared[1]
    assert (nuggets.name, call.own.name) == ("nuggets", "sentence")
    assert sum(line.startswith("question: ") for line in nuggets.lines) == 10
    assert nuggets.lines[:3] == ('question: "Question 0?"', '1: "answer 0"', '2: "answer 1"')


def test_claims_and_absence_nuggets_go_into_calls_of_their_own() -> None:
    asks = [covers("One.", "S."), covers("Two.", "S."), agrees("Q?", "S."), agrees("R?", "S.")]
    assert [(call.task, len(call.items)) for call in calls_of(asks)] == [
        ("covers", 2),
        ("agrees", 2),
    ]


def test_all_sentences_that_cite_a_document_go_into_one_call() -> None:
    asks = [support(f"Sentence {n}.", f"Document {n % 2}.") for n in range(8)]
    calls = calls_of(asks)
    assert [len(call.items) for call in calls] == [4, 4]
    assert calls[0].shared[0].lines == ('text: "Document 0."',)


def test_the_questions_about_a_report_go_into_one_call_which_shows_it_in_its_order() -> None:
    asks = uncited(REPORT, [1, 3])
    (call,) = calls_of(asks)
    assert call.own.lines == tuple(f'{n}: "{text}"' for n, text in enumerate(REPORT, 1))
    # Equal sentences are one question, which is asked at the first of them.
    labels = ["negative_2", "citation_2", "first_2", "first_4"]
    assert list(dict.fromkeys(item.label for item in call.items)) == labels


def test_reports_are_told_apart_by_their_sentences() -> None:
    other = ("The mill is new.", "It burned down.")
    calls = calls_of([*uncited(REPORT, [2]), *uncited(other, [1])])
    assert [len(call.items) for call in calls] == [3, 3]
    assert {len(call.own.lines) for call in calls} == {3, 2}


def test_sentences_of_no_known_report_are_asked_together() -> None:
    (call,) = calls_of([negative("One."), negative("Two."), needs_citation("Two.")])
    assert [item.label for item in call.items] == ["negative_1", "negative_2", "citation_2"]


def test_calls_whose_prompts_begin_alike_follow_each_other() -> None:
    banks = [[answers("Q?", f"{bank}{n}", "") for n in range(3)] for bank in "ab"]
    asks = []
    for number in range(6):
        sentence = f"Sentence {number}."
        asks += [ask._replace(sentence=sentence) for ask in banks[number % 2]]
    shared = [call.shared for call in calls_of(asks)]
    assert len(shared) == 6
    assert sum(one != other for one, other in pairwise(shared)) == 1


def test_requests_stand_before_everything_else_and_topics_are_kept_apart() -> None:
    ask = answers("Q?", "a", "S.")._replace(request=REQUEST)
    other = ask._replace(topic_id="t2", request=REQUEST._replace(topic_id="t2", title="Another"))
    calls = calls_of([ask, other])
    assert len(calls) == 2
    assert calls[1].shared[0].lines == (
        'title: "The mill"',
        'problem statement: "Tell the mill\'s history."',
        'background: "I write a book."',
    )


def test_one_ask_a_call_shows_what_that_ask_is_about_alone() -> None:
    asks = [
        *uncited(REPORT, [1]),
        answers("Q?", "a", "S."),
        answers("Q?", "b", "S."),
        support("S.", "D."),
        support("T.", "D."),
    ]
    calls = calls_of(asks, is_single=True)
    assert sorted(item.ask_index or 0 for call in calls for item in call.items) == list(range(7))
    assert all(len(call.items) == 1 for call in calls)
    shown = {call.items[0].label: call.own.lines for call in calls if call.task == "sentences"}
    assert shown["negative_1"] == ('1: "It burned down."',)
    assert shown["first_2"] == ('1: "The mill is old."', '2: "It burned down."')


def test_long_lists_are_split_and_nothing_is_lost() -> None:
    asks = [answers(f"Q{n}?", "word " * 100, "S.") for n in range(90)]
    calls = calls_of(asks)
    assert len(calls) > 3
    assert asked(calls) == list(range(90))
    assert all(call.items[0].label == "1" for call in calls)
    assert all(
        sum(map(num_tokens, call.shared[1].lines)) < 1.1 * grouping.LIST_TOKENS for call in calls
    )


def test_long_documents_are_asked_about_passage_by_passage() -> None:
    text = " ".join(f"Sentence number {n} of a long document." for n in range(2500))
    calls = calls_of([support("S.", text, "Title"), support("T.", text, "Title")])
    assert len(calls) > 4
    assert all(len(call.items) == 2 for call in calls)
    assert all(call.shared[0].lines[0] == 'title: "Title"' for call in calls)
    shown = " ".join(call.shared[0].lines[1] for call in calls)
    assert all(f"number {n} of" in shown for n in range(2500))


def test_a_long_report_is_asked_about_stretch_by_stretch() -> None:
    report = tuple(f"Sentence {n}: " + "word " * 60 for n in range(100))
    asks = uncited(report, [0, 50, 99])
    calls = calls_of(asks)
    counts = Counter(item.ask_index for call in calls for item in call.items)
    # Negative assertion and citation are asked once, first instance against every stretch before.
    assert [counts[index] for index in range(9)] == [1, 1, 1, 1, 1, 3, 1, 1, 6]
    shown = {line for call in calls for line in call.own.lines if "first_100" in _labels(call)}
    assert len(shown) == 100
    assert all(sum(map(num_tokens, call.own.lines)) < 1.3 * grouping.LIST_TOKENS for call in calls)


def _labels(call: Call) -> set[str]:
    return {item.label for item in call.items}


def test_what_is_too_long_for_any_call_is_refused_and_told() -> None:
    long = "word " * 3000
    asks = [
        negative(long),
        covers(long, "S."),
        first("S.", "short", long),
        negative("S.")._replace(request=REQUEST._replace(background=long)),
        support("S.", "D.", long),
        Ask(Kind.RELEVANT, "t1"),
    ]
    assert calls_of(asks) == []
    assert [each.reason.partition(":")[0] for each in refused(asks)] == [
        "the sentence is too long",
        "the nugget is too long",
        "the longest sentence before it is too long",
        "the report request is too long",
        "the title of the document is too long",
        "not a kind that this judge answers",
    ]


def test_hidden_characters_cannot_make_a_call_longer_than_allowed() -> None:
    """Written out, one of them takes eight characters."""
    hidden = "\u200b" * 3000
    assert refused([negative(hidden)])
    calls = calls_of([support("S.", hidden * 4)])
    sizes = [num_tokens(call.shared[0].lines[-1]) for call in calls]
    assert max(sizes) < 1.1 * grouping.PASSAGE_TOKENS


def _said(asks: Sequence[Ask], verdicts: Sequence[str]) -> str:
    """Returns what comes of the verdicts of an ask's calls, in their order."""
    calls = calls_of(asks)
    assert len(calls) == len(verdicts)
    ballots = Ballots(asks, calls, 1, "llm@1")
    known = {verdict.value: verdict for verdict in Verdict}
    found = []
    for call, word in zip(calls, verdicts, strict=True):
        votes = {item.label: known.get(word, word) for item in call.items}
        found += list(ballots.add(call, votes, [word]))
    (reply,) = found
    return reply.answer.verdict.value if isinstance(reply.answer, Judgment) else reply.answer.reason


LONG = " ".join(f"Sentence number {n} of a long document." for n in range(900))


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [
        (["no", "partial", "yes"], "yes"),
        (["no", "partial", "no"], "partial"),
        (["no", "no", "no"], "no"),
        (["yes", "broken", "no"], "yes"),
        (["partial", "broken", "no"], "broken"),
    ],
)
def test_the_best_passage_decides_and_an_unread_one_leaves_it_open(
    verdicts: list[str], outcome: str
) -> None:
    assert _said([support("S.", LONG)], verdicts) == outcome


REPEATED = tuple(f"Sentence {n}: " + "word " * 60 for n in range(42))


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [
        (["yes", "yes", "yes"], "yes"),
        (["yes", "no", "yes"], "no"),
        (["no", "broken", "yes"], "no"),
        (["yes", "broken", "yes"], "broken"),
    ],
)
def test_a_claim_is_new_only_if_no_stretch_has_made_it(verdicts: list[str], outcome: str) -> None:
    assert _said([first("S.", *REPEATED)], verdicts) == outcome


pieces = st.sampled_from(
    ["Ein Satz", "它沉没了。", "word " * 30, "x" * 500, "\n\n", "  ", "Ω. Β! "]
)


@given(st.lists(pieces, max_size=60), st.integers(20, 200), st.integers(0, 19))
def test_passages_hold_all_of_a_text_in_its_order(some: list[str], size: int, overlap: int) -> None:
    text = "".join(f"{piece} {number}. " for number, piece in enumerate(some))
    found = passages(text, size, overlap, "en")
    end = 0
    for passage in found:
        start = _place_of(passage, text, end)
        assert start <= end, "nothing lies between two passages"
        end = start + len(passage)
        assert num_tokens(passage) <= size + 1
    assert end == len(text)


def _place_of(passage: str, text: str, end: int) -> int:
    """Returns the last place of a passage that leaves no gap."""
    start = text.rfind(passage, 0, end + len(passage))
    return start if start >= 0 else len(text)


@given(
    st.lists(
        st.builds(
            lambda kind, topic, sentence, text: Ask(
                kind, topic, sentence, question=text, answer=text, earlier=("A.", "B.")[: len(text)]
            ),
            st.sampled_from(sorted(grouping.KINDS - {Kind.SUPPORT})),
            st.sampled_from(["t1", "t2"]),
            st.sampled_from(["A.", "B.", "C."]),
            st.sampled_from(["", "a", "bb"]),
        ),
        max_size=25,
    ),
    st.booleans(),
)
def test_every_ask_is_in_a_call_or_refused(asks: list[Ask], is_single: bool) -> None:
    calls = calls_of(asks, is_single)
    refusals = [each.ask_index for each in refused(asks)]
    assert sorted([*asked(calls), *refusals]) == list(range(len(asks)))


def test_a_blocks_delimiters_are_random_and_those_of_shared_blocks_stay() -> None:
    (call,) = calls_of([support("S.", "D.")])
    delimiters = Delimiters()
    one, other = (delimiters.enclosed(call.shared, call.own) for _ in range(2))
    assert one["document"] == other["document"]
    assert one["sentences"] != other["sentences"]
    assert Delimiters().enclosed(call.shared, call.own)["document"] != one["document"]
    fixed = [Delimiters(b"key").enclosed(call.shared, call.own) for _ in range(2)]
    assert fixed[0] == fixed[1]
