from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from argue_eval.errors import ArgueEvalError
from argue_eval.judges.cache import Cache
from argue_eval.judges.lexical.judge import COEFFICIENTS, LexicalJudge, create
from argue_eval.records import Ask, Document, JudgeFailure, Judgment, Kind, ReportRequest, Verdict
from tests.judges.asking import (
    JUDGE,
    agrees,
    answers,
    covers,
    first,
    judged,
    needs_citation,
    negative,
    replies,
    support,
)

TEXTS = [
    "The Harwick bridge opened on 12 June 1998.",
    "Ferry traffic fell by 28 percent after the opening.",
    "The council bought a second ferry.",
]
ASKS = [
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


def test_every_kind_but_relevance_is_answered() -> None:
    assert JUDGE.kinds == frozenset(Kind) - {Kind.RELEVANT}


def test_relevance_is_refused_with_a_reason() -> None:
    (result,) = replies(JUDGE, [Ask(Kind.RELEVANT, "t1", doc_id="d1")])
    assert result == JudgeFailure(
        Kind.RELEVANT, "t1", JUDGE.signature, "not a kind that this judge answers"
    )


def test_a_judgment_carries_what_was_asked() -> None:
    judgment = judged(answers("When did the bridge open?", "12 June", TEXTS[0]))
    assert (judgment.kind, judgment.topic_id) == (Kind.ANSWERS, "t1")
    assert (judgment.nugget_id, judgment.answer) == ("n1", "12 June")
    assert judgment.sentence == TEXTS[0]
    assert judgment.judge == JUDGE.signature
    assert judged(support("The bridge opened.", TEXTS[0])).doc_id == "d1"


def test_verdicts_follow_from_the_probability_and_the_thresholds() -> None:
    table = json.loads(COEFFICIENTS.read_bytes())["models"]
    for result in replies(JUDGE, ASKS):
        if isinstance(result, JudgeFailure):
            continue
        thresholds = table[result.kind.value]["thresholds"]
        assert result.prob is not None
        assert 0.0 <= result.prob <= 1.0
        assert (result.verdict is Verdict.YES) == (result.prob >= thresholds["yes"])


def test_other_asks_and_their_order_change_no_verdict() -> None:
    alone = [replies(create("", TEXTS), [ask])[0] for ask in ASKS]
    shuffled = list(range(len(ASKS)))
    random.Random(0).shuffle(shuffled)
    together = replies(create("", TEXTS), [ASKS[at] for at in shuffled] * 2)
    assert together == [alone[at] for at in shuffled] * 2


def test_texts_in_another_order_make_the_same_judge() -> None:
    assert create("", TEXTS).signature == create("", reversed(TEXTS)).signature


def test_verdicts_are_the_same_in_every_process() -> None:
    code = (
        "from tests.judges.test_lexical import ASKS, TEXTS, create\n"
        "judge = create('', TEXTS)\n"
        "print(judge.signature, list(judge.judge(ASKS)))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_the_signature_tells_texts_and_coefficients_apart() -> None:
    coefficients = COEFFICIENTS.read_bytes()
    changed = coefficients.replace(b'"bias": -', b'"bias": -1', 1)
    signatures = {
        LexicalJudge((), coefficients).signature,
        LexicalJudge(TEXTS, coefficients).signature,
        LexicalJudge((), changed).signature,
    }
    assert len(signatures) == 3
    for signature in signatures:
        assert signature.startswith("lexical@2/")
        assert not any(char.isspace() or char == "|" for char in signature)


def test_rare_words_of_the_collection_weigh_more_than_common_ones() -> None:
    texts = [f"The ferry left harbour number {number}." for number in range(200)]
    judge = create("", [*texts, "Kittiwakes nest at Harwick."])
    text = "The ferry left. Gulls screamed."
    common = replies(judge, [support("The ferry left gulls", text)])[0]
    rare = replies(judge, [support("The kittiwakes left gulls", text)])[0]
    assert isinstance(common, Judgment)
    assert isinstance(rare, Judgment)
    assert (common.prob or 0) > (rare.prob or 0)


def test_every_kind_has_all_its_coefficients_and_no_others() -> None:
    models = json.loads(COEFFICIENTS.read_bytes())["models"]
    judge = LexicalJudge((), COEFFICIENTS.read_bytes())
    assert set(models) == {kind.value for kind in JUDGE.kinds}
    seen = set()
    for ask in ASKS:
        if not judge.reason(ask):
            assert set(judge.features(ask)) == set(models[ask.kind.value]["weights"])
            seen.add(ask.kind)
    assert seen == JUDGE.kinds


def test_features_are_shares() -> None:
    judge = LexicalJudge(TEXTS, COEFFICIENTS.read_bytes())
    for ask in ASKS:
        if not judge.reason(ask):
            assert all(-1e-9 <= value <= 1.0 + 1e-9 for value in judge.features(ask).values())


def test_the_coefficients_say_where_they_come_from() -> None:
    provenance = json.loads(COEFFICIENTS.read_bytes())["provenance"]
    assert {"date", "fitted", "by hand", "script"} <= set(provenance)
    for fitted in provenance["fitted"].values():
        assert {"data", "licence", "folds", "figures"} <= set(fitted)


def test_broken_coefficients_are_an_error_that_names_the_kind() -> None:
    with pytest.raises(ArgueEvalError, match="no usable model for 'support'"):
        LexicalJudge((), b'{"version": "1", "models": {}}')


@pytest.mark.parametrize("answer", ["", " \n"])
def test_a_nugget_without_text_is_a_failure(answer: str) -> None:
    results = replies(JUDGE, [answers("When?", answer, "In 1998."), agrees(answer, "Unknown.")])
    assert [getattr(result, "reason", None) for result in results] == [
        "no answer text",
        "no question text",
    ]


def test_a_nugget_in_another_language_is_a_failure() -> None:
    results = replies(JUDGE, [answers("Когда открыли мост?", "весной", "It opened in the spring.")])
    assert [getattr(result, "reason", None) for result in results] == ["nugget in another language"]


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
    asks = [
        Ask(Kind.SUPPORT, "t1", text, "d1", Document("d1", text, text)),
        answers(text, text, text),
        covers(text, text),
        negative(text),
        agrees(text, text),
        needs_citation(text, request),
        first(text, text, text),
    ]
    start = time.process_time()
    results = replies(create(), asks)
    assert time.process_time() - start < 8.0
    assert [result.kind for result in results] == [ask.kind for ask in asks]


def test_a_cache_drops_what_was_used_least_recently_and_holds_no_more_than_its_size() -> None:
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key.upper()

    cache = Cache[str, str](make, len, 6)
    assert [cache["aa"], cache["bb"], cache["cc"], cache["aa"], cache["dd"]] == [
        "AA", "BB", "CC", "AA", "DD",
    ]  # fmt: skip
    assert len(cache) == 3
    assert [cache["aa"], cache["bb"]] == ["AA", "BB"]
    assert made == ["aa", "bb", "cc", "dd", "bb"]


def test_control_characters_change_nothing() -> None:
    clean = judged(support("The bridge opened in 1998.", TEXTS[0]))
    dirty = judged(support("\x1bThe bridge\u202e opened\x00 in 1998.\u200b", TEXTS[0]))
    assert dirty.prob == clean.prob


WICE = Path(__file__).parents[2] / "../shared/data/wice/dev.jsonl"


@pytest.mark.skipif(not WICE.exists(), reason="the WiCE development data is not at hand")
def test_support_separates_supported_wikipedia_claims_from_the_rest() -> None:
    # A guard against regressions on the data that the coefficients were chosen with.
    with WICE.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:150]
    texts = ["\n".join(row["evidence"]) for row in rows]
    asks = [support(row["claim"], text) for row, text in zip(rows, texts, strict=True)]
    probs = [getattr(result, "prob", 0.5) for result in replies(create("", texts), asks)]
    good = [prob for prob, row in zip(probs, rows, strict=True) if row["label"] == "supported"]
    rest = [prob for prob, row in zip(probs, rows, strict=True) if row["label"] != "supported"]
    wins = sum((one > other) + 0.5 * (one == other) for one in good for other in rest)
    assert wins / (len(good) * len(rest)) >= 0.75
