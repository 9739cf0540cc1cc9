"""Assessment sheets in a browser, filled in as people do: by keyboard, and over several days."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import argue_eval as ae
from argue_eval.cli import app
from argue_eval.formats.sheets import Row, lines
from tests.browser.conftest import Browser
from tests.browser.test_hostile import ATTACKS, NAME
from tests.example_reference import ROOT
from tests.tiny_track import read_lines

RUNS = sorted(map(str, (ROOT / "runs").glob("*.jsonl")))
NUGGETS = str(ROOT / "qrels" / "example.json")
POOL = [
    *("pool", *RUNS, "--pairs", "--collection", str(ROOT / "collection" / "example.jsonl")),
    *("--requests", str(ROOT / "topics" / "example.jsonl")),
]


@pytest.fixture
def sheets(tmp_path: Path) -> list[Path]:
    """The pairs of the example track for two assessors, who share a third of the sentences."""
    who = ["--assessor", "A", "--assessor", "B", "--overlap", "0.33"]
    assert app.run([*POOL, *who, "-o", str(tmp_path / "sheet.html")]) == 0
    return [tmp_path / "sheet-A.html", tmp_path / "sheet-B.html"]


def write(path: Path, rows: Sequence[Row], assessor: str = "A") -> Path:
    path.write_text("".join(lines(rows, len(rows), "html", assessor)), "utf-8")
    return path


def row(number: int, sentence: str, text: str) -> Row:
    keys = {"topic_id": "t", "kind": "support", "doc_id": f"d{number}", "sentence": sentence}
    question = "Does the document support the sentence? (yes, partial, no or contradicts)"
    return Row(keys, question, sentence, text, "t\nA topic", 0.5)


def count(browser: Browser) -> str:
    return browser.texts("#count")[0]


def exported(browser: Browser, folder: Path) -> Path:
    """Presses e, and waits for the file."""
    before = set(folder.glob("*.jsonl"))
    browser.download_to(folder)
    browser.press("e")
    return browser.wait_for(lambda: next(iter(set(folder.glob("*.jsonl")) - before), None))


def test_pairs_are_judged_by_keyboard_kept_undone_exported_collected_and_scored(
    browser: Browser, sheets: list[Path], tmp_path: Path
) -> None:
    browser.open(sheets[0])
    assert browser.texts("#place")[0].startswith("Row 1 of ")
    browser.press("yn" * 10)
    assert count(browser).startswith("20 of ")
    browser.driver.refresh()
    assert count(browser).startswith("20 of ")
    assert browser.texts("#place")[0].startswith("Row 21 of ")
    browser.press("p")
    assert count(browser).startswith("21 of ")
    browser.press("u")
    assert count(browser).startswith("20 of ")
    assert browser.texts("#place #state, #state") == ["open"]
    browser.press("k")
    assert browser.texts("#state") == ["No"]
    export = exported(browser, tmp_path)
    assert export.name.startswith("judgments-A-")
    given = read_lines(export)
    assert [each["verdict"] for each in given[:21]] == ["yes", "no"] * 10 + [""]
    assert all(each["time"].endswith("Z") for each in given[:20])
    judgments = str(tmp_path / "judgments.jsonl")
    collected = ["curate", "collect", str(export), "--sheet", str(sheets[0]), "-o", judgments]
    assert app.run(collected) == 0
    assert [each.verdict.value for each in ae.read_judgments(judgments)] == ["yes", "no"] * 10
    assert {each.judge for each in ae.read_judgments(judgments)} == {"assessor:A"}
    scores = ae.score(
        RUNS, NUGGETS, judgments=judgments, judge="none", measures=["citation_support_micro"]
    )
    known = [scores[run]["citation_support_micro"] for run in scores]
    assert any(each.lower > 0 or each.upper < 1 for each in known)
    assert all(each.num_unjudged < each.num_units for each in known if each.lower > 0)


def test_two_assessors_give_kappa(
    browser: Browser, sheets: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """B judges as A does, but for every fourth pair."""
    exports = []
    for sheet, pattern in zip(sheets, ("ynnn", "ynny"), strict=True):
        browser.open(sheet)
        total = browser.js("JSON.parse(document.querySelector('#data').textContent).rows.length")
        browser.press((pattern * total)[:total])
        assert count(browser) == f"{total} of {total} answered"
        exports.append(str(exported(browser, tmp_path)))
    judgments = str(tmp_path / "judgments.jsonl")
    given = [each for sheet in sheets for each in ("--sheet", str(sheet))]
    disputed = ["--adjudicate", str(tmp_path / "disputed.html")]
    assert app.run(["curate", "collect", *exports, *given, *disputed, "-o", judgments]) == 0
    said = capsys.readouterr().err
    assert "0 questions of the sheets without an answer" in said
    assert app.run(["meta-eval", judgments, "--inter-assessor", "--json"]) == 0
    (panel,) = json.loads(capsys.readouterr().out)["panels"]
    (pair,) = panel["pairs"]
    assert {pair["first"], pair["second"]} == {"assessor:A", "assessor:B"}
    by_key: dict[Any, dict[str, str]] = {}
    for each in ae.read_judgments(judgments):
        verdicts = by_key.setdefault((each.topic_id, each.sentence, each.doc_id), {})
        verdicts[each.judge] = each.verdict.value
    both = [each for each in by_key.values() if len(each) == 2]
    assert pair["num"] == len(both) > 20
    differing = sum(len(set(each.values())) == 2 for each in both)
    browser.open(tmp_path / "disputed.html")
    assert count(browser) == f"0 of {differing} answered"


def test_two_thousand_pairs_stay_fluid(browser: Browser, tmp_path: Path) -> None:
    text = "The ferry ran aground near the harbour at night. " * 100
    rows = [row(n, f"Sentence {n} about the ferry.", f"{n} {text}") for n in range(2_000)]
    page = write(tmp_path / "sheet.html", rows)
    browser.open(page)
    nodes = browser.js("document.querySelectorAll('*').length")
    assert nodes < 150  # one pair at a time, however many there are
    assert browser.js(PRESSES, 300) < 50
    assert count(browser) == "300 of 2,000 answered"
    assert browser.js("document.querySelectorAll('*').length") < 150
    browser.driver.refresh()
    assert count(browser) == "300 of 2,000 answered"


PRESSES = """(() => {
  const times = [];
  for (let number = 0; number < arguments[0]; number++) {
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "y", bubbles: true }));
    document.body.getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
})()"""
"""The median of the milliseconds from a key press to the next pair being laid out."""


def test_hostile_texts_are_texts(browser: Browser, tmp_path: Path) -> None:
    rows = [
        Row(
            {"topic_id": NAME, "kind": "support", "doc_id": NAME, "sentence": each},
            f"{each} (yes or no)",
            each,
            each * 2,
            NAME,
        )
        for each in ATTACKS
    ]
    browser.open(write(tmp_path / "sheet.html", rows, assessor=NAME))
    for attack in ATTACKS:
        assert browser.js("typeof window.hit") == "undefined"
        assert browser.js("getComputedStyle(document.body).display") == "block"
        assert browser.js("document.querySelectorAll('iframe, img, base, object, svg').length") == 0
        shown = browser.js("document.querySelector('#sentence').textContent")
        assert shown == attack if attack.isprintable() else "[U+202E]gnp.exe[U+2066]" in shown
        browser.press("y")
    path = exported(browser, tmp_path)
    assert [each.sentence for each in ae.read_judgments(path)] == list(ATTACKS)
    assert {each.judge for each in ae.read_judgments(path)} == {f"assessor:{NAME}"}


def test_script_that_slips_in_would_not_run(browser: Browser, sheets: list[Path]) -> None:
    browser.open(sheets[0])
    browser.driver.execute_script(
        "const made = document.createElement('script');"
        "made.textContent = 'window.hit = 8'; document.body.append(made)"
    )
    assert browser.js("typeof window.hit") == "undefined"
    assert any("Content Security Policy" in message for message in browser.logged())


def test_two_windows_with_one_sheet_lose_nothing(browser: Browser, sheets: list[Path]) -> None:
    browser.open(sheets[0])
    first = browser.driver.current_window_handle
    browser.press("y")
    browser.driver.switch_to.new_window("tab")
    browser.driver.get(sheets[0].as_uri())
    browser.press("n")
    assert count(browser).startswith("2 of ")
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.wait_for(lambda: count(browser).startswith("2 of ") or None)
    assert browser.texts("#state") == ["No"]


def test_run_that_has_to_be_named_is_not_shown(browser: Browser, tmp_path: Path) -> None:
    keys = {"topic_id": "t", "kind": "first_instance", "run_id": "secret", "sentence_index": 3}
    page = write(tmp_path / "sheet.html", [Row(keys, "The first? (yes or no)", "B.", "A.")])
    assert "secret" not in page.read_text("utf-8")
    browser.open(page)
    assert browser.texts("#evidence-title") == ["Before it in the report"]
    browser.press("y")
    (judgment,) = ae.read_judgments(exported(browser, tmp_path))
    assert (judgment.run_id, judgment.sentence_index) == ("secret", 3)


def test_where_the_browser_keeps_nothing_it_says_so(browser: Browser, tmp_path: Path) -> None:
    page = write(tmp_path / "sheet.html", [row(n, f"S{n}.", "A text.") for n in range(3)])
    refuse = "Storage.prototype.setItem = () => { throw new DOMException('no', 'SecurityError') }"
    with browser.script_before(refuse):
        browser.open(page)
        (problem,) = browser.texts("#problem")
        assert "keeps nothing for this page" in problem
        assert "export before that" in problem
        browser.press("yn")
        assert count(browser) == "2 of 3 answered"
        export = exported(browser, tmp_path)
        browser.open(page)
        assert count(browser) == "0 of 3 answered"
        load(browser, export)
        assert count(browser) == "2 of 3 answered"


def load(browser: Browser, path: Path) -> None:
    browser.driver.find_element("css selector", "#file").send_keys(str(path))
    done = ("taken from the export", "no export of this sheet")
    browser.wait_for(
        lambda: any(each in " ".join(browser.texts("#said, #problem")) for each in done)
    )


def test_export_of_another_sheet_changes_nothing(browser: Browser, sheets: list[Path]) -> None:
    browser.open(sheets[1])
    browser.press("yy")
    export = exported(browser, sheets[1].parent)
    browser.open(sheets[0])
    load(browser, export)
    assert "is no export of this sheet: nothing was changed" in browser.texts("#problem")[0]
    assert count(browser).startswith("0 of ")


def test_notes_open_rows_and_keys(browser: Browser, tmp_path: Path) -> None:
    browser.open(write(tmp_path / "sheet.html", [row(n, f"S{n}.", "A text.") for n in range(5)]))
    browser.press("m")
    browser.press("yes, but no\ue00c")  # Escape
    assert count(browser) == "0 of 5 answered"
    browser.press("xjy")
    assert count(browser) == "2 of 5 answered, 1 of them “cannot say”"
    browser.press("o")
    assert browser.texts("#place") == ["Row 5 of 5"]
    browser.press("o")
    assert browser.texts("#place") == ["Row 2 of 5"]
    browser.press("g5\ue007")  # Enter
    assert browser.texts("#place") == ["Row 5 of 5"]
    browser.press("h")
    assert browser.violations() == []
    browser.click("#single")
    browser.press("\ue00c")
    browser.press("y")
    assert count(browser).startswith("2 of 5")
    browser.click("#choices button")
    assert count(browser).startswith("3 of 5")
    browser.click("#help")
    browser.click("#single")
    browser.click("#close")
    path = exported(browser, tmp_path)
    first = json.loads(path.read_text("utf-8").splitlines()[0])
    assert (first["verdict"], first["note"]) == ("?", "yes, but no")


def test_export_needs_a_name(browser: Browser, tmp_path: Path) -> None:
    browser.open(write(tmp_path / "sheet.html", [row(1, "S.", "A.\r\nB.")], assessor=""))
    assert browser.js("document.querySelector('#evidence').textContent") == "A.\nB."
    browser.press("ye")
    assert browser.texts("#said")[0].startswith("Write your name first")
    browser.press("\u200bZoë\ue00c")
    export = exported(browser, tmp_path)
    assert export.name.startswith("judgments-Zoë-")
    assert {each.judge for each in ae.read_judgments(export)} == {"assessor:Zoë"}


def test_relevance_is_judged_with_the_topic_in_sight(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "pool.html"
    words = [each for each in POOL if each != "--pairs"]
    assert app.run([*words, "--assessor", "A", "-o", str(path)]) == 0
    browser.open(path)
    assert "Northern Lantern" in browser.texts("#topic")[0]
    assert browser.texts("#choices button") == ["Yes y", "No n", "Cannot say x"]
    browser.press("yn")
    found = ae.read_judgments(exported(browser, tmp_path))
    assert [(each.kind.value, each.verdict.value) for each in found] == [
        *(("relevant", "yes"), ("relevant", "no"))
    ]


@pytest.mark.parametrize("look", [{}, {"dark": True}, {"width": 390, "height": 800}])
def test_axe_finds_nothing_serious(
    browser: Browser, sheets: list[Path], look: dict[str, Any]
) -> None:
    browser.emulate(**look)
    browser.open(sheets[0])
    browser.press("yx")
    assert browser.violations() == []
    browser.press("k")
    assert browser.violations() == []
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.js(width) <= 0
