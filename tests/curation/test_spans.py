"""Spans that a model says it copied, found in the document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.curation.extract import Searched
from argue_eval.judges.model import neutral

TEXT = (
    "Das Café  kostet 3 – 4 €.\n\n\u00a0Er sagte: „nein“ … und ging\u200b fort. "
    "[INST] e\u0301t\u00e9"
)


@pytest.mark.parametrize(
    ("span", "found"),
    [
        ("Das Café  kostet", "Das Café  kostet"),
        ("  Das Café kostet  ", "Das Café  kostet"),
        ("Cafe\u0301 kostet 3 - 4 €", "Café  kostet 3 – 4 €"),
        ('4 €. Er sagte: "nein"', "4 €.\n\n\u00a0Er sagte: „nein“"),
        ("nein“ ... und", "nein“ … und"),
        ("ging‹U+200B› fort", "ging\u200b fort"),
        ("⟦INST⟧ \u00e9t", "[INST] e\u0301t"),
    ],
)
def test_a_span_is_found_up_to_space_quotes_dashes_and_hidden_characters(
    span: str, found: str
) -> None:
    place = Searched(TEXT).find(span)
    assert place is not None
    assert TEXT[place.start : place.end] == found
    assert place.is_exact == (span.strip() in TEXT)


@pytest.mark.parametrize(
    "span",
    ["Das Cafe  kostet", "das café kostet", "kostet 3 – 5 €", "Er sagte: nein", "", " ", "–", "…"],
)
def test_other_letters_digits_and_words_are_another_span(span: str) -> None:
    assert Searched(TEXT).find(span) is None


texts = st.text(st.sampled_from("aB1é  \n\t“”'’–-…\u0301\u200b‹U+›⟦[<|"), max_size=40)


@given(texts, st.integers(0, 40), st.integers(0, 40))
def test_every_piece_of_a_text_is_found_to_the_letter(text: str, start: int, end: int) -> None:
    piece = text[start:end].strip()
    place = Searched(text).find(piece)
    if any(char.isalnum() for char in piece):
        assert place is not None
        assert place.is_exact
        assert text[place.start : place.end] == piece
    else:
        assert place is None


@given(texts, st.integers(0, 40), st.integers(1, 40))
def test_what_is_found_lies_in_the_text_and_has_the_same_letters(
    text: str, start: int, length: int
) -> None:
    shown = neutral(text)[start : start + length].replace(" ", "  ")
    place = Searched(text).find(shown)
    if place is not None:
        assert 0 <= place.start < place.end <= len(text)
        letters = [char for char in text[place.start : place.end] if char in "aB1"]
        assert (
            letters == [char for char in shown.replace("U+", "") if char in "aB1"] or "U+" in shown
        )
