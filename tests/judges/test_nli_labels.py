"""Which label means entailment is read from the model's own configuration, or it is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from argue_eval.errors import UsageError
from argue_eval.judges.local.loading import Card
from argue_eval.judges.nli.known import contradiction_label, support_label


def _card(*labels: str, **config: Any) -> Card:
    return Card("some/model", "some/model", "main", False, labels, SimpleNamespace(**config))


@pytest.mark.parametrize(
    ("card", "number"),
    [
        (_card("entailment", "neutral", "contradiction"), 0),
        (_card("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), 2),
        (_card("contradiction", "Entailment", "neutral"), 1),
        (_card("entailment", "not_entailment"), 0),
        (_card("not entailment", "entailment"), 1),
        (_card("Not-Entailed", " entailed "), 1),
        (_card("unsupported", "supported"), 1),
        (_card("SUPPORTED", "NOT_SUPPORTED"), 0),
        # a map the other way round that was left at its default
        (_card("neutral", "entailment", label2id={"LABEL_0": 0, "LABEL_1": 1}), 1),
    ],
)
def test_names_count_in_any_case_and_order(card: Card, number: int) -> None:
    assert support_label(card) == number


@pytest.mark.parametrize(
    ("labels", "number"),
    [
        (("entailment", "neutral", "contradiction"), 2),
        (("Contradicts", "entailment"), 0),
        (("Contradict", "Entailed", "Neutral"), 0),
        (("entailment", "REFUTED"), 1),
        (("entailment", "not_entailment"), None),
        (("supported", "unsupported"), None),
        (("contradiction", "contradicts", "entailment"), None),
    ],
)
def test_the_label_of_contradictions_is_found_by_name(
    labels: tuple[str, ...], number: int | None
) -> None:
    assert contradiction_label(_card(*labels)) == number


ENTAILMENT = ("entailment", "neutral")


@pytest.mark.parametrize(
    ("card", "told"),
    [
        (
            _card("LABEL_0", "LABEL_1"),
            "what they mean; name the one that means that the text supports",
        ),
        (_card("LABEL_0", "LABEL_1", "LABEL_2"), "such as --nli-label LABEL_2"),
        (_card("0", "1"), "do not say what they mean"),
        (_card("POSITIVE", "NEGATIVE"), "expected exactly one named entailment"),
        (_card("not_entailment", "contradiction"), "expected exactly one named entailment"),
        (_card("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"), "expected exactly one named entailment"),
        (_card("supported", "refuted"), "supported and unsupported"),
        (_card("entailment", "ENTAILMENT", "neutral"), "expected exactly one named entailment"),
        (_card("entailment"), "outputs one number (a regression)"),
        (_card("LABEL_0"), "outputs one number (a regression)"),
        (_card(*ENTAILMENT, problem_type="regression"), "a regression"),
        (_card(*ENTAILMENT, problem_type="multi_label_classification"), "several labels at once"),
        (
            _card(*ENTAILMENT, label2id={"entailment": 1, "neutral": 0}),
            "id2label calls 0 'entailment', label2id gives it",
        ),
    ],
)
def test_other_labels_are_refused_with_the_reason(card: Card, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        support_label(card)
    assert str(raised.value).startswith("some/model: ")
    assert told in str(raised.value)


def test_a_refusal_shows_the_labels_cut_to_what_can_be_read() -> None:
    with pytest.raises(UsageError) as raised:
        support_label(_card(*(f"class {number}\x1b[31m" for number in range(1000))))
    assert "(1,000 in all)" in str(raised.value)
    assert len(str(raised.value)) < 400
    assert "\x1b" not in str(raised.value)
