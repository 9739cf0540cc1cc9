"""A language model with a file of its replies: no question is put to it twice.

The file has a line per reply, written as soon as the reply is there. A reply is known by what was
asked: the step, the model, the prompt and the texts. The delimiters between them are random, and no
part of it.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from math import exp, isnan
from pathlib import Path
from string import Template
from typing import IO, Any, NamedTuple, TypeVar

from argue_eval.curation.texts import ReplyError, repeats
from argue_eval.errors import Finding, InputError, MissingResourceError
from argue_eval.formats.jsonl import encode
from argue_eval.judges import Settings, Workload
from argue_eval.judges.clients import Completion, Message, Request, Schema
from argue_eval.judges.model import CUT_OFF, REPEATED, Block, Conversation, Delimiters, squeezed
from argue_eval.judges.model import Model as LanguageModel
from argue_eval.judges.model import why_unusable as why_not_read

VERSION = 1
"""Increase it with whatever makes the same question be asked or read differently."""

FORMAT = "argue-eval/replies/1"

_FOLDER = Path(__file__).with_name("prompts")
_SEPARATOR = "\n=====\n"
_TOP_LOGPROBS = 10
_MAX_LINE = 1 << 24

Progress = Callable[[str, int, int], None]
Found = TypeVar("Found")


class Call(NamedTuple):
    """What is asked of a model in one prompt.

    Attributes:
        step: such as ``extract``: the name of its prompt, a file in the folder ``prompts``.
        about: what the call is about, for people: topic, document.
        shared: texts that many calls have in common; `own`: those of this call.
        schema: of the reply; empty if that is a word, yes or no.
        likely: what a reply may be like; `worst`: one that makes much work, if there is such. They
            are only for the price, where further calls depend on replies.
    """

    step: str
    about: Mapping[str, str]
    shared: tuple[Block, ...]
    own: Block
    max_tokens: int
    schema: Schema
    likely: str = ""
    worst: str = ""


class Kept(NamedTuple):
    """A usable reply.

    Attributes:
        text: what the model wrote.
        yes_prob: how probable a yes was; None if not asked, or not reported.
    """

    text: str
    yes_prob: float | None = None


Read = Callable[[Call, Kept], Found]
"""What a reply to a call says; raises `ReplyError` if it cannot be used."""


@dataclass(slots=True)
class Tally:
    """What became of calls.

    Attributes:
        num_found: calls that the file of replies answered.
        unanswered: for every call without a usable reply, why it has none.
    """

    num_found: int = 0
    unanswered: list[str] = field(default_factory=list)


def _believe(place: int, said: object) -> None:
    """Doubts no reply."""


class Model:
    """A language model with a file of its replies.

    Attributes:
        tally: what became of the calls so far.
        checker: the model that checks what this one makes; by default itself.
        replies: the file of replies.

    Raises:
        MissingResourceError: there is no such model, or a package is missing.
        UsageError: money is limited, and the model's price is unknown.
    """

    def __init__(self, name: str, settings: Settings, replies: Replies) -> None:
        self.name = name
        self.replies = replies
        self.tally = Tally()
        self.checker = self
        self._model = LanguageModel(name, settings)
        self._delimiters = Delimiters()

    def signature(self, step: str) -> str:
        """What replies depend on besides the texts: model, prompt of the step, how it is read."""
        return f"{self._model.identity}/{_digest(step)}/{VERSION}"

    def let_check(self, checker: Model) -> None:
        """Has another model check what this one makes. Both have one tally."""
        checker.tally = self.tally
        self.checker = checker

    def ask(
        self,
        calls: Sequence[Call],
        read: Read[Found],
        progress: Progress | None = None,
        doubt: Callable[[int, Any], None] = _believe,
    ) -> list[Found | None]:
        """What the replies to calls say; None where there is no usable reply.

        Each reply is kept as soon as it comes. A call whose reply is not usable is made once more,
        with the reason. Equal calls are one.

        Args:
            doubt: raises `ReplyError` if what the reply to the call at a place says is better
                asked for again; what the next one says counts.

        Raises:
            MissingResourceError: the model is not available, or a reply cannot be kept.
        """
        limits = self._model.settings.limits
        found = [self._known(call, read) for call in calls]
        equal: dict[str, list[int]] = {}
        for place, said in enumerate(found):
            if said is None:
                equal.setdefault(self._key(calls[place]), []).append(place)
        self.tally.num_found += sum(said is not None for said in found)
        left = [places[0] for places in equal.values()]
        outcomes: dict[int, tuple[Found | None, str]] = {}
        conversations = [self._conversation(at, calls[at], read, doubt) for at in left]
        limits.is_asking = True
        try:
            for place, said, reason in self._model.converse(conversations):
                outcomes[place] = said, reason
                if progress:
                    progress(f"asking {self.name}", len(outcomes), len(left))
        finally:
            limits.is_asking = False
        for places in equal.values():
            said, reason = outcomes.get(places[0], (None, f"not asked: {limits.halted}"))
            if said is None:
                self.tally.unanswered.append(reason)
            for place in places:
                found[place] = said
        return found

    def _known(self, call: Call, read: Read[Found]) -> Found | None:
        """What the kept reply to a call says; None if there is none yet."""
        kept = self.replies.get(self._key(call))
        try:
            return None if kept is None else read(call, kept)
        except ReplyError:  # somebody has edited the file
            return None

    def _conversation(
        self, place: int, call: Call, read: Read[Found], doubt: Callable[[int, Any], None]
    ) -> Conversation[tuple[int, Found | None, str]]:
        """The call's place, what the usable reply says, and otherwise why there is none."""
        about = {"step": call.step, **call.about, "model": self.signature(call.step)}
        said: Found | None = None
        problem = ""
        for is_last in (False, True):
            result = yield self._request(call, problem)
            if result is None:
                return None
            if not isinstance(result, Completion):
                return place, None, result.reason
            text = result.text.encode("utf-8", "replace").decode("utf-8")
            kept = Kept(text, _yes_prob(result) if not call.schema else None)
            problem = why_not_read(result)
            if problem == CUT_OFF and not call.schema:
                problem = ""  # of a word, the beginning is enough
            is_over = is_last or bool(problem)
            try:
                if problem or repeats(text, _told(call.step)):
                    raise ReplyError(problem or REPEATED)
                said = read(call, kept)
                once, doubt = doubt, _believe
                once(place, said)
            except ReplyError as exc:
                said, problem = None, str(exc)
            self.replies.add(self._key(call), kept, about, problem)
            if is_over or not problem:
                break
        return place, said, problem

    def _key(self, call: Call) -> str:
        blocks = [json.dumps([block.name, *block.lines]) for block in (*call.shared, call.own)]
        line = json.dumps([call.step, self.signature(call.step), *blocks], ensure_ascii=False)
        return sha256(line.encode("utf-8", "surrogatepass")).hexdigest()

    def _request(self, call: Call, problem: str = "") -> Request:
        system, user = _prompt(call.step)
        rules = system.substitute(rules=_text("rules").strip())
        asked = user.substitute(self._delimiters.enclosed(call.shared, call.own))
        if problem:
            asked += f"\n\nAn earlier reply could not be used: {problem}. Take care of that."
        return self._model.request(
            (Message("system", rules), Message("user", asked)),
            call.max_tokens,
            call.schema,
            top_logprobs=0 if call.schema else _TOP_LOGPROBS,
        )


class Rehearsal(Model):
    """Asks nothing, and finds out what work takes.

    Args:
        replying: whether later calls depend on earlier replies: those that are not in the file are
            taken to be the ``likely`` or the ``worst`` ones of their calls. None if only the first
            calls count, or none depends on another.

    Attributes:
        load: the upper bound for the calls that have no reply yet.
    """

    def __init__(
        self, name: str, settings: Settings, replies: Replies, replying: str | None = None
    ) -> None:
        super().__init__(name, settings, replies)
        self.load = Workload()
        self._replying = replying

    def ask(
        self,
        calls: Sequence[Call],
        read: Read[Found],
        progress: Progress | None = None,
        doubt: Callable[[int, Any], None] = _believe,
    ) -> list[Found | None]:
        """What the replies to calls would say."""
        left = {
            key: call for call in calls if self.replies.get(key := self._key(call)) is None
        }.values()
        load = Workload(
            num_calls=len(left),
            prompt_tokens=sum(self._request(call).meter.prompt_tokens for call in left),
            reply_tokens=sum(call.max_tokens for call in left),
        )
        self.load = Workload(*map(sum, zip(self.load, load, strict=True)))
        if self._replying is None:
            return [None] * len(calls)
        found = [self._known(call, read) for call in calls]
        for place, call in enumerate(calls):
            if found[place] is None:
                text = (self._replying == "worst" and call.worst) or call.likely
                found[place] = read(call, Kept(text))
        return found


def _yes_prob(completion: Completion) -> float | None:
    """How probable a yes is among yes and no, by the first token; None if not reported.

    Source: the score function of AutoDS, as Long2RAG uses it (appendix A.2).

    >>> round(_yes_prob(Completion("YES", first_tokens=(("YES", -0.1), ("NO", -2.4)))), 3)
    0.909
    """
    probs = {"yes": 0.0, "no": 0.0}
    for token, logprob in completion.first_tokens:
        word = token.strip(" \n\t▁Ġ*\"'").lower()
        if isnan(logprob):
            return None
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
def _told(step: str) -> str:
    """What every call of a step says, as `squeezed`."""
    system, user = _prompt(step)
    rules = _text("rules").strip()
    return squeezed(f"{system.safe_substitute(rules=rules)} {user.template}")


@cache
def _digest(step: str) -> str:
    return sha256(f"{_text('rules')}\0{_text(step)}".encode()).hexdigest()[:8]


class Replies:
    """The replies in a file, which is created with the first of them. Several threads may add.

    Attributes:
        num_added: replies that were added, usable or not.

    Raises:
        InputError: the file has another format.
        MissingResourceError: it cannot be read or written.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.num_added = 0
        self._found: dict[str, Kept] = {}
        self._stream: IO[str] | None = None
        self._lock = threading.Lock()
        if self.path.exists():
            with self._in_use(), self.path.open(encoding="utf-8", errors="replace") as stream:
                # Of what has no lines, such as /dev/zero, only the beginning is read.
                for number, line in enumerate(iter(lambda: stream.readline(_MAX_LINE), ""), 1):
                    self._read_line(number, line)

    def __enter__(self) -> Replies:
        return self

    def __exit__(self, *raised: object) -> None:
        with self._in_use():
            if self._stream is not None:
                self._stream.close()

    def get(self, key: str) -> Kept | None:
        """The usable reply to a call; None if there is none yet."""
        return self._found.get(key)

    def add(self, key: str, kept: Kept, about: Mapping[str, str], reason: str = "") -> None:
        """Adds a reply.

        Args:
            about: what the call was, for people: step, topic, document, model.
            reason: why it cannot be used; the next run asks for it again.
        """
        line: dict[str, Any] = {"key": key, **about, "reply": kept.text}
        if kept.yes_prob is not None:
            line["yes_prob"] = kept.yes_prob
        if reason:
            line["unusable"] = reason
        with self._lock, self._in_use():
            self.num_added += 1
            if not reason:
                self._found[key] = kept
            if self._stream is None:
                self._stream = self._opened()
            self._stream.write(encode(line) + "\n")
            self._stream.flush()

    def _opened(self) -> IO[str]:
        size = self.path.stat().st_size if self.path.exists() else 0
        stream = self.path.open("a", encoding="utf-8", errors="surrogatepass", newline="\n")
        if not size:
            stream.write(encode({"format": FORMAT}) + "\n")
            return stream
        with self.path.open("rb") as written:
            written.seek(-1, os.SEEK_END)
            if written.read(1) != b"\n":  # the program was stopped while it wrote a line
                stream.write("\n")
        return stream

    def _read_line(self, number: int, line: str) -> None:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if number == 1 and not (isinstance(value, dict) and value.get("format") == FORMAT):
            message = f"expected a file of replies ({FORMAT!r}), found another format"
            hint = "name a file that this command wrote, or one that does not exist yet"
            raise InputError(Finding("unknown_format", message, hint, str(self.path), 1))
        # A line that was cut off when the program was stopped is asked for again.
        if isinstance(value, dict) and isinstance(value.get("key"), str):
            text, prob = value.get("reply"), value.get("yes_prob")
            if isinstance(text, str) and "unusable" not in value:
                is_prob = isinstance(prob, float) and 0.0 <= prob <= 1.0
                self._found[value["key"]] = Kept(text, prob if is_prob else None)

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            raise MissingResourceError(f"{self.path}: cannot be used: {exc.strerror}") from exc
