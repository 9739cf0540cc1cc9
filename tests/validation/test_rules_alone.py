"""Each rule, broken alone in a valid run: that rule is found, where it was broken, and no other."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from argue_eval.errors import Severity
from argue_eval.formats.jsonl import JsonPath, json_path
from argue_eval.validation import tracks
from tests.validation.samples import (
    LINE_TRACKS,
    Json,
    check,
    codes,
    run_of,
    sentences_of,
    topic_of,
)


def _first_key(report: Json) -> str:
    return next(key for key in ("responses", "answer", "sentences") if key in report)


def _cite(report: Json, index: int, doc_ids: list[str]) -> JsonPath:
    """Makes a sentence cite documents in the shape that it cites in; returns the path."""
    sentence = sentences_of(report)[index]
    cited = sentence["citations"]
    if isinstance(cited, dict):
        sentence["citations"] = dict.fromkeys(doc_ids, 0.5)
    elif cited and isinstance(cited[0], int):
        references = report["references"]
        references += [doc_id for doc_id in doc_ids if doc_id not in references]
        sentence["citations"] = [references.index(doc_id) for doc_id in doc_ids]
    else:
        sentence["citations"] = doc_ids
    return (_first_key(report), index, "citations")


def _meta(report: Json) -> tuple[Json, JsonPath]:
    return (report["metadata"], ("metadata",)) if "metadata" in report else (report, ())


def _write(report: Json, index: int, text: str) -> None:
    """Writes another text into a sentence, and states the new length where one is stated."""
    sentences = sentences_of(report)
    sentences[index]["text"] = text
    if "response_length" in report:
        report["response_length"] = len(" ".join(each["text"] for each in sentences).split())


Where = tuple[int | None, JsonPath, int | None]
"""Line, path and sentence at which the finding is expected."""


def _some_id(track: tracks.Track, number: int) -> str:
    if track.name.startswith("ragtime"):
        return f"0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e{number:02d}_12345"
    if track.name == "rag26":
        return f"shard_00{number:02d}_617"
    return f"msmarco_v2.1_doc_12_34567{number:02d}#4_567"


class Breaks:
    """A way to break each rule; each gives where that is found: line, path and sentence."""

    def __init__(self, run: list[Json], track: tracks.Track) -> None:
        self.run = run
        self.track = track

    def metadata(self) -> Where:
        metadata, path = _meta(self.run[1])
        del metadata["run_id"]
        return 2, path, None

    def metadata_recommended(self) -> Where:
        metadata, path = _meta(self.run[0])
        metadata[self.track.rules["metadata_recommended"].values["keys"][0]] = "  "
        return 1, path, None

    def metadata_extra(self) -> Where:
        self.run[1]["metadata"]["colour"] = "blue"
        return 2, ("metadata", "colour"), None

    def run_id_length(self) -> Where:
        return self._run_id("r" * 40)

    def run_id_alphabet(self) -> Where:
        return self._run_id(".run")

    def run_id_differs(self) -> Where:
        _meta(self.run[1])[0]["run_id"] = "run-2"
        return 2, (*_meta(self.run[1])[1], "run_id"), None

    def team_id_differs(self) -> Where:
        for number, report in enumerate(self.run):
            _meta(report)[0]["team_id"] = f"team {number}"
        return 2, (*_meta(self.run[1])[1], "team_id"), None

    def missing_topics(self) -> Where:
        del self.run[1]
        return None, (), None

    def new_topics(self) -> Where:
        self.run.append(copy.deepcopy(self.run[1]))
        metadata, path = _meta(self.run[2])
        metadata[self.track.layout.topic_id[0]] = "nobody's"
        _write(self.run[2], 1, "The third one, too.")
        return 3, (*path, self.track.layout.topic_id[0]), None

    def duplicate_topics(self) -> Where:
        self.run.append(self.run[0])
        return 3, (*_meta(self.run[0])[1], self.track.layout.topic_id[0]), None

    def empty_answer(self) -> Where:
        key = _first_key(self.run[1])
        self.run[1][key] = []
        return 2, (key,), None

    def blank_sentence(self) -> Where:
        _write(self.run[1], 2, " \n")
        return 2, (_first_key(self.run[1]), 2, "text"), 2

    def missing_citations(self) -> Where:
        del sentences_of(self.run[1])[2]["citations"]
        return 2, (_first_key(self.run[1]), 2), 2

    def citation_format(self) -> Where:
        sentences_of(self.run[1])[2]["citations"] = "the archive"
        return 2, (_first_key(self.run[1]), 2, "citations"), 2

    def citation_count(self) -> Where:
        doc_ids = [_some_id(self.track, number) for number in range(4)]
        self.run[0].pop("references", None) if self.track.name.startswith("ragtime") else None
        path = _cite(self.run[0], 1, doc_ids)
        if "references" not in self.run[0] and self.track.rule("references_missing"):
            self.run[0]["references"] = doc_ids
        return 1, path, 1

    def citation_duplicate(self) -> Where:
        cited = sentences_of(self.run[0])[1]["citations"]
        sentences_of(self.run[0])[1]["citations"] = [*cited, next(iter(cited))]
        return 1, (_first_key(self.run[0]), 1, "citations", 2), 1

    def citation_score(self) -> Where:
        cited = sentences_of(self.run[0])[0]["citations"]
        doc_id = next(iter(cited))
        cited[doc_id] = "high"
        return 1, (_first_key(self.run[0]), 0, "citations", doc_id), 0

    def reference_index(self) -> Where:
        sentences_of(self.run[0])[0]["citations"].append(7)
        return 1, (_first_key(self.run[0]), 0, "citations", 1), 0

    def docid_pattern(self) -> Where:
        if self.track.layout.citations[0] == "indexes":
            self.run[1]["references"][1] += "#junk"
            return 2, (_first_key(self.run[1]), 1, "citations", 1), 1
        cited = sentences_of(self.run[1])[1]["citations"]
        bad = list(cited)[1] + "#junk"
        path = (_first_key(self.run[1]), 1, "citations", bad if isinstance(cited, dict) else 1)
        if isinstance(cited, dict):
            sentences_of(self.run[1])[1]["citations"] = {next(iter(cited)): 0.5, bad: 0.5}
            self.run[1]["references"][1] = bad
        else:
            cited[1] = bad
        return 2, path, 1

    def docid_readable(self) -> Where:
        path = _cite(self.run[1], 0, [""])
        return 2, (*path, 0), 0

    def references_missing(self) -> Where:
        del self.run[1]["references"]
        for sentence in sentences_of(self.run[1]):
            cited = sentence["citations"]
            sentence["citations"] = [] if isinstance(cited, list) else cited
        return 2, (), None

    def references_duplicate(self) -> Where:
        self.run[1]["references"].append(self.run[1]["references"][0])
        return 2, ("references", 2), None

    def references_undeclared(self) -> Where:
        for sentence in sentences_of(self.run[1]):
            cited = sentence["citations"]
            if cited and isinstance(cited, list):
                sentence["citations"] = [self.run[1]["references"][each] for each in cited]
        doc_id = self.run[1]["references"].pop(1)
        cited = sentences_of(self.run[1])[1]["citations"]
        path = (_first_key(self.run[1]), 1, "citations", doc_id if isinstance(cited, dict) else 1)
        return 2, path, 1

    def references_uncited(self) -> Where:
        self.run[0]["references"].append(_some_id(self.track, 33))
        return 1, ("references", 2), None

    def references_max(self) -> Where:
        most = self.track.rules["references_max"].values["max"]
        references = self.run[0]["references"]
        references += [f"msmarco_v2.1_doc_55_{number}#1_2" for number in range(most - 1)]
        sentences_of(self.run[0])[1]["citations"] = list(range(len(references)))
        return 1, ("references",), None

    def length(self) -> Where:
        values = self.track.rules["length"].values
        text = "ab " * 2500 if values["limit"] == "request" else "word " * (values["limit"] - 5)
        _write(self.run[1], 1, text.strip() + ".")
        return 2, (_first_key(self.run[1]), 1), 1

    def response_length(self) -> Where:
        self.run[1]["response_length"] += 1
        return 2, ("response_length",), None

    def narrative(self) -> Where:
        self.run[1]["metadata"]["narrative"] += " "
        return 2, ("metadata", "narrative"), None

    def suspicious_text(self) -> Where:
        sentences_of(self.run[0])[1]["text"] += "\u200b"
        return 1, (_first_key(self.run[0]), 1, "text"), 1

    def uncited_report(self) -> Where:
        for sentence in sentences_of(self.run[1]):
            sentence["citations"] = type(sentence["citations"])()
        if "references" in self.run[1]:
            self.run[1]["references"] = []
        return 2, (_first_key(self.run[1]),), None

    def repeated_report(self) -> Where:
        key = _first_key(self.run[1])
        self.run[1][key] = copy.deepcopy(self.run[0][key])
        _write(self.run[1], 0, self.run[0][key][0]["text"])
        return 2, (), None

    def chat_reply(self) -> Where:
        return self._text("I'm sorry, but I cannot help with that.")

    def garbled_text(self) -> Where:
        return self._text("The cafÃ© was rebuilt.")

    def html_entities(self) -> Where:
        return self._text("Smith &amp; Sons paid.")

    def inline_citations(self) -> Where:
        cited = next(iter(sentences_of(self.run[1])[0]["citations"]))
        doc_id = self.run[1]["references"][cited] if isinstance(cited, int) else cited
        return self._text(f"A fund paid the rest [{doc_id}].")

    def markdown_table(self) -> Where:
        return self._text("| Year | Cost |")

    def _text(self, text: str) -> Where:
        _write(self.run[1], 1, text)
        return 2, (_first_key(self.run[1]), 1, "text"), 1

    def _run_id(self, run_id: str) -> Where:
        for report in self.run:
            _meta(report)[0]["run_id"] = run_id
        return 1, (*_meta(self.run[0])[1], "run_id"), None


CODES = [name for name in vars(Breaks) if not name.startswith("_")]


def _cases() -> list[tuple[str, str]]:
    cases = []
    for name in LINE_TRACKS:
        track = tracks.load(name)
        shape = "doc_ids" if name == "generic" else track.layout.citations[0]
        for code in CODES:
            is_possible = {
                "citation_score": shape == "scores",
                "reference_index": shape == "indexes",
                "citation_duplicate": shape != "scores",
                "docid_readable": not track.rule("docid_pattern"),
                "references_undeclared": track.layout.citations != ("indexes",),
            }
            if track.rule(code) and is_possible.get(code, True):
                cases.append((name, code))
    return cases


@pytest.mark.parametrize(("name", "code"), _cases())
def test_a_rule_broken_alone_is_found_where_it_was_broken(
    name: str, code: str, tmp_path: Path
) -> None:
    track, run = tracks.load(name), run_of(name)
    line, path, sentence = getattr(Breaks(run, track), code)()
    findings = check(tmp_path, name, run)
    without = {"uncited_report"} if code == "references_missing" else set()
    others = [each for each in codes(findings) if each not in without]
    assert others == [code], [str(finding) for finding in findings]
    found = findings[0]
    rule = track.rule(code)
    assert rule is not None
    assert found.severity is rule.severity
    assert found.line == line
    assert found.path == (json_path(path) if line else "")
    assert found.sentence == sentence
    assert found.hint
    assert found.topic_id == topic_of(run_of(name)[1] if line is None else run[line - 1])


@pytest.mark.parametrize("name", LINE_TRACKS)
def test_a_valid_run_has_no_findings(name: str, tmp_path: Path) -> None:
    assert check(tmp_path, name, run_of(name), is_strict=True, is_segmented=True) == []


@pytest.mark.parametrize(("name", "code"), [case for case in _cases() if case[0] == "ragtime26"])
def test_strict_turns_every_warning_into_an_error(name: str, code: str, tmp_path: Path) -> None:
    run = run_of(name)
    getattr(Breaks(run, tracks.load(name)), code)()
    found = check(tmp_path, name, run, is_strict=True)
    assert {finding.severity for finding in found} == {Severity.ERROR}


def test_every_rule_of_every_track_is_broken_by_some_test() -> None:
    elsewhere = {"segmentation", "unknown_document", "references_present"}
    elsewhere |= {"rank_order", "score_order", "duplicate_document"}  # see test_tables.py
    elsewhere |= {"duplicate_question", "question_count"}
    assert {*CODES} | elsewhere == tracks.RULES.keys()


def test_an_id_with_white_space_around_it_is_a_warning(tmp_path: Path) -> None:
    run = run_of("generic")
    _cite(run[0], 1, ["doc 0", "d1 "])
    (found,) = check(tmp_path, "generic", run)
    assert (found.code, found.severity.value) == ("id_whitespace", "warning")
    assert (found.path, found.message[:17]) == ("$.responses[1].citations[1]", "the id 'd1 ' star")


@pytest.mark.parametrize("doc_id", ["", " \t", "d\n1", "d\u200b1"])
def test_an_id_that_no_reader_takes_is_an_error_in_every_track(doc_id: str, tmp_path: Path) -> None:
    run = run_of("generic")
    _cite(run[0], 1, ["doc 0", doc_id])
    run[1]["references"] = ["doc 0", doc_id]
    first, second = check(tmp_path, "generic", run)
    assert {first.code, second.code} == {"docid_readable"}
    assert (first.path, first.sentence) == ("$.responses[1].citations[1]", 1)
    assert (second.path, second.sentence) == ("$.references[1]", None)
    assert ("the document id is" if not doc_id.strip() else "not printable") in first.message
