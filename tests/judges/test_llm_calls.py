"""Which questions go into one call, in which order, and that nothing is lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.judges import PROMPTINGS, Settings
from argue_eval.judges.llm import calls as grouping
from argue_eval.judges.llm.calls import Call
from argue_eval.judges.llm.judge import Heard, replies
from argue_eval.judges.model import Delimiters
from argue_eval.records import Kind, Question, ReportRequest, Verdict
from argue_eval.text.passages import num_tokens, passages
from tests.judges.asking import agrees, answers, covers, first, needs_citation, negative, support

REQUEST = ReportRequest("t1", "The mill", "Tell the mill's history.", "I write a book.")
REPORT = ("The mill is old.", "It burned down.", "Nobody knows why.", "It burned down.")


def calls_of(questions: Sequence[Question], prompting: str = "batched") -> list[Call]:
    return grouping.calls_of(questions, Settings(prompting=prompting))[0]


def asked(calls: Sequence[Call]) -> list[int]:
    """The places of all questions in calls, once for each call."""
    return sorted(place for call in calls for places in call.asked.values() for place in places)


def uncited(report: Sequence[str], places: Sequence[int]) -> list[Question]:
    """The questions about sentences without citation."""
    questions = []
    for place in places:
        questions.append(negative(report[place]))
        questions.append(needs_citation(report[place]))
        questions.append(first(report[place], *report[:place]))
    return questions


def test_all_answers_for_a_sentence_go_into_one_call_with_each_question_once() -> None:
    questions = [answers(f"Question {n // 3}?", f"answer {n}", "A sentence.") for n in range(30)]
    (call,) = calls_of(questions)
    assert asked([call]) == list(range(30))
    nuggets = call.shared[1]
    assert (nuggets.name, call.own.name) == ("nuggets", "sentence")
    assert sum(line.startswith("question: ") for line in nuggets.lines) == 10
    assert nuggets.lines[:3] == ('question: "Question 0?"', '1: "answer 0"', '2: "answer 1"')


def test_claims_and_absence_nuggets_go_into_calls_of_their_own() -> None:
    questions = [covers("One.", "S."), covers("Two.", "S."), agrees("Q?", "S."), agrees("R?", "S.")]
    assert [(call.task, len(call.asked)) for call in calls_of(questions)] == [
        ("covers", 2),
        ("agrees", 2),
    ]


def test_all_sentences_that_cite_a_document_go_into_one_call() -> None:
    questions = [support(f"Sentence {n}.", f"Document {n % 2}.") for n in range(8)]
    calls = calls_of(questions)
    assert [len(call.asked) for call in calls] == [4, 4]
    assert calls[0].shared[0].lines == ('text: "Document 0."',)


def test_the_questions_about_a_report_go_into_one_call_which_shows_it_in_its_order() -> None:
    questions = uncited(REPORT, [1, 3])
    (call,) = calls_of(questions)
    assert call.own.lines == tuple(f'{n}: "{text}"' for n, text in enumerate(REPORT, 1))
    # Equal sentences are one question, which is asked at the first of them.
    labels = ["negative_2", "citation_2", "first_2", "first_4"]
    assert [*call.asked] == labels


def test_reports_are_told_apart_by_their_sentences() -> None:
    other = ("The mill is new.", "It burned down.")
    calls = calls_of([*uncited(REPORT, [2]), *uncited(other, [1])])
    assert [call.num_questions for call in calls] == [3, 3]
    assert {len(call.own.lines) for call in calls} == {3, 2}


def test_sentences_of_no_known_report_are_asked_together() -> None:
    (call,) = calls_of([negative("One."), negative("Two."), needs_citation("Two.")])
    assert [*call.asked] == ["negative_1", "negative_2", "citation_2"]


def test_calls_whose_prompts_begin_alike_follow_each_other() -> None:
    banks = [[answers("Q?", f"{bank}{n}", "") for n in range(3)] for bank in "ab"]
    questions = []
    for number in range(6):
        sentence = f"Sentence {number}."
        questions += [replace(ask, text=sentence) for ask in banks[number % 2]]
    shared = [call.shared for call in calls_of(questions)]
    assert len(shared) == 6
    assert sum(one != other for one, other in pairwise(shared)) == 1


def test_requests_stand_before_everything_else_and_topics_are_kept_apart() -> None:
    ask = replace(answers("Q?", "a", "S."), request=REQUEST)
    other_request = REQUEST._replace(topic_id="t2", title="Another")
    other = replace(ask, topic_id="t2", request=other_request)
    calls = calls_of([ask, other])
    assert len(calls) == 2
    assert calls[1].shared[0].lines == (
        'title: "The mill"',
        'problem statement: "Tell the mill\'s history."',
        'background: "I write a book."',
    )


def test_one_question_a_call_shows_what_that_question_is_about_alone() -> None:
    questions = [
        *uncited(REPORT, [1]),
        answers("Q?", "a", "S."),
        answers("Q?", "b", "S."),
        support("S.", "D."),
        support("T.", "D."),
    ]
    calls = calls_of(questions, prompting="single")
    assert asked(calls) == list(range(7))
    assert all(len(call.asked) == 1 for call in calls)
    shown = {next(iter(call.asked)): call.own.lines for call in calls if call.task == "sentences"}
    assert shown["negative_1"] == ('1: "It burned down."',)
    assert shown["first_2"] == ('1: "The mill is old."', '2: "It burned down."')


def test_long_lists_are_split_and_nothing_is_lost() -> None:
    questions = [answers(f"Q{n}?", "word " * 100, "S.") for n in range(90)]
    calls = calls_of(questions)
    assert len(calls) > 3
    assert asked(calls) == list(range(90))
    assert all(next(iter(call.asked)) == "1" for call in calls)
    assert all(
        sum(map(num_tokens, call.shared[1].lines)) < 1.1 * grouping.LIST_TOKENS for call in calls
    )


def test_long_documents_are_asked_about_passage_by_passage() -> None:
    text = " ".join(f"Sentence number {n} of a long document." for n in range(2500))
    calls = calls_of([support("S.", text, "Title"), support("T.", text, "Title")])
    assert len(calls) > 4
    assert all(len(call.asked) == 2 for call in calls)
    assert all(call.shared[0].lines[0] == 'title: "Title"' for call in calls)
    shown = " ".join(call.shared[0].lines[1] for call in calls)
    assert all(f"number {n} of" in shown for n in range(2500))


def test_a_long_report_is_asked_about_stretch_by_stretch() -> None:
    report = tuple(f"Sentence {n}: " + "word " * 60 for n in range(100))
    questions = uncited(report, [0, 50, 99])
    calls = calls_of(questions)
    counts = Counter(asked(calls))
    # Negative assertion and citation are asked once, first instance against every stretch before.
    assert [counts[index] for index in range(9)] == [1, 1, 1, 1, 1, 3, 1, 1, 6]
    shown = {line for call in calls for line in call.own.lines if "first_100" in call.asked}
    assert len(shown) == 100
    assert all(sum(map(num_tokens, call.own.lines)) < 1.3 * grouping.LIST_TOKENS for call in calls)


def test_what_is_too_long_for_any_call_is_refused_with_its_reason() -> None:
    long = "word " * 3000
    questions = [
        negative(long),
        covers(long, "S."),
        first("S.", "short", long),
        replace(negative("S."), request=REQUEST._replace(background=long)),
        support("S.", "D.", long),
        first("S.", *["word " * 1000] * 13),
        Question(kind=Kind.RELEVANT, topic_id="t1"),
    ]
    calls, refusals = grouping.calls_of(questions, Settings())
    assert calls == []
    assert [each.reason.partition(":")[0] for each in refusals] == [
        "the sentence is too long",
        "the nugget is too long",
        "the longest sentence before it is too long",
        "the report request is too long",
        "the title of the document is too long",
        "the report before it is too long",
        "not a kind that this judge answers",
    ]


def test_hidden_characters_cannot_make_a_call_longer_than_allowed() -> None:
    """Written out, one of them takes eight characters."""
    hidden = "\u200b" * 3000
    assert calls_of([negative(hidden)]) == []
    calls = calls_of([support("S.", hidden * 4)])
    sizes = [num_tokens(call.shared[0].lines[-1]) for call in calls]
    assert max(sizes) < 1.1 * grouping.PASSAGE_TOKENS


def _said(questions: Sequence[Question], words: Sequence[str]) -> str:
    """What comes of the verdicts, or the reasons for none, of a question's calls in their order."""
    calls = calls_of(questions)
    known = {verdict.value: verdict for verdict in Verdict}
    heard = [
        (call, Heard(verdicts=dict.fromkeys(call.asked, known[word]), problems={}))
        if word in known
        else (call, Heard.nothing(call.asked, word))
        for call, word in zip(calls, words, strict=True)
    ]
    (reply,) = replies(questions, calls, heard)
    return reply.reason if reply.verdict is None else reply.verdict.value


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
            lambda kind, topic, sentence, text: Question(
                kind=kind,
                topic_id=topic,
                sentence_index=len(text) if kind is Kind.FIRST_INSTANCE else -1,
                text=sentence,
                nugget_question=text,
                claim=text,
                sentences=("A.", "B.", "C.") if kind is Kind.FIRST_INSTANCE else (),
            ),
            st.sampled_from(sorted(grouping.KINDS - {Kind.SUPPORT})),
            st.sampled_from(["t1", "t2"]),
            st.sampled_from(["A.", "B.", "C."]),
            st.sampled_from(["", "a", "bb"]),
        ),
        max_size=25,
    ),
    st.sampled_from(PROMPTINGS),
)
def test_every_question_is_in_a_call_or_refused(questions: list[Question], prompting: str) -> None:
    calls, refusals = grouping.calls_of(questions, Settings(prompting=prompting))
    places = {*asked(calls), *(each.index for each in refusals)}
    assert places == set(range(len(questions)))
    assert not set(asked(calls)) & {each.index for each in refusals}


def test_a_blocks_delimiters_are_random_and_those_of_shared_blocks_stay() -> None:
    (call,) = calls_of([support("S.", "D.")])
    delimiters = Delimiters()
    one, other = (delimiters.enclosed(call.shared, call.own) for _ in range(2))
    assert one["document"] == other["document"]
    assert one["sentences"] != other["sentences"]
    assert Delimiters().enclosed(call.shared, call.own)["document"] != one["document"]
