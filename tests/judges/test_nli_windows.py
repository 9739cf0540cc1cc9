"""Long documents in windows: nothing is left out, and sentences stay whole."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.judges.local.classifier import Classifier, find
from argue_eval.judges.local.tokens import PairTokenizer
from argue_eval.judges.nli.windows import Passage, cut
from tests.tiny_models import plain_bytes, save, tiny_roberta

LABELS = {0: "entailment", 1: "neutral"}

sentence_lengths = st.lists(st.integers(1, 40), min_size=1, max_size=40)
rooms = st.integers(1, 60)


def _borders(lengths: list[int]) -> list[int]:
    borders = [0]
    for length in lengths:
        borders.append(borders[-1] + length)
    return borders


@given(sentence_lengths, rooms)
def test_every_token_is_in_some_window_and_no_window_is_too_long(
    lengths: list[int], room: int
) -> None:
    borders = _borders(lengths)
    windows = cut(borders, room)
    assert windows[0][0] == 0
    assert windows[-1][1] == borders[-1]
    assert all(0 < end - start <= room for start, end in windows)
    for (start, end), (following, following_end) in pairwise(windows):
        assert start < following <= end < following_end


@given(sentence_lengths, rooms)
def test_windows_begin_and_end_with_sentences_that_fit(lengths: list[int], room: int) -> None:
    borders = _borders(lengths)
    long = [(a, b) for a, b in pairwise(borders) if b - a > room]
    for place in {place for window in cut(borders, room) for place in window}:
        assert place in borders or any(a < place < b for a, b in long)


@given(st.lists(st.integers(1, 10), min_size=1, max_size=60), st.integers(40, 60))
def test_windows_overlap_by_whole_sentences_up_to_a_quarter(lengths: list[int], room: int) -> None:
    borders = _borders(lengths)
    for (_, end), (following, _) in pairwise(cut(borders, room)):
        assert 0 < end - following <= room // 4
        # One more sentence of overlap would be too much, or leave no room for what is new.
        earlier = borders[borders.index(following) - 1]
        next_end = borders[borders.index(end) + 1]
        assert end - earlier > room // 4 or next_end - earlier > room


@given(st.lists(st.integers(1, 60), min_size=1, max_size=20), st.integers(1, 60))
def test_a_text_that_fits_is_one_window(lengths: list[int], spare: int) -> None:
    borders = _borders(lengths)
    assert cut(borders, borders[-1] - 1 + spare) == [(0, borders[-1])]


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Classifier:
    """A model whose tokens are bytes, so that they can be counted."""
    folder = tmp_path_factory.mktemp("models")
    plain_bytes(100).save_pretrained(folder)
    save(tiny_roberta(300, LABELS, 100), folder)
    return Classifier(find(str(folder)), "cpu", "fp32")


TEXT = "The mill is old. It was built in 1784. A fire burned it down. Nobody was hurt."


def test_windows_are_whole_sentences_of_the_document(classifier: Classifier) -> None:
    passage = Passage(classifier, TEXT)
    excerpts = [passage.excerpt(window) for window in passage.windows(45)]
    assert excerpts == [
        "The mill is old. It was built in 1784.",
        "A fire burned it down. Nobody was hurt.",
    ]


def test_the_title_stands_in_every_window_but_in_one_excerpt(classifier: Classifier) -> None:
    passage = Passage(classifier, TEXT, "Mill")
    windows = passage.windows(50)
    assert len(windows) == 2
    told = [bytes(_letters(classifier, passage.ids(window, 50))).decode() for window in windows]
    assert told == [
        "Mill\nThe mill is old. It was built in 1784. ",
        "Mill\nA fire burned it down. Nobody was hurt.",
    ]
    assert [passage.excerpt(window) for window in windows] == [
        "Mill\nThe mill is old. It was built in 1784.",
        "A fire burned it down. Nobody was hurt.",
    ]


def _letters(classifier: Classifier, ids: object) -> list[int]:
    """Returns the bytes that tokens stand for."""
    of_token = {classifier.encode(chr(code)).ids[0]: code for code in range(128)}
    return [of_token[each] for each in ids]  # type: ignore[attr-defined]


def test_a_title_that_takes_more_than_a_quarter_is_part_of_the_text(
    classifier: Classifier,
) -> None:
    passage = Passage(classifier, TEXT, "How the mill at Harrow burned down")
    assert passage.head(50) == 0
    excerpts = [passage.excerpt(window) for window in passage.windows(50)]
    assert excerpts[0].startswith("How the mill at Harrow burned down")
    assert not any("Harrow" in excerpt for excerpt in excerpts[1:])


def test_a_document_that_fits_is_one_window_and_is_not_split(
    classifier: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Passage, "borders", None)
    passage = Passage(classifier, TEXT, "The mill")
    (window,) = passage.windows(1000)
    assert passage.excerpt(window) == f"The mill\n{TEXT}"


@given(
    st.text(st.characters(codec="utf-8") | st.sampled_from(".!? \n。،"), min_size=1, max_size=300),
    st.text(max_size=20),
    st.integers(12, 60),
)
def test_windows_of_any_text_hold_all_of_its_tokens(text: str, title: str, room: int) -> None:
    passage = Passage(_only_tokens(), text, title)
    windows = passage.windows(room)
    num_tokens = len(passage.tokens.ids)
    assert all(len(passage.ids(window, room)) <= room for window in windows)
    if num_tokens:
        assert {place for start, end in windows for place in range(start, end)} == set(
            range(num_tokens)
        )


class _OnlyTokens:
    """As much of a classifier as a passage needs, without a model."""

    def __init__(self) -> None:
        self.encode = PairTokenizer(plain_bytes(100), "model").encode


@cache
def _only_tokens() -> Classifier:
    made: Classifier = _OnlyTokens()  # type: ignore[assignment]
    return made


def test_the_languages_own_marks_end_sentences(classifier: Classifier) -> None:
    passage = Passage(classifier, "水坝很高。鱼回来了。", language="zh")
    assert len(passage.borders()) == 2
