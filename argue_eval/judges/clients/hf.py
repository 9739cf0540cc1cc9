"""A model of transformers, run in this process: for machines without a server."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from argue_eval.errors import MissingResourceError
from argue_eval.judges import Settings
from argue_eval.judges.clients import (
    TOO_LONG,
    Completion,
    Failed,
    Message,
    Request,
    Result,
    with_system_in_user,
)
from argue_eval.judges.limits import Limits, Meter
from argue_eval.judges.local import loading
from argue_eval.judges.local.loading import best_dtype, device_of

MIN_REPLY_TOKENS = 16

_BATCH_SIZE = {"cpu": 4, "cuda": 16}
_DIGEST_CHARS = 12
_Group = list[tuple[int, Request, list[int]]]
"""Requests with their places and the tokens of their prompts."""

_PROBE = (Message("user", "Say yes."),)


def identity(model: str, settings: Settings) -> str:
    """What names a model and how it computes: name, revision and format of numbers."""
    card = loading.find(model, loading.WRITER)
    import torch

    name = card.place.rstrip("/").rpartition("/")[2] if card.is_local else card.name
    dtype = best_dtype(torch, device_of(torch, settings.device))
    return f"{name}@{card.revision[:_DIGEST_CHARS]}/{dtype}"


def create(model: str, settings: Settings) -> Generator:
    """Loads the model."""
    return Generator(model, settings.device)


class Generator:
    """A loaded model. It writes the likeliest next token, unless a request has a temperature.

    Attributes:
        model: the model as transformers loads it, and `tokenizer` likewise.
    """

    concurrency = 1

    def __init__(self, model: str, device: str = "auto") -> None:
        card = loading.find(model, loading.WRITER)
        self.tokenizer, loaded = loading.load(card)
        import torch

        self._torch = torch
        self._device = device_of(torch, device)
        self.batch_size = _BATCH_SIZE[self._device]
        dtype = best_dtype(torch, self._device)
        wanted = torch.bfloat16 if dtype == "bf16" else torch.float32
        self.model = loaded.to(device=self._device, dtype=wanted)
        self._name = card.name
        self._max_length = loading.max_positions(loaded)
        self.tokenizer.padding_side = "left"
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token or self.tokenizer.unk_token
        if self.tokenizer.pad_token_id is None:
            raise MissingResourceError(f"{model}: its tokenizer has no token to pad with")
        self._lock = threading.Lock()
        with loading.explained(card.name):  # whatever else may be odd in its files
            probe = Request(_PROBE, max_tokens=1, schema={}, meter=Meter(Limits()))
            self._write([(0, probe, self.tokens(_PROBE))])

    def close(self) -> None:
        """Does nothing: the model stays in memory for the next request."""

    def complete(self, requests: Sequence[Request]) -> list[Result]:
        """One result per request, in their order."""
        results: list[Result] = [None] * len(requests)
        # Temperature and seed hold for a whole batch: requests with the same ones go together.
        groups: dict[tuple[float, int], _Group] = {}
        for place, request in enumerate(requests):
            try:
                tokens = self.tokens(request.messages)
            except Exception as exc:
                results[place] = Failed(f"the model's chat template fails: {type(exc).__name__}")
                continue
            room = self._max_length - len(tokens) if self._max_length else request.max_tokens
            if room < MIN_REPLY_TOKENS:
                sizes = f"{len(tokens)} tokens, of {self._max_length} with the reply"
                results[place] = Failed(f"{TOO_LONG}: {sizes}")
            elif request.meter.begin():
                request = request._replace(max_tokens=min(request.max_tokens, room))
                group = groups.setdefault((request.temperature, request.seed), [])
                group.append((place, request, tokens))
        for group in chain.from_iterable(map(self._fitting, groups.values())):
            written = self._write(group)
            for (place, request, tokens), completion in zip(group, written, strict=True):
                request.meter.end(len(tokens), completion.reply_tokens)
                results[place] = completion
        return results

    def _fitting(self, group: _Group) -> Iterator[_Group]:
        """Yields parts of a group in which the longest prompt leaves room for the longest reply."""
        some: _Group = []
        for each in group:
            length = max(len(tokens) for _, _, tokens in (*some, each))
            most = max(request.max_tokens for _, request, _ in (*some, each))
            if some and self._max_length and length + most > self._max_length:
                yield some
                some = []
            some.append(each)
        if some:
            yield some

    def tokens(self, messages: Sequence[Message]) -> list[int]:
        """A conversation as the model was trained to read it."""
        if not self.tokenizer.chat_template:
            text = "\n\n".join(message.text for message in messages) + "\n\nReply:"
            return list(self.tokenizer(text)["input_ids"])
        try:
            return self._templated(messages)
        except Exception:
            # Templates are small programs: those that know no ``system`` raise whatever they like.
            return self._templated(with_system_in_user(messages))

    def _templated(self, messages: Sequence[Message]) -> list[int]:
        turns = [{"role": message.role, "content": message.text} for message in messages]
        text = self.tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _write(self, group: _Group) -> list[Completion]:
        torch = self._torch
        length = max(len(tokens) for _, _, tokens in group)
        pad = self.tokenizer.pad_token_id
        rows = [[pad] * (length - len(tokens)) + tokens for _, _, tokens in group]
        mask = [[0] * (length - len(tokens)) + [1] * len(tokens) for _, _, tokens in group]
        max_tokens = max(request.max_tokens for _, request, _ in group)
        temperature = group[0][1].temperature
        options: dict[str, Any] = {"do_sample": False, "temperature": None, "top_p": None}
        if temperature > 0:
            options = {"do_sample": True, "temperature": temperature, "top_p": 1.0}
        with self._lock, torch.inference_mode():
            torch.manual_seed(group[0][1].seed)
            written = self.model.generate(
                input_ids=torch.tensor(rows, device=self._device),
                attention_mask=torch.tensor(mask, device=self._device),
                max_new_tokens=max_tokens,
                pad_token_id=pad,
                top_k=None if temperature == 0 else 0,
                **options,
            )
        return [
            self._completion(row[length:].tolist(), request.max_tokens)
            for row, (_, request, _) in zip(written, group, strict=True)
        ]

    def _completion(self, tokens: list[int], max_tokens: int) -> Completion:
        configured = self.model.generation_config.eos_token_id
        ends = configured if isinstance(configured, list) else [configured]
        ends = [*ends, self.tokenizer.eos_token_id]
        done = next((place for place, token in enumerate(tokens) if token in ends), None)
        is_done = done is not None and done < max_tokens  # the sign of the end is a token too
        kept = tokens[:done] if is_done else tokens[:max_tokens]
        text = self.tokenizer.decode(kept, skip_special_tokens=True)
        reason = "stop" if is_done else "length"
        return Completion(text, reason, reply_tokens=len(kept) + is_done)
