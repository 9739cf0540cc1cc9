"""The files of ``score -o DIR``: complete, enough to recompute every number, or not there."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from argue_eval.cli import app
from argue_eval.judges.lexical import judge as lexical
from argue_eval.records import Kind, Question, Reply
from argue_eval.report import folder as _folder
from argue_eval.report.tables.json import as_object
from tests import tiny_track
from tests.tiny_track import read_lines, write_lines

JUDGED = ["--judgments", "assessors.judgments.jsonl", "--judge", "none"]
BOTH = ["alpha.jsonl", "beta.jsonl", "nuggets.json"]
SUFFIXES = (
    "auto_argue.tsv", "judgments.jsonl", "meta.json", "nuggets.jsonl", "outcomes.jsonl",
    "reports.jsonl", "scores.jsonl", "scores.txt",
)  # fmt: skip
Json = dict[str, Any]


@pytest.fixture(autouse=True)
def _in_track(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_track.write(tmp_path)
    monkeypatch.chdir(tmp_path)


def _score(*args: str, code: int = 0) -> None:
    assert app.run(["score", *args]) == code


def _names(folder: str) -> set[str]:
    return {path.name for path in Path(folder).iterdir()}


def test_what_was_scored_is_kept_such_that_it_can_be_scored_again() -> None:
    _score(*BOTH, *JUDGED, "-o", "out", "--requests", "requests.jsonl", code=4)
    judged = [f"--judgments=out/{run}.judgments.jsonl" for run in ("alpha", "beta")]
    again = ["out/alpha.reports.jsonl", "out/beta.reports.jsonl", "out/scored.nuggets.json"]
    _score(
        *again, *judged, "--judge=none", "--requests=out/scored.requests.jsonl", "-oout2", code=4
    )
    for run in ("alpha", "beta"):
        assert read_lines(f"out2/{run}.scores.jsonl") == read_lines(f"out/{run}.scores.jsonl")
        assert read_lines(f"out2/{run}.nuggets.jsonl") == read_lines(f"out/{run}.nuggets.jsonl")


def test_cited_documents_are_kept_up_to_a_length() -> None:
    long = {"doc_id": "d1", "title": "t", "text": "ab " * 10_000}
    Path("long.jsonl").write_text(json.dumps(long) + "\n" + json.dumps({**long, "doc_id": "d99"}))
    _score(*BOTH, *JUDGED, "-o", "out", "--collection", "long.jsonl", code=4)
    (kept,) = read_lines("out/scored.documents.jsonl")
    assert kept["doc_id"] == "d1"
    assert (len(kept["text"]), kept["num_characters"]) == (_folder.MAX_DOCUMENT, 30_000)


def test_what_was_cut_is_told_where_a_judge_would_read_it_and_stays_marked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cut = {"doc_id": "d1", "text": "The mill was built.", "num_characters": 30_000}
    Path("cut.jsonl").write_text(json.dumps(cut))
    again = ["--collection", "cut.jsonl", "--allow-unjudged"]
    _score(*BOTH, *JUDGED, *again, "-o", "out")
    assert "cut_document" not in capsys.readouterr().err
    assert read_lines("out/scored.documents.jsonl")[0]["num_characters"] == 30_000
    _score(*BOTH, *again)
    assert "of 1 document, only the start is kept: d1" in capsys.readouterr().err
    reports = read_lines("alpha.jsonl")
    held = [{**each, "documents": {"d1": {**cut, "title": ""}}} for each in reports]
    write_lines("held.jsonl", held)
    _score("held.jsonl", "nuggets.json", "--allow-unjudged")
    assert "of 1 document, only the start is kept: d1" in capsys.readouterr().err


def test_nuggets_are_answered_where_outcomes_credit_them() -> None:
    _score(*BOTH, *JUDGED, "-o", "out", code=4)
    credits = {
        (each["topic_id"], credit["nugget_id"], each["sentence_index"])
        for each in read_lines("out/alpha.outcomes.jsonl")
        for credit in each["credited"]
    }
    nuggets = read_lines("out/alpha.nuggets.jsonl")
    assert credits == {
        (each["topic_id"], each["nugget_id"], place)
        for each in nuggets
        for place, _ in each["credited"]
    }
    recall = [
        each for each in read_lines("out/alpha.scores.jsonl") if each["measure"] == "nugget_recall"
    ]
    for row in recall:
        of_topic = [each for each in nuggets if each["topic_id"] == row["topic_id"]]
        correct = sum(each["is_correct"] is True for each in of_topic)
        if of_topic:
            assert correct / len(of_topic) == pytest.approx(row["lower"])


def test_score_files_are_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    for view, suffix in (("trec_eval", "scores.txt"), ("auto_argue", "auto_argue.tsv")):
        capsys.readouterr()
        _score(*BOTH[::2], *JUDGED, "-q", "--format", view, "-o", "out")
        assert Path(f"out/alpha.{suffix}").read_text() == capsys.readouterr().out


LEFT = "9 files of earlier commands remain, of runs that the leaderboard does not have: beta\n"
STALE = {f"beta.{suffix}" for suffix in (*SUFFIXES, "citations.run")}


@pytest.mark.parametrize(
    ("between", "option", "gone", "told"),
    [
        ("", "", set(), f"{LEFT}    fix: add --clean to remove them"),
        ("", "--clean", STALE, ""),
        ("touched", "--clean", STALE - {"beta.meta.json"}, "1 file of earlier commands remain"),
        ("linked", "--clean", STALE - {"beta.meta.json"}, "they were changed since"),
        ("own", "--clean", STALE, ""),
        ("forged", "--clean", STALE, ""),
        ("lost", "", set(), ""),
        ("lost", "--clean", set(), ""),
    ],
)
def test_files_of_runs_that_are_not_scored_again_are_told_and_removed_only_if_they_are_ours(
    between: str, option: str, gone: set[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _score(*BOTH, *JUDGED, "-o", "out", code=4)
    meta, record = Path("out/beta.meta.json"), Path("out/argue-eval.sha256")
    if between == "touched":
        meta.write_text("mine now", "utf-8")
    elif between == "linked":
        meta.rename("kept.json")
        meta.symlink_to(Path("kept.json").absolute())
    elif between == "own":
        Path("out/mine.meta.json").write_text("{}", "utf-8")
        Path("out/notes.txt").write_text("mine", "utf-8")
    elif between == "forged":  # a record that names files elsewhere, or that are none of ours
        digest = hashlib.sha256(Path("nuggets.json").read_bytes()).hexdigest()
        Path("x.meta.json").write_bytes(Path("nuggets.json").read_bytes())
        names = ["../nuggets.json", "../x.meta.json", f"{Path('x.meta.json').absolute()}"]
        record.write_text(record.read_text() + "".join(f"{digest}  {each}\n" for each in names))
    elif between == "lost":
        record.unlink()
    before = _names("out") | _names(".")
    capsys.readouterr()
    _score("alpha.jsonl", "nuggets.json", *JUDGED, "-o", "out", *option.split())
    assert before - (_names("out") | _names(".")) == gone
    err = capsys.readouterr().err
    assert told in err if told else "stale_files" not in err


def test_an_interrupted_command_leaves_a_record_of_what_it_wrote(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = _folder.Folder.write_run

    def fails(self: Any, number: int, *args: Any) -> Any:
        if number:
            raise KeyboardInterrupt
        return whole(self, number, *args)

    monkeypatch.setattr(_folder.Folder, "write_run", fails)
    _score(*BOTH, *JUDGED, "-o", "out", code=130)
    record = Path("out/argue-eval.sha256").read_text()
    listed = {line.split("  ")[1] for line in record.splitlines()}
    assert listed == _names("out") - {"argue-eval.sha256"} == {f"alpha{name[4:]}" for name in STALE}


def _harmonic(first: float, second: float) -> float:
    return 2 * first * second / (first + second) if first + second else 0.0


def _by_hand(run: str, credit: str) -> Iterator[tuple[str, str, float]]:
    """Yields (topic, measure, value) recomputed from ``outcomes.jsonl`` and the nuggets."""
    topics: dict[str, list[Json]] = defaultdict(list)
    for record in read_lines(f"out/{run}.outcomes.jsonl"):
        topics[record["topic_id"]].append(record)
    for topic in tiny_track.NUGGETS["topics"]:
        records = topics[topic["topic_id"]]
        shares = [each for each in map(CREDITS[credit], records) if each is not None]
        precision = fsum(shares) / len(shares) if shares else 0.0
        given: dict[str, set[str]] = defaultdict(set)
        for record in records:
            for each in record["credited"]:
                given[each["nugget_id"]].add(each["answer"])
        correct = [_is_correct(nugget, given[nugget["nugget_id"]]) for nugget in topic["nuggets"]]
        recall = sum(correct) / len(correct)
        yield topic["topic_id"], "sentence_precision", precision
        yield topic["topic_id"], "nugget_recall", recall
        yield topic["topic_id"], "argue_f1", _harmonic(precision, recall)


def _is_correct(nugget: Json, given: set[str]) -> bool:
    required = {answer["answer"] for answer in nugget["answers"]} or {""}
    return given >= required if nugget["aggregator"] == "AND" else bool(given & required)


def _of_sentence(record: Json) -> float | None:
    return {3: 1.0, 8: 1.0, 1: 0.0, 5: 0.0, 7: 0.0}.get(record["outcome"])


def _mean_of_citations(record: Json) -> float | None:
    if not record["citations"]:
        return _of_sentence(record)
    shares = [{3: 1.0, 1: 0.0}.get(each["outcome"]) for each in record["citations"]]
    counted = [each for each in shares if each is not None]
    return fsum(counted) / len(counted) if counted else None


CREDITS = {"all": _of_sentence, "any": _of_sentence, "macro": _mean_of_citations}


@pytest.mark.parametrize("reading", ["argue", "strict"])
@pytest.mark.parametrize("citations", CREDITS)
def test_outcomes_recompute_precision_recall_and_f1(reading: str, citations: str) -> None:
    options = ["--reading", reading, "--citations", citations, "-m", "argue", "--judged-only"]
    _score(*BOTH, *JUDGED, *options, "-o", "out", code=4)
    for run in ("alpha", "beta"):
        rows = {
            (row["topic_id"], row["measure"]): row["value"]
            for row in read_lines(f"out/{run}.scores.jsonl")
        }
        values: dict[str, list[float]] = defaultdict(list)
        for topic_id, measure, value in _by_hand(run, citations):
            assert rows[topic_id, measure] == value, (run, topic_id, measure)
            values[measure].append(value)
        for measure, each in values.items():
            assert rows["all", measure] == fsum(each) / len(each)


def test_outcomes_name_path_judges_and_credited_nuggets() -> None:
    _score(*BOTH[::2], *JUDGED, "-o", "out")
    built = read_lines("out/alpha.outcomes.jsonl")[1]
    assert (built["text"], built["outcome"], built["effect"]) == (tiny_track.BUILT, 3, "reward")
    assert built["credited"] == [{"nugget_id": "n1", "answer": "1784"}]
    assert [(step["answer"], step["judge"]) for step in built["path"]] == [
        ("yes", ""),
        ("yes", "looked up in the nuggets"),
        ("yes", "assessor:A1"),
        ("yes", "assessor:A1"),
    ]


def test_effect_tells_unjudged_from_by_citation_and_not_asked() -> None:
    def effects(run: str, *options: str, code: int = 0) -> list[str]:
        _score(f"{run}.jsonl", "nuggets.json", *JUDGED, *options, "-o", "out", code=code)
        return [each["effect"] for each in read_lines(f"out/{run}.outcomes.jsonl")]

    by_citation = ["--citations", "macro"]
    assert effects("alpha")[:3] == ["ignore", "reward", "penalise"]
    assert effects("alpha", *by_citation)[:3] == ["ignore", "reward", "by citation"]
    assert effects("beta", code=4) == ["penalise", "penalise", "reward", "unjudged"]
    assert effects("beta", *by_citation, code=4)[3] == "unjudged"
    assert effects("beta", "-m", "nugget_coverage")[3] == "not asked"


JUDGING = {
    "assessors": JUDGED,
    "lexical": ["--collection", "documents.jsonl"],
    "both": [*JUDGED[:2], "--collection", "documents.jsonl"],
}


@pytest.mark.parametrize("how", JUDGING)
@pytest.mark.parametrize("reading", ["argue", "strict"])
def test_written_judgments_score_to_the_same_bytes(
    capsys: pytest.CaptureFixture[str], how: str, reading: str
) -> None:
    code = 4 if how == "assessors" else 0
    for run in ("alpha", "beta"):
        score = [f"{run}.jsonl", "nuggets.json", "--reading", reading, "-q"]
        capsys.readouterr()
        run_code = code if run == "beta" else 0
        _score(*score, *JUDGING[how], "-o", "first", code=run_code)
        first = capsys.readouterr().out
        judged = ["--judgments", f"first/{run}.judgments.jsonl", "--judge", "none"]
        _score(*score, *judged, "-o", "again", code=run_code)
        assert capsys.readouterr().out == first
        for suffix in ("scores.jsonl", "judgments.jsonl", "scores.txt", "auto_argue.tsv"):
            paths = [Path(f"{folder}/{run}.{suffix}") for folder in ("first", "again")]
            assert paths[0].read_bytes() == paths[1].read_bytes(), suffix


def test_equal_sentences_that_are_judged_differently_by_place_stay_so() -> None:
    text = {"text": "It burned.", "citations": ["d1"]}
    run = {"metadata": {"run_id": "r", "topic_id": "t1"}, "responses": [text, text]}
    nugget = {"nugget_id": "n", "question": "Why?", "answers": [{"answer": "a", "doc_ids": ["d1"]}]}
    Path("r.jsonl").write_text(json.dumps(run))
    Path("bank.jsonl").write_text(json.dumps({"topic_id": "t1", "nuggets": [nugget]}))
    about = [
        {"kind": "support", "doc_id": "d1"},
        {"kind": "answers", "nugget_id": "n", "answer": "a"},
    ]
    common = {"topic_id": "t1", "run_id": "r", "judge": "x"}
    judged = [
        {**common, "sentence_index": index, "verdict": verdict, **each}
        for index, verdict in enumerate(["yes", "no"])
        for each in about
    ]
    write_lines("placed.jsonl", judged)
    score = ["r.jsonl", "bank.jsonl", "--judge", "none"]
    _score(*score, "--judgments", "placed.jsonl", "-o", "first")
    assert [each["outcome"] for each in read_lines("first/r.outcomes.jsonl")] == [3, 1]
    _score(*score, "--judgments", "first/r.judgments.jsonl", "-o", "again")
    for suffix in ("scores.jsonl", "judgments.jsonl", "outcomes.jsonl"):
        assert Path(f"first/r.{suffix}").read_bytes() == Path(f"again/r.{suffix}").read_bytes()


def test_judgments_hold_only_what_the_run_needs() -> None:
    _score(*BOTH[::2], *JUDGED, "-o", "out")
    sentences = {each.get("sentence") for each in read_lines("out/alpha.judgments.jsonl")}
    assert tiny_track.TROUT in sentences
    assert tiny_track.LADDER not in sentences


def test_metadata_has_signature_options_counts_and_reasons(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _score(*BOTH[1:], *JUDGED, "--weights", "vital=3", "-o", "out", code=4)
    signature = next(
        line.removeprefix("signature: ")
        for line in capsys.readouterr().err.splitlines()
        if line.startswith("signature: ")
    )
    meta = json.loads(Path("out/beta.meta.json").read_text())
    assert meta["signature"] == signature
    assert meta["run_id"] == "beta"
    assert meta["team_id"] == "team beta"
    assert (meta["protocol"], meta["measures"], meta["by"]) == ("argue", [], [])
    assert (meta["response_points"], meta["options"]["covers"]) == ([], None)
    assert meta["options"]["weights"] == {"vital": 3.0, "okay": 1.0, "none": 1.0}
    assert (meta["num_q"], meta["num_q_run"], meta["num_unjudged"]) == (3, 2, 1)
    assert meta["missing_topics"] == ["t3"]
    assert [(each["kind"], each["questions"]) for each in meta["unjudged"]] == [("support", 1)]


def test_leaderboard_has_the_best_run_first_and_a_column_for_each_number() -> None:
    _score("beta.jsonl", "alpha.jsonl", "nuggets.json", *JUDGED, "-m", "argue", "-o", "out", code=4)
    head, *rows = [
        line.split("\t") for line in Path("out/leaderboard.tsv").read_text().splitlines()
    ]
    assert [row[:2] for row in rows] == [["alpha", "team alpha"], ["beta", "team beta"]]
    cells = dict(zip(head, rows[1], strict=True))
    open_ = {name: cell for name, cell in cells.items() if name.startswith("sentence_precision")}
    assert [*open_.values()] == ["", str(1 / 6), str(1 / 3), "", "", "", "2", "2"]
    recall = {name: cell for name, cell in cells.items() if name.startswith("nugget_recall_")}
    assert [recall[f"nugget_recall_{end}"] for end in ("low", "high", "rank")] == [
        "0.0",
        "0.0",
        "2",
    ]
    assert "outcome_1" not in cells


def test_file_names_come_from_run_ids_made_harmless() -> None:
    wanted = {"../up": "up", "A/b c": "A_b_c", "a_b_c": "a_b_c-2", "Übung": "Ubung", "運行": "run"}
    paths = []
    for number, run_id in enumerate(wanted):
        text = Path("alpha.jsonl").read_text().replace('"alpha"', json.dumps(run_id))
        paths.append(f"{number}.jsonl")
        Path(paths[-1]).write_text(text)
    _score(*paths, "nuggets.json", *JUDGED, "-m", "nugget_recall", "-o", "deep/out")
    stems = {name.removesuffix(".meta.json") for name in _names("deep/out") if "meta" in name}
    assert stems == set(wanted.values())
    assert {path.name for path in Path("deep").iterdir()} == {"out"}


def _break_after(number: int, error: BaseException) -> Any:
    """A stand-in for `as_object` that works for a while."""
    calls = iter(range(number))

    def broken(row: Any) -> Json:
        if next(calls, None) is None:
            raise error
        return as_object(row)

    return broken


def test_failing_disk_leaves_no_partial_file(monkeypatch: pytest.MonkeyPatch) -> None:
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(_folder, "as_object", _break_after(5, full))
    _score(*BOTH[::2], *JUDGED, "-o", "out", code=3)
    assert _names("out") == {"alpha.auto_argue.tsv", "alpha.scores.txt"}


def test_interrupted_writing_leaves_earlier_files_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    _score(*BOTH[::2], *JUDGED, "-o", "out")
    before = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    monkeypatch.setattr(_folder, "as_object", _break_after(5, KeyboardInterrupt()))
    _score(*BOTH[::2], *JUDGED, "-o", "out", code=130)
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == before


class _Failing:
    """A judge that knows no answer to anything."""

    signature = "failing@1"
    kinds = lexical.create().kinds
    joint: frozenset[Kind] = frozenset()

    def __init__(self, replies: list[Reply] | None = None) -> None:
        self._replies = replies

    def answer(self, questions: Iterable[Question]) -> Iterator[Reply]:
        if self._replies is None:
            raise ValueError("no \x1b[31mconnection")
        yield from self._replies


@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        (None, r"failed with ValueError: 'no \x1b[31mconnection'"),
        ([], "failed: no reply"),
        (
            [Reply(10_000, reason="none")],
            "failed with ValueError: 'no question has the index 10000, or it was answered before'",
        ),
    ],
)
def test_failing_judge_leaves_units_unjudged_and_files_whole(
    monkeypatch: pytest.MonkeyPatch, replies: list[Reply] | None, reason: str
) -> None:
    monkeypatch.setattr(lexical, "create", lambda *_: _Failing(replies))
    _score(*BOTH[::2], "-m", "nugget_recall", "-o", "out", code=4)
    meta = json.loads(Path("out/alpha.meta.json").read_text())
    reasons = {each["reason"] for each in meta["unjudged"]}
    assert reasons == {reason}
    assert Path("out/alpha.judgments.jsonl").read_text() == ""
    assert read_lines("out/alpha.scores.jsonl")[-1]["value"] is None
