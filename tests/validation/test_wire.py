"""What is wrong with a file as such; and that all ways of reading find the same."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.formats import jsonl
from argue_eval.formats.jsonl import Source, streams
from argue_eval.formats.runs import Decoder, Draft, Layout, draft_of
from argue_eval.validation import tracks, validate
from argue_eval.validation.runs import Checked, Job, Limits, check_runs
from tests.validation.samples import Json, codes, run_of, sentences_of, write_requests, write_run
from tests.validation.test_rules_alone import CODES, Breaks

_GOOD = json.dumps(run_of("ragtime26")[0]).encode()
BROKEN: dict[str, tuple[bytes, bytes, str]] = {
    "a key twice": (b'"team_id"', b'"run_id"', "duplicate_key"),
    "a sentence's key twice": (b'"citations":', b'"text": "x", "citations":', "duplicate_key"),
    "a document cited twice": (
        b'"citations": {',
        b'"citations": {"0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e00_12345": 1.0, ',
        "duplicate_key",
    ),
    "a key twice, hidden by escaped quotes": (
        b'"text": "The old',
        b'"text": "x", "text": "\\u0022\\u0022 The old',
        "duplicate_key",
    ),
    "NaN as a score": (b"0.5", b"NaN", "not_a_number"),
    "half a surrogate pair": (b"The old", b"\\ud800", "lone_surrogate"),
    "no UTF-8": (b"The old", b"\xff", "encoding"),
    "cut off": (_GOOD[-9:], b"", "json_truncated"),
    "no JSON": (_GOOD, b"hello", "json_syntax"),
    "a number": (_GOOD, b"17", "wrong_type"),
    "null": (_GOOD, b"null", "wrong_type"),
    "a list as metadata": (b'"metadata": {', b'"metadata": [], "m": {', "wrong_type"),
    "a list as run id": (b'"run-1"', b"[1]", "wrong_type"),
    "deep nesting": (_GOOD, b'{"metadata": ' + b"[" * 50_000, "too_deep"),
    "a number as text": (b'"The old bridge', b'17, "x": "', "wrong_type"),
}
"""What is replaced in a good line by what, and the code of the finding."""


@pytest.mark.parametrize("num_small", [0, Limits().small])
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_is_named_and_the_others_are_checked(
    name: str, num_small: int, tmp_path: Path
) -> None:
    old, new, code = BROKEN[name]
    line = _GOOD.replace(old, new, 1)
    run = tmp_path / "run.jsonl"
    first, last = (json.dumps(report).encode() for report in run_of("ragtime26"))
    last = last.replace(b"The town", "The <b>tøwn</b>".encode())
    run.write_bytes(b"\n".join([first.replace(b"2001", b"2009"), b"", line, last]) + b"\n")
    found = _checked(str(run), Limits(small=num_small)).findings
    at_line = [finding for finding in found if finding.line == 3]
    assert code in codes(at_line), [str(finding) for finding in found]
    assert [(each.code, each.line) for each in found if each.line != 3] == [("suspicious_text", 4)]


def test_a_document_over_several_lines_is_one_error(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text(json.dumps(run_of("ragtime26"), indent=1))
    (found,) = validate(str(run), "ragtime26")
    assert (found.code, found.line) == ("not_json_lines", 1)
    run.write_text(json.dumps(run_of("ragtime26")))
    assert codes(validate(str(run), "ragtime26")) == ["not_json_lines"]


def test_an_unfinished_first_line_is_no_document(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    run.write_bytes(_GOOD[:-20] + b"\n" + _GOOD + b"\n")
    (found,) = validate(str(run), "ragtime26")
    assert (found.code, found.line) == ("json_truncated", 1)


def _asked(tmp_path: Path, *lines: bytes) -> list[tuple[str, str, str]]:
    requests = write_requests(tmp_path / "requests.jsonl", run_of("ragtime26"))
    (tmp_path / "run.jsonl").write_bytes(b"\n".join(lines))
    found = validate(str(tmp_path / "run.jsonl"), "ragtime26", topics=requests)
    return [(each.code, each.topic_id, each.hint.partition(":")[0]) for each in found]


def test_the_topic_of_a_line_that_is_not_json_is_not_missing(tmp_path: Path) -> None:
    good, other = (json.dumps(report).encode() for report in run_of("ragtime26"))
    assert [code for code, *_ in _asked(tmp_path, good[:-9], other)] == ["json_truncated"]
    assert [code for code, *_ in _asked(tmp_path, good[:-9], good, other)] == ["json_truncated"]
    hint = "correct the lines that can't be read first"
    assert _asked(tmp_path, other, b"{")[1:] == [("missing_topics", "2001", hint)]
    assert _asked(tmp_path, other) == [("missing_topics", "2001", "add a report for it")]


def test_reading_ends_after_a_thousand_lines_that_are_not_json(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text("no\n" * 5000)
    found = validate(str(run), "ragtime26")
    assert len(found) == 1001
    assert found[-1].code == "too_many_errors"


def test_of_one_code_no_more_is_kept_than_anybody_reads_but_all_is_counted(tmp_path: Path) -> None:
    report = run_of("ragtime26")[0]
    cited = report["responses"][0]["citations"]
    report["responses"] = [{"text": "<i>x</i>", "citations": cited}] * 5000
    (run,) = check_runs([write_run(tmp_path / "run.jsonl", [report])], Job(track="ragtime26"))
    assert len(run.findings) == 2000
    assert list(run.counts.values()) == [5000]


def test_a_line_may_not_be_longer_than_a_report_can_be(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    run.write_bytes(_GOOD + b"\n" + b" " * (3 << 20) + b"\n")
    (found,) = _checked(str(run), Limits(line=1 << 20)).findings
    assert (found.code, found.line) == ("too_large", 2)
    assert Limits().line < jsonl.MAX_LINE_BYTES


def test_gzip_that_unpacks_to_far_too_much_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(streams, "MIN_GZIP_BOMB", 1 << 20)
    run = tmp_path / "run.jsonl.gz"
    run.write_bytes(gzip.compress((b" " * 99 + b"\n") * (80 << 10)))
    (found,) = validate(str(run), "ragtime26")
    assert found.code == "gzip_bomb"
    run.write_bytes(gzip.compress(_GOOD + b"\n"))
    assert validate(str(run), "ragtime26") == []


def _mixed_run() -> list[Json]:
    """A run in which every third report has something wrong, in all ways by turns."""
    track = tracks.load("ragtime26")
    reports: list[Json] = []
    for number in range(240):
        pair = copy.deepcopy(run_of("ragtime26"))
        report = pair[1]
        report["metadata"]["topic_id"] = str(2000 + number)
        if number % 3 == 2:
            code = CODES[number // 3 % len(CODES)]
            if track.rule(code) and code not in ("missing_topics", "reference_index"):
                getattr(Breaks(pair, track), code)()
                report = pair[-1] if code in ("new_topics", "duplicate_topics") else pair[1]
        if number % 40 == 7:
            del report["metadata"]["team_id"]
        for sentence in sentences_of(report)[:1]:
            sentence["text"] += ' He said "yes" — once.' if number % 3 else ""
        reports.append(report)
    return reports


def _checked(run: str, limits: Limits, num_processes: int = 1) -> Checked:
    job = Job(track="ragtime26", limits=limits, num_processes=num_processes)
    (checked,) = check_runs([run], job)
    return checked


@pytest.mark.parametrize("ending", [b"", b"\nno\n", b"\n" + b" " * 2_000_000 + b"\n"])
def test_findings_are_the_same_for_every_way_of_reading(ending: bytes, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run.jsonl", _mixed_run())
    content = Path(run).read_bytes()
    Path(run).write_bytes(b"\n\n" + content[:-1].replace(b"\n", b"\n\n", 3) + ending)
    limits = Limits(line=1 << 20)
    expected = _checked(run, limits)
    assert len(expected.findings) > 20
    assert len(codes(list(expected.findings))) > 10
    limits = limits._replace(small=0)
    assert _checked(run, limits) == expected
    limits = limits._replace(large=0, slice=5000)
    for num_processes in (1, 2, 3):
        assert _checked(run, limits, num_processes) == expected


_IDS = st.sampled_from(["d1", "d2", 'd"3', "d\u00e4", ""])
_ODD = st.sampled_from([None, True, 3, 1 << 70, 10**400, 0.5, "x", [], {}, [["d1"]], {"a": 1}])
_CITED = st.one_of(
    st.lists(_IDS | st.integers(-1, 3), max_size=3),
    st.dictionaries(_IDS, st.floats(0, 1) | st.integers(-5, 5), max_size=3),
    _ODD,
)
_SENTENCE = st.one_of(
    st.fixed_dictionaries({"text": st.text(max_size=9), "citations": _CITED}),
    st.fixed_dictionaries({}, optional={"text": _ODD, "citations": _CITED, "x": _ODD}),
    st.tuples(st.text(max_size=3), st.lists(_IDS, max_size=2)).map(list),
    _ODD,
)
_METADATA = st.dictionaries(st.sampled_from(["topic_id", "run_id", "narrative_id", "x"]), _ODD)
_REPORT = st.fixed_dictionaries(
    {"metadata": _METADATA, "responses": st.lists(_SENTENCE, max_size=4)},
    optional={"references": st.lists(_IDS, max_size=3) | _ODD, "documents": _ODD, "answer": _ODD},
)
_LAYOUTS = (
    Layout(sentences=("responses",)),
    Layout(sentences=("answer", "responses"), metadata="either", has_pairs=True),
    Layout(sentences=("report",), metadata="flat"),
)


def _parts(draft: Draft) -> dict[str, Any]:
    """All that a draft says. That it has no odd characters need not be noticed."""
    names = [name for name in dir(draft) if name[0] != "_"]
    parts = {name: getattr(draft, name) for name in names if not callable(getattr(draft, name))}
    is_plain = draft.joined.isascii() and draft.joined.isprintable()
    parts |= {"is_plain": is_plain or not draft.is_plain, "doc_ids": sorted(draft.doc_ids)}
    return parts | {name: dict(parts[name]) for name in ("rest", "further")}


@given(st.one_of(_REPORT, _METADATA, _ODD), st.sampled_from(_LAYOUTS), st.booleans())
def test_every_way_of_decoding_gives_the_same_draft(
    value: Any, layout: Layout, is_ascii: bool
) -> None:
    raw = json.dumps(value, ensure_ascii=is_ascii).encode()
    source = Source.of_bytes("run", raw)
    usual = json.dumps({"metadata": {}, "responses": [], "answer": []}).encode()
    thorough = _parts(draft_of(source.decode(raw), 1, layout))
    for num_small in (0, 1 << 60):
        decoder = Decoder(source, layout, num_small)
        decoder.draft(1, usual)  # from the second report on, it is known where the sentences are
        assert repr(_parts(decoder.draft(1, raw))) == repr(thorough)


def test_a_run_may_come_through_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    class Stdin:
        buffer = io.BytesIO(_GOOD + b"\n")

    monkeypatch.setattr(sys, "stdin", Stdin())
    assert validate("-", "ragtime26") == []


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_bytes(b"\n")
    assert codes(validate(str(tmp_path / "run.jsonl"), "ragtime26")) == ["empty_file"]
