"""Cascades from the command line: a cheap judge first, a language model for the rest."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from argue_eval.formats.calibrations import JudgeCalibration, Thresholds, write_calibrations
from argue_eval.judges.lexical import judge as lexical
from argue_eval.judges.nli import judge as nli
from argue_eval.records import Kind
from tests.chat_server import ChatServer, Received, says
from tests.cli.conftest import Command, exported
from tests.documented import ROOT
from tests.oracle import oracle
from tests.tiny_track import read_lines, write_lines

TRACK = "runs/careful.jsonl runs/miscited.jsonl qrels/example.json --collection texts.jsonl"
BOTH = "cascade:lexical,llm:model"
SUPPORT = f"--support-judge {BOTH}"
NO, YES = 0.2, 0.8
"""From these probabilities on lexical is sure in the calibration of these tests."""

pytestmark = pytest.mark.usefixtures("track")


@pytest.fixture
def track(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example track with a calibration, in the work folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("runs", "qrels"):
        Path(name).symlink_to(ROOT / name)
    Path("texts.jsonl").symlink_to(ROOT / "collection" / "example.jsonl")
    _calibrate("cal.json", lexical.create().version, Kind.SUPPORT, Kind.ANSWERS)


def _calibrate(
    path: str, judge: str, *kinds: Kind, limits: tuple[float, float] = (NO, YES)
) -> None:
    """Writes a calibration that only says where a judge is sure."""
    shared: dict[str, Any] = {"num": 99, "num_yes": 50, "slope": 1, "intercept": 0}
    thresholds = Thresholds(0.5)
    write_calibrations(
        path,
        [
            JudgeCalibration(judge=judge, kind=kind, thresholds=thresholds, sure=limits, **shared)
            for kind in kinds
        ],
    )


def _judged(store: str, argue_eval: Command) -> dict[str, dict[tuple[str, ...], dict[str, Any]]]:
    """What is in a store: by judge and by what it is about."""
    found: dict[str, dict[tuple[str, ...], dict[str, Any]]] = {}
    for line in map(json.loads, exported(argue_eval, store)):
        found.setdefault(line["judge"].partition("@")[0], {})[_about(line)] = line
    return found


def _of_support(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["judge"].partition("@")[0]: row for row in rows if row["kind"] == "support"}


def _lines(*runs: str) -> list[dict[str, Any]]:
    """The judgments that the scores of runs rest on."""
    names = runs or ("careful", "miscited")
    return [line for run in names for line in read_lines(f"out/{run}.judgments.jsonl")]


def _about(line: dict[str, Any]) -> tuple[str, ...]:
    names = ("kind", "topic_id", "sentence", "doc_id", "nugget_id", "answer")
    return tuple(str(line.get(name, "")) for name in names)


def test_the_next_judge_is_asked_what_the_first_is_not_sure_of(
    argue_eval: Command, server: ChatServer
) -> None:
    options = f"--judge {BOTH} --calibration cal.json --store x.store"
    ran = argue_eval(f"score {TRACK} {options} -o out")
    assert ran.code == 0
    stored = _judged("x.store", argue_eval)
    cheap, dear = stored["lexical"], stored["llm"]
    is_sure = {key: not NO < line["prob"] < YES for key, line in cheap.items()}
    assert Counter(is_sure.values())[True] > 100
    assert not [key for key in dear if is_sure.get(key)], "asked in vain"
    by_judge: Counter[tuple[str, str]] = Counter()
    for line in _lines():
        key = _about(line)
        by_judge[line["kind"], line["judge"]] += 1
        if line["judge"].startswith("lexical@"):
            assert is_sure[key]
            assert line["verdict"] == ("yes" if cheap[key]["prob"] >= YES else "no")
            assert line["judge"].endswith("/sure")
        elif line["kind"] in ("support", "answers"):
            assert line["verdict"] == dear[key]["verdict"]
            assert not is_sure.get(key, False)
    shares: Counter[tuple[str, str]] = Counter()
    for run in ("careful", "miscited"):
        meta = json.loads(Path(f"out/{run}.meta.json").read_text("utf-8"))
        for kind, judges in meta["answered_by"].items():
            shares.update({(kind, judge): number for judge, number in judges.items()})
    assert shares == by_judge
    for (kind, judge), number in by_judge.items():
        total = sum(each for (other, _), each in by_judge.items() if other == kind)
        if kind in ("support", "answers"):
            assert f"{kind}: {number} of {total} ({number / total:.1%}) by {judge}" in ran.err
    assert re.search(r"\|support:cascade:lexical@\S+/sure,llm@", ran.err)


def test_scored_again_nothing_is_asked_again_whatever_the_limits(
    argue_eval: Command, server: ChatServer
) -> None:
    options = f"--judge {BOTH} --calibration cal.json --store x.store"
    first = argue_eval(f"judge {TRACK} {options}")
    assert first.code == 0
    num_calls = len(server.received)
    again = argue_eval(f"score {TRACK} {options}")
    assert (again.code, len(server.received)) == (0, num_calls)
    # With wider limits only what the model was not asked yet is asked.
    _calibrate("less.json", lexical.create().version, Kind.SUPPORT, Kind.ANSWERS, limits=(0.1, 0.9))
    other = argue_eval(f"score {TRACK} --judge {BOTH} --calibration less.json --store x.store")
    assert other.code == 0
    assert len(server.received) > num_calls
    asked = len(server.received)
    argue_eval(f"judge {TRACK} --judge {BOTH} --calibration less.json --store whole.store")
    assert 0 < asked - num_calls < len(server.received) - asked
    signatures = {re.search(r"support:(\S+?)\|", ran.err)[1] for ran in (again, other)}  # type: ignore[index]
    assert len(signatures) == 2


def test_what_the_last_judge_cannot_answer_stays_unjudged(argue_eval: Command) -> None:
    with ChatServer(says("nonsense")) as server, server.environment():
        ran = argue_eval(f"score {TRACK} {SUPPORT} --store x.store -o out")
        assert server.received
    assert ran.code == 4
    lines = [line for line in _lines() if line["kind"] == "support"]
    assert lines
    assert {line["judge"].partition("@")[0] for line in lines} == {"lexical"}
    no, yes = lexical.create().sure[Kind.SUPPORT]
    assert all(line["prob"] <= no or line["prob"] >= yes for line in lines)
    assert re.search(r"\d+ x support, judge llm@", ran.err)


def test_what_may_not_be_asked_any_more_stays_unjudged(
    argue_eval: Command, server: ChatServer
) -> None:
    ran = argue_eval(f"judge {TRACK} {SUPPORT} --store x.store --max-calls 0 --json")
    told = json.loads(ran.out)
    assert (ran.code, len(server.received)) == (4, 0)
    rows = _of_support(told["judges"])
    assert rows["llm"]["skipped"] == rows["llm"]["asked"] == told["asks"]["support"]["skipped"]
    cheap = rows["lexical"]
    assert cheap["asked"] == cheap["judged"] + cheap["failed"]
    assert rows["llm"]["asked"] == cheap["unsure"] + cheap["failed"] > 0
    assert argue_eval(f"judge {TRACK} {SUPPORT} --store x.store").code == 0


def test_dry_run_asks_the_cheap_judge_and_prices_the_rest(
    argue_eval: Command, server: ChatServer
) -> None:
    command = f"judge {TRACK} --judge {BOTH} --calibration cal.json --store x.store"
    found = json.loads(argue_eval(f"{command} --dry-run --json").out)
    assert not server.received
    assert not Path("x.store").exists()
    told = json.loads(argue_eval(f"{command} --json").out)
    asked = {(row["kind"], row["judge"]): row["asked"] for row in told["judges"]}
    rows = {(row["kind"], row["judge"]): row for row in found["kinds"]}
    assert {kind for kind, judge in rows if judge.startswith("lexical@")} == {"support", "answers"}
    for key, row in rows.items():
        assert row["num_sure"] <= asked.get(key, 0) <= row["num_most"], key
    (model,) = (row for row in found["judges"] if row["judge"].startswith("llm@"))
    assert model["sure"]["num_calls"] <= len(server.received) <= model["most"]["num_calls"]
    left = json.loads(argue_eval(f"{command} --dry-run --json").out)
    assert all(row["num_sure"] == 0 for row in left["kinds"] if row["judge"].startswith("llm@"))
    table = argue_eval(f"judge {TRACK} {SUPPORT} --store y.store --dry-run").out.splitlines()
    assert [line.split()[-1].partition("@")[0] for line in table[1:3]] == ["lexical", "llm"]


def test_a_classifier_in_the_middle(
    argue_eval: Command, server: ChatServer, nli_folder: Path
) -> None:
    name = f"nli:{nli_folder}"
    argue_eval(f"judge {TRACK} --support-judge {name} --store nli.store")
    probs = sorted({line["prob"] for line in _judged("nli.store", argue_eval)["nli"].values()})
    no, yes = probs[2], probs[-3]
    _calibrate("nli.json", nli.create(str(nli_folder)).signature, Kind.SUPPORT, limits=(no, yes))
    options = (
        f"--support-judge cascade:lexical,{name},llm:model --calibration nli.json --store x.store"
    )
    found = json.loads(argue_eval(f"judge {TRACK} {options} --dry-run --json").out)
    by_judge = _of_support(found["kinds"])
    assert by_judge["nli"]["num_sure"] == by_judge["llm"]["num_most"] > 0, "it may pass on all"
    assert by_judge["llm"]["num_sure"] == 0, "or nothing"
    told = json.loads(argue_eval(f"judge {TRACK} {options} --json").out)
    rows = _of_support(told["judges"])
    assert list(rows) == ["lexical", "nli", "llm"]
    assert rows["nli"]["asked"] == by_judge["nli"]["num_sure"]
    assert 0 < rows["nli"]["unsure"] < rows["nli"]["asked"]
    assert rows["llm"]["asked"] == rows["nli"]["unsure"] + rows["nli"]["failed"]
    stored = _judged("x.store", argue_eval)
    for key, line in stored["llm"].items():
        assert key not in stored["nli"] or no < stored["nli"][key]["prob"] < yes, line
    num_calls = len(server.received)
    scored = argue_eval(f"score {TRACK} {options}")
    assert (scored.code, len(server.received)) == (0, num_calls)
    assert re.search(r"support: \d+ of \d+ \(\S+%\) by nli@\S+/calibrated-\w+/sure\n", scored.err)


def test_batch_files_have_what_the_cheap_judge_is_not_sure_of(
    argue_eval: Command, server: ChatServer
) -> None:
    assert argue_eval(f"judge {TRACK} {SUPPORT} --store x.store --batch-out b.jsonl").code == 0
    lines = read_lines("b.jsonl")
    assert not server.received
    argue_eval(f"judge {TRACK} {SUPPORT} --store live.store")
    assert len(lines) == len(server.received)
    results = []
    for number, line in enumerate(lines):
        body = json.loads(oracle(Received(number, line["body"], {})).body)
        response = {"status_code": 200, "request_id": f"r{number}", "body": body}
        results.append({"custom_id": line["custom_id"], "response": response, "error": None})
    write_lines("r.jsonl", results)
    ran = argue_eval(f"judge {TRACK} {SUPPORT} --store x.store --batch-in r.jsonl")
    assert ran.code == 0
    assert exported(argue_eval, "x.store") == exported(argue_eval, "live.store")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--judge cascade", 2, "expected cascade: and two or more judges, the cheapest first"),
        ("--judge cascade:", 2, "expected cascade: and two or more judges, the cheapest first"),
        ("--judge cascade:lexical", 2, "expected cascade: and two or more judges"),
        ("--judge cascade:lexical,,llm:m", 2, "expected cascade: and two or more judges"),
        ("--judge cascade:lexical,none", 2, "'none' cannot be in a cascade"),
        ("--judge cascade:lexical,cascade:x", 2, "'cascade' cannot be in a cascade"),
        ("--judge cascade:lexical,lexical", 2, "a judge is named twice"),
        ("--judge cascade:lexical,llm", 2, "the judge 'llm' needs a model"),
        ("--judge cascade:lexica,llm:m", 2, "Did you mean 'lexical'?"),
        ("--judge casade:lexical,llm:m", 2, "Did you mean 'cascade'?"),
        ("--judge cascade:llm:m,lexical", 2, "no answer of 'llm:m' would be used"),
        ("--sentence-judge cascade:lexical,llm:m", 2, "no answer of 'lexical' would be used"),
        ("--judge cascade:lexical,llm:m --agreement 0.9", 2, "--agreement 0.9 needs --calibration"),
        ("--judge cascade:lexical,nli:/no/such", 3, "/no/such"),
        ("--judge cascade:lexical,nli:/no/such --canary", 2, "is for judges llm:MODEL"),
    ],
)
def test_mistakes_are_named(
    argue_eval: Command, server: ChatServer, options: str, code: int, message: str
) -> None:
    ran = argue_eval(f"score {TRACK} {options} --store x.store")
    assert (ran.code, ran.out, len(server.received)) == (code, "", 0)
    assert message in ran.err


def test_a_cascade_is_one_judge_on_assessed_pairs(argue_eval: Command, server: ChatServer) -> None:
    texts = ["The dam opened in 1961.", "The dam opened in 1962.", "It was a fine day for trout."]
    document = "The dam at Vell opened in 1961. It holds 40 million cubic metres."
    pairs: list[dict[str, str]] = [
        {"claim": text, "document": document, "label": "yes" if "1961" in text else "no"}
        for text in texts
    ]
    write_lines("pairs.jsonl", pairs)
    command = f"meta-eval --pairs pairs.jsonl --judge {BOTH} --store x.store --calibration cal.json"
    dry = argue_eval(f"{command} --dry-run").out.splitlines()
    assert [line.partition("@")[0] for line in dry[1:]] == ["lexical", "llm"]
    ran = argue_eval(f"{command} --resamples 0 --json")
    assert ran.code == 0
    (agreement,) = json.loads(ran.out)["agreements"]
    assert re.fullmatch(r"cascade:lexical@\S+/sure,llm@\S+", agreement["judge"])
    assert agreement["counts"]["matched"] == len(texts)
    stored = _judged("x.store", argue_eval)
    unsure = [line for line in stored["lexical"].values() if NO < line["prob"] < YES]
    assert len(stored["lexical"]) == len(texts) > len(stored.get("llm", {})) == len(unsure)
