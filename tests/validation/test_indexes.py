"""Indexes that count from 1, and references that are removed: the advice keeps what is cited."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from argue_eval import formats
from argue_eval.errors import InputError
from argue_eval.validation import validate
from tests.validation.samples import SEGMENT, Json, run_of, write_run

DOCS = [SEGMENT.format(number) for number in range(5)]


def _report(references: list[str], cited: list[list[int]]) -> Json:
    report = run_of("rag25")[0]
    report["references"] = references
    report["answer"] = [{"text": f"Fact {n}.", "citations": each} for n, each in enumerate(cited)]
    return report


def _cites(report: Json) -> list[list[str]]:
    return [[report["references"][n] for n in each["citations"]] for each in report["answer"]]


def test_thousands_of_references_that_nothing_cites_take_bounded_time(tmp_path: Path) -> None:
    report = _report([SEGMENT.format(number) for number in range(15_000)], [[0]] * 15_000)
    found = validate(write_run(tmp_path / "run.jsonl", [report]), "rag25")
    assert "references_uncited" in {each.code for each in found}


def _subtract(report: Json, above: int = -1) -> None:
    for each in report["answer"]:
        each["citations"] = [n - (n > above) for n in each["citations"]]


def _remove(place: int) -> Callable[[Json], None]:
    def mend(report: Json) -> None:
        del report["references"][place]
        _subtract(report, place)

    return mend


def _cite_first(report: Json) -> None:
    for each in report["answer"]:
        each["citations"] = [0 if n == 2 else n for n in each["citations"]]
    _remove(2)(report)


@pytest.mark.parametrize(
    ("references", "cited", "code", "says", "advises", "mend", "meant"),
    [
        (DOCS[:3], [[1, 2], [3], [3]], "reference_index",
         "points at none of the references (3 of them); the indexes look as if they counted from "
         "1: they are 1 to 3, and never 0", "indexes count from 0: subtract 1 from every index",
         _subtract, [DOCS[:2], DOCS[2:3], DOCS[2:3]]),
        (DOCS[:4], [[2], [4], []], "reference_index", "they are 2 to 4, and never 0",
         "subtract 1 from every index", _subtract, [DOCS[1:2], DOCS[3:4], []]),
        (DOCS[:4], [[1], [2, 3], []], "references_uncited",
         "the indexes may count from 1: they are 1 to 3, and never 0",
         "if yours count from 1, subtract 1 from every index of the report; if not, remove it and "
         "subtract 1 from every index above 0", _subtract, [DOCS[:1], DOCS[1:3], []]),
        (DOCS[:4], [[1], [2, 3], []], "references_uncited", "may count from 1",
         "if not, remove it and subtract 1", _remove(0), [DOCS[1:2], DOCS[2:4], []]),
        (DOCS[:4], [[0], [3], [1]], "references_uncited", "is cited by no sentence",
         "remove it and subtract 1 from every index above 2, or cite it", _remove(2),
         [DOCS[:1], DOCS[3:4], DOCS[1:2]]),
        ([*DOCS[:2], DOCS[0], DOCS[3]], [[0, 1], [2], [3]], "references_duplicate",
         "is listed twice", "cite 0 for it; then remove it and subtract 1 from every index above 2",
         _cite_first, [DOCS[:2], DOCS[:1], DOCS[3:4]]),
        (DOCS[:2], [[0, 1], [7], []], "reference_index", "(2 of them)", "indexes count from 0",
         None, None),
    ],
)  # fmt: skip
def test_following_the_advice_keeps_what_each_sentence_cites(
    references: list[str],
    cited: list[list[int]],
    code: str,
    says: str,
    advises: str,
    mend: Callable[[Json], None] | None,
    meant: list[list[str]] | None,
    tmp_path: Path,
) -> None:
    report = _report(references.copy(), cited)
    (found,) = validate(write_run(tmp_path / "run.jsonl", [report]), "rag25")
    assert found.code == code
    assert advises in found.hint
    assert says in found.message
    if mend:
        mend(report)
        assert _cites(report) == meant
        left = validate(write_run(tmp_path / "run.jsonl", [report]), "rag25")
        assert (found.code, found.path) not in [(each.code, each.path) for each in left]


def test_scoring_says_that_indexes_count_from_1(tmp_path: Path) -> None:
    report = _report(DOCS[:2], [[1], [2], [1]])
    with pytest.raises(InputError, match="counted from 1: subtract 1 from each"):
        formats.read_runs(write_run(tmp_path / "run.jsonl", [report]))


@pytest.mark.parametrize(
    ("cited", "references", "code", "advises", "also"),
    [
        (["0"], DOCS[:1], "docid_pattern", "if it is an index, write it without quotes: 0",
         {"references_undeclared"}),
        ([0.0], DOCS[:1], "citation_format", "write 0", set()),
        (0, DOCS[:1], "citation_format", "write [0]; [] if it cites nothing", set()),
        ("0", DOCS[:1], "citation_format", 'write ["0"]; [] if it cites nothing', set()),
        ("1, 2", DOCS[:1], "citation_format", "write [doc_id, …]; [] if it cites nothing", set()),
        ([0], [{"doc_id": DOCS[0]}], "wrong_type", "write the document id alone", set()),
        (DOCS[:1], [None, *DOCS], "wrong_type", "remove it", set()),
        ([0], [None], "wrong_type", "write the document id that is cited by the index 0", set()),
        ([1], [None, DOCS[0]], "wrong_type", "remove it and subtract 1 from every index above 0",
         set()),
        ([""], [None, DOCS[0]], "docid_pattern", "correct the id", {"wrong_type"}),
        (["7"], DOCS[:1], "references_undeclared", "add it to the references",
         {"docid_pattern", "references_uncited"}),
    ],
)  # fmt: skip
def test_of_one_mistake_nothing_is_said_that_would_spoil_the_report(
    cited: object, references: list[object], code: str, advises: str, also: set[str], tmp_path: Path
) -> None:
    report = _report([], [])
    report["references"] = references
    report["answer"] = [{"text": "Fact 0.", "citations": cited}]
    findings = validate(write_run(tmp_path / "run.jsonl", [report]), "rag25")
    assert {each.code for each in findings} == {code, *also}
    assert advises in {each.hint for each in findings if each.code == code}


def test_an_index_of_a_reference_that_is_no_text_is_no_empty_id(tmp_path: Path) -> None:
    report = run_of("generic")[0]
    report |= {"references": [7], "responses": [{"text": "Fact 0.", "citations": [0]}]}
    findings = validate(write_run(tmp_path / "run.jsonl", [report]), "generic")
    assert [(each.code, each.hint) for each in findings] == [
        ("wrong_type", 'put it in quotes: "7"')]  # fmt: skip
