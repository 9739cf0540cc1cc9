"""A plug-in that does not work is named; what a measure of one gives is a number or an error."""

from __future__ import annotations

from pathlib import Path

import pytest

import argue_eval as ae
from tests.documented import ROOT

FAMILY = '''"""Half.

Numerator: a
Denominator: b
Empty: c
Example: d
Source: e
"""

from typing import NamedTuple

import numpy as np

from argue_eval.measures import Measure
from argue_eval.measures.counting import bounds_of

PROTOCOL = "argue"


class Stats(NamedTuple):
    sentences: float = 0


def tally(evidence):
    num = len(evidence.report.sentences) if evidence.report else 0
    return bounds_of(lambda case: Stats(num), {{"sentence": num}}, {{}})


def half(stats):
    """Half."""
    return {value}


MEASURES = (Measure(half, unit="sentence", is_judged=False),)
'''


def _install(folder: Path, family: str, module: str, text: str | None) -> None:
    about = folder / f"{module}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[argue_eval.{family}]\n{module} = {module}\n")
    if text is not None:
        (folder / f"{module}.py").write_text(text)


def _scored(**options: str) -> ae.Scores:
    return ae.score(
        ROOT / "runs/sparse.jsonl",
        ROOT / "qrels/example.json",
        topics=ROOT / "topics/example.jsonl",
        **{"judge": "none", **options},  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be imported from {name}: No module named '{name}'"),
        ("import not_there_at_all", "cannot be imported from {name}: No module named 'not_there"),
        ("def create(", "cannot be imported from {name}: '(' was never closed"),
        ("create = 1", "({name}) lacks "),
    ],
    ids=["none", "import", "syntax", "empty"],
)
@pytest.mark.parametrize(("family", "option"), [("measures", "measures"), ("judges", "judge")])
def test_a_plug_in_that_does_not_work_is_named(
    family: str,
    option: str,
    text: str | None,
    message: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = f"broken{abs(hash(request.node.name))}"
    _install(tmp_path, family, name, text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ae.MissingResourceError) as raised:
        _scored(**{option: name})
    assert f"the plug-in '{name}' of argue_eval.{family}" in str(raised.value)
    assert message.format(name=name) in str(raised.value)


def test_a_protocol_without_measures_scores_nothing_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(tmp_path, "protocols", "bare", "PROTOCOL_CLASS = object")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ae.UsageError, match="no measure is of the protocol 'bare'"):
        _scored(protocol="bare")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("np.float32(0.5)", 0.5),
        ("None", None),
        ("stats.sentences / 0", "a division by zero"),
        ("float('nan')", "nan"),
        ("'x'", "'x'"),
    ],
)
def test_a_measure_gives_numbers_or_is_refused(
    value: str, found: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"half{abs(hash(value))}"
    _install(tmp_path, "measures", name, FAMILY.format(value=value))
    monkeypatch.syspath_prepend(tmp_path)
    if isinstance(found, str):
        with pytest.raises(ae.UsageError, match=f"'half' must give a finite number.*{found}"):
            _scored(measures="half")
    else:
        topic = _scored(measures="half")["sparse"]["half", "ex1"]
        assert (topic.value, type(topic.value)) == (found, type(found))
