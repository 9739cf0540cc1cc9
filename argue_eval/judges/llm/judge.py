"""A language model, asked as few times as it can answer well: by a server, or in this process.

``llm:MODEL`` asks a server that speaks the chat completions protocol, ``llm:hf:MODEL`` runs a model
of transformers here. Only a reply that says one of the words of the scale under the right key is a
verdict; whatever else comes back is a failure, with its reason and the reply kept.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from urllib.parse import quote

from argue_eval.errors import UsageError
from argue_eval.judges import Reply, Settings, Workload
from argue_eval.judges.clients.completion import Backend, Completion, Request
from argue_eval.judges.llm import calls as grouping
from argue_eval.judges.llm.asking import Asking, Heard
from argue_eval.judges.llm.calls import Call
from argue_eval.judges.llm.canaries import with_canary
from argue_eval.judges.llm.prompts import Prompts
from argue_eval.judges.llm.replies import VERSION
from argue_eval.judges.llm.votes import Ballots
from argue_eval.judges.llm.workers import ask_all
from argue_eval.records import Ask, JudgeFailure, Kind

MODEL = "as its server names it; or hf:MODEL[@REVISION], a model of transformers, run here"
IS_COSTLY = True
READS_REPORTS = True

_LOCAL = "hf:"
_SAFE = ":/@.-_~+=,"


class LlmJudge:
    """Answers every kind but `Kind.RELEVANT`, many asks to a call.

    Attributes:
        model: as the server names it, or as it is run here.
        settings: what the user chose.
    """

    kinds = grouping.KINDS

    def __init__(self, model: str, settings: Settings) -> None:
        self.model = model
        self.settings = settings
        self._is_single = settings.prompting == "single"
        self.joint: frozenset[Kind] = frozenset()
        if not self._is_single:
            self.joint = frozenset(grouping.QUESTIONS)
        prompts = Prompts(settings.prompts)
        self.signature = _signature(model, prompts, settings)
        temperature = 1.0 if settings.repeat > 1 else 0.0
        price = settings.prices.get(model)
        self._asking = Asking(prompts, temperature, settings.limits, price)
        self._backend: Backend | None = None
        self._lock = threading.Lock()

    def judge(self, asks: Sequence[Ask]) -> Iterator[Reply]:
        """Yields one reply per ask as soon as all calls that it needs are heard.

        Raises:
            MissingResourceError: there is no such model, no server, or no package to ask it with.
        """
        yield from self.refusals(asks)
        calls = self.calls(asks)
        if not calls or self.settings.limits.is_halted:
            return
        backend = self._opened()
        ballots = self.ballots(asks, calls)
        heard = ask_all(
            calls,
            lambda some: self._asking.converse(some, backend),
            backend.concurrency,
            backend.batch_size,
            self.settings.limits,
        )
        try:
            for call, said in heard:
                yield from ballots.add(call, *said)
        finally:
            backend.close()

    def workload(self, asks: Sequence[Ask]) -> Workload:
        """Returns what it would take to answer these asks, if no reply must be asked for twice."""
        num_calls = prompt_tokens = reply_tokens = 0
        for call in self.calls(asks):
            sizes = self._asking.num_tokens(call)
            num_calls += 1
            prompt_tokens += sizes[0]
            reply_tokens += sizes[1]
        return Workload(num_calls, prompt_tokens, reply_tokens)

    def calls(self, asks: Sequence[Ask]) -> list[Call]:
        """Returns the calls that answer all asks which can be asked, in the order to make them."""
        calls = grouping.calls_of(asks, self._is_single)
        if self.settings.canary:
            calls = [with_canary(call) for call in calls]
        rounds = range(self.settings.repeat)
        return [call._replace(repeat=each) for call in calls for each in rounds]

    def refusals(self, asks: Sequence[Ask]) -> Iterator[Reply]:
        """Yields a reply to every ask that no call can answer: why it cannot."""
        for index, reason in grouping.refused(asks):
            ask = asks[index]
            yield Reply(index, JudgeFailure(ask.kind, ask.topic_id, self.signature, reason))

    def request(self, call: Call) -> Request:
        """Returns what a model is asked in a call."""
        return self._asking.request(call)

    def hear(self, call: Call, completion: Completion) -> Heard:
        """Returns what a model's reply to a call says."""
        return self._asking.hear(call, completion)

    def ballots(self, asks: Sequence[Ask], calls: Iterable[Call]) -> Ballots:
        """Returns what makes replies to asks of what is heard in the calls."""
        return Ballots(asks, calls, self.settings.repeat, self.signature)

    def _opened(self) -> Backend:
        with self._lock:
            if self._backend is None:
                self._backend = open_backend(self.model, self.settings)
            return self._backend


def create(model: str, texts: Iterable[str] = (), settings: Settings | None = None) -> LlmJudge:
    """Returns the judge. The model is asked for nothing yet.

    Args:
        model: the server's name for it, or ``hf:`` and a folder or a name of a model.
        texts: not used.

    Raises:
        InputError: a prompt of the user's has errors.
        MissingResourceError: the folder with prompts, the local model or a package is missing.
        UsageError: the folder has a prompt that nothing asks for, or money is limited and the
            model's price is not known.
    """
    settings = settings or Settings()
    if settings.limits.max_cost is not None and model not in settings.prices:
        known = ", ".join(settings.prices) or "none"
        raise UsageError(f"--max-cost needs the price of {model!r}; --prices has: {known}")
    return LlmJudge(model, settings)


def _signature(model: str, prompts: Prompts, settings: Settings) -> str:
    """Returns all that could change a verdict. See docs/llm-judge.md for its parts."""
    content = sha256(f"{VERSION}|{grouping.LIMITS}|{prompts.digest}".encode()).hexdigest()
    parts = [f"llm@{VERSION}", identity_of(model, settings), settings.prompting, content[:8]]
    if settings.repeat > 1:
        parts.append(f"repeat:{settings.repeat}")
    if settings.canary:
        parts.append("canary")
    return "/".join(parts)


def identity_of(model: str, settings: Settings) -> str:
    """Returns what names a model in signatures: for one that runs here, with all its settings."""
    if model.startswith(_LOCAL):
        from argue_eval.judges.clients.generation import identity

        model = _LOCAL + identity(model.removeprefix(_LOCAL), settings.device)
    return quote(model, safe=_SAFE)


def open_backend(model: str, settings: Settings) -> Backend:
    """Returns what a model is asked through: a server, or the model itself.

    Raises:
        MissingResourceError: there is no such model or server, or a package is missing.
    """
    if model.startswith(_LOCAL):
        from argue_eval.judges.clients.generation import Generator

        return Generator(model.removeprefix(_LOCAL), settings.device)
    from argue_eval.judges.clients.chat import ChatClient

    return ChatClient(model, settings.timeout, settings.concurrency)
