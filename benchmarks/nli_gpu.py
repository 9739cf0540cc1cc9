"""NLI on a GPU: pairs and tokens per second, and the share of the device's matrix speed.

The share is the arithmetic of the model's matrix products over the tokens of the pairs, without
padding, against the speed of one large bf16 product that is measured here. Without a GPU it says so
and measures nothing, unless `main` is told to use the CPU, to see that it works.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from argue_eval.judges.local.classifier import Classifier, Pair
from argue_eval.judges.local.loading import find
from benchmarks.measuring import print_table, print_title, seconds_of, verdict
from benchmarks.nli import HYPOTHESIS_TOKENS, length, make, silence

NUM_PAIRS = 20_000
WARM_UP = 2_000
PEAK_SIZE = 8192
WANTED = 0.40


def main(
    device: str = "cuda",
    num_pairs: int = NUM_PAIRS,
    sizes: Sequence[str] = ("base", "large"),
    peak_size: int = PEAK_SIZE,
) -> None:
    """Measures and prints."""
    import torch

    print_title("nli_gpu: pairs per second, random weights, 250 tokens on average")
    if device == "cuda" and not torch.cuda.is_available():
        print("skipped: PyTorch finds no GPU")
        return
    silence()
    peak = _peak(torch, device, peak_size)
    rows = []
    for name in ("RoBERTa", "DeBERTa-v3"):
        for size in sizes:
            with TemporaryDirectory() as folder:
                make(name, size, Path(folder))
                classifier = Classifier(find(folder), device)
            rows.append([f"{name} {size}", *_row(classifier, num_pairs, peak)])
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    print(f"{name}: {peak / 1e12:,.1f} TFLOPS in a bf16 product, measured\n")
    print_table(
        ["model", "format", "pairs/s", "tokens/s", "TFLOPS", "of peak", f">= {WANTED:.0%}"], rows
    )


def _row(classifier: Classifier, num_pairs: int, peak: float) -> list[str]:
    list(classifier.predict(_pairs(min(WARM_UP, num_pairs))))
    pairs = _pairs(num_pairs)
    seconds = seconds_of(lambda: list(classifier.predict(pairs)))
    lengths = [
        len(each.first) + len(each.second) + classifier.tokenizer.num_special for each in pairs
    ]
    speed = sum(_operations(classifier, each) for each in lengths) / seconds
    return [
        classifier.dtype,
        f"{num_pairs / seconds:,.0f}",
        f"{sum(lengths) / seconds:,.0f}",
        f"{speed / 1e12:,.1f}",
        f"{speed / peak:.0%}",
        verdict(speed / peak >= WANTED),
    ]


def _operations(classifier: Classifier, num_tokens: int) -> float:
    """The multiplications and additions of the matrix products of one pair.

    Per layer and token: four products of the hidden size with itself, two with the inner size, and
    two of the attention with all tokens. What DeBERTa adds for positions is not counted.
    """
    config = classifier.card.config
    hidden, inner = config.hidden_size, config.intermediate_size
    per_token = 2 * (4 * hidden * hidden + 2 * hidden * inner + 2 * hidden * num_tokens)
    return float(config.num_hidden_layers * num_tokens * per_token)


def _pairs(number: int) -> list[Pair]:
    """Pairs of tokens; those of the special kinds are not among them."""
    drawn = random.Random(0)
    second = [drawn.randrange(5, 5000) for _ in range(HYPOTHESIS_TOKENS)]
    pairs = []
    for key in range(number):
        num_first = length(drawn) - HYPOTHESIS_TOKENS - 3
        pairs.append(Pair(key, drawn.choices(range(5, 5000), k=num_first), second))
    return pairs


def _peak(torch: Any, device: str, size: int) -> float:
    """The operations per second of a large bf16 product, the best of five."""
    left, right = (torch.randn(size, size, device=device, dtype=torch.bfloat16) for _ in range(2))

    def multiply() -> None:
        for _ in range(4):
            left @ right
        if device == "cuda":
            torch.cuda.synchronize()

    multiply()
    return 4 * 2.0 * size**3 / min(seconds_of(multiply) for _ in range(5))
