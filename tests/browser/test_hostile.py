"""All text from others is hostile: it shows as text, runs nothing, and may be very long."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval.cli import app
from tests.browser.conftest import Browser
from tests.tiny_track import write_lines

ATTACKS = (
    "<script>window.hit = 1</script>",
    "</script><script>window.hit = 2</script>",
    "<img src=x onerror='window.hit = 3'>",
    "<svg onload='window.hit = 4'><a href='javascript:window.hit=5'>x</a></svg>",
    "</style><style>body { display: none }</style>",
    "<iframe srcdoc='<script>parent.hit = 6</script>'></iframe>",
    "{{ 7 * 7 }} {% raw %} ${1} <!-- ]]> \\u003cscript>",
    "\u202egnp.exe\u2066 \u200bhidden\x07\x1b[31m",
)
NAME = "\"'><script>window.hit = 7</script>"


def _track(folder: Path, sentences: list[Any], nuggets: list[Any], docs: dict[str, str]) -> Path:
    """Scores one report with these sentences, and returns its page."""
    metadata = {"team_id": NAME, "run_id": NAME, "topic_id": "t<b>1"}
    run = {"metadata": metadata, "responses": sentences}
    request = {"topic_id": "t<b>1", "title": NAME, "problem_statement": "".join(ATTACKS)}
    banks = {"topic_id": "t<b>1", "nuggets": nuggets}
    documents = ({"doc_id": key, "title": NAME, "text": text} for key, text in docs.items())
    qrels = folder / "n.json"
    qrels.write_text(json.dumps({"format": "argue-eval/nuggets/1", "topics": [banks]}), "utf-8")
    files = [
        *(write_lines(folder / "r.jsonl", [run]), str(qrels)),
        *("--requests", write_lines(folder / "t.jsonl", [request])),
        *("--collection", write_lines(folder / "d.jsonl", documents)),
    ]
    out = folder / "out"
    assert app.run(["score", *files, "-m", "argue", "--report", "-o", str(out)]) in (0, 4)
    return out / "report.html"


def _nugget(number: int, text: str, doc_id: str) -> dict[str, Any]:
    answers = [{"answer": text, "doc_ids": [doc_id]}]
    return {"nugget_id": f"{NAME}{number}", "question": f"{text}?", "answers": answers}


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sentences = [{"text": text, "citations": [f"{NAME}{i}"]} for i, text in enumerate(ATTACKS)]
    nuggets = [_nugget(i, text, f"{NAME}{i}") for i, text in enumerate(ATTACKS)]
    docs = {f"{NAME}{i}": text for i, text in enumerate(ATTACKS)}
    return _track(tmp_path_factory.mktemp("attacked"), sentences, nuggets, docs)


def test_it_shows_as_text_and_runs_nothing(browser: Browser, attacked: Path) -> None:
    browser.open(attacked)
    pages = browser.js("[...document.querySelectorAll('main > .page')].map(e => e.id)")
    assert len(pages) == 4
    for page in pages:
        browser.open(attacked, f"#{page}")
        assert browser.js("getComputedStyle(document.body).display") == "block"
        assert browser.js("typeof window.hit") == "undefined"
        assert (
            browser.js("document.querySelectorAll('iframe, img, base, form, object').length") == 0
        )
    browser.open(attacked, f"#{pages[2]}")
    shown = browser.js("document.querySelector('.page:not([hidden]) .report').textContent")
    assert all(attack in shown for attack in ATTACKS[:6])
    assert "[U+202E]gnp.exe[U+2066]" in shown
    assert "[U+001B][31m" in shown


def test_what_the_script_shows_is_text_as_well(browser: Browser, attacked: Path) -> None:
    browser.open(attacked)
    topic = browser.js("document.querySelector('main > .topic').id")
    browser.open(attacked, f"#{topic}")
    for index, attack in enumerate(ATTACKS[:6]):
        browser.click(f'.page:not([hidden]) .s[data-i="{index}"] .badge')
        assert (
            browser.js("document.querySelector('.page:not([hidden]) .passage').textContent")
            == attack
        )
    field = browser.driver.find_element("css selector", "#search")
    field.send_keys("window.hit")
    assert browser.texts("#found a")
    assert browser.js("typeof window.hit") == "undefined"
    assert browser.js("document.querySelectorAll('#found script, .why script').length") == 0


def test_a_script_that_slips_in_would_not_run(browser: Browser, attacked: Path) -> None:
    browser.open(attacked)
    browser.driver.execute_script(
        "const made = document.createElement('script');"
        "made.textContent = 'window.hit = 8'; document.body.append(made)"
    )
    assert browser.js("typeof window.hit") == "undefined"
    assert any("Content Security Policy" in message for message in browser.logged())


def test_a_very_long_report_opens(browser: Browser, tmp_path: Path) -> None:
    cited = [f"doc-{number}" for number in range(5_000)]
    sentences = [
        {"text": "long " * 20_000, "citations": ["doc-1"]},
        {"text": "Many.", "citations": cited},
    ]
    nuggets = [_nugget(number, f"fact {number}", f"doc-{number}") for number in range(2_000)]
    page = _track(tmp_path, sentences, nuggets, {"doc-1": "A text. " * 50_000})
    assert page.stat().st_size < 5_000_000
    browser.open(page)
    topic = browser.js("document.querySelector('main > .topic').id")
    browser.open(page, f"#{topic}")
    timing = "performance.getEntriesByType('navigation')[0]"
    assert browser.js(f"{timing}.loadEventEnd - {timing}.startTime") < 2_000
    assert browser.texts(".page:not([hidden]) .rest summary") == ["96,000 more characters"]
    # What is long stays within its report: the next sentence stands behind it.
    inside = "document.querySelectorAll('.page:not([hidden]) .report .text > .s').length"
    assert browser.js(inside) == 2
    browser.click('.page:not([hidden]) .s[data-i="1"] .badge')
    cards = browser.js("document.querySelectorAll('.page:not([hidden]) .doc-card').length")
    assert 0 < cards <= 5_000
    assert (
        browser.js("document.querySelectorAll('.page:not([hidden]) .answers tbody tr').length")
        == 2_000
    )


def test_text_from_right_to_left_and_chinese_are_laid_out_rightly(
    browser: Browser, tmp_path: Path
) -> None:
    persian = "کشتی مسافربری در تنگه به گل نشست. ۳۱۲ مسافر نجات یافتند."
    sentences = [{"text": persian, "citations": ["doc-1"]}, {"text": persian, "citations": []}]
    chinese = "渡轮在海峡搁浅，三百一十二名乘客全部获救。"
    nuggets = [_nugget(0, chinese, "doc-1")]
    page = _track(tmp_path, sentences, nuggets, {"doc-1": persian})
    browser.open(page)
    topic = browser.js("document.querySelector('main > .topic').id")
    browser.open(page, f"#{topic}")
    direction = "getComputedStyle(document.querySelector('.page:not([hidden]) {}')).direction"
    assert browser.js(direction.format(".report .text")) == "rtl"
    badge, text = (
        browser.js(
            "[...document.querySelectorAll('.page:not([hidden]) .badge')].map("
            "e => e.getBoundingClientRect().right)"
        )[0],
        browser.js(
            "document.querySelector('.page:not([hidden]) .text').getBoundingClientRect().right"
        ),
    )
    assert text - badge < 10
    browser.click('.page:not([hidden]) .s[data-i="0"] .badge')
    assert browser.js(direction.format(".passage")) == "rtl"
    assert browser.js(direction.format(".answers tbody th span")) == "ltr"
