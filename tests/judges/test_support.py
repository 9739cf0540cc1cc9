from __future__ import annotations

import pytest

from tests.judges.asking import JUDGE, outcome, probs, replied, support

TEXT = (
    "Work on the Harwick bridge began in 1995. The bridge opened on 12 June 1998. "
    "It cost 2.5 million dollars. Engineers led by Ada Marsh chose steel cables. "
    "The storm of 2001 did not damage the bridge. About 28 percent fewer people took the ferry."
)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The Harwick bridge was opened on June 12, 1998.", "yes"),
        ("The Harwick bridge was opened on June 26, 1998.", "no"),
        ("The bridge cost $2,500,000.", "yes"),
        ("The bridge cost $3.5 million.", "no"),
        ("Steel cables were chosen by engineers under Ada Marsh.", "yes"),
        ("Steel cables were chosen by engineers under Tom Reed.", "no"),
        ("The storm of 2001 did not damage the bridge.", "yes"),
        ("The storm of 2001 damaged the bridge.", "no"),
        ("Volunteers painted park benches green.", "no"),
        ("It rained.", "no"),
        ("Was the bridge opened on 12 June 1998?", "no"),
        ("28% fewer people took the ferry [1].", "yes"),
        ("", "no"),
        ("\x00\x1b[31m \u202e", "no"),
    ],
)
def test_a_document_supports_what_it_says_and_not_what_differs_in_one_thing(
    sentence: str, expected: str
) -> None:
    assert outcome(support(sentence, TEXT)) == expected


def test_the_rationale_is_the_document_sentence_that_says_most() -> None:
    reply = replied(support("The bridge cost $2,500,000 dollars.", TEXT))
    assert reply.rationale == "It cost 2.5 million dollars."


def test_a_citation_mark_over_two_lines_does_not_shift_the_sentences_after_it() -> None:
    text = (
        f"The council met again, as it is said elsewhere [1,\n2]. It was a short meeting.\n{TEXT}"
    )
    question = support("The Harwick bridge was opened on June 12, 1998.", text)
    assert replied(question).rationale == "The bridge opened on 12 June 1998."


def test_evidence_is_found_deep_in_a_long_document() -> None:
    filler = "The council met again and talked about roads, parks and the budget. " * 300
    long_text = filler + TEXT + filler
    question = support("The Harwick bridge was opened on June 12, 1998.", long_text)
    assert outcome(question) == "yes"
    assert replied(question).rationale == "The bridge opened on 12 June 1998."


def test_words_scattered_over_a_document_support_less_than_words_in_one_place() -> None:
    gap = "The council met again and talked about roads. " * 5
    together = "Ada Marsh chose steel cables for the bridge. " + gap
    scattered = f"Ada Marsh spoke. {gap} Somebody chose lunch. {gap} Steel is dear. {gap} Cables."
    claim = "Ada Marsh chose steel cables."
    near, far = probs(JUDGE, [support(claim, text) for text in (together, scattered)])
    assert near > far + 0.1


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        # words in the document's own order, and in another
        (
            "The storm of 2001 did not damage the bridge.",
            "The bridge did not damage the storm of 2001.",
        ),
        # all of it in one place, and a word that is new
        (
            "Engineers led by Ada Marsh chose steel cables.",
            "Engineers led by Ada Marsh chose rusty steel.",
        ),
        # about the speaker
        ("The bridge opened on 12 June 1998.", "I saw that the bridge opened on 12 June 1998."),
        # another form of a name, and another name
        (
            "The Harwicker bridge opened on 12 June 1998.",
            "The Norwicker bridge opened on 12 June 1998.",
        ),
    ],
)
def test_what_makes_support_more_probable(better: str, worse: str) -> None:
    high, low = probs(JUDGE, [support(sentence, TEXT) for sentence in (better, worse)])
    assert high > low + 0.02


def test_citation_marks_change_nothing() -> None:
    sentence, text = (
        "The bridge opened on 12 June 1998",
        "The bridge opened on 12 June 1998. It rained.",
    )
    marked = text.replace("1998", "1998 [2, 3]").replace("opened", "opened [1]")
    asked = [support(f"{sentence}.", text), support(f"{sentence} [1, 4].", marked)]
    assert len(set(probs(JUDGE, asked))) == 1


def test_a_sentence_about_its_speaker_may_be_the_document_s_own() -> None:
    sentence = "I saw that the bridge opened on 12 June 1998."
    own, others = (f"{who} saw that the bridge opened on 12 June 1998." for who in ("I", "We all"))
    high, low = probs(JUDGE, [support(sentence, text) for text in (own, others)])
    assert high > low + 0.2


def test_a_title_counts_as_part_of_the_document() -> None:
    text = "It opened in the spring of 1998 after three years."
    sentence = "The Harwick bridge opened in 1998."
    assert outcome(support(sentence, text, "Harwick bridge")) == "yes"
    assert outcome(support(sentence, text)) != "yes"


@pytest.mark.parametrize(
    ("sentence", "text", "reason"),
    [
        ("The bridge opened.", None, "no document text"),
        ("The bridge opened.", " \n ", "no document text"),
        ("The bridge opened.", "大桥于2023年6月12日正式开通。", "document in another language"),
        ("Мост открыли в июне.", "The bridge opened in June.", "document in another language"),
        (
            "The bridge was opened by the mayor in the spring.",
            "El puente fue inaugurado por el alcalde en la primavera de ese año.",
            "document in another language",
        ),
        (
            "این پل در بهار گشایش یافت و شهردار هم گفت",
            "افتتح الجسر في الربيع من هذا العام وقال رئيس البلدية إن الأمر انتهى",
            "document in another language",
        ),
        ("", None, "no document text"),
    ],
)
def test_what_cannot_be_known_is_a_failure_with_its_reason(
    sentence: str, text: str | None, reason: str
) -> None:
    assert outcome(support(sentence, text)) == reason


def test_a_document_without_letters_is_in_no_other_language() -> None:
    assert outcome(support("The bridge cost 70.", "40 - 50 - 60")) == "no"


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        (
            "大桥于六月正式开通，耗资250万元。",
            "当地政府表示，大桥于六月正式开通，总共耗资2,500,000元。",
        ),
        ("Мост через реку открыли весной.", "Весной мэр сообщил: мост через реку открыли."),
        ("El puente costó 2,5 millones.", "El alcalde dijo que el puente costó 2.500.000 euros."),
    ],
)
def test_support_is_found_in_other_languages(sentence: str, text: str) -> None:
    assert outcome(support(sentence, text)) == "yes"
