"""Puts calls to a language model that the file of replies does not answer yet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from math import exp
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from argue_eval.curation.replies import Kept, Replies, key_of
from argue_eval.judges import Settings, Workload
from argue_eval.judges.clients.completion import Completion, Failed, Message, Request
from argue_eval.judges.llm.asking import CallMeter, prompt_tokens
from argue_eval.judges.llm.delimiters import Block, Delimiters
from argue_eval.judges.llm.judge import identity_of, open_backend
from argue_eval.judges.llm.replies import why_unusable as why_cut_off
from argue_eval.judges.llm.workers import ask_all

VERSION = 1
"""To be raised with whatever makes the same question be asked or read differently."""

STEPS = ("extract", "dedupe", "filter")

_FOLDER = Path(__file__).with_name("prompts")
_SEPARATOR = "\n=====\n"
_TOP_LOGPROBS = 10

Progress = Callable[[str, int, int], None]


class Call(NamedTuple):
    """One call of a model.

    Attributes:
        step: ``extract``, ``dedupe`` or ``filter``, which is the name of its prompt.
        about: what the call is about, for people: topic, document.
        shared: texts that many calls have in common; `own`: those of this call.
        schema: of the reply; empty if that is a word, yes or no.
    """

    step: str
    about: Mapping[str, str]
    shared: tuple[Block, ...]
    own: Block
    max_tokens: int
    schema: Mapping[str, Any]


class Unanswered(NamedTuple):
    """A call that has no usable reply, and why."""

    call: Call
    reason: str


@dataclass(slots=True)
class Tally:
    """What became of calls.

    Attributes:
        num_found: calls that the file of replies answered; `num_asked`: that the model did.
        num_without_prob: answers of yes or no of which the model did not say how probable they are.
        unanswered: calls without a usable reply.
    """

    num_found: int = 0
    num_asked: int = 0
    num_without_prob: int = 0
    unanswered: list[Unanswered] = field(default_factory=list)


class _Round(NamedTuple):
    """Calls that are made at the same time.

    Attributes:
        left: by their place.
        notes: what was wrong with an earlier reply to a call.
        found: usable replies are added to this.
    """

    left: Mapping[int, Call]
    notes: Mapping[int, str]
    found: dict[int, Kept]
    why_unusable: Callable[[Call, Kept], str]
    progress: Progress | None


class Model:
    """A language model with a file of its replies.

    Attributes:
        signature: what replies depend on besides the texts: model, prompts, how they are read.
        tally: what became of the calls so far.
        replies: the file of replies.
    """

    def __init__(self, name: str, settings: Settings, replies: Replies) -> None:
        self.name = name
        self.tally = Tally()
        self._settings = settings
        self.replies = replies
        self._delimiters = Delimiters()
        self.signature = f"{identity_of(name, settings)}/{_digest()}/{VERSION}"

    def workload(self, calls: Sequence[Call]) -> Workload:
        """Returns what it takes at most to answer the calls to which there is no reply yet."""
        left = [call for call in calls if self.replies.get(self._key(call)) is None]
        return Workload(
            len(left),
            sum(prompt_tokens(self._messages(call)) for call in left),
            sum(call.max_tokens for call in left),
        )

    def ask(
        self,
        calls: Sequence[Call],
        why_unusable: Callable[[Call, Kept], str],
        progress: Progress | None = None,
    ) -> dict[int, Kept]:
        """Returns the usable replies by the place of their call. Each is kept as soon as it comes.

        A call whose reply is of no use is made once more, with what was wrong.

        Args:
            why_unusable: returns why a reply says nothing that could be used; empty if it does.

        Raises:
            MissingResourceError: the model can't be had.
        """
        found: dict[int, Kept] = {}
        left: dict[int, Call] = {}
        for place, call in enumerate(calls):
            kept = self.replies.get(self._key(call))
            if kept is None:
                left[place] = call
            else:
                found[place] = kept
                self.tally.num_found += 1
        first = _Round(left, {}, found, why_unusable, progress)
        again = self._go(first)
        self._go(first._replace(left={place: left[place] for place in again}, notes=again))
        yes_or_no = [kept for place, kept in found.items() if not calls[place].schema]
        self.tally.num_without_prob += sum(kept.yes_prob is None for kept in yes_or_no)
        return found

    def _go(self, now: _Round) -> dict[int, str]:
        """Makes the calls of a round, and returns those to make again with what was wrong."""
        again: dict[int, str] = {}
        heard = set()
        for number, (place, result) in enumerate(self._results(now), 1):
            heard.add(place)
            call = now.left[place]
            if isinstance(result, Failed):
                self.tally.unanswered.append(Unanswered(call, result.reason))
            else:
                reason, is_final = self._keep(place, result, now)
                if reason and (is_final or now.notes):
                    self.tally.unanswered.append(Unanswered(call, reason))
                elif reason:
                    again[place] = reason
            if now.progress:
                now.progress(f"asking {self.name}", number, len(now.left))
        reason = f"not asked: {self._settings.limits.reason}"
        left = [call for place, call in now.left.items() if place not in heard]
        self.tally.unanswered.extend(Unanswered(call, reason) for call in left)
        return again

    def _keep(self, place: int, completion: Completion, now: _Round) -> tuple[str, bool]:
        """Keeps a reply; returns why it is of no use, and whether another would be neither."""
        call = now.left[place]
        self.tally.num_asked += 1
        text = completion.text.encode("utf-8", "replace").decode("utf-8")
        kept = Kept(text, _yes_prob(completion) if not call.schema else None)
        is_word = not call.schema and not completion.refusal
        cut_off = "" if is_word else why_cut_off(completion)
        reason = cut_off or now.why_unusable(call, kept)
        about = {"step": call.step, **call.about, "model": self.signature}
        self.replies.add(self._key(call), kept, about, reason)
        if not reason:
            now.found[place] = kept
        return reason, bool(cut_off)

    def _results(self, now: _Round) -> Iterator[tuple[int, Completion | Failed]]:
        """Yields the place of a call with what came of it, as soon as it is there."""
        limits = self._settings.limits
        if not now.left or limits.is_halted:
            return
        backend = open_backend(self.name, self._settings)

        def complete(places: Sequence[int]) -> list[tuple[Completion | Failed] | None]:
            results = backend.complete(
                [self._request(now.left[place], now.notes.get(place, "")) for place in places]
            )
            return [None if result is None else (result,) for result in results]

        sizes = (backend.concurrency, backend.batch_size)
        limits.is_asking = True
        try:
            for place, (result,) in ask_all(list(now.left), complete, *sizes, limits):
                yield place, result
        finally:
            limits.is_asking = False
            backend.close()

    def _key(self, call: Call) -> str:
        blocks = (*call.shared, call.own)
        texts = [json.dumps([block.name, *block.lines]) for block in blocks]
        return key_of(call.step, self.signature, *texts)

    def _messages(self, call: Call, note: str = "") -> tuple[Message, ...]:
        system, user = _prompt(call.step)
        texts = self._delimiters.enclosed(call.shared, call.own)
        told = system.substitute(rules=_text("rules").strip())
        asked = user.substitute(texts)
        if note:
            asked += f"\n\nAn earlier reply could not be used: {note}. Take care of that."
        return (Message("system", told), Message("user", asked))

    def _request(self, call: Call, note: str = "") -> Request:
        messages = self._messages(call, note)
        price = self._settings.prices.get(self.name)
        limits = self._settings.limits
        meter = CallMeter(limits, price, prompt_tokens(messages), call.max_tokens)
        logprobs = 0 if call.schema else _TOP_LOGPROBS
        return Request(messages, call.max_tokens, call.schema, meter, top_logprobs=logprobs)


def _yes_prob(completion: Completion) -> float | None:
    """Returns how probable a yes is among yes and no, by the first token; None if it is not told.

    Source: the score function of AutoDS, as Long2RAG uses it (appendix A.2).

    >>> round(_yes_prob(Completion("YES", first_tokens=(("YES", -0.1), ("NO", -2.4)))), 3)
    0.909
    """
    probs = {"yes": 0.0, "no": 0.0}
    for token, logprob in completion.first_tokens:
        word = token.strip(" \n\t▁Ġ*\"'").casefold()
        if word in probs:
            probs[word] += exp(min(0.0, logprob))
    total = probs["yes"] + probs["no"]
    return probs["yes"] / total if total else None


@cache
def _text(name: str) -> str:
    return (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@cache
def _prompt(step: str) -> tuple[Template, Template]:
    system, user = _text(step).split(_SEPARATOR)
    return Template(system.strip()), Template(user.strip())


@cache
def _digest() -> str:
    texts = "\0".join(_text(name) for name in ("rules", *STEPS))
    return sha256(texts.encode("utf-8")).hexdigest()[:8]
