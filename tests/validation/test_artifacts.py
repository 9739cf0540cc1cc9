"""What the way from a model to a file leaves in a report: warned of once a kind, with a count."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest

from argue_eval.cli import app
from argue_eval.errors import Severity
from argue_eval.validation import validate
from argue_eval.validation.runs import Job, Limits, check_runs
from tests.validation.samples import Json, check, codes, run_of, sentences_of, write_run

GOOD = "The old bridge was rebuilt in 1998."
DOC = run_of("ragtime26")[0]["references"][0]

ARTIFACTS = {
    "As an AI language model, I cannot browse.": ("chat_reply", "a model's reply"),
    "As an AI, I don't have access to the documents.": ("chat_reply", "a model's reply"),
    "Unfortunately, as a large language model I have no data.": ("chat_reply", "a model's reply"),
    "I'm sorry, but I can't help with that.": ("chat_reply", "a model's reply"),
    "I\u2019m unable to provide a report.": ("chat_reply", "a model's reply"),
    "I cannot answer this question.": ("chat_reply", "a model's reply"),
    "Sure, here is the report.": ("chat_reply", "a model's reply"),
    "Here is a 300-word summary of the insights:": ("chat_reply", "a model's reply"),
    "Als KI-Sprachmodell kann ich das nicht sagen.": ("chat_reply", "a model's reply"),
    "En tant qu'IA, je ne peux pas répondre.": ("chat_reply", "a model's reply"),
    "Como modelo de lenguaje, no puedo responder.": ("chat_reply", "a model's reply"),
    "Как языковая модель, я не могу ответить.": ("chat_reply", "a model's reply"),
    "作为一个AI语言模型，我无法回答。": ("chat_reply", "a model's reply"),
    "به عنوان یک مدل زبانی، من نمی‌توانم.": ("chat_reply", "a model's reply"),
    "The cafÃ© opened.": ("garbled_text", "'Ã©' for 'é'"),
    "It\u00e2\u20ac\u2122s open.": ("garbled_text", "for '\u2019'"),
    "It\u00e2\x80\x99s open.": ("garbled_text", "for '\u2019'"),
    "It was 30 Â°C.": ("garbled_text", "'Â°' for '°'"),
    "ÐœÐ¾ÑÑ‚ Ð¾Ñ‚ÐºÑ€Ñ‹Ñ‚.": ("garbled_text", "for"),
    "å¤§æ¡¥å·²é‡å»º": ("garbled_text", "for '大"),
    "Ø§Ù„Ø¬Ø³Ø±": ("garbled_text", "for 'ا"),
    "Zażółć was Å¼Ã³Å‚ty.": ("garbled_text", "for 'ż'"),
    "The caf\ufffd opened.": ("garbled_text", "letters that were lost"),
    "Smith &amp; Sons paid.": ("html_entities", "&amp; for '&'"),
    "It&#39;s open.": ("html_entities", "&#39; for '''"),
    "It&#x2019;s open.": ("html_entities", "&#x2019; for '\u2019'"),
    "Open&nbsp;now.": ("html_entities", "&nbsp; for '\\xa0'"),
    f"It was rebuilt [{DOC}].": ("inline_citations", f"'[{DOC}]'"),
    f"It was rebuilt ({DOC}).": ("inline_citations", f"'({DOC})'"),
    f"It was rebuilt [1, {DOC}].": ("inline_citations", "'[1, "),
    "It was rebuilt 【4†source】.": ("inline_citations", "'【4†source】'"),
    "| Year | Cost |": ("markdown_table", "'| Year | Cost |'"),
    "Costs:\n\n| Year | Cost |\n|---|---|\n| 1998 | 3 |": ("markdown_table", "'| Year | Cost |'"),
    "Year | Cost\n--- | ---\n1998 | 3": ("markdown_table", "'--- | ---'"),
}

INNOCENT = [
    "As an AI company, it published the model in May.",
    "As a large language model, GPT-4 can summarize texts, the study says.",
    "“I'm sorry, but I can't comment,” the minister said.",
    "Sorry is the hardest word, the band sang.",
    "Here is the town where the treaty was signed.",
    "I am Legend is a film of 2007.",
    "Of course, I was nervous, she wrote.",
    "Als die KI-Verordnung galt, sagte ich nichts.",
    "Le « café » (l’« été\u00a0») et l’« É\u00a0» étaient ‘à côté’… “déjà”, ‘café’”.",
    "CAFÉ® and LANCÔME™ at 30\u00a0°C, 5\u00a0×\u00a03, ß² and Ø.",
    "São Paulo, MAÇÃ, ÃO e Âncora; Ångström; Île; Über; Çeşme; Ñandú; Ærø; łódź; Žižek's čaj.",
    "Мост перестроен; 大桥已重建；أعيد بناء الجسر; پل; 다리; γέφυρα.",
    "AT&T; R&D; Q&A; S&P; Barnes &Noble; a&b;",
    "The law [sic] of (WHO) [2019] holds (see above) [emphasis added].",
    "It grew by 3 % [1].",
    "P(A|B) and |x| are signs; a || b; he chose left | right.",
]


def _run(*texts: str) -> list[Json]:
    run = run_of("ragtime26")
    for report, text in zip(run, texts, strict=False):
        sentences_of(report)[1]["text"] = text
    return run


@pytest.mark.parametrize("text", ARTIFACTS)
def test_an_artifact_is_named(text: str, tmp_path: Path) -> None:
    code, says = ARTIFACTS[text]
    findings = check(tmp_path, "ragtime26", _run(GOOD, text))
    (found,) = [each for each in findings if each.code not in ("suspicious_text",)]
    assert (found.code, found.severity) == (code, Severity.WARNING)
    assert (found.line, found.path, found.sentence) == (2, "$.responses[1].text", 1)
    assert says in found.message
    assert found.message.isprintable()
    assert found.hint


@pytest.mark.parametrize("text", INNOCENT)
def test_ordinary_text_is_no_artifact(text: str, tmp_path: Path) -> None:
    assert check(tmp_path, "ragtime26", _run(text)) == []


def test_numbers_in_brackets_are_citations_if_sentences_end_in_them(tmp_path: Path) -> None:
    run = run_of("ragtime26")
    for sentence in sentences_of(run[1])[:2]:
        sentence["text"] = sentence["text"][:-1] + " [1, 2][3]."
    (found,) = check(tmp_path, "ragtime26", run)
    assert found.code == "inline_citations"
    assert "'[1, 2][3]' (and 1 more like this)" in found.message


def _twenty() -> list[Json]:
    """A run of twenty reports, in five of which two sentences have an entity."""
    reports = []
    for number in range(20):
        report = run_of("ragtime26")[1]
        report["metadata"]["topic_id"] = str(2000 + number)
        sentences_of(report)[0]["text"] += f" Report {number}."
        if number % 4 == 1:
            for sentence in sentences_of(report)[:2]:
                sentence["text"] += " R&amp;D."
        reports.append(report)
    return reports


@pytest.mark.parametrize("num_processes", [1, 2])
def test_a_kind_is_one_finding_with_its_count_and_topics(
    num_processes: int, tmp_path: Path
) -> None:
    path = write_run(tmp_path / "run.jsonl", _twenty())
    job = Job("ragtime26", num_processes=num_processes, limits=Limits(large=0, slice=1000))
    (checked,) = check_runs([path], job)
    (found,) = checked.findings
    assert (found.code, found.line, found.topic_id) == ("html_entities", 2, "2001")
    assert found.message == (
        "the text has the HTML entity &amp; for '&' "
        "(and 9 more like this, in topics 2001, 2005, 2009, 2013, 2017)"
    )
    assert checked.counts == {(Severity.WARNING, "html_entities"): 1}
    text = Path(path).read_text(encoding="utf-8")
    Path(path).write_text(unescape(text), encoding="utf-8")
    assert validate(path, "ragtime26") == []


def test_strict_fails_on_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_run(tmp_path / "run.jsonl", _twenty())
    assert app.run(["validate", path]) == 0
    assert "1 warning," in capsys.readouterr().out
    assert app.run(["validate", path, "--strict"]) == 1
    assert "1 error," in capsys.readouterr().out


@pytest.mark.parametrize("num_processes", [1, 2])
def test_one_report_for_every_topic_is_noticed(num_processes: int, tmp_path: Path) -> None:
    reports = _twenty()
    for report in reports:
        report["responses"] = run_of("ragtime26")[1]["responses"]
    path = write_run(tmp_path / "run.jsonl", reports)
    job = Job("ragtime26", num_processes=num_processes, limits=Limits(large=0, slice=1000))
    (checked,) = check_runs([path], job)
    (found,) = checked.findings
    assert (found.code, found.line, found.path) == ("repeated_report", 2, "$")
    assert found.message.startswith(
        "the report has the same text as that for the topic '2000' on line 1 (and 18 more like "
    )


def test_that_nothing_was_found_may_be_said_for_several_topics(tmp_path: Path) -> None:
    run = run_of("ragtime26")
    for report in run:
        report["responses"] = [{"text": "The collection has nothing on this.", "citations": {}}]
    assert check(tmp_path, "ragtime26", run) == []
    for report in run:
        report["responses"] *= 2
    assert codes(check(tmp_path, "ragtime26", run)) == ["uncited_report", "repeated_report"]


def test_citations_that_could_not_be_read_are_not_missing(tmp_path: Path) -> None:
    run = run_of("ragtime26")[1:]
    for sentence in sentences_of(run[0]):
        sentence["citations"] = "the archive"
    found = validate(write_run(tmp_path / "run.jsonl", run), "ragtime26")
    assert codes(found) == ["citation_format"]
