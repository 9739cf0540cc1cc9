"""``score --assessed``: scores that people's assessments correct, printed and written."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import argue_eval as ae
from argue_eval.analysis.results import CorrectedScore, Correction, Figure
from argue_eval.report.assessed import as_table
from argue_eval.report.folder import judgment_object
from tests.analysis.assessed_track import MACHINE, PEOPLE, judged, nuggets, run
from tests.cli.conftest import Command
from tests.tiny_track import read_lines, write_lines

TOPICS = [f"t{number:02}" for number in range(12)]
BY_PEOPLE = dict(zip(TOPICS, [4, 3, 1, 2, 0, 2, 4, 1, 3, 2, 1, 0], strict=True))
BY_MACHINE = dict(zip(TOPICS, [4, 4, 2, 3, 1, 2, 4, 2, 4, 3, 1, 1], strict=True))
SCORE = "score alpha.jsonl nuggets.json --judgments machine.jsonl --judge none -m nugget_recall"


@pytest.fixture(autouse=True)
def track(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run, its nuggets, what a machine judged, and what people assessed of eight topics."""
    monkeypatch.chdir(tmp_path)
    ae.write_run(run(TOPICS), "alpha.jsonl")
    ae.write_nuggets(nuggets(TOPICS), "nuggets.json")
    some = {topic_id: BY_PEOPLE[topic_id] for topic_id in TOPICS[:8]}
    for name, judgments in (
        ("machine", judged(BY_MACHINE, MACHINE)),
        ("people", judged(some, PEOPLE)),
    ):
        write_lines(f"{name}.jsonl", map(judgment_object, judgments))


def _row(text: str, delimiter: str = "\t") -> dict[str, str]:
    return next(csv.DictReader(io.StringIO(text), delimiter=delimiter))


def test_every_figure_stands_in_a_column_of_its_own(argue_eval: Command) -> None:
    ran = argue_eval(f"{SCORE} --assessed people.jsonl --format tsv")
    assert ran.code == 0, ran.err
    row = _row(ran.out)
    assert (row["run_id"], row["measure"], row["unit"]) == ("alpha", "nugget_recall", "topic")
    assert "value" not in row  # nothing stands where a score stands
    assert float(row["machine"]) == pytest.approx(31 / 48)
    assert float(row["people"]) == pytest.approx(17 / 32)
    low, value, high = (float(row[f"ppi{end}"]) for end in ("_low", "", "_high"))
    assert low < value < high
    assert 0 < float(row["lambda"]) < 1
    assert (row["num_assessed"], row["num_units"], row["reason"]) == ("8", "12", "")
    assert _row(argue_eval(f"{SCORE} --assessed people.jsonl --format csv").out, ",") == row
    document = json.loads(argue_eval(f"{SCORE} --assessed people.jsonl --format json").out)
    assert document["scores"][0]["ppi"] == value
    assert document["assessors"] == [PEOPLE]


def test_a_number_below_0_is_no_formula() -> None:
    figure = Figure("ppi", -0.5, -0.75, 0.25)
    row = CorrectedScore("=r", "m", "topic", -1e-05, figure, figure, 0.5, 8, 12)
    table = "".join(as_table(Correction((PEOPLE,), 0.05, (row,), (), ()), "\t"))
    cells = ["'=r", "m", "topic", "-1e-05", "-0.5", "-0.75", "0.25"]
    assert table.splitlines()[1].split("\t")[:7] == cells


@pytest.mark.parametrize("name", ["text", "markdown"])
def test_page_says_what_is_what(argue_eval: Command, name: str) -> None:
    ran = argue_eval(f"{SCORE} --assessed people.jsonl --format {name}")
    for part in (PEOPLE, "95 percent", "people alone", "lambda", "8/12", "sensitivity", "0.6458"):
        assert part in ran.out
    assert "signature" in ran.err + ran.out


def test_level_is_that_of_the_intervals(argue_eval: Command) -> None:
    widths = []
    for level in ("0.01", "0.05", "0.3"):
        ran = argue_eval(f"{SCORE} --assessed people.jsonl --format tsv --level {level}")
        row = _row(ran.out)
        widths.append(float(row["people_high"]) - float(row["people_low"]))
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > widths[2] > 0
    default = argue_eval(f"{SCORE} --assessed people.jsonl").out
    assert argue_eval(f"{SCORE} --assessed people.jsonl --level 0.05").out == default


def test_runs_that_are_not_corrected_are_named_with_the_reason(argue_eval: Command) -> None:
    report = read_lines("alpha.jsonl")[0]
    report["metadata"]["run_id"] = "beta"
    write_lines("beta.jsonl", [report])
    both = SCORE.replace("alpha.jsonl", "alpha.jsonl beta.jsonl")
    ran = argue_eval(f"{both} --assessed people.jsonl")
    reason = "fewer than 5 topics with assessments"
    assert ran.out.splitlines()[-2:] == [
        f"not corrected: {name} of beta: {reason}"
        for name in ("nugget_recall", "share_yes[answers]")
    ]
    few = [each for each in read_lines("people.jsonl") if each["topic_id"] in ("t01", "t02")]
    write_lines("people.jsonl", few)
    shares = argue_eval(f"{both} --assessed people.jsonl").out.splitlines()[-1]
    assert shares == (
        f"not corrected: share_yes[answers]: {reason} (alpha); no question is assessed (beta)"
    )


def test_text_is_the_default_and_no_score_is_printed(argue_eval: Command) -> None:
    ran = argue_eval(f"{SCORE} --assessed people.jsonl")
    assert ran.out == argue_eval(f"{SCORE} --assessed people.jsonl --format text").out
    assert "num_q" not in ran.out


def test_folder_keeps_the_scores_as_they_are(argue_eval: Command) -> None:
    assert argue_eval(f"{SCORE} -o plain").code == 0
    assert argue_eval(f"{SCORE} -o corrected --assessed people.jsonl").code == 0
    for path in Path("plain").iterdir():
        if path.name != "argue-eval.sha256":
            assert (Path("corrected") / path.name).read_bytes() == path.read_bytes()
    table = Path("corrected/assessed.tsv")
    assert table.read_text() == argue_eval(f"{SCORE} --assessed people.jsonl --format tsv").out
    assert argue_eval(f"{SCORE} -o corrected").code == 0  # now without assessments
    assert not table.exists()


def test_a_changed_table_of_an_earlier_command_stays(argue_eval: Command) -> None:
    assert argue_eval(f"{SCORE} -o out --assessed people.jsonl").code == 0
    Path("out/assessed.tsv").write_text("mine")
    assert argue_eval(f"{SCORE} -o out").code == 0
    assert Path("out/assessed.tsv").read_text() == "mine"


def test_several_files_are_read_together(argue_eval: Command) -> None:
    rows = read_lines("people.jsonl")
    write_lines("a.jsonl", rows[:16])
    write_lines("b.jsonl", rows[16:])
    together = argue_eval(f"{SCORE} --assessed a.jsonl --assessed b.jsonl")
    assert together.out == argue_eval(f"{SCORE} --assessed people.jsonl").out


def test_filled_in_sheet_is_read_with_its_probabilities(argue_eval: Command) -> None:
    rows = read_lines("people.jsonl")[::2]
    sheet = [{"row": f"{n + 1} of {len(rows)}", **row, "probability": 0.5}
             for n, row in enumerate(rows)]  # fmt: skip
    write_lines("sheet.jsonl", sheet)
    ran = argue_eval(f"{SCORE} --assessed sheet.jsonl")
    assert "16/48" in ran.out
    assert "8 of 8 assessed topics are incomplete" in ran.out
    assert "taken for a random sample" not in ran.out


def test_what_is_not_used_of_assessments_is_told(argue_eval: Command) -> None:
    rows = read_lines("people.jsonl")
    sheet = [{"row": f"{place + 1} of 40", **row, "probability": 0.5}
             for place, row in enumerate(rows)]  # fmt: skip
    for row in sheet[:3]:
        row["run_id" if "run_id" in row else "sentence"] = "of an earlier version"
    write_lines("sheet.jsonl", sheet)
    ran = argue_eval(f"{SCORE} --assessed sheet.jsonl --assessed sheet.jsonl")
    assert f"3 of {len(rows)} assessments are about no sentence of these runs" in ran.out
    assert "not all of a sheet is judged" in ran.out
    assert "set aside" not in ran.out
    ran = argue_eval(f"{SCORE} --assessed people.jsonl")
    assert "about no sentence" not in ran.out
    assert "not all of a sheet" not in ran.out


def test_tiny_probabilities_do_no_harm(argue_eval: Command) -> None:
    rows = read_lines("people.jsonl")
    for number, row in enumerate(rows):
        row |= {"row": f"{number + 1} of {len(rows)}", "probability": 0.5 if number else 5e-324}
    write_lines("sheet.jsonl", rows)
    ran = argue_eval(f"{SCORE} --assessed sheet.jsonl --format json")
    assert ran.code == 0, ran.err
    json.loads(ran.out)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--assessed nope.jsonl", 3, "no such file"),
        ("--assessed alpha.jsonl", 1, "expected judgments"),
        ("--assessed machine.jsonl", 1, "same_judgments"),
        ("--assessed other.jsonl", 1, "nothing_assessed"),
        ("--assessed people.jsonl -q", 2, "-q prints"),
        ("--assessed people.jsonl --level 95", 2, "a number between 0 and 1, found 95.0"),
        ("--level 0.1", 2, "--level is about --assessed"),
        ("--assessed people.jsonl --format ir_measures", 2, "csv, json, markdown, text, tsv"),
        ("--assessed people.jsonl -o people.jsonl", 2, "is a file"),
    ],
)
def test_mistakes(argue_eval: Command, options: str, code: int, message: str) -> None:
    write_lines("other.jsonl", map(judgment_object, judged({"t99": 1}, PEOPLE)))
    ran = argue_eval(f"{SCORE} {options}")
    assert ran.code == code
    assert message in ran.err
    assert ran.out == ""


def test_units_that_the_machine_left_open_are_counted(argue_eval: Command) -> None:
    write_lines("machine.jsonl", read_lines("machine.jsonl")[:-1])
    ran = argue_eval(f"{SCORE} --assessed people.jsonl --format tsv")
    assert ran.code == 4
    assert "the machine left 1 unit unjudged: the middle of the bounds counts" in ran.err
    assert _row(ran.out)["machine"] == ""
    assert _row(ran.out)["ppi"] != ""
