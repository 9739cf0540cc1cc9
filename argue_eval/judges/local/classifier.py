"""A model of transformers that classifies pairs of texts, in batches.

The probabilities of a pair do not depend on the other pairs. The shape of a batch changes a
probability, in 16 bits by some thousandths; the content of the other rows does not. So a batch's
shape depends only on the length of its pairs, and an incomplete batch is filled with copies of its
last pair.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from argue_eval.errors import MissingResourceError, UsageError
from argue_eval.judges.limits import Limits
from argue_eval.judges.local import loading
from argue_eval.judges.local.loading import TAGGER, TRANSLATOR, Card, best_dtype, device_of
from argue_eval.judges.local.tokens import Encoded, PairTokenizer

if TYPE_CHECKING:
    from concurrent.futures import Future

_BATCH_TOKENS = {
    ("cpu", "fp32"): 1,
    ("cpu", "bf16"): 512,
    ("cuda", "fp32"): 16_384,
    ("cuda", "bf16"): 32_768,
}
"""Tokens in a batch, including padding; at least one pair. On a CPU twice as many would gain 5 %
and cost more for copies. In 32 bits each pair is alone: its place in a batch would change its last
digits."""

_LENGTHS = ((128, 8), (512, 16))
"""Up to the first number of tokens, pairs are padded to multiples of the second; longer ones to
multiples of four times the last."""

_DEFAULT_MAX_LENGTH = 512
"""For models that state no limit."""

_NO_LIMIT = 1_000_000
"""A tokenizer without a limit states a number far above this."""

_PADDING_NOISE = 0.1
"""In 16 bits, correctly masked padding changes a probability by 0.01 at most."""

_MAX_WORKERS = 8
_GPU_WORKERS = 2


class Pair(NamedTuple):
    """Two texts as tokens; `key` is anything that says whose result it is."""

    key: Any
    first: Sequence[int]
    second: Sequence[int]


class Scored(NamedTuple):
    """The probabilities of a pair, in the order of the model's labels.

    Of a model that classifies tokens, the probability of one label at every token of the second
    text; of a model that writes, those of some tokens as the first that it writes.
    """

    key: Any
    probs: list[float]


class Use(NamedTuple):
    """How a model is used, where that is not as a classifier of pairs within its own limits.

    Attributes:
        joint: what stands between the two texts; see `PairTokenizer`.
        max_length: how many tokens a pair may have, whatever the model's files say.
        label: the label of tokens whose probability is wanted.
        words: the tokens that are compared, of a model that writes; its labels are theirs.
    """

    joint: str = "pair"
    max_length: int | None = None
    label: int = 0
    words: tuple[int, ...] = ()


class Classifier:
    """A loaded model.

    Attributes:
        card: what was loaded.
        model: the module of PyTorch.
        device: ``cpu`` or ``cuda``.
        dtype: its number format: ``fp32`` or ``bf16``.
        tokenizer: splits texts into tokens.
        max_length: how many tokens a pair may have, including special ones.
    """

    def __init__(
        self, card: Card, device: str, dtype: str | None = None, use: Use | None = None
    ) -> None:
        """Loads a model.

        Args:
            device: ``auto``, ``cpu`` or ``cuda``.
            dtype: None for the fastest number format of the device without much loss.

        Raises:
            MissingResourceError: its files or the device are missing.
            UsageError: the model cannot be used for pairs of texts.
        """
        tokenizer, model = loading.load(card)
        import torch

        self.card = card
        self.device = device_of(torch, device)
        self.dtype = dtype or best_dtype(torch, self.device)
        self._use = use or Use()
        self.tokenizer = PairTokenizer(tokenizer, card.name, self._use.joint)
        known = (loading.max_positions(model), self.tokenizer.max_length)
        limits = [limit for limit in known if limit is not None and limit < _NO_LIMIT]
        self.max_length = self._use.max_length or min(limits, default=_DEFAULT_MAX_LENGTH)
        if model.config.pad_token_id is None:
            model.config.pad_token_id = self.tokenizer.pad_id
        wanted = torch.bfloat16 if self.dtype == "bf16" else torch.float32
        self._torch = torch
        self.model = model.to(device=self.device, dtype=wanted)
        self._probe()

    def encode(self, text: str) -> Encoded:
        """Splits a text into tokens."""
        return self.tokenizer.encode(text)

    def predict(
        self, pairs: Iterable[Pair], limits: Limits | None = None
    ) -> Generator[Scored, None, None]:
        """Yields the probabilities of every pair, batch by batch, in any order.

        Pairs are taken from the iterable as they are needed. Once the limits are halted, no batch
        is started, and nothing is yielded for the pairs that were not started.
        """
        from concurrent.futures import ThreadPoolExecutor  # slow to load

        num_workers, num_threads = self._workers()
        before = self._torch.get_num_threads()
        running: set[Future[list[Scored]]] = set()
        pool = ThreadPoolExecutor(
            num_workers, "classifier", self._torch.set_num_threads, (num_threads,)
        )
        try:
            for batch in self._batches(pairs):
                if limits and limits.halted:
                    break
                running.add(pool.submit(self._run, batch))
                if len(running) > num_workers:  # one is queued for the next free worker
                    yield from _finished(running)
            while running:
                yield from _finished(running)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            self._torch.set_num_threads(before)

    def _workers(self) -> tuple[int, int]:
        """How many batches run at once, and with how many threads each."""
        num_cores = self._torch.get_num_threads()
        if self.device == "cuda":
            return _GPU_WORKERS, num_cores
        # One thread per core, each with its own batch, is faster than all cores on one batch.
        num_workers = min(num_cores, _MAX_WORKERS)
        return num_workers, max(1, num_cores // num_workers)

    def _batches(self, pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
        """Yields complete batches of pairs of similar length, then the incomplete ones."""
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
        """Classifies a batch, in halves if the device has too little memory."""
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
        return [Scored(key=pair.key, probs=each) for pair, each in zip(pairs, probs, strict=True)]

    def _probs(self, pairs: Sequence[Pair], num_rows: int, length: int) -> list[list[float]]:
        torch = self._torch
        rows = [self.tokenizer.row(pair.first, pair.second, length) for pair in pairs]
        rows += rows[-1:] * (num_rows - len(pairs))
        tensors = {
            name: torch.tensor([row[name] for row in rows]).to(self.device) for name in rows[0]
        }
        with torch.inference_mode():
            probs = self._logits(tensors)[: len(pairs)].float().softmax(-1)
        if self.card.head == TAGGER:
            starts = [self.tokenizer.second_at(pair.first, pair.second, length) for pair in pairs]
            of_tokens = probs[..., self._use.label].tolist()
            return [
                row[start : start + len(pair.second)]
                for row, start, pair in zip(of_tokens, starts, pairs, strict=True)
            ]
        found: list[list[float]] = probs.tolist()
        return found

    def _logits(self, tensors: dict[str, Any]) -> Any:
        """What the model says of every row: of its labels, or of the words that are compared."""
        if self.card.head != TRANSLATOR:
            return self.model(**tensors).logits
        config = self.model.config
        start = getattr(config, "decoder_start_token_id", None)
        start = config.pad_token_id if start is None else start
        begun = self._torch.full((len(tensors["input_ids"]), 1), start, device=self.device)
        logits = self.model(**tensors, decoder_input_ids=begun).logits
        return logits[:, 0, list(self._use.words)]

    def _probe(self) -> None:
        """Checks with two calls that the model works; the first call also sets up what it needs."""
        ids = self.encode("A short text.").ids[: self.max_length // 4]
        pair = Pair(key=0, first=ids, second=ids if self._use.joint else ids[:0])
        length = len(self.tokenizer.pair(pair.first, pair.second))
        with loading.explained(self.card.name):
            (probs,) = self._probs([pair], 1, length)
            (padded,) = self._probs([pair], 1, min(self.max_length, 2 * length))
        expected = len(pair.second) if self.card.head == TAGGER else len(self.card.labels)
        if len(probs) != expected:
            raise MissingResourceError(
                f"{self.card.name}: the model outputs {len(probs):,} numbers, but its config.json "
                f"names {len(self.card.labels):,} labels"
            )
        if any(abs(a - b) > _PADDING_NOISE for a, b in zip(probs, padded, strict=True)):
            raise UsageError(
                f"{self.card.name}: the result for a pair changes with the padding after it, so "
                "the model cannot be used in batches; see padding_side in its tokenizer_config.json"
            )


def _finished(running: set[Future[list[Scored]]]) -> Iterator[Scored]:
    from concurrent.futures import FIRST_COMPLETED, wait

    done, _ = wait(running, return_when=FIRST_COMPLETED)
    running -= done
    for each in done:
        yield from each.result()
