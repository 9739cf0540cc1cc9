"""A language model, asked as few times as it can answer well: by a server, or in this process.

``llm:MODEL`` asks a server that speaks the chat completions protocol, ``llm:hf:MODEL`` runs a model
of transformers here. Only a reply that says one of the words of the scale under the right key is a
verdict; whatever else comes back is a failure, with its reason and the reply kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from hashlib import sha256

from argue_eval.judges import Settings, Workload
from argue_eval.judges.clients import Completion, Message, Request
from argue_eval.judges.llm.calls import KINDS, LIMITS, TOGETHER, Call, calls_of, with_canary
from argue_eval.judges.llm.prompts import Delimiters, Prompts, neutral
from argue_eval.judges.llm.replies import VERSION, Heard, read, replies, schema_of
from argue_eval.judges.model import Conversation, Model, why_unusable
from argue_eval.records import Kind, Question, Reply

MODEL = "as its server names it; or hf:MODEL[@REVISION], a model of transformers, run here"
IS_COSTLY = True
READS_REPORTS = True

_LABEL_TOKENS = 6
_REPLY_TOKENS, _MAX_LABEL_TOKENS = 64, 16
_SHOWN_REPLY = 4000
_SHOWN_PROBLEMS = 5


class LlmJudge:
    """Answers every kind but `Kind.RELEVANT`, many questions to a call.

    Attributes:
        settings: what the user chose.
    """

    kinds = KINDS

    def __init__(self, model: str, settings: Settings) -> None:
        self.settings = settings
        self._draw: int | None = None
        self._is_single = settings.prompting == "single"
        self.joint: frozenset[Kind] = frozenset() if self._is_single else frozenset(TOGETHER)
        self._prompts = Prompts(
            settings.prompts, contradictions=settings.contradictions, criteria=settings.criteria
        )
        self._delimiters = Delimiters()
        self.model = Model(model, settings)
        self.signature = self._signature()

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """Yields one reply per question as soon as all calls that it needs are heard.

        Raises:
            MissingResourceError: there is no such model, no server, or no package to ask it with.
        """
        calls, refusals = self.calls(questions)
        yield from refusals
        heard = self.model.converse([self._conversation(call) for call in calls])
        yield from replies(questions, calls, heard, self.settings.repeat)

    def workload(self, questions: Sequence[Question]) -> Workload:
        """What it takes to answer these questions, if no reply must be asked for twice."""
        num_calls = prompt_tokens = reply_tokens = 0
        for call in self.calls(questions)[0]:
            num_calls += 1
            prompt_tokens += self.request(call).meter.prompt_tokens
            reply_tokens += _LABEL_TOKENS * (call.num_questions + 1)
        return Workload(num_calls=num_calls, prompt_tokens=prompt_tokens, reply_tokens=reply_tokens)

    def draws(self) -> list[LlmJudge]:
        """A judge for each time that this one asks the same: with its own seed, and this model."""
        found = []
        for number in range(self.settings.repeat):
            other = copy(self)
            other.settings, other._draw = replace(self.settings, repeat=1), number
            other.signature = other._signature()
            found.append(other)
        return found

    def calls(self, questions: Sequence[Question]) -> tuple[list[Call], list[Reply]]:
        """The calls that answer questions, in the order to make them.

        Beside them a reply to every question that no call can answer: the reason.
        """
        calls, refusals = calls_of(questions, self._is_single)
        if self.settings.canary:
            calls = [with_canary(call) for call in calls]
        rounds = range(self.settings.repeat)
        return [call._replace(repeat=each) for call in calls for each in rounds], refusals

    def request(self, call: Call) -> Request:
        """What a model is asked in a call."""
        texts = self._delimiters.enclosed(call.shared, call.own)
        system, user = self._prompts.first_turn(call.task, {**texts, "keys": _shown(call.keys)})
        return self.model.request(
            (Message("system", system), Message("user", user)),
            _REPLY_TOKENS + _MAX_LABEL_TOKENS * call.num_questions,
            schema_of(call.keys, self._prompts.tasks[call.task].scale),
            temperature=0.0 if self.settings.repeat == 1 and self._draw is None else 1.0,
            seed=call.repeat + (self._draw or 0),
        )

    def hear(self, call: Call, completion: Completion) -> Heard:
        """What a model's reply to a call says."""
        if reason := why_unusable(completion):
            raws = (completion.text,)
            return Heard.nothing(call.keys, reason, raws, completion.num_attempts)
        scale, prompt = self._prompts.tasks[call.task].scale, self._prompts.fixed[call.task]
        return read(completion.text, call.keys, scale, completion.num_attempts, prompt)

    def _conversation(self, call: Call) -> Conversation[tuple[Call, Heard]]:
        """Asks, and once more for what is not usable."""
        request = self.request(call)
        result = yield from self.model.reply(request)
        if result is None:
            return None
        if not isinstance(result, Completion):
            return call, Heard.nothing(call.keys, result.reason, num_attempts=result.num_attempts)
        first = self.hear(call, result)
        if not first.problems or why_unusable(result):
            return call, first
        result = yield self._second_turn(call, request, result.text, first.problems)
        if result is None:
            return call, first
        if not isinstance(result, Completion):
            return call, first._replace(num_attempts=first.num_attempts + result.num_attempts)
        return call, first.completed_by(self.hear(call, result))

    def _second_turn(
        self, call: Call, first: Request, reply: str, problems: Mapping[str, str]
    ) -> Request:
        reasons = [f"{key}: {reason}" for key, reason in problems.items()]
        shown = reasons[:_SHOWN_PROBLEMS]
        if len(set(problems.values())) == 1 and len(reasons) == call.num_questions:
            shown = [next(iter(problems.values()))]
        elif len(reasons) > len(shown):
            shown.append(f"and {len(reasons) - len(shown)} more")
        user = self._prompts.repair(call.task, neutral("; ".join(shown)), _shown(call.keys))
        assistant = neutral(reply[:_SHOWN_REPLY]) or "(empty)"
        return self.model.request(
            (*first.messages, Message("assistant", assistant), Message("user", user)),
            first.max_tokens,
            first.schema,
            temperature=first.temperature,
            seed=first.seed,
        )

    def _signature(self) -> str:
        """All that could change a verdict. See docs/llm-judge.md for its parts."""
        settings = self.settings
        content = sha256(f"{VERSION}|{LIMITS}|{self._prompts.digest}".encode()).hexdigest()
        parts = [f"llm@{VERSION}", self.model.identity, settings.prompting, content[:8]]
        if settings.repeat > 1:
            parts.append(f"repeat:{settings.repeat}")
        if self._draw is not None:
            parts.append(f"draw:{self._draw}")
        if settings.canary:
            parts.append("canary")
        return "/".join(parts)


def create(model: str, texts: Iterable[str] = (), settings: Settings | None = None) -> LlmJudge:
    """Makes the judge; `texts` are ignored. The model is not asked anything yet.

    Raises:
        InputError: a prompt of the user's has errors.
        MissingResourceError: the folder with prompts, the local model or a package is missing.
        UsageError: the folder has a prompt that nothing uses, or money is limited and the model's
            price is unknown.
    """
    return LlmJudge(model, settings or Settings())


def _shown(keys: Sequence[str]) -> str:
    """The keys of a reply in words; a list that counts from 1 in few."""
    if len(keys) > 3 and list(keys) == [str(number) for number in range(1, len(keys) + 1)]:
        return f'"1", "2", … "{keys[-1]}"'
    return ", ".join(json.dumps(key) for key in keys)
