"""Reads files that a test writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from argue_eval.errors import Finding
from argue_eval.records import Judgment, Report, ReportRequest, TopicNuggets
from tests.formats.samples import lines

DATA = Path(__file__).parents[2].parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")


class Reading:
    """Writes values as JSON lines, or bytes as they are, and reads them back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.warnings: list[Finding] = []

    def path(self, content: Any, name: str = "input.jsonl") -> str:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else lines(*content))
        return str(path)

    def requests(self, *values: Any, format_name: str | None = None) -> list[ReportRequest]:
        return formats.read_topics(self.path(_content(values)), format_name, self.warnings)

    def nuggets(self, *values: Any, format_name: str | None = None) -> list[TopicNuggets]:
        return formats.read_nuggets(self.path(_content(values)), format_name, self.warnings)

    def run(self, *values: Any, format_name: str | None = None) -> list[Report]:
        return list(formats.read_run(self.path(_content(values)), format_name, self.warnings))

    def judgments(
        self,
        *values: Any,
        nuggets: list[TopicNuggets] | None = None,
        format_name: str | None = None,
    ) -> list[Judgment]:
        path = self.path(_content(values))
        return list(formats.iter_judgments(path, nuggets or (), format_name, self.warnings))

    def codes(self) -> list[str]:
        return [warning.code for warning in self.warnings]


def _content(values: tuple[Any, ...]) -> Any:
    return values[0] if len(values) == 1 and isinstance(values[0], bytes) else values
