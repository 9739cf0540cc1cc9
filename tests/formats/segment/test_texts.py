"""Markdown and plain text come apart into segments, and no word is lost."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.text.sentences import check
from tests.formats.segment.reading import found, read, rows
from tests.text.texts import TEXTS

LANGUAGES = ["en", "zh", "ru", "fa", "ar", "es", "de"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The **dam** fell *in* __May__, ***all***.", "The dam fell in May, all."),
        ("See [the report](https://a.example/b_(c)) now.", "See the report now."),
        ("![A dam](dam.png) fell.", "A dam fell."),
        ("Run `x[1] = a*b` now.", "Run x[1] = a*b now."),
        ("Visit <https://a.example> now.", "Visit https://a.example now."),
        (r"A \*star\* and \[1\] here.", "A *star* and [1] here."),
        ("2 * 3 * 4 and a_b_c and 5*3 are kept.", "2 * 3 * 4 and a_b_c and 5*3 are kept."),
        ("> A quotation\n> goes on.", "A quotation goes on."),
        ("It ~~rose~~ fell.", "It rose fell."),
        ("A line\nbreak.", "A line break."),
        ("这是**重点**内容\n和更多。", "这是重点内容和更多。"),
    ],
)  # fmt: skip
def test_marks_are_taken_off_and_the_text_is_kept(text: str, plain: str) -> None:
    assert rows(text) == [(plain, [])]


def test_headings_items_rows_and_code_are_segments() -> None:
    text = (
        "# One #\nTwo\n===\nText one. Text two.\n- item a\n* item b\n  goes on\n\n"
        "1. first\n2. second\n\n| x | y |\n|---|---|\n| z [D1] | w |\n\n***\n```\na\nb\n```\nEnd"
    )
    assert rows(text) == [
        ("One", []), ("Two", []), ("Text one.", []), ("Text two.", []), ("item a", []),
        ("item b goes on", []), ("first", []), ("second", []), ("x | y", []), ("z | w", ["D1"]),
        ("a\nb", []), ("End", []),
    ]  # fmt: skip
    assert found(text) == [("table", 12), ("code_block", 17)]


def test_headings_are_left_out_on_demand() -> None:
    assert rows("# One\n\nText. More.", has_headings=False) == [("Text.", []), ("More.", [])]


def test_a_number_at_the_start_of_a_line_is_text_unless_it_counts_items() -> None:
    assert rows("5. Oktober 2019", language="de") == [("5. Oktober 2019", [])]
    assert rows("3. c\n4. d") == [("c", []), ("d", [])]


@pytest.mark.parametrize("text", ["\n", "# \n", "---\n", "[1]: ex-1\n"])
def test_a_text_without_sentences_is_warned_of(text: str) -> None:
    assert rows(text) == []
    assert "empty_report" in [code for code, _ in found(text)]


def test_line_ends_of_all_systems_are_the_same() -> None:
    text = "# A\n\nIt fell [D1].\nIt broke.\n- item\n"
    assert rows(text) == rows(text.replace("\n", "\r\n")) == rows(text.replace("\n", "\r"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "pattern", ["{mark} {cite}", "{cite}{mark}", " {cite}{mark}", "{mark}{cite}"]
)
def test_reports_in_many_languages_are_cut_and_cited_sentence_by_sentence(
    language: str, pattern: str
) -> None:
    texts = [each for each in TEXTS[language] if each[-1] in ".。!！?？؟"]
    cited = [
        each[:-1] + pattern.format(mark=each[-1], cite=f"[{number}]")
        for number, each in enumerate(texts, 1)
    ]
    references = "\n".join(f"[{number}]: doc-{number}" for number in range(1, len(texts) + 1))
    gap = "" if language == "zh" else " "
    report, warnings = read(f"{gap.join(cited)}\n\n{references}\n", language=language)
    assert [each.text for each in report.sentences] == texts
    assert [[one.doc_id for one in each.citations] for each in report.sentences] == [
        [f"doc-{number}"] for number in range(1, len(texts) + 1)
    ]
    assert warnings == []
    assert list(check([each.text for each in report.sentences], language)) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("```\nIt fell [9].\n```\n", 2),
        ("\n~~~ text\nIt fell [9].\n~~~", 3),
        ("Here is the report:\n\n```markdown\nIt fell [9].\n```\n\nI hope it helps.", 4),
        ("```md\nIt fell [9].", 2),
    ],
)
def test_a_reply_that_is_set_off_as_code_is_read_as_text(text: str, line: int) -> None:
    assert ("It fell.", ["9"]) in rows(text)
    assert found(text) == [("unresolved_citation", line)]


def test_other_code_is_kept_unread() -> None:
    text = "It fell [9].\n\n```\nx[1]\n```\n\n```python\ny[2]\n```"
    assert rows(text) == [("It fell.", ["9"]), ("x[1]", []), ("y[2]", [])]


_WORDS = st.sampled_from(
    ["dam", "Fell", "3.5", "U.S.", "Dr.", "a_b", "x*y", "[sic]", "(or", "so)", "“Why?”", "大坝",
     "и", "قال"]
)  # fmt: skip
_MARKED = st.builds(
    lambda mark, words: (mark.format(" ".join(words)), words),
    st.sampled_from(["{}", "**{}**", "*{}*", "_{}_", "`{}`", "[{}](http://a.example)", "~~{}~~"]),
    st.lists(st.sampled_from(["dam", "Fell", "大坝", "и"]), min_size=1, max_size=3),
)
_CITED: st.SearchStrategy[tuple[str, list[str]]] = st.sampled_from(
    [("[1]", []), ("[D2, 3]", []), ("[^4]", []), ("[5-7]", [])]
)
_PIECE = st.one_of(_WORDS.map(lambda word: (word, [word])), _MARKED, _CITED)
_LEAD = st.sampled_from(["", "# ", "- ", "* ", "> "])


@st.composite
def _documents(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A Markdown text and the words that it has without marks and citations."""
    text, words = "", []
    for _ in range(draw(st.integers(1, 4))):
        line = [("Start", ["Start"]), *draw(st.lists(_PIECE, max_size=6)), ("end.", ["end."])]
        text += draw(_LEAD) + " ".join(each for each, _ in line) + "\n\n"
        words += [word for _, own in line for word in own]
    return text, words


@given(_documents())
def test_the_words_of_a_text_are_the_words_of_its_segments(document: tuple[str, list[str]]) -> None:
    text, words = document
    assert " ".join(each for each, _ in rows(text)).split() == words


@given(st.text(alphabet="ab.! \n*_#>-+|~\\[]=«”。", max_size=80))
def test_no_letter_of_any_text_is_lost(text: str) -> None:
    kept = "".join(each for each, _ in rows(text))
    assert re.sub("[^ab]", "", kept) == re.sub("[^ab]", "", text)


@given(st.text(alphabet="a1D .\n*_#>-|`~\\[]()^:,<", max_size=80))
def test_any_text_is_read(text: str) -> None:
    report, warnings = read(text)
    assert all(each.text.strip() for each in report.sentences)
    assert all(each.line and each.line <= text.count("\n") + 1 for each in warnings)


@pytest.mark.parametrize(
    "unit",
    ["[", "*a", "**a ", "`", "|", "> ", "[1]", "[a](", "_a ", "- a\n", "1. a\n", "# \n", "\\"],
)
def test_strange_texts_take_time_in_proportion_to_their_length(unit: str) -> None:
    rows(unit * (20_000 // len(unit)) + " End.")


@pytest.mark.parametrize(
    "part",
    ["A word [1].\n", "<http://a", "[1-49] ", "`a ", "_a ", "[a](b(", "- a\n", "大坝。",
     "References\n", "References\n[1] x-1\n", "Sources\n\n", "[Doc 1] ", "(Doc 1"],
)  # fmt: skip
def test_long_texts_take_seconds(part: str) -> None:
    started = time.process_time()
    read(part * (200_000 // len(part)), language="en")
    assert time.process_time() - started < 20  # minutes, if it grew with the square
