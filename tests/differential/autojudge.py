"""The check of autojudge-base: verdict and categories of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

REJECTED = "rejected"
"""Its parser raised an exception: nothing is known about the rest of the run."""


class Autojudge:
    """What its modules are called for.

    Args:
        load: imports one of them.
    """

    def __init__(self, load: Callable[[str], Any]) -> None:
        self._load_report = load("report").load_report
        self._load_requests = load("request").load_requests_from_file
        self._check = _tagged(load("report_spec_verification"))
        self._reports = load("report_verification").ReportVerification
        specs = load("track_spec")
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
