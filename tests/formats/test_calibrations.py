"""Files of calibrations: written and read, and refused with a fix."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from argue_eval.errors import InputError, MissingResourceError
from argue_eval.formats.calibrations import (
    BalancedAccuracy,
    JudgeCalibration,
    Point,
    Thresholds,
    read_calibrations,
    write_calibrations,
)
from argue_eval.records import Kind

GOOD = JudgeCalibration(
    judge="lexical@2/8bcababe",
    kind=Kind.COVERS,
    num=100,
    num_yes=37,
    slope=0.5,
    intercept=-0.25,
    thresholds=Thresholds(0.4, 0.2),
    sure=(0.1, 0.9),
    curve=(Point(0.5, (0.1, 0.9), 0.95, 0.9),),
    balanced_accuracy=BalancedAccuracy(0.6, 0.7),
)


@pytest.mark.parametrize("name", ["cal.json", "cal.json.gz"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_calibrations(str(path), [GOOD])
    found = read_calibrations(str(path))
    assert found.calibrations == (GOOD,)
    content = path.read_bytes()
    write_calibrations(str(path), [GOOD])
    assert path.read_bytes() == content
    if name == "cal.json":
        assert sha256(content).hexdigest().startswith(found.digest)
        keys = json.loads(content)["calibrations"][0].keys()
        assert list(keys) == sorted(keys)


def _with(path: str, value: Any) -> Any:
    """The content of a file in which one value is another."""
    table: Any = {
        "format": "argue-eval/calibration/1",
        "calibrations": [
            {
                "judge": "j@1",
                "kind": "support",
                "num": 30,
                "num_yes": 10,
                "slope": 1,
                "intercept": 0,
                "thresholds": {"yes": 0.5},
            }
        ],
    }
    at = [int(step) if step.isdigit() else step for step in path.split(".")]
    parent = table
    for step in at[:-1]:
        parent = parent[step]
    if value is ...:
        del parent[at[-1]]
    else:
        parent[at[-1]] = value
    return table


@pytest.mark.parametrize(
    ("path", "value", "code", "message"),
    [
        ("format", "argue-eval/nuggets/1", "unknown_format", "'argue-eval/nuggets/1'"),
        ("format", "argue-eval/calibration/2", "unknown_version", "expected a calibration"),
        ("calibrations", [], "broken_calibration", "no calibrations"),
        ("calibrations.0.kind", "opinion", "broken_calibration", "'opinion'"),
        ("calibrations.0.slope", 0, "broken_calibration", r"calibrations\[0\].slope"),
        ("calibrations.0.intercept", "0", "broken_calibration", r"calibrations\[0\].intercept"),
        ("calibrations.0.judge", ..., "broken_calibration", "judge"),
        ("calibrations.0.thresholds.yes", 1.5, "broken_calibration", "thresholds.yes"),
        ("calibrations.0.treshold", 1, "broken_calibration", "treshold"),
        ("calibrations.0.sure", [0.9, 0.1], "broken_calibration", "the lower one first"),
        ("calibrations.0.sure", [0.9], "broken_calibration", "sure"),
    ],
)
def test_what_is_no_calibration_is_refused(
    tmp_path: Path, path: str, value: Any, code: str, message: str
) -> None:
    file = tmp_path / "cal.json"
    file.write_text(json.dumps(_with(path, value)))
    with pytest.raises(InputError, match=message) as raised:
        read_calibrations(str(file))
    (finding,) = raised.value.findings
    assert finding.code == code
    assert finding.hint


def test_two_calibrations_of_one_judge_and_kind_are_refused(tmp_path: Path) -> None:
    write_calibrations(str(tmp_path / "cal.json"), [GOOD, GOOD])
    with pytest.raises(InputError, match="two calibrations"):
        read_calibrations(str(tmp_path / "cal.json"))


def test_a_file_that_is_not_there_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError, match="no such file"):
        read_calibrations(str(tmp_path / "cal.json"))
