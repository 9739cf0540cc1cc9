"""Which questions are compared, and what happens to those that one side left open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from argue_eval.analysis.agreement import Job, compare
from argue_eval.analysis.results import Counts, Figure
from argue_eval.errors import InputError, UsageError
from argue_eval.records import Kind, Verdict
from tests.analysis.conftest import Compared, only
from tests.analysis.making import Json, support, supports, write_lines

REPORT = {
    "metadata": {"team_id": "team", "run_id": "run", "topic_id": "t1"},
    "responses": [{"text": "The old bridge was rebuilt.", "citations": ["d1"]}],
}
PLACED: Json = {"sentence": ..., "run_id": "run", "sentence_index": 0}


def test_only_questions_that_both_answered_count(compared: Compared) -> None:
    judge = [*supports("yny", "m"), support("yes", "m", doc_id="other")]
    found = only(compared(judge, supports("yynn")))
    assert found.counts == Counts(matched=3, only_truth=1, failed=0, only_judge=1, incomplete=0)
    assert found.figure("accuracy").value == pytest.approx(1 / 3)
    cells = {(cell.truth.value, cell.judge.value): cell.num for cell in found.confusion}
    assert (cells["yes", "yes"], cells["yes", "no"], cells["no", "yes"]) == (1, 1, 1)
    assert sum(cells.values()) == 3


def test_each_judge_is_compared_on_its_own_the_best_first(compared: Compared) -> None:
    found = compared([*supports("nnyy", "poor"), *supports("yynn", "good")], supports("yynn"))
    assert [each.judge for each in found.agreements] == ["good", "poor"]
    assert [each.figure("kappa").value for each in found.agreements] == [1.0, -1.0]


# --- truth and judges -----------------------------------------------------------------------------


def test_the_first_of_several_assessors_counts_and_conflicts_are_noted(compared: Compared) -> None:
    truth = [*supports("yyn"), *supports("ynnn", "assessor:A2")]
    found = compared(supports("yynn", "m"), truth)
    assert only(found).figure("accuracy").value == 1.0
    assert found.truth == ("assessor:A1", "assessor:A2")
    (note,) = [note for note in found.notes if "several verdicts" in note]
    assert note.startswith("questions with several verdicts in the truth: 1;")


def test_assessors_of_one_file_are_compared_with_each_other(tmp_path: Path) -> None:
    lines = [*supports("yynn"), *supports("ynnn", "assessor:A2")]
    path = write_lines(tmp_path / "both.jsonl", lines)
    for truth in ([path], []):
        job = Job([path], truth, truth_judges=["assessor:A1"], num_resamples=0)
        found = only(compare(job))
        assert (found.judge, found.figure("accuracy").value) == ("assessor:A2", 0.75)
    with pytest.raises(InputError, match="there is no judge to compare"):
        compare(Job([path], num_resamples=0))


def test_what_the_truth_says_in_other_files_is_not_compared(compared: Compared) -> None:
    found = compared([*supports("nn"), *supports("yn", "m")], supports("yn"))
    assert only(found).judge == "m"
    with pytest.raises(InputError, match="all judgments are by 'assessor:A1'"):
        compared(supports("nn"), supports("yn"))


def test_truth_by_several_judges_and_no_assessor_is_not_guessed(compared: Compared) -> None:
    truth = [*supports("yn", "m1"), *supports("yn", "m2")]
    with pytest.raises(UsageError, match="--truth-judge"):
        compared(supports("yn", "m3"), truth)
    found = compared(supports("yn", "m3"), truth, truth_judges=["m2"])
    assert found.truth == ("m2",)


def test_an_unknown_judge_is_reported_with_the_nearest_name(compared: Compared) -> None:
    lines = supports("yn", "model"), supports("yn")
    with pytest.raises(UsageError, match="Did you mean 'model'"):
        compared(*lines, judges=["modle"])
    with pytest.raises(UsageError, match="Did you mean 'assessor:A1'"):
        compared(*lines, truth_judges=["assessor:A"])


# --- sentences by text and by place ---------------------------------------------------------------


def test_places_and_texts_meet_through_the_run(compared: Compared) -> None:
    placed = [support("yes", "m", **PLACED), support("no", "m", **PLACED, doc_id="d2")]
    truth = [support("yes"), support("no", doc_id="d2")]
    with pytest.raises(InputError) as wrong:
        compared(placed, truth)
    (finding,) = wrong.value.findings
    assert (finding.code, "--run" in finding.hint) == ("no_overlap", True)
    found = only(compared(placed, truth, runs=[REPORT]))
    assert found.counts.matched == 2
    assert [system.system for system in found.systems] == ["run"]


SAME_QUESTION: dict[str, tuple[Json, Json]] = {
    "a file that names both text and place": ({"run_id": "run", "sentence_index": 0}, PLACED),
    "normal form, and space at the ends": ({"sentence": " Cafe\u0301 "}, {"sentence": "Caf\u00e9"}),
}


@pytest.mark.parametrize("case", SAME_QUESTION)
def test_the_same_sentence_is_recognised(compared: Compared, case: str) -> None:
    judge, truth = SAME_QUESTION[case]
    found = compared([support("yes", "m", **judge)], [support("yes", **truth)])
    assert only(found).counts.matched == 1


def test_a_later_line_for_the_same_question_replaces_the_earlier(compared: Compared) -> None:
    found = only(compared([*supports("nn", "m"), *supports("yn", "m")], supports("yn")))
    assert (found.counts.matched, found.figure("accuracy").value) == (2, 1.0)


@pytest.mark.parametrize("order", ["text place", "place text", "text place text"])
@pytest.mark.parametrize("side", ["judge", "truth"])
def test_a_later_line_replaces_the_earlier_whatever_it_names_the_sentence_by(
    compared: Compared, order: str, side: str
) -> None:
    names = order.split()
    verdicts = ["no"] * (len(names) - 1) + ["yes"]
    judge = {"judge": "m", "truth": "assessor:A1"}[side]
    other = {"judge": "assessor:A1", "truth": "m"}[side]
    lines = [
        support(verdict, judge, **(PLACED if name == "place" else {}))
        for verdict, name in zip(verdicts, names, strict=True)
    ]
    both = {side: lines, {"judge": "truth", "truth": "judge"}[side]: [support("yes", other)]}
    found = only(compared(both["judge"], both["truth"], runs=[REPORT]))
    assert (found.counts.matched, found.figure("accuracy").value) == (1, 1.0)


@pytest.mark.parametrize("placed", [0, 1])
def test_the_first_assessor_counts_whatever_names_the_sentence(
    compared: Compared, placed: int
) -> None:
    named: list[Json] = [{}, {}]
    named[placed] = PLACED
    truth = [support("yes", **named[0]), support("no", "assessor:A2", **named[1])]
    found = compared([support("yes", "m")], truth, runs=[REPORT])
    assert only(found).figure("accuracy").value == 1.0
    assert any("several verdicts in the truth: 1;" in note for note in found.notes)


def test_a_sentence_in_two_runs_counts_once_and_for_both_systems(compared: Compared) -> None:
    named = [support("yes", "m", run_id=run_id, sentence_index=0) for run_id in ("run", "other")]
    found = only(compared(named, [support("no")]))
    assert found.counts.matched == 1
    biases = [(each.system, each.bias.value) for each in found.systems]
    assert biases == [("other", 1.0), ("run", 1.0)]


# --- nothing in common ----------------------------------------------------------------------------

CAUSES: dict[str, tuple[Json, Json]] = {
    "topics differ, such as 't9' and 't1'": ({"topic_id": "t9"}, {}),
    "sentence texts differ, such as 'Other.' and 'The old": ({"sentence": "Other."}, {}),
    "documents differ, such as 'd9' and 'd1'": ({"doc_id": "d9"}, {}),
    "run ids differ, such as 'b' and 'run'": ({**PLACED, "run_id": "b"}, PLACED),
    "they judged different sentences": ({**PLACED, "sentence_index": 1}, PLACED),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_the_likeliest_cause_is_reported_if_nothing_matches(compared: Compared, cause: str) -> None:
    judge, truth = CAUSES[cause]
    with pytest.raises(InputError) as wrong:
        compared([support("yes", "m", **judge)], [support("yes", **truth)])
    (finding,) = wrong.value.findings
    assert (finding.code, cause in finding.message) == ("no_overlap", True), finding.message
    assert finding.hint
    assert finding.file.endswith("judgments.jsonl")


def test_a_judge_without_overlap_beside_one_with_is_noted(compared: Compared) -> None:
    lost = supports("yn", "lost", topic_id="t9")
    found = compared([*supports("yn", "m"), *lost], supports("yn"))
    has_figures = [(each.judge, len(each.figures) > 0) for each in found.agreements]
    assert has_figures == [("m", True), ("lost", False)]
    assert any("by 'lost'" in note and "topics differ" in note for note in found.notes)


def test_kinds_that_one_side_lacks_are_noted_and_not_compared(compared: Compared) -> None:
    negative = support("no", kind="negative", doc_id=...)
    found = compared(supports("yn", "m"), [*supports("yn"), negative])
    assert [each.kind for each in found.agreements] == [Kind.SUPPORT]
    assert "not compared, since no judge has any: 1 negative" in found.notes
    with pytest.raises(InputError, match="no kind in common"):
        compared(supports("yn", "m"), [negative])


# --- figures --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("judge", "truth", "undefined"),
    [
        ("yy", "yy", {"balanced_accuracy", "kappa", "alpha", "pearson", "kappa_linear"}),
        ("nn", "nn", {"precision", "recall", "f1", "kappa", "alpha"}),
        ("nn", "yn", {"precision", "pearson"}),
        ("yn", "nn", {"recall", "balanced_accuracy", "pearson"}),
    ],
)
def test_what_is_undefined_has_a_reason_and_no_value(
    compared: Compared, judge: str, truth: str, undefined: set[str]
) -> None:
    found = only(compared(supports(judge, "m"), supports(truth)))
    figures = {each.name: each for each in found.figures}
    for name in undefined:
        assert (figures[name].value, figures[name].lower) == (None, None)
        assert figures[name].reason
    for figure in figures.values():
        assert (figure.value is None) == bool(figure.reason), figure


def test_probabilities_of_some_questions_count_for_these_alone(compared: Compared) -> None:
    judge = [support("yes", "m", prob=0.9), support("no", "m", doc_id="d2", prob=0.2),
             support("no", "m", doc_id="d3")]  # fmt: skip
    truth = [support("yes"), support("no", doc_id="d2"), support("yes", doc_id="d3")]
    found = only(compared(judge, truth))
    assert (found.figure("roc_auc").value, found.figure("roc_auc").num) == (1.0, 2)
    assert found.figure("brier").value == pytest.approx((0.1**2 + 0.2**2) / 2)
    assert sum(row.num for row in found.reliability) == 2


def test_one_topic_gives_no_interval_and_a_note(compared: Compared) -> None:
    found = compared(supports("yynn", "m"), supports("ynyn"))
    assert all(each.lower is None for each in only(found).figures)
    assert any("one topic" in note for note in found.notes)


def test_few_topics_are_noted(compared: Compared) -> None:
    truth = [*supports("yn"), *supports("yn", topic_id="t2")]
    found = compared([*supports("yy", "m"), *supports("yn", "m", topic_id="t2")], truth)
    assert only(found).figure("accuracy")[1:4] == (0.75, 0.5, 1.0)
    assert any(note.startswith("2 topics: intervals") for note in found.notes)


def test_a_figure_that_rests_on_one_topic_has_no_interval(compared: Compared) -> None:
    truth = [*supports("yn"), *supports("yn", topic_id="t2")]
    probs = [support("yes", "m", doc_id="d0", prob=0.9), support("no", "m", doc_id="d1", prob=0.2)]
    found = only(compared([*probs, *supports("nn", "m", topic_id="t2")], truth))
    assert found.figure("accuracy").lower is not None
    assert found.figure("brier").value == pytest.approx(0.025)
    assert found.figure("brier").lower is None


def test_the_order_of_lines_changes_nothing(compared: Compared) -> None:
    truth = [*supports("ypn"), *supports("nyp", topic_id="t2")]
    judge = [*supports("yyn", "m"), *supports("npp", "m", topic_id="t2")]
    one, other = compared(judge, truth), compared(judge[::-1], truth[::-1])
    assert _rounded(one) == _rounded(other)


def _rounded(found: Any) -> Any:
    """Sums in another order differ in the last bits."""
    if isinstance(found, float):
        return round(found, 12)
    if isinstance(found, (Figure, tuple)):
        return tuple(map(_rounded, found))
    return found


KEYS: dict[Kind, Json] = {
    Kind.RELEVANT: {"sentence": ...},
    Kind.SUPPORT: {},
    Kind.ANSWERS: {"doc_id": ..., "nugget_id": "n1", "answer": "yes"},
    Kind.AGREES: {"doc_id": ..., "nugget_id": "n1"},
    Kind.COVERS: {"doc_id": ..., "nugget_id": "n1"},
    Kind.FIRST_INSTANCE: {"doc_id": ..., **PLACED},
}


@pytest.mark.parametrize("kind", list(Kind))
def test_judgments_of_every_kind_are_matched(compared: Compared, kind: Kind) -> None:
    keys = {"kind": kind.value, **KEYS.get(kind, {"doc_id": ...})}
    found = only(compared([support("yes", "m", **keys)], [support("no", **keys)]))
    assert (found.kind, found.counts.matched, found.figure("bias").value) == (kind, 1, 1.0)
    (cell,) = [cell for cell in found.confusion if cell.num]
    assert (cell.truth, cell.judge) == (Verdict.NO, Verdict.YES)
