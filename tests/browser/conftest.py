"""Headless Chromium, and the pages of the example track in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from tempfile import mkdtemp
from typing import Any, TypeVar

import pytest

from argue_eval.cli import app
from tests.example_reference import ROOT

_Found = TypeVar("_Found")

CHROMIUM, DRIVER = which("chromium") or which("chromium-browser"), which("chromedriver")
_OWN = ("file:", "about:", "blob:")
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars",
)  # fmt: skip


class Browser:
    """Chromium without a screen. All that it logs and requests is looked at."""

    def __init__(self, folder: str) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        for option in (*OPTIONS, f"--user-data-dir={folder}", "--window-size=1360,900"):
            options.add_argument(option)
        options.binary_location = CHROMIUM or ""
        logs = {"browser": "ALL", "performance": "ALL"}
        options.set_capability("goog:loggingPrefs", logs)
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))

    def open(self, page: Path, place: str = "") -> None:
        """Opens a page as if for the first time."""
        self.driver.get("about:blank")
        self.logged()
        self.requested()
        self.driver.get(f"{page.as_uri()}{place}")

    def js(self, code: str, *given: object) -> Any:
        """Evaluates an expression."""
        return self.driver.execute_script(f"return ({code})", *given)

    def click(self, what: str) -> None:
        """Clicks what is found first, as a person does: it must be in sight and not covered."""
        element = self.driver.find_element("css selector", what)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def texts(self, what: str) -> list[str]:
        """The texts of what is shown."""
        found = self.driver.find_elements("css selector", what)
        return [each.text for each in found if each.is_displayed()]

    def logged(self) -> list[str]:
        """What the console said since it was last asked."""
        return [each["message"] for each in self._log("browser")]

    def _log(self, name: str) -> Any:
        return self.driver.get_log(name)  # type: ignore[no-untyped-call]

    def requested(self) -> set[str]:
        """What was requested since it was last asked."""
        events = (json.loads(each["message"]) for each in self._log("performance"))
        return {
            each["message"]["params"]["request"]["url"]
            for each in events
            if each["message"]["method"] == "Network.requestWillBeSent"
        }

    def emulate(self, width: int = 1360, height: int = 900, *, dark: bool = False) -> None:
        """A screen of another size, and the wish for a dark page."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def press(self, keys: str) -> None:
        """Presses keys, one after the other, wherever the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver, duration=0).send_keys(keys).perform()

    def wait_for(self, found: Callable[[], _Found | None]) -> _Found:
        """Waits until something is found."""
        from selenium.webdriver.support.wait import WebDriverWait

        return WebDriverWait(self.driver, 20, poll_frequency=0.02).until(lambda _: found())  # type: ignore[return-value]

    def download_to(self, folder: Path) -> None:
        """Where files go that pages offer."""
        given = {"behavior": "allow", "downloadPath": str(folder)}
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", given)

    @contextmanager
    def script_before(self, code: str) -> Iterator[None]:
        """Runs a script before those of every page."""
        execute = self.driver.execute_cdp_cmd
        added = execute("Page.addScriptToEvaluateOnNewDocument", {"source": code})
        yield
        execute("Page.removeScriptToEvaluateOnNewDocument", added)

    def violations(self) -> list[str]:
        """What axe-core finds that is serious or worse."""
        from axe_core_python.selenium import Axe

        found = Axe().run(self.driver)["violations"]
        return [
            f"{each['id']}: {node['target']} {node['html'][:200]}"
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"][:5]
        ]


@pytest.fixture(scope="package")
def _browser() -> Iterator[Browser]:
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("no Chromium here: make test-browser installs it where it may")
    found = Browser(mkdtemp(prefix="argue-eval-chromium-"))
    yield found
    found.driver.quit()


@pytest.fixture
def browser(_browser: Browser) -> Iterator[Browser]:
    """Chromium with a wide, light screen that keeps nothing of earlier tests. No page may log an
    error or load anything.
    """
    _browser.emulate()
    everything = {"origin": "file://", "storageTypes": "all"}
    _browser.driver.execute_cdp_cmd("Storage.clearDataForOrigin", everything)
    yield _browser
    assert _browser.logged() == []
    assert {url for url in _browser.requested() if not url.startswith(_OWN)} == set()


SCORED = [
    *(str(ROOT / "runs" / f"{run}.jsonl") for run in ("careful", "hallucinating", "miscited")),
    *(str(ROOT / "runs" / "sparse.jsonl"), str(ROOT / "qrels" / "example.json")),
    *("--requests", str(ROOT / "topics" / "example.jsonl")),
    *("--collection", str(ROOT / "collection" / "example.jsonl")),
    *("--judgments", str(ROOT / "qrels" / "example.judgments.jsonl")),
]


@pytest.fixture(scope="session")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scores of the example track."""
    folder = tmp_path_factory.mktemp("example") / "scores"
    assert app.run(["score", *SCORED, "-m", "argue", "-o", str(folder), "--report"]) == 0
    return folder


@pytest.fixture(scope="session")
def page(scores: Path) -> Path:
    """The one file with all pages of the example track."""
    return scores / "report.html"
