"""What is written in a canonical format is read back as it was."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval import formats
from tests.convert.records import RECORDS, harmless

WAYS: dict[str, tuple[Callable[..., None], Callable[..., Any]]] = {
    "requests": (formats.write_requests, formats.read_topics),
    "nuggets": (formats.write_nuggets, formats.read_nuggets),
    "runs": (formats.write_run, formats.read_run),
}


@pytest.mark.parametrize("kind", WAYS)
@given(st.data())
def test_records_are_read_as_they_were_written(kind: str, data: st.DataObject) -> None:
    write, read = WAYS[kind]
    records = [harmless(each) for each in data.draw(RECORDS[kind])]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        with path.open("w", encoding="utf-8", newline="") as stream:
            write(records, stream)
        assert list(read(str(path))) == records
