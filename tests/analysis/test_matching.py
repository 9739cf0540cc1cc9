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


def test_only_questions_that_both_answered_count(compared: Compared) -> None:
    truth = supports("yynn")
    judge = supports("yny", "m")[:3]
    found = only(compared([*judge, support("yes", "m", doc_id="other")], truth))
    assert found.counts == Counts(matched=3, only_truth=1, failed=0, only_judge=1, incomplete=0)
    assert found.figure("accuracy").value == pytest.approx(1 / 3)
    cells = {(cell.truth.value, cell.judge.value): cell.num for cell in found.confusion}
    assert (cells["yes", "yes"], cells["yes", "no"], cells["no", "yes"]) == (1, 1, 1)
    assert sum(cells.values()) == 3


def test_each_judge_is_compared_on_its_own_the_best_first(compared: Compared) -> None:
    found = compared([*supports("nnyy", "poor"), *supports("yynn", "good")], supports("yynn"))
    assert [each.judge for each in found.agreements] == ["good", "poor"]
    assert [each.figure("kappa").value for each in found.agreements] == [1.0, -1.0]


def test_a_later_line_for_the_same_question_replaces_the_earlier(compared: Compared) -> None:
    found = only(compared([*supports("nn", "m"), *supports("yn", "m")], supports("yn")))
    assert (found.counts.matched, found.figure("accuracy").value) == (2, 1.0)


def test_the_first_of_several_assessors_is_taken_and_conflicts_are_told(
    compared: Compared,
) -> None:
    truth = [*supports("yyn"), *supports("ynnn", "assessor:A2")]
    found = compared(supports("yynn", "m"), truth)
    assert only(found).figure("accuracy").value == 1.0
    assert found.truth == ("assessor:A1", "assessor:A2")
    assert any(
        note.startswith("questions with several verdicts in the truth: 1;") for note in found.notes
    )


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


def test_names_that_nobody_has_are_told_with_the_nearest(compared: Compared) -> None:
    with pytest.raises(UsageError, match="Did you mean 'model'"):
        compared(supports("yn", "model"), supports("yn"), judges=["modle"])
    with pytest.raises(UsageError, match="Did you mean 'assessor:A1'"):
        compared(supports("yn", "m"), supports("yn"), truth_judges=["assessor:A"])


def test_places_and_texts_meet_through_the_run(compared: Compared) -> None:
    placed = [
        support("yes", "m", sentence=..., run_id="run", sentence_index=0),
        support("no", "m", sentence=..., run_id="run", sentence_index=0, doc_id="d2"),
    ]
    truth = [support("yes"), support("no", doc_id="d2")]
    with pytest.raises(InputError) as wrong:
        compared(placed, truth)
    (finding,) = wrong.value.findings
    assert (finding.code, "--run" in finding.hint) == ("no_overlap", True)
    found = only(compared(placed, truth, runs=[REPORT]))
    assert found.counts.matched == 2
    assert [system.system for system in found.systems] == ["run"]


def test_a_file_that_names_both_text_and_place_is_enough(compared: Compared) -> None:
    both = [support("yes", "m", run_id="run", sentence_index=0)]
    placed = [support("yes", sentence=..., run_id="run", sentence_index=0)]
    assert only(compared(both, placed)).counts.matched == 1


def test_texts_are_compared_in_normal_form_without_space_at_their_ends(compared: Compared) -> None:
    judge = [support("yes", "m", sentence=" Cafe\u0301 ")]
    truth = [support("yes", sentence="Caf\u00e9")]
    assert only(compared(judge, truth)).counts.matched == 1


CAUSES: dict[str, tuple[Json, Json]] = {
    "topics differ, such as 't9' and 't1'": ({"topic_id": "t9"}, {}),
    "sentence texts differ, such as 'Other.' and 'The old": ({"sentence": "Other."}, {}),
    "documents differ, such as 'd9' and 'd1'": ({"doc_id": "d9"}, {}),
    "run ids differ, such as 'b' and 'a'": (
        {"sentence": ..., "run_id": "b", "sentence_index": 0},
        {"sentence": ..., "run_id": "a", "sentence_index": 0},
    ),
    "they judged different sentences": (
        {"sentence": ..., "run_id": "a", "sentence_index": 1},
        {"sentence": ..., "run_id": "a", "sentence_index": 0},
    ),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_the_likeliest_cause_is_told_where_nothing_matches(compared: Compared, cause: str) -> None:
    judge, truth = CAUSES[cause]
    with pytest.raises(InputError) as wrong:
        compared([support("yes", judge="m", **judge)], [support("yes", **truth)])
    (finding,) = wrong.value.findings
    assert finding.code == "no_overlap"
    assert cause in finding.message
    assert finding.hint
    assert finding.file.endswith("judgments.jsonl")


def test_a_judge_without_overlap_beside_one_with_is_noted(compared: Compared) -> None:
    lost = supports("yn", "lost", topic_id="t9")
    found = compared([*supports("yn", "m"), *lost], supports("yn"))
    assert [(each.judge, len(each.figures) > 0) for each in found.agreements] == [
        ("m", True),
        ("lost", False),
    ]
    assert any("by 'lost'" in note and "topics differ" in note for note in found.notes)


def test_kinds_that_one_side_lacks_are_told_and_not_compared(compared: Compared) -> None:
    negative: Json = {"kind": "negative", "doc_id": ...}
    truth = [*supports("yn"), support("no", **negative)]
    found = compared(supports("yn", "m"), truth)
    assert [each.kind for each in found.agreements] == [Kind.SUPPORT]
    assert "not compared, since no judge has any: 1 negative" in found.notes
    with pytest.raises(InputError, match="no kind in common"):
        compared(supports("yn", "m"), [support("no", **negative)])


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
    figures = {
        each.name: each for each in only(compared(supports(judge, "m"), supports(truth))).figures
    }
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


def test_one_topic_gives_no_interval_and_says_so(compared: Compared) -> None:
    found = compared(supports("yynn", "m"), supports("ynyn"))
    assert all(each.lower is None for each in only(found).figures)
    assert any("one topic" in note for note in found.notes)


def test_few_topics_are_told(compared: Compared) -> None:
    truth = [*supports("yn"), *supports("yn", topic_id="t2")]
    judge = [*supports("yy", "m"), *supports("yn", "m", topic_id="t2")]
    found = compared(judge, truth)
    accuracy = only(found).figure("accuracy")
    assert (accuracy.value, accuracy.lower, accuracy.upper) == (0.75, 0.5, 1.0)
    assert any(note.startswith("2 topics: intervals") for note in found.notes)


def test_the_order_of_lines_changes_nothing(compared: Compared) -> None:
    truth = [*supports("ypn"), *supports("nyp", topic_id="t2")]
    judge = [*supports("yyn", "m"), *supports("npp", "m", topic_id="t2")]
    one = compared(judge, truth)
    other = compared(judge[::-1], truth[::-1])
    assert _rounded(one) == _rounded(other)


def _rounded(found: Any) -> Any:
    """Sums in another order differ in the last bits."""
    if isinstance(found, float):
        return round(found, 12)
    if isinstance(found, (Figure, tuple)):
        return tuple(map(_rounded, found))
    return found


def test_a_sentence_in_two_runs_counts_once_and_for_both_systems(compared: Compared) -> None:
    named = [support("yes", "m", run_id=run_id, sentence_index=0) for run_id in ("run", "other")]
    found = only(compared(named, [support("no")]))
    assert found.counts.matched == 1
    assert [(each.system, each.bias.value) for each in found.systems] == [
        ("other", 1.0),
        ("run", 1.0),
    ]


def test_a_figure_that_rests_on_one_topic_has_no_interval(compared: Compared) -> None:
    truth = [*supports("yn"), *supports("yn", topic_id="t2")]
    probs = [support("yes", "m", doc_id="d0", prob=0.9), support("no", "m", doc_id="d1", prob=0.2)]
    found = only(compared([*probs, *supports("nn", "m", topic_id="t2")], truth))
    assert found.figure("accuracy").lower is not None
    brier = found.figure("brier")
    assert brier.value == pytest.approx(0.025)
    assert brier.lower is None


@pytest.mark.parametrize("kind", list(Kind))
def test_judgments_of_every_kind_are_matched(compared: Compared, kind: Kind) -> None:
    keys: dict[Kind, Json] = {
        Kind.RELEVANT: {"doc_id": "d1"},
        Kind.SUPPORT: {"doc_id": "d1"},
        Kind.ANSWERS: {"nugget_id": "n1", "answer": "yes"},
        Kind.AGREES: {"nugget_id": "n1"},
        Kind.COVERS: {"nugget_id": "n1"},
    }
    place: Json = {"sentence": "So it is."}
    if kind is Kind.RELEVANT:
        place = {}
    elif kind is Kind.FIRST_INSTANCE:
        place = {"run_id": "r", "sentence_index": 0}
    line = {"topic_id": "t1", "kind": kind.value, **place, **keys.get(kind, {})}
    found = only(
        compared(
            [{**line, "verdict": "yes", "judge": "m"}],
            [{**line, "verdict": "no", "judge": "assessor:A1"}],
        )
    )
    assert (found.kind, found.counts.matched, found.figure("bias").value) == (kind, 1, 1.0)
    (cell,) = [cell for cell in found.confusion if cell.num]
    assert (cell.truth, cell.judge) == (Verdict.NO, Verdict.YES)
