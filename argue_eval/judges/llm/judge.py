"""A language model, asked as few times as it can answer well: by a server, or in this process.

``llm:MODEL`` asks a server that speaks the chat completions protocol, ``llm:hf:MODEL`` runs a model
of transformers here. Only a reply that says one of the words of the scale under the right key is a
verdict; whatever else comes back is a failure, with its reason and the reply kept.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple

from argue_eval.errors import shorten
from argue_eval.judges import Settings, Workload
from argue_eval.judges.clients import Completion, Message, Request
from argue_eval.judges.llm.calls import KINDS, LIMITS, TOGETHER, Call, calls_of
from argue_eval.judges.llm.prompts import Prompts, Task, scale_shown
from argue_eval.judges.model import (
    NO_OBJECT,
    REPEATED,
    Conversation,
    Delimiters,
    Model,
    is_repeated,
    neutral,
    objects_in,
    why_unusable,
)
from argue_eval.records import Kind, Question, Reply, Verdict

MODEL = "as its server names it; or hf:MODEL[@REVISION], a model of transformers, run here"
IS_COSTLY = True
READS_REPORTS = True

VERSION = 2
"""Increase it with whatever makes the same reply count differently."""

EMPTY = "the reply was empty"
MISSING = "the reply does not answer this"
TWICE = "the reply answers this twice"
OFF_SCALE = "the reply is not on the scale"
MISCOUNTED = "the reply counts from 0"
CANARY = "the reply gets a question with a known answer wrong (canary)"

_THOUGHTS = re.compile(r"\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL)
"""What a model writes before it replies. Anywhere else such a sign may be a quotation."""

_SPACE = " \t\r\n"

_DECODER = json.JSONDecoder(object_pairs_hook=list)
"""Keys and values in their order, so that a key which is there twice shows."""

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
        is_single = settings.prompting == "single"
        self.joint: frozenset[Kind] = frozenset() if is_single else frozenset(TOGETHER)
        self.prompts = Prompts(
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
        calls, refusals = calls_of(questions, self.settings)
        yield from refusals
        heard = self.model.converse([self._conversation(call) for call in calls])
        yield from replies(questions, calls, heard, self.settings.repeat)

    def workload(self, questions: Sequence[Question]) -> Workload:
        """What it takes to answer these questions, if no reply must be asked for twice."""
        num_calls = prompt_tokens = reply_tokens = 0
        for call in calls_of(questions, self.settings)[0]:
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

    def request(self, call: Call) -> Request:
        """What a model is asked in a call."""
        keys, task = [*call.asked], self.prompts.tasks[call.task]
        texts = self._delimiters.enclosed(call.shared, call.own)
        user = task.user.substitute(texts, keys=_shown(keys))
        value = {"type": "string", "enum": [verdict.value for verdict in task.scale]}
        return self.model.request(
            (Message("system", task.system), Message("user", user)),
            _REPLY_TOKENS + _MAX_LABEL_TOKENS * call.num_questions,
            {
                "type": "object",
                "properties": dict.fromkeys(keys, value),
                "required": keys,
                "additionalProperties": False,
            },
            temperature=0.0 if self.settings.repeat == 1 and self._draw is None else 1.0,
            seed=call.repeat + (self._draw or 0),
        )

    def _conversation(self, call: Call) -> Conversation[tuple[Call, Heard]]:
        """Asks, and once more for what is not usable."""
        request, task = self.request(call), self.prompts.tasks[call.task]
        result = yield from self.model.reply(request)
        if result is None:
            return None
        if not isinstance(result, Completion):
            return call, Heard.nothing(call.asked, result.reason, num_attempts=result.num_attempts)
        first = read(result, call.asked, task)
        if not first.problems or why_unusable(result):
            return call, first
        result = yield self._second_turn(call, request, result.text, first.problems)
        if result is None:
            return call, first
        if not isinstance(result, Completion):
            return call, first._replace(num_attempts=first.num_attempts + result.num_attempts)
        return call, first.completed_by(read(result, call.asked, task))

    def _second_turn(
        self, call: Call, first: Request, reply: str, problems: Mapping[str, str]
    ) -> Request:
        reasons = [f"{key}: {reason}" for key, reason in problems.items()]
        shown = reasons[:_SHOWN_PROBLEMS]
        if len(set(problems.values())) == 1 and len(reasons) == call.num_questions:
            shown = [next(iter(problems.values()))]
        elif len(reasons) > len(shown):
            shown.append(f"and {len(reasons) - len(shown)} more")
        user = self.prompts.repair.safe_substitute(
            problems=neutral("; ".join(shown)),
            keys=_shown([*call.asked]),
            scale=scale_shown(self.prompts.tasks[call.task].scale),
        )
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
        content = sha256(f"{VERSION}|{LIMITS}|{self.prompts.digest}".encode()).hexdigest()
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


# --- what replies say: no guesses ----------------------------------------------------------------


class Heard(NamedTuple):
    """What a model says in one call.

    Attributes:
        verdicts: by key.
        problems: by key, why there is no verdict; every key that was asked for is in one of both.
        raws: all that the model wrote, word for word, in order.
        num_attempts: how many calls of the model it took.
    """

    verdicts: Mapping[str, Verdict]
    problems: Mapping[str, str]
    raws: tuple[str, ...] = ()
    num_attempts: int = 1

    def completed_by(self, second: Heard) -> Heard:
        """What two turns say: the second one only where the first says nothing."""
        found = {key: second.verdicts[key] for key in self.problems if key in second.verdicts}
        return Heard(
            verdicts={**self.verdicts, **found},
            problems={key: why for key, why in self.problems.items() if key not in found},
            raws=(*self.raws, *second.raws),
            num_attempts=self.num_attempts + second.num_attempts,
        )

    @classmethod
    def nothing(
        cls, keys: Iterable[str], reason: str, raws: tuple[str, ...] = (), num_attempts: int = 1
    ) -> Heard:
        """No verdict at all, for one reason."""
        problems = dict.fromkeys(keys, reason)
        return cls(verdicts={}, problems=problems, raws=raws, num_attempts=num_attempts)


def read(completion: Completion, keys: Collection[str], task: Task) -> Heard:
    """What a reply says to each key that was asked for. Examples of the prompt are no verdicts.

    >>> from argue_eval.judges.llm.prompts import TASKS
    >>> reply = Completion('Here: {"1": "yes", "2": "perhaps"}')
    >>> heard = read(reply, ["1", "2"], TASKS["answers"])
    >>> heard.verdicts["1"].value, heard.problems["2"]
    ('yes', "the reply is not on the scale: 'perhaps'")
    """
    text, num_attempts = completion.text, completion.num_attempts
    if reason := why_unusable(completion):
        return Heard.nothing(keys, reason, (text,), num_attempts)
    thoughts = _THOUGHTS.match(text)
    said = text[thoughts.end() :] if thoughts else text
    objects = objects_in(said, _DECODER) or []
    # Failing an object with a key that was asked for, the first one, which answers nothing.
    answers = [each for each in objects if any(key in keys for key, _ in each.value)] or objects[:1]
    given: dict[str, list[Any]] = {}
    for key, value in [pair for each in answers for pair in each.value]:
        given.setdefault(key, []).append(value)
    if not text.strip():
        reason = EMPTY
    elif not objects:
        reason = NO_OBJECT
    elif any(is_repeated(said, each, task.told, given.keys() == {*keys}) for each in answers):
        reason = REPEATED
    elif "0" in given and "0" not in keys:
        reason = MISCOUNTED
    if reason:
        return Heard.nothing(keys, reason, (text,), num_attempts)
    words = {verdict.value: verdict for verdict in task.scale}
    verdicts: dict[str, Verdict] = {}
    problems: dict[str, str] = {}
    for key in keys:
        values = given.get(key, [])
        if not values:
            problems[key] = MISSING
        elif len(values) > 1:
            problems[key] = TWICE
        elif isinstance(values[0], str) and (word := values[0].strip(_SPACE).lower()) in words:
            verdicts[key] = words[word]
        else:
            problems[key] = f"{OFF_SCALE}: {shorten(values[0])}"
    return Heard(verdicts=verdicts, problems=problems, raws=(text,), num_attempts=num_attempts)


_ANY_ORDER = (Verdict.YES, Verdict.PARTIAL, Verdict.CONTRADICTS, Verdict.NO)
_RANKS = {
    # A claim is new if no part of the report before it has made it.
    Kind.FIRST_INSTANCE: (Verdict.NO, Verdict.YES),
}
"""Where parts were judged: of two verdicts, the one that counts comes first."""

_Said = tuple[int, str, Heard]
"""What one call says of a question: its round, the question's key, and the reply. A call may show a
part of the document or report only.
"""


def replies(
    questions: Sequence[Question],
    calls: Iterable[Call],
    heard: Iterable[tuple[Call, Heard]],
    repeat: int = 1,
) -> Iterator[Reply]:
    """Yields a reply to every question as soon as all calls about it are heard.

    Args:
        calls: all that are to be made.
        heard: what calls say, in any order; some may be missing.
        repeat: how often each call is made.
    """
    num_calls = Counter(
        place for call in calls for places in call.asked.values() for place in places
    )
    waiting: defaultdict[int, list[_Said]] = defaultdict(list)
    for call, said in heard:
        if any(said.verdicts.get(key) != right for key, right in call.known.items()):
            problems = {**dict.fromkeys(said.verdicts, CANARY), **said.problems}
            said = said._replace(verdicts={}, problems=problems)
        for key, places in call.asked.items():
            for place in places:
                waiting[place].append((call.repeat, key, said))
                if len(waiting[place]) == num_calls[place]:
                    yield _reply(place, questions[place].kind, waiting.pop(place), repeat)


def _reply(place: int, kind: Kind, parts: Sequence[_Said], num_rounds: int) -> Reply:
    ranks = _RANKS.get(kind, _ANY_ORDER)
    votes: Counter[Verdict] = Counter()
    reasons: list[str] = []
    for number in range(num_rounds):
        own = [(key, said) for repeat, key, said in parts if repeat == number]
        verdicts = [said.verdicts[key] for key, said in own if key in said.verdicts]
        failed = [said.problems[key] for key, said in own if key not in said.verdicts]
        # A part without a verdict leaves a round open, unless another part decides it anyway.
        if failed and ranks[0] not in verdicts:
            reasons.append(failed[0])
        else:
            votes[min(verdicts, key=ranks.index)] += 1
    raws = [raw for _, _, said in parts for raw in said.raws]
    raw = raws[0] if len(raws) == 1 else json.dumps(raws, ensure_ascii=False) if raws else None
    num_attempts = sum(said.num_attempts for _, _, said in parts)
    found = Reply(index=place, raw=raw, num_attempts=num_attempts)
    verdict, number = votes.most_common(1)[0] if votes else (None, 0)
    if number * 2 > num_rounds:
        prob = round(votes[Verdict.YES] / votes.total(), 6) if num_rounds > 1 else None
        return found._replace(verdict=verdict, prob=prob)
    if num_rounds == 1:
        return found._replace(reason=reasons[0])
    shown = [f"{votes[verdict]} {verdict.value}" for verdict in _ANY_ORDER if verdict in votes]
    if reasons:
        shown.append(f"{len(reasons)} failed ({reasons[0]})")
    return found._replace(reason=f"no majority of {num_rounds} replies: {', '.join(shown)}")
