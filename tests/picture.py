"""The pictures of README.md and docs, taken in Chromium: ``python -m tests.picture``."""

from __future__ import annotations

import base64
from pathlib import Path
from tempfile import TemporaryDirectory

from argue_eval.cli import app
from tests.browser.conftest import SCORED, Browser
from tests.example_reference import ROOT

_TRUTH = str(ROOT / "qrels" / "example.judgments.jsonl")
PICTURES = {
    "track": ("assessed", "", 1000),
    "topic": ("assessed", "#topic-ex1/careful/4", 860),
    "beside": ("assessed", "#topic-ex1/sparse/1~hallucinating", 860),
    "run": ("assessed", "#run-miscited", 900),
    "nuggets": ("assessed", "#nuggets-ex4", 760),
    "judges": ("lexical", "#judges", 900),
}
"""The pictures by name: of which scores, the place, and the height in pixels."""


SHEETS = {"sheet": ("sample", "ynnyyn", 620), "nugget-sheet": ("nuggets", "jvjj", 760)}
"""Pictures of sheets by name: of which sheet, the keys that are pressed, and the height."""


def main() -> None:
    """Writes the pictures into docs/pictures."""
    target = ROOT / "docs" / "pictures"
    target.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        pages = _pages(Path(folder))
        browser = Browser(f"{folder}/chromium")
        for name, (scores, place, height) in PICTURES.items():
            browser.emulate(1280, height)
            browser.open(pages[scores], place)
            _take(browser, target / f"{name}.webp")
        for name, (sheet, keys, height) in SHEETS.items():
            browser.emulate(1280, height)
            browser.open(_sheets(Path(folder))[sheet])
            browser.press(keys)
            _take(browser, target / f"{name}.webp")
        browser.driver.quit()


def _take(browser: Browser, path: Path) -> None:
    given = {"format": "webp", "quality": 82}
    taken = browser.driver.execute_cdp_cmd("Page.captureScreenshot", given)
    path.write_bytes(base64.b64decode(taken["data"]))


def _sheets(folder: Path) -> dict[str, Path]:
    """Sheets of the example track: questions, and nuggets."""
    drawn = ["sample", str(folder / "lexical"), "-n", "40", "--kind", "support", "--assessor", "A"]
    assert app.run([*drawn, "-o", str(folder / "sheet.html")]) == 0
    shown = SCORED[SCORED.index("--requests") : SCORED.index("--judgments")]
    bank = ["curate", "sheet", str(ROOT / "qrels" / "example.json"), *shown, "--assessor", "A"]
    assert app.run([*bank, "-o", str(folder / "nuggets.html")]) == 0
    return {"sample": folder / "sheet.html", "nuggets": folder / "nuggets.html"}


def _pages(folder: Path) -> dict[str, Path]:
    """The pages of the example track, judged by assessors and by the judge lexical."""
    unjudged = [each for each in SCORED if each not in ("--judgments", _TRUTH)]
    given = {"assessed": SCORED, "lexical": unjudged}
    for name, scored in given.items():
        out = str(folder / name)
        assert app.run(["score", *scored, "-m", "argue", "--allow-unjudged", "-o", out]) == 0
        page = ["--title", "Example track", "--truth", _TRUTH] if name == "lexical" else []
        more = ["--title", "Example track", *page]
        assert app.run(["report", out, *more, "-o", f"{out}.html"]) == 0
    return {name: folder / f"{name}.html" for name in given}


if __name__ == "__main__":
    main()
