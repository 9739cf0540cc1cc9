"""Citations are found, resolved, and given to their sentences."""

from __future__ import annotations

import pytest

from tests.formats.segment.reading import found, rows

REFERENCES = "\n\nReferences\n[1] ex-1\n[2] ex-2\n[3] ex-3\n"


@pytest.mark.parametrize(
    "text",
    [
        "It fell [1]. It broke.",
        "It fell. [1] It broke.",
        "It fell.[1] It broke.",
        "It fell.[1]It broke.",
        "It fell [1] . It broke.",
        "It [1] fell. It broke.",
        "It fell.\n[1] It broke.",
        "It fell [^1]. It broke.",
        "It fell **[1]**. It broke.",
        "It fell.【1】 It broke.",
        "It fell [[1]](#ref-1). It broke.",
        "It fell. [[1]] It broke.",
        "It fell.<sup>[1]</sup> It broke.",
    ],
)
def test_a_citation_belongs_to_the_sentence_before_it(text: str) -> None:
    cited = rows(text + REFERENCES)
    assert [ids for _, ids in cited] == [["ex-1"], []]
    assert cited[0][0].replace(" .", ".") == "It fell."


@pytest.mark.parametrize(
    ("marks", "doc_ids"),
    [
        ("[1][3]", ["ex-1", "ex-3"]),
        ("[1] [3]", ["ex-1", "ex-3"]),
        ("[3, 1]", ["ex-3", "ex-1"]),
        ("[1; 2]", ["ex-1", "ex-2"]),
        ("[1-3]", ["ex-1", "ex-2", "ex-3"]),
        ("[1–2, 3]", ["ex-1", "ex-2", "ex-3"]),
        ("[^1][^2]", ["ex-1", "ex-2"]),
        ("[1, 1]", ["ex-1"]),
        ("[ex-2]", ["ex-2"]),
        ("[1](https://a.example/x)", ["ex-1"]),
        ("[1], [2] and [3]", ["ex-1", "ex-2", "ex-3"]),
        ("[1], and\n[3]", ["ex-1", "ex-3"]),
        ("[3]; [1] & [2]", ["ex-3", "ex-1", "ex-2"]),
        ("[1]–[3]", ["ex-1", "ex-2", "ex-3"]),
        ("[1] - [3]", ["ex-1", "ex-2", "ex-3"]),
        ("[ex-1]-[ex-3]", ["ex-1", "ex-3"]),
        ("[https://a.example/x]", ["https://a.example/x"]),
    ],
)
def test_every_way_to_cite_several_documents_is_read(marks: str, doc_ids: list[str]) -> None:
    assert rows(f"It fell {marks}." + REFERENCES) == [("It fell.", doc_ids)]
    assert rows(f"It fell. {marks}" + REFERENCES) == [("It fell.", doc_ids)]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("It fell.¹ It lost diesel²,³.", [["ex-1"], ["ex-2", "ex-3"]]),
        ("It fell<sup>1</sup>. It lost diesel<sup>2, 3</sup>.", [["ex-1"], ["ex-2", "ex-3"]]),
        ("It fell 10 km² and 10<sup>9</sup> m².", [[]]),
    ],
)
@pytest.mark.parametrize("entry", ["[{}] ex-{}", "<sup>{}</sup> ex-{}"])
def test_raised_numbers_cite_where_a_reference_has_them(
    text: str, cited: list[list[str]], entry: str
) -> None:
    references = "\n".join(entry.format(number, number) for number in (1, 2, 3))
    assert [ids for _, ids in rows(f"{text}\n\n{references}")] == cited
    assert "".join(rows(f"{text}\n\n¹ ex-1")[0][0]).startswith("It fell")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("It fell [1], and it broke.", "It fell, and it broke."),
        ("It fell [1], [sic] and broke.", "It fell, [sic] and broke."),
        ("It fell [1] and [so on].", "It fell and [so on]."),
        ("It fell [1], ", "It fell,"),
    ],
)
def test_words_after_a_citation_are_dropped_only_between_two(text: str, kept: str) -> None:
    assert rows(text + REFERENCES) == [(kept, ["ex-1"])]


@pytest.mark.parametrize(
    ("marks", "doc_ids"),
    [
        ("[Doc 3]", ["ex-3"]),
        ("(Doc 3)", ["ex-3"]),
        ("[source: 2]", ["ex-2"]),
        ("(Source 2)", ["ex-2"]),
        ("[Docs 1, 2]", ["ex-1", "ex-2"]),
        ("(Sources: 1-2; Doc. 3)", ["ex-1", "ex-2", "ex-3"]),
        ("[Document 1 and Document 3]", ["ex-1", "ex-3"]),
        ("[1 and 3]", ["ex-1", "ex-3"]),
        ("[doc_2][ref#3]", ["ex-2", "ex-3"]),
        ("(文献3)", ["ex-3"]),
        ("【3†source】", ["ex-3"]),
        ("[ex-2](https://a.example/x)", ["ex-2"]),
    ],
)
@pytest.mark.parametrize(
    "references",
    [
        REFERENCES,
        REFERENCES.replace("[", "[Doc "),
        REFERENCES.replace("[", "Doc ").replace("]", ":"),
    ],
)
def test_a_number_after_a_word_for_documents_is_cited_where_a_reference_has_it(
    marks: str, doc_ids: list[str], references: str
) -> None:
    assert rows(f"It fell {marks}." + references) == [("It fell.", doc_ids)]
    assert found(f"It fell {marks}." + references) == []


@pytest.mark.parametrize(
    "marks", ["[Doc 5]", "(Doc 5)", "[source: 5]", "[1 and 5]", "[1, p. 5]", "[source: Li]"]
)
def test_what_looks_like_a_citation_and_has_no_reference_is_kept_and_warned_of(marks: str) -> None:
    text = f"One [2].\nIt fell {marks}."
    assert rows(text + REFERENCES) == [("One.", ["ex-2"]), (f"It fell {marks}.", [])]
    assert found(text + REFERENCES) == [("unread_citation", 2)]
    advice = "\n".join([REFERENCES, "[5] ex-5"])  # what the warning advises
    if "5" in marks and "p." not in marks:
        assert rows(text + advice)[1][1][-1] == "ex-5"
        assert found(text + advice) == []


@pytest.mark.parametrize(
    "words", ["(see 3)", "(3)", "(Docker 3)", "[documented 3 times]", "(Figure 3)"]
)
def test_other_numbers_after_words_stay_in_the_text(words: str) -> None:
    assert rows(f"It fell {words} [1]." + REFERENCES) == [(f"It fell {words}.", ["ex-1"])]
    assert found(f"It fell {words} [1]." + REFERENCES) == []


def test_a_text_that_cites_nothing_is_warned_of() -> None:
    assert found("It fell. It broke.") == [("no_citations", 1)]
    assert found("It fell [Doc 1].") == [("unread_citation", 1)]
    assert found("It fell [1]." + REFERENCES) == []


@pytest.mark.parametrize(
    ("entry", "doc_id"),
    [
        ("5. [ex-0005](https://a.example/5)", "ex-0005"),
        ("5. [The dam](https://a.example/5)", "https://a.example/5"),
        ("[5] [The dam](ex-0005)", "ex-0005"),
        ("- [5](https://a.example/5)", "https://a.example/5"),
        ("5. [The dam of 2019](https://a.example/5), retrieved 2020", "https://a.example/5"),
        ("5. https://a.example/5", "https://a.example/5"),
        ("- [Dam](https://a.example/5)", "https://a.example/5"),
    ],
)
def test_of_a_linked_reference_the_title_counts_if_it_is_an_id(entry: str, doc_id: str) -> None:
    number = "1" if entry.startswith("- [D") else "5"
    assert rows(f"It fell [{number}].\n\nReferences\n{entry}") == [("It fell.", [doc_id])]


@pytest.mark.parametrize(
    "inner",
    ["sic", "…", "...", "2019", "1999-2003", "a", "the dam", "COVID-19", "9-1", " ", "x, 1"],
)
def test_other_words_in_brackets_stay_in_the_text(inner: str) -> None:
    text = f"It fell [{inner}] there."
    assert rows(text) == [(" ".join(text.split()), [])]


def test_numbers_without_a_reference_are_kept_with_one_warning() -> None:
    text = "One fell.\nTwo fell [7]. Three fell [8, 9]."
    assert [ids for _, ids in rows(text)] == [[], ["7"], ["8", "9"]]
    assert found(text) == [("unresolved_citation", 2)]
    assert found("It fell [4]." + REFERENCES) == [("unresolved_citation", 1)]


def test_citations_before_their_sentences_are_read_so_on_demand() -> None:
    text = "[1] It fell. [2] It broke [3]." + REFERENCES
    assert rows(text, place="before") == [("It fell.", ["ex-1"]), ("It broke.", ["ex-2", "ex-3"])]
    assert found(text, place="before") == []
    assert found("It fell. [1]" + REFERENCES, place="before") == [("citation_at_end", 1)]


def test_a_citation_without_a_sentence_before_it_is_a_warning() -> None:
    assert rows("Up.\n\n[1] It fell." + REFERENCES) == [("Up.", []), ("It fell.", ["ex-1"])]
    assert found("Up.\n\n[1] It fell." + REFERENCES) == [("citation_at_start", 3)]
    assert rows("It fell.\n\n[1]\n\nUp." + REFERENCES) == [("It fell.", ["ex-1"]), ("Up.", [])]
    assert found("It fell.\n\n[1]\n\nUp." + REFERENCES) == [("citation_alone", 3)]
    assert found("[D1]\n\nUp.") == [("citation_without_text", 1)]


@pytest.mark.parametrize(
    "references",
    [
        "## References\n\n1. ex-1\n2. ex-2",
        "Source:\n- Doc 1: ex-1\n- Source 2. ex-2",
        "**Sources:**\n- [1] ex-1\n- [2] ex-2",
        "参考文献\n[1] ex-1\n[2] ex-2",
        "Источники:\n[1] ex-1, Плотина (2019)\n[2] ex-2",
        "المراجع\n[1] ex-1\n[2] ex-2",
        "[1]: ex-1\n[2]: ex-2 The dam",
        "[^1]: ex-1\n[^2]: ex-2",
        "[1] ex-1\n[2] ex-2",
        "# References\n- ex-1\n- ex-2",
        "References\n[1] [The dam](ex-1)\n[2] <ex-2>",
        "References\n----------\n[1] ex-1\n\n[2] ex-2",
    ],
)
def test_reference_lists_in_many_formats_are_read(references: str) -> None:
    text = f"It fell [1]. It broke [2].\n\n{references}\n"
    assert rows(text) == [("It fell.", ["ex-1"]), ("It broke.", ["ex-2"])]
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It fell [2019].\n\n[2019]: ex-1\n", [("It fell.", ["ex-1"])]),
        ("It fell [1](https://a.example/x).", [("It fell.", ["https://a.example/x"])]),
        *((f"It fell [{doc_id}].", [("It fell.", [doc_id])]) for doc_id in (
            "D12", "ex-0001", "5f91a162-7a1e_374756147", "12345678")),
        ("# Sources\n\nThe sources of the river dried up.",
         [("Sources", []), ("The sources of the river dried up.", [])]),
        ("It fell [1].\n\n## References\n[1] ex-1\n\n## Annex\nIt broke [1].",
         [("It fell.", ["ex-1"]), ("Annex", []), ("It broke.", ["ex-1"])]),
    ],
)  # fmt: skip
def test_years_links_and_ids_are_cited_and_text_around_references_is_read(
    text: str, expected: list[tuple[str, list[str]]]
) -> None:
    assert rows(text) == expected
    assert not {code for code, _ in found(text)} - {"no_citations"}


def test_references_that_name_no_document_or_two_are_warned_of() -> None:
    text = "It fell [1].\n\nReferences\n[1] Smith, J.: Dams.\n[2] ex-1\n[2] ex-2\n"
    assert rows(text) == [("It fell.", ["1"])]
    assert found(text) == [
        ("unresolved_citation", 1),
        ("reference_unclear", 4),
        ("reference_differs", 6),
    ]


def test_given_references_hold_where_the_text_has_none_of_its_own() -> None:
    given = {"1": "given-1", "4": "given-4"}
    assert rows("It fell [4]. It broke [1].\n\n[1]: ex-1", references=given) == [
        ("It fell.", ["given-4"]),
        ("It broke.", ["ex-1"]),
    ]
