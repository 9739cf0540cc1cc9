"""Tracks are data: every shipped file is sound, and one more file is one more track."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from argue_eval.errors import InputError, Severity
from argue_eval.validation import tracks
from tests.validation.samples import check, codes, run_of

NAMES = tracks.names()


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_track_is_complete(name: str) -> None:
    track = tracks.load(name)
    assert track.name == name
    assert track.title
    assert track.source
    assert track.rules.keys() == tracks.RULES.keys()
    for rule in track.rules.values():
        assert datetime.date.fromisoformat(rule.revision)
        assert rule.source
        if rule.severity:
            assert str(rule).strip()
            assert rule.values.keys() == tracks.RULES[rule.code].values.keys()


@pytest.mark.parametrize("name", NAMES)
def test_patterns_of_document_ids_have_no_way_out_at_the_end(name: str) -> None:
    track = tracks.load(name)
    rule = track.rule("docid_pattern")
    if rule is None:
        assert name == "generic" or track.layout.table
        return
    assert not rule.values["pattern"].pattern.endswith(("*", ".+"))
    assert rule.values["pattern"].fullmatch("junk") is None


NEW = """
title = "Made up"
revision = 2026-01-02
source = "nobody"

[form]
sentences = ["passages"]
topic_id = ["topic"]
citations = ["doc_ids"]

[rules]
suspicious_text = "off"

[rules.docid_pattern]
severity = "warning"
pattern = 'D\\d+'

[rules.length]
unit = "words"
limit = 5
revision = 2026-02-03
source = "a mail"
"""


def test_one_file_makes_a_track(tmp_path: Path) -> None:
    rules = tmp_path / "madeup27.toml"
    rules.write_text(NEW)
    track = tracks.load_file(str(rules))
    assert (track.name, track.length) == ("madeup27", "5 words")
    assert track.rules["length"].revision == "2026-02-03"
    assert track.rules["docid_pattern"].source == "nobody"
    run = [
        {
            "metadata": {"run_id": "r", "topic": "t1"},
            "passages": [{"text": "One two three four five <b>six</b>.", "citations": ["D1", "x"]}],
        }
    ]
    asked = [{"topic_id": "t1"}]
    found = {each.code: each for each in check(tmp_path, "", run, asked, rules=str(rules))}
    assert found.keys() == {"docid_pattern", "length"}
    assert found["docid_pattern"].severity is Severity.WARNING
    assert found["docid_pattern"].path == "$.passages[0].citations[1]"


def test_a_file_may_change_single_rules_of_a_track(tmp_path: Path) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text('revision = 2026-09-01\n[rules.citation_count]\nseverity = "error"\nmax = 1\n')
    run = run_of("ragtime26")
    assert codes(check(tmp_path, "ragtime26", run)) == []
    found = check(tmp_path, "ragtime26", run, rules=str(rules))
    assert codes(found) == ["citation_count"]
    assert found[0].severity is Severity.ERROR
    track = tracks.load_file(str(rules), "ragtime26")
    assert track.rules["citation_count"].revision == "2026-09-01"
    assert track.rules["length"] == tracks.load("ragtime26").rules["length"]
    assert track.revision == "2026-09-01"


BAD = {
    "x = 1": ("$", "unknown key 'x'"),
    'extends = "ragtime"': ("$.extends", "unknown track"),
    "title = 3": ("$.title", "expected text, found 3"),
    'revision = "2026"': ("$.revision", "expected a date, found '2026'"),
    "rules = 3": ("$.rules", "expected a table"),
    "[form]\nsentence = []": ("$.form", "unknown key 'sentence'"),
    "[form]\nsentences = []": ("$.form.sentences", "expected a list of names"),
    '[form]\ncitations = ["urls"]': ("$.form.citations", "expected one of scores"),
    '[form]\nmetadata = "below"': ("$.form.metadata", "expected one of metadata, beside"),
    '[form]\nnuggets = "neuclir"': ("$.form.nuggets", "expected one of ragtime26"),
    "[form]\ntopics = '('": ("$.form.topics", "expected a regular expression"),
    '[rules]\nlenght = "off"': ("$.rules", "unknown key 'lenght'"),
    '[rules]\nlength = "fatal"': ("$.rules.length.severity", "expected one of error, warning"),
    "[rules]\nlength = 5": ("$.rules.length", "expected a table or a severity"),
    '[rules.length]\nunit = "pages"': ("$.rules.length.unit", "expected one of characters"),
    "[rules.length]\nlimit = 0": ("$.rules.length.limit", "from 1 or"),
    "[rules.length]\nlimit = true": ("$.rules.length.limit", "found True"),
    '[rules.citation_count]\nmax = "3"': ("$.rules.citation_count.max", "a whole number from 1"),
    "[rules.docid_pattern]\npattern = '['": ("$.rules.docid_pattern.pattern", "regular expression"),
    "[rules.metadata]\nkeys = [1]": ("$.rules.metadata.keys", "expected a list of names"),
    "[rules.narrative]\nmax = 3": ("$.rules.narrative", "unknown key 'max'"),
    "[rules.narrative]\nsource = 3": ("$.rules.narrative.source", "expected text"),
    "[rules.narrative]\nrevision = 3": ("$.rules.narrative.revision", "expected a date"),
    "title = ": ("", "not TOML"),
    'title = "a"\ntitle = "b"': ("", "not TOML"),
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_of_rules_says_where_and_what(text: str, tmp_path: Path) -> None:
    path, message = BAD[text]
    rules = tmp_path / "bad.toml"
    rules.write_text(text)
    with pytest.raises(InputError) as caught:
        tracks.load_file(str(rules), "ragtime26")
    found = caught.value.findings[0]
    assert (found.code, found.path) == ("bad_rules", path)
    assert message in found.message


def test_a_track_of_its_own_needs_a_title_a_date_and_a_source(tmp_path: Path) -> None:
    rules = tmp_path / "bare.toml"
    rules.write_text("[rules.citation_count]\n")
    with pytest.raises(InputError) as caught:
        tracks.load_file(str(rules))
    paths = [finding.path for finding in caught.value.findings]
    assert paths == ["$.revision", "$.source", "$.title", "$.rules.citation_count"]
