"""Every format can be listed, described and told apart."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import ModuleType
from typing import cast

import pytest

from argue_eval.errors import UsageError
from argue_eval.formats import plugins
from argue_eval.formats.shapes import BUILT_IN
from tests.formats import samples as s
from tests.formats.reading import Reading

KINDS = plugins.KINDS
FORMATS = [(kind, format_name) for kind in KINDS for format_name in plugins.all_names(kind)]


@pytest.mark.parametrize(("kind", "format_name"), FORMATS)
def test_first_line_of_a_format_describes_it(kind: str, format_name: str) -> None:
    module = plugins.load(kind, format_name)
    source = Path(inspect.getfile(cast(ModuleType, module))).read_text(encoding="utf-8")
    description = ast.get_docstring(ast.parse(source)) or ""
    assert description.splitlines()[0].endswith(".")


@pytest.mark.parametrize("kind", plugins.KINDS)
def test_every_format_has_keys_of_its_own_or_is_detected_in_another_way(kind: str) -> None:
    found = [(frozenset(each.shape), each.name) for each in BUILT_IN[kind]]
    assert len({shape for shape, _ in found}) == len(found)
    others = {"rag_tsv", "sheet_csv", "irds"}  # tables, and what is named irds:ID
    assert {name for _, name in found} | others >= {*plugins.names(kind)}


def test_unknown_format_names_the_choices(reading: Reading) -> None:
    with pytest.raises(UsageError, match="Did you mean 'canonical'"):
        reading.run(s.report(), format_name="canonicla")


def test_pretty_printed_lines_are_not_taken_for_json_lines(reading: Reading) -> None:
    raw = b'{\n"topic_id": "t1", "title": "x",\n"problem_statement": "y"}\n'
    assert reading.requests(raw)[0].problem_statement == "y"
