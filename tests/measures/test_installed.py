"""What the families of other packages may not do, and may do besides what tests/plugins shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from argue_eval import measures
from tests.plugins.files import install

FAMILY = '''
"""Brevity (measures of somebody else).

Numerator: 1
Denominator: 2
Empty: undefined
Example: 1 / 2
Source: nowhere
"""

from argue_eval.measures import Measure

PROTOCOL = "argue"


def tally(evidence):
    raise NotImplementedError


def f1(stats):
    """A name that is taken."""


def brevity(stats):
    """Short sentences."""


MEASURES = [Measure(brevity, unit="sentence"), Measure(f1, unit="sentence")]


def make(name):
    if not name.startswith("below@"):
        return None

    def below(stats):
        """Shorter."""
        return 0.5

    below.__name__ = name
    return Measure(below, unit="sentence")


def require(measure):
    pass
'''


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with a family of measures, installed for one test."""
    install(tmp_path, "concise", FAMILY.lstrip(), "measures")
    monkeypatch.syspath_prepend(tmp_path)


def selected(*names: str, protocol: str = "argue") -> dict[str, list[str]]:
    families = measures.select(names, protocol)
    return {family.name: [measure.name for measure in family.measures] for family in families}


def test_a_family_adds_nothing_to_what_is_computed_under_a_protocol_of_ours() -> None:
    assert list(selected()) == ["argue", "auto_argue"]


def test_a_measure_whose_name_is_taken_is_left_out() -> None:
    assert selected("concise", "f1") == {"auto_argue": ["f1"], "concise": ["brevity"]}
    assert measures.load_families()[-1].measures[0].explanation.rewards == "short sentences"


def test_a_family_may_make_measures_by_name_though_ir_measures_refuses_them() -> None:
    assert selected("below@7") == {"concise": ["below@7"]}
