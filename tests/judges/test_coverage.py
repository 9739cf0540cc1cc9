from __future__ import annotations

import pytest
from wordfreq import get_frequency_dict

from argue_eval.judges.lexical.judge import create
from argue_eval.judges.lexical.weights import (
    TermWeights,
    cosine,
    general_digest,
    general_weights,
    word_shares,
)
from tests.judges.asking import covers, outcome, printed, probs, support

CLAIM = "The mayor of Harwick opened the new bridge over the river Stour in 1998."
INSIGHTS = [
    "The doctor explains that the patient needs a blood test for anaemia.",
    "The doctor advises the patient to drink two litres of water a day.",
    "The doctor suggests that the patient see a heart specialist.",
]


@pytest.mark.parametrize(
    "claim",
    [
        "The bridge was closed.",
        "Smoking is banned.",
        CLAIM,
        "大桥于2023年6月12日正式开通。",
        "Мост через реку открыли весной.",
        *INSIGHTS,
    ],
)
def test_a_sentence_covers_itself_whatever_its_length_and_language(claim: str) -> None:
    assert outcome(covers(claim, claim)) == "yes"
    assert outcome(covers(claim, f"{claim} [3][17]")) == "yes"


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The bridge opened in 1998.", "The bridge opened in 1989."),
        ("The bridge opened on 12 June.", "The bridge opened on 26 June."),
        ("The mayor of Harwick resigned.", "The mayor of Dover resigned."),
        ("The signal was working.", "The signal was not working."),
        ("Exports fell by 28 percent.", "Exports rose by 28 percent."),
    ],
)
def test_a_sentence_that_contradicts_a_claim_does_not_cover_it_in_full(
    claim: str, sentence: str
) -> None:
    assert outcome(covers(claim, claim)) == "yes"
    assert outcome(covers(claim, sentence)) != "yes"


def test_what_all_claims_share_tells_little_about_which_is_covered() -> None:
    bullet = "Doctors often tell patients to drink enough water, some say two litres a day."
    found = probs(create(texts=INSIGHTS), [covers(insight, bullet) for insight in INSIGHTS])
    assert found[1] > 5 * max(found[0], found[2])


def test_features_of_coverage_are_shares() -> None:
    judge = create(texts=INSIGHTS)
    for one in (*INSIGHTS, CLAIM, "", "12", "[3]", "the of and"):
        for other in (*INSIGHTS, CLAIM, "", "12", "[3]"):
            found = judge.features(covers(one, other))
            assert all(0.0 <= value <= 1.0 + 1e-9 for value in found.values()), (one, other)


def test_blank_texts_change_no_weight() -> None:
    one, other = TermWeights(INSIGHTS), TermWeights(["", *INSIGHTS, " \n"])
    assert one.digest() == other.digest()
    assert one.weight("water") == other.weight("water")


def test_common_english_words_weigh_less_where_there_are_no_texts() -> None:
    weights = TermWeights()
    assert weights.weight("year") < weights.weight("glacier") <= 1.0
    assert all(0.05 <= weight <= 1.0 for weight in general_weights().values())


def test_documents_do_not_move_coverage() -> None:
    document = "The doctor and the patient talk about water, blood, tests and specialists. " * 20
    bullet = "Doctors often tell patients to drink enough water, some say two litres a day."
    questions = [covers(insight, bullet) for insight in INSIGHTS]
    alone, beside = (create(texts=texts) for texts in (INSIGHTS, [*INSIGHTS, document]))
    assert probs(alone, questions) == probs(beside, questions)


def test_a_term_of_one_claim_weighs_the_same_whatever_the_number_of_claims() -> None:
    few = TermWeights(INSIGHTS)
    many = TermWeights([*INSIGHTS, *(f"The patient asks about plan {n}." for n in range(100))])
    assert few.claim_weight("blood") == many.claim_weight("blood")
    assert few.claim_weight("blood") > few.claim_weight("patient")


def test_ngrams_of_long_texts_are_not_counted() -> None:
    long = "A document about kittiwakes. " * 100
    assert TermWeights([long]).ngrams("kittiwakes") == TermWeights().ngrams("kittiwakes")
    assert TermWeights([INSIGHTS[0]]).ngrams("doctor") != TermWeights().ngrams("doctor")


def test_texts_without_letters_are_not_similar() -> None:
    nothing, some = map(TermWeights().ngrams, ("?!", "a bridge"))
    assert cosine(nothing, some) == 0.0
    assert cosine(some, some) == pytest.approx(1.0)


def test_support_is_partial_where_a_document_has_much_of_a_sentence_and_not_all() -> None:
    text = "The bridge over the Stour was opened by the mayor. Ferries had to stop."
    opened = "The mayor opened the bridge over the Stour"
    assert outcome(support(f"{opened}.", text)) == "yes"
    more = f"{opened}, closed an art gallery and a school, and planted trees."
    assert outcome(support(more, text)) == "partial"
    assert outcome(support("An art gallery and a school were closed.", text)) == "no"


def test_the_general_table_is_the_same_in_every_process() -> None:
    code = "from argue_eval.judges.lexical.weights import general_digest as digest; print(digest())"
    found = {printed(code, PYTHONHASHSEED=seed) for seed in ("1", "2")}
    assert found == {f"{general_digest()!r}\n"}


def test_word_frequencies_are_those_of_wordfreq_which_the_judge_does_not_import() -> None:
    assert dict(word_shares()) == get_frequency_dict("en", "small")
    code = "import sys, tests.judges.asking; print('wordfreq' in sys.modules)"
    assert printed(code) == "False\n"
