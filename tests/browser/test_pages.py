"""The pages in a browser, as people use them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from argue_eval.cli import app
from tests.browser.conftest import SCORED, Browser
from tests.example_reference import ROOT

EVERY = ("", "#run-sparse", "#topic-ex1/miscited/0", "#topic-ex2/careful~miscited", "#nuggets-ex1")


def test_the_page_is_small_and_opens_at_once(browser: Browser, page: Path) -> None:
    assert page.stat().st_size < 1_000_000
    browser.open(page)
    timing = "performance.getEntriesByType('navigation')[0]"
    assert browser.js(f"{timing}.loadEventEnd - {timing}.startTime") < 1_000


def test_runs_stand_in_order_and_can_be_sorted(browser: Browser, page: Path) -> None:
    browser.open(page)
    runs = ".board tbody th a"
    ordered = ["careful", "sparse", "miscited", "hallucinating"]
    assert browser.texts(runs) == ordered
    browser.click(".board th:nth-child(2) button")
    assert browser.texts(runs) == sorted(ordered)
    browser.click(".board th:nth-child(2) button")
    assert browser.texts(runs) == sorted(ordered, reverse=True)
    head = browser.js("document.querySelector('.board th:nth-child(2)').ariaSort")
    assert head == "descending"


def test_another_measure_can_be_chosen(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.texts(".board td.main .value") == ["0.880", "0.408", "0.292", "0.049"]
    select = browser.driver.find_element("css selector", "select.measure")
    select.send_keys("nugget_recall")
    assert browser.texts(".of-measure") == ["nugget_recall"]
    assert browser.texts(".board td.main .value") == ["0.839", "0.371", "0.289", "0.054"]
    assert browser.texts(".heat tbody tr:first-child td")[0] == "0.714"


def test_a_sentence_shows_its_way_and_the_passage(browser: Browser, page: Path) -> None:
    browser.open(page, "#topic-ex1/careful")
    browser.click('.report[data-run="careful"] .s[data-i="4"] .badge')
    (verdict,) = browser.texts(".page:not([hidden]) .why .verdict")
    assert verdict.startswith("● rewarded, outcome 3: answers a nugget")
    lit = browser.js(
        "[...document.querySelectorAll('.page:not([hidden]) .way.on')].map(e => e.dataset.way)"
    )
    assert set(lit) == {"cited:yes", "relevant:yes", "answers:yes"}
    assert "41 tonnes of marine diesel escaped" in browser.texts(".doc-card mark")[0]
    assert browser.js("location.hash") == "#topic-ex1/careful/4"


def test_the_keyboard_suffices(browser: Browser, page: Path) -> None:
    browser.open(page, "#topic-ex1/careful/0")
    first = browser.driver.find_element(
        "css selector", '.page:not([hidden]) .report[data-run="careful"] .badge'
    )
    first.send_keys("j")
    assert browser.texts(".page:not([hidden]) .why h2") == ["Sentence 2 of careful"]
    browser.driver.switch_to.active_element.send_keys("k")
    assert browser.texts(".page:not([hidden]) .why h2") == ["Sentence 1 of careful"]


def test_sentences_are_filtered_by_outcome(browser: Browser, page: Path) -> None:
    browser.open(page, "#topic-ex1/miscited")
    shown = '.page:not([hidden]) .report[data-run="miscited"] .s'
    before = browser.texts(shown)
    browser.click('.page:not([hidden]) .filter input[value="1"]')
    after = browser.texts(shown)
    assert 0 < len(after) < len(before)
    assert after == [each for each in before if not each.startswith("▲1")]


def test_a_deep_link_leads_to_a_sentence(browser: Browser, page: Path) -> None:
    browser.open(page, "#topic-ex3/hallucinating/2")
    assert browser.texts("main > .page > h1") == [
        "ex3 How fog nets work and where they are worth it"
    ]
    assert browser.texts(".why h2") == ["Sentence 3 of hallucinating"]
    place = browser.js("document.querySelector('.s.on').getBoundingClientRect().top")
    assert 0 < place < 900
    browser.driver.execute_script("location.hash = '#run-careful'")
    assert browser.texts("main > .page > h1") == ["Run careful"]
    browser.driver.back()
    assert browser.texts(".why h2") == ["Sentence 3 of hallucinating"]


def test_two_runs_stand_side_by_side(browser: Browser, page: Path) -> None:
    browser.open(page, "#topic-ex1/careful")
    beside = '.page:not([hidden]) select[data-side="b"]'
    browser.driver.find_element("css selector", beside).send_keys("miscited")
    assert browser.texts(".report h2") == ["careful", "miscited"]
    assert browser.js("location.hash") == "#topic-ex1/careful~miscited"
    lefts = browser.js(
        "[...document.querySelectorAll('.page:not([hidden]) .report:not([hidden])')]"
        ".map(e => e.getBoundingClientRect().left)"
    )
    assert lefts[0] < lefts[1]
    browser.click('.page:not([hidden]) .report[data-run="miscited"] .s[data-i="0"] .badge')
    assert browser.texts(".page:not([hidden]) .why h2") == ["Sentence 1 of miscited"]
    assert browser.texts(".page:not([hidden]) .answers thead th")[1:3] == ["careful", "miscited"]


def test_search_finds_pages_sentences_and_nuggets(browser: Browser, page: Path) -> None:
    browser.open(page)
    field = browser.driver.find_element("css selector", "#search")
    field.send_keys("fuel did the ferry")
    assert any("How much fuel did the ferry lose?" in each for each in browser.texts("#found a"))
    field.clear()
    field.send_keys("41 tonnes of marine")
    browser.click("#found a")
    assert browser.texts(".why h2") == ["Sentence 5 of careful"]


def test_the_page_prints(browser: Browser, page: Path) -> None:
    browser.open(page, "#topic-ex1/careful/4")
    printed = base64.b64decode(browser.driver.print_page())
    assert printed.startswith(b"%PDF-")
    assert len(printed) > 20_000


@pytest.mark.parametrize("place", EVERY)
def test_a_phone_shows_it_without_scrolling_sideways(
    browser: Browser, page: Path, place: str
) -> None:
    browser.emulate(390, 844)
    browser.open(page, place)
    assert browser.js("document.documentElement.scrollWidth") <= 390


def test_a_dark_page_is_dark(browser: Browser, page: Path) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    browser.open(page)
    light = browser.js(colour)
    browser.emulate(dark=True)
    assert browser.js(colour) == "rgb(16, 21, 27)" != light


@pytest.mark.parametrize("place", EVERY)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, page: Path, place: str, dark: bool) -> None:
    browser.emulate(dark=dark)
    browser.open(page, place)
    assert browser.violations() == []


def _supports(files: Iterable[Path]) -> dict[tuple[str, str, str], str]:
    """What files say of support, by topic, sentence and document."""
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    return {
        (each["topic_id"], each["sentence"], each["doc_id"]): each["verdict"]
        for each in map(json.loads, lines)
        if each["kind"] == "support"
    }


def test_judges_are_compared_with_assessors(browser: Browser, tmp_path: Path) -> None:
    folder, page = tmp_path / "lexical", tmp_path / "judges.html"
    files = [each for each in SCORED if each != "--judgments" and "judgments.jsonl" not in each]
    assert app.run(["score", *files, "-m", "argue", "--allow-unjudged", "-o", str(folder)]) == 0
    truth = str(ROOT / "qrels" / "example.judgments.jsonl")
    assert app.run(["report", str(folder), "--truth", truth, "-o", str(page)]) == 0
    browser.open(page, "#judges")
    assert "Questions of kind support" in browser.texts(".judges h2")
    said = _supports([Path(truth)]), _supports(folder.glob("*.judgments.jsonl"))
    both = said[0].keys() & said[1].keys()
    support = "section[aria-labelledby='judges-support']"
    numbers = browser.texts(f"{support} .confusion td.num")
    assert sum(map(int, numbers)) == len(both)
    wrong = sum(said[0][each] != said[1][each] for each in both)
    assert sum(map(int, browser.texts(f"{support} .confusion td.wrong"))) == wrong > 0
    assert len(browser.texts(f"{support} .disagreements tbody tr")) == wrong
    assert browser.violations() == []
    browser.click("section[aria-labelledby='judges-support'] .disagreements tbody a")
    assert browser.texts(".why h2")[0].startswith("Sentence ")


@pytest.mark.parametrize("protocol", ["summhay", "key-points"])
def test_claims_show_which_sentence_covers_them(
    browser: Browser, tmp_path: Path, protocol: str
) -> None:
    examples = ROOT / "docs" / "examples" / protocol
    names = {
        "summhay": ["harbour.json", "harbour.json"],
        "key-points": ["responses.jsonl", "key-points.json", "--judgments", "judgments.jsonl"],
    }[protocol]
    files = [name if name.startswith("--") else str(examples / name) for name in names]
    judged = ["--judge", "none"] if protocol == "key-points" else []
    options = ["--protocol", protocol, *judged, "-o", str(tmp_path / "out"), "--report"]
    assert app.run(["score", *files, *options]) == 0
    browser.open(tmp_path / "out" / "report.html")
    topic = browser.js("document.querySelector('main > .topic').id")
    browser.open(tmp_path / "out" / "report.html", f"#{topic}")
    shown = browser.texts(".answers tbody td.side-a")
    assert all(each.startswith(("● answered", "○ missed", "◐ in part")) for each in shown)
    browser.click(".page:not([hidden]) .badge")
    assert browser.texts(".why .verdict")[0].startswith("The sentence covers")
    assert browser.violations() == []


def test_a_site_has_a_file_for_each_page(browser: Browser, scores: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert app.run(["report", str(scores), "--site", "-o", str(site)]) == 0
    browser.open(site / "index.html")
    browser.click(".heat tbody tr:first-child td:nth-child(3) a")
    assert browser.js("location.pathname").endswith("/topic-ex2.html")
    assert browser.texts(".report h2") == ["careful"]
    browser.open(site / "topic-ex1.html", "#careful/4~sparse")
    assert browser.texts(".why h2") == ["Sentence 5 of careful"]
    assert browser.texts(".report h2") == ["careful", "sparse"]


def test_pages_of_one_run_name_no_other(browser: Browser, scores: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.html"
    assert app.run(["report", str(scores), "--run", "sparse", "-o", str(own)]) == 0
    text = own.read_text("utf-8")
    for other in ("hallucinating", "miscited", "mirage", "signpost"):
        assert other not in text
    browser.open(own)
    assert browser.texts("main > .page > h1") == ["Run sparse"]
    assert browser.violations() == []
