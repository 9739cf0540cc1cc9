"""Judges on assessed pairs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import argue_eval as ae
from argue_eval.records import Kind, Question, Reply, Verdict

TRUTH = ["yes", "no", "yes", "no", "yes", "no"]
SAID = [0.9, 0.8, 0.4, 0.1, 0.7, 0.2]


class Saying:
    """A judge that finds its probability in the document, and says so."""

    signature = "saying@1"
    kinds = frozenset({Kind.SUPPORT, Kind.ANSWERS})
    joint: frozenset[Kind] = frozenset()

    def __init__(self, lowest: Verdict = Verdict.NO) -> None:
        self.num_asked = 0
        self._lowest = lowest

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        self.num_asked += len(questions)
        for index, question in enumerate(questions):
            text = question.document.text if question.document else question.claim
            if text == "silent":
                yield Reply(index, reason="nothing to say")
                continue
            prob = float(text)
            verdict = Verdict.YES if prob >= 0.5 else Verdict.NO
            yield Reply(index, self._lowest if prob < 0.2 else verdict, prob)

    def workload(self, questions: Sequence[Question]) -> ae.Workload:
        return ae.Workload(num_calls=len(questions), prompt_tokens=10 * len(questions))


def write(path: Path, labels: Sequence[Any], probs: Sequence[Any], **more: Any) -> str:
    file = path / "pairs.jsonl"
    lines = [
        {"claim": f"claim {at}", "document": f"{prob}", "label": label, **more}
        for at, (label, prob) in enumerate(zip(labels, probs, strict=True))
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return str(file)


def test_a_judge_is_compared_with_the_labels(tmp_path: Path) -> None:
    found = ae.judge_pairs(write(tmp_path, TRUTH, SAID), Saying())
    (agreement,) = ae.meta_eval(found.judgments, found.truth, num_resamples=100).agreements
    figures = {name: agreement.figure(name) for name in ("accuracy", "roc_auc", "kappa", "brier")}
    # By hand: of three yes, those at 0.9 and 0.7 are found; of three no, those at 0.1 and 0.2.
    assert figures["accuracy"].value == pytest.approx(4 / 6)
    assert agreement.figure("balanced_accuracy_yes").value == pytest.approx(4 / 6)
    assert figures["roc_auc"].value == pytest.approx(7 / 9)
    assert figures["kappa"].value == pytest.approx(1 / 3)
    errors = [0.1, 0.8, 0.6, 0.1, 0.3, 0.2]
    assert figures["brier"].value == pytest.approx(sum(each**2 for each in errors) / 6)
    assert figures["accuracy"].lower is not None


def test_open_pairs_are_counted_with_their_reasons(tmp_path: Path) -> None:
    pairs = write(tmp_path, TRUTH, ["silent", *SAID[1:]])
    found = ae.judge_pairs(pairs, [Saying()])
    assert (len(found.truth), len(found.judgments)) == (6, 5)
    assert dict(found.open_reasons) == {("support", "saying@1", "nothing to say"): 1}
    assert found.num_asks["support", "failed"] == 1


def test_a_store_keeps_what_was_asked(tmp_path: Path) -> None:
    pairs, judge = write(tmp_path, TRUTH, SAID), Saying()
    first = ae.judge_pairs(pairs, [judge], store=tmp_path / "s.store")
    again = ae.judge_pairs(pairs, [judge], store=tmp_path / "s.store")
    assert judge.num_asked == 6
    assert again.judgments == first.judgments
    assert again.num_asks["support", "found"] == 6


@pytest.mark.parametrize(
    ("labels", "lowest", "verdicts", "note"),
    [
        ("ypyn", Verdict.NO, {"no"}, "only the labels say partial; it counts as no"),
        ("ynyn", Verdict.PARTIAL, {"no"}, "only the judges say partial; it counts as no"),
        ("ycyn", Verdict.NO, {"no"}, "only the labels say contradicts; it counts as no"),
        ("ypyn", Verdict.PARTIAL, {"partial", "no"}, ""),
    ],
)
def test_verdicts_of_one_side_only_are_a_no(
    tmp_path: Path, labels: str, lowest: Verdict, verdicts: set[str], note: str
) -> None:
    words = {"y": "supported", "p": "partially_supported", "n": "not_supported", "c": "Refutes"}
    pairs = write(tmp_path, [words[each] for each in labels], [0.9, 0.1, 0.8, 0.3])
    found = ae.judge_pairs(pairs, [Saying(lowest)])
    for side in (found.truth, found.judgments):
        assert {each.verdict.value for each in side} - {"yes"} <= verdicts
    assert found.notes == ((f"support: {note}",) if note else ())


def test_pairs_of_several_kinds_are_asked_and_chosen(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    support = {"claim": "a", "document": "0.9", "label": 1}
    answers = {"sentence": "a", "question": "q", "answer": "0.1", "label": 0}
    covers = {"sentence": "a", "claim": "0.1", "label": 0}
    file.write_text("".join(json.dumps(each) + "\n" for each in (support, answers, covers)))
    found = ae.judge_pairs(str(file), [Saying()])
    assert [each.kind.value for each in found.judgments] == ["support", "answers"]
    assert dict(found.open_reasons) == {("covers", "none", "no judge for this kind"): 1}
    only = ae.judge_pairs(str(file), [Saying()], kinds=["answers"])
    assert [each.kind.value for each in only.truth] == ["answers"]
    with pytest.raises(ae.UsageError, match="answers no questions of the kind covers"):
        ae.judge_pairs(str(file), [Saying()], kinds=["covers"])
    with pytest.raises(ae.UsageError, match="the pairs are of the kind support, answers, covers"):
        ae.judge_pairs(str(file), [Saying()], kinds=["negative"])


def test_a_calibration_of_pairs_is_used_on_pairs(tmp_path: Path) -> None:
    """The judge says yes from 0.5 on, people from 0.75 on."""
    probs = [at / 100 for at in range(100)]
    pairs = write(tmp_path, [each >= 0.75 for each in probs], probs)
    found = ae.judge_pairs(pairs, [Saying()])
    file = tmp_path / "cal.json"
    (fitted,) = ae.meta_eval(
        found.judgments, found.truth, num_resamples=0, calibrate=file
    ).calibrations
    assert 0.7 <= next(each for each in probs if fitted.prob(each) >= fitted.thresholds.yes) <= 0.76
    read = ae.judge_pairs(pairs, [Saying()], settings=ae.Settings(calibrations=[str(file)]))
    (agreement,) = ae.meta_eval(read.judgments, read.truth, num_resamples=0).agreements
    assert (agreement.figure("accuracy").value or 0) >= 0.95
    sure = ae.Settings(calibrations=[str(file)], sure=True)
    assert 10 <= len(ae.judge_pairs(pairs, [Saying()], settings=sure).judgments) <= 100
