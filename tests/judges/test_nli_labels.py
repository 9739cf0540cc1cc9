"""Which label means entailment is read from the model's own configuration, or it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from argue_eval.errors import UsageError
from argue_eval.judges.local.loading import Card
from argue_eval.judges.nli.known import contradiction_label, support_label


class _Config:
    """A configuration of transformers, as far as labels go."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


def _card(*labels: str, **config: Any) -> Card:
    return Card("some/model", "some/model", "main", False, labels, _Config(**config))


@pytest.mark.parametrize(
    ("labels", "number"),
    [
        (("entailment", "neutral", "contradiction"), 0),
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), 2),
        (("contradiction", "Entailment", "neutral"), 1),
        (("entailment", "not_entailment"), 0),
        (("not entailment", "entailment"), 1),
        (("Not-Entailed", " entailed "), 1),
        (("unsupported", "supported"), 1),
        (("SUPPORTED", "NOT_SUPPORTED"), 0),
    ],
)
def test_names_count_in_any_case_and_order(labels: tuple[str, ...], number: int) -> None:
    assert support_label(_card(*labels)) == number


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


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (("LABEL_0", "LABEL_1"), "what they mean; name the one that means that the text supports"),
        (("LABEL_0", "LABEL_1", "LABEL_2"), "such as --nli-label LABEL_2"),
        (("0", "1"), "do not say what they mean"),
        (("POSITIVE", "NEGATIVE"), "expected exactly one named entailment"),
        (("not_entailment", "contradiction"), "expected exactly one named entailment"),
        (("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"), "expected exactly one named entailment"),
        (("supported", "refuted"), "supported and unsupported"),
        (("entailment", "ENTAILMENT", "neutral"), "expected exactly one named entailment"),
        (("entailment",), "outputs one number (a regression)"),
        (("LABEL_0",), "outputs one number (a regression)"),
    ],
)
def test_other_labels_are_refused_with_the_reason(labels: tuple[str, ...], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        support_label(_card(*labels))
    assert str(raised.value).startswith("some/model: ")
    assert told in str(raised.value)


def test_a_refusal_shows_the_labels_cut_to_what_can_be_read() -> None:
    with pytest.raises(UsageError) as raised:
        support_label(_card(*(f"class {number}\x1b[31m" for number in range(1000))))
    assert "(1,000 in all)" in str(raised.value)
    assert len(str(raised.value)) < 400
    assert "\x1b" not in str(raised.value)


@pytest.mark.parametrize(
    ("problem", "told"),
    [("regression", "a regression"), ("multi_label_classification", "several labels at once")],
)
def test_heads_of_another_kind_are_refused(problem: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        support_label(_card("entailment", "neutral", problem_type=problem))


def test_two_maps_that_contradict_each_other_are_refused() -> None:
    maps = {"label2id": {"entailment": 1, "neutral": 0}}
    with pytest.raises(UsageError, match="id2label calls 0 'entailment', label2id gives it"):
        support_label(_card("entailment", "neutral", **maps))


def test_a_map_the_other_way_round_that_was_left_at_its_default_does_not_count() -> None:
    maps = {"label2id": {"LABEL_0": 0, "LABEL_1": 1}}
    assert support_label(_card("neutral", "entailment", **maps)) == 1
