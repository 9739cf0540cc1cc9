from __future__ import annotations

import pytest

from tests.judges.asking import answers, covers, outcome

OPENED = "When was the Harwick bridge opened?"
COST = "How much did the Harwick bridge cost?"
LONG = "How long does the crossing take?"
FILM, AGAIN = "Where was the film Harbour Lights re-released?", "Re-release in Mainland China"
FALL = "By how much did ferry traffic fall?"


@pytest.mark.parametrize(
    ("question", "answer", "sentence", "expected"),
    [
        # dates
        (OPENED, "12 June 1998", "The Harwick bridge opened on June 12, 1998.", "yes"),
        (OPENED, "12 June 1998", "The Harwick bridge opened on 1998-06-12.", "yes"),
        (OPENED, "12 June 1998", "The Harwick bridge opened on the 12th of June 1998.", "yes"),
        (OPENED, "12 June 1998", "The Harwick bridge opened on 26 June 1998.", "no"),
        (OPENED, "12 June 1998", "The Harwick bridge opened on 12 July 1998.", "no"),
        (OPENED, "12 June 1998", "The Harwick bridge opened on 12 June 1989.", "no"),
        (OPENED, "June", "The Harwick bridge opened on 26 June 1998.", "yes"),
        (OPENED, "1998", "The Harwick bridge opened on 26 June 1998.", "yes"),
        (OPENED, "May 1998", "The Harwick bridge may have opened in 1998.", "no"),
        (OPENED, "3 March 1998", "The Harwick bridge opened on Mar 3, 1998.", "yes"),
        # numbers and units
        (LONG, "6 minutes", "The crossing takes six minutes.", "yes"),
        (LONG, "6 minutes", "The crossing is a 6-minute trip.", "yes"),
        (LONG, "6 minutes", "The crossing takes six hours.", "no"),
        (LONG, "25 minutes", "The crossing takes twenty-five minutes.", "yes"),
        (COST, "$2.5 million", "The Harwick bridge cost $2,500,000.", "yes"),
        (COST, "2.5 million dollars", "The Harwick bridge cost $2.5m.", "yes"),
        (COST, "$2.5 million", "The Harwick bridge cost $2.5 billion.", "no"),
        (COST, "$2.5 million", "The Harwick bridge cost €2.5 million.", "no"),
        (COST, "1,000 crowns", "The Harwick bridge cost 1000 crowns.", "yes"),
        (FALL, "28 percent decrease", "Ferry traffic saw a 28% decrease.", "yes"),
        (FALL, "28 percent decrease", "Ferry traffic fell by 28 per cent.", "yes"),
        (FALL, "28 percent decrease", "Ferry traffic fell by 2.8 percent.", "no"),
        (FALL, "28 percent decrease", "Ferry traffic rose by 28 percent.", "no"),
        # names, subject, negation
        ("Who designed the bridge?", "Ada Marsh", "Ada Marsh designed the bridge.", "yes"),
        ("Who designed the bridge?", "Ada Marsh", "Tom Reed designed the bridge.", "no"),
        (OPENED, "June", "The hospital strike ended in June.", "no"),
        (OPENED, "1998", "The museum bought a painting in 1998.", "no"),
        ("Was the bridge damaged?", "No", "The bridge was not damaged.", "yes"),
        ("Was the bridge damaged?", "Yes", "The bridge was not damaged.", "no"),
        ("What of the bridge?", "The bridge was damaged", "The bridge was not damaged.", "no"),
        ("What of the bridge?", "The bridge was damaged", "The bridge was damaged.", "yes"),
        # what the question says already is not an answer
        (FILM, AGAIN, "The film Harbour Lights was re-released in Portugal.", "no"),
        (FILM, AGAIN, "Harbour Lights came back to cinemas in mainland China.", "yes"),
        # a claim nugget has no question
        (None, "The mayor opened the bridge in 1998", "In 1998 the mayor opened it.", "yes"),
        (None, "The mayor opened the bridge in 1998", "In 1999 the mayor opened it.", "no"),
    ],
)
def test_an_answer_counts_only_with_its_numbers_names_and_polarity(
    question: str | None, answer: str, sentence: str, expected: str
) -> None:
    assert outcome(answers(question, answer, sentence)) == expected


@pytest.mark.parametrize(
    ("question", "answer", "sentence"),
    [
        ("大桥何时开通？", "2023年6月12日", "大桥于2023年6月{}日正式开通。"),
        ("Когда открыли мост?", "12 июня 2023", "Мост открыли {} июня 2023 года."),
        ("متى افتتح الجسر؟", "12 يونيو 2023", "افتتح الجسر في {} يونيو ٢٠٢٣."),
        ("پل چه زمانی باز شد؟", "۱۲ ژوئن ۲۰۲۳", "این پل در {} ژوئن 2023 باز شد."),
        ("¿Cuándo se abrió?", "12 de junio de 2023", "El puente se abrió el {} de junio de 2023."),
        ("Wann wurde sie eröffnet?", "12. Juni 2023", "Sie wurde am {}. Juni 2023 eröffnet."),
    ],
)
def test_dates_are_compared_in_other_languages_too(
    question: str, answer: str, sentence: str
) -> None:
    assert outcome(answers(question, answer, sentence.format("12"))) == "yes"
    assert outcome(answers(question, answer, sentence.format("۱۲"))) == "yes"
    assert outcome(answers(question, answer, sentence.format("26"))) == "no"


CLAIM = (
    "The engineer explains that the bridge needs new cables after the flood, which cost "
    "40 million dollars"
)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The bridge needs new cables after the flood, which will cost 40 million dollars.", "yes"),
        ("After the flood the bridge has to get cables [3][17].", "partial"),
        ("Visitors praised the museum's garden.", "no"),
        ("", "no"),
    ],
)
def test_coverage_is_graded_by_how_much_of_the_claim_is_stated(
    sentence: str, expected: str
) -> None:
    assert outcome(covers(CLAIM, sentence)) == expected
