from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from argue_eval.errors import ArgueEvalError
from argue_eval.judges import Settings
from argue_eval.judges.cache import Cache
from argue_eval.judges.lexical.judge import COEFFICIENTS, LexicalJudge, create
from argue_eval.judges.limits import Limits
from argue_eval.records import Kind, Question, ReportRequest, Verdict
from tests.judges.asking import (
    JUDGE,
    agrees,
    answers,
    covers,
    first,
    needs_citation,
    negative,
    printed,
    probs,
    replied,
    replies,
    support,
)

TEXTS = [
    "The Harwick bridge opened on 12 June 1998.",
    "Ferry traffic fell by 28 percent after the opening.",
    "The council bought a second ferry.",
]
QUESTIONS = [
    support("The bridge opened in 1998.", TEXTS[0]),
    support("The bridge opened in 1999.", TEXTS[0]),
    support("The bridge opened.", None),
    answers("By how much did traffic fall?", "28 percent", TEXTS[1]),
    answers("When did the bridge open?", "12 June", TEXTS[0]),
    covers(TEXTS[1], "Traffic fell by 28 percent."),
    negative("No reports were found on the toll."),
    agrees("How high is the toll?", "No reports were found on the toll."),
    needs_citation("Background"),
    first(TEXTS[1], TEXTS[0], TEXTS[1]),
]
MODELS = json.loads(COEFFICIENTS.read_bytes())["models"]


def test_every_kind_but_relevance_is_answered() -> None:
    assert JUDGE.kinds == frozenset(Kind) - {Kind.RELEVANT}


def test_verdicts_follow_from_the_probability_and_the_thresholds() -> None:
    for question, reply in zip(QUESTIONS, replies(JUDGE, QUESTIONS), strict=True):
        if reply.verdict is None:
            continue
        assert reply.prob is not None
        assert 0.0 <= reply.prob <= 1.0
        is_yes = reply.prob >= MODELS[question.kind.value]["thresholds"]["yes"]
        assert (reply.verdict is Verdict.YES) == is_yes


def test_other_questions_and_their_order_change_no_reply() -> None:
    questions = [*QUESTIONS, *(covers(one, other) for one in TEXTS for other in TEXTS)]
    alone = [replies(create("", TEXTS), [question])[0] for question in questions]
    order = list(range(len(questions))) * 2
    random.Random(0).shuffle(order)
    together = replies(create("", TEXTS), [questions[at] for at in order])
    assert together == [alone[at]._replace(index=index) for index, at in enumerate(order)]


def test_nothing_is_answered_once_halted() -> None:
    limits = Limits()
    judge = create(settings=Settings(limits=limits))
    found = []
    for reply in judge.answer(QUESTIONS):
        found.append(reply)
        limits.halt("interrupted")
    assert len(found) == 1


def test_texts_in_another_order_make_the_same_judge() -> None:
    assert create("", TEXTS).signature == create("", reversed(TEXTS)).signature


def test_replies_are_the_same_in_every_process() -> None:
    code = (
        "from tests.judges.test_lexical import QUESTIONS, TEXTS, create\n"
        "judge = create('', TEXTS)\n"
        "print(judge.signature, list(judge.answer(QUESTIONS)))\n"
        "print([judge.features(each) for each in QUESTIONS if not judge.reason(each)])"
    )
    assert printed(code, PYTHONHASHSEED="1") == printed(code, PYTHONHASHSEED="2")


def test_the_signature_distinguishes_texts_and_coefficients() -> None:
    coefficients = COEFFICIENTS.read_bytes()
    changed = coefficients.replace(b'"bias": -', b'"bias": -1', 1)
    signatures = {
        LexicalJudge((), coefficients).signature,
        LexicalJudge(TEXTS, coefficients).signature,
        LexicalJudge((), changed).signature,
    }
    assert len(signatures) == 3
    for signature in signatures:
        assert signature.startswith("lexical@3/")
        assert not any(char.isspace() or char == "|" for char in signature)


def test_rare_words_of_the_collection_weigh_more_than_common_ones() -> None:
    texts = [f"The ferry left harbour number {number}." for number in range(200)]
    judge = create("", [*texts, "Kittiwakes nest at Harwick."])
    sentences = ("The ferry left gulls", "The kittiwakes left gulls")
    text = "The ferry left. Gulls screamed."
    common, rare = probs(judge, [support(sentence, text) for sentence in sentences])
    assert common > rare


def test_every_kind_has_all_its_coefficients_and_its_features_are_small_numbers() -> None:
    judge = LexicalJudge(TEXTS, COEFFICIENTS.read_bytes())
    assert set(MODELS) == {kind.value for kind in judge.kinds}
    answered = [question for question in QUESTIONS if not judge.reason(question)]
    assert {question.kind for question in answered} == judge.kinds
    for question in answered:
        features = judge.features(question)
        assert set(features) == set(MODELS[question.kind.value]["weights"])
        assert all(-1e-9 <= value <= 10.0 for value in features.values())


def test_the_coefficients_say_where_they_come_from() -> None:
    provenance = json.loads(COEFFICIENTS.read_bytes())["provenance"]
    assert {"date", "fitted", "by hand", "script"} <= set(provenance)
    for fitted in provenance["fitted"].values():
        assert {"data", "licence", "folds", "figures"} <= set(fitted)


def test_broken_coefficients_are_an_error_that_names_the_kind() -> None:
    with pytest.raises(ArgueEvalError, match="no usable model for 'support'"):
        LexicalJudge((), b'{"version": "1", "models": {}}')


RELEVANT = Question(kind=Kind.RELEVANT, topic_id="t1", doc_id="d1")


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (RELEVANT, "not a kind that this judge answers"),
        (answers("When?", "", "In 1998."), "no answer text"),
        (covers(" \n", "In 1998."), "no answer text"),
        (agrees("", "Unknown."), "no question text"),
        (agrees(" \n", "Unknown."), "no question text"),
        (
            answers("Когда открыли мост?", "весной", "It opened in the spring."),
            "nugget in another language",
        ),
        (
            covers("Мост через реку открыли весной этого года.", "The mayor opened a bridge."),
            "nugget in another language",
        ),
    ],
)
def test_a_question_that_cannot_be_answered_has_a_reason_and_no_verdict(
    question: Question, reason: str
) -> None:
    reply = replied(question)
    assert (reply.reason, reply.verdict, reply.prob) == (reason, None, None)


MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    "unit",
    [
        "a", "中", "no ", "不中", "1,", "[1,", "A.", ". ", "\n", " ", "'a", "is not yet ",
        "twenty-", "12 June ", "the report ", "no evidence of ", "documents a b c d e ",
        "\ufdfa", "\u202e", "a\u0301", "\x00\x1b", "\U0001f600",
    ],
)  # fmt: skip
def test_a_megabyte_of_anything_takes_bounded_time(unit: str) -> None:
    text = (unit * (MEGABYTE // len(unit) + 1))[:MEGABYTE]
    request = ReportRequest("t1", problem_statement=text)
    questions = [
        support(text, text, text), answers(text, text, text), covers(text, text), negative(text),
        agrees(text, text), needs_citation(text, request), first(text, text, text),
    ]  # fmt: skip
    start = time.process_time()
    assert len(replies(create(), questions)) == len(questions)
    assert time.process_time() - start < 8.0


def test_a_cache_drops_what_was_used_least_recently_and_holds_no_more_than_its_size() -> None:
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key.upper()

    cache = Cache[str, str](make, len, 6)
    keys = ["aa", "bb", "cc", "aa", "dd"]
    assert [cache[key] for key in keys] == [key.upper() for key in keys]
    assert [cache["aa"], cache["bb"]] == ["AA", "BB"]
    assert made == ["aa", "bb", "cc", "dd", "bb"]


def test_control_characters_change_nothing() -> None:
    clean = support("The bridge opened in 1998.", TEXTS[0])
    dirty = support("\x1bThe bridge\u202e opened\x00 in 1998.\u200b", TEXTS[0])
    assert probs(JUDGE, [clean]) == probs(JUDGE, [dirty])


WICE = Path(__file__).parents[2] / "../shared/data/wice/dev.jsonl"


@pytest.mark.skipif(not WICE.exists(), reason="the WiCE development data is not at hand")
def test_support_separates_supported_wikipedia_claims_from_the_rest() -> None:
    # A guard against regressions on the data that the coefficients were chosen with.
    with WICE.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:150]
    texts = ["\n".join(row["evidence"]) for row in rows]
    questions = [support(row["claim"], text) for row, text in zip(rows, texts, strict=True)]
    found = [
        0.5 if each.prob is None else each.prob for each in replies(create("", texts), questions)
    ]
    good = [prob for prob, row in zip(found, rows, strict=True) if row["label"] == "supported"]
    rest = [prob for prob, row in zip(found, rows, strict=True) if row["label"] != "supported"]
    wins = sum((one > other) + 0.5 * (one == other) for one in good for other in rest)
    assert wins / (len(good) * len(rest)) >= 0.75


def test_limits_of_certainty_enclose_the_threshold() -> None:
    for kind, (no, yes) in JUDGE.sure.items():
        assert 0.0 <= no < MODELS[kind.value]["thresholds"]["yes"] < yes <= 1.0
    assert Kind.SUPPORT in JUDGE.sure


def test_it_is_sure_of_short_documents_only() -> None:
    assert JUDGE.knows(support("It fell.", "It fell. " * 100))
    assert not JUDGE.knows(support("It fell.", "It fell. " * 200))
