"""Whatever was judged, every figure has a value in its range or a reason; no warning is given."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from argue_eval.analysis.agreement import Job, compare
from argue_eval.analysis.results import Agreement, Figure
from argue_eval.errors import InputError
from argue_eval.records import GRADED_KINDS, Kind
from argue_eval.report.agreement import FORMATS
from tests.analysis.making import Json, write_lines

_SIGNED = {"kappa", "kappa_linear", "alpha", "alpha_ordinal", "bias", "system_bias", "pearson",
           "length_score", "length_bias", "kendall_tau", "kendall_tau@10", "tau_ap",
           "tau_gap", "spearman"}  # fmt: skip
_KINDS = st.sampled_from([Kind.SUPPORT, Kind.COVERS, Kind.NEGATIVE, Kind.RELEVANT])


@st.composite
def judgments(draw: st.DrawFn, judge: str) -> list[Json]:
    """Some judgments of few topics, runs and sentences, so that many are of the same question."""
    lines = []
    for _ in range(draw(st.integers(1, 14))):
        kind = draw(_KINDS)
        words = ["yes", "no", *(["partial"] if kind in GRADED_KINDS else [])]
        line: Json = {
            "topic_id": draw(st.sampled_from(["t1", "t2", "t3"])),
            "kind": kind.value,
            "verdict": draw(st.sampled_from(words)),
            "judge": judge,
        }
        if kind is not Kind.RELEVANT:
            line.update(draw(_places(is_whole=kind is Kind.COVERS)))
        if kind in (Kind.SUPPORT, Kind.RELEVANT):
            line["doc_id"] = draw(st.sampled_from(["d1", "d2"]))
        if kind is Kind.COVERS:
            line["nugget_id"] = draw(st.sampled_from(["n1", "n2"]))
        prob = draw(st.one_of(st.none(), st.sampled_from([0, 0.3, 0.5, 1]), st.floats(0, 1)))
        if prob is not None:
            line["prob"] = prob
        lines.append(line)
    return lines


def _places(*, is_whole: bool) -> st.SearchStrategy[Json]:
    runs = st.sampled_from(["r1", "r2", "r3"])
    texts = st.sampled_from(["One.", "Two and more."])
    indexes = st.integers(0, 1)
    named = [
        st.fixed_dictionaries({"sentence": texts}),
        st.fixed_dictionaries({"run_id": runs, "sentence_index": indexes}),
        st.fixed_dictionaries({"sentence": texts, "run_id": runs, "sentence_index": indexes}),
    ]
    whole = [st.fixed_dictionaries({"run_id": runs})] if is_whole else []
    return st.one_of(*named, *whole)


@given(judgments("m"), judgments("assessor:A1"))
def test_every_figure_has_a_value_in_its_range_or_a_reason(
    judged: list[Json], truth: list[Json]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [
            write_lines(folder / f"{side}.jsonl", lines)
            for side, lines in (("judge", judged), ("truth", truth))
        ]
        try:
            found = compare(Job(paths[:1], paths[1:], num_resamples=5))
        except InputError as exc:
            codes = {finding.code for finding in exc.findings}
            if codes == {"no_overlap"}:
                return
            raise
    for each in found.agreements:
        _check(each, len(judged), len(truth))
    for render in FORMATS.values():
        shown: Any = "".join(render(found))
        assert "nan" not in shown.lower()


def _check(each: Agreement, num_judged: int, num_truth: int) -> None:
    counts = each.counts
    assert sum(cell.num for cell in each.confusion) == counts.matched
    if not each.by_report:  # one sentence may be in several reports
        assert counts.matched + counts.only_judge <= num_judged
        assert counts.matched + counts.only_truth <= num_truth
    assert bool(each.figures) == bool(counts.matched)
    for figure in (*each.figures, *(each.ranking.figures if each.ranking else ())):
        _check_figure(figure)
    for system in each.systems:
        assert system.bias.value is not None
        assert abs(system.bias.value - (system.judge - system.truth)) < 1e-9
    if each.ranking and each.ranking.pairs:
        number = each.ranking.num_systems
        assert sum(each.ranking.pairs) == number * (number - 1) / 2


def _check_figure(figure: Figure) -> None:
    assert (figure.value is None) == bool(figure.reason), figure
    if figure.value is None:
        assert (figure.lower, figure.upper) == (None, None)
        return
    least = -1.0 if figure.name in _SIGNED else 0.0
    values = [figure.value, *(each for each in (figure.lower, figure.upper) if each is not None)]
    assert all(least - 1e-9 <= value <= 1 + 1e-9 for value in values), figure
    assert figure.lower is None or figure.upper is None or figure.lower <= figure.upper
