"""Report pages without a browser: what is written, for whom, and what is refused."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import msgspec
import pytest

import argue_eval as ae
from argue_eval.report import pages
from argue_eval.report.pages.chart import ARROWS, way
from argue_eval.report.pages.passages import excerpt
from argue_eval.report.pages.source import Unit
from argue_eval.text.deciding import Passage, deciding
from tests import tiny_track
from tests.cli.conftest import Command
from tests.example_reference import ROOT
from tests.tiny_track import read_lines, write_lines

SCORE = (
    "score alpha.jsonl beta.jsonl nuggets.json --judgments assessors.judgments.jsonl --judge none"
)


@pytest.fixture(autouse=True)
def _in_track(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argue_eval: Command) -> None:
    tiny_track.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert argue_eval(f"{SCORE} --requests requests.jsonl -o out").code == 4


def test_the_command_and_python_write_the_same_pages(argue_eval: Command) -> None:
    assert argue_eval("report out -o a.html --title Tiny").code == 0
    scores = ae.score(
        ["alpha.jsonl", "beta.jsonl"],
        "nuggets.json",
        topics="requests.jsonl",
        judgments="assessors.judgments.jsonl",
        judge="none",
    )
    assert ae.report(scores, "b.html", title="Tiny") == []
    assert Path("a.html").read_text("utf-8") == Path("b.html").read_text("utf-8")


def test_score_writes_the_page_in_the_same_go(argue_eval: Command) -> None:
    ran = argue_eval(f"{SCORE} -o out --report")
    assert "open out/report.html in a browser" in ran.err
    assert Path("out/report.html").read_text("utf-8").startswith("<!doctype html>")


def test_scores_made_in_different_ways_are_shown_by_force_alone(argue_eval: Command) -> None:
    argue_eval(f"{SCORE.replace('alpha.jsonl ', '')} --reading strict -o out")
    ran = argue_eval("report out -o page.html")
    assert (ran.code, Path("page.html").exists()) == (1, False)
    assert "[different_signatures]" in ran.err
    assert argue_eval("report out -o page.html --force").code == 0
    assert "argue-argue or argue-strict" in Path("page.html").read_text("utf-8")


def test_nothing_refers_to_another_place(argue_eval: Command) -> None:
    argue_eval("report out -o page.html")
    text = Path("page.html").read_text("utf-8")
    assert set(re.findall(r'(?:href|src)="([^#"]*)', text)) == {""}
    assert (
        'Content-Security-Policy" content="default-src &#39;none&#39;; script-src &#39;sha256-'
        in text
    )
    assert not re.search(r"<[^>]* (?:style|on[a-z]+)=", text)


def test_a_report_without_sentences_has_its_row(argue_eval: Command) -> None:
    lines = read_lines("alpha.jsonl")
    lines[-1]["responses"] = []
    write_lines("alpha.jsonl", lines)
    assert argue_eval(f"{SCORE} --clean -o out --report").code == 4
    assert Path("out/report.html").read_text("utf-8").count('aria-label="no sentence"') == 1


def test_what_is_unjudged_is_said(argue_eval: Command) -> None:
    argue_eval("report out -o page.html")
    text = Path("page.html").read_text("utf-8")
    assert '<li class="warn"><b>1</b> unit unjudged' in text
    assert "1 unit unjudged: what this leaves open has bounds instead of a value" in text


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("report nowhere", 3, "nowhere: no such folder"),
        ("report empty", 1, "no file *.scores.jsonl"),
        ("report out -m recal", 2, "recal"),
        ("report out --run alfa", 2, "alpha"),
        ("report nuggets.json", 3, "expected the folder of score -o, found a file"),
        ("report out -o out/alpha.meta.json", 2, "which is read"),
        ("report out --truth nowhere.jsonl", 3, "nowhere.jsonl"),
        ("report out --site -o alpha.jsonl", 3, "alpha.jsonl: cannot be made"),
        ("report out --site -o -", 2, "--site writes a folder"),
        ("report out -o no/such/folder.html", 3, "cannot be written"),
        ("report broken", 1, "broken/alpha.outcomes.jsonl:1"),
        ("report older", 1, "an earlier version wrote it"),
        (f"{SCORE} --report", 2, "--report is about the folder of -o"),
    ],
)
def test_mistakes_are_explained(argue_eval: Command, command: str, code: int, said: str) -> None:
    Path("empty").mkdir()
    for name in ("broken", "older"):
        Path(name).mkdir()
        for file in Path("out").iterdir():
            Path(name, file.name).write_bytes(file.read_bytes())
    Path("broken/alpha.outcomes.jsonl").write_text('{"topic_id": 3}\n', "utf-8")
    Path("older/scored.nuggets.json").unlink()
    ran = argue_eval(command)
    assert ran.code == code
    assert said in ran.err
    assert not Path("report.html").exists()


def test_a_missing_package_is_named(argue_eval: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith("argue_eval.report.pages")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("argue_eval.report.pages")
    monkeypatch.setitem(sys.modules, "jinja2", None)
    ran = argue_eval("report out")
    assert (ran.code, ran.out) == (3, "")
    assert "jinja2 is not installed: pip install 'argue-eval[report]'" in ran.err


def test_a_value_that_is_open_is_never_shown_as_one(argue_eval: Command) -> None:
    argue_eval("score alpha.jsonl nuggets.json --judge none -m argue_f1 --allow-unjudged -o open")
    assert argue_eval("report open -o page.html").code == 0
    text = Path("page.html").read_text("utf-8")
    assert "argue_f1 <b>open</b>" in text
    assert re.search(r'<td class="qx"><a [^>]*>-</a>', text)


def test_a_topic_with_an_open_value_has_no_best_run(argue_eval: Command) -> None:
    rows = Path("assessors.judgments.jsonl").read_text("utf-8").splitlines(keepends=True)
    Path("some.jsonl").write_text("".join(rows[: len(rows) // 2]), "utf-8")
    command = "score alpha.jsonl beta.jsonl nuggets.json --judge none --allow-unjudged -m argue_f1"
    assert argue_eval(f"{command} --judgments some.jsonl -o open").code == 0
    assert argue_eval("report open -o page.html").code == 0
    spreads = json.loads(argue_eval("leaderboard open -m argue_f1 --topics --json").out)["topics"]
    is_open = {each["topic_id"] for each in spreads if each["best"] is None}
    text = Path("page.html").read_text("utf-8")
    table = text.partition("How hard the topics are")[2].partition("</section>")[0]
    assert 0 < len(is_open) < len(spreads)
    assert table.count('<tr><th scope="row">') == len(spreads) - len(is_open)
    assert "Topics are left out" in table


def test_claims_stand_beside_the_sentences_that_cover_them(argue_eval: Command) -> None:
    haystack = ROOT / "docs" / "examples" / "summhay" / "harbour.json"
    ran = argue_eval(f"score {haystack} {haystack} --protocol summhay -o summhay --report")
    assert ran.code == 0
    text = Path("summhay/report.html").read_text("utf-8")
    files = Path("summhay").glob("*.outcomes.jsonl")
    records = (each for file in files for each in read_lines(file))
    covering = {(each["run_id"], each["topic_id"], each["bullet"]) for each in records}
    num_covering = sum(bullet is not None for _, _, bullet in covering)
    assert len(re.findall(r"Sentence \d+: covers \d+ nuggets?\. Why", text)) == num_covering > 0


def test_a_page_that_is_too_large_is_refused(
    argue_eval: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MAX_BYTES", 10_000)
    ran = argue_eval("report out -o page.html")
    assert ran.code == 2
    assert "add --site" in ran.err
    assert not Path("page.html").exists()
    ran = argue_eval(f"{SCORE} -o out --report")
    assert "open out/report/index.html in a browser" in ran.err
    assert "[large_page]" in ran.err


@pytest.mark.parametrize("reading", ["argue", "strict"])
def test_every_way_is_one_of_the_chart_and_ends_where_the_sentence_does(
    argue_eval: Command, reading: str
) -> None:
    argue_eval(f"{SCORE} --reading {reading} -o out")
    seen = set()
    for run in ("alpha", "beta"):
        for record in read_lines(f"out/{run}.outcomes.jsonl"):
            unit = msgspec.convert(record, Unit)
            steps = way(unit, reading)
            assert steps[0].startswith("cited:")
            reached = {"cited"}
            for step in steps:
                assert step.partition(":")[0] in reached
                reached.add(ARROWS[reading][step])
            ends = {each for each in reached if each.isdigit()}
            assert ends == ({str(unit.outcome)} if unit.outcome else set())
            seen |= ends
    assert len(seen) > 4


DOCUMENT = "It sank at noon. The tug  Sirius\ncame from Vell and pulled. Nobody was hurt."


@pytest.mark.parametrize(
    ("rationale", "sentence", "passage", "is_named"),
    [
        ("The tug Sirius came from Vell…", "", "The tug  Sirius\ncame from Vell", True),
        ("came from Mars and pulled", "A tug from Vell came.", "came from Vell and pulled.", False),
        ("", "Nobody at all was hurt.", "Nobody was hurt.", False),
        ("yes", "Cats purr.", None, False),
    ],
)
def test_the_passage_is_the_judges_or_else_the_most_alike(
    rationale: str, sentence: str, passage: str | None, is_named: bool
) -> None:
    found = deciding(DOCUMENT, rationale, sentence)
    assert (found is None) == (passage is None)
    if found is not None and passage is not None:
        assert DOCUMENT[found.start : found.end].startswith(passage)
        assert found.is_named is is_named


def test_of_a_long_document_the_surroundings_of_passages_are_shown() -> None:
    text = "a " * 5_000 + "FIRST" + " b" * 5_000 + " SECOND" + " c" * 5_000
    places = [text.index(name) for name in ("FIRST", "SECOND")]
    passages = [Passage(place, place + 5, is_named=True) for place in places]
    shown = excerpt(text, passages)
    assert len(shown.text) < 1_500
    assert [shown.text[slice(*shown.place(each))] for each in passages] == ["FIRST", "SECON"]
    assert shown.place(Passage(0, 4, is_named=True)) == (0, 0)
    assert excerpt("short", []).text == "short"


def test_the_mark_is_where_the_script_looks_for_it(argue_eval: Command) -> None:
    """A script counts in UTF-16, in a text in which hidden characters are written out."""
    documents = read_lines("documents.jsonl")
    for each in documents:
        each["text"] = f"\U0001f3ed\U0001f525 \u202e\r\n{each['text']}"
    write_lines("documents.jsonl", documents)
    argue_eval("score alpha.jsonl nuggets.json --collection documents.jsonl -o marked --report")
    marked = set()
    for data in re.findall(r"<script type=.application/json.>(.*?)</script>",
                           Path("marked/report.html").read_text("utf-8"), re.DOTALL):  # fmt: skip
        page = json.loads(data)
        for run in page.get("runs", ()):
            rows = [row for each in run["s"] for row in each["c"] if len(row) == 9]
            for number, *_, start, end, _ in rows:
                shown = page["docs"][number]["x"].encode("utf-16-le")
                marked.add(shown[2 * start : 2 * end].decode("utf-16-le"))
    assert "The dam at Vell holds 40 million cubic metres." in marked
    assert {f"{each.rstrip('.')}." for each in marked} <= {
        sentence for each in documents for sentence in re.findall(r"[A-Z][^.]*\.", each["text"])
    }


def test_a_score_that_all_runs_have_below_0_has_a_scale(argue_eval: Command) -> None:
    criteria = [
        {"nugget_id": text, "question": None, "weight": weight, "answers": [{"answer": text}]}
        for text, weight in (("The mill was built in 1784.", -2), ("Cats purr.", 1))
    ]
    nuggets = {
        "format": "argue-eval/nuggets/1",
        "topics": [{"topic_id": "t1", "nuggets": criteria}],
    }
    Path("rubric.json").write_text(json.dumps(nuggets), "utf-8")
    argue_eval("score alpha.jsonl rubric.json --protocol rubrics -m rubric_score -o below")
    ran = argue_eval("report below -o page.html")
    assert (ran.code, "-2" in Path("page.html").read_text("utf-8")) == (0, True), ran.err


def test_disagreements_about_claims_say_which_claim(argue_eval: Command) -> None:
    claims = [{"nugget_id": f"n{at}", "question": None, "answers": [{"answer": text}]}
              for at, text in enumerate(("Trout <b>came</b> back.", "Cats purr."))]  # fmt: skip
    nuggets = {"format": "argue-eval/nuggets/1", "topics": [{"topic_id": "t1", "nuggets": claims}]}
    Path("claims.json").write_text(json.dumps(nuggets), "utf-8")
    argue_eval("score alpha.jsonl claims.json --protocol nuggetizer -o claims")
    told = read_lines("claims/alpha.judgments.jsonl")
    people = [{**each, "verdict": "yes", "judge": "assessor:A"} for each in told]
    write_lines("people.jsonl", people)
    assert argue_eval("report claims --truth people.jsonl -o page.html").code == 0
    about = re.findall(r'class="about">([^<]*)<', Path("page.html").read_text("utf-8"))
    assert set(about) == {"Trout &lt;b&gt;came&lt;/b&gt; back.", "Cats purr."}


def test_lengths_are_those_that_validate_counts(argue_eval: Command) -> None:
    request = {"topic_id": "t1", "title": "T", "limit": 5, "limit_unit": "words"}
    Path("limited.jsonl").write_text(json.dumps(request), "utf-8")
    argue_eval(f"{SCORE} --requests limited.jsonl -m argue_f1 -o limited --report")
    (report,) = [each for each in read_lines("alpha.jsonl") if each["metadata"]["topic_id"] == "t1"]
    num_words = sum(len(each["text"].split()) for each in report["responses"])
    text = Path("limited/report.html").read_text("utf-8")
    assert f'<small class="warn">{num_words} of 5 words</small>' in text
