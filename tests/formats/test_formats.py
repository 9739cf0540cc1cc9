"""Every format can be listed, described and told apart."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

from argue_eval import formats
from argue_eval.errors import UsageError
from argue_eval.formats import plugins
from argue_eval.formats.documents import jsonl
from argue_eval.formats.documents import summhay as haystacks
from argue_eval.formats.judgments import auto_argue as judged_auto_argue
from argue_eval.formats.judgments import biogen_assessments as judged_biogen
from argue_eval.formats.judgments import canonical as judged_canonical
from argue_eval.formats.judgments import dragun as judged_dragun
from argue_eval.formats.judgments import nuggetizer as judged_nuggetizer
from argue_eval.formats.judgments import rag_support as judged_rag_support
from argue_eval.formats.judgments import rubrics as judged_rubrics
from argue_eval.formats.judgments import sheet, sheet_csv, summhay_labels
from argue_eval.formats.judgments import summhay as judged_summhay
from argue_eval.formats.nuggets import (
    auto_argue,
    biogen_assessments,
    canonical,
    dragun,
    neuclir,
    nuggetizer,
    rag_support,
    ragtime26,
    rubrics,
    summhay,
)
from argue_eval.formats.requests import biogen, rag25, rag_tsv
from argue_eval.formats.requests import canonical as requests_canonical
from argue_eval.formats.requests import dragun as requests_dragun
from argue_eval.formats.requests import neuclir as requests_neuclir
from argue_eval.formats.requests import summhay as requests_summhay
from tests.formats import samples as s
from tests.formats.reading import Reading

KINDS = plugins.KINDS
FORMATS = [(kind, format_name) for kind in KINDS for format_name in plugins.all_names(kind)]


def test_formats_are_listed_by_kind() -> None:
    runs = [
        "biogen",
        "biogen_assessments",
        "canonical",
        "dragun",
        "neuclir",
        "nuggetizer",
        "rag",
        "rag_support",
        "rubrics",
        "summhay",
    ]
    assert formats.format_names("runs") == runs
    assert formats.format_names("documents") == ["irds", "jsonl", "summhay"]
    judgments = [
        "auto_argue",
        "biogen_assessments",
        "canonical",
        "dragun",
        "nuggetizer",
        "rag_support",
        "rubrics",
        "sheet",
        "sheet_csv",
        "summhay",
        "summhay_labels",
    ]
    assert formats.format_names("judgments") == judgments


@pytest.mark.parametrize(("kind", "format_name"), FORMATS)
def test_first_line_of_a_format_describes_it(kind: str, format_name: str) -> None:
    module = plugins.load(kind, format_name)
    source = Path(inspect.getfile(cast(ModuleType, module))).read_text(encoding="utf-8")
    description = ast.get_docstring(ast.parse(source)) or ""
    assert description.splitlines()[0].endswith(".")


@pytest.mark.parametrize(("kind", "format_name"), FORMATS)
def test_no_two_formats_of_a_kind_have_the_same_keys(kind: str, format_name: str) -> None:
    shapes = plugins.load(kind, format_name).SHAPES
    others = [each for each in plugins.all_names(kind) if each != format_name]
    for other in others:
        found = plugins.load(kind, other).SHAPES
        assert not {frozenset(shape) for shape in shapes} & {frozenset(shape) for shape in found}


def test_unknown_format_names_the_choices(reading: Reading) -> None:
    with pytest.raises(UsageError, match="Did you mean 'canonical'"):
        reading.run(s.report(), format_name="canonicla")


def test_pretty_printed_lines_are_not_taken_for_json_lines(reading: Reading) -> None:
    raw = b'{\n"topic_id": "t1", "title": "x",\n"problem_statement": "y"}\n'
    assert reading.requests(raw)[0].problem_statement == "y"


def test_built_in_formats_have_the_types_of_their_protocols() -> None:
    """What is tested is that mypy accepts these lists."""
    of_requests: list[plugins.RequestFormat] = [
        biogen, requests_canonical, requests_dragun, requests_neuclir, rag25, rag_tsv,
        requests_summhay,
    ]  # fmt: skip
    of_nuggets: list[plugins.NuggetFormat] = [
        auto_argue,
        biogen_assessments,
        canonical,
        dragun,
        neuclir,
        nuggetizer,
        rag_support,
        ragtime26,
        rubrics,
        summhay,
    ]
    of_judgments: list[plugins.JudgmentFormat] = [
        judged_auto_argue,
        judged_biogen,
        judged_canonical,
        judged_dragun,
        judged_nuggetizer,
        judged_rag_support,
        judged_rubrics,
        sheet,
        sheet_csv,
        judged_summhay,
        summhay_labels,
    ]
    of_documents: list[plugins.DocumentFormat] = [jsonl, haystacks]
    by_kind: dict[str, list[Any]] = {}
    by_kind.update(requests=of_requests, nuggets=of_nuggets, judgments=of_judgments)
    assert len(of_documents) == 2
    for kind, found in by_kind.items():
        assert found == [plugins.load(kind, name) for name in plugins.names(kind)]
