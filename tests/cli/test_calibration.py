"""From assessments to a calibration, and to scores with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.tiny_track import read_lines, write_lines

ROOT = Path(__file__).parents[2]
SCORE = (
    "score runs/careful.jsonl runs/sparse.jsonl qrels/example.json "
    "--collection collection/example.jsonl --allow-unjudged"
)
JUDGE = "judge runs/careful.jsonl qrels/example.json --collection collection/example.jsonl"


@pytest.fixture
def calibration(argue_eval: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A calibration of the lexical judge to the example track's assessor, in the work folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("runs", "qrels", "topics", "collection"):
        Path(name).symlink_to(ROOT / name)
    more = "runs/sparse.jsonl runs/miscited.jsonl"
    assert argue_eval(f"{SCORE} -o lexical".replace("runs/sparse.jsonl", more)).code == 0
    ran = argue_eval(
        "meta-eval lexical --truth qrels/example.judgments.jsonl --calibrate cal.json --resamples 0"
    )
    assert ran.code == 0
    assert "calibration of lexical@" in ran.out
    assert "cal.json: written" in ran.err
    return "cal.json"


def test_scores_with_a_calibration_say_so_and_keep_the_answers_of_the_judge(
    argue_eval: Command, calibration: str
) -> None:
    plain = argue_eval(f"{SCORE} --store answers.store")
    again = argue_eval(f"{SCORE} --store answers.store --calibration {calibration}")
    assert "0 judged" not in plain.err
    assert "calibrated-" in again.err
    # Only what other verdicts lead to is asked.
    num_judged = [int(ran.err.split(" judged and kept")[0].split()[-1]) for ran in (plain, again)]
    assert num_judged[1] < num_judged[0] / 10
    assert plain.out != again.out
    for file in Path("lexical").glob("*.judgments.jsonl"):
        assert all("calibrated" not in each["judge"] for each in read_lines(file))


def test_unsure_questions_stay_unjudged_and_are_counted(
    argue_eval: Command, calibration: str
) -> None:
    ran = argue_eval(
        f"{SCORE} --calibration {calibration} --agreement 0.97".replace("--allow-unjudged", "")
    )
    assert ran.code == 4
    assert "not sure, with --sure" in ran.err
    assert "sure of " in ran.err
    assert "low-high" in ran.out


def test_only_kinds_with_limits_are_told_of(argue_eval: Command) -> None:
    """Of the other kinds, all answers are used: that is no certainty."""
    ran = argue_eval(f"{SCORE} --sure")
    (told,) = [line for line in ran.err.splitlines() if line.startswith("sure of ")]
    assert " support answers (" in told
    assert "answers answers" not in told


def test_judging_with_a_calibration_asks_and_stores_the_judge_itself(
    argue_eval: Command, calibration: str
) -> None:
    dry = f"{JUDGE} --calibration {calibration} --store s.store --dry-run --json"
    first = json.loads(argue_eval(dry).out)
    ran = argue_eval(f"{JUDGE} --calibration {calibration} --agreement 0.97 --store s.store")
    assert ran.code == 4
    assert "sure of " in ran.err
    second = json.loads(argue_eval(dry).out)
    support = [
        next(row for row in found["kinds"] if row["kind"] == "support") for found in (first, second)
    ]
    assert support[0]["num_stored"] == 0
    (failed,) = {row["num_asks"] - row["num_stored"] for row in support[1:]}
    assert support[0]["num_asks"] == support[1]["num_asks"] > 10 * failed
    exported = argue_eval("store export s.store")
    assert "calibrated" not in exported.out
    assert "lexical@" in exported.out


def test_rows_of_a_sheet_count_by_their_probability(argue_eval: Command, calibration: str) -> None:
    command = "sample lexical -n 60 --unit judgment --kind support -o sheet.jsonl"
    assert argue_eval(command).code == 0
    truth = {
        (each["topic_id"], each.get("sentence"), each.get("doc_id")): each["verdict"]
        for each in read_lines("qrels/example.judgments.jsonl")
        if each["kind"] == "support"
    }
    rows = read_lines("sheet.jsonl")
    for row in rows:
        row["verdict"] = truth[row["topic_id"], row["sentence"], row["doc_id"]]
    found = {}
    for name, changes in (("sheet", {}), ("alike", {"probability": 1.0})):
        write_lines(f"{name}.jsonl", ({**row, **changes} for row in rows))
        ran = argue_eval(
            f"meta-eval lexical --truth {name}.jsonl --kind support --resamples 0 "
            f"--calibrate {name}.json"
        )
        assert ran.code == 0, ran.err
        (found[name],) = json.loads(Path(f"{name}.json").read_text("utf-8"))["calibrations"]
    assert found["sheet"]["num"] == found["alike"]["num"] > 50
    assert found["sheet"]["thresholds"] != found["alike"]["thresholds"]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--calibration cal.json --judge none", 2, "no judge is to be asked"),
        ("--calibration missing.json", 3, "missing.json: no such file"),
        ("--calibration qrels/example.json", 1, "expected a calibration"),
        ("--sure --judge none", 2, "no judge is to be asked"),
        ("--agreement 1.5", 2, "agreement: expected a number above 0.5, up to 1, found 1.5"),
        ("--agreement nan", 2, "--agreement: expected a number, found nan"),
    ],
)
def test_mistakes_are_named(
    argue_eval: Command, calibration: str, options: str, code: int, message: str
) -> None:
    ran = argue_eval(f"{SCORE} {options}")
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err


def test_nothing_is_written_if_nothing_can_be_calibrated(
    argue_eval: Command, calibration: str
) -> None:
    Path("two.jsonl").write_text(
        "".join(Path("lexical/careful.judgments.jsonl").read_text("utf-8").splitlines(True)[:9])
    )
    ran = argue_eval(
        "meta-eval two.jsonl --truth qrels/example.judgments.jsonl --calibrate new.json"
    )
    assert ran.code == 1
    assert "[not_calibrated]" in ran.err
    assert not Path("new.json").exists()
    truth = "qrels/example.judgments.jsonl"
    assert argue_eval(f"meta-eval two.jsonl --truth {truth} --calibrate two.jsonl").code == 2
    panel = argue_eval("meta-eval lexical --inter-assessor --calibrate new.json")
    assert panel.code == 2
    assert "--calibrate needs judgments of a judge and of assessors" in panel.err
