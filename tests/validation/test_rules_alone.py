"""Each rule, broken alone in a valid run: that rule is found, where it was broken, and no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


def _metadata(run: list[Json], track: tracks.Track) -> Where:
    metadata, path = _meta(run[1])
    del metadata["run_id"]
    return 2, path, None


def _metadata_recommended(run: list[Json], track: tracks.Track) -> Where:
    metadata, path = _meta(run[0])
    metadata[track.rules["metadata_recommended"].values["keys"][0]] = "  "
    return 1, path, None


def _metadata_extra(run: list[Json], track: tracks.Track) -> Where:
    run[1]["metadata"]["colour"] = "blue"
    return 2, ("metadata", "colour"), None


def _run_id(run_id: str) -> Any:
    def change(run: list[Json], track: tracks.Track) -> Where:
        for report in run:
            _meta(report)[0]["run_id"] = run_id
        return 1, (*_meta(run[0])[1], "run_id"), None

    return change


def _run_id_differs(run: list[Json], track: tracks.Track) -> Where:
    _meta(run[1])[0]["run_id"] = "run-2"
    return 2, (*_meta(run[1])[1], "run_id"), None


def _team_id_differs(run: list[Json], track: tracks.Track) -> Where:
    for number, report in enumerate(run):
        _meta(report)[0]["team_id"] = f"team {number}"
    return 2, (*_meta(run[1])[1], "team_id"), None


def _missing_topics(run: list[Json], track: tracks.Track) -> Where:
    del run[1]
    return None, (), None


def _new_topics(run: list[Json], track: tracks.Track) -> Where:
    import copy

    run.append(copy.deepcopy(run[1]))
    metadata, path = _meta(run[2])
    metadata[track.layout.topic_id[0]] = "nobody's"
    return 3, (*path, track.layout.topic_id[0]), None


def _duplicate_topics(run: list[Json], track: tracks.Track) -> Where:
    run.append(run[0])
    return 3, (*_meta(run[0])[1], track.layout.topic_id[0]), None


def _empty_answer(run: list[Json], track: tracks.Track) -> Where:
    key = _first_key(run[1])
    run[1][key] = []
    return 2, (key,), None


def _blank_sentence(run: list[Json], track: tracks.Track) -> Where:
    _write(run[1], 2, " \n")
    return 2, (_first_key(run[1]), 2, "text"), 2


def _missing_citations(run: list[Json], track: tracks.Track) -> Where:
    del sentences_of(run[1])[2]["citations"]
    return 2, (_first_key(run[1]), 2), 2


def _citation_format(run: list[Json], track: tracks.Track) -> Where:
    sentences_of(run[1])[2]["citations"] = "the archive"
    return 2, (_first_key(run[1]), 2, "citations"), 2


def _citation_count(run: list[Json], track: tracks.Track) -> Where:
    doc_ids = [_some_id(track, number) for number in range(4)]
    run[0].pop("references", None) if track.name.startswith("ragtime") else None
    path = _cite(run[0], 1, doc_ids)
    if "references" not in run[0] and track.rule("references_missing"):
        run[0]["references"] = doc_ids
    return 1, path, 1


def _some_id(track: tracks.Track, number: int) -> str:
    if track.name.startswith("ragtime"):
        return f"0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e{number:02d}_12345"
    if track.name == "rag26":
        return f"shard_00{number:02d}_617"
    return f"msmarco_v2.1_doc_12_34567{number:02d}#4_567"


def _citation_duplicate(run: list[Json], track: tracks.Track) -> Where:
    cited = sentences_of(run[0])[1]["citations"]
    sentences_of(run[0])[1]["citations"] = [*cited, next(iter(cited))]
    return 1, (_first_key(run[0]), 1, "citations", 2), 1


def _citation_score(run: list[Json], track: tracks.Track) -> Where:
    cited = sentences_of(run[0])[0]["citations"]
    doc_id = next(iter(cited))
    cited[doc_id] = "high"
    return 1, (_first_key(run[0]), 0, "citations", doc_id), 0


def _reference_index(run: list[Json], track: tracks.Track) -> Where:
    sentences_of(run[0])[0]["citations"].append(7)
    return 1, (_first_key(run[0]), 0, "citations", 1), 0


def _docid_pattern(run: list[Json], track: tracks.Track) -> Where:
    if track.layout.citations[0] == "indexes":
        run[1]["references"][1] += "#junk"
        return 2, (_first_key(run[1]), 1, "citations", 1), 1
    cited = sentences_of(run[1])[1]["citations"]
    bad = list(cited)[1] + "#junk"
    path = (_first_key(run[1]), 1, "citations", bad if isinstance(cited, dict) else 1)
    if isinstance(cited, dict):
        sentences_of(run[1])[1]["citations"] = {next(iter(cited)): 0.5, bad: 0.5}
        run[1]["references"][1] = bad
    else:
        cited[1] = bad
    return 2, path, 1


def _docid_readable(run: list[Json], track: tracks.Track) -> Where:
    path = _cite(run[1], 0, [""])
    return 2, (*path, 0), 0


def _references_missing(run: list[Json], track: tracks.Track) -> Where:
    del run[1]["references"]
    for sentence in sentences_of(run[1]):
        cited = sentence["citations"]
        sentence["citations"] = [] if isinstance(cited, list) else cited
    return 2, (), None


def _references_duplicate(run: list[Json], track: tracks.Track) -> Where:
    run[1]["references"].append(run[1]["references"][0])
    return 2, ("references", 2), None


def _references_undeclared(run: list[Json], track: tracks.Track) -> Where:
    for sentence in sentences_of(run[1]):
        cited = sentence["citations"]
        if cited and isinstance(cited, list):
            sentence["citations"] = [run[1]["references"][each] for each in cited]
    doc_id = run[1]["references"].pop(1)
    cited = sentences_of(run[1])[1]["citations"]
    path = (_first_key(run[1]), 1, "citations", doc_id if isinstance(cited, dict) else 1)
    return 2, path, 1


def _references_uncited(run: list[Json], track: tracks.Track) -> Where:
    run[0]["references"].append(_some_id(track, 33))
    return 1, ("references", 2), None


def _references_max(run: list[Json], track: tracks.Track) -> Where:
    most = track.rules["references_max"].values["max"]
    references = run[0]["references"]
    references += [f"msmarco_v2.1_doc_55_{number}#1_2" for number in range(most - 1)]
    sentences_of(run[0])[1]["citations"] = list(range(len(references)))
    return 1, ("references",), None


def _length(run: list[Json], track: tracks.Track) -> Where:
    values = track.rules["length"].values
    text = "ab " * 2500 if values["limit"] == "request" else "word " * (values["limit"] - 5)
    _write(run[1], 1, text.strip() + ".")
    return 2, (_first_key(run[1]), 1), 1


def _response_length(run: list[Json], track: tracks.Track) -> Where:
    run[1]["response_length"] += 1
    return 2, ("response_length",), None


def _narrative(run: list[Json], track: tracks.Track) -> Where:
    run[1]["metadata"]["narrative"] += " "
    return 2, ("metadata", "narrative"), None


def _suspicious_text(run: list[Json], track: tracks.Track) -> Where:
    sentences_of(run[0])[1]["text"] += "\u200b"
    return 1, (_first_key(run[0]), 1, "text"), 1


BREAKS: dict[str, Any] = {
    "metadata": _metadata,
    "metadata_recommended": _metadata_recommended,
    "metadata_extra": _metadata_extra,
    "run_id_length": _run_id("r" * 40),
    "run_id_alphabet": _run_id(".run"),
    "run_id_differs": _run_id_differs,
    "team_id_differs": _team_id_differs,
    "missing_topics": _missing_topics,
    "new_topics": _new_topics,
    "duplicate_topics": _duplicate_topics,
    "empty_answer": _empty_answer,
    "blank_sentence": _blank_sentence,
    "missing_citations": _missing_citations,
    "citation_format": _citation_format,
    "citation_count": _citation_count,
    "citation_duplicate": _citation_duplicate,
    "citation_score": _citation_score,
    "reference_index": _reference_index,
    "docid_pattern": _docid_pattern,
    "docid_readable": _docid_readable,
    "references_missing": _references_missing,
    "references_duplicate": _references_duplicate,
    "references_undeclared": _references_undeclared,
    "references_uncited": _references_uncited,
    "references_max": _references_max,
    "length": _length,
    "response_length": _response_length,
    "narrative": _narrative,
    "suspicious_text": _suspicious_text,
}


def _cases() -> list[tuple[str, str]]:
    cases = []
    for name in LINE_TRACKS:
        track = tracks.load(name)
        shape = "doc_ids" if name == "generic" else track.layout.citations[0]
        for code in BREAKS:
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
    line, path, sentence = BREAKS[code](run, track)
    findings = check(tmp_path, name, run)
    assert codes(findings) == [code], [str(finding) for finding in findings]
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
    BREAKS[code](run, tracks.load(name))
    found = check(tmp_path, name, run, is_strict=True)
    assert {finding.severity for finding in found} == {Severity.ERROR}


def test_every_rule_of_every_track_is_broken_by_some_test() -> None:
    elsewhere = {"segmentation", "unknown_document", "references_present"}
    assert BREAKS.keys() | elsewhere == tracks.RULES.keys()


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
