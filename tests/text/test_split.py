"""Texts in many languages come apart where their sentences end, and nowhere else."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.text.sentences import guess_language, marks_in, spans, split
from tests.text.texts import AMHARIC, ARMENIAN, TEXTS, joined

_TRICKY = st.text(alphabet="Aa5 \n.!?…。؟\"'“”()[]«»《》中у", max_size=60)
_WORDS = """
    It fell. U.S. e.g. Mr. 3.5 No. 5. ... ?! “Go.” Inc. 。 ！ 它们 a.m. Yahoo! :) - J. т.д. Это z.B.
    Oktober ؟ … * _. ** %. A.B. (a.) etc.) [1] » «
"""


@pytest.mark.parametrize("language", TEXTS)
def test_a_paragraph_comes_apart_into_its_sentences(language: str) -> None:
    assert split(joined(language), language) == TEXTS[language]


@pytest.mark.parametrize("language", [code for code in TEXTS if code != "und"])
def test_the_language_is_guessed_from_the_text(language: str) -> None:
    assert guess_language(joined(language)) == language
    assert split(joined(language)) == TEXTS[language]


@pytest.mark.parametrize(
    "code", ["zh", "zho", "zh-Hans", "ZH_tw", "en", "xx", "char_classes", "../zh", "", None]
)
def test_a_code_in_any_form_or_for_another_script_does_no_harm(code: str | None) -> None:
    assert split(joined("zh"), code) == TEXTS["zh"]


@pytest.mark.parametrize("code", ["hy", "sw", "no-such-language", "en", None])
def test_scripts_without_rules_of_their_own_are_split_at_their_marks(code: str | None) -> None:
    texts = [*ARMENIAN, *AMHARIC]
    assert split(" ".join(texts), code) == texts


def test_a_blank_line_ends_a_sentence_and_a_line_break_does_not() -> None:
    assert split("A heading\n\nThe text\ngoes on.", "en") == ["A heading", "The text\ngoes on."]


def test_citations_after_a_full_stop_stay_with_their_sentence() -> None:
    assert split("It fell. [1] It broke.[2][3-4] It was [sic] old.", "en") == [
        "It fell. [1]",
        "It broke.[2][3-4]",
        "It was [sic] old.",
    ]


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\u00a0"])
def test_an_empty_text_has_no_sentences(text: str) -> None:
    assert split(text, "en") == []


def test_half_characters_and_null_characters_do_no_harm() -> None:
    text = "It rose \ud800.\x00 It \udfff fell\x00. It broke."
    assert split(text, "en")[-1] == "It broke."


@given(_TRICKY, st.sampled_from(["en", "zh", "ru", "ar", None]))
def test_nothing_but_white_space_is_lost(text: str, language: str | None) -> None:
    places = list(spans(text, language))
    assert "".join("".join(split(text, language)).split()) == "".join(text.split())
    assert all(left < right for left, right in places)
    assert places == sorted(places)


@given(_TRICKY, st.sampled_from(["en", "zh"]))
def test_a_sentence_is_not_split_again(text: str, language: str) -> None:
    for piece in split(text, language):
        assert "\n\n" not in piece
        assert piece == piece.strip()


@pytest.mark.parametrize("unit", ["(", ".", "a.", '" ', "好。", "[1]", "\n", "a. ", ". )"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_strange_texts_take_time_in_proportion_to_their_length(unit: str, language: str) -> None:
    # At the square of the length this would take hours.
    text = unit * (30_000 // len(unit)) + " End."
    assert "".join("".join(split(text, language)).split()) == "".join(text.split())


def test_spacy_is_not_loaded_for_texts_whose_ends_are_clear() -> None:
    code = (
        "import sys\n"
        "from argue_eval.text.sentences import check, split\n"
        "split('It rose by 3.5% at example.org in 2019.', 'en')\n"
        "list(check(['It rose.', 'It fell by 3.5%.', 'A heading'], 'en'))\n"
        "split('The U.S. firm of Dr. J. Smith (see No. 5 etc.) was sold.', 'en')\n"
        "assert len(split('It rose (see p. 3). \"Why?\" It fell by 3.5%.', 'en')) == 3\n"
        "assert len(split('大坝决堤。没有人料到！', 'zh')) == 2\n"
        "assert 'spacy' not in sys.modules\n"
        "assert len(split('It rose. . It fell.', 'en')) == 2\n"
        "assert 'spacy' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@given(
    st.lists(
        st.sampled_from(_WORDS.split()),
        max_size=12,
    ),
    st.sampled_from(["en", "zh", "ru", "de", "fr", "fa", "ja", "xx"]),
)
def test_texts_whose_ends_are_clear_are_split_as_spacy_splits_them(
    words: list[str], language: str
) -> None:
    # An address leaves the whole paragraph to spaCy.
    clear, asked = (split(" ".join([*words, "Then", end]), language) for end in ("x/y", "x://y"))
    assert clear[:-1] == asked[:-1]


def test_every_mark_of_the_sentencizer_is_looked_for_before_it_is_asked() -> None:
    from spacy.pipeline import Sentencizer

    marks = Sentencizer.default_punct_chars
    assert [mark for mark in marks if list(marks_in(f"a{mark}b")) != [2]] == []
