"""What a model says does not depend on what else it is asked, and batches are bounded."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from argue_eval.errors import MissingResourceError, UsageError
from argue_eval.judges.limits import Limits
from argue_eval.judges.local.classifier import Classifier, Pair, Scored
from argue_eval.judges.local.loading import find
from tests.tiny_models import named, plain_bytes, save, tiny_roberta, untrained

LABELS = {0: "contradiction", 1: "neutral", 2: "entailment"}
MAX_LENGTH = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained model with large weights, whose probabilities differ from pair to pair."""
    made = tmp_path_factory.mktemp("models")
    plain_bytes(MAX_LENGTH).save_pretrained(made)
    save(tiny_roberta(300, LABELS, MAX_LENGTH), made)
    return made


@pytest.fixture(scope="module", params=["fp32", "bf16"])
def classifier(folder: Path, request: pytest.FixtureRequest) -> Classifier:
    return Classifier(find(str(folder)), "cpu", request.param)


def _pairs(number: int = 60) -> list[Pair]:
    """Pairs of all lengths, with `key` in their order."""
    drawn = random.Random(0)
    pairs = []
    for key in range(number):
        first = [drawn.randrange(5, 250) for _ in range(drawn.choice([3, 20, 60, 61, 150, 270]))]
        pairs.append(Pair(key, first, [drawn.randrange(5, 250) for _ in range(20)]))
    return pairs


def _by_key(found: Iterator[Scored]) -> dict[int, list[float]]:
    return dict(found)


def _assert_those_of(model: Any, classifier: Classifier, tolerance: float) -> None:
    """Checks that a model gives the classifier's probabilities for pairs without padding."""
    import torch

    found = _by_key(classifier.predict(_pairs()))
    for pair in _pairs():
        ids = torch.tensor([classifier.tokenizer.pair(pair.first, pair.second)])
        with torch.inference_mode():
            expected = model(ids, attention_mask=torch.ones_like(ids)).logits.softmax(-1)[0]
        assert found[pair.key] == pytest.approx(expected.tolist(), abs=tolerance)
        assert sum(found[pair.key]) == pytest.approx(1.0, abs=1e-5)


def test_probabilities_are_those_of_the_model_itself(folder: Path) -> None:
    from transformers import AutoModelForSequenceClassification

    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    _assert_those_of(model, Classifier(find(str(folder)), "cpu", "fp32"), 1e-5)


def test_a_pair_gets_the_same_alone_in_a_crowd_and_in_another_order(
    classifier: Classifier,
) -> None:
    pairs = _pairs()
    together = _by_key(classifier.predict(pairs))
    assert len({tuple(probs) for probs in together.values()}) > 30
    assert _by_key(classifier.predict(reversed(pairs))) == together
    for pair in pairs[:12]:
        assert _by_key(classifier.predict([pair])) == {pair.key: together[pair.key]}


def test_batches_are_bounded_and_filled_from_pairs_of_like_length(folder: Path) -> None:
    classifier = Classifier(find(str(folder)), "cpu", "bf16")
    masks: list[Any] = []
    _before_each_call(classifier, masks.append)
    list(classifier.predict(_pairs(200)))
    assert sum(len(mask) for mask in masks) >= 200
    for mask in masks:
        num_rows, length = mask.shape
        assert num_rows == 1 or num_rows * length <= 512
        assert length <= MAX_LENGTH
        assert length - 16 < min(mask.sum(1)) <= max(mask.sum(1)) <= length


def _before_each_call(classifier: Classifier, look: Callable[[Any], None]) -> None:
    """Shows every batch's mask, of rows and tokens, before the model is called."""

    def hook(module: object, args: object, inputs: dict[str, Any]) -> None:
        look(inputs["attention_mask"])

    classifier.model.register_forward_pre_hook(hook, with_kwargs=True)


def test_nothing_new_begins_once_halted(classifier: Classifier) -> None:
    taken = []

    def watched() -> Iterator[Pair]:
        for pair in _pairs(500):
            taken.append(pair)
            yield pair

    found: list[Scored] = []
    limits = Limits()
    for scored in classifier.predict(watched(), limits):
        found.append(scored)
        limits.halt("enough")
    assert 0 < len(found) < 100
    assert len(taken) < 200


def test_pairs_are_answered_while_others_are_still_to_come(classifier: Classifier) -> None:
    found: list[Scored] = []
    open_when_asked = []

    def watched() -> Iterator[Pair]:
        for number, pair in enumerate(_pairs(500)):
            open_when_asked.append(number - len(found))
            yield pair

    for scored in classifier.predict(watched()):
        found.append(scored)
    assert len(found) == 500
    assert max(open_when_asked) < 120


def test_the_number_of_threads_is_what_it_was(classifier: Classifier) -> None:
    import torch

    before = torch.get_num_threads()
    list(classifier.predict(_pairs(8)))
    unfinished = classifier.predict(_pairs(100))
    next(unfinished)
    unfinished.close()
    assert torch.get_num_threads() == before


def test_a_batch_that_does_not_fit_is_halved(folder: Path) -> None:
    classifier = Classifier(find(str(folder)), "cpu", "bf16")
    whole = _by_key(classifier.predict(_pairs(40)))
    sizes = _with_room_for(classifier, 2)
    halved = _by_key(classifier.predict(_pairs(40)))
    assert max(sizes) > 2
    assert halved.keys() == whole.keys()
    for key, found in halved.items():
        assert found == pytest.approx(whole[key], abs=0.05)


def test_a_pair_that_does_not_fit_alone_is_an_error(folder: Path) -> None:
    classifier = Classifier(find(str(folder)), "cpu", "bf16")
    _with_room_for(classifier, 0)
    with pytest.raises(MissingResourceError, match="does not fit into the memory of cpu"):
        list(classifier.predict(_pairs(3)))


def _with_room_for(classifier: Classifier, most: int) -> list[int]:
    """Makes larger batches fail for lack of memory; returns the list of all batches' sizes."""
    import torch

    sizes: list[int] = []

    def check(mask: Any) -> None:
        sizes.append(len(mask))
        if len(mask) > most:
            raise torch.OutOfMemoryError

    _before_each_call(classifier, check)
    return sizes


def _xlnet(folder: Path, side: str) -> Path:
    """Writes a model that reads its verdict off the last token, and so must be padded before."""
    model = untrained(
        "XLNetForSequenceClassification", 300, d_model=64, n_layer=2, n_head=2, d_inner=64,
        pad_token_id=1, initializer_range=0.3, **named(LABELS),
    )  # fmt: skip
    save(model, folder)
    plain_bytes(MAX_LENGTH, side).save_pretrained(folder)
    return folder


def test_a_model_that_is_padded_before_its_texts_is(tmp_path: Path) -> None:
    classifier = Classifier(find(str(_xlnet(tmp_path, "left"))), "cpu", "fp32")
    _assert_those_of(classifier.model, classifier, 1e-4)


def test_a_model_that_padding_disturbs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="changes with the padding after it"):
        Classifier(find(str(_xlnet(tmp_path, "right"))), "cpu", "fp32")
