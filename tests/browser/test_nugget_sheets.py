"""Nuggets edited in a browser: reworded, weighted, split, merged, removed, added, and undone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import argue_eval as ae
from argue_eval.cli import app
from tests.browser.conftest import Browser
from tests.browser.test_hostile import ATTACKS, NAME
from tests.browser.test_sheets import exported, load
from tests.example_reference import ROOT

BANK = str(ROOT / "qrels" / "example.json")
ESCAPE, TAB, ENTER = "\ue00c", "\ue004", "\ue007"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """The nuggets of the example track for an assessor."""
    shown = ["--requests", str(ROOT / "topics" / "example.jsonl")]
    shown += ["--collection", str(ROOT / "collection" / "example.jsonl")]
    path = tmp_path / "nuggets.html"
    assert app.run(["curate", "sheet", BANK, *shown, "--assessor", "A", "-o", str(path)]) == 0
    return path


def shown(browser: Browser) -> list[str]:
    return browser.texts("#list b")


def collected(export: Path) -> list[ae.TopicNuggets]:
    out = str(export.parent / "new.json")
    assert app.run(["curate", "collect", str(export), "--bank", BANK, "-o", out]) == 0
    return ae.read_nuggets(out)


def test_nuggets_are_edited_by_keyboard_and_the_edits_made_in_the_bank(
    browser: Browser, page: Path, tmp_path: Path
) -> None:
    browser.open(page)
    ids = shown(browser)
    assert ids == [f"ex1-n{number}" for number in range(1, 8)]
    browser.press(f"i\ue010 Really?{ESCAPE}")  # End
    browser.press(f"w2.5{ENTER}{ESCAPE}")
    browser.press("jvjxjxm")  # 2 no longer vital; 3 and 4 merged into 3
    assert shown(browser) == [each for each in ids if each != "ex1-n4"]
    browser.press("jrn")
    browser.press(f"Is it new?{ESCAPE}a")
    browser.press(f"Yes, new.{TAB}ex-0001\ue007ex-0002{ESCAPE}")
    browser.press("]jt")
    browser.driver.refresh()
    assert browser.texts("#topic-title") == ["ex2"]
    browser.press("[")
    assert shown(browser) == ["ex1-n1", "ex1-n2", "ex1-n3", "ex1-n6", "ex1-n7", "new"]
    first, second, *_ = collected(exported(browser, tmp_path))
    before = {each.nugget_id: each for topic in ae.read_nuggets(BANK) for each in topic.nuggets}
    found = {each.nugget_id: each for each in first.nuggets}
    assert list(found) == shown(browser)
    assert found["ex1-n1"].question == f"{before['ex1-n1'].question} Really?"
    assert found["ex1-n1"].weight == 2.5
    assert (before["ex1-n2"].importance, found["ex1-n2"].importance) == ("vital", None)
    texts = [each.answer for nugget in ("ex1-n3", "ex1-n4") for each in before[nugget].answers]
    assert [each.answer for each in found["ex1-n3"].answers] == texts
    origins = [each["nugget_id"] for each in found["ex1-n3"].extra["merged_from"]]
    assert origins == ["ex1-n3", "ex1-n4"]
    (answer,) = found["new"].answers
    assert (found["new"].question, answer.answer) == ("Is it new?", "Yes, new.")
    assert answer.doc_ids == ("ex-0001", "ex-0002")
    assert found["ex1-n6"] == before["ex1-n6"]
    changed = second.nuggets[1]
    assert changed.aggregator is not before[changed.nugget_id].aggregator


def test_answers_are_split_off_and_all_is_undone(
    browser: Browser, page: Path, tmp_path: Path
) -> None:
    browser.open(page)
    ids = shown(browser)
    browser.press("jjj")
    num = browser.js("document.querySelectorAll('#answers li').length")
    assert num > 1
    browser.press("s")
    assert "Tick some of the answers" in browser.texts("#said")[0]
    browser.click("#answers li:last-child input[type=checkbox]")
    browser.press("s")
    browser.press(f"A question of its own?{ESCAPE}")
    split = [*ids[:4], "ex1-n4-2", *ids[4:]]
    assert shown(browser) == split
    browser.press("r")
    assert shown(browser) == ids
    browser.press("u")
    assert shown(browser) == split
    first, *_ = collected(exported(browser, tmp_path))
    found = {each.nugget_id: each for each in first.nuggets}
    assert [len(found[each].answers) for each in ("ex1-n4", "ex1-n4-2")] == [num - 1, 1]
    assert found["ex1-n4-2"].question is not None
    assert "A question of its own?" in found["ex1-n4-2"].question
    assert found["ex1-n4-2"].extra["split_from"] == "ex1-n4"
    browser.press("uuuu")
    assert shown(browser) == ids
    assert browser.texts("#said") == ["There is nothing to undo."]


def test_click_that_leaves_a_field_is_not_lost_and_what_is_no_value_is_not_taken(
    browser: Browser, page: Path
) -> None:
    browser.open(page)
    browser.press("iMore: ")
    browser.click("#list li:nth-child(3) button")
    assert browser.texts("#form-title") == ["Nugget ex1-n3"]
    assert "More:" in browser.texts("#list li:first-child bdi")[0]
    browser.press(f"w1e99{TAB}")
    assert "a weight is from" in browser.texts("#said")[0]
    browser.click("#answers li:first-child textarea:nth-of-type(2)")
    browser.press(f"\u200b{TAB}")
    assert "no invisible characters" in browser.texts("#said")[0]
    browser.press(ESCAPE)
    browser.press("i")
    browser.js("document.querySelector('#question').select()")
    browser.press(f"\ue017{TAB}")  # Delete
    assert "a question has a text" in browser.texts("#said")[0]
    assert browser.js("document.querySelector('#question').value") != ""


def test_export_is_continued_elsewhere(browser: Browser, page: Path, tmp_path: Path) -> None:
    browser.open(page)
    browser.press("jvjo")
    export = exported(browser, tmp_path)
    assert len(export.read_text("utf-8").splitlines()) == 2
    browser.js("localStorage.clear()")
    browser.open(page)
    assert "0 edits" in browser.texts("#count")[0]
    load(browser, export)
    assert "2 edits" in browser.texts("#count")[0]


def test_hostile_texts_are_texts(browser: Browser, tmp_path: Path) -> None:
    nuggets = [
        {
            "nugget_id": f"{NAME}{number}",
            "question": attack,
            "answers": [{"answer": attack, "doc_ids": [NAME]}],
        }
        for number, attack in enumerate(ATTACKS)
    ]
    topics = [{"topic_id": NAME, "nuggets": nuggets}]
    bank, documents = tmp_path / "bank.json", tmp_path / "documents.jsonl"
    bank.write_text(json.dumps({"format": "argue-eval/nuggets/1", "topics": topics}))
    documents.write_text(json.dumps({"doc_id": NAME, "text": "".join(ATTACKS)}) + "\n")
    path = tmp_path / "sheet.html"
    words = ["--collection", str(documents), "--assessor", NAME, "-o", str(path)]
    assert app.run(["curate", "sheet", str(bank), *words]) == 0
    browser.open(path)
    for _ in ATTACKS:
        assert browser.js("typeof window.hit") == "undefined"
        assert browser.js("document.querySelectorAll('iframe, img, base, object, svg').length") == 0
        browser.press("vj")
    export = exported(browser, tmp_path)
    out = tmp_path / "out.json"
    assert app.run(["curate", "collect", str(export), "--bank", str(bank), "-o", str(out)]) == 0
    (topic,) = ae.read_nuggets(out)
    assert [each.question for each in topic.nuggets] == list(ATTACKS)
    assert {each.importance for each in topic.nuggets} == {"vital"}


@pytest.mark.parametrize("look", [{}, {"dark": True}, {"width": 390, "height": 800}])
def test_axe_finds_nothing_serious(browser: Browser, page: Path, look: dict[str, Any]) -> None:
    browser.emulate(**look)
    browser.open(page)
    browser.press("jxv")
    assert browser.violations() == []
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.js(width) <= 0
