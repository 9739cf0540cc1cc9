"""A model of transformers that classifies pairs of texts: loaded, fed in batches, read as numbers.

What a pair gets does not depend on the pairs beside it. The shape of a batch moves a probability,
in 16 bits by some thousandths; what the other rows hold does not. So a batch's shape depends on
the length of its pairs alone, and one that is not full is filled with copies of its last pair.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from argue_eval.errors import MissingResourceError, UsageError
from argue_eval.judges.local import loading
from argue_eval.judges.local.loading import Card as Card
from argue_eval.judges.local.loading import best_dtype, device_of
from argue_eval.judges.local.loading import find as find
from argue_eval.judges.local.tokens import Encoded as Encoded
from argue_eval.judges.local.tokens import PairTokenizer

_BATCH_TOKENS = {
    ("cpu", "fp32"): 1,
    ("cpu", "bf16"): 512,
    ("cuda", "fp32"): 16_384,
    ("cuda", "bf16"): 32_768,
}
"""Tokens in a batch, padding included, but one pair at least. On a CPU, twice as many gain 5 %, and
copies cost. In 32 bits a pair is alone, since its place in a batch moves its last digits there."""

_LENGTHS = ((128, 8), (512, 16))
"""Pairs up to so many tokens are padded to multiples of so many; longer ones to the last one's
quadruple."""

_DEFAULT_MAX_LENGTH = 512
"""For models that name no limit."""

_NO_LIMIT = 1_000_000
"""A tokenizer without a limit names a number far beyond this."""

_PADDING_NOISE = 0.1
"""In 16 bits, padding that is masked as it should be moves a probability by a hundredth at most."""

_MAX_WORKERS = 8
_GPU_WORKERS = 2


class Pair(NamedTuple):
    """Two texts as tokens; `key` comes back with what the model says to them."""

    key: int
    first: Sequence[int]
    second: Sequence[int]


class Scored(NamedTuple):
    """What a model says to a pair: a probability per label, in the order of its labels."""

    key: int
    probs: list[float]


class Classifier:
    """A loaded model.

    Attributes:
        card: what was loaded.
        dtype: the format of its numbers: ``fp32`` or ``bf16``.
        tokenizer: splits texts.
        max_length: how many tokens a pair may have, special ones included.
    """

    def __init__(self, card: Card, device: str, dtype: str | None = None) -> None:
        """Loads a model.

        Args:
            device: ``auto``, ``cpu`` or ``cuda``.
            dtype: None for the format that is fastest on the device without much loss.

        Raises:
            MissingResourceError: its files or the device are missing.
            UsageError: the model can't be used for pairs of texts.
        """
        tokenizer, model = loading.load(card)
        import torch

        self.card = card
        self.device = device_of(torch, device)
        self.dtype = dtype or best_dtype(torch, self.device)
        self.tokenizer = PairTokenizer(tokenizer, card.name)
        known = (loading.max_positions(model), self.tokenizer.max_length)
        limits = [limit for limit in known if limit is not None and limit < _NO_LIMIT]
        self.max_length = min(limits, default=_DEFAULT_MAX_LENGTH)
        if model.config.pad_token_id is None:
            model.config.pad_token_id = self.tokenizer.pad_id
        wanted = torch.bfloat16 if self.dtype == "bf16" else torch.float32
        self._torch = torch
        self._model = model.to(device=self.device, dtype=wanted)
        self._probe()

    def encode(self, text: str) -> Encoded:
        """Returns a text as tokens."""
        return self.tokenizer.encode(text)

    def predict(
        self, pairs: Iterable[Pair], is_halted: Callable[[], bool] = lambda: False
    ) -> Generator[Scored, None, None]:
        """Yields what the model says to every pair, batch by batch, in any order.

        Pairs are taken from the iterable as they are needed. Once `is_halted`, no further batch
        is begun, and nothing is yielded for the pairs that were not begun.
        """
        num_workers, num_threads = self._workers()
        before = self._torch.get_num_threads()
        running: set[Future[list[Scored]]] = set()
        pool = ThreadPoolExecutor(
            num_workers, "classifier", self._torch.set_num_threads, (num_threads,)
        )
        try:
            for batch in self._batches(pairs):
                if is_halted():
                    break
                running.add(pool.submit(self._run, batch))
                if len(running) > num_workers:  # one is ready for whoever ends first
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for each in done:
                        yield from each.result()
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for each in done:
                    yield from each.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            self._torch.set_num_threads(before)

    def _workers(self) -> tuple[int, int]:
        """Returns how many batches run at once, and with how many threads each.

        A thread per core with a batch of its own beats all cores on one batch.
        """
        num_cores = self._torch.get_num_threads()
        if self.device == "cuda":
            return _GPU_WORKERS, num_cores
        num_workers = min(num_cores, _MAX_WORKERS)
        return num_workers, max(1, num_cores // num_workers)

    def _batches(self, pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
        """Yields pairs of about the same length, as many as make a batch, the rest in the end."""
        waiting: dict[int, list[Pair]] = {}
        for pair in pairs:
            length = self._padded(pair)
            group = waiting.setdefault(length, [])
            group.append(pair)
            if len(group) == self._num_rows(length):
                yield waiting.pop(length)
        for length in sorted(waiting, reverse=True):
            yield waiting[length]

    def _padded(self, pair: Pair) -> int:
        length = len(pair.first) + len(pair.second) + self.tokenizer.num_special
        step = next((step for most, step in _LENGTHS if length <= most), 4 * _LENGTHS[-1][1])
        return min(self.max_length, -(-length // step) * step)

    def _num_rows(self, length: int) -> int:
        return max(1, _BATCH_TOKENS[self.device, self.dtype] // length)

    def _run(self, pairs: list[Pair], num_rows: int | None = None) -> list[Scored]:
        """Returns what the model says to a batch; in halves, if the device has too little memory.

        Args:
            num_rows: the size of the batch; None for what its length asks for.
        """
        length = self._padded(pairs[0])
        num_rows = num_rows or self._num_rows(length)
        try:
            probs = self._probs(pairs, num_rows, length)
        except self._torch.OutOfMemoryError as exc:
            if num_rows == 1:
                raise MissingResourceError(
                    f"{self.card.name}: a pair of {length} tokens does not fit into the memory of "
                    f"{self.device}"
                ) from exc
            self._torch.cuda.empty_cache()
            half = num_rows // 2
            parts = [pairs[start : start + half] for start in range(0, len(pairs), half)]
            return [scored for part in parts for scored in self._run(part, half)]
        return [Scored(pair.key, each) for pair, each in zip(pairs, probs, strict=True)]

    def _probs(self, pairs: Sequence[Pair], num_rows: int, length: int) -> list[list[float]]:
        """Returns what the model says to a batch, of so many rows and so many tokens in each."""
        torch, tokenizer = self._torch, self.tokenizer
        inputs: dict[str, list[list[int]]] = {"input_ids": [], "attention_mask": []}
        for pair in pairs:
            ids = tokenizer.pair(pair.first, pair.second)
            inputs["input_ids"].append(tokenizer.padded(ids, length, tokenizer.pad_id))
            inputs["attention_mask"].append(tokenizer.padded([1] * len(ids), length, 0))
            if tokenizer.has_types:
                types = tokenizer.types(len(pair.first), len(pair.second))
                inputs.setdefault("token_type_ids", []).append(
                    tokenizer.padded(types, length, tokenizer.pad_type)
                )
        num_copies = num_rows - len(pairs)
        tensors = {
            name: torch.tensor(rows + rows[-1:] * num_copies).to(self.device)
            for name, rows in inputs.items()
        }
        with torch.inference_mode():
            logits = self._model(**tensors).logits[: len(pairs)]
        found: list[list[float]] = logits.float().softmax(-1).tolist()
        return found

    def _probe(self) -> None:
        """Asks the model twice, to see that it works, and for what it sets up at its first call."""
        ids = self.encode("A short text.").ids[: self.max_length // 4]
        pair = Pair(0, ids, ids)
        length = len(self.tokenizer.pair(ids, ids))
        (probs,) = self._probs([pair], 1, length)
        if len(probs) != len(self.card.labels):
            raise MissingResourceError(
                f"{self.card.name}: it gives {len(probs)} numbers, but names "
                f"{len(self.card.labels)} labels"
            )
        (padded,) = self._probs([pair], 1, min(self.max_length, 2 * length))
        if any(abs(a - b) > _PADDING_NOISE for a, b in zip(probs, padded, strict=True)):
            raise UsageError(
                f"{self.card.name}: what it says of a pair changes with the padding behind it, so "
                "that it can't be asked in batches; see padding_side in its tokenizer_config.json"
            )
