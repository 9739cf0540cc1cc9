"""The check of autojudge-base: verdict and categories of a run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

REJECTED = "rejected"
"""Its parser raised an exception: nothing is known about the rest of the run."""

_PACKAGE = "autojudge_base"
_CHUNKER = f"{_PACKAGE}.document.text_chunker"
_CUTTERS = ("get_limit_length_chunks", "get_sentence_chunks_on_newline", "get_paragraph_chunks")


class Autojudge:
    """What its modules are called for."""

    def __init__(self) -> None:
        self._load_report = import_module(f"{_PACKAGE}.report").load_report
        self._load_requests = import_module(f"{_PACKAGE}.request").load_requests_from_file
        self._check = _tagged(import_module(f"{_PACKAGE}.report_spec_verification"))
        self._reports = import_module(f"{_PACKAGE}.report_verification").ReportVerification
        specs = import_module(f"{_PACKAGE}.track_spec")
        self._spec = specs.get_spec
        self.known_categories = set(specs.KNOWN_SMELL_CATEGORIES)

    def requests(self, path: Path) -> dict[str, Any]:
        """The requests of a file by topic."""
        return {request.request_id: request for request in self._load_requests(path)}

    def categories(self, path: Path, spec: str, requests: dict[str, Any]) -> set[str]:
        """What is found in a run, as ``error length``; or that it was rejected."""
        # What its parser may raise is no part of its interface: json, pydantic, RuntimeError …
        try:
            reports = self._load_report(path)
        except Exception:
            return {REJECTED}
        found: set[str] = set()
        for report in reports:
            request = requests.get(str(report.metadata.topic_id))
            found |= self._check(report, self._spec(spec), request=request).run().categories
        across = self._reports(reports, spec, requests=requests).coverage()
        return found | {f"{each.severity} {each.category}" for each in across.findings}


@contextmanager
def loaded() -> Iterator[Autojudge | None]:
    """Gives the package's modules; None if it is not installed.

    Its start and the module that cuts documents are left out: they download word lists, and no
    check needs them. All is forgotten afterwards, so that other tests see none of this.
    """
    spec = find_spec(_PACKAGE)
    if spec is None or spec.submodule_search_locations is None:
        yield None
        return
    package = ModuleType(_PACKAGE)
    package.__path__ = list(spec.submodule_search_locations)
    before = set(sys.modules)
    sys.modules[_PACKAGE] = package
    sys.modules[_CHUNKER] = _stub()
    try:
        yield Autojudge()
    finally:
        for name in set(sys.modules) - before:
            if name.split(".")[0] == _PACKAGE:
                del sys.modules[name]


def _stub() -> ModuleType:
    def cut(*args: Any) -> None:
        raise NotImplementedError("no check cuts documents")

    module = ModuleType(_CHUNKER)
    for name in _CUTTERS:
        setattr(module, name, cut)
    return module


def _tagged(rules: ModuleType) -> Any:
    """Its check of one report, made to keep the categories beside the messages."""
    check: Any = rules.TrackSpecVerification

    class Tagged(check):  # type: ignore[misc]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.categories: set[str] = set()

        def _add(self, category: str, message: str) -> None:
            num_errors = len(self.errors)
            super()._add(category, message)
            severity = "error" if len(self.errors) > num_errors else "warning"
            self.categories.add(f"{severity} {category}")

    return Tagged
