"""A plug-in that does not work is named; what a measure of one gives is a number or an error."""

from __future__ import annotations

import pytest

import argue_eval as ae
from argue_eval.cli.app import run
from tests.documented import ROOT
from tests.plugins.conftest import Installed

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
    return bounds_of(lambda case: Stats(num), {"sentence": num}, {})


def half(stats):
    """Half."""
    return VALUE


MEASURES = (Measure(half, unit="sentence", is_judged=False),)
'''


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
        ("create = nothing", "cannot be imported from {name}: name 'nothing' is not defined"),
        ("create = 1", "({name}) lacks "),
    ],
    ids=["none", "import", "syntax", "name", "empty"],
)
@pytest.mark.parametrize(("family", "option"), [("measures", "measures"), ("judges", "judge")])
def test_a_plug_in_that_does_not_work_is_named(
    family: str, option: str, text: str | None, message: str, installed: Installed
) -> None:
    name = installed(text, family)
    with pytest.raises(ae.MissingResourceError) as raised:
        _scored(**{option: name})
    assert f"the plug-in '{name}' of argue_eval.{family}" in str(raised.value)
    assert message.format(name=name) in str(raised.value)


@pytest.mark.parametrize(
    ("what", "families", "beside"),
    [
        ("measures", ("measures",), "nugget_recall "),
        ("judges", ("judges",), "lexical "),
        ("clients", ("clients",), "hf "),
        ("protocols", ("protocols",), "argue "),
        ("formats", ("formats.runs", "outputs", "outputs.findings"), "trec_eval "),
    ],
)
def test_a_plug_in_that_does_not_work_is_listed_with_its_error_beside_the_others(
    what: str,
    families: tuple[str, ...],
    beside: str,
    installed: Installed,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = installed(None, *families)
    assert run(["list", what]) == 0
    lines = capsys.readouterr().out.splitlines()
    for family in families:
        told = f"error: the plug-in '{name}' of argue_eval.{family} cannot be imported"
        assert [line.split()[0].strip(":") for line in lines if told in line] == [name]
    assert any(line.strip().startswith(beside) for line in lines)


def test_a_protocol_without_measures_scores_nothing_in_silence(installed: Installed) -> None:
    name = installed("PROTOCOL_CLASS = object", "protocols")
    with pytest.raises(ae.UsageError, match=f"no measure is of the protocol '{name}'"):
        _scored(protocol=name)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("np.float32(0.5)", 0.5),
        ("None", None),
        ("stats.sentences / 0", "a division by zero"),
        ("float('nan')", "nan"),
        ("'x'", "'x'"),
        ("stats.nope",
         r"failed: line \d+ of .*: AttributeError: 'Stats' object has no attribute 'nope'"),
    ],
)  # fmt: skip
def test_a_measure_gives_numbers_or_is_refused(
    value: str, found: object, installed: Installed
) -> None:
    name = installed(FAMILY.replace("VALUE", value), "measures")
    if isinstance(found, str):
        with pytest.raises(ae.UsageError, match=f"^the plug-in '{name}' of .*{found}"):
            _scored(measures="half")
    else:
        topic = _scored(measures="half")["sparse"]["half", "ex1"]
        assert (topic.value, type(topic.value)) == (found, type(found))


def test_a_counter_of_units_need_not_name_what_a_report_has_none_of(installed: Installed) -> None:
    family = FAMILY.replace("VALUE", "0.5").replace("import numpy as np", "import collections")
    installed(family.replace('{"sentence": num}', "collections.Counter(x=1)"), "measures")
    assert _scored(measures="half")["sparse"]["half"].value == 0.5


JUDGE = '''"""Says yes."""
from argue_eval.judges import Workload
from argue_eval.records import Kind, Reply, Verdict

MODEL, IS_COSTLY, READS_REPORTS = "", False, False


class Judge:
    signature = "mine@1"
    kinds = frozenset({Kind.SUPPORT, Kind.ANSWERS})
    joint = frozenset()

    def answer(self, questions):
        return [Reply(index, Verdict.YES) for index, _ in enumerate(questions)]

    def workload(self, questions):
        return Workload()


def create(model, texts, settings):
    return Judge()
'''


@pytest.mark.parametrize(
    ("family", "old", "new", "message"),
    [
        ("measures", "return bounds_of", "raise KeyError('zap'); return bounds_of",
         r"line \d+ of .*: KeyError: 'zap'"),
        ("measures", "tally(evidence)", "tally()", "failed: TypeError: tally"),
        ("measures", "return bounds_of", "bounds_of", "tally: expected Bounds, found None"),
        ("measures", 'unit="sentence"', 'unit="essay"',
         "'half' has the unit 'essay', and tally counts sentence"),
        ("measures", "MEASURES = (Measure", "MEASURES = (half, Measure",
         "expected a tuple of Measure, .* found <f"),
        ("measures", ", is_judged=False),)", "))",
         "expected a tuple of Measure, each of a function, found Meas"),
        ("measures", "MEASURES = (", "MEASURES = 2 * (", "two measures have the name 'half'"),
        ("measures", '"argue"', '"arguing"', "PROTOCOL: unknown protocol 'arguing'. Choices: argu"),
        ("measures", '"argue"', "5", "PROTOCOL: expected text, found 5"),
        ("measures", "half", "num_half", "only the name of a count starts so: 'num_half'"),
        ("measures", '"""Half."""', "", "the measure 'half': the docstring has no first line"),
        ("measures", "Empty: c", "", "the measure 'half': the docstring has no Empty"),
        ("judges", "return Judge()", "raise RuntimeError('no GPU')",
         r"failed: line \d+ of .*: RuntimeError: no GPU"),
        ("judges", "return Judge()", "return None", "a signature such as 'mine@1', .*, found null"),
        ("judges", '"mine@1"', '"mine 1"', "without white space and bars, found the text 'mine 1'"),
        ("judges", '"mine@1"', '""', "expected a signature such as 'mine@1', .*, found an empty"),
        ("judges", "return Workload()", "return None", "workload: expected Workload, found None"),
        ("judges", "return Workload()", "return 1 / 0", r"line \d+ of .*: ZeroDivisionError"),
        ("judges", "def workload", "def work", "AttributeError: .* has no attribute 'workload'"),
        ("judges", "model, texts, settings", "model", "failed: TypeError: create"),
        ("judges", "    joint =", "    joints =", "joint: expected a frozenset of Kind, found nu"),
        ("judges", "Kind.SUPPORT, Kind.ANSWERS", "'support'", "kinds: expected a frozenset of Kin"),
        ("judges", "def answer", "def answers", "it has no method answer"),
    ],
)  # fmt: skip
def test_a_plug_in_that_is_wrong_or_fails_is_named(
    family: str, old: str, new: str, message: str, installed: Installed
) -> None:
    text = {"measures": FAMILY.replace("VALUE", "0.5"), "judges": JUDGE}[family]
    name = installed(text.replace(old, new), family)
    plugin = f"^the plug-in '{name}' of argue_eval.{family}"
    with pytest.raises(ae.UsageError, match=f"{plugin}.*{message}"):
        _scored(**{"measures": {"measures": "half"}, "judges": {"judge": name}}[family])


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("raise ValueError('boom')", "failed with ValueError: 'boom'"),
        ("return None", "failed with TypeError: ''NoneType' object is not iterable'"),
        ("return ['yes'] * len(questions)", "failed with TypeError: 'expected a Reply, found str'"),
        ("return [Reply(0)]", "failed: there is no verdict 'None' on the kind 'answers'"),
    ],
)
def test_what_a_judge_does_wrong_is_the_reason_why_questions_are_open(
    answer: str, reason: str, installed: Installed
) -> None:
    line = "return [Reply(index, Verdict.YES) for index, _ in enumerate(questions)]"
    name = installed(JUDGE.replace(line, answer), "judges")
    reasons = _scored(nugget=name, measures="nugget_recall")["sparse"].open_reasons
    assert ("answers", "mine@1", reason) in reasons
